"""What `kernelgate judge` ends in, in the same process: merges and prints what it judged.
usage: run_judged.py FOLDER [--strict] [--json] [--commit NAME]"""

import os

from kernelgate.base.common import JSON_OPTION, Command, Option
from kernelgate.run.merge import ERROR, merge
from kernelgate.run.results_command import finish, lock_folder, name_commits, publish
from kernelgate.base.settings import is_strict

COMMAND = Command("judge", (Option("--strict", None, ""), Option("--commit", "NAME", ""), JSON_OPTION), takes_operands=True)


def main(arguments):
    options = COMMAND.parse(arguments)
    (folder,) = options["operands"]
    try:
        merged = merge(folder, options["strict"] or is_strict())
        finish(merged)
        name_commits(merged.document, options["commit"])
        written = publish(merged.document, folder, "brief", options["json"], False)
        return merged.document["exit_code"] if written else ERROR
    finally:
        lock_folder("end", folder, os.getpid())
