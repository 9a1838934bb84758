"""kernelgate baseline convert: rewrites baselines of the schema kernelgate-baseline/1, which held the sessions of each time."""

import os

from baseline_file import OLD_SCHEMA, Baseline, Case, Metric, floor_of, is_time, lock, split_path
from common import Command, Failure, check_schema, is_number, list_of, member, object_of, print_output, read_json, run, text_of
from figures import plural
from kernel_code import whole_code
from noise import SESSIONS_MINIMUM
from recording import SENTINELS, make_time
from sessions_file import UNKNOWN, StoredSessions, board_of, path_beside, save_both

REMEDY = "fix the file, or record it again with ci/rebaseline"
MEMBERS = {"schema", "target", "provenance", "sentinels", "cases", "checked"}
FIGURES = {"value", "band", "floor"}
METRIC = {*FIGURES, "band_by", "gated", "sessions"}


def _refuse(path, *where):
    *places, why = where
    raise Failure(": ".join([path, *places, f"{why}: {REMEDY}"]))


def _read_metric(path, case, name, stored):
    """A metric and its sessions."""
    if not isinstance(stored, dict) or not stored.keys() <= METRIC or "value" not in stored:
        _refuse(path, case, name, f'is not a metric of {OLD_SCHEMA}: "value" and of {", ".join(sorted(METRIC - {"value"}))}')
    for key in FIGURES & stored.keys():
        if not is_number(stored[key]):
            _refuse(path, case, name, key, "is not a number")
    if not isinstance(stored.get("gated", True), bool) or stored.get("band_by", "hand") != "hand":
        _refuse(path, case, name, '"gated" is true or false, "band_by" is "hand"')
    sessions = stored.get("sessions", [])
    if "sessions" in stored and (not is_time(name) or not list_of(stored, "sessions")
                                 or not all(is_number(value) and value > 0 for value in sessions)):
        _refuse(path, case, name, "sessions", "is not a list of times")
    return Metric(name, stored["value"], stored.get("band", 0), "band_by" in stored, stored.get("floor", floor_of(name)),
                  stored.get("gated", True)), sessions


def _read_case(path, name, members, model):
    """A case or a sentinel, and the sessions of each of its metrics."""
    if not isinstance(members, dict):
        _refuse(path, name, "is not an object")
    case, sessions = Case(name, text_of(members, "commit"), whole_code(members.get("code")), members.get("lines")), {}
    if "commit" in members and not case.commit or "lines" in members and not model:
        _refuse(path, name, '"commit" is a text, and "lines" are the CPU model\'s')
    for metric in members.keys() - {"commit", "code", "lines"}:
        case.metrics[metric], sessions[metric] = _read_metric(path, name, metric, members[metric])
    return case, {metric: values for metric, values in sessions.items() if values}


def convert(path):
    """Converts a file; what it says of that."""
    document = read_json(path, REMEDY)
    check_schema(path, document, OLD_SCHEMA, "there is nothing to convert")
    if not document.keys() <= MEMBERS or not isinstance(member(document, "target"), dict):
        _refuse(path, f"its members are {', '.join(sorted(MEMBERS))}")
    baseline = Baseline(path)
    baseline.target, baseline.provenance = document["target"], member(document, "provenance")
    baseline.checked = list_of(document, "checked")
    stored = StoredSessions(path_beside(path), text_of(baseline.target, "key"))
    if os.path.lexists(stored.path):
        raise Failure(f"{stored.path}: is there already, and {path} has sessions of its own: move it away")
    found = {}
    for kind, cases in (("sentinels", baseline.sentinels), ("cases", baseline.cases)):
        for name, members in object_of(document, kind).items():
            cases[name], found[name] = _read_case(path, name, members, baseline.is_model)
    # Of more sessions than one recording has, nobody noted which were of the board that the provenance names.
    merged = any(len(values) > SESSIONS_MINIMUM for metrics in found.values() for values in metrics.values())
    board, moved = UNKNOWN if merged else board_of(baseline.provenance), 0
    for case in (*baseline.sentinels.values(), *baseline.cases.values()):
        for name, values in found[case.id].items():
            # Not StoredSessions.add(): all are kept, however many.
            stored.cases.setdefault(case.id, {})[name] = {board: [float(value) for value in values]}
            before = case.metrics[name]
            case.metrics[name] = make_time(before, name, stored.boards(case.id, name), case.id in SENTINELS)
            moved += (before.band, before.gated) != (case.metrics[name].band, case.metrics[name].gated)
        if found[case.id]:
            case.boards, case.sessions = 1, min(map(len, found[case.id].values()))
    save_both(baseline, stored if stored.cases else None)
    return (f"{path}: converted: {plural(len(baseline.cases), 'case')}"
            + (f", {moved} with another band or gate; sessions: {stored.path}, board {board}" if stored.cases else ""))


COMMAND = Command(
    "baseline convert",
    options=(),
    details="""\
Reads FILE, a baseline of the schema kernelgate-baseline/1, and replaces it by one of
today's; its sessions go to sessions/ next to it. Bands are made again from the sessions,
but for those set by hand. Where a time has more than five sessions, which board each is
of is not known: all are kept as those of one board, "unknown".
exit: 0 converted; 2 a file cannot be, which is left as it is; those before it are done
""",
    takes_operands=True,
)


def main(arguments):
    options = COMMAND.parse(arguments)
    if not options["operands"]:
        raise Failure("baseline convert: takes baseline files: kernelgate baseline convert baselines/*.json")
    for path in options["operands"]:
        with lock(split_path(path)[0], "baseline convert"):
            print_output("baseline convert", convert(path) + "\n")


if __name__ == "__main__":
    run(main)
