# SPDX-License-Identifier: MIT
"""Failures as code scanners report them: SARIF 2.1.0 for GitHub and others, Code Quality for GitLab, and a badge."""

import hashlib
from dataclasses import dataclass
from urllib.parse import quote

from kernelgate import VERSION
from kernelgate.base.groups import groups_of
from kernelgate.base.json_io import integer_of, json_text, list_of, text_of
from kernelgate.base.places import find_line
from kernelgate.base.results import variant_of
from kernelgate.base.text import clean
from kernelgate.report.annotations import is_told

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST = 5000  # GitHub shows no more results of an upload
MOST_FINDINGS = 20  # of a case
MEASURED = ("slower", "less-accurate", "claim", "vanished", "noisy", "environment", "no-baseline")  # the code is right
COLORS = {"PASS": "brightgreen", "FAIL": "red", "ERROR": "red"}
NOWHERE = "CMakeLists.txt"  # GitLab needs a file; an error of the run as a whole has none


@dataclass
class Issue:
    rule: str  # the kind of a finding, else the verdict
    fails: bool
    message: str
    place: tuple  # a file of the repository and its line; None if there is none
    fingerprint: str  # the same in each run that has the issue: no line, figure or size is part of it
    facts: dict


def _issue(group, rule, message, place, *identity):
    # The sizes that fail, and which of them moved most, may differ from run to run.
    named = min(map(variant_of, group.cases)) if group.sizes or group.verdict == "vanished" else group.cases[0]
    digest = hashlib.sha256("\0".join((rule, group.target, named, *identity)).encode("utf-8", "replace")).hexdigest()[:32]
    facts = {"what": group.name, "target": group.target, "cases": len(group.cases), "first": group.cases[0], "reproduce": group.reproduce}
    return Issue(rule, group.fails, message, place and (group.run.prefix + place[0], place[1]), digest,
                 {key: value for key, value in facts.items() if value})


def _issues_of(group):
    """A failure's findings, an issue each; a failure without findings is one issue."""
    findings = [finding for finding in list_of(group.entry, "findings") if text_of(finding, "text")][:MOST_FINDINGS]
    for finding in findings:
        line, place = integer_of(finding, "line"), find_line(group.run.sources, text_of(finding, "file"), "__global__")
        yield _issue(group, text_of(finding, "kind"), clean(text_of(finding, "text")), place and (place[0], line if line > 0 else place[1]),
                     *(text_of(finding, key) for key in ("file", "kernel", "function", "symbol", "access")))
    if not findings:
        yield _issue(group, group.verdict, group.reason, group.place)


def issues(run):
    """What failed or is doubtful, worst first. Equal fingerprints are numbered, since readers merge them."""
    counts = {}
    for group in filter(is_told, groups_of(run)):
        for issue in _issues_of(group):
            number = counts[issue.fingerprint] = counts.get(issue.fingerprint, 0) + 1
            issue.fingerprint += f":{number}"
            yield issue


def _words(rule):
    return rule.replace("_", " ").replace("-", " ")


def _text(issue):
    """A message that says of which cases it is, and how to see it again."""
    facts = issue.facts
    where = " ".join(filter(None, (facts.get("what"), f"on {facts['target']}" if "target" in facts else "")))
    cases = f" ({facts['cases']} cases)" if facts["cases"] > 1 else ""
    again = f"\nreproduce: {facts['reproduce']}" if "reproduce" in facts else ""
    return f"{issue.message}\n{_words(issue.rule)}: {clean(where) or 'kernelgate'}{cases}{again}"


def _location(place):
    return {"physicalLocation": {"artifactLocation": {"uri": quote(place[0]), "uriBaseId": "%SRCROOT%"},
                                 "region": {"startLine": max(place[1], 1)}}}


def _result(issue):
    return {"ruleId": issue.rule, "level": "error" if issue.fails else "warning", "message": {"text": _text(issue)},
            "locations": [_location(issue.place)], "partialFingerprints": {"kernelgate/v1": issue.fingerprint},
            "properties": issue.facts}


def write_sarif(run):
    found = list(issues(run))
    placed = [issue for issue in found if issue.place][:MOST]
    # SARIF's readers drop results without a place; a notification needs none.
    unplaced = [{"descriptor": {"id": issue.rule}, "level": "error" if issue.fails else "warning", "message": {"text": _text(issue)}}
                for issue in found if not issue.place]
    rules = [{"id": rule, "name": _words(rule).title().replace(" ", ""), "shortDescription": {"text": f"kernelgate: {_words(rule)}"}}
             for rule in dict.fromkeys(issue.rule for issue in found)]
    driver = {"name": "kernelgate", "semanticVersion": VERSION, "rules": rules}
    code = integer_of(run.document, "exit_code")
    return json_text({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{
        "tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The repository's root."}}},
        # Runs of other targets are other analyses, whose results do not replace these.
        "automationDetails": {"id": f"kernelgate/{'+'.join(map(clean, run.object('targets'))) or 'none'}/"},
        "invocations": [{"executionSuccessful": code in (0, 1, 77), "exitCode": code, "toolExecutionNotifications": unplaced}],
        "results": list(map(_result, placed))}]})


def write_code_quality(run):
    """GitLab's Code Quality report: what fails the run."""
    return json_text([
        {"description": _text(issue), "check_name": issue.rule, "fingerprint": issue.fingerprint,
         "severity": "major" if issue.rule in MEASURED else "critical",
         "location": {"path": issue.place[0] if issue.place else NOWHERE, "lines": {"begin": issue.place[1] if issue.place else 1}}}
        for issue in issues(run) if issue.fails])


def write_badge(run):
    """The form of shields.io's endpoint."""
    word, _, rest = clean(run.text("verdict")).partition("  ")
    return json_text({"schemaVersion": 1, "label": "kernelgate", "message": rest.partition(",")[0] if word == "PASS" else word.lower(),
                      "color": COLORS.get(word, "yellow")})
