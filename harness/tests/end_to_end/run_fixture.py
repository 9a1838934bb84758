# SPDX-License-Identifier: MIT
"""Programs that a test starts in a folder of its own: the fake comparison's, the scripts of ci/, ctest."""

import os
import shutil

from command_fixture import COMMAND, FAKES, GPU, MODEL, SOUND_GPU, TREE, Folder
from own_folder import read_json

__all__ = ["COMMAND", "GPU", "INSTRUMENTED", "MODEL", "MODEL_CLAIMS", "MODULES", "SLOW", "SOUND_GPU", "TREE", "Runs",
           "fake_baseline", "fake_counts"]

MODEL_CLAIMS, INSTRUMENTED = (os.path.join(FAKES, name) for name in ("fake_claims.model", "fake.instrumented"))
MODULES = os.path.join(TREE, "cmake")
SLOW = "fake/plain/64/b32"  # the case that the plans of most tests change


def time_of(value):
    return {"value": value, "band": 0.02}


def fake_baseline():
    """What the right variants of the fake comparison take on the GPU that is not there, without a plan."""
    hot = {"fake/plain/64/b32": 10000, "fake/plain/64/b64": 10000, "fake/quick/64/b32": 5000, "fake/quick/64/b64": 5000}
    return {"schema": "kernelgate-baseline/2",
            "target": {"key": "nvidia-fake", "name": "NVIDIA Fake", "compute_capability": "9.0", "memory_mib": 81920,
                       "multiprocessors": 132},
            "sentinels": {name: {"time_ns": time_of(ns)} for name, ns in (("copy", 100000), ("fma", 200000), ("bus", 150000))},
            "cases": {case: {"commit": "0123456789", "time_ns": time_of(ns), "cold_time_ns": time_of(1.2 * ns)}
                      for case, ns in hot.items()}}


def fake_counts():
    """What they count on the CPU model, without a plan."""
    file = "kernels/fake/plain.cu"
    lines = {f"{file}:14": {"global_load_requests": 200, "global_load_sectors": 400}, f"{file}:15": {"barriers": 8},
             f"{file}:16": {"global_store_requests": 100, "global_store_sectors": 400}}
    counts = {"unique_bytes_read": 256, "unique_bytes_written": 256}
    for line in lines.values():
        counts.update(line)
    entry = {"commit": "0123456789", **counts, "lines": lines}
    return {"schema": "kernelgate-baseline/2", "target": {"key": "cpu-model", "compiler": "gcc 12.2.0"},
            "provenance": {"model": "4"}, "cases": {case: entry for case in fake_baseline()["cases"]}}


class Runs(Folder):
    """A folder in which programs find their settings: out/, baselines/, the logs and plans of the fakes."""

    def setUp(self):
        super().setUp()
        self.folder = os.getcwd()
        os.mkdir("baselines")
        self.set(KG_OUT=self.at("out"), KG_BASELINES=self.at("baselines"), KG_CASE_TIMEOUT=20, KG_VERBOSE=1, FAKE_LOG=self.at("log"),
                 FAKE_PLAN=self.at("plan"), FAKE_COUNT_LOG=self.at("count_log"), FAKE_COUNT_PLAN=self.at("count_plan"))

    def at(self, name):
        return os.path.join(self.folder, name)

    def set(self, **settings):
        """Settings of the programs from here on; None takes one out. A filter is meant, as one that is given to ci/gate."""
        if "KG_FILTER" in settings:
            settings["KG_FILTER_GIVEN"] = settings["KG_FILTER"]
        for name, value in settings.items():
            self.environment.pop(name, None)
            if value is not None:
                self.environment[name] = str(value)

    def copy_front(self, name, folder="."):
        """A script of ci/ with the package that it runs, and a setup that installs nothing."""
        for part in (f"ci/{name}", "ci/run-files"):
            os.makedirs(os.path.join(folder, "ci"), exist_ok=True)
            shutil.copy(os.path.join(TREE, part), os.path.join(folder, part))
        shutil.copytree(os.path.join(TREE, "tools/kernelgate"), os.path.join(folder, "tools/kernelgate"))
        shutil.copytree(os.path.join(TREE, "baselines/schemas"), os.path.join(folder, "schemas"))
        self.write_script(os.path.join(folder, "ci/setup"), "#!/bin/sh\n")

    load = staticmethod(read_json)

    def observers(self):
        """How many were started, of which each leaves a line in its log."""
        return self.read("log").count("\n") if os.path.exists("log") else 0

    def plan(self, text):
        """What the GPU's observers do from now on; forgets which were started."""
        self.write("plan", text)
        if os.path.exists("log"):
            os.remove("log")

    def expect_shell(self, line):
        return self.expect_program(0, "", "/bin/bash", "-c", line)

    def workflow_commands(self, text):
        """The lines that the runner of GitHub Actions takes for commands."""
        return [line for line in text.replace("\r", "\n").split("\n") if line.lstrip().startswith("::") or "##[" in line]
