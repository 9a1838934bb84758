# SPDX-License-Identifier: MIT
"""Tests of `kernelgate tune` on programs that follow a script."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

from command_fixture import COMMAND, SOUND_GPU, Folder

from kernelgate.base import observers, progress
from kernelgate.tune import tune_report
from tune_fixture import TARGET, counted, finalist, make_program, measured, script_of


# Two variants of two launches, with a final.
ADD = script_of(
    ["add/plain/1000/b32", "add/strided/1000/b32g1", "add/plain/1000/b64", "add/strided/1000/b64g1"],
    [{"event": "progress", "comparison": "add", "size": "1000", "done": 1, "of": 4, "seconds_left": 9},
     finalist("add/plain/1000/b32", [1000, 1010, 1000, 1010, 1000, 1010]),
     measured("add/plain/1000/b64", 1500, 1, dropped_in_round=1, throttled=True),
     finalist("add/strided/1000/b32g1", [2000, 2020, 2000, 2020, 2000, 2020]), measured("add/strided/1000/b64g1", 2500)],
    refused=[{"case": "add/plain/1000/b2048", "why": "a block of 1024 threads at most"}])
SLOW = script_of(
    ["add/plain/9/b32", "add/plain/9/b64"],
    [measured("add/plain/9/b32", 1000),
     {"pause": 2.1, "event": "progress", "comparison": "add", "size": "9", "done": 1, "of": 2, "seconds_left": 70},
     {"event": "waiting", "why": "waiting for the lock of X"},
     {"pause": 0.25, "event": "progress", "comparison": "add", "size": "9", "done": 2, "of": 2, "seconds_left": 0},
     measured("add/plain/9/b64", 1000)])


class Fixture(Folder):
    """A folder of programs that follow scripts."""

    def setUp(self):
        super().setUp()
        self.environment.update(TMPDIR=self.folder)

    def ends(self, code, *texts, arguments=(), build="."):
        done = self.finish(code, texts, "tune", "--build", build, *arguments)
        return done.stdout + done.stderr

    def tuned(self, code, *arguments):
        document = self.document(code, "tune", "--build", ".", "--json", *arguments)
        self.assertEqual(document["exit_code"], code)
        return document

    def fates(self, code, *arguments):
        """Each candidate's fate, and its reason."""
        return {entry["case"]: (entry["fate"], entry.get("why", "")) for entry in self.tuned(code, *arguments)["candidates"]}

    def log(self, name="add.gpu"):
        """What each observer was told."""
        return [line.split() for line in self.read(f"{name}.log").splitlines()]


class Tune(Fixture):
    def test_document(self):
        make_program("add.gpu", ADD)
        document = self.tuned(0, "add")
        for key, value in {"target": TARGET, "provenance": {"driver": "1.2.3"}, "metric": "time_ns", "mode": "race",
                           "filter": "add"}.items():
            self.assertEqual(document[key], value)
        first, _, dropped, last, refused = document["candidates"]
        self.assertEqual(first["final"], {"value": 1000, "low": 1000, "high": 1000, "rounds_ns": [1000, 1010] * 3})
        self.assertEqual(dropped, {
            "case": "add/plain/1000/b64", "fate": "measured", "dropped_in_round": 1, "occupancy": 1, "operations": 1000,
            "bytes": 8000, "time_ns": {"value": 1500, "low": 1499, "high": 1501, "samples": 20, "clock": "graph"},
            "throttled": True, "kernel": {"registers": 16, "occupancy": 1}})
        self.assertEqual((last["case"], refused["fate"]), ("add/strided/1000/b64g1", "refused"))
        (problem,) = document["problems"]
        self.assertEqual((problem["comparison"], problem["size"]), ("add", "1000"))
        self.assertEqual(problem["best"], [
            {"variant": name, "time_ns": f"add/{fastest}", "occupancy": f"add/{fullest}"}
            for name, fastest, fullest in (("plain", "plain/1000/b32", "plain/1000/b64"),
                                           ("strided", "strided/1000/b32g1", "strided/1000/b32g1"))])
        ratio, mirrored = problem["ratios"]
        self.assertEqual(ratio, {
            "variant": "plain", "against": "strided", "cases": ["add/plain/1000/b32", "add/strided/1000/b32g1"], "rounds": 6,
            "differs": True,
            "time_ratio": {"value": 0.5, "low": 0.5, "high": 0.5}})
        self.assertEqual(mirrored["time_ratio"]["value"], 2)

    def test_text(self):
        make_program("add.gpu", ADD)
        output = self.ends(0, "\nvariant  fastest   time   95 % interval  GB/s  GFLOP/s  occ",
                             "\nplain    b32      1.000  1.000 to 1.000     8        1     50.0 %  b64 ", arguments=["add"])
        self.assertEqual(re.sub(r"in \d\.\d s", "in 0.1 s", re.sub("  +", "|", output)).replace("|samples", "\\\n|samples"), """\
add 1000 on NVIDIA Fake: time, in µs

variant|fastest|time|95 % interval|GB/s|GFLOP/s|occupancy|highest occupancy\\
|samples|candidates|dropped|refused
plain|b32|1.000|1.000 to 1.000|8|1|50.0 %|b64 (100 %, 1.500)|46|3|1|1
strided|b32g1|2.000|2.000 to 2.000|4|0.500|50.0 %|b32g1 (50.0 %, 2.000)|46|2|0|0

variant|plain|strided
plain|0.500 (0.500 to 0.500)
strided|2.000 (2.000 to 2.000)

""" + tune_report.MATRIX_OF_TIMES + """.

5 candidates in 0.1 s: 4 measured, 1 refused; raced, 1 dropped early, 92 samples
refused: 1 candidate, such as add/plain/1000/b2048: a block of 1024 threads at most
environment: the GPU was throttled while 1 of the candidates were timed: let it cool down, check its power limit, and search again
""")

    def test_markdown(self):
        make_program("add.gpu", ADD)
        make_program("red.gpu", script_of(["red/plain/9/b32"], [measured("red/plain/9/b32", 1000)], axes=["block", "grid"]))
        dropped = {**finalist("late/plain/9/b32", [1000] * 6), "dropped_in_round": 1}
        make_program("late.gpu", script_of(["late/plain/9/b32"], [dropped]))
        make_program("sq.gpu", script_of(["sq/plain/9/b4"], [measured("sq/plain/9/b4", 1000)], axes=["b"]))
        for arguments, texts in (
            (["add"], ["### add 1000 on", "| strided | b32g1 | 2.000 |", "| plain |  | 0.500 (0.500 to 0.500) |", "\n- 5 candidates in"]),
            (["add", "--table", "launches"],
             ["| launch | plain | strided |\n| --- | ---: | ---: |\n", "| b32 | 1.000 (best) |  |", "| b64 | 1.500 † |  |",
              "| b64g1 |  | 2.500 |", "| b2048 | refused |  |", "†: a race dropped it"]),
            (["red", "--table", "launches"], ["| threads per block | plain |", "| 32 | 1.000 (best) |"]),
            (["sq", "--table", "launches"], ["| b | plain |"]),
            (["late", "--table", "launches"], ["| b32 | 1.000 (best) |"]),
        ):
            with self.subTest(arguments):
                self.ends(0, *texts, arguments=[*arguments, "--format", "markdown"])

    def test_what_observers_are_told(self):
        make_program("add.gpu", ADD)
        self.environment["BXFI_MAP"] = "an arena"
        for arguments, told in (([], "tune 4 - True"), (["add/plain/*/b32"], "tune 1 - True")):
            self.ends(0, arguments=arguments)
            self.assertEqual(self.log()[-1], told.split())
        self.environment["KG_FILTER"] = "add/strided/*"
        self.assertEqual(len(self.tuned(0)["candidates"]), 2)
        self.assertEqual(sorted(self.fates(0, "add/plain/1000/b32")), ["add/plain/1000/b32"], "the operand replaces KG_FILTER")

    def test_errors_before_the_search(self):
        make_program("add.gpu", ADD)
        for arguments, text in (
            (["adds"], 'there is no comparison "adds" among the candidates; did you mean "add"?'),
            (["add/plain/1000/b64g1"], 'no launch "b64g1"'), ([""], 'the filter "" contains no glob'), ([","], "contains no glob"),
        ):
            with self.subTest(arguments):
                output = self.ends(2, text, arguments=arguments)
                self.assertEqual(output.count("\n"), 1)
        self.assertFalse(os.path.exists("add.gpu.log"), "nothing is timed in vain")

    def test_exit_codes(self):
        b32, b64 = cases = ["add/plain/9/b32", "add/plain/9/b64"]
        refused = {"event": "refused", "why": "no kernel for it"}
        for code, records, fate in (
            (1, [{"event": "checked", "case": b32, "right": False, "why": "c[3] differs"}, measured(b32, 1)],
             ("wrong", "c[3] differs")),
            (2, [{"case": b32, "end": "crash"}], ("failed", "the observer ended early with exit code 9")),
            (2, [{"event": "failed", "case": b32, "why": "no memory"}], ("failed", "no memory")),
            (0, [{"case": b32, **refused}], ("refused", "no kernel for it")),
        ):
            make_program("add.gpu", script_of(cases, [*records, measured(b64, 2000)]))
            document = self.tuned(code)
            self.assertEqual((document["candidates"][0]["fate"], document["candidates"][0]["why"]), fate)
            self.assertEqual(document["problems"][0]["best"][0]["time_ns"], b64)
            self.ends(code, f"{fate[0]}: ", fate[1])
        make_program("add.gpu", script_of([b32], [{"case": b32, **refused}]))
        self.ends(2, "every candidate was refused")

    def test_without_a_gpu(self):
        make_program("add.model", {})
        self.ends(77, "tune needs a GPU, and the build has no program for one; --by COUNTER")
        make_program("add.gpu", {"exit": 77})
        self.ends(77, "tune needs a GPU; --by COUNTER")
        self.environment["KG_STRICT"] = "1"
        self.ends(2, "tune needs a GPU")
        self.environment["KG_STRICT"] = "0"
        make_program("add.gpu", {**ADD, "unavailable": True})
        self.ends(77, "tune needs a GPU: the GPU is gone; --by COUNTER")

    def test_programs_that_offer_nothing_sound(self):
        self.ends(2, "there is no program *.gpu of a comparison in ")
        for script in ({"exit": 2}, {"candidates": {}}, script_of([7]), script_of(["add"]),
                       script_of(["add/a/1/b1", "add/a/1/b1"]), script_of([], refused=[{}]), script_of([])):
            make_program("add.gpu", script)
            self.assertEqual(self.ends(2, "kernelgate: ").count("\n"), 1)

    def test_a_folder_of_any_name(self):
        """A path with "=" is not a setting of the environment."""
        os.mkdir("a=b c")
        make_program("a=b c/add.gpu", ADD)
        self.environment["KG_FILTER"] = "add/strided/*"
        self.ends(0, "2 candidates in", build="a=b c")

    def test_counters(self):
        """A kernel that leaves out work has fewer accesses: it must be found before it is counted."""
        b32, b64, b96, other = cases = ["add/plain/9/b32", "add/plain/9/b64", "add/plain/9/b96", "add/strided/9/b32g1"]
        script = script_of(cases, [
            {"part": "check", "event": "checked", "case": b32, "right": False, "why": "half of it is missing"}, counted(b32, 10),
            counted(b64, 200), counted(b96, 200), counted(other, 300)], target={"key": "cpu-model"})
        make_program("add.model", script)
        self.ends(2, "add.instrumented: the program with instrumented kernels cannot be run", arguments=["--by", "barriers"])
        make_program("add.instrumented", script)
        self.environment["KG_WRAPPER"] = "/usr/bin/env WRAPPED=1"
        document = self.tuned(1, "--by", "global_load_sectors")
        self.assertEqual((document["mode"], document["candidates"][0]["fate"]), ("count", "wrong"))
        self.assertEqual(document["candidates"][3]["global_load_sectors"], {"value": 300})
        (problem,) = document["problems"]
        self.assertEqual([tuple(best.values()) for best in problem["best"]], [("plain", b64), ("strided", other)])
        self.assertAlmostEqual(problem["ratios"][0]["count_ratio"]["value"], 2 / 3)
        self.assertEqual([(line[0], line[1]) for line in self.log("add.model") + self.log("add.instrumented")],
                         [("check", "4"), ("count", "3")])
        self.ends(1, "add 9 on cpu-model: global_load_sectors\n", "b64 and 1 more    200", "0.667",
                    arguments=["--by", "global_load_sectors"])

    def test_what_a_gpus_program_records(self):
        """The very records of a GPU's program, on a clock that is none."""
        os.symlink(SOUND_GPU, "fake.gpu")
        document = self.tuned(0, "fake/*/64")
        self.assertEqual((document["target"]["name"], len(document["candidates"])), ("NVIDIA Fake", 8))
        self.assertEqual(document["problems"][0]["ratios"][1]["time_ratio"]["value"], 0.5)


class Observers(Fixture):
    """What becomes of candidates whose observer ends early."""

    def test_hangs(self):
        plain = [f"add/plain/9/b{32 * i}" for i in range(1, 6)]
        make_program("add.gpu", script_of([*plain, "add/other/9/b32"], [{"case": case, "end": "hang"} for case in plain]
                                          + [measured("add/other/9/b32", 5)]))
        self.environment["KG_CASE_TIMEOUT"] = "0.4"
        fates = self.fates(2)
        hung = ("failed", "hung: no record for 0.4 s (KG_CASE_TIMEOUT sets the limit); it was ended at a.cu:14")
        self.assertEqual([fates[case] for case in plain[:3]], [hung] * 3)
        self.assertEqual([fates[case] for case in plain[3:]], [("failed", "not run: 3 cases of this variant hung before it")] * 2)
        self.assertEqual(fates["add/other/9/b32"][0], "measured")
        self.assertEqual(len(self.log()), 4)

    def test_torn_and_lost_records(self):
        b32, b64, b96 = cases = [f"add/plain/9/b{32 * i}" for i in range(1, 4)]
        make_program("add.gpu", script_of(cases, [measured(b32, 5), {"case": b64, "end": "torn"}]))
        done = self.finish(2, "1 damaged and 1 unfinished lines were skipped", "tune", "--build", ".", "--json")
        fates = {entry["case"]: entry.get("why") for entry in json.loads(done.stdout)["candidates"]}
        self.assertEqual(fates, {b32: None, b64: "crashed: the observer died of signal 9 (Killed)",
                                 b96: "record lost: the observer ended well and left none of this case"})

    def test_an_observer_that_does_nothing(self):
        make_program("add.gpu", ADD)
        for line, text in (("exit 3", "part tune: the observer ended early with exit code 3 before its first case"),
                           ('echo \'{"event": "broken", "why": "no driver"}\' >> "$6"; exit 2', "add.gpu: no driver")):
            self.write("broken.gpu", f"#!/bin/sh\n[ \"$1\" = --observe ] || {{ cat '{self.folder}/answer'; exit; }}\n{line}\n")
            self.write("answer", ADD["candidates"])
            os.replace("broken.gpu", "add.gpu")
            os.chmod("add.gpu", 0o755)
            self.ends(2, text)

    def test_a_signal_ends_the_observer_too(self):
        make_program("add.gpu", script_of(["add/plain/9/b32"], [{"case": "add/plain/9/b32", "end": "hang"}]))
        for number in (signal.SIGINT, signal.SIGTERM):
            arguments = [COMMAND, "tune", "--build", self.folder]
            with subprocess.Popen(arguments, env=self.environment, stderr=subprocess.PIPE) as process:
                while process.poll() is None and not os.path.exists("add.gpu.log"):
                    time.sleep(0.01)
                process.send_signal(number)
                self.assertEqual((process.wait(10), process.stderr.read()), (-number, b""))
            self.assertFalse(os.path.exists(f"/proc/{self.read('add.gpu.pid').strip()}"))
            self.assertEqual([name for name in os.listdir(".") if name.startswith("kernelgate-")], [])
            os.unlink("add.gpu.log")

    def test_silence_limit(self):
        """Of settings that check_settings() takes."""
        for text, seconds in (("", 60), ("5", 5), (".5", 0.5), ("1e3", 1000)):
            os.environ["KG_CASE_TIMEOUT"] = text
            self.assertEqual(observers.silence_limit(), seconds, text)
        del os.environ["KG_CASE_TIMEOUT"]


class Progress(Fixture):
    """Neither a line too many of what is over soon, nor silence of what takes long."""

    def run_on_terminal(self, arguments, code=0, **settings):
        """What a reader of the command's terminal gets."""
        try:
            reader, terminal = pty.openpty()
        except OSError:
            self.skipTest("there is no pseudo-terminal: mount /dev/pts")
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, 60, 0, 0))
        environment = {**self.environment, **settings}
        with subprocess.Popen([COMMAND, *arguments], stdout=terminal, stderr=terminal, env=environment) as process:
            os.close(terminal)
            text = b""
            with contextlib.suppress(OSError):  # which the end of a terminal is
                while chunk := os.read(reader, 4096):
                    text += chunk
            os.close(reader)
            self.assertEqual(process.wait(), code)
        return text.decode()

    def test_lines(self):
        make_program("add.gpu", SLOW)
        output = self.ends(0, "kernelgate: tune: 50 %  add 9, about 1 min 10 s left\n",
                             "kernelgate: waiting for the lock of X\n")
        self.assertNotRegex(output, "[\r\033]")
        make_program("add.gpu", ADD)
        self.assertNotIn(" left", self.ends(0))

    def test_a_line_in_place(self):
        make_program("add.gpu", SLOW)
        arguments = ["tune", "--build", self.folder]
        text = self.run_on_terminal(arguments, TERM="xterm")
        self.assertIn("\rtune: 50 %  add 9, about 1 min 10 s left\033[K", text)
        self.assertIn("\r\033[Kkernelgate: waiting for the lock of X\r\n", text)
        self.assertIn("\r\033[Kadd 9 on NVIDIA Fake", text, "it is gone before anything else is written")
        self.assertTrue(all(len(line) < 60 for line in re.findall(r"\r(tune[^\r\033]*)", text)))
        text = self.run_on_terminal(arguments, TERM="dumb")
        self.assertIn("kernelgate: tune: 50 %  add 9, about 1 min 10 s left", text)
        self.assertNotIn("\033", text)

    def test_work(self):
        """By the work that is done, not by how many candidates did it: a step each and a step more for every 100 000 operations,
        and five times that to count. 1 + 10 to check, then 5 of 5 + 50 to count."""
        script = script_of(["add/plain/9/b32", "add/plain/99/b32"],
                           [{"pause": 2.1, **counted("add/plain/9/b32", 100)}, counted("add/plain/99/b32", 200)],
                           target={"key": "cpu-model"},
                           work={"9": {"operations": 0, "bytes": 0}, "99": {"operations": 700000, "bytes": 800000}})
        make_program("add.model", script)
        make_program("add.instrumented", script)
        self.ends(0, "kernelgate: tune: 24 %  add/plain/9/b32, about ", arguments=["--by", "global_load_sectors"])

    def test_many_candidates(self):
        make_program("add.gpu", script_of([f"add/plain/9/b{i}" for i in range(1, 61)], [measured("add/plain/9/b32", 1000)]))
        told = "kernelgate: tune: 60 candidates of 1 comparison to check and time: a FILTER selects fewer\n"
        self.ends(2, told, "failed: 39 more, all of them in the document of --json")
        self.assertNotIn("to check and time", self.ends(0, arguments=["add/plain/9/b32"]))

    def test_durations(self):
        for seconds, text in ((-1, "0 s"), (0.2, "1 s"), (59.5, "1 min 00 s"), (3599, "59 min 59 s"), (7500, "2 h 05 min")):
            self.assertEqual(progress.show_duration(seconds), text)

    def test_a_recording(self):
        """It shows its progress in the same way."""
        make_program("add.gpu", script_of(["add/plain/9/b32", "add/plain/9/b64"], [
            {"pause": 2.1, "event": "checked", "case": "add/plain/9/b32", "part": "check", "right": True},
            {"event": "waiting", "why": "waiting for the lock of X"},
            {"event": "checked", "case": "add/plain/9/b64", "part": "check", "right": False, "why": "off by one"}]))
        arguments = ["baseline", "record", "--baselines", "b", "./add.gpu"]
        self.finish(2, ("kernelgate: baseline record: 50 %  add/plain/9/b32, about 3 s left\n",
                        "add/plain/9/b64: off by one: nothing is recorded\n"), *arguments)
        text = self.run_on_terminal(arguments, 2, TERM="xterm")
        self.assertIn("\rbaseline record: 50 %  add/plain/9/b32", text)
        self.assertIn("\r\033[Kkernelgate: waiting for the lock of X\r\n", text)
