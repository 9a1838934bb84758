# SPDX-License-Identifier: MIT
"""Tests of what explains a slower time."""

import unittest

from kernelgate.run.causes import add_causes, describe_gpu_state

GPU, MODEL = "nvidia-fake", "cpu-model"
CASE = "matmul/tiled/530/b16"
NO_COUNTS = "this run has no counts of it: kernelgate gate --target model shows whether the kernel does more work"
NOT_THIS_SIZE = "the CPU model does not count this size; "


def timed(verdict="slower", case=CASE, **more):
    return {"case": case, "target": GPU, "verdict": verdict, "why": "w", "metrics": {"time_ns": {"value": 66000.0, "verdict": verdict}},
            **more}


def counted(loads="slower", verdict="slower", why="", case=CASE, **more):
    metrics = {"barriers": {"value": 8, "verdict": "pass"}, "global_load_requests": {"value": 100, "verdict": loads}}
    return {"case": case, "target": MODEL, "verdict": verdict, "why": why, "metrics": metrics, **more}


class Causes(unittest.TestCase):
    def explained(self, first, *others, most=1980):
        """The first case, when the causes are added to all."""
        add_causes({"cases": [first, *others], "notes": [], "provenance": {GPU: {"max_sm_clock_mhz": most}} if most is not None else {}})
        return first

    def test_which_cases_have_any(self):
        for verdict, expected in (*((fine, None) for fine in ("pass", "faster", "noisy", "no-baseline", "wrong", "error")),
                                  ("slower", ["left over", NO_COUNTS]), ("environment", ["left over", NO_COUNTS])):
            self.assertEqual(self.explained(timed(verdict, changed=["left over"])).get("changed"), expected, verdict)
        for entry in (timed(imported={}), {**timed(), "metrics": {}}, {**counted(), "target": GPU}):
            self.assertNotIn("changed", self.explained(entry), "imported, without figures, counted")
        self.assertEqual(self.explained(counted(changed=["x"]), timed())["changed"], ["x"], "the model's own")

    def test_what_the_model_says(self):
        moved = "loads rose by 1.0 %; a.cu:9: loads went from 1 to 2"
        for verdict, loads, members, expected in (  # what moved is the explanation
                ("slower", "slower", {"why": "long", "moves": moved}, f"on the CPU model: {moved}"),
                ("slower", "slower", {"why": moved}, f"on the CPU model: {moved}"),
                ("faster", "faster", {"moves": "fell"}, "on the CPU model: fell"),
                ("pass", "pass", {}, "its counts equal the CPU model's baseline"),
                ("no-baseline", "no-baseline", {},
                 "the CPU model has no counts to compare it with: record them with kernelgate rebaseline --target model"),
                ("wrong", "slower", {"reason": "a.cu:9: writes"}, "on the CPU model it is wrong: a.cu:9: writes"),
                ("error", "pass", {"why": "hung"}, "on the CPU model it is error: hung")):
            entry = self.explained(timed(), counted(loads, verdict, **members))
            self.assertEqual((entry.get("explanation"), entry["changed"]),
                             (expected, []) if expected.startswith("on the CPU model") else (None, [expected]))
        only_checked = {**counted("pass", "pass"), "metrics": {}}
        self.assertEqual(self.explained(timed(), only_checked)["changed"], [NO_COUNTS])
        failed = {**counted(verdict="wrong", why="w"), "metrics": {}}
        self.assertEqual(self.explained(timed(), failed)["explanation"], "on the CPU model it is wrong: w")

    def test_the_place_is_the_models(self):
        at, found = {"file": "a.cu", "line": 3}, {"kind": "misaligned", "file": "f.cu", "line": 5}
        for verdict, loads, members, expected in (
                ("slower", "slower", {"at": at}, at), ("wrong", "pass", {"findings": [found], "at": at}, {"file": "f.cu", "line": 5}),
                ("wrong", "pass", {"findings": [{"kind": "k"}, found], "at": at}, at), ("slower", "slower", {}, None),
                ("wrong", "pass", {"findings": [{"file": "f.cu"}]}, {"file": "f.cu"}), ("pass", "pass", {"at": at}, None),
                ("no-baseline", "no-baseline", {"at": at}, None)):
            for case in (CASE, "matmul/tiled/17/b16"):
                entry = self.explained(timed(), counted(loads, verdict, case=case, **members))
                self.assertEqual(entry.get("at"), expected, (members, case))

    def test_other_sizes_are_heard_where_this_one_is_not_counted(self):
        others = [counted(case="matmul/naive/530/b16"), counted(case="matmul/tiled_more/530/b16")]
        for more, expected in (
                ([], NO_COUNTS),
                (["pass 17"], f"{NOT_THIS_SIZE}1 other case of the variant counts what its baseline holds"),
                (["pass 17", "pass 31"], f"{NOT_THIS_SIZE}2 other cases of the variant count what its baseline holds"),
                (["no-baseline 17"], NO_COUNTS),
                (["pass 17", "slower 31", "wrong 33"], "on the CPU model, of matmul/tiled/31/b16: rose"),
                (["wrong 33", "slower 31"], "on the CPU model, of matmul/tiled/33/b16 it is wrong: rose")):
            sizes = [text.split() for text in more]
            counts = [counted(verdict, verdict, "rose", f"matmul/tiled/{size}/b16") for verdict, size in sizes]
            entry = self.explained(timed(), *others, *counts)
            self.assertEqual(entry["changed"] or [entry["explanation"]], [expected])

    def test_the_gpu_state(self):
        for state, most, expected in (({"sm_clock_mhz": 1410, "temperature_c": 71}, 1980, "1 410 of 1 980 MHz, 71 °C"),
                                     ({"sm_clock_mhz": 1410}, None, "1 410 MHz"), ({"sm_clock_mhz": 1410}, 0, "1 410 MHz"),
                                     ({"sm_clock_mhz": 1410}, "x", "1 410 MHz"), ({"clock_reasons": "none"}, 1980, None)):
            before = ["registers 32 -> 40"]
            entry = self.explained(timed(gpu_state=state, changed=before), most=most)
            seen = [f"the GPU, at its worst while it was timed: {expected}"] if expected else []
            self.assertEqual(entry["changed"], [*before, *seen, NO_COUNTS])
            self.assertEqual(len(before), 1, "the part's own list is left alone")

    def test_the_code(self):
        """What nvcc generated otherwise for the architecture of the GPU, of the same case."""
        moves = "spill loads 0 B -> 8 B, registers 40 -> 32"
        for key, capability, case, members, expected in (
                ("sm_90", "9.0", CASE, {"moves": moves}, moves), ("sm_90", "9.0", CASE, {}, None),
                ("sm_80", "8.0", CASE, {"moves": moves}, None), ("sm_90", "9.0", "matmul/naive/530/b16", {"moves": moves}, None)):
            compiled = {"case": case, "target": key, "verdict": "slower", "why": "w", "metrics": {"registers": {}}, **members}
            targets = {GPU: {"compute_capability": "9.0"}, key: {"compute_capability": capability}}
            entry = timed()
            add_causes({"cases": [entry, compiled], "provenance": {}, "targets": targets, "notes": []})
            self.assertEqual((entry.get("explanation"), entry["changed"]), (expected, [] if expected else [NO_COUNTS]))
            self.assertNotIn("changed", compiled)

    def test_the_state_in_words(self):
        cap = {"sm_clock_mhz": 1410, "temperature_c": 71, "clock_reasons": "software power cap", "foreign_processes": 2}
        for state, most, expected in (
                (cap, 1980, "1 410 of 1 980 MHz, 71 °C, software power cap, 2 other processes"),
                ({"sm_clock_mhz": 1980, "clock_reasons": "none", "foreign_processes": 1}, None, "1 980 MHz, 1 other process"),
                ({"temperature_c": 35, "launch_ns": 680, "clock_reasons": "thermal"}, None,
                 "35 °C, a launch at 680 ns or more, thermal"),
                ({"temperature_c": 35, "clock_reasons": "none", "foreign_processes": 0}, 1980, "35 °C"),
                ({"sm_clock_mhz": 1410.0, "temperature_c": 0.0, "foreign_processes": 1.0}, None, "1 410 MHz, 0 °C, 1 other process"),
                ({}, 1980, ""), (None, None, ""), ({"temperature_c": "hot", "launch_ns": None, "clock_reasons": 7}, None, "")):
            self.assertEqual(describe_gpu_state(state, most), expected)
