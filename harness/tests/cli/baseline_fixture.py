# SPDX-License-Identifier: MIT
"""What the tests of the commands of baselines share: documents of baselines, and a folder that has one."""

import json
import subprocess

from command_fixture import Folder

from kernelgate.baseline import file as baseline_file

SESSIONS = 5
RESTS_ON = {"boards": 1, "sessions": SESSIONS}
PATH = "baselines/nvidia-fake.json"


def time(value, **more):
    return {"value": value, "band": 0.02, "noise": [0, 0], **more}


def case(value, **more):
    return {"time_ns": time(value, **more), **RESTS_ON, "commit": "abc123"}


def gpu(cases, key="nvidia-fake", **more):
    return {"schema": "kernelgate-baseline/2", "target": {"key": key, "name": "NVIDIA Fake"}, **more,
            "sentinels": {"copy": {"time_ns": time(100000), **RESTS_ON}}, "cases": cases}


def counters(cases, checked=(), model="4"):
    return {"schema": "kernelgate-baseline/2", "target": {"key": "cpu-model"},
            "provenance": {"model": model},
            "cases": {name: {"commit": "c", **counted}
                      for name, counted in cases.items()}, **({"checked": list(checked)} if checked else {})}


BEFORE = gpu({"m/naive/530/b16": case(10000), "m/old/530/b16": case(20000), "m/tiled/530/b16": case(5000)})
AFTER = gpu({"m/naive/530/b16": case(10300), "m/tiled/530/b16": case(5000, gated=False, band_by="hand"),
             "m/wide/530/b16": case(7000)})


class Baselines(Folder):
    def setUp(self):
        super().setUp()
        self.write(PATH, BEFORE)
        self.environment.pop("KG_BASELINES", None)

    def baseline(self, code, told, *arguments, **settings):
        return self.expect(code, told, "baseline", *arguments, **settings)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, env=self.environment,
                       stdout=subprocess.DEVNULL)

    def commit(self, tag=None):
        self.git("init", "-q", ".")
        self.git("add", "-A", "baselines")
        self.git("commit", "-q", "--allow-empty", "-mone")
        if tag:
            self.git("tag", "-f", tag)

    def loaded(self, document):
        """The baseline of a document, whose file is named by its key."""
        name = f"{document['target']['key']}.json"
        return baseline_file.parse(name, name, json.dumps(document).encode())
