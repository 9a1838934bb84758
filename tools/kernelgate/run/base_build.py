# SPDX-License-Identifier: MIT
"""The base that `kernelgate gate --base REF` compares a tree with: the GPU programs of the commit REF."""

import glob
import hashlib
import os
import re
import shutil
import time

from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import read_text
from kernelgate.base.git import git
from kernelgate.base.contents import Contents, find_compilers
from kernelgate.base.steps import elapsed, run_step

# Cache variables of CMake that make the base's build like this tree's.
OPTION = re.compile(r"(CMAKE_(?:C|CXX|CUDA)_(?:COMPILER|FLAGS)|CMAKE_CUDA_(?:ARCHITECTURES|HOST_COMPILER)|CMAKE_BUILD_TYPE|kernelgate_DIR|"
                    r"KERNELGATE_SOURCE):[A-Z]+=(.+)")
PROGRAM = re.compile(r"^([a-z0-9_]+\.gpu): ")
UNJUDGED = "what got slower is confirmed against the stored baseline instead"


class CommitBuild:
    """Builds programs of a commit, which must exist; else Failure, in the name of an option. `folder` is that of the programs below
    build/, `programs` matches their names in Ninja's list of targets."""

    def __init__(self, project, reference, option, folder, preset="gpu", programs=PROGRAM):
        self.reference = reference
        self._project = project
        self._preset, self._wanted = preset, programs
        # In a hook, git's variables name the index of the commit being made, which the worktree would overwrite.
        for name in self._git("rev-parse", "--local-env-vars")[1].split():
            os.environ.pop(name, None)
        code, self._prefix = self._git("rev-parse", "--show-prefix")  # of this tree in its checkout
        if code:
            raise Failure(f"{option} {reference}: git finds no checkout in {project.root} ({self._prefix}): run it in a clone")
        code, self.commit = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
        if code or not re.fullmatch("[0-9a-f]{40,}", self.commit):  # git takes "^main" as everything but main
            raise Failure(f"{option} {reference}: git knows no such commit here: name a branch, a tag or a commit, and fetch it first where "
                          "the checkout is shallow")
        self.folder = os.path.join(project.root, "build", folder.format(commit=self.commit[:12]))
        self._place = os.path.dirname(self.folder)
        self._tree = os.path.join(self._place, "tree")

    def _git(self, *words):
        """Git's exit code in this tree, and its output; after a failure its first line."""
        done = git(self._project.root, *words)
        said = os.fsdecode(done.stdout if done.returncode == 0 else done.stderr)
        return done.returncode, said.removesuffix("\n") if done.returncode == 0 else said.partition("\n")[0]

    def _remove_tree(self):
        # Forced twice, since git locks a worktree while it makes it, and leaves it locked if git is killed.
        self._git("worktree", "remove", "--force", "--force", self._tree)
        shutil.rmtree(self._tree, ignore_errors=True)
        self._git("worktree", "prune")

    def _options(self):
        cache = read_text(os.path.join(self._project.folder(self._preset), "CMakeCache.txt"))
        return [f"-D{found[1]}={found[2]}" for found in map(OPTION.fullmatch, cache.split("\n")) if found]

    def _build_programs(self, source, log):
        """Builds only the programs of a source folder; whether it succeeded."""
        def run(*command):
            return run_step(command, stdout=log, stderr=log, cwd=source) == 0
        if not run("cmake", "--fresh", "-S", source, "-B", self.folder, "--preset", self._preset, "-DKG_WERROR=OFF", *self._options()):
            return False
        programs = []
        run_step(["ninja", "-C", self.folder, "-t", "targets", "all"], lambda line: programs.extend(self._wanted.findall(line)))
        return bool(programs) and run("cmake", "--build", self.folder, "--target", *programs)

    def make(self, log):
        """Builds the commit in a temporary worktree of its own: with this tree's harness, so that both are measured
        alike, or with its own if that fails. A project that uses kernelgate has no harness: its commits are built with
        the kernelgate of this tree's build. Returns the harness used, "this" or "own"; None if the build fails."""
        source = os.path.join(self._tree, self._prefix)
        self._remove_tree()
        try:
            if run_step(["git", "-C", self._project.root, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--force", "--force",
                         "--detach", self._tree, self.commit], stdout=log, stderr=log):
                return None
            if self._project.is_own:
                shutil.rmtree(os.path.join(source, "harness"), ignore_errors=True)
                shutil.copytree(os.path.join(self._project.root, "harness"), os.path.join(source, "harness"), symlinks=True)
            if self._build_programs(source, log):
                return "this"
            if not self._project.is_own:
                return None
            log.write("with the harness of this tree it does not build; now with its own\n")
            log.flush()
            shutil.rmtree(os.path.join(source, "harness"))
            if run_step(["git", "-C", source, "checkout", "--quiet", "--force", "HEAD", "--", "."], stdout=log, stderr=log):
                return None
            return "own" if self._build_programs(source, log) else None
        finally:
            self._remove_tree()


class Base(CommitBuild):
    """The GPU programs of a commit, in a folder of its own for as long as no other base is built."""

    def __init__(self, project, reference):
        super().__init__(project, reference, "--base", os.path.join("base", "{commit}"))
        self._stamp = os.path.join(self.folder, "built")

    def _is_this_tree(self):
        """Whether it equals this tree, file by file: comparing a build with itself is pointless."""
        return (self._git("diff", "--quiet", "--no-ext-diff", self.commit, "--", ".")[0] == 0
                and self._git("ls-files", "--others", "--exclude-standard", "--", ".") == (0, ""))

    def _identity(self):
        """The identity of the base's sources: the commit, and this tree's harness, or the command of the kernelgate
        that a project uses."""
        harness = (glob.glob(os.path.join(glob.escape(self._project.root), "harness", "**"), recursive=True) if self._project.is_own else
                   [os.path.join(self._project.root, self._project.command("gpu"))])
        compilers = [path for paths in find_compilers(self._project.folder("gpu")) for path in paths]
        contents = Contents({})
        parts = [self.commit, *self._options(), *(f"{path} {contents.digest(path)}" for path in sorted(harness) + compilers)]
        return hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()

    def _prepare_folder(self):
        with os_errors_as(f"cannot write to {self._place}", "make it writable, or remove it"):
            os.makedirs(self.folder, exist_ok=True)
            for name in os.listdir(self._place):
                path = os.path.join(self._place, name)
                if path not in (self.folder, self._tree):
                    shutil.rmtree(path)

    def build(self, console):
        """Builds the base, unless the last run has. Returns whether its programs are there; prints a line with the
        result or the reason."""
        name = self.reference if self.commit.startswith(self.reference) else f"{self.reference} ({self.commit[:10]})"
        if self._is_this_tree():
            console.say(f"the base {name} is this tree itself: {UNJUDGED}")
            return False
        self._prepare_folder()
        wanted = self._identity()
        built, _, harness = read_text(self._stamp).rstrip("\n").partition("\nharness=")
        if built == wanted:
            console.say(f"the base {name} is built already, in {self.folder}")
        else:
            console.say(f"building the base {name} in {self.folder}")
            begun = time.monotonic()
            if built:
                os.remove(self._stamp)
            path = os.path.join(self._project.root, "build", "base.log")
            with open(path, "w", encoding="utf-8") as log:
                harness = self.make(log)
            if harness is None:
                console.say(f"the base {name} does not build (see {path}): {UNJUDGED}")
                return False
            with open(self._stamp, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(f"{wanted}\nharness={harness}\n")
            console.say(f"built in {elapsed(begun)}")
        how = ", with its own harness, since with this one it does not build" if harness == "own" else ""
        console.say(f"what got slower is compared with {name}{how}")
        return True
