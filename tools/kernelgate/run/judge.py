# SPDX-License-Identifier: MIT
"""kernelgate judge: judges the records of another tool with kernelgate-judge, and turns its verdicts into a run's
results."""

import os

from kernelgate.base.command_line import add_json
from kernelgate.base.files import replace_file
from kernelgate.base.json_io import json_text
from kernelgate.base.judging import ask, ask_of
from kernelgate.base.results import RANKS
from kernelgate.base.run_facts import facts_of_run
from kernelgate.base.settings import is_strict, results_folder
from kernelgate.run.merge import ERROR, merge
from kernelgate.run.results_command import finish, write_and_print
from kernelgate.run.run_files import begun


def publish_verdicts(verdicts, folder, options, base_ref=None, reproduce=None):
    """Ends a run with the verdicts of its tests; `reproduce` is the command of its failures, if it is one for all. The exit code."""
    for document in verdicts:
        replace_file(os.path.join(folder, "records", f"{document['test']}.verdicts.json"), json_text(document))
    merged = merge(folder, options.strict or is_strict())
    finish(merged.document)
    merged.document["run"] = facts_of_run(folder, options.commit, base_ref)
    for entry in merged.document["cases"] if reproduce else ():
        if RANKS[entry["verdict"]] > RANKS["faster"]:
            entry["reproduce"] = reproduce
    written = write_and_print(merged.document, folder, "verbose", options.json, False)
    return merged.document["exit_code"] if written else ERROR


def judge_records(options, records=None):
    """Judges records, or without them those in the options' file, and ends with their results."""
    settings = {"KG_BASELINES": options.baselines} if options.baselines is not None else {}
    asked = (ask_of("import", records, settings) if records is not None
             else ask("judge", options.file, settings=settings))
    folder = results_folder(options.out)
    with begun(folder):
        return publish_verdicts(asked["verdicts"], folder, options)


def add_publishing(parser):
    """Adds the options of a run whose verdicts kernelgate-judge finds."""
    parser.add_argument("--out", metavar="DIR", help="the folder of the results (default: KG_OUT, else out)")
    parser.add_argument("--commit", metavar="NAME", help="the commit that was measured (default: the one checked out here)")
    parser.add_argument("--strict", action="store_true",
                        help="fail on environment, noisy, no-baseline and vanished too (as KG_STRICT=1)")
    add_json(parser)


def add_judging(parser):
    """Adds the options of `kernelgate judge` and of `kernelgate import`."""
    parser.add_argument("--baselines", metavar="DIR", help="the baselines' folder (default: KG_BASELINES, else baselines)")
    add_publishing(parser)


def add_arguments(parser):
    parser.add_argument("file", metavar="FILE")
    add_judging(parser)
    parser.epilog = """\
FILE is JSON, with a RECORD for each process of each case:

{"schema": "kernelgate-measured/1", "targets": {KEY: TARGET...}}
TARGET: {"target": {"key": KEY}, "provenance": {"measured_by": TOOL},
         "cases": {ID: {"records": [RECORD...], "imported": ORIGIN}...}}
ORIGIN: {"from": TOOL, "name": NAME, "files": [FILE...]}
RECORD: {"event": "failed" or "refused", "why": TEXT}, or
        {"event": "measured", "metrics": {"time_ns": {"value": 5, "low": 4, "high": 6}}}

KG_FILTER narrows what is judged.

exit: as `kernelgate import`
"""


def main(options):
    return judge_records(options)
