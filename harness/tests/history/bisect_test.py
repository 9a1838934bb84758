# SPDX-License-Identifier: MIT
"""The bisection of commits, in a small repository. What compiles is a stand-in: it makes the fake comparison's programs behave as
a file of the commit says."""

import json
import os

from command_run import VALIDATE
from own_folder import read_text, write_file
from run_fixture import COMMAND, GPU, MODEL, SLOW, Runs, fake_baseline

# pylint: disable=wrong-import-position
from kernelgate import commands
from kernelgate.base.command_line import run
from kernelgate.history.bisect import stub_in_records
from kernelgate.run import project
from kernelgate.run.base_build import CommitBuild

WORSE = f"* {SLOW} barriers 9\n"
WRONG = f"* {SLOW} finding\n"


def build_programs(commit, source, _):
    plan = read_text(os.path.join(source, "kernels/plan"))
    if "refuse" in plan:
        return False
    for target, variable, real in (("model", "FAKE_COUNT_PLAN", MODEL), ("gpu", "FAKE_PLAN", GPU)):
        place = os.path.join(commit.folder, f"fake.{target}")
        write_file(f"{place}.plan", plan)
        os.chmod(write_file(place, f'#!/bin/sh\n{variable}={place}.plan exec {real} "$@"\n'), 0o755)
    return True


def kernelgate():
    """The command of the tree in the current folder."""
    project.own_file = lambda _: "ci/setup"
    CommitBuild._build_programs = build_programs  # pylint: disable=protected-access
    run(commands.main)


class Bisect(Runs):
    def setUp(self):
        super().setUp()
        self.set(GIT_CONFIG_GLOBAL="/dev/null", GIT_DIR=None, GIT_INDEX_FILE=None, KG_BASELINES=None, KG_OUT=None, FAKE_COUNT_PLAN=None,
                 FAKE_PLAN=None, KG__COMMAND=COMMAND)
        os.mkdir("tree")
        os.chdir("tree")
        self.write(".gitignore", "build/\nout/\n")
        self.write("CMakePresets.json", "{}")
        self.write("harness/a.c", "own\n")
        self.expect_shell("git init --quiet --initial-branch=main && git config user.name test && git config user.email test@localhost")

    def commit(self, *plans):
        """A commit of each plan on top of HEAD; their names."""
        names = []
        for number, plan in enumerate(plans):
            self.write("kernels/plan", plan)
            self.expect_shell(f"git add . && git commit --quiet --allow-empty --message={number}")
            names.append(self.expect_shell("git rev-parse HEAD").strip())
        return names

    def bisect(self, code, told, *words, **settings):
        return self.expect_program(code, told, kernelgate, "bisect", *words, **settings)

    def found(self, code, good, bad, *words):
        """The candidates, and the states of the steps, in their order."""
        self.write("../document", self.bisect(code, "", SLOW, good, bad, "--json", *words))
        self.expect_program(0, "", *VALIDATE, "../document")
        document = self.load("../document")
        return document["candidates"], [step["state"] for step in document["steps"]]

    def test_the_first_bad_commit(self):
        """By a counter that rose or a finding, wherever it is."""
        for first, plan in ((1, WORSE), (8, WRONG)):
            with self.subTest(first):
                names = self.commit(*["# good\n"] * first, *[plan] * (9 - first))
                found, states = self.found(0, names[0], names[-1])
                self.assertEqual(found, [names[first]])
                self.assertEqual(states[:2], ["good", "bad"])
                self.assertLessEqual(len(states), 5)
        self.expect_clean()

    def expect_clean(self):
        self.expect_shell("[[ -z $(git status --short) && $(git worktree list | wc -l) == 1 ]]")

    def test_commits_that_do_not_build(self):
        names = self.commit("# 0\n", "refuse\n", "# 2\n", "refuse 3\n", "refuse 4\n", WORSE, WORSE + "#\n", "refuse 7\n", WORSE + "# 8\n")
        self.bisect(0, ("the first bad commit is one of 3, since 2 commits could not be measured",
                        *(f"  {name[:7]} " for name in names[3:6])), SLOW, names[0], names[-1])
        self.bisect(2, f"GOOD {names[1]} cannot be measured", SLOW, names[1], names[-1])
        self.bisect(2, "cannot be measured: it does not build", SLOW, names[0], names[7])
        self.expect_clean()

    def test_what_cannot_be_reproduced(self):
        good, same, wrong, worse = self.commit("# 0\n", "# 1\n", WRONG, WORSE)
        self.bisect(1, f"not reproducible: GOOD {wrong} is bad here", SLOW, wrong, worse)
        self.assertEqual(self.found(1, good, same), ([], ["good", "good"]))

    def test_a_kernel_that_does_not_compile(self):
        """Observers report a stub with its place; a hang or another failure they do not."""
        os.makedirs("build/bisect/out/records")
        at = {"file": "kernels/a.cu", "line": 7}
        for record, stub in (({"event": "failed", "case": SLOW, "at": at}, "kernels/a.cu:7"), ({"event": "failed", "case": SLOW}, None),
                             ({"event": "hung", "where": "w", "at": at}, None)):
            self.write("build/bisect/out/records/a.jsonl", json.dumps(record) + "\n")
            self.assertEqual(stub_in_records(), stub)

    def test_one_metric(self):
        names = self.commit("# 0\n", f"* {SLOW} shuffles 3\n", f"* {SLOW} shuffles 3\n" + WORSE, f"* {SLOW} shuffles 3\n" + WORSE + "#\n")
        for metric, first in (("shuffles", 1), ("barriers", 2)):
            self.assertEqual(self.found(0, names[0], names[-1], "--metric", metric)[0], [names[first]])

    def test_a_merge_is_named(self):
        good, = self.commit("# 0\n")
        self.expect_shell("git checkout --quiet -b side")
        side = self.commit(WORSE, WORSE + "# 2\n")
        self.expect_shell("git checkout --quiet main && git merge --quiet --no-ff --message=merged side")
        merge = self.expect_shell("git rev-parse HEAD").strip()
        last, = self.commit(WORSE + "# 3\n")
        self.bisect(0, (f"first bad commit: {merge[:7]}", f"bisect {SLOW} {merge[:10]}^1 {side[-1][:10]}"), SLOW, good, last)
        self.assertEqual(self.found(0, f"{merge}^1", side[-1])[0], [side[0]])

    def test_refusals(self):
        good, bad = self.commit("# 0\n", WORSE)
        for told, *words in (("is not a case", "fake/plain", good, bad), ("BAD nobody: git knows no such commit", SLOW, good, "nobody"),
                             ("is not a commit before", SLOW, bad, good), ("is not a commit before", SLOW, good, good),
                             ("unknown target", SLOW, good, bad, "--target", "sm"), ("cannot be measured", "fake/plain/64/b7", good, bad)):
            self.bisect(2, told, *words)
        self.bisect(2, "there is no GPU to measure", SLOW, good, bad, "--target", "gpu", CUDA_VISIBLE_DEVICES="-1")

    def test_on_a_gpu(self):
        """Pairs of processes of each commit and of GOOD, whatever the stored baseline says."""
        os.mkdir("../bin")
        self.write_script("../bin/nvidia-smi", "#!/bin/sh\necho NVIDIA Fake\n")
        self.set(PATH=f"{os.path.abspath('../bin')}:{self.environment['PATH']}", CUDACXX="/bin/true", KG_CASE_SECONDS="0.02")
        self.write("baselines/nvidia-fake.json", fake_baseline())
        fast, slow = f"* {SLOW} hot 12000\n", f"* {SLOW} hot 12600\n"
        names = self.commit(fast, fast + "#\n", slow, slow + "#\n")
        found, states = self.found(0, names[0], names[-1], "--target", "gpu")
        self.assertEqual((found, states), ([names[2]], ["good", "bad", "good", "bad", "bad"]))
        self.assertEqual(self.found(1, names[0], names[1], "--target", "gpu"), ([], ["good", "good"]))
