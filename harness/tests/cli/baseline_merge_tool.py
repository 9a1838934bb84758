# SPDX-License-Identifier: MIT
"""Tests of `kernelgate baseline merge`, as users call it."""

import json

from command_fixture import Folder

KEY = "nvidia-fake"
MINE = f"baselines/{KEY}.json"
SESSIONS = f"baselines/sessions/{KEY}.json"
OTHER = f"other/{KEY}.json"
CASE = "fake/plain/64/b32"
CODE, OTHER_CODE = "elf-0123456789abcdef", "elf-fedcba9876543210"


def baseline(key=KEY, cuda="13.0", launch=690, fingerprint=CODE):
    time = {"value": 10000, "band": 0.02, "noise": [0, 0]}
    return {"schema": "kernelgate-baseline/2",
            "target": {"key": key, "name": "NVIDIA Fake", "compute_capability": "9.0", "memory_mib": 81920, "multiprocessors": 132},
            "provenance": {"cuda": cuda, "launch_ns": launch},
            "sentinels": {"copy": {"time_ns": {**time, "band": 0.01}, "boards": 1, "sessions": 5}},
            "cases": {CASE: {"time_ns": time, "boards": 1, "sessions": 5, "code": {"registers": 32, "fingerprint": fingerprint},
                             "commit": "0123456789"}}}


class Merge(Folder):
    def setUp(self):
        super().setUp()
        self.put(MINE, baseline(), "GPU-mine", 10000)

    def put(self, path, document, board, value):
        """A baseline, and its sessions of one board."""
        folder, _, name = path.rpartition("/")
        self.write(path, document)
        self.write(f"{folder}/sessions/{name}", {
            "schema": "kernelgate-sessions/1", "target": document["target"]["key"],
            "sessions": {case: {"time_ns": {board: [value] * 5}} for case in (CASE, "copy")}})

    def merge(self, code, told, *paths):
        return self.expect(code, told, "baseline", "merge", "--baselines", "baselines", *(paths or [OTHER]))

    def case(self):
        return json.loads(self.read(MINE))["cases"][CASE]

    def test_another_board_joins_once(self):
        self.put(OTHER, baseline(), "GPU-other", 10400)
        self.merge(0, "2 of ")
        case = self.case()
        self.assertEqual((case["boards"], case["sessions"], case["time_ns"]["value"]), (2, 10, 10200))
        self.assertGreater(case["time_ns"]["band"], 0.02)
        boards = json.loads(self.read(SESSIONS))["sessions"][CASE]["time_ns"]
        self.assertEqual({board: len(values) for board, values in boards.items()}, {"GPU-mine": 5, "GPU-other": 5})
        merged = self.read(MINE), self.read(SESSIONS)
        self.merge(0, "0 of ")
        self.assertEqual((self.read(MINE), self.read(SESSIONS)), merged)

    def test_newer_sessions_of_a_known_board_join(self):
        self.put(OTHER, baseline(), "GPU-mine", 10000)
        document = json.loads(self.read(f"other/sessions/{KEY}.json"))
        document["sessions"][CASE]["time_ns"]["GPU-mine"] += [10010, 10020]
        self.write(f"other/sessions/{KEY}.json", document)
        self.merge(0, "cases and sentinels changed")
        self.assertEqual(json.loads(self.read(SESSIONS))["sessions"][CASE]["time_ns"]["GPU-mine"], [10000] * 5 + [10010, 10020])

    def test_a_new_case_comes_with_its_code(self):
        document = baseline()
        document["cases"] = {}
        self.write(MINE, document)
        self.write(SESSIONS, {"schema": "kernelgate-sessions/1", "target": KEY, "sessions": {"copy": {"time_ns": {"GPU-mine": [1e4] * 5}}}})
        self.put(OTHER, baseline(), "GPU-other", 10400)
        self.merge(0, CASE)
        self.assertEqual(self.case()["code"], {"registers": 32, "fingerprint": CODE})
        self.assertEqual(self.case()["commit"], "0123456789")

    def test_other_code_is_left_out(self):
        self.put(OTHER, baseline(fingerprint=OTHER_CODE), "GPU-other", 10400)
        self.merge(0, f"{OTHER}: {CASE}: its machine code, or its launch, is another: left out")
        self.assertEqual(self.case()["sessions"], 5)

    def test_refusals(self):
        for told, document in (("is of nvidia-new", baseline(key="nvidia-new")), ("recorded with CUDA 12.4", baseline(cuda="12.4")),
                               ("its launch overhead is 510 ns", baseline(launch=510))):
            before = self.read(MINE), self.read(SESSIONS)
            self.put(OTHER, baseline(), "GPU-other", 10400)
            third = f"third/{document['target']['key']}.json"
            self.put(third, document, "GPU-third", 10400)
            self.merge(2, told, OTHER, third)
            self.assertEqual((self.read(MINE), self.read(SESSIONS)), before)
        self.merge(2, "is not there", "nowhere.json")
        self.write("bare/nvidia-fake.json", baseline())
        self.merge(2, "has no sessions in bare/sessions/nvidia-fake.json", "bare/nvidia-fake.json")
