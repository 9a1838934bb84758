# SPDX-License-Identifier: MIT
"""Verdicts of tests, written as the tests of a run leave them, and merged."""

import os
from unittest import mock

from command_fixture import COMMAND, STEERING, TREE, Folder

from kernelgate.run import merge as run_merge, results_command as run_results, texts as run_texts
from kernelgate.base import schema_form

__all__ = ["COMMAND", "TREE", "Merges", "H200", "MODEL", "claim", "part", "timed", "verdicts"]

H200 = {"key": "nvidia-h200", "name": "NVIDIA H200"}
MODEL = {"key": "cpu-model"}


def verdicts(test, *cases, target=H200, **more):
    """The verdicts of a test that is through; a member that is None is left out."""
    document = {"schema": run_merge.VERDICTS_SCHEMA, "test": test, "complete": True, "exit_code": 0, "target": target,
                "cases": list(cases), **more}
    return {key: value for key, value in document.items() if value is not None}


def part(name, verdict="pass", why="", case="a/b/1/-", target=H200, **more):
    return {"case": case, "target": target["key"], "part": name, "seconds": 0.5, "verdict": verdict, "why": why, **more}


def timed(verdict="pass", why="", **more):
    metric = {"value": 47980, "low": 47900, "high": 48050, "baseline": 45130, "change": 0.0631, "limit": 0.02, "verdict": verdict}
    return part("time", verdict, why, **{"metrics": {"time_ns": metric}, "work": {"operations": 8, "bytes": 12},
                                         "kernel": {"registers": 40}, **more})


def claim(holds, name="a/claim_x"):
    return {"claim": name, "holds": holds, "why": "1.33 times"}


class Merges(Folder):
    """A folder whose run is merged in this process."""

    def setUp(self):
        super().setUp()
        steered = mock.patch.dict(os.environ)
        steered.start()
        self.addCleanup(steered.stop)
        for name in [name for name in os.environ if name.startswith(STEERING)]:
            del os.environ[name]
        os.environ.update(KG__COMMAND=COMMAND, KG_LOCK_DIR=os.getcwd(), GIT_CEILING_DIRECTORIES=os.path.dirname(os.getcwd()))

    def put(self, *documents, **files):
        """Leaves verdicts, each in the file of its test, and texts, each in the file that its name says, as the only ones."""
        os.makedirs("out/records", exist_ok=True)
        for name in os.listdir("out/records"):
            os.unlink(f"out/records/{name}")
        for document in documents:
            self.write(f"out/records/{document['test']}.verdicts.json", document)
        for name, text in files.items():
            self.write(f"out/records/{name}.verdicts.json", text)

    def merged(self, *documents, strict=False, build=None, **files):
        """The run of these verdicts."""
        self.put(*documents, **files)
        return run_merge.merge("out", strict, build=build)

    def results(self, *documents, strict=False, build=None, **files):
        """Their results, described, of the form that results have."""
        merged = self.merged(*documents, strict=strict, build=build, **files)
        run_results.finish(merged.document)
        run_texts.describe(merged.document)
        self.assertIsNone(schema_form.misfit(merged.document, "kernelgate-results.schema.json"))
        return merged.document

    def expect_members(self, value, members, about=None):
        """Holds members of an object, each by a path as in "tests.0.name", against what they are to be."""
        for path, expected in members.items():
            found = value
            for step in path.split("."):
                found = found[int(step)] if isinstance(found, list) else found.get(step)
            self.assertEqual(found, expected, f"{path} of {about}")
