"""kernelgate judge: has kernelgate-judge judge the records of another tool, and makes a run's results of its verdicts."""

import os

from kernelgate.base import run_lock
from kernelgate.base.common import JSON_OPTION, Command, Failure, Option, json_text, replace_file
from kernelgate.base.judging import ask, ask_of
from kernelgate.base.settings import is_strict, results_folder
from kernelgate.run.merge import ERROR, merge
from kernelgate.run.results_command import finish, name_commits, publish
from kernelgate.run.run_files import begin


def _publish(verdicts, folder, options):
    """Makes the verdicts those of a run of their own. The exit code."""
    begin(folder, os.getpid())
    try:
        for document in verdicts:
            replace_file(os.path.join(folder, "records", f"{document['test']}.verdicts.json"), json_text(document))
        merged = merge(folder, options["strict"] or is_strict())
        finish(merged)
        name_commits(merged.document, options["commit"])
        written = publish(merged.document, folder, "verbose", options["json"], False)
        return merged.document["exit_code"] if written else ERROR
    finally:
        run_lock.release(folder, os.getpid())


def judge_records(options, records=None):
    """Judges records, those in the file that the options name where none are given, and ends with their results."""
    settings = {"KG_BASELINES": options["baselines"]} if options["baselines"] is not None else {}
    asked = (ask_of("import", records, settings) if records is not None
             else ask("judge", options["operands"][0], settings=settings))
    return _publish(asked["verdicts"], results_folder(options["out"]), options)


OPTIONS = (
    Option("--out", "DIR", "the folder of the results (default: KG_OUT, else out)"),
    Option("--baselines", "DIR", "the baselines' folder (default: KG_BASELINES, else baselines)"),
    Option("--commit", "NAME", "the commit that was measured (default: the one checked out here)"),
    Option("--strict", None, "fail on environment, noisy, no-baseline and vanished too (as KG_STRICT=1)"),
    JSON_OPTION,
)

COMMAND = Command(
    "judge",
    options=OPTIONS,
    details="""\
FILE is JSON, with a RECORD for each process of each case:

{"schema": "kernelgate-measured/1", "targets": {KEY: TARGET...}}
TARGET: {"target": {"key": KEY}, "provenance": {"measured_by": TOOL},
         "cases": {ID: {"records": [RECORD...], "imported": ORIGIN}...}}
ORIGIN: {"from": TOOL, "name": NAME, "files": [FILE...]}
RECORD: {"event": "failed" or "refused", "why": TEXT}, or
        {"event": "measured", "metrics": {"time_ns": {"value": 5, "low": 4, "high": 6}}}

KG_FILTER narrows what is judged.

exit: as `kernelgate import`
""",
    takes_operands=True,
)


def main(arguments):
    options = COMMAND.parse(arguments)
    if len(options["operands"]) != 1:
        raise Failure("judge: needs one file: see `kernelgate help judge`")
    return judge_records(options)
