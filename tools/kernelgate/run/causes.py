# SPDX-License-Identifier: MIT
"""Possible explanations of a slower or doubtful time: changes in its code and launch, the counters of the same case,
or of its variant, in the CPU model's run, and the state of the GPU while it was timed."""

import math

from kernelgate.base.groups import is_counted
from kernelgate.run.code_causes import find_differences
from kernelgate.base.json_io import number_of, object_of, text_of
from kernelgate.base.figures import plural, show_figure
from kernelgate.base.results import MODEL_KEY, is_code, is_dismissed, variant_of

# The CPU model's result for a case: not counted; counted without a baseline; unchanged; moved; wrong, or failed to run.
NOT_COUNTED, NOT_COMPARABLE, UNCHANGED, MOVED, FAILED = range(5)
NO_REASON = "none"  # for the GPU's clocks


def _answer_of(counted):
    if counted is not None and is_dismissed(counted["verdict"]):
        return FAILED
    if counted is None or not is_counted(counted):
        return NOT_COUNTED
    verdicts = {text_of(metric, "verdict") for metric in counted["metrics"].values()}
    if verdicts & {"slower", "faster"}:
        return MOVED
    return NOT_COMPARABLE if "no-baseline" in verdicts else UNCHANGED


def describe_gpu_state(state, most_mhz=None):
    """The known part of a GPU's state at its worst: "1 200 of 1 980 MHz, 84 °C, SW power cap"; "" if nothing is
    known."""
    facts = []
    clock, temperature, launch = (number_of(state, key) for key in ("sm_clock_mhz", "temperature_c", "launch_ns"))
    if math.isfinite(clock):
        facts.append(f"{show_figure(clock)} of {show_figure(most_mhz, 'MHz')}" if most_mhz else show_figure(clock, "MHz"))
    if math.isfinite(temperature):
        facts.append(f"{temperature:.0f} °C")
    if math.isfinite(launch):
        facts.append(f"a launch at {show_figure(launch, 'ns')} or more")
    if text_of(state, "clock_reasons") not in ("", NO_REASON):
        facts.append(text_of(state, "clock_reasons"))
    if number_of(state, "foreign_processes") > 0:
        facts.append(plural(int(state["foreign_processes"]), "other process", "es"))
    return ", ".join(facts)


def _place_of(counted):
    """The place in the source from the model's case; None if it has none."""
    for finding in counted.get("findings", ())[:1]:
        if "file" in finding:
            return {key: finding[key] for key in ("file", "line") if key in finding}
    return counted.get("at")


class _ModelRun:
    """The cases of the CPU model's run, and a summary for each variant."""

    def __init__(self, cases):
        self.cases = {entry["case"]: entry for entry in cases}
        self._suspicious = {}  # by variant: the first case that moved or failed
        self._unchanged = {}  # by variant: how many cases have unchanged counts
        for entry in cases:
            answer, variant = _answer_of(entry), variant_of(entry["case"])
            if answer in (MOVED, FAILED):
                self._suspicious.setdefault(variant, entry)
            self._unchanged[variant] = self._unchanged.get(variant, 0) + (answer == UNCHANGED)

    def explain(self, entry):
        """Adds the model's result for a case, or for its variant's other sizes if it did not count this one. A move
        there is the explanation, unless the code changed."""
        counted = self.cases.get(entry["case"])
        variant = variant_of(entry["case"])
        size = ""
        if _answer_of(counted) == NOT_COUNTED:
            counted = self._suspicious.get(variant)
            size = counted["case"] if counted is not None else ""
        words = _words(counted, size) if counted is not None else self._without_count(variant)
        found = _answer_of(counted) in (MOVED, FAILED)
        if "explanation" not in entry and found:
            entry["explanation"] = words
        elif "explanation" not in entry or counted is not None:  # if the code moved, an uncounted case needs no mention
            entry["changed"].append(words)
        if found and _place_of(counted):
            entry["at"] = _place_of(counted)

    def _without_count(self, variant):
        unchanged = self._unchanged.get(variant, 0)
        if unchanged:
            return (f"the CPU model does not count this size; {plural(unchanged, 'other case')} of the variant "
                    f"{'counts' if unchanged == 1 else 'count'} what its baseline holds")
        return "this run has no counts of it: kernelgate gate --target model shows whether the kernel does more work"


def _words(counted, size):
    """The text for a counted case; `size` names it if it is not the explained case itself."""
    where = "on the CPU model" + (f", of {size}" if size else "")
    answer = _answer_of(counted)
    if answer == MOVED:
        return f"{where}: {text_of(counted, 'moves') or text_of(counted, 'why')}"
    if answer == FAILED:
        return f"{where} it is {counted['verdict']}: {text_of(counted, 'reason') or text_of(counted, 'why')}"
    if answer == NOT_COMPARABLE:
        return "the CPU model has no counts to compare it with: record them with kernelgate rebaseline --target model"
    return "its counts equal the CPU model's baseline"


def _asks_for_causes(entry):
    """Whether causes are sought: the CPU model counts nothing of imported cases."""
    return ("imported" not in entry and entry["verdict"] in ("slower", "environment") and not is_counted(entry)
            and bool(entry["metrics"]))


def _code_moves(document):
    """The changes of nvcc's code from the baseline of its architecture, by compute capability and case."""
    capabilities = {key: text_of(target, "compute_capability") for key, target in object_of(document, "targets").items()
                    if is_code(key)}
    return {(capabilities.get(entry["target"], ""), entry["case"]): entry["moves"]
            for entry in document["cases"] if is_code(entry["target"]) and "moves" in entry}


def _explain_by_code(entry, difference, judged):
    """Adds the differences of code and launch from the base's or the baseline's, else the run's own verdict on the
    code."""
    explanation = difference.text if difference is not None else judged
    if explanation:
        entry["explanation"] = explanation
    if difference is not None and (difference.came or difference.went):
        entry["sass"] = {"came": difference.came, "went": difference.went}


def _note_missing_lines(document, entry, why):
    """Adds one note if lines of SASS would be shown but there is no disassembler."""
    note = {"note": f"no comparison of SASS lines: {why}", "target": entry["target"], "test": entry["test"]}
    if not any(known["note"] == note["note"] for known in document["notes"]):
        document["notes"].append(note)


def add_causes(document, build=None):
    """Adds possible explanations to the slower or doubtful times of a run's results; `build` is the folder of the
    programs that ran, None if unknown."""
    model = _ModelRun([entry for entry in document["cases"] if entry["target"] == MODEL_KEY])
    moves, targets, asking = _code_moves(document), object_of(document, "targets"), []
    for entry in document["cases"]:
        if entry["target"] == MODEL_KEY or is_code(entry["target"]):
            continue
        changed = entry.pop("changed", [])
        if _asks_for_causes(entry):
            entry["changed"] = list(changed)
            asking.append(entry)
    differences = find_differences(build, [(entry["case"], targets.get(entry["target"])) for entry in asking])
    for entry, difference in zip(asking, differences):
        target = targets.get(entry["target"])
        _explain_by_code(entry, difference, moves.get((text_of(target, "compute_capability"), entry["case"]), ""))
        most = number_of(document["provenance"].get(entry["target"]), "max_sm_clock_mhz")
        seen = describe_gpu_state(object_of(entry, "gpu_state"), most if most > 0 else None)
        if seen:
            entry["changed"].append(f"the GPU, at its worst while it was timed: {seen}")
        model.explain(entry)
        if difference is not None and difference.why:
            _note_missing_lines(document, entry, difference.why)
