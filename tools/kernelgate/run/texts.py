# SPDX-License-Identifier: MIT
"""The results of a run in words: the summary's lines, and the commands that rerun something."""

import re
import shlex

from kernelgate.baseline.changes import LOOSENINGS
from kernelgate.baseline.file import gate_words
from kernelgate.base.json_io import list_of, member, object_of, text_of
from kernelgate.base.groups import groups_of
from kernelgate.base.figures import plural, show_figure, show_percent, unit_of
from kernelgate.base.results import MODEL_KEY, OUTCOMES, RANKS, VERDICTS, Run, claim_fails, counts_as, fails, was_left_alone
from kernelgate.run.expected import list_names, split_test
from kernelgate.run.merge import ERROR, FAIL, NOTHING, PASS, judged_of
from kernelgate.base.settings import setting
from kernelgate.base.text import clean

OTHERS_TESTS = ("import.", "pair.")  # prefixes of the tests of what other tools measured
LOOSENED_NAMED = 10  # more loosened limits are only counted
LOOSENING_WORDS = {"no_longer_gated": ("metric no longer gated", "metrics no longer gated"), "retired": ("retired", "retired"),
                   "widened": ("limit widened", "limits widened"), "slower": ("worse value", "worse values")}


def _counted(counts):
    return ", ".join(f"{count} {what}" for count, what in counts if count)


def _idle(count):
    return f"{plural(count, 'test')} had nothing to judge"


class Summary:
    """The lines that sum up a run."""

    def __init__(self, document):
        self._document = document
        self._tally = document["tally"]
        self._code = document["exit_code"]

    def _failures(self):
        """The failures outside of cases, each a count with its words."""
        return ((self._tally["failed_claims"], "failed claim", ""), (len(self._document["vanished"]), "vanished case", ""),
                (len(self._document["errors"]), "error", " outside of cases"))

    def _judged_something(self):
        """True if a case was judged or has vanished, a claim failed or something broke; False for a run that judged
        nothing, whatever claims hold in it."""
        return judged_of(self._tally) > 0 or any(count for count, _, _ in self._failures())

    def _fails_by_strictness(self):
        failures = sum(count for count, _, _ in self._failures()) + sum(self._tally[name] for name in VERDICTS if fails(name, False))
        return self._document["strict"] and not failures and self._code in (FAIL, ERROR)

    def _doubts(self):
        """The doubts about cases, which fail a strict run."""
        excused = [entry["verdict"] for entry in self._document["cases"] if "same_code" in entry and counts_as(entry) != entry["verdict"]]
        return [(self._tally[name] - excused.count(name), name) for name in ("environment", "noisy", "no-baseline", "unlisted")]

    def headline(self):
        cases = self._document["cases"]
        exceptions = _counted((self._tally[verdict], verdict) for verdict in reversed(VERDICTS[VERDICTS.index("more-accurate"):]))
        counts = {}
        for entry in cases:
            counts[entry["target"]] = counts.get(entry["target"], 0) + 1
        targets = [f"{count} on {target}" for target, count in counts.items()]
        if targets and (len(targets) == 1 or not exceptions):
            first = next(iter(counts))
            targets[0] = f"{plural(counts[first], 'case')} on {first}"
        text = ", ".join(targets) if cases else "no case was judged"
        if cases and exceptions:
            text = f"{exceptions} of {text if len(targets) == 1 else f'{len(cases)} cases: {text}'}"
        others = [f"{plural(count, singular)}{rest}" for count, singular, rest in self._failures() if count]
        return clean(", ".join([text, *others]))

    def changes(self):
        """How many of the timed cases changed, in a run that leaves out unchanged ones; None in a run that times
        all."""
        timed = [entry for entry in self._document["cases"] if "time" in entry["parts"]]
        unchanged = [entry for entry in timed if "same_code" in entry]
        untimed = sum(map(was_left_alone, timed))
        if not timed or not untimed and setting("KG_CHANGED") != "1":
            return None
        text = f"{len(timed) - len(unchanged)} of {plural(len(timed), 'case')} changed"
        if not unchanged:
            return text
        return f"{text}; {len(unchanged)} unchanged, " + (
            "not timed" if untimed == len(unchanged) else f"{untimed} of them not timed")

    def unrecorded(self):
        """The remedy for targets without a baseline; None if each has one."""
        targets = self._document["unrecorded"]
        if not targets:
            return None
        return clean(f"{', '.join(targets)}: no baseline to judge costs by: record one with kernelgate rebaseline"
                     + (" --target gpu" if MODEL_KEY not in targets else ""))

    def _word(self):
        if not self._judged_something() or self._code == NOTHING:
            return "NO BASELINE" if self._document["unrecorded"] else OUTCOMES[NOTHING]
        return OUTCOMES.get(self._code, "ERROR")

    def _strictness(self):
        """The reasons of a run that fails only because it is strict."""
        if not self._fails_by_strictness():
            return ""
        doubts = _counted(self._doubts())
        idle = self._tally["unavailable"]
        doubts = ", ".join(filter(None, (doubts, _idle(idle) if idle else "")))
        return ", because of KG_STRICT=1" + (f": {doubts}" if doubts else "")

    def reservations(self):
        """Reservations about an outcome that a reader must not overlook."""
        doubts, idle = _counted(self._doubts()), self._tally["unavailable"]
        text = f", but not with KG_STRICT=1: {doubts}" if self._code == PASS and not self._document["strict"] and doubts else ""
        if idle and self._judged_something() and not self._fails_by_strictness():
            text += f"; {_idle(idle)}"
        kept = {split_test(test["name"])[1] for test in list_of(self._document, "tests") if "kept" in test}
        text += f"; {plural(len(kept), 'comparison')} unchanged, not tested again" if kept else ""
        coverage = object_of(self._document, "coverage")
        for key, word, noun in (("filter", "filtered", "cases"), ("partial", "partial", "tests")):
            if key in coverage:
                text += f", {word}: {coverage[noun]['reported']} of {coverage[noun]['expected']} {noun}"
        return text + (f", by the baselines in {coverage['baselines']}" if "baselines" in coverage else "")

    def outcome(self):
        """The title: without the reservations, which follow the headline."""
        return clean(f"{self._word()} (exit {self._code}{self._strictness()})")

    def verdict(self):
        """The verdict's line: the outcome's word and the headline."""
        return clean(f"{self._word()}  {self.headline()}{self._strictness()}{self.reservations()}")

    def unlisted(self):
        """The remedy for unlisted cases; None if there are none."""
        unlisted = self._document["unlisted"]
        if not unlisted:
            return None
        return clean(f"{plural(len(unlisted), 'checked case')} ({list_names([entry['case'] for entry in unlisted])}) not listed in "
                     f"baselines/{unlisted[0]['target']}.json, so that their removal would go unnoticed: list them with kernelgate rebaseline "
                     "--target model")

    def document(self):
        changes = object_of(self._document, "baselines")
        texts = {"changes": self.changes(), "unrecorded": self.unrecorded(), "outcome": self.outcome(),
                 "headline": clean(self.headline() + self.reservations()), "verdict": self.verdict(), "unlisted": self.unlisted(),
                 "baselines": baselines_sentence(changes), "loosened": loosened_lines(changes)}
        return {key: text for key, text in texts.items() if text}


def _changed_files(changes):
    """The changed files, and how much is loosened in all of them together."""
    files = changes["files"]
    states = [f"{entry['target']} {entry['state']}" + (f" ({entry['why']})" if "why" in entry else "") for entry in files
              if entry["state"] != "unchanged"]
    if not states:
        return "unchanged"
    sums = {key: sum(entry[key] for entry in files) for key in (*LOOSENINGS, "new", "sentinels_moved")}
    loosened = [f"{sums[how]} {LOOSENING_WORDS[how][sums[how] != 1]}" for how in LOOSENINGS if sums[how]]
    # A file that could not be read, or has another nvcc, cannot be compared.
    nothing = "" if any("why" in entry for entry in files) else "; nothing is loosened"
    text = ", ".join(states) + ("; loosened: " + ", ".join(loosened) if loosened else nothing)
    if sums["new"]:
        text += f"; {sums['new']} new"
    return text + (f"; {plural(sums['sentinels_moved'], 'sentinel')} moved" if sums["sentinels_moved"] else "")


def baselines_sentence(changes):
    """How narrowly the baselines gate, and their changes, to follow the word "baselines"; None if there is none."""
    since, gates, by_hand = member(changes, "since"), list_of(changes, "gates"), member(changes, "by_hand")
    if since is None and not gates and not by_hand:
        return None
    text = "" if since is None else f" since {since}: {_changed_files(changes)}"
    if gates or by_hand:
        words = [gate_words(entry) if len(gates) == 1 else f"{entry['target']} {gate_words(entry)}" for entry in gates]
        words += [f"{plural(by_hand, 'band')} set by hand"] if by_hand else []
        text += f"{':' if since is None else ';'} {'; '.join(words)}"
    return clean(text)


def loosened_lines(changes):
    """The loosened limits, a line each; the last line counts the others."""
    loosened = list_of(changes, "loosened")
    lines = []
    for entry in loosened[:LOOSENED_NAMED]:
        before, after, metric = entry.get("before"), entry.get("after"), text_of(entry, "metric")
        what = "retired" if entry["kind"] == "retired" else "no longer gated"
        if entry["kind"] == "widened":
            what = f"limit from {show_percent(before)} to {show_percent(after)}"
        elif entry["kind"] == "slower":
            what = f"value from {show_figure(before, unit_of(metric))} to {show_figure(after, unit_of(metric))}"
        lines.append(clean(f"{' '.join(filter(None, (entry['case'], metric)))} on {entry['target']}: {what}"))
    if len(loosened) > LOOSENED_NAMED:
        lines.append(f"and {len(loosened) - LOOSENED_NAMED} more")
    return lines


def _quoted(text):
    """The text as one quoted word of a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _reproduce_import(imported, case, strict):
    words = (["KG_STRICT=1"] if strict else []) + [f"KG_FILTER={_quoted(case)}", "kernelgate", "import", "--from",
                                                    shlex.quote(imported["from"])]
    words += ["--target", imported["target"]] if "target" in imported else []
    return clean(" ".join(words + [shlex.quote(file) for file in list_of(imported, "files")]))


def reproduce_test(document, test, case=None, strict=False):
    """The command that reruns a test, with one case or as a whole; None for the run, and the tests of what other tools measured."""
    if not test or test.startswith(OTHERS_TESTS):
        return None
    if strict:  # which takes a filter of the gate's alone
        kind = "sm" if test.startswith("sm_") else test.partition(".")[0]
        return clean(f"kernelgate gate --strict --target {kind} --filter {_quoted(case)}")
    build = shlex.quote(text_of(document, "build") or ("build/gpu" if test.startswith("gpu.") else "build/cpu"))
    pattern = "^" + re.sub(r"([.^$*+?()\[\]|\\])", r"\\\1", test) + "$"
    settings = f"KG_FILTER={_quoted(case)} " if case is not None else ""
    # CTest runs the last build, so rebuild first.
    return clean(f"cmake --build {build} && {settings}ctest --test-dir {build} -R {_quoted(pattern)} --output-on-failure")


def _reproduce_case(document, entry):
    strict = document["strict"] and fails(counts_as(entry), True) and not fails(entry["verdict"], False)
    if list_of(object_of(entry, "imported"), "files"):
        return _reproduce_import(entry["imported"], entry["case"], strict)
    return reproduce_test(document, entry["test"], entry["case"], strict)


def describe(document):
    """Adds the texts to the complete results of a run."""
    document["summary"] = Summary(document).document()
    for entry in document["cases"]:
        if RANKS[entry["verdict"]] > RANKS["faster"]:
            _set(entry, "reproduce", _reproduce_case(document, entry))
        if RANKS[entry["verdict"]] <= RANKS["unchanged"]:
            entry.pop("reason", None)
    for entry in document["errors"]:
        _set(entry, "reproduce", reproduce_test(document, text_of(entry, "test")))
    for claim in document["claims"]:
        _set(claim, "reproduce", reproduce_test(document, claim["test"]) if claim_fails(claim) else None)
    for entry in document["vanished"]:
        entry["why"] = ("the baseline has it, and it is in no table or refused: put it back, or retire it with kernelgate rebaseline or "
                        f"kernelgate baseline retire (baselines/{entry['target']}.json)")
    document["failure_groups"] = [group.document() for group in groups_of(Run(document))]


def _set(entry, key, text):
    if text is not None:
        entry[key] = text
