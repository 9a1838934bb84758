# SPDX-License-Identifier: MIT
"""kernelgate history add: adds runs to the history."""

from kernelgate.base.case_id import is_case_id
from kernelgate.base.command_line import add_json, print_output
from kernelgate.base.errors import Failure, complain
from kernelgate.base.figures import plural
from kernelgate.base.json_io import canonical, json_text, parse_named
from kernelgate.base.results import as_results, checked
from kernelgate.base.artifacts import REMEDY, read_artifact
from kernelgate.history.database import Database, add_database, began_at, digest, path_of

ERROR = 2


def _run_of(label, data):
    """The hash of the results in a file, and the results. Members that only a newer kernelgate knows are no fault."""
    document = parse_named(label, data, REMEDY)
    key = digest(canonical(document))
    document = checked(label, as_results(label, document))
    try:
        began_at(document)
    except ValueError:
        raise Failure(f"{label}: run: it has no time such as 2026-01-31T12:00:00Z: {REMEDY}") from None
    seen = set()
    for entry in document["cases"]:
        if not is_case_id(entry["case"]):
            raise Failure(f"{label}: {entry['case']}: is not the id of a case: {REMEDY}")
        if (entry["case"], entry["target"]) in seen:
            raise Failure(f"{label}: {entry['case']} is in it twice on {entry['target']}: {REMEDY}")
        seen.add((entry["case"], entry["target"]))
    return key, document


def add_arguments(parser):
    parser.add_argument("artifacts", nargs="+", metavar="RESULTS.json|ZIP|DIR")
    add_database(parser)
    add_json(parser)
    parser.epilog = """\
Each is a run's results.json, of any host, an artifact as it was downloaded, or a folder
of either's contents: every results.json in it is added. One that was added before stays
as it is. Of several shards add the merged results, or those of each, not both.

exit: 0 added, or known already; 2 an error: of an artifact that is not in order nothing
is added, of the others all
"""


def main(options):
    added, known, refused = 0, 0, 0
    database = Database(path_of(options), writes=True)
    for path in options.artifacts:
        try:
            runs = [_run_of(label, data) for label, data in read_artifact(path)]
            new = database.add(runs)
        except Failure as failure:
            complain(f"history add: {failure}")
            refused += 1
            continue
        added += new
        known += len(runs) - new
    total = database.query("SELECT count(*) FROM runs")[0][0]
    database.close()
    if options.json:
        print_output("history add", json_text({"schema": "kernelgate-added/1", "file": path_of(options), "added": added, "known": known,
                                               "refused": refused, "runs": total}))
    elif added + known:
        again = f", {known} known already" if known else ""
        print_output("history add", f"{plural(added, 'run')} added{again}: {path_of(options)} has {total}\n")
    return ERROR if refused else 0
