"""What `kernelgate judge` ends in, in the same process: merges and prints what it judged.
usage: run_judged.py FOLDER [--strict] [--json] [--commit NAME]"""

import os

from kernelgate.base.command_line import add_json
from kernelgate.run.merge import ERROR, merge
from kernelgate.run.results_command import finish, lock_folder, name_commits, publish
from kernelgate.base.settings import is_strict


def add_arguments(parser):
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--commit", metavar="NAME")
    add_json(parser)


def main(options):
    folder = options.folder
    try:
        merged = merge(folder, options.strict or is_strict())
        finish(merged)
        name_commits(merged.document, options.commit)
        written = publish(merged.document, folder, "brief", options.json, False)
        return merged.document["exit_code"] if written else ERROR
    finally:
        lock_folder("end", folder, os.getpid())
