# SPDX-License-Identifier: MIT
"""ci/rebaseline from its first line to its last, in a repository of its own, with comparisons on a GPU that is not there: what
it refuses, what it writes, and that the commands it ends in work."""

import os
import shutil

from run_fixture import COMMAND, INSTRUMENTED, MODEL, SLOW, SOUND_GPU, Runs

BASELINE = "baselines/nvidia-fake.json"
SESSIONS = "baselines/sessions/nvidia-fake.json"
IGNORED = "/build/\n/log\n/plan\n/count_log\n/count_plan\n*.lock\n"


class Rebaseline(Runs):
    def setUp(self):
        """A repository with the scripts, one commit of it, and a build that needs no building."""
        super().setUp()
        self.set(PATH=f"{self.at('bin')}:{os.environ['PATH']}", KG_FILTER=SLOW, KG_BASELINES=None, KG_OUT=None, KG_VERBOSE=None,
                 KG_CASE_TIMEOUT=None, TMPDIR=None)
        self.set(**{f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})
        for name in ("cmake", "nvcc"):
            self.write_script(f"bin/{name}", "#!/bin/sh\n")
        self.write_script("bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA Fake'\n")
        self.copy_front("rebaseline")
        for preset in ("gpu", "cpu"):
            os.makedirs(f"build/{preset}")
            os.symlink(COMMAND, f"build/{preset}/kernelgate")
            self.write(f"build/{preset}/kernelgate.path", self.at(f"build/{preset}/kernelgate"))
        for program, name in ((SOUND_GPU, "fake.gpu"), (MODEL, "fake.model"), (INSTRUMENTED, "fake.instrumented")):
            os.symlink(program, f"build/gpu/{name}")
        # A program that is left of another commit is not in the list.
        self.write_script("build/gpu/stale.gpu", "#!/bin/sh\nexit 3\n")
        self.write("build/gpu/kernelgate.programs", "build/gpu/fake.gpu\nbuild/gpu/fake.model\n")
        self.write("build/cpu/kernelgate.programs", "")
        for path, text in (("CMakePresets.json", "{}"), ("kernels/plain.cu", "\n"), (".gitignore", IGNORED)):
            self.write(path, text)
        self.expect_shell("git init -q . && git add . && git commit -q -m one")

    def rebaseline(self, code, told, *options, **settings):
        if os.path.exists("log"):
            os.remove("log")
        return self.expect_program(code, told, "ci/rebaseline", *options, **settings)

    def record(self, code, told):
        return self.rebaseline(code, told, "--target", "gpu")

    def run_last_command(self, printed):
        """Runs the command that a recording ended in: it has to leave a clean tree and one more commit."""
        *_, last = printed.splitlines()
        self.assertTrue(last.startswith("kernelgate: then: "), printed)
        self.expect_shell(last.removeprefix("kernelgate: then: ") + ' && test -z "$(git status --porcelain)"')

    def test_a_new_gpu_gets_a_file_and_is_told_what_to_commit(self):
        printed = self.record(0, f"kernelgate: changed: {BASELINE} {SESSIONS}\nkernelgate: {BASELINE} is new, the first baseline of its target: "
                                 f"look at it (build/gpu/kernelgate baseline show {BASELINE})\n"
                                 f"kernelgate: then: git add -- {BASELINE} {SESSIONS}")
        self.run_last_command(printed)
        self.assertEqual(self.expect_shell("git log -1 --format=%s"), "baselines: record nvidia-fake\n")
        printed = self.record(0, f"kernelgate: changed: {SESSIONS}\nkernelgate: nothing moved beyond its band\n")
        self.run_last_command(printed)
        self.write("plan", f"* {SLOW} hot 12000\n")
        printed = self.record(0, (f"kernelgate: changed: {BASELINE} {SESSIONS}\n"
                                  f"kernelgate: look at the change (git diff -- {BASELINE} {SESSIONS})\n",
                                  "10 000 ns      12 000 ns   +20.0 %"))
        self.run_last_command(printed)

    def test_all_targets_are_recorded(self):
        printed = self.rebaseline(0, (f"kernelgate: changed: baselines/cpu-model.json {BASELINE} {SESSIONS}\n",
                                      "git commit -m 'baselines: record cpu-model, nvidia-fake'"))
        self.run_last_command(printed)

    def test_a_refusal_after_a_recording_says_what_was_recorded(self):
        """The GPU's refusal takes nothing back of what the model counted, and hides nothing of it."""
        self.write("plan", f"4 {SLOW} foreign 1\n")
        printed = self.rebaseline(2, (f"{SLOW}: 1 other process computed on the GPU while it was timed",
                                      "kernelgate: changed: baselines/cpu-model.json\n"))
        self.run_last_command(printed)
        self.assertFalse(os.path.exists(BASELINE))

    def test_what_stays_throttled_is_named_at_the_end(self):
        self.set(KG_FILTER="fake/plain/*,fake/quick/*")
        self.write("plan", f"* {SLOW} throttled\n")
        printed = self.rebaseline(1, (f"{SLOW}: the GPU was throttled while it was timed, and 3 times again: left out",
                                      ", except for the cases named above\n", f"{BASELINE} {SESSIONS}\n"))
        self.run_last_command(printed)
        self.assertNotIn(SLOW, self.read(BASELINE))

    def test_a_refusal_writes_nothing(self):
        self.write("plan", f"2 {SLOW} wrong\n")
        self.record(2, "expected 1, got 2")
        self.assertFalse(os.path.exists(BASELINE))
        self.assertEqual(self.expect_shell("git status --porcelain"), "")

    def test_a_dirty_tree_refuses_unless_told(self):
        self.write("kernels/plain.cu", "changed\n")
        self.record(2, "uncommitted changes (kernels/plain.cu): commit or remove them")
        self.assertEqual(self.observers(), 0, "nothing is measured in vain")
        self.rebaseline(0, f"{BASELINE} is new", "--target", "gpu", "--allow-dirty")
        self.assertRegex(self.read(BASELINE), '"commit": "[0-9a-f]*-dirty"')

    def test_arguments_that_are_wrong(self):
        for options, told in ((("--sessions", "4"), "--sessions is a number from 5 to 999, not '4'"),
                              (("--sessions", "1000"), "--sessions is a number from 5 to 999, not '1000'"),
                              (("--target", "cpu"), 'unknown target "cpu": use all, model, gpu, sm: see'),
                              (("--target", "sm", "--replace"), "--replace is for times"),
                              (("--arch", "90"), "--arch 90: is for --target sm"),
                              (("--target", "sm", "--arch", "90;80"), "numbers as in --arch 80,90"),
                              (("--target",), "--target: expected one argument"), (("--fast",), "unknown option --fast")):
            self.rebaseline(2, told, *options)
        self.assertEqual(self.observers(), 0)

    def test_without_git(self):
        shutil.rmtree(".git")
        self.record(2, "git failed to check whether the tree is clean")
        self.rebaseline(0, f"kernelgate: changed: {BASELINE} {SESSIONS}\nkernelgate: this is not a git repository: nothing to commit to\n",
                        "--target", "gpu", "--allow-dirty")

    def test_a_project_of_its_own(self):
        """Another project, in a folder of its repository, is recorded by the scripts of this one."""
        self.rebaseline(2, "/bin is not a project to gate, since it has no CMakePresets.json", KG_PROJECT="bin")
        self.expect_shell("mkdir -p own/baselines && git mv kernels CMakePresets.json own && mv build own/ && "
                          "echo /own/build/ >>.gitignore && git add . && git commit -q -m two")
        self.write("own/build/gpu/kernelgate.path", self.at("own/build/gpu/kernelgate"))
        self.set(KG_PROJECT="own")
        self.write("own/include.h", "\n")
        self.record(2, "uncommitted changes (own/include.h)")
        os.remove("own/include.h")
        printed = self.record(0, f"baseline show {BASELINE})\nkernelgate: then: git add -- {BASELINE}")
        os.chdir("own")
        self.run_last_command(printed)
        os.chdir("..")
        os.remove("own/build/gpu/kernelgate.path")
        self.record(2, "end its CMakeLists.txt with kg_finish_gate()")
