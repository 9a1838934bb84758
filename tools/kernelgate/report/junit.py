# SPDX-License-Identifier: MIT
"""Results as JUnit XML: one suite per target and comparison, one testcase per case, per claim, per test, and one for
the run. Failing and passing runs have the same testcases, so that readers can keep a history of each. No standard
defines JUnit XML; harness/tests/report/junit.xsd has the form that its readers agree on."""

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

from kernelgate.base.case_id import comparison_of_case
from kernelgate.base.groups import groups_of, place_of
from kernelgate.base.json_io import integer_of, list_of, member, number_of, text_of
from kernelgate.base.places import find_line, place_of_claim
from kernelgate.base.results import (RANKS, figures_of, is_reported_only, items, reason_of, refusal_word, shown_metrics,
                                     shown_value, texts_of, verdict_of)
from kernelgate.base.run_facts import when
from kernelgate.base.text import clean

PASSED, SKIPPED, FAILED, ERRORED = OUTCOMES = "passed", "skipped", "failure", "error"  # the worst last
RUN = "kernelgate"  # the suite and the testcase for messages of no test
MOST_SECONDS = 1e12
LONGEST_NAME = 255  # of a property
MEMBERS_NAMED = 20


@dataclass
class Testcase:
    name: str
    outcome: str
    type: str  # the verdict, "claim", "vanished", "refused", "skipped", "error"
    message: str  # one line
    body: str = ""  # figures and the command that reproduces it
    seconds: float = 0.0
    place: tuple = None  # a file and its line

    def join(self, other):
        """Merges the text of a testcase of the same name: the worse first."""
        better, worse = sorted((other, self), key=lambda case: OUTCOMES.index(case.outcome))
        self.body = "\n".join(filter(None, (worse.body.rstrip("\n"), better.message, better.body)))
        self.outcome, self.type, self.message, self.place = worse.outcome, worse.type, worse.message, worse.place or better.place
        self.seconds += other.seconds


@dataclass
class Suite:
    name: str
    target: str
    by_name: dict = field(default_factory=dict)
    test_seconds: float = 0.0

    @property
    def cases(self):
        return self.by_name.values()

    def add(self, case):
        """Adds a testcase, or merges it with the one of its name; returns the result."""
        known = self.by_name.setdefault(case.name, case)
        if known is not case:
            known.join(case)
        return known

    def seconds(self):
        """The seconds of the suite: only some parts have the time of a case, but every test has its own."""
        return max(sum(case.seconds for case in self.cases), self.test_seconds)

    def count(self, *outcomes):
        return sum(case.outcome in outcomes for case in self.cases)


class Suites:
    def __init__(self):
        self.by_name = {}

    def of(self, target, comparison):
        """The suite of a target and a comparison; the run's if both are missing."""
        name = clean(".".join(filter(None, (target, comparison))) or RUN)
        return self.by_name.setdefault(name, Suite(name, clean(target)))

    def of_test(self, test, target):
        """The suite of a test by its name, <target>.<comparison>.<part>; `target` may be empty."""
        prefix, _, rest = test.partition(".")
        return self.of(target or (prefix if rest else ""), rest.split(".")[0])

    def add_located(self, entry, outcome, kind, message, **more):
        case = text_of(entry, "case")
        self.of(text_of(entry, "target"), comparison_of_case(case)).add(Testcase(clean(case), outcome, kind, message, **more))


def usable_seconds(entry):
    seconds = number_of(entry, "seconds")
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def body_of(entry, alike, reproduced):
    """The group of a case that failed like others, the figures of its metrics, one per line, what changed, and how to run it again."""
    lines = [alike] if alike else []
    lines += [figures_of(name, metric) for name, metric in shown_metrics(entry)]
    lines += ["changed: " + clean(text) for text in texts_of(entry, "changed")]
    if reproduced and text_of(entry, "reproduce"):
        lines.append("reproduce: " + clean(text_of(entry, "reproduce")))
    return "".join(line + "\n" for line in lines)


def outcome_of(verdict, failing):
    if verdict == "error":
        return ERRORED
    return FAILED if failing else SKIPPED if RANKS[verdict] > RANKS["faster"] else PASSED


def collect_cases(run, suites):
    alike = {}
    for group in groups_of(run):
        if len(group.cases) > 1:
            text = f"alike: {group.name}: {group.members(MEMBERS_NAMED)}"
            alike.update({(group.verdict, group.target, case): text for case in group.cases})
    for entry in run.list("cases"):
        verdict, reason = verdict_of(entry), reason_of(entry)
        suites.add_located(entry, outcome_of(verdict, run.fails(entry)), verdict, f"{verdict}: {reason}" if reason else "",
                           body=body_of(entry, alike.get((verdict, text_of(entry, "target"), text_of(entry, "case"))), RANKS[verdict] > RANKS["faster"]), seconds=usable_seconds(entry),
                           place=place_of(run, entry))
    for entry in run.list("vanished"):
        suites.add_located(entry, FAILED, "vanished", clean(text_of(entry, "why")),
                           place=find_line(run.sources, f"baselines/{text_of(entry, 'target')}.json", text_of(entry, "case")))
    for entry in run.list("refused"):
        suites.add_located(entry, SKIPPED, refusal_word(entry), clean(text_of(entry, "why")))


def collect_claims(run, suites):
    for claim in run.list("claims"):
        name = text_of(claim, "claim")
        holds = member(claim, "holds") is True
        state = PASSED if holds else SKIPPED if is_reported_only(claim) else FAILED
        # A claim of a suite has its test's name.
        suite = suites.of(text_of(claim, "target"), comparison_of_case(name)) if "/" in name else suites.of_test(name, text_of(claim, "target"))
        suite.add(
            Testcase(clean(name), state, "claim", clean(text_of(claim, "why")),
                     "" if holds else clean(text_of(claim, "reproduce")), place=place_of_claim(run.sources, name)))


def collect_tests(run, suites):
    """One testcase per expected test, and one for the run, with all other errors."""
    whole = suites.of("", "").add(Testcase(RUN, PASSED, "run", ""))
    targets = {text_of(test, "name"): text_of(test, "target") for test in reversed(run.list("tests") + run.list("unreported"))}
    for test in run.list("tests"):
        name, seconds, skipped = text_of(test, "name"), usable_seconds(test), member(test, "skipped")
        suite = suites.of_test(name, text_of(test, "target"))
        outcome = PASSED
        if isinstance(skipped, str):
            outcome = ERRORED if integer_of(test, "exit_code") == 2 else SKIPPED
        suite.add(Testcase(clean(name or RUN), outcome, "skipped", clean(skipped) if outcome != PASSED else "", "",
                           seconds if outcome != PASSED else 0.0))
        suite.test_seconds += seconds
    for test in run.list("unreported"):
        for case in list_of(test, "cases"):
            suite = suites.of(targets[text_of(test, "name")], comparison_of_case(case))
            if clean(case) not in suite.by_name:
                suite.add(Testcase(clean(case), ERRORED, "error", "left no verdict"))
    for error in run.list("errors"):
        name, why, again = text_of(error, "test"), clean(text_of(error, "why")), clean(text_of(error, "reproduce"))
        if name in targets:
            suites.of_test(name, targets[name]).add(Testcase(clean(name), ERRORED, "error", why, again))
        else:
            whole.join(Testcase(RUN, ERRORED, "error", f"{clean(name)}: {why}" if name else why, again))
    if run.list("unlisted"):
        whole.join(Testcase(RUN, FAILED if run.strict else SKIPPED, "unlisted", clean(run.text("unlisted"))))


def properties_of(run, suite):
    """The facts of a suite's target, and the board of each of its tests; of the run's suite, those of the run."""
    for name, value in items(run.object("run")) if suite.name == RUN else ():
        for inner, fact in (items(value) or (("", value),)) if not isinstance(value, list) else ():
            yield f"run.{name}{'.' if inner else ''}{inner}", shown_value(fact)
    for prefix, key in (("target", "targets"), ("provenance", "provenance")):
        for name, value in items(run.object(key).get(suite.target)):
            yield f"{prefix}.{name}", shown_value(value)
    for test in run.list("tests"):
        board, name = text_of(test, "board"), text_of(test, "name")
        comparison = name.partition(".")[2].split(".")[0]
        if board and text_of(test, "target") == suite.target and f"{suite.target}.{comparison}" == suite.name:
            bus = text_of(member(run.object("boards").get(board), "provenance"), "bus_id")
            yield f"board.{name}", f"{board} ({bus})" if bus else board


def set_counts(element, suites):
    for name, outcomes in (("tests", (PASSED, SKIPPED, FAILED, ERRORED)), ("failures", (FAILED,)), ("errors", (ERRORED,))):
        element.set(name, str(sum(suite.count(*outcomes) for suite in suites)))
    element.set("time", f"{min(sum(suite.seconds() for suite in suites), MOST_SECONDS):.3f}")


def add_testcase(parent, run, suite, case):
    element = ElementTree.SubElement(parent, "testcase", classname=suite.name, name=case.name,
                                     time=f"{min(case.seconds, MOST_SECONDS):.3f}")
    if case.place is not None:
        element.set("file", clean(run.prefix + case.place[0]))
        element.set("line", str(case.place[1]))
    if case.outcome in (FAILED, ERRORED):
        ElementTree.SubElement(element, case.outcome, type=case.type, message=case.message).text = case.body or None
        return
    if case.outcome == SKIPPED:  # the schema of "skipped" only allows a message
        ElementTree.SubElement(element, SKIPPED, message=case.message)
    output = "\n".join(filter(None, (case.message if case.outcome == PASSED else "", case.body)))
    if output:
        ElementTree.SubElement(element, "system-out").text = output


def add_suite(parent, run, suite):
    element = ElementTree.SubElement(parent, "testsuite", name=suite.name)
    set_counts(element, [suite])
    element.set("skipped", str(suite.count(SKIPPED)))
    facts = run.object("run")
    for name, fact in (("timestamp", when(facts)), ("hostname", text_of(facts, "host"))):
        if fact:
            element.set(name, clean(fact))
    properties = list(properties_of(run, suite))
    if properties:
        box = ElementTree.SubElement(element, "properties")
        for name, value in properties:
            ElementTree.SubElement(box, "property", name=clean(name)[:LONGEST_NAME], value=clean(value))
    for case in suite.cases:
        add_testcase(element, run, suite, case)


def write(run):
    suites = Suites()
    collect_cases(run, suites)
    collect_claims(run, suites)
    collect_tests(run, suites)
    root = ElementTree.Element("testsuites", name="kernelgate")
    set_counts(root, suites.by_name.values())
    for suite in suites.by_name.values():
        add_suite(root, run, suite)
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"
