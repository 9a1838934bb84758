# SPDX-License-Identifier: MIT
"""Tests of the forms that are made of a run's results: JUnit, summary, annotations, and how they become files."""

import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from command_fixture import COMMAND, TREE
from own_folder import OwnFolder
from results_fixture import GPU, HOSTILE, VERDICTS, a_bit_of_everything, case, results

from kernelgate.report import annotations, junit, printers, summary
from kernelgate.base import errors
from kernelgate.base.results import Run
from kernelgate.base.text import escape_markdown

SCHEMA = os.path.join(TREE, "harness", "tests", "report", "junit.xsd")


class JUnit(OwnFolder):
    def tree(self, document):
        """The report, held to the schema of what its readers take."""
        text = junit.write(Run(document))
        if shutil.which("xmllint"):
            self.write("junit.xml", text)
            done = subprocess.run(["xmllint", "--noout", "--schema", SCHEMA, "junit.xml"], stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
        return ElementTree.fromstring(text)

    def outcomes(self, document):
        return {entry.get("name"): next((part.tag for part in entry if part.tag != "system-out"), "passed")
                for entry in self.tree(document).iter("testcase")}

    def test_verdicts_become_outcomes(self):
        entries = [case(f"a/v/{verdict}/-", verdict=verdict) for verdict in VERDICTS]
        for strict, doubtful in ((False, "skipped"), (True, "failure")):
            expected = {"pass": "passed", "faster": "passed", "slower": "failure", "wrong": "failure", "error": "error"}
            self.assertEqual(self.outcomes(results(*entries, strict=strict)),
                             {"kernelgate": "passed"} | {f"a/v/{verdict}/-": expected.get(verdict, doubtful) for verdict in VERDICTS})

    def test_lists_outside_of_cases(self):
        located = {"case": "a/v/1/-", "target": GPU, "test": "t", "why": "gone"}
        document = results(
            vanished=[located], refused=[{**located, "case": "a/v/2/-"}], unlisted=[located], errors=[{"why": "broken"}],
            claims=[{"claim": f"a/{holds}", "holds": holds, "why": "2.0", "target": GPU, "test": "t"} for holds in (True, False)]
            + [{"claim": "a/never", "holds": False, "reported_only": True, "why": "0.9", "target": GPU, "test": "t"}],
            tests=[{"name": f"gpu.a.{code}", "target": GPU, "seconds": 2, "exit_code": code, "skipped": "no GPU"}
                   for code in (77, 2)])
        document["summary"]["unlisted"] = "list them"
        self.assertEqual(self.outcomes(document), {
            "a/v/1/-": "failure", "a/v/2/-": "skipped", "kernelgate": "error", "a/True": "passed",
            "a/False": "failure", "a/never": "skipped", "gpu.a.77": "skipped", "gpu.a.2": "error"})
        for strict, expected in ((False, "skipped"), (True, "failure")):
            self.assertEqual(self.outcomes({**document, "errors": [], "strict": strict})["kernelgate"], expected)

    def test_a_run_that_fails_has_the_cases_of_one_that_passes(self):
        """Each once, whatever is wrong: a case that vanished and is refused, tests with errors and without verdicts, the run."""
        tests = [{"name": f"gpu.a.{part}", "target": GPU, "seconds": 2, "exit_code": 0} for part in ("check", "time", "claim_x")]
        claim = {"claim": "gpu.a.claim_x", "holds": True, "why": "", "target": GPU, "test": "gpu.a.claim_x"}
        names = [f"a/v/{size}/-" for size in range(4)]
        green = results(*map(case, names), tests=tests, claims=[claim])
        located = {"case": names[0], "target": GPU, "test": "t", "why": "gone"}
        red = results(case(names[1], verdict="error"), tests=tests[:1], claims=[{**claim, "holds": False}], vanished=[located],
                      refused=[located], unlisted=[located], unreported=[{"name": "gpu.a.time", "target": GPU, "cases": names[1:]}],
                      errors=[{"why": why, "test": test} for why in "xy" for test in ("gpu.a.check", "gpu.a.time", "gpu.other", "")])
        self.assertEqual(set(self.outcomes(green)) | {"gpu.a.claim_x"}, set(self.outcomes(red)))
        self.assertEqual(self.tree(green).get("tests"), self.tree(red).get("tests"))
        self.assertEqual(set(self.outcomes(red).values()), {"failure", "error"})
        found, = (entry for entry in self.tree(red).iter("testcase") if entry.get("name") == "kernelgate")
        for text in ("gpu.other: x", "gpu.other: y", "y"):
            self.assertIn(text, found.find("error").get("message") + found.find("error").text)

    def test_where_and_when(self):
        self.write("kernels/a/v.cu", "\n\n__global__ void kernel()\n")
        run = Run({**results(case("a/v/1/-"), case("a/v/2/-", verdict="wrong", at={"file": "kernels/a/v.cu", "line": 9}), case("b/v/1/-")),
                   "run": {"host": "here", "started": "2026-01-31T12:00:00Z", "ended": "2026-01-31T12:09:00Z", "dirty": True,
                           "job": {"pull_request": 7}}}, prefix="sub/")
        root = ElementTree.fromstring(junit.write(run))
        self.assertEqual([(entry.get("file"), entry.get("line")) for entry in root.iter("testcase")],
                         [("sub/kernels/a/v.cu", "3"), ("sub/kernels/a/v.cu", "9"), (None, None), (None, None)])
        self.assertEqual({(suite.get("hostname"), suite.get("timestamp")) for suite in root}, {("here", "2026-01-31T12:00:00")})
        properties = {entry.get("name"): entry.get("value") for entry in self.tree(run.document).iter("property")}
        self.assertEqual({name: properties.get(f"run.{name}") for name in ("host", "dirty", "job.pull_request")},
                         {"host": "here", "dirty": "true", "job.pull_request": "7"})

    def test_what_a_case_says(self):
        metric = {"value": 47980, "baseline": 45130, "change": 0.0631, "limit": 0.02, "verdict": "slower"}
        root = self.tree(results(
            case("a/v/1/-", verdict="slower", why="by 6 %", seconds=1.5, changed=["more registers"], metrics={"time_ns": metric}),
            tests=[{"name": "gpu.a.time", "target": GPU, "seconds": 4, "exit_code": 1, "board": "GPU-1"}],
            boards={"GPU-1": {"target": GPU, "provenance": {"bus_id": "0:1"}}}))
        failure = root.find(".//failure")
        self.assertEqual((failure.get("type"), failure.get("message")), ("slower", "slower: by 6 %"))
        self.assertEqual(failure.text, "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower\nchanged: more "
                                       "registers\n"
                                       "reproduce: again 'a/v/1/-'\n")
        self.assertEqual((root.find(".//testcase").get("time"), root.find("testsuite").get("time")), ("1.500", "4.000"))
        properties = {entry.get("name"): entry.get("value") for entry in root.iter("property")}
        self.assertEqual((properties["target.name"], properties["board.gpu.a.time"]), ("NVIDIA H200", "GPU-1 (0:1)"))

    def test_cases_that_failed_alike_name_their_group(self):
        entries = [case(f"a/v/{size}/-", verdict="slower", metrics={"time_ns": {"value": 1, "change": size / 10, "verdict": "slower"}}) for size in (1, 2)]
        for failure in self.tree(results(*entries, case("a/w/1/-", verdict="slower"))).iter("failure"):
            self.assertEqual(failure.text.startswith("alike: a/v: 2 of 2 cases: 2/- +20.0 %, 1/- +10.0 %\n"), "time_ns" in failure.text)

    def test_hostile_texts(self):
        root = self.tree(a_bit_of_everything())
        self.assertEqual(sum(int(suite.get("tests")) for suite in root), len(list(root.iter("testcase"))))
        self.assertEqual({element.tag for element in root.iter()} - {
            "testsuites", "testsuite", "testcase", "properties", "property", "failure", "error", "skipped", "system-out"}, set())


class Summary(unittest.TestCase):
    def test_failures_first_worst_first_of_a_group_once(self):
        time = {"value": 12000, "baseline": 10000, "change": 0.2, "limit": 0.02}
        entries = [case("a/v/1/-", verdict="slower", metrics={"time_ns": {**time, "verdict": "slower"}}, changed=["registers 32 -> 40"]),
                   case("a/v/2/b8", verdict="wrong", why="a | b"), case("a/v/3/b8", verdict="wrong"), case("a/v/4/-", verdict="noisy"),
                   case("a/w/4/-", verdict="faster", metrics={"time_ns": {**time, "change": -0.5, "verdict": "faster"}}), case("a/v/5/-")]
        groups = [{"target": GPU, "verdict": "wrong", "cases": ["a/v/2/b8", "a/v/3/b8"]}]
        text = summary.write(Run(results(*entries, failure_groups=groups, errors=[{"why": "broken"}])))
        rows = re.findall(r"^\| \*\*(.*)", text, re.MULTILINE)
        self.assertEqual(rows, [
            "error** | `kernelgate` |  | broken |", f"wrong** | `a/v` 2 of 5 cases: 2/b8, 3/b8 | `{GPU}` | a \\| b |",
            f"slower** | `a/v/1/-` | `{GPU}` | 1/- takes 12 µs, was 10 µs (+20.0 %, limit 2.0 %) |", f"noisy** | `a/v/4/-` | `{GPU}` | its reason |"])
        self.assertIn("\nTo run them again:\n\n```sh\nagain 'a/v/2/b8'\nagain 'a/v/1/-'\n```\n", text)
        self.assertIn(f"\n| `a/v/1/-` | `{GPU}` | `time_ns` | 10 000 ns | 12 000 ns | +20.0 % | 2.0 % |\n"
                      f"| `a/w/4/-` | `{GPU}` | `time_ns` | 10 000 ns | 12 000 ns | -50.0 % | 2.0 % |\n\n- `a/v/1/-`\n  - registers 32 -&gt; 40\n", text)
        self.assertIn(f"\n| target | machine | wrong | slower | noisy | faster | pass |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n| `{GPU}` | driver 580.1 | 2 | 1 | "
                      f"1 | 1 | 1 |\n", text)
        self.assertEqual(re.findall("^## (.*)", text, re.MULTILINE), ["Failed", "What changed", "To look at"])

    def test_a_green_one_is_short(self):
        entries = [case(f"a/v/{number}/-", metrics={"time_ns": {"value": 5, "baseline": 4, "change": 0.25}}) for number in range(500)]
        document = results(*entries, refused=[{"case": f"a/w/{number}/-", "target": GPU, "why": "no"} for number in range(500)], exit_code=0,
                           run={"started": "2026-11-27T05:44:01Z", "host": "runner-7", "job": {"url": "https://ci/5"}})
        document["summary"] = {"outcome": "PASS (exit 0)", "headline": "500 cases", "changes": "3 of 500 cases changed",
                               "baselines": " since main: unchanged", "loosened": ["a/v/1/- on t: retired"]}
        self.assertEqual(summary.write(Run(document)), f"""\
# kernelgate: PASS (exit 0)

500 cases.

2026-11-27 05:44 UTC, runner-7, [job](https://ci/5)

| target | machine | pass |
| --- | --- | ---: |
| `{GPU}` | driver 580.1 | 500 |

## What changed

3 of 500 cases changed.
Baselines since main: unchanged.
- a/v/1/- on t: retired
""")

    def test_hostile_texts_stay_in_their_cells(self):
        text = summary.write(Run(a_bit_of_everything("a | b\n<c> `d` ##[x")))
        for line in re.sub("```sh.*?```", "", text, flags=re.DOTALL).split("\n"):
            if line.startswith("| **"):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 5, line)
            self.assertNotIn("<c>", re.sub("`[^`]*`", "", line))
            self.assertNotIn("##[", line)

    def test_is_never_too_long(self):
        """Whatever has many entries or long texts, each line is whole or counted."""
        for text, count in (("x", 3000), ("é" * 500, 300), ("\U0001f680|<&" * 5000, 30), ("a" * 10**5, 30)):
            metrics = {"time_ns": {"value": 2, "baseline": 1, "change": 1, "verdict": "slower"}}
            many = [case(f"{text[:200]}/v{number}/1/-", f"t{number}{text}", verdict="slower", why=text, reproduce=text + str(number), changed=[text] * 3,
                         metrics=metrics) for number in range(count)]
            alike = [case(f"a/v/{text[:200]}{number}/-", verdict="wrong", why=text, group="g", reproduce=text) for number in range(count)]
            for document in (a_bit_of_everything(text), results(*many), results(*alike), results(errors=[{"why": f"{number}{text}"} for number in range(count)]),
                             results(vanished=[{"case": f"a{number}/v/1/-", "target": text} for number in range(count)])):
                document["summary"] = {key: text for key in ("outcome", "headline", "baselines", "changes", "unrecorded")} | {"loosened": [text] * 300}
                written = summary.write(Run(document))
                self.assertLessEqual(len(written.encode()), summary.MOST_BYTES)
                rows = [line for line in written.split("\n") if line.startswith("| **")]
                self.assertTrue(rows and all(line.endswith(" |") for line in rows))
            self.assertIn("more lines: the page and results.json have them.", written)


class Annotations(OwnFolder):
    def setUp(self):
        super().setUp()
        self.write("kernels/a/v.cu", "\n// __global__\n__global__ void v()\n")
        self.write("suites/a.c", "\n\n\nKG_CLAIM(a, v_wins)\n")
        self.write("baselines/t.json", '{\n"cases": {\n"a/old/1/-": {}\n}}\n')

    def expect(self, document, *lines, prefix=""):
        self.assertEqual(annotations.write(Run(document, prefix=prefix)).split("\n"), [*lines, ""])

    def test_places(self):
        found = case("a/v/1/-", "t", "wrong", why="50 %, see\nb", reproduce="")
        self.expect(results({**found, "findings": [{"kind": "x", "file": "kernels/a/v.cu", "line": 27}]}),
                    "::error file=sub%2Ctree/kernels/a/v.cu,line=27,title=wrong%3A a/v/1/- on t::50 %25, see b",
                    prefix="sub,tree/")
        self.expect(results({**found, "at": {"file": "kernels/a/v.cu", "line": 9}}),
                    "::error file=kernels/a/v.cu,line=9,title=wrong%3A a/v/1/- on t::50 %25, see b")
        for at in ({"file": "../v.cu", "line": 1}, {"file": "/etc/passwd"}, {"file": "gone.cu"}, {"file": "a\0b"}):
            self.expect(results({**found, "at": at}), "::error file=kernels/a/v.cu,line=3,title=wrong%3A a/v/1/- on t::50 %25, "
                                                      "see b")
        self.expect(results(case("a/v_managed/1/-", "t", "slower", reproduce=""), case("b/v/1/-", "t", "slower", reproduce="")),
                    "::error file=kernels/a/v.cu,line=3,title=slower%3A a/v_managed/1/- on t::its reason",
                    "::error title=slower%3A b/v/1/- on t::its reason")
        self.expect(results(claims=[{"claim": "gpu.a.claim_v_wins", "holds": False, "why": "0.9", "target": "t"}],
                            vanished=[{"case": f"a/old/{size}/-", "target": "t", "why": "gone"} for size in (1, 2)]),
                    "::error file=suites/a.c,line=4,title=claim%3A gpu.a.claim_v_wins on t::0.9",
                    "::error file=baselines/t.json,line=3,title=vanished%3A a/old on t::gone%0A2 cases: 1/-, 2/-")

    def test_a_variant_once_the_worst_first(self):
        def moved(size, change):
            return case(f"b/v/{size}/-", verdict="slower", metrics={"time_ns": {"change": change, "value": 1, "verdict": "slower"}})
        groups = [{"target": GPU, "verdict": "wrong", "cases": ["b/w/1/-", "b/w/2/-"]}]
        wrong = [case(f"b/w/{size}/-", verdict="wrong") for size in (1, 2, 3)]
        text = annotations.write(Run(results(moved(1, 0.1), moved(2, 0.2), case("b/n/1/-", verdict="noisy"), *wrong,
                                             failure_groups=groups, errors=[{"test": "gpu.a.time", "why": "killed"}])))
        self.assertEqual(re.findall("::(error|warning) title=([a-z]+)%3A ([^: ]+).*?(?:cases: (.*?))?(?:%0Areproduce.*)?\n", text), [
            ("error", "error", "gpu.a.time", ""), ("error", "wrong", "b/w", "1/-, 2/-"), ("error", "wrong", "b/w/3/-", ""),
            ("error", "slower", "b/v", "2/- +20.0 %25, 1/- +10.0 %25"), ("warning", "noisy", "b/n/1/-", "")])

    def test_few_and_escaped(self):
        many = [case(f"b/v{number}/1/-", verdict="slower", why=HOSTILE) for number in range(30)]
        lines = annotations.write(Run(results(*many))).splitlines()
        self.assertEqual((len(lines), lines[-1][:42]), (10, "::error title=21 more::kernelgate found 21"))
        self.assertTrue(all(line.startswith("::error ") for line in lines))
        alike = [case(f"b/v/{number}/-", verdict="slower") for number in range(30)]
        self.assertTrue(annotations.write(Run(results(*alike))).split("%0A")[1] == "30 of 30 cases, first 0/-")
        for entry in alike:
            entry["metrics"] = {"time_ns": {"change": 0.5, "verdict": "slower"}}
        self.assertIn(", 19/- +50.0 %25 and 10 more%0A", annotations.write(Run(results(*alike))))
        self.expect(results(case("a/v/1/-"), case("a/v/2/-", verdict="faster")))

    def test_prefix(self):
        os.makedirs("root/sub/tree")
        for folder, repository, prefix in (("root/sub/tree", "root", "sub/tree/"), ("root", "root", ""), ("root", "root/sub", ""),
                                           ("root", None, ""), ("root/sub", "gone", "")):
            self.assertEqual(annotations.prefix_of(folder, repository), prefix)


class Files(OwnFolder):
    def test_save(self):
        self.write("old", "old")
        os.chmod("old", 0o640)
        os.symlink("old", "link")
        os.symlink("gone", "dangling")
        printers.save("link", "new")
        printers.save("a/b/c", "made")
        self.assertEqual((os.path.islink("link"), self.read("old"), os.stat("old").st_mode & 0o777, self.read("a/b/c")),
                         (True, "new", 0o640, "made"))
        for path in ("dangling", "a", "/dev/null", "old/x"):
            with self.assertRaises(errors.Failure):
                printers.save(path, "x")
        self.assertEqual(sorted(os.listdir(".")), ["a", "dangling", "link", "old"])

    def test_a_whole_run(self):
        """What the command adds to results.json is what the forms show."""
        verdicts = {"schema": "kernelgate-verdicts/1", "test": "gpu.a.time", "complete": True, "exit_code": 1,
                    "target": {"key": GPU, "name": HOSTILE}, "provenance": {}, "errors": [HOSTILE], "vanished": ["a/old/1/-"],
                    "refused": [], "claims": [{"claim": "gpu.a.claim", "holds": False, "why": HOSTILE}], "notes": [HOSTILE],
                    "cases": [{"case": f"a/v/{size}/b8", "target": GPU, "part": "time", "verdict": "wrong",
                               "why": f"{size} {HOSTILE}", "reason": f"{size} {HOSTILE}", "group": "g",
                               "metrics": {}} for size in (1, 2)]}
        self.write("out/records/gpu.a.time.verdicts.json", json.dumps(verdicts))
        environment = {**os.environ, "GITHUB_ACTIONS": "true"}
        done = subprocess.run([COMMAND, "results", "-q"], env=environment, capture_output=True, encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stderr), (2, ""))
        document = json.loads(self.read("out/results.json"))
        self.assertEqual([(group["verdict"], group["cases"]) for group in document["failure_groups"]], [
            ("error", ["gpu.a.time"]), ("wrong", ["a/v/1/b8", "a/v/2/b8"]), ("claim", ["gpu.a.claim"]), ("vanished", ["a/old/1/-"])])
        reproduced = [entry["reproduce"] for name in ("cases", "claims", "errors") for entry in document[name]]
        self.assertEqual([line[:13] for line in reproduced], ["cmake --build"] * 4)
        text = self.read("out/summary.md")
        for part in (document["summary"]["outcome"], document["summary"]["headline"], document["cases"][0]["reason"],
                     document["vanished"][0]["why"]):
            self.assertIn(escape_markdown(part), text)
        self.assertEqual(self.read("out/junit.xml"), junit.write(Run(document)))
        self.assertIn('id="data"', self.read("out/report/index.html"))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "ERROR  2 wrong of 2 cases on nvidia-h200, 1 failed claim, 1 vanished case, 1 error outside "
                                   "of cases")
        self.assertEqual("\n".join(lines[1:]) + "\n", annotations.write(Run(document)))
