# SPDX-License-Identifier: MIT
"""Which verdicts are kept for a later run, and which are not used."""

import os
import shutil
import tempfile
import time
import unittest
from unittest import mock

from own_folder import read_json, write_file

from kernelgate.run import kept_verdicts
from kernelgate.run.ctest import Test

TESTS = tuple(f"model.{comparison}.{part}" for comparison in ("a", "b") for part in ("check", "count"))
OF_A = TESTS[:2]
ON_GPU = ("gpu.a.check", "gpu.a.time")
ON_CODE = ("sm_80", "sm_90")
CODE_TESTS = tuple(f"{target}.{comparison}.code" for target in ON_CODE for comparison in ("a", "b"))
BASELINE = {"schema": "kernelgate-baseline/2", "target": {"key": "cpu-model", "name": "CPU model"}, "provenance": {},
            "cases": {"a/v/1/b32": {"launches": 1}, "b/v/1/b32": {"launches": 1}}, "checked": ["a/v/1/b32", "b/v/1/b32"]}
GPU_BASELINE = {"schema": "kernelgate-baseline/2", "target": {"key": "gpu-x", "name": "X"}, "cases": {"a/v/1/b32": {}, "b/v/1/b32": {}}}


def verdicts_of(test, **members):
    kind, comparison, part = test.split(".")
    case = {"case": f"{comparison}/v/1/b32", "target": "cpu-model", "part": part, "seconds": 0.1, "metrics": {}, "verdict": "pass", "why": ""}
    return {"schema": "kernelgate-verdicts/1", "test": test, "complete": True, "exit_code": 0,
            "target": {"key": f"cpu-{kind}", "name": "CPU model"}, "cases": [case], **members}


def ended(test, code, crashed=False):
    """A test in CTest's report that ended with an exit code, or crashed."""
    if code == 77:
        return Test(test, "notrun", "SKIP_RETURN_CODE=77", "0.1", "")
    return Test(test, "fail" if crashed or code else "run", "", "0.1", "")


class Folders:
    """A build folder with programs that exist, the baselines, and the folder of a run's results."""

    def __init__(self, folder):
        self.build, self.out = os.path.join(folder, "build"), os.path.join(folder, "out")
        self.baseline = os.path.join(folder, "baselines", "cpu-model.json")
        self.command = os.path.join(self.build, "kernelgate")
        for path in (self.build, os.path.join(self.out, "records"), os.path.dirname(self.baseline)):
            os.makedirs(path)
        for name in ("a.model", "a.instrumented", "b.model", "b.instrumented", "a.gpu", "gpus.json", "driver"):
            shutil.copy("/bin/true", os.path.join(self.build, name))
        self.write_baseline(BASELINE)
        self.write_baseline(GPU_BASELINE, "gpu-x.json")

    def write_baseline(self, document, name="cpu-model.json"):
        write_file(os.path.join(os.path.dirname(self.baseline), name), document)

    def change_program(self, name):
        with open(os.path.join(self.build, name), "ab") as file:
            file.write(b"!")

    def leave(self, changed=None, tests=TESTS):
        """Leaves the verdicts of a run; `changed` has other ones for some tests."""
        for test in tests:
            write_file(self._record(test), (changed or {}).get(test, verdicts_of(test)))

    def _record(self, test):
        return os.path.join(self.out, "records", f"{test}.verdicts.json")

    def clear(self):
        for test in filter(lambda test: os.path.exists(self._record(test)), (*TESTS, *ON_GPU, *CODE_TESTS)):
            os.unlink(self._record(test))

    def recorded(self):
        return [test for test in TESTS if os.path.exists(self._record(test))]

    def read(self, test):
        return read_json(self._record(test))

    def entry(self, comparison):
        folder = os.path.join(self.build, "verdicts")
        return next(os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(f"model.{comparison}."))

    def edit(self, comparison, change):
        path = self.entry(comparison)
        document = read_json(path)
        change(document)
        write_file(path, document)


def pass_what_failed(document):
    """A poisoned entry: the verdicts of another state under the present key, with the digest that it was written with."""
    document["tests"]["model.a.check"]["cases"][0]["metrics"] = {"launches": {"value": 9, "verdict": "pass", "why": ""}}


def fail_in_it(document):
    document["tests"]["model.a.check"]["exit_code"] = 1
    facts = {key: document[key] for key in ("key", "kept", "tests")}
    document["digest"] = kept_verdicts._digest(kept_verdicts._canonical(facts))  # pylint: disable=protected-access


class Kept(unittest.TestCase):
    def setUp(self):
        self.enterContext(mock.patch.dict(os.environ))
        for name in [name for name in os.environ if name.startswith(("KG_", "KERNELGATE_", "CUDA_"))]:
            del os.environ[name]
        self.folders = Folders(self.enterContext(tempfile.TemporaryDirectory()))
        os.environ["KG_BASELINES"] = os.path.dirname(self.folders.baseline)
        self.enterContext(mock.patch.object(kept_verdicts, "DRIVER", os.path.join(self.folders.build, "driver")))

    def keep(self, changed=None, tests=TESTS, crashed=(), begun=None):
        """Stores the tests' verdicts. Those in `crashed` wrote theirs, and then crashed."""
        self.folders.leave(changed, tests)
        kept_verdicts.of_ended_tests(self.folders.build, self.folders.out, self.folders.command).store(
            [ended(test, (changed or {}).get(test, {}).get("exit_code", 0), test in crashed) for test in tests], begun or time.time_ns())
        self.folders.clear()

    def restore(self, tests=TESTS):
        kept = kept_verdicts.Kept(self.folders.build, self.folders.out, self.folders.command, tests)
        remaining = kept.remaining()
        kept.leave()
        return remaining, kept

    def test_what_is_the_same_need_not_run(self):
        self.keep()
        remaining, _ = self.restore((*TESTS, "gpu.b.time", "model.prog.main", "other"))
        self.assertEqual(remaining, ("gpu.b.time", "model.prog.main", "other"))
        self.assertEqual(self.folders.recorded(), list(TESTS))
        self.assertEqual({key: value for key, value in self.folders.read(TESTS[0]).items() if key != "kept"}, verdicts_of(TESTS[0]))

    def test_what_changed_runs_again(self):
        other = {**BASELINE, "cases": {**BASELINE["cases"], "b/v/1/b32": {"launches": 2}}}
        own = {**BASELINE, "cases": {**BASELINE["cases"], "a/v/1/b32": {"launches": 2}}}
        changes = (("its program", lambda: self.folders.change_program("a.model"), OF_A),
                   ("its instrumented program", lambda: self.folders.change_program("a.instrumented"), OF_A),
                   ("its cases of the baseline", lambda: self.folders.write_baseline(own), OF_A),
                   ("another's cases of the baseline", lambda: self.folders.write_baseline(other), TESTS[2:]),
                   ("all of the baseline", lambda: self.folders.write_baseline({**BASELINE, "provenance": {"libc": "2"}}), TESTS),
                   ("no baseline", lambda: os.unlink(self.folders.baseline), TESTS),
                   ("a setting", lambda: os.environ.update(KG_CASE_TIMEOUT="3"), TESTS),
                   ("the version", lambda: self.enterContext(mock.patch.object(kept_verdicts, "VERSION", "9")), TESTS),
                   ("a folder", lambda: os.environ.update(KG_OUT="elsewhere"), ()))
        for what, change, again in changes:
            with self.subTest(what):
                self.doCleanups()
                self.setUp()
                self.keep()
                change()
                self.assertEqual(self.restore()[0], again)

    def test_a_gpu_is_the_same_too(self):
        other = {**GPU_BASELINE, "cases": {"a/v/1/b32": {}, "b/v/1/b32": {"time_ns": {"value": 1}}}}
        own = {**GPU_BASELINE, "cases": {"a/v/1/b32": {"time_ns": {"value": 1}}, "b/v/1/b32": {}}}
        timed = {"cases": [{**verdicts_of(ON_GPU[1])["cases"][0], "metrics": {"time_ns": {"value": 1}}}]}
        changes = (("nothing", lambda: None, {}, ()),
                   ("something was timed", lambda: None, timed, ON_GPU),
                   ("its program", lambda: self.folders.change_program("a.gpu"), {}, ON_GPU),
                   ("the model's program", lambda: self.folders.change_program("a.model"), {}, ()),
                   ("the boards", lambda: self.folders.change_program("gpus.json"), {}, ON_GPU),
                   ("the driver", lambda: self.folders.change_program("driver"), {}, ON_GPU),
                   ("no boards", lambda: os.unlink(os.path.join(self.folders.build, "gpus.json")), {}, ON_GPU),
                   ("its cases of the baseline", lambda: self.folders.write_baseline(own, "gpu-x.json"), {}, ON_GPU),
                   ("another's cases of the baseline", lambda: self.folders.write_baseline(other, "gpu-x.json"), {}, ()),
                   ("the model's baseline", lambda: self.folders.write_baseline({}), {}, ()),
                   ("all of the baseline", lambda: self.folders.write_baseline({**GPU_BASELINE, "sentinels": {}}, "gpu-x.json"), {}, ON_GPU),
                   ("its accuracy", lambda: self.folders.write_baseline({**GPU_BASELINE, "accuracy": {"a/v/1/b32": [1]}}, "gpu-x.json"), {}, ON_GPU),
                   ("a library", lambda: self.enterContext(mock.patch.object(kept_verdicts, "list_libraries", lambda *_: (
                       [("x", self.folders.baseline)], True))), {}, ON_GPU),
                   ("a claim on what was not timed", lambda: None,
                    {"cases": [], "exit_code": 77, "skipped": "unchanged", "skipped_by": "unchanged"}, ()),
                   ("a record of the model's", lambda: None, {"test": "model.a.time"}, ON_GPU),
                   ("another model's baseline", lambda: self.folders.write_baseline(GPU_BASELINE, "gpu-y.json"), {}, ON_GPU),
                   ("the base", lambda: os.environ.update(KG_BASE_COMMIT="0123456789"), {}, ON_GPU),
                   ("a setting of the driver", lambda: os.environ.update(CUDA_FORCE_PTX_JIT="1"), {}, ON_GPU),
                   ("a case of the sample", lambda: os.environ.update(KG_SAMPLE="b/v/1/b32,a/v/1/b32"), {}, ON_GPU),
                   ("another's case of the sample", lambda: os.environ.update(KG_SAMPLE="b/v/1/b32"), {}, ()))
        left = {"same_code": "baseline", "verdict": "unchanged"}
        for what, change, members, again in changes:
            with self.subTest(what):
                self.doCleanups()
                self.setUp()
                case = verdicts_of(ON_GPU[1])["cases"][0]
                self.keep({ON_GPU[1]: {**verdicts_of(ON_GPU[1]), "cases": [{**case, **left}], **members}}, ON_GPU)
                change()
                self.assertEqual(self.restore(ON_GPU)[0], again)

    def test_generated_code_is_the_same_too(self):
        """Of what it follows from, the test's stand-ins are the launches and nvcc's version; the files are there."""
        folders, answers = self.folders, {"launches": {"a": [1], "b": [2]}, "toolkit": "13.0"}
        cubins = [os.path.join(folders.build, "code", target, "a", "v.cubin") for target in ON_CODE]

        def prepare():
            for path in (*cubins, cubins[0].replace("cubin", "ptxas"), os.path.join(folders.build, "kernelgate-judge")):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                shutil.copy("/bin/true", path)
            write_file(os.path.join(folders.build, "kernelgate.code"), {"nvcc": "nvcc", "sources": {}})
            for target in ON_CODE:
                folders.write_baseline({"cases": {}}, f"{target}.json")
            answers.update(launches={"a": [1], "b": [2]}, toolkit="13.0")
            os.environ.pop("KG_STRICT", None)

        first, both = CODE_TESTS[:1], tuple(test for test in CODE_TESTS if test.startswith("sm_80"))
        of_a = tuple(test for test in CODE_TESTS if ".a." in test)
        changes = (("nothing", lambda: None, ()),
                   ("its code", lambda: folders.change_program("code/sm_80/a/v.cubin"), first),
                   ("what ptxas reports of it", lambda: folders.change_program("code/sm_80/a/v.ptxas"), first),
                   ("more code", lambda: shutil.copy("/bin/true", cubins[0].replace("v.", "w.")), first),
                   ("less code", lambda: os.unlink(cubins[0]), first),
                   ("its launches", lambda: answers["launches"].update(a=[3]), of_a),
                   ("the baseline", lambda: folders.write_baseline({"cases": {"a": 1}}, "sm_80.json"), both),
                   ("no baseline", lambda: os.unlink(os.path.join(os.path.dirname(folders.baseline), "sm_80.json")), both),
                   ("nvcc", lambda: answers.update(toolkit="13.1"), CODE_TESTS),
                   ("the judge", lambda: folders.change_program("kernelgate-judge"), CODE_TESTS),
                   ("what is compiled", lambda: folders.change_program("kernelgate.code"), CODE_TESTS),
                   ("a setting", lambda: os.environ.update(KG_STRICT="1"), CODE_TESTS))
        code = kept_verdicts.CodeBuild
        with mock.patch.object(code, "launches", lambda _, __, comparison: answers["launches"][comparison]), \
                mock.patch.object(code, "toolkit", lambda _: answers["toolkit"]):
            for what, change, again in changes:
                with self.subTest(what):
                    shutil.rmtree(os.path.join(folders.build, "code"), ignore_errors=True)
                    prepare()
                    self.keep(tests=CODE_TESTS)
                    change()
                    self.assertEqual(self.restore(CODE_TESTS)[0], again)

    def test_only_what_passed_is_kept(self):
        wrong = {"cases": [{**verdicts_of(OF_A[0])["cases"][0], "verdict": "wrong"}], "exit_code": 1}
        for members, again in ((wrong, OF_A), ({"exit_code": 2}, OF_A), ({"complete": False}, OF_A), ({"errors": ["no"]}, OF_A),
                               ({"exit_code": 77, "cases": [], "skipped": "no GPU", "skipped_by": "unavailable"}, OF_A),
                               ({"exit_code": 77, "cases": [], "skipped": "none", "skipped_by": "empty"}, ()),
                               ({"cases": verdicts_of(TESTS[2])["cases"]}, OF_A)):
            with self.subTest(members):
                shutil.rmtree(os.path.join(self.folders.build, "verdicts"), ignore_errors=True)
                self.keep({OF_A[0]: verdicts_of(OF_A[0], **members)})
                self.assertEqual(self.restore()[0], again)

    def test_what_ended_otherwise_than_its_verdicts_say_is_not_kept(self):
        self.keep(crashed=TESTS[:1])
        self.assertEqual(self.restore()[0], OF_A)

    def test_what_failed_since_is_not_kept(self):
        """Its tests depend on more than its programs, on a file that a reference reads."""
        self.keep()
        self.keep({OF_A[0]: verdicts_of(OF_A[0], exit_code=1)})
        self.assertEqual(self.restore()[0], OF_A)

    def test_a_program_built_while_tests_ran_is_not_kept(self):
        before = time.time_ns()
        time.sleep(0.02)
        self.folders.change_program("a.model")
        self.keep(begun=before)
        self.assertEqual(self.restore()[0], OF_A)

    def test_an_entry_that_is_not_as_written_is_not_used(self):
        for change in (pass_what_failed, fail_in_it, lambda document: document.pop("digest"), lambda document: document.update(tests=[]),
                       lambda document: document.update(key="0"), lambda document: document.update(schema="kernelgate-kept/9")):
            self.keep()
            self.folders.edit("a", change)
            remaining, kept = self.restore()
            self.assertEqual((remaining, len(kept.damaged), self.folders.recorded()), (OF_A, 1, list(TESTS[2:])))
            self.folders.clear()
        shutil.copy(self.folders.entry("b"), self.folders.entry("a"))
        self.assertEqual(self.restore()[0], OF_A)

    def test_a_run_with_other_tests_does_not_use_it(self):
        self.keep()
        self.assertEqual(self.restore((*OF_A, "model.a.claim_x"))[0], (*OF_A, "model.a.claim_x"))

    def test_what_was_restored_is_not_kept_again(self):
        self.keep()
        _, kept = self.restore()
        os.unlink(self.folders.entry("a"))
        kept.store([ended(test, 0) for test in TESTS], time.time_ns())
        self.folders.clear()
        self.assertEqual(self.restore()[0], OF_A)

    def test_old_entries_are_forgotten(self):
        for count in range(12):
            os.environ["KG_CASE_SECONDS"] = str(1 + count)
            self.keep()
        names = os.listdir(os.path.join(self.folders.build, "verdicts"))
        self.assertEqual(len(names), kept_verdicts.MOST_UNUSED * 2)
        self.assertEqual(self.restore()[0], ())
