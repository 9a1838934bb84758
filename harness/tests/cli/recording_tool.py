# SPDX-License-Identifier: MIT
"""Tests of what sessions make of a baseline, and of the text that a baseline is written as."""

import json
import math
import os
import random
import resource
import signal
import unittest

import mutations
from command_fixture import TREE, Folder
from own_folder import write_file

from kernelgate.baseline import file as baseline_file, noise
from kernelgate.baseline.file import Case, Metric
from kernelgate.base.errors import Failure
from kernelgate.code.kernel_code import code_changes, code_of, is_other_code, is_same_code
from kernelgate.baseline.fit import (Recorded, Sessions, counts_differ, errors_of_sessions, launch_costs, make_time, record_count,
                                     record_lines)
from kernelgate.baseline.sessions import BOARD_SESSIONS_MAXIMUM, StoredSessions


def alternating(ratio, scale=1):
    """Five sessions at 1, r, 1, r, 1: their log deviation is ln(r) sqrt(0.3)."""
    return [100000 * scale * (ratio if i % 2 else 1) for i in range(5)]


class Noise(unittest.TestCase):
    def test_errors_of_sessions(self):
        """The largest of all, and a band where they vary by more than the least: that of times, or the widest where some are 0."""
        for sessions, expected in (([[2, 1]] * 5, [2, 1]), ([[2, 1], [2.01, 1.001]] * 3, [2.01, 1.001]), ([[0, 0]] * 5, [0, 0]),
                                   ([[2, 1], [2.2, 1]] * 3, [2.2, 1, noise.noise_of({None: [2, 2.2] * 3}).band(0)]),
                                   ([[2, 0], [2, 1]] * 3, [2, 1, noise.BAND_MAXIMUM]), ([[2, 1]], [2, 1, noise.BAND_MAXIMUM])):
            self.assertEqual(errors_of_sessions({"a/b/1/-": sessions}), {"a/b/1/-": expected})

    def test_quantiles(self):
        """By the tables of Student's t; the last rows are what a band of five, 25 and 1000 sessions takes."""
        for probability, freedom, quantile in (
                (0.975, 1, 12.7062), (0.975, 2, 4.30265), (0.9995, 3, 12.9240), (0.975, 4, 2.77645), (0.975, 5, 2.57058),
                (0.99, 10, 2.76377), (0.995, 30, 2.75000), (0.95, 120, 1.65765), (0.999, 1, 318.309), (0.99, 2, 6.96456),
                (noise.THREE_SIGMA, 4, 6.62021), (noise.THREE_SIGMA, 24, 3.34475), (noise.THREE_SIGMA, 999, 3.00751)):
            self.assertAlmostEqual(noise.t_quantile(probability, freedom) / quantile, 1, 5)
        self.assertEqual(noise.t_quantile(0.9, 0), math.inf)

    def test_within_and_between_boards(self):
        """Boards of e^0 and e^0.1, whose sessions are e^-0.01, e^0 and e^0.01 of that."""
        boards = {name: [math.exp(middle + step) for step in (-0.01, 0, 0.01)] for name, middle in (("a", 0), ("b", 0.1))}
        found = noise.noise_of(boards)
        self.assertAlmostEqual(found.within, 0.01, 12)
        self.assertAlmostEqual(found.between, math.sqrt(0.1**2 / 2 - 0.01**2 / 3), 12)
        self.assertEqual((found.boards, found.sessions), (2, 6))
        for lists, within, between in (([[5, 5, 5]], 0, 0), ([[60010, 59930, 60180, 60020, 59990]], 0.001546614427930135, 0),
                                       ([[1], [10], [100]], 0, math.log(10)), ([[1, 1.1], [1, 1.1]], math.log(1.1) / math.sqrt(2), 0)):
            found = noise.noise_of(dict(enumerate(lists)))
            self.assertAlmostEqual(found.within, within, 12)
            self.assertAlmostEqual(found.between, between, 12)

    def test_bands(self):
        """Rounded up; of quiet sessions, 3 sigma of the least noise that is believed."""
        for sigma, sessions, minimum, band in (
                (0, 5, 0, 0.01), (0, 5, noise.BAND_MINIMUM, 0.02), (0.002, 5, 0, 0.014), (0.01, 5, 0, 0.069), (0.01, 25, 0, 0.035),
                (0.01, 1000, 0, 0.031), (0.5, 5, 0, 0.999), (0, 1, 0, 0.999), (700, 2, 0, 0.999)):
            self.assertAlmostEqual(noise.Noise(sigma, 0, 1, sessions).band(minimum), band, 12)
        self.assertEqual(noise.Noise(0.003, 0.004, 2, 9).band(0), noise.Noise(0.005, 0, 1, 9).band(0))
        self.assertEqual([noise.is_gated(band) for band in (0.05, 0.051)], [True, False])
        self.assertEqual(noise.noise_of({"a": [1e-300, 1e300]}).band(0), noise.BAND_MAXIMUM)

    def test_rounding(self):
        """0.1 ns below 1 us, 0.5 ns below 10 us, whole nanoseconds above."""
        for measured, stored in ((512.3456, 512.3), (999.94, 999.9), (999.96, 1000), (1000.2, 1000), (3652.26, 3652.5),
                                 (9999.7, 9999.5), (9999.8, 10000), (10000.4, 10000), (341234.5, 341235), (100000.5, 100001)):
            self.assertAlmostEqual(noise.value_of_sessions([measured]), stored, 9)
        self.assertEqual(noise.value_of_sessions([40000, 10000, 20000, 50000]), 30000)

    def test_sessions_that_disagree(self):
        for sessions, agree in (([100000, 109999, 104000], True), ([100000, 110100, 104000], False), ([300, 350, 310], True),
                                ([300, 350.1, 310], False)):
            self.assertEqual(noise.disagreement(sessions) is None, agree)
        self.assertEqual(noise.disagreement([100000, 110100]),
                         "the sessions disagree, 100 000 ns to 110 100 ns: quiet the machine")

    def test_what_is_far_off(self):
        for value, gated, far in ((1999, True, False), (2000, True, True), (501, True, False), (500, True, True),
                                  (9000, False, False)):
            self.assertEqual(noise.is_far_off(Metric("time_ns", 1000.0, gated=gated), value), far)


class Times(unittest.TestCase):
    """What the sessions of one time make of its line, and of what is stored."""

    def setUp(self):
        self.case = Case("matmul/naive/530/b16")
        self.stored = StoredSessions("sessions.json", "nvidia-fake")
        self.log = Log()

    def record(self, values, board="A", code=None):
        """Whether the line is rewritten."""
        recorded = Recorded(self.case.id, code=code)
        for value in values:
            recorded.add("time_ns", value)
        return Sessions(self.log).store(self.case, recorded, self.stored, board)

    @property
    def metric(self):
        return self.case.metrics["time_ns"]

    def counts(self):
        return {board: len(values) for board, values in self.stored.boards(self.case.id, "time_ns").items()}

    def test_a_new_metric(self):
        self.assertTrue(self.record([60010.4, 59930.6, 60180, 60020, 59990]))
        metric = self.metric
        self.assertEqual((metric.value, metric.band, metric.floor, metric.gated), (60010, noise.BAND_MINIMUM, 50, True))
        self.assertAlmostEqual(metric.noise[0], 0.00154, 5)
        self.assertEqual((self.case.boards, self.case.sessions), (1, 5))
        self.assertEqual(self.stored.boards(self.case.id, "time_ns"), {"A": [60010, 59931, 60180, 60020, 59990]})

    def test_a_band_above_5_percent_is_not_gated(self):
        limit = math.exp(math.log1p(0.05) / noise.t_quantile(noise.THREE_SIGMA, 4) / math.sqrt(0.3))
        for ratio, gated in ((limit - 1e-5, True), (limit + 1e-5, False)):
            metric = make_time(None, "time_ns", {"A": alternating(ratio)})
            self.assertEqual((metric.gated, metric.band <= 0.05), (gated, gated))

    def test_only_what_moved_is_rewritten(self):
        self.record([100000] * 5)
        for values, rewritten, value in (([100500] * 5, False, 100000), ([100000] * 9, False, 100000), ([103000] * 90, True, 103000)):
            self.assertEqual((self.record(values), self.metric.value), (rewritten, value))
        self.assertEqual(self.counts(), {"A": BOARD_SESSIONS_MAXIMUM}, "the oldest go")
        self.assertEqual(self.case.sessions, BOARD_SESSIONS_MAXIMUM)

    def test_the_floor_counts_as_the_band_does(self):
        """50 ns of 500 are 10 %, and still less than a launch's cost varies."""
        for floor, value, moved in ((50, 549, False), (50, 551, True), (200, 700, False), (200, 800, True)):
            self.stored.drop(self.case.id)
            self.case.metrics["time_ns"] = Metric("time_ns", 500.0, 0.02, floor=float(floor), noise=(0, 0))
            self.case.boards, self.case.sessions = 1, 5
            self.assertEqual((self.record([value] * 5), self.metric.floor), (moved, floor))

    def test_what_a_hand_set_stays(self):
        """With the band a hand decides what is judged, however quiet or noisy the sessions are."""
        for gated, boards in ((True, {"A": alternating(1.2, 2)}), (False, {"A": [110000] * 5})):
            metric = make_time(Metric("time_ns", 100000.0, 0.01, True, 60.0, gated), "time_ns", boards)
            self.assertEqual((metric.band, metric.by_hand, metric.gated, metric.floor), (0.01, True, gated, 60))

    def test_a_sentinel_has_no_least_band(self):
        self.assertEqual([make_time(None, "time_ns", {"A": [1000] * 5}, sentinel).band for sentinel in (False, True)], [0.02, 0.01])

    def test_another_board_is_noise_of_the_model(self):
        self.record([100000] * 5)
        self.assertTrue(self.record([100400] * 5, "B"))
        self.assertEqual((self.metric.value, self.metric.band, self.case.boards, self.case.sessions), (100200, 0.02, 2, 10))
        self.assertFalse(self.record([100200] * 5, "B"))
        self.assertEqual((self.case.sessions, self.counts()), (10, {"A": 5, "B": 10}), "the line may be older")
        self.assertTrue(self.record([104000] * 5, "C"))
        self.assertGreater(self.metric.noise[1], 0.01)
        self.assertFalse(self.metric.gated)

    def test_sessions_of_other_code_are_dropped(self):
        one, other, old = ({"fingerprint": text} for text in ("elf-0123456789abcdef", "elf-1123456789abcdef", "0123456789abcdef"))
        for before, now, value, board, kept in (
                (one, one, 90000, "A", 5), (one, other, 100000, "B", 0), (one, other, 100000, "A", 0), (None, None, 90000, "A", 0),
                (None, None, 99000, "A", 5), (None, None, 90000, "B", 5), (one, old, 90000, "A", 0), (one, old, 100000, "A", 5)):
            with self.subTest(before=before, now=now, value=value, board=board):
                self.setUp()
                self.record([100000] * 5)
                self.case.code = before
                self.record([value] * 5, board, now)
                self.assertEqual(sum(self.counts().values()), kept + 5)
                self.assertEqual(any("5 older sessions dropped" in line for line in self.log.said), not kept)

    def test_a_line_of_too_few_sessions_or_of_lost_ones_is_rewritten(self):
        self.record([100000] * 5)
        self.case.sessions = 4
        self.assertTrue(self.record([100000]))
        self.stored.drop(self.case.id)
        self.record([100000] * 5)
        self.assertIn("sessions.json has no sessions of it: its 6 before do not count", self.log.said[-1])

    def test_launch_costs(self):
        for now, then, costs in ((680, 500, (680, 500)), (500, 680, (500, 680)), (549, 500, None), (-1, 500, None),
                                 (680, None, None)):
            self.assertEqual(launch_costs({"launch_ns": now}, {} if then is None else {"launch_ns": then}), costs)


class OneState(unittest.TestCase):
    """If only one metric, or one of ten, differs from session to session, the kernel is the reason."""

    def test_how_many_may_differ(self):
        for cases, apart, sentinel, steady in ((2, 1, False, True), (2, 2, False, False), (10, 2, False, True),
                                               (10, 3, False, False), (10, 0, True, False)):
            log = Log()
            sessions = Sessions(log)
            for number in range(cases):
                for name in ("time_ns", "cold_time_ns"):
                    for value in (1000, 2000 if name == "time_ns" and number < apart else 1000):
                        sessions.case(str(number)).take(name, {"value": value, "clock": "gpu"})
            for value in (1000, 2000 if sentinel else 1000):
                sessions.sentinels["copy"].add("time_ns", value)
            for value in (1000, 2000):  # the host affects the bus
                sessions.sentinels["bus"].add("time_ns", value)
            sessions.case("host").take("time_ns", {"value": 1, "clock": "host"})
            sessions.case("host").take("time_ns", {"value": 1000, "clock": "host"})
            self.assertEqual(sessions.are_of_one_state(), steady)
            self.assertEqual((len(log.differing), len(log.refused)), (apart + sentinel, not steady))


class Log:
    """A log that keeps what it is given."""

    def __init__(self):
        self.differing, self.refused, self.said = [], [], []
        self.disagree = lambda *entry: self.differing.append(entry)
        self.refuse = self.refused.append
        self.say = self.said.append
        self.change = lambda *entry: None


class Counts(unittest.TestCase):
    def test_counters(self):
        case = Case("a/b/1/-")
        self.assertIsNone(record_count(case, "barriers", 0))
        self.assertEqual((record_count(case, "barriers", 5), case.metrics["barriers"]), (0, Metric("barriers", 5)))
        metric = case.metrics["barriers"]
        metric.band, metric.by_hand = 0.1, True
        # What is within the band is left alone, or it would creep.
        for value, old, stored in ((5, None, 5), (6, 5, 6), (100, 6, 100), (109, None, 100), (111, 100, 111)):
            self.assertEqual((record_count(case, "barriers", value), metric.value, metric.band), (old, stored, 0.1))
        self.assertEqual((record_count(case, "barriers", 0), case.metrics), (111, {}))
        case.metrics["barriers"] = Metric("barriers")
        self.assertEqual((record_count(case, "barriers", 7), case.metrics["barriers"].value), (0, 7))

    def test_lines(self):
        case = Case("a/b/1/-")
        lines = {"k.cu:14": {"barriers": 1}, "k.cu:9": {"barriers": 2, "shuffles": 0}, "k.cu:20": {"barriers": 0}}
        self.assertFalse(record_lines(case, None))
        self.assertTrue(record_lines(case, lines))
        self.assertEqual(case.lines, {"k.cu:14": {"barriers": 1}, "k.cu:9": {"barriers": 2}})
        self.assertFalse(record_lines(case, dict(reversed(lines.items()))))
        lines["k.cu:14"]["barriers"] = 0
        self.assertTrue(record_lines(case, lines))
        self.assertEqual((record_lines(case, None), case.lines), (True, None))

    def test_counts_that_repeat(self):
        def counted(value, lines):
            return {"metrics": {"barriers": {"value": value}}, **({"lines": {"k.cu:1": {"shuffles": lines}}} if lines else {})}

        for other, told in ((counted(12345, 7), None),
                            (counted(12346, 7), "barriers is 12 345 in one run and 12 346 in another: counts have to repeat"),
                            (counted(12345, 8), "its lines have other counts"),
                            (counted(12345, 0), "its lines have other counts")):
            self.assertEqual((counts_differ(counted(12345, 7), other) or "")[:len(told or "")], told or "")
        self.assertIsNone(counts_differ(counted(1, 0), counted(1, 0)))


class Code(unittest.TestCase):
    def test_of_a_record(self):
        for kernel, code in (
                ({"occupancy": 0.5, "registers": 40, "names": []},
                 {"registers": 40, "local_bytes": 0, "shared_bytes": 0, "occupancy": 0.5}),
                ({"registers": -1, "local_bytes": 1.5, "shared_bytes": True, "occupancy": 2, "fingerprint": "x"}, None),
                ({"fingerprint": "elf-0123456789abcdef"}, {"fingerprint": "elf-0123456789abcdef"}), (None, None)):
            self.assertEqual(code_of({"kernel": kernel}), code)

    def test_machine_code(self):
        """A fingerprint of an older version tells nothing of one that is read from a cubin."""
        one, other, old = ({"fingerprint": text} for text in ("elf-0123456789abcdef", "elf-1123456789abcdef", "0123456789abcdef"))
        for before, now, same, differs in ((one, one, True, False), (one, other, False, True), (one, old, False, False),
                                           ({}, {}, False, False), (None, one, False, False)):
            self.assertEqual((is_same_code(before, now), is_other_code(before, now)), (same, differs))

    def test_changes(self):
        before = {"registers": 32, "local_bytes": 0, "shared_bytes": 2048, "occupancy": 1}
        now = {"registers": 40, "local_bytes": 0, "shared_bytes": 4096, "occupancy": 0.75}
        self.assertEqual(code_changes(before, now), ["registers 32 -> 40", "shared memory 2 048 B -> 4 096 B",
                                                     "occupancy 100 % -> 75.0 %"])
        self.assertEqual(code_changes({"registers": 32}, {"occupancy": 1}), [])


GPU = {"key": "nvidia-h200"}


class Writing(Folder):
    """What is written is read again as the same; what could not be is not written, and the file stays as it was."""

    def baseline(self, target=None, **members):
        target = target or GPU
        made = baseline_file.Baseline(f"{target['key']}.json")
        made.target = target
        made.case("a/b/530/b16").metrics["time_ns"] = Metric("time_ns", 60010.0, 0.02, floor=50.0)
        for name, value in members.items():
            setattr(made, name, value)
        return made

    def saved(self, made):
        baseline_file.save(made)
        return self.read(made.path)

    def test_whole_files(self):
        for name in ("nvidia-h200.json", "cpu-model.json"):
            stored = os.path.join(TREE, "baselines", name)
            text = self.read(stored)
            self.write(name, text)
            made = baseline_file.load(name)
            made.cases = dict(reversed(made.cases.items()))
            self.assertEqual(self.saved(made), text)
        self.assertEqual(sorted(os.listdir(".")), ["cpu-model.json", "nvidia-h200.json"], "no temporary file is left")

    def test_order_and_space_of_a_file_do_not_matter(self):
        self.write("nvidia-h200.json", """

{ "cases" :{"b/b/1/-":{"time_ns":{"floor":50.0,"band":2e-2,"value":1.5e3},"commit":"c","barriers":0.0},
\t"a/a/1/-":{"barriers":{"value":1,"gated":true}}},"target":{"compiler":"gcc 12.2.0","key":"nvidia-h200"},
"schema":"kernelgate-baseline/2"}
""")
        self.assertEqual(self.saved(baseline_file.load("nvidia-h200.json")), """\
{"schema": "kernelgate-baseline/2",
 "target": {"key": "nvidia-h200", "compiler": "gcc 12.2.0"},
 "cases": {
  "a/a/1/-": {"barriers": 1},
  "b/b/1/-": {"barriers": 0, "time_ns": {"value": 1500, "band": 0.02}, "commit": "c"}
 }}
""")

    def test_numbers_are_exact_and_short(self):
        for value, text in ((60010.0, "60010"), (0.1, "0.1"), (1 / 3, "0.3333333333333333"), (1e-5, "1e-05"),
                            (123456.789, "123456.789"), (0.1 + 0.2, "0.30000000000000004"), (2.0**53, "9007199254740992"),
                            (1234567890123.5, "1234567890123.5")):
            made = self.baseline()
            made.cases["a/b/530/b16"].metrics["time_ns"].value = value
            self.assertIn(f'"value": {text}, ', self.saved(made))
            self.assertEqual(baseline_file.load(made.path).cases["a/b/530/b16"].metrics["time_ns"].value, value)

    def test_any_figures_survive(self):
        values = [math.ldexp(number * 6364136223846793005 % 2**53 + 1, number % 100 - 100) for number in range(2000)]
        stored = StoredSessions("sessions/nvidia-h200.json", "nvidia-h200")
        stored.cases = {"a/b/530/b16": {"time_ns": {"A": values}}}
        stored.write()
        self.assertEqual(StoredSessions.load("nvidia-h200.json", "nvidia-h200").cases, stored.cases)

    def test_noise_has_four_digits(self):
        made = self.baseline()
        made.cases["a/b/530/b16"].metrics["time_ns"].noise = (0.0123456, 1e-9)
        self.assertIn('"noise": [0.01235, 1e-09]', self.saved(made))

    def test_texts_are_escaped(self):
        made = self.baseline(target={**GPU, "name": 'a "quoted"\nname, \u00e4 \\ </x>'},
                             provenance={"two\nlines": "\t", "half": 0.5, "whole": -3, "no": False})
        made.cases["a/b/530/b16"].code = {"registers": 40, "occupancy": 0.75, "fingerprint": "0123456789abcdef"}
        text = self.saved(made)
        self.assertEqual(text.count("\n"), 6, "one line for each part and case")
        self.assertIn('"provenance": {"two\\nlines": "\\t", "half": 0.5, "whole": -3, "no": false}', text)
        self.assertIn('"code": {"registers": 40, "occupancy": 0.75, "fingerprint": "0123456789abcdef"}', text)
        self.assertEqual(self.saved(baseline_file.load(made.path)), text)
        self.assertEqual(json.loads(text)["target"]["name"], made.target["name"])

    def test_lines_and_checked_cases_are_written_in_order(self):
        made = self.baseline(target={"key": "cpu-model"}, provenance={"model": "4"}, checked=["b/v/1/-", "a/v/2/-", "a/v/10/-"])
        case = made.cases["a/b/530/b16"]
        case.metrics = {"shuffles": Metric("shuffles", 2.0), "barriers": Metric("barriers", 2.0)}
        case.lines = {"k.cu:14": {"shuffles": 2, "barriers": 1}, "k.cu:9": {"barriers": 1}}
        text = self.saved(made)
        self.assertIn('"lines": {"k.cu:9": {"barriers": 1}, "k.cu:14": {"barriers": 1, "shuffles": 2}}}', text)
        self.assertIn(',\n "checked": [\n  "a/v/10/-",\n  "a/v/2/-",\n  "b/v/1/-"\n ]}\n', text)

    def test_what_is_read_is_written(self):
        """Damaged files as far as they are taken: what is written of them is read again as the same."""
        generator = random.Random(7)
        taken = 0
        for name in ("nvidia-h200.json", "cpu-model.json"):
            document = json.loads(self.read(os.path.join(TREE, "baselines", name)))
            for part in {"cases", "accuracy", "checked"} & document.keys():  # in a small document, damage is where it matters
                first = list(document[part])[:4]
                document[part] = {key: document[part][key] for key in first} if isinstance(document[part], dict) else first
            for _ in range(200):
                write_file(name, mutations.mutated_text(document, generator))
                try:
                    made = baseline_file.load(name)
                except Failure:
                    continue
                taken += 1
                text = self.saved(made)
                again = baseline_file.load(name)
                self.assertEqual(again.text(), text)
                for kind in ("cases", "sentinels", "checked", "provenance"):
                    self.assertEqual(repr(getattr(again, kind)), repr(getattr(made, kind)))
        self.assertGreater(taken, 10)

    def test_modes(self):
        self.addCleanup(os.umask, os.umask(0o027))
        made = self.baseline()
        self.saved(made)
        self.assertEqual(os.stat(made.path).st_mode & 0o7777, 0o640, "a new file follows the umask")
        os.chmod(made.path, 0o664)
        self.saved(made)
        self.assertEqual(os.stat(made.path).st_mode & 0o7777, 0o664)

    def unsaved(self, told, made):
        before = self.saved(self.baseline()) if made.path == "nvidia-h200.json" else None
        with self.assertRaisesRegex(Failure, told):
            baseline_file.save(made)
        self.assertEqual(os.listdir("."), ["nvidia-h200.json"] if before else [])
        self.assertTrue(before is None or self.read(made.path) == before)

    def test_what_could_not_be_read_again(self):
        time = {"name": "time_ns", "band": 0.02, "floor": 50.0}
        for told, metrics in (
                ("time_ns: value: -1", [Metric(value=-1.0, **time)]), ("time_ns: value: ", [Metric(value=1e300, **time)]),
                ("noise", [Metric(value=5.0, noise=(-1.0, 0.0), **time)]), ("band", [Metric("time_ns", 5.0, 1.0, floor=50.0)]),
                ("floor", [Metric("time_ns", 5.0, 0.02, floor=-1.0)]), ("time_ms", [Metric("time_ms", 5.0)]),
                ("no metric", []), ("Expecting value", [Metric(value=math.inf, **time)])):
            made = self.baseline()
            made.cases["a/b/530/b16"].metrics = {metric.name: metric for metric in metrics}
            self.unsaved(told, made)
        for told, change in (
                ("a/b/530", lambda made: made.case("a/b/530")), ("spin", lambda made: made.sentinel("spin")),
                ("occupancy", lambda made: setattr(made.cases["a/b/530/b16"], "code", {"occupancy": 1.5})),
                ("not UTF-8", lambda made: setattr(made.cases["a/b/530/b16"], "commit", "\udcff")),
                ("lines", lambda made: setattr(made.cases["a/b/530/b16"], "lines", {"k.cu:1": {"barriers": 1}})),
                ("driver", lambda made: setattr(made, "provenance", {"driver": []})),
                ("memory_mib", lambda made: setattr(made, "target", {**GPU, "memory_mib": -1})),
                ("nvidia-h100", lambda made: setattr(made, "target", {"key": "nvidia-h100"}))):
            made = self.baseline()
            change(made)
            self.unsaved(told, made)

    def test_what_the_models_file_does_not_have(self):
        for told, metric in (("floor", Metric("barriers", 5.0, floor=1.0)), ("barriers: ", Metric("barriers", 5.5)),
                             ("noise", Metric("barriers", 5.0, noise=(0.1, 0))), ("counter", Metric("speed", 1.0))):
            made = self.baseline(target={"key": "cpu-model"})
            made.cases["a/b/530/b16"].metrics = {metric.name: metric}
            self.unsaved(told, made)

    def test_files_that_cannot_be_replaced(self):
        made = self.baseline()
        self.saved(made)
        os.chmod(made.path, 0o444)
        with self.assertRaisesRegex(Failure, "it is write-protected: chmod u\\+w it first"):
            baseline_file.save(made)
        os.unlink(made.path)
        os.mkdir(made.path)
        with self.assertRaisesRegex(Failure, "it is not a regular file: move it away"):
            baseline_file.save(made)
        made.path = "no/nvidia-h200.json"
        with self.assertRaisesRegex(Failure, "cannot be written: No such file or directory: it is left as it was"):
            baseline_file.save(made)

    def test_a_disk_that_is_full(self):
        """A limit on the size of files stands for it."""
        made = self.baseline()
        before = self.saved(made)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(signal.signal, signal.SIGXFSZ, signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        text = made.text()
        resource.setrlimit(resource.RLIMIT_FSIZE, (40, hard))
        try:
            with self.assertRaisesRegex(OSError, "File too large"):
                baseline_file.replace_file(made.path, text)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        self.assertEqual((self.read(made.path), os.listdir(".")), (before, [made.path]), "no temporary file is left")
