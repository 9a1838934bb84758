# SPDX-License-Identifier: MIT
"""Tests of what is printed of a run's results, and of where in the sources it points."""

import os
import pty
import subprocess
from unittest import mock

from command_fixture import COMMAND
from own_folder import OwnFolder, read_json
from results_fixture import GPU, HOSTILE, MODEL, a_bit_of_everything, case, results

from kernelgate.base import color, places
from kernelgate.report import console
from kernelgate.base.results import Run

TARGETS = {
    "targets": {MODEL: {}, GPU: {}},
    "provenance": {GPU: {"uuid": "GPU-956c5159-ae7e", "driver": "580", "cuda": "13.0"}, MODEL: {"compiler": "gcc 12.2.0"}},
}


def written(document, detail="brief", colored=False, sources="tree"):
    return console.write(Run(document, sources), detail, colored)


def moved(name, value, verdict="slower", metric="time_ns", **more):
    """A case of the GPU whose time was 10 µs."""
    figures = {"value": value, "baseline": 10000, "change": value / 10000 - 1, "limit": 0.02, "verdict": verdict}
    return case(name, verdict=verdict, metrics={metric: figures}, **more)


class InTree(OwnFolder):
    def setUp(self):
        super().setUp()
        for path, text in (("kernels/a/v.cu", "// a __global__ kernel\n\n__global__ void v(void)\n"),
                           ("kernels/a/bare.cu", "nothing to launch\n"), ("kernels/a/x.cu", "__global__ void x()\n"),
                           ("kernels/a/launchers.cu", "\nKG_LAUNCHER(a_far)\n"),
                           ("suites/a.c", "\nKG_CLAIM(a, x_wins)\n"), ("top.cu", "")):
            self.write(f"tree/{path}", text)


GREEN = results(
    case("a/v/1/b8", MODEL), case("a/v/2/b8", MODEL, parts=["check", "count"]), case("ab/v/2/b8", MODEL, parts=["count"]),
    case("a/v/1/b8", parts=["time"], metrics={"time_ns": {"value": 60600, "change": 0.01}, "cold_time_ns": {"value": 73000}}),
    refused=[{"case": "a/w/1/b8", "target": MODEL, "why": "no"}],
    notes=[{"note": "a note", "target": MODEL}, {"note": "a note"}],
    claims=[{"claim": "model.a.claim_x_wins", "holds": True, "why": "2.0 times"},
            {"claim": "gpu.a.claim_y_wins", "holds": False, "reported_only": True, "why": "0.9 times"}],
    tests=[{"name": "gpu.a.check", "skipped": "x", "skipped_by": "filter"}], **TARGETS, exit_code=0)
GREEN["summary"] = {"outcome": "PASS (exit 0)", "headline": "4 cases", "verdict": "PASS  4 cases", "baselines": ": 1 not gated"}

COUNTED = {
    "global_load_requests": {"value": 9550600, "baseline": 9550600, "change": 0},
    "global_load_sectors_per_request": {"value": 2.349}, "global_store_requests": {"value": 0, "baseline": 0},
    "shared_load_wavefronts_per_request": {"value": 1.5, "baseline": 1.0},
    "shared_store_wavefronts_per_request": {"value": 1, "baseline": 1.001},
    "barriers": {"value": 78608, "baseline": 78000, "change": 0.0078},
}

RED = results(
    case("a/v/1/b8", MODEL, "wrong", why="kernels/a/v.cu:9: reads x; 3 times", at={"file": "kernels/a/v.cu", "line": 9}),
    case("a/v/2/b8", MODEL, "wrong", why="kernels/a/v.cu:9: reads x; 4 times", at={"file": "kernels/a/v.cu", "line": 9}),
    case("a/v/3/b8", MODEL, "wrong", why="[3] is 1, expected 2"),
    case("a/x/1/b8", MODEL, "wrong", why="two findings", also="kernels/a/x.cu: c[0]: expected 1, got 2", more_findings=2,
         findings=[{"kind": "out_of_bounds", "file": "kernels/a/x.cu", "line": 9, "text": "invalid read"},
                   {"kind": "misaligned", "file": "kernels/a/x.cu", "line": 11, "text": "misaligned write"},
                   *[{"kind": kind, "file": "kernels/a/x.cu", "line": 12, "text": kind} for kind in (
                       "race_in_warp", "race_in_block", "missing_fence", "conversion")]]),
    case("a/y/1/b8", MODEL, "error", why="crashed"),
    moved("a/v/1/b8", 10500), moved("a/v/2/b8", 11000, changed=["code changed: registers 32 -> 40"],
                                  explanation="blocks 8 -> 16", sass={"came": ["2x LDS R, [R+…]"], "went": ["LDS.128 R, [R]"]}),
    case("a/v/3/b8", verdict="noisy", why="too noisy"), case("b/w/3/b8", verdict="faster", why="by 9 %"), case("a/v/5/b8"),
    moved("b/c/1/b8", 10500, metric="cold_time_ns"), moved("b/p/1/b8", 10500, pairs={}, why="by pairs", explanation="registers 32 -> 40"),
    errors=[{"test": "gpu.b.time", "why": "left no verdict", "reproduce": "again"}, {"why": "broken"}],
    claims=[{"claim": f"gpu.{name}.claim_x_wins", "target": GPU, "holds": False, "why": "0.97 times", "reproduce": "again"}
            for name in "ab"],
    vanished=[{"case": "a/old/1/-", "target": GPU, "why": "the baseline has it"}], unlisted=[{"case": "a/v/1/b8"}],
    tests=[{"name": f"gpu.c.{code}", "skipped": "no baseline", "exit_code": code} for code in (77, 2)],
    failure_groups=[{"target": MODEL, "verdict": "wrong", "cases": ["a/v/1/b8", "a/v/2/b8"]}], **TARGETS)
RED["summary"] = {"outcome": "FAIL (exit 1)", "headline": "many", "verdict": "FAIL  many", "unlisted": "list them"}
RED_LINES = """
gpu.b.time: error: left no verdict
    reproduce: again

kernelgate: error: broken

a/y/1/b8: error: crashed
    a/y/1/b8 on cpu-model
    reproduce: again 'a/y/1/b8'

kernels/a/v.cu:9: error: wrong: reads x; 3 times
    a/v on cpu-model: 2 of 3 cases: 1/b8, 2/b8
    reproduce: again 'a/v/1/b8'

kernels/a/v.cu: error: wrong: [3] is 1, expected 2
    a/v/3/b8 on cpu-model
    reproduce: again 'a/v/3/b8'

kernels/a/x.cu:9: error: invalid read
kernels/a/x.cu:11: error: misaligned write
kernels/a/x.cu:12: error: race_in_warp
    and 5 more findings (2 races)
    also: c[0]: expected 1, got 2
    a/x/1/b8 on cpu-model
    reproduce: again 'a/x/1/b8'

kernels/a/v.cu: error: slower: 2/b8 takes 11 µs, was 10 µs (+10.0 %, limit 2.0 %); blocks 8 -> 16
    a/v on nvidia-h200: 2 of 4 cases: 2/b8 +10.0 %, 1/b8 +5.0 %
    cause: code changed: registers 32 -> 40
    reproduce: again 'a/v/2/b8'

b/c/1/b8: error: slower: 1/b8 takes 10.50 µs cold, was 10 µs (+5.0 %, limit 2.0 %)
    b/c/1/b8 on nvidia-h200
    reproduce: again 'b/c/1/b8'

b/p/1/b8: error: slower: by pairs; registers 32 -> 40
    b/p/1/b8 on nvidia-h200
    reproduce: again 'b/p/1/b8'

suites/a.c:2: error: claim: 0.97 times
    gpu.a.claim_x_wins
    reproduce: again

gpu.b.claim_x_wins: error: claim: 0.97 times
    reproduce: again

a/old/1/-: error: vanished: the baseline has it

gpu.c.2: error: nothing to judge: no baseline

kernels/a/v.cu: warning: noisy: too noisy
    a/v/3/b8 on nvidia-h200

baseline: warning: unlisted: list them

gpu.c.77: warning: nothing to judge: no baseline

b/w/3/b8: note: faster: by 9 %
    b/w/3/b8 on nvidia-h200

FAIL  many
"""


class Words(InTree):
    maxDiff = None

    def test_a_green_run_is_one_line_per_comparison(self):
        self.assertEqual(written(GREEN), """\
nvidia-h200  GPU-956c5159, driver 580, CUDA 13.0
  a                 1 timed
cpu-model  gcc 12.2.0
  a                 2 checked       1 counted       1 refused
  ab                                1 counted
reported     claim        gpu.a.claim_y_wins                0.9 times
claims: 1 holds
note         cpu-model    a note
not selected by --filter: 1 test
baselines: 1 not gated
PASS  4 cases
""")

    def test_quiet_is_the_verdict_and_verbose_one_line_per_case(self):
        self.assertEqual(written(GREEN, "quiet"), "PASS  4 cases\n")
        text = written(GREEN, "verbose")
        for line in ("pass         cpu-model    a/v/2/b8                          checked",
                     "pass         nvidia-h200  a/v/1/b8                          hot 60 600 ns (+1.0 %)  cold 73 000 ns",
                     "refused      cpu-model    a/w/1/b8                          no",
                     "note         cpu-model    a note", "  ab                                1 counted",
                     "holds        claim        model.a.claim_x_wins              2.0 times"):
            self.assertIn(f"\n{line}\n", text)

    def test_lines_of_counted_cases(self):
        entry = case("a/v/1/b8", MODEL, "slower", COUNTED, why="risen", sampled={"blocks": 120, "of": 16384})
        self.assertIn("slower       cpu-model    a/v/1/b8                          loads 9 550 600, 2.35 sectors each  shared loads "
                      "1.50 wavefronts each (was 1.00)  shared stores 1.00  barriers 78 608 (+0.8 %)  sampled, 120 of 16 384 "
                      "blocks  risen\n", written(results(entry), "verbose"))

    def test_failures_read_as_a_compiler_prints_them(self):
        text = written(RED)
        self.assertIn("\n  a                 1 checked  1 noisy", written(results(case("a/v/1/b8", verdict="noisy"))))
        self.assertIn("\n  b                 3 checked  2 slower, 1 faster\n", text)
        self.assertEqual(text[text.index("\n\n") + 1:], RED_LINES)
        self.assertIn("\n    + 2x LDS R, [R+…]\n    - LDS.128 R, [R]\n    reproduce: again 'a/v/2/b8'\n", written(RED, "verbose"))
        self.assertIn("baseline: error: unlisted: list them\n", written({**RED, "strict": True}))

    def test_alike_at_every_size_names_the_first(self):
        groups = [{"target": GPU, "verdict": "wrong", "cases": ["a/w/1/b8", "a/w/2/b8"]}]
        entries = [case(f"a/w/{size}/b8", verdict="wrong", why="x") for size in (1, 2)]
        self.assertIn("\na/w/1/b8: error: wrong: x\n    a/w: 2 of 2 cases, first 1/b8\n",
                      written(results(*entries, failure_groups=groups, targets={GPU: {}})))
        entries = [moved(f"a/w/{size}/b8", 10000 + 100 * size) for size in range(1, 13)]
        self.assertIn("12 of 12 cases: 12/b8 +12.0 %, 11/b8 +11.0 %, 10/b8 +10.0 %, 9/b8 +9.0 %, 8/b8 +8.0 %, 7/b8 +7.0 %, 6/b8 "
                      "+6.0 %, 5/b8 +5.0 % and 4 more\n", written(results(*entries)))

    def test_counts_what_it_leaves_out(self):
        self.assertIn("\nkernelgate: error: broken 19\n\n... and 80 more in report/index.html\n",
                      written(results(errors=[{"why": f"broken {number}"} for number in range(100)])))
        self.assertIn("\ngpu.0: error: broken\n    also gpu.1, gpu.2, gpu.3, gpu.4, gpu.5, gpu.6, gpu.7, gpu.8 and 91 more\n",
                      written(results(errors=[{"why": "broken", "test": f"gpu.{number}"} for number in range(100)])))
        notes = results(notes=[{"note": f"note {number // 2}"} for number in range(20)])
        self.assertIn("note 5\n... and 4 more notes in report/index.html\n", written(notes))
        self.assertIn("note 9\nFAIL", written(notes, "verbose"))

    def test_a_long_failure_goes_on_below(self):
        text = "word " * 100
        entry = case("a/v/1/b8", verdict="wrong", why=text, also=text, changed=[text], reproduce=text, at={"file": "kernels/a/v.cu", "line": 9})
        found = case("a/w/1/b8", verdict="wrong", findings=[{"file": "a.cu", "line": 3, "text": "x" * 400}])
        lines = written(results(entry, found, targets={GPU: {}})).split("\n\n", 1)[1].splitlines()
        self.assertEqual([line for line in lines if len(line) > 160], [f"    reproduce: {text}"])
        failure = lines[:lines.index("")]
        self.assertRegex(failure[0], "^kernels/a/v.cu:9: error: wrong: (word )+word$")
        self.assertTrue(all(line.startswith("    ") for line in failure[1:]))
        self.assertEqual(" ".join(map(str.strip, failure)).count("word"), 400)

    def test_boards_are_counted(self):
        boards = {uuid: {"target": GPU} for uuid in ("GPU-1", "GPU-2")}
        self.assertEqual(written({**GREEN, "boards": boards}).splitlines()[0], f"{GPU}  2 boards, driver 580, CUDA 13.0")

    def test_results_of_an_earlier_version(self):
        entry = case("a/x/1/b8", verdict="wrong", reason="kernels/a/x.cu:9: bad", findings=[{"kind": "misaligned"}],
                     at={"file": "kernels/a/x.cu", "line": 9})
        text = written(results(entry))
        self.assertIn("\nkernels/a/x.cu:9: error: wrong: bad\n", text)
        self.assertTrue(text.endswith("\nFAIL  so many cases\n"), text)

    def test_documents_of_any_shape_are_written(self):
        for document in ({}, {"cases": 3, "claims": "x", "tests": {}, "errors": [1, None, []], "vanished": [1], "refused": [[]],
                              "targets": [], "provenance": 1, "notes": [3], "exit_code": "0"},
                         {"cases": [1, {}, {"case": 3, "target": [], "verdict": "great", "why": {}, "metrics": []},
                                    {"case": "a", "verdict": "slower", "metrics": {"m": 3}},
                                    {"findings": [{"text": "x", "line": "9"}]}], "targets": {"t": 3}}):
            for detail in console.DETAILS:
                written(document, detail)

    def test_a_hostile_text_cannot_steer_the_terminal(self):
        for text in (HOSTILE, "::error::a\x1b[31m\nPASS  ", "b\rc\tPASS", "n\x9b2J"):
            lines = written(a_bit_of_everything(text), "verbose")
            for steering in ("\x1b", "\r", "\x9b", "\nPASS", "##["):
                self.assertNotIn(steering, lines)
            self.assertNotRegex(lines, r"(?m)^[^!-~]*::")


class Color(InTree):
    def test_of_words(self):
        for part in (": \x1b[31merror:\x1b[0m slower: 2/b8", ": \x1b[33mwarning:\x1b[0m noisy", "2 \x1b[31mslower\x1b[0m, 1 ",
                     ": note: faster", "\n\x1b[31mFAIL\x1b[0m  many\n"):
            self.assertIn(part, written(RED, colored=True))
        for code, begin in ((0, "\x1b[32mPASS"), (77, "\x1b[33mPASS"), (2, "\x1b[31mPASS"), ("0", "\x1b[31mPASS")):
            self.assertEqual(written({**GREEN, "exit_code": code}, "quiet", True), f"{begin}\x1b[0m  4 cases\n")

    def test_is_wanted(self):
        for environment, on_terminal, elsewhere in (
                ({}, True, False), ({"TERM": "dumb"}, False, False), ({"NO_COLOR": "1"}, False, False), ({"NO_COLOR": ""}, True, False),
                ({"CLICOLOR_FORCE": "1"}, True, True), ({"CLICOLOR_FORCE": "0"}, True, False), ({"CLICOLOR_FORCE": ""}, True, False),
                ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False, False), ({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, True, True)):
            with mock.patch.dict(os.environ, environment, clear=True):
                for is_terminal, wanted in ((True, on_terminal), (False, elsewhere)):
                    stream = mock.Mock(isatty=lambda answer=is_terminal: answer)
                    self.assertEqual(color.is_wanted(stream), wanted, environment)


class Places(InTree):
    def test_lines(self):
        os.mkfifo("tree/kernels/a/pipe.cu")
        os.mkdir("tree/kernels/a/folder.cu")
        for path, line in (("kernels/a/v.cu", 3), ("kernels/a/bare.cu", 1), ("top.cu", 1), ("kernels/a/gone.cu", None),
                           ("kernels/../top.cu", None), ("../x/y.cu", None), ("/etc/passwd", None), ("kernels/a/pipe.cu", None),
                           ("kernels/a/folder.cu", None), ("a" * 2000, None), ("", None), ("a\0b", None)):
            self.assertEqual(places.find_line("tree", path, "__global__"), line and (path, line))

    def test_kernels(self):
        for name, found in (("a/v/64/b32", "v"), ("a/v_managed/64/b32", "v"), ("a/bare/64/b32", "bare"), ("a/unv/64/b32", None), ("a/far/1/b8", "launchers"),
                            ("b/v/64/b32", None), ("a", None), ("a/", None), ("", None), ("../a/v/1/-", None)):
            place = places.find_kernel("tree", name)
            self.assertEqual(place and place[0], found and f"kernels/a/{found}.cu", name)

    def test_a_kernel_of_a_library_is_named_by_its_own_file(self):
        entry = case("a/far/1/b8", MODEL, "error", why="kernels/a/launchers.cu: hung", at={"file": "src/far.cu", "line": 9})
        self.assertIn("\nsrc/far.cu:9: error: hung\n", written(results(entry)))

    def test_claims(self):
        for name, place in (("gpu.a.claim_x_wins", ("suites/a.c", 2)), ("gpu.a.claim_y", ("suites/a.c", 1)),
                            ("gpu.b.claim_x_wins", None), ("gpu.a.time", None), ("gpu.a.claim_", None), ("x", None), ("", None)):
            self.assertEqual(places.place_of_claim("tree", name), place)


class TheCommand(InTree):
    def setUp(self):
        super().setUp()
        finding = {"kind": "misaligned", "access": "read", "bytes": 4, "file": "k.cu", "line": 3, "symbol": "c", "offset": 2,
                   "text": "misaligned read of 4 bytes"}
        self.write("out/records/gpu.a.time.verdicts.json", {
            "schema": "kernelgate-verdicts/1", "test": "gpu.a.time", "complete": True, "exit_code": 1, "target": {"key": GPU},
            "cases": [{"case": "a/v/1/b8", "target": GPU, "part": "check", "verdict": "wrong", "why": "x", "metrics": {}, "reason": "x",
                       "findings": [finding]}]})

    def call(self, *arguments, **options):
        return subprocess.run([COMMAND, "results", *arguments], check=False, encoding="utf-8",
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})

    def test_prints_what_the_file_has(self):
        """At the end of a run, and by kernelgate report."""
        for detail, options in (("brief", []), ("verbose", ["--verbose"]), ("quiet", ["-q"])):
            done = self.call(*options)
            document = read_json("out/results.json")
            expected = written(document, detail, sources=".")
            files = "" if detail == "quiet" else "out/report/index.html  out/results.json  out/junit.xml  out/summary.md\n"
            self.assertEqual((done.stdout, done.stderr, done.returncode), (expected + files, "", 1))
        self.assertIn("\nk.cu:3: error: misaligned read of 4 bytes\n", written(document, sources="."))
        done = subprocess.run([COMMAND, "report", "--format=console", "--verbose"], stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.stdout.decode(), written(document, "verbose", sources="."))

    def test_a_stream_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = self.call(stdout=full)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "kernelgate: the verdicts: the standard output cannot be written: redirect it elsewhere\n"))
        self.assertEqual(sorted(os.listdir("out")), ["junit.xml", "kernelgate.sarif", "records", "report", "results.json", "summary.md"])

    def test_on_a_terminal(self):
        for no_color, expected in ((None, "\x1b[31mFAIL\x1b[0m"), ("1", "FAIL")):
            try:
                master, terminal = pty.openpty()
            except OSError:
                self.skipTest("there is no pseudo-terminal: mount /dev/pts")
            environment = {**os.environ, "TERM": "xterm", **({"NO_COLOR": no_color} if no_color else {})}
            self.assertEqual(self.call("-q", stdout=terminal, env=environment).returncode, 1)
            os.close(terminal)
            self.assertEqual(os.read(master, 4096).decode().partition("  ")[0], expected)
            os.close(master)
