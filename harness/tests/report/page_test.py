# SPDX-License-Identifier: MIT
"""Tests of the page of a run as a browser builds it; tools/dev/test-page looks at it by mouse and keyboard.
Skipped (exit code 77) without a Chromium."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from results_fixture import GPU, MODEL, VERDICTS, a_bit_of_everything, case, counted, results, timed

from kernelgate.report import page as report_page
from kernelgate.base.results import Run

BROWSER = next(filter(None, map(shutil.which, (os.environ.get("KG_CHROMIUM") or "chromium", "chromium-browser",
                                               "google-chrome"))), None)


def built(document, **more):
    """What the page's script adds to the page."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        page.write_text(report_page.write(Run(document, **more)), encoding="utf-8")
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                               "--dump-dom",
                               page.as_uri()], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True)
    return re.search("<main>.*</main>", done.stdout.decode("utf-8"), re.DOTALL)[0]


def rows_of(page, label):
    """The texts of the cells of a table."""
    body = re.search(f'aria-label="{re.escape(label)}".*?<tbody[^>]*>(.*?)</tbody>', page, re.DOTALL)[1]
    return [[re.sub("<[^>]*>", "", cell).replace("&nbsp;", " ") for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall("<tr[^>]*>(.*?)</tr>", body)]


class Page(unittest.TestCase):
    def test_hostile_texts_stay_texts(self):
        page = built(a_bit_of_everything())
        self.assertNotRegex(page, "<(img|script|style)|<b |[\u202e\u200b\x1b\u2028]")
        self.assertGreater(page.count("&lt;img src=x onerror="), 40)
        headings = re.findall("<h2>(.*?)</h2>|<summary>(.*?)</summary>", page)
        self.assertEqual([first or second for first, second in headings if not re.search("[(]|limit|Occupancy", first or second)],
                         [
            "What changed", "Not failures: 1 environment, 1 noisy, 1 no-baseline, 1 unlisted, 1 skipped", "Failed", "Refused and skipped", "Claims", "Speedups and notes", "a", "Notes on a", "b",
            "Notes on b", "Counters by line of source", "Notes on b", "Notes on the tables", "All 13 cases", "Each time, and what moved", "Where it was measured", "Tests that ran"])

    def test_findings_have_their_lines_of_source(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "k.cu")
            source.write_text("".join(f"line {number} <b>\n" for number in range(1, 21)), encoding="utf-8")
            findings = [{"kind": "misaligned", "file": "k.cu", "line": 9, "text": "first, kernel k",
                         "called_at": [{"file": "k.cu", "line": 18}], "other": {"file": "k.cu", "line": 1}},
                        {"kind": "misaligned", "file": "k.cu", "line": 400, "text": "second"},
                        {"kind": "misaligned", "file": "../k.cu", "line": 3, "text": "third"}]
            page = built(results(case("m/a/1/-", MODEL, "wrong", findings=findings, more_findings=7, also="more"),
                                 case("m/b/1/-", MODEL, "wrong", at={"file": "k.cu", "line": 20})), sources=folder)
        shown = re.findall('<pre class="source">(.*?)</pre>', page)
        self.assertEqual([re.findall("(\\d+)  line (\\d+) &lt;b&gt;", text) for text in shown],
                         [[(str(number),) * 2 for number in numbers] for numbers in ((6, 7, 8, 9, 10, 11, 12, 18, 1), (17, 18, 19, 20))])
        self.assertEqual([re.findall("<b> *(\\d+) ", text) for text in shown], [["9", "18", "1"], ["20"]])
        self.assertEqual(re.findall('<p class="finding">(.*?)</p>', page), ["k.cu:9: first, kernel k", "second", "third"])
        for text in ("10 findings", "The 7 least serious findings", "Also: more"):
            self.assertIn(text, page)

    def test_what_failed(self):
        slow = {"value": 47980, "baseline": 45130, "change": 0.0631, "limit": 0.02, "smallest": 0.02, "gated": False, "verdict": "slower"}
        entries = [case(f"m/a/{verdict}/b8", verdict=verdict,
                        metrics={"time_ns": {**slow, "verdict": verdict}} if verdict != "error" else {})
                   for verdict in VERDICTS] + [case(f"m/b/{number}/-", verdict="wrong") for number in range(30)]
        (of_slower,) = (entry["metrics"] for entry in entries if entry["verdict"] == "slower")
        of_slower.update({"shuffles": {"value": 4, "baseline": 2, "change": 1, "verdict": "slower"}, "barriers": {"value": 1, "verdict": "pass"}})
        groups = [{"target": GPU, "verdict": "wrong", "cases": ["m/b/0/-", "m/b/1/-"]}]
        page = built(results(*entries, failure_groups=groups))
        cards = re.findall('<article class="failure stack"[^>]*>\\s*<h3><span[^>]*>(.*?)</span> <code>(.*?)</code>', page)
        self.assertEqual((len(cards), cards[:3]), (20, [("error", "m/a/error/b8"), ("wrong", "m/a/wrong/b8"), ("wrong", "m/b")]))
        self.assertIn("<p>2 of 30 cases: 0/-, 1/-</p>", page)
        self.assertIn("<code>again 'm/a/error/b8'</code>", page)
        changed, excused = rows_of(page, "What changed"), rows_of(page, "Not failures")
        self.assertEqual((len(changed), changed[-1][0], [row[0] for row in excused]), (33, "faster", ["environment", "noisy", "no-baseline"]))
        (slower,) = (row for row in changed if row[0] == "slower")
        self.assertEqual(slower, ["slower", "m/a/slower/b8", GPU, "shufflestime_ns +6.3 % ▲ worse", "2", "4", "+100 % ▲ worse", ""])
        self.assertEqual(excused[0][1], "m/a/environment/b8its reason")
        self.assertIn("<details><summary>Not failures: 1 environment, 1 noisy, 1 no-baseline</summary>", page)
        alike = rows_of(page, "All cases")
        self.assertEqual((alike[0], alike[1]), (["m/a", GPU, "error", "1", "error/b8"], ["m/a", GPU, "wrong", "1", "wrong/b8"]))
        self.assertIn(["m/a/slower/b8", GPU, "slower", "time_ns", "45 130 ns", "47 980 ns", "+6.3 % ▲ worse", "2.0 %", "2.0 %", "no"],
                      rows_of(page, "Each time, and what moved"))

    def test_why_it_failed(self):
        """The first screen has the cause next to the figure, of pairs the base's; the card counts by line, and the samples."""
        slow = {"value": 130, "baseline": 90, "change": 0.4, "limit": 0.02, "verdict": "slower", "samples_ns": [[130, 131]]}
        with tempfile.TemporaryDirectory() as folder:
            for path, text in (("k.cu", "one\n  two;\n"), (f"baselines/sessions/{GPU}.json", json.dumps(
                    {"schema": "kernelgate-sessions/1", "target": GPU, "sessions": {"m/a/1/-": {"time_ns": {"GPU-1": [90, 91]}}}}))):
                os.makedirs(pathlib.Path(folder, path).parent, exist_ok=True)
                pathlib.Path(folder, path).write_text(text, encoding="utf-8")
            page = built(results(
                case("m/a/1/-", verdict="slower", metrics={"time_ns": slow}, explanation="40 registers, were 32",
                     sass={"came": ["LDG", "STG"], "went": []}),
                case("m/b/1/-", verdict="slower", metrics={"time_ns": slow}, base={"ref": "main"}, pairs={"time_ns": {
                    "count": 12, "change": 0.25, "low": 0.24, "high": 0.26, "base_ns": [99, 100, 101], "head_ns": [124, 125, 126]}}),
                {**counted("m/c/1/-", barriers=9), "verdict": "slower", "at": {"file": "k.cu", "line": 2}, "reason": "r",
                 "lines": {"k.cu:2": {"barriers": 9, "shuffles": 1}, "k.cu:1": {"fences": 2}},
                 "lines_before": {"k.cu:2": {"barriers": 3, "shuffles": 1}, "k.cu:7": {"fences": 5}}},
                case("m/e/1/-", MODEL, "wrong", why="it failed", at={"file": "k.cu", "line": 2}),
                case("m/d/1/-", MODEL, "wrong", findings=[{"file": "k.cu", "line": 1, "text": "race"}, {"text": "more"}])), sources=folder)
        first = {row[1].split("/1/-")[0]: (row[1].split("/1/-")[1], *row[3:]) for row in rows_of(page, "What changed")}
        self.assertEqual(first["m/a"][0], "40 registers, were 32")
        self.assertEqual(first["m/b"], ("against main, 12 pairs of processes", "time_ns", "100 ns", "125 ns",
                                        "+25.0 % ▲ worse+24.0 % to +26.0 %", "2.0 %"))
        self.assertEqual(first["m/c"], ("", "k.cu:2: two;"))
        self.assertEqual(first["m/e"], ("", "it failed"))
        self.assertEqual(first["m/d"], ("", "k.cu:1: race; and 1 more finding"))
        self.assertEqual(rows_of(page, "Lines of m/c/1/-"),
                         [["k.cu:2two;", "barriers", "3", "9", "+200 % ▲ worse"], ["k.cu:7", "fences", "5", "0", "-100 % ▼ better"],
                          ["k.cu:1one", "fences", "0", "2", "new ▲ worse"]])
        strips = [re.findall('<th scope="row">(.*?)</th>', text) for text in re.findall('<table class="strip">(.*?)</table>', page, re.DOTALL)]
        self.assertEqual(strips, [["baseline", "limit", "now, process 1"], ["main", "now"]])
        self.assertEqual([text.count("h0") for text in re.findall('class="dots" d="(.*?)"', page)], [2, 0, 2, 3, 3])
        self.assertIn("+ LDG\n+ STG\n", page)

    def test_tables_and_machines(self):
        page = built(results(
            timed("m/a/64/b8", 3510.5), timed("m/b/64/b8", 7021), {**counted("m/a/64/b8", barriers=4, shuffles=3),
                                                                    "lines": {"a.cu:3": {"barriers": 4}}},
            boards={f"GPU-{number}": {"target": GPU, "provenance": {"power_w": 700 + number}} for number in (1, 2)},
            tests=[{"name": "gpu.m.time", "target": GPU, "seconds": 3.456, "complete": True, "exit_code": 0, "board": "GPU-1"}]))
        self.assertEqual(rows_of(page, "Time, hot in the caches (µs); in brackets the speed relative to a"),
                         [["64", "b8", "3.510", "7.021 (0.50×)"]])
        self.assertEqual(rows_of(page, "Counters by line of source"), [["a.cu:3", "a/64/b8", "", "4"]])
        metrics = rows_of(page, "Each time, and what moved")
        self.assertIn(["m/a/64/b8", GPU, "pass", "time_ns", "", "3 510 ns", "", "", "", "yes"], metrics)
        self.assertNotIn("shuffles", [row[3] for row in metrics])
        machines = rows_of(page, "Targets and boards")
        for row in ([GPU, "name", "NVIDIA H200"], [MODEL, "compiler", "gcc 12.2.0"], ["GPU-2", "power_w", "702"]):
            self.assertIn(row, machines)
        self.assertEqual(rows_of(page, "Tests"), [["gpu.m.time", GPU, "3.46", "0", "GPU-1", "finished"]])

    def test_what_a_ratio_is_of(self):
        page = built(results(counted("m/a/1/-", shuffles=3), counted("m/b/1/-", shuffles=6)))
        self.assertEqual(rows_of(page, "Shuffles; in brackets the count relative to a"), [["1", "3", "6 (2.00×)"]])

    def test_nothing_judged(self):
        page = built(results(exit_code=77, strict=True, summary={"outcome": "NOTHING JUDGED (exit 77)",
                                                                 "headline": "no case was judged"}))
        self.assertIn('<span class="doubtful">NOTHING JUDGED (exit 77)</span>', page)
        self.assertNotIn("Failed", page)


if BROWSER is None:
    print("SKIPPED: there is no Chromium here, so nobody looked at the page of a run; install the package chromium")
    sys.exit(77)
