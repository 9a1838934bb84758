# SPDX-License-Identifier: MIT
"""The base that ci/gate --base builds: which commits it takes, what it leaves of the checkout, and how it begins again after
whatever was killed. What compiles is a stand-in."""

import functools
import os
import shutil

from own_folder import read_text, write_file
from run_fixture import Runs

# pylint: disable=wrong-import-position
from kernelgate.base.command_line import run
from kernelgate.base.steps import Console
from kernelgate.run import base_build, project


def build_programs(base, source, _):
    """Keeps what it was to compile."""
    if not os.path.exists("build/refuse"):
        text = [read_text(os.path.join(source, name)) for name in ("kernels/a.cu", "harness/a.c")]
        write_file(os.path.join(base.folder, "a.gpu"), " ".join("".join(text).split()))
    return not os.path.exists("build/refuse")


def build_base(arguments):
    """Finds and builds the base of this tree, by the kernelgate of a folder."""
    home, reference = arguments
    project.own_file = lambda _: f"{home}/ci/setup"
    base_build.CommitBuild._build_programs = build_programs  # pylint: disable=protected-access
    base = base_build.Base(project.Project(), reference)
    print(read_text(os.path.join(base.folder, "a.gpu")) if base.build(Console()) else "without a base")


class Base(Runs):
    def setUp(self):
        super().setUp()
        for name in ("GIT_DIR", "GIT_INDEX_FILE"):
            self.set(**{name: None})
        self.set(GIT_CONFIG_GLOBAL="/dev/null")
        os.mkdir("tree")
        os.chdir("tree")
        for path, text in (("build/gpu/CMakeCache.txt", "CMAKE_BUILD_TYPE:STRING=Release\n"), (".gitignore", "build/\n"),
                           ("CMakePresets.json", "{}"), ("kernels/a.cu", "one\n"), ("harness/a.c", "own\n")):
            self.write(path, text)
        self.expect_shell("git init --quiet --initial-branch=main && git config user.name test && "
                          "git config user.email test@localhost && git add . && git commit --quiet --message=one && git tag first && "
                          "echo two >kernels/a.cu && git commit --quiet --all --message=two")

    def base(self, ref, code, told, home=".", **settings):
        self.expect_program(code, told, functools.partial(run, build_base), home, ref, **settings)

    def expect_clean(self):
        """Nothing of the base's worktree remains, and the tree is as it was."""
        self.expect_shell("[[ -z $(git status --short) && $(git worktree list | wc -l) == 1 ]]")
        self.assertFalse(os.path.exists("build/base/tree") or os.path.exists(".git/worktrees/tree"))

    def test_a_commit_is_built_with_this_harness(self):
        self.write("harness/a.c", "changed\n")
        self.base("first", 0, "\none changed\n")
        self.base("first", 0, "is built already")
        self.write("harness/a.c", "own\n")
        self.expect_clean()

    def test_what_is_not_a_commit(self):
        for ref in ("nobody", "^main", "first..main", "HEAD:.gitignore", "HEAD^{tree}", "--help", "main\nmain", "a b"):
            with self.subTest(ref):
                self.base(ref, 2, "git knows no such commit here")
        self.expect_clean()

    def test_this_very_tree_is_no_base(self):
        """Compared with itself a build is as fast, whatever it does."""
        self.base("HEAD", 0, "is this tree itself")
        self.base("main", 0, "without a base")
        self.write("kernels/new.cu", "new\n")
        self.base("HEAD", 0, "\ntwo own\n")
        os.remove("kernels/new.cu")
        self.write("kernels/a.cu", "three\n")
        self.base("HEAD", 0, "\ntwo own\n")

    def test_a_worktree_that_was_left_behind(self):
        """Git locks a worktree while it makes it, and whoever kills it then leaves it so."""
        add = "git worktree add --quiet --detach"
        for remains in (f"{add} build/base/tree first", f"{add} --lock build/base/tree first",
                        f"{add} --lock build/base/tree first && rm -r build/base", "mkdir -p build/base/tree/kernels"):
            with self.subTest(remains):
                shutil.rmtree("build/base", ignore_errors=True)
                self.expect_shell(remains)
                self.base("first", 0, "\none own\n")
                self.expect_clean()

    def test_in_a_hook_the_index_is_left_alone(self):
        """There git's variables name the index of the commit that is being made."""
        self.write("kernels/a.cu", "three\n")
        self.expect_shell("git add .")
        self.base("first", 0, "\none own\n", GIT_DIR=".git", GIT_INDEX_FILE=os.path.abspath(".git/index"))
        self.assertEqual(self.expect_shell("git status --short"), "M  kernels/a.cu\n")

    def test_a_base_that_does_not_build(self):
        self.write("build/refuse", "")
        self.base("first", 0, ("does not build", "without a base"))
        self.expect_clean()

    def test_a_project_that_uses_kernelgate(self):
        """It may have a folder of the same name, which is as the base had it. What it uses decides whether the base is built
        again."""
        self.write("build/gpu/kernelgate.path", "../command\n")
        self.write("harness/a.c", "changed\n")
        for command, told in (("one", "\none own\n"), ("one", "is built already"), ("two", "kernelgate: building the base first")):
            self.write("../command", command + "\n")
            self.base("first", 0, told, "..")
        self.write("build/refuse", "")
        self.write("../command", "three\n")
        self.base("first", 0, "does not build", "..")
