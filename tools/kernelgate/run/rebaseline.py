# SPDX-License-Identifier: MIT
"""kernelgate rebaseline: records this machine's baselines, from a checkout to the command that commits them.

Records the baselines of the project in the current folder, or in KG_PROJECT: installs
what is missing, builds, checks every comparison, and measures it. Sessions on a GPU
join those of baselines/sessions/<target>.json, of this board and others of its model;
only lines that moved are rewritten in baselines/<target>.json. Run it on each board of
a model that the gate will meet. KG_FILTER narrows what is recorded.

--target sm is what nvcc generates, baselines/sm_XX.json; all records it too where there
are such files.

It refuses a tree with uncommitted changes, a failed check, other processes on the GPU,
sessions that disagree (one metric of ten may, and is recorded ungated, while the
sentinels agree), counts that do not repeat, and another recording at the same time. A
case whose GPU stays throttled, however often it is timed, is named and left out; more
than one in ten are refused. Its last line is the command that commits what it wrote.

exit: 0 recorded; 1 recorded, except for what was left out; otherwise the recording's
own code, 2 for a dirty tree, a failed build or no GPU to measure
"""

import contextlib
import glob
import hashlib
import os
import re
import time

from kernelgate.base import run_lock
from kernelgate.base.added_programs import added_names
from kernelgate.base.errors import Failure
from kernelgate.base.git import ask_git, current_commit
from kernelgate.base.programs import call_program
from kernelgate.base.settings import setting
from kernelgate.base.steps import Console, elapsed, run_step, told_when_stopped
from kernelgate.baseline.record import PARTLY
from kernelgate.run.build import OTHERWISE, Build
from kernelgate.run.gate import TARGETS, setup
from kernelgate.run.gpu import NVCC_ADVICE, find_gpu, find_nvcc, need_gpu
from kernelgate.run.project import Project, need_baselines

NAME = "kernelgate rebaseline"
WATCHED = ("kernels", "harness", "suites", "baselines", "cmake", "CMakeLists.txt", "CMakePresets.json")
SHOWN_CHANGES = 3
MODEL_ALONE = " (the CPU model alone: --target model)"
ALL_THE_SAME = "--allow-dirty records all the same"


def add_arguments(parser):
    parser.add_argument("--target", choices=TARGETS, default="all", metavar="TARGET",
                        help="all (the default: what the gate judges here), model, gpu or sm")
    parser.add_argument("--arch", metavar="N,...",
                        help="with --target sm: for these architectures, 80,90 (default: those of the baselines' GPUs, and those "
                             "recorded)")
    parser.add_argument("--sessions", metavar="N",
                        help="new processes that measure on a GPU (default: 5, the minimum; the CPU model counts in two)")
    parser.add_argument("--replace", action="store_true", help="forget the earlier sessions of what is recorded, of all boards")
    parser.add_argument("--allow-dirty", action="store_true",
                        help="record with uncommitted changes, though a baseline names its commit")
    parser.epilog = __doc__.partition("\n\n")[2]


def _refuse_changes(watched):
    changes = ask_git("status", "--porcelain", "--untracked-files=all", "--", *watched)
    if changes is None:
        raise Failure(f"git failed to check whether the tree is clean: a baseline names its commit; {ALL_THE_SAME}")
    names = [line[3:] for line in changes.splitlines()]
    if names:
        more = " ..." if len(names) > SHOWN_CHANGES else ""
        raise Failure(f"uncommitted changes ({' '.join(names[:SHOWN_CHANGES])}{more}): commit or remove them, since a baseline names "
                      f"its commit; {ALL_THE_SAME}")


def _checksums():
    """The digest of each file of baselines, by path."""
    found = {}
    for path in glob.glob("baselines/*.json") + glob.glob("baselines/*/*.json"):
        if not path.endswith(".schema.json"):
            with open(path, "rb") as file:
                found[path] = hashlib.sha256(file.read()).digest()
    return found


def _find_uncommitted():
    """The baseline files, relative to here, that are new to git, and those that differ from git's."""
    said = ask_git("-c", "status.relativePaths=true", "-c", "status.branch=false", "-c", "color.status=false", "status", "--short",
                "--untracked-files=all", "--", "baselines/*.json", ":!baselines/schemas") or ""
    lines = [(line[:2], line[3:]) for line in said.splitlines()]
    return [file for state, file in lines if state == "??"], [file for state, file in lines if state != "??"]


class Recording:
    def __init__(self, options, project):
        self._target = options.target
        self._arch = (options.arch or "").replace("sm_", "")
        self._sessions = options.sessions or "5"
        self._replace = options.replace
        if self._replace and self._target in ("model", "sm"):
            raise Failure("rebaseline: --replace is for times: counts and generated code have no sessions")
        if self._arch and not (self._target == "sm" and re.fullmatch("[0-9]{2,3}a?(,[0-9]{2,3}a?)*", self._arch)):
            raise Failure(f"rebaseline: --arch {self._arch}: is for --target sm, numbers as in --arch 80,90")
        if not re.fullmatch("[5-9]|[1-9][0-9]{1,2}", self._sessions):
            raise Failure(f"rebaseline: --sessions is a number from 5 to 999, not '{self._sessions}': fewer than 5 are not enough to "
                          "estimate the noise")
        self._project = project
        self._console = Console()
        self._preset, self._targets = "cpu", ["model"]
        self._build, self._command, self._commit = None, "", []

    def _choose_targets(self):
        """The preset to build and the targets to record. A GPU that cannot be recorded is an error, since its owner
        expects a baseline."""
        if self._target == "model":
            return
        if self._target == "sm":
            if not find_nvcc():
                raise Failure(f"no nvcc to generate code: {NVCC_ADVICE}")
            self._targets = ["sm"]
            return
        if self._target == "all" and not self._replace:
            gpu = find_gpu()
            if gpu.state == "none":
                self._console.say(f"{gpu.text}: no times are recorded")
                self._add_code()
                return
        text = need_gpu(MODEL_ALONE)
        self._console.say(f"GPU: {text}; nvcc: {find_nvcc()}")
        self._preset, self._targets = "gpu", ["gpu"]
        if self._target == "all":
            self._targets = ["model", "gpu"]
            self._add_code()

    def _add_code(self):
        """Adds nvcc's generated code, if it was recorded before."""
        if find_nvcc() and glob.glob("baselines/sm_*.json"):
            self._targets.append("sm")

    def _record_code(self):
        """Records nvcc's generated code: for all architectures with a baseline, or for the named ones."""
        folder, name = f"build/{self._preset}", "-DKG_CODE_ARCHITECTURES="
        if self._arch and self._build.run("configuring", name + self._arch.replace(",", ";"), folder):
            return 2
        if not os.path.exists(f"{folder}/kernelgate.code"):
            raise Failure("no baseline names an architecture to generate code for: name some, as in --arch 80,90")
        self._build.build("kernel_code")
        code = run_step([self._command, "code", "--build", folder, "--record"])
        if self._arch:
            self._build.run("configuring", name, folder)
        return code

    def _has_cases(self, part, programs):
        """Whether any of the programs has a case of a part that KG_FILTER selects."""
        return any(call_program(program, "--cases", part, lists="cases", filtered=True).stdout for program in programs)

    def _record(self, kind, is_needed):
        """The exit code of a recording; None if KG_FILTER leaves no case of this target but some of another."""
        if kind == "sm":
            return self._record_code()
        programs = self._project.programs(self._preset, f".{kind}")
        added = added_names(f"build/{self._preset}")
        if kind == "gpu" and not programs and added:
            self._console.say("the times of programs are those of gates: run five, and give their results.json to kernelgate baseline adopt")
            return None
        added = added and kind == "model"
        if not programs and not added:
            raise Failure(f"the build left no program build/{self._preset}/*.{kind}")
        part, options = "count", []
        if kind == "gpu":
            part, options = "time", ["--sessions", self._sessions, *(["--replace"] if self._replace else [])]
        if setting("KG_FILTER") is not None and not is_needed and not added and not self._has_cases(part, programs):
            self._console.say(f"KG_FILTER={setting('KG_FILTER')} leaves nothing to record for target {kind}")
            return None
        options += ["--build", f"build/{self._preset}"] if added else []
        return run_step([self._command, "baseline", "record", "--baselines", "baselines", *self._commit, *options, *programs])

    def run(self, held, allow_dirty):
        os.chdir(self._project.root)
        setup(self._project, self._console)
        if not allow_dirty:
            _refuse_changes(WATCHED if self._project.is_own else (".",))
        self._choose_targets()
        self._build = Build(self._project, self._preset, self._console)
        held.enter_context(run_lock.held(self._build.folder, NAME, OTHERWISE))
        self._build.build(*(["kg_command"] if self._target == "sm" else []))
        self._command = self._project.command(self._preset)
        # Determined before the first baseline is written, which makes the tree differ from its commit.
        name = current_commit()
        self._commit = ["--commit", name] if name else []
        begun, before, recorded, partly = time.monotonic(), _checksums(), False, False
        for kind in self._targets:
            # A filter may match cases of only one target; if it matches none at all, the recording complains.
            code = self._record(kind, not recorded and kind == self._targets[-1])
            partly = partly or code == PARTLY
            if code and code != PARTLY:
                if recorded:  # the records of an earlier target stay
                    self._say_what_to_commit(before)
                return code
            recorded = recorded or code is not None
        self._console.say(f"recorded in {elapsed(begun)}{', except for the cases named above' if partly else ''}")
        self._say_what_to_commit(before)
        return PARTLY if partly else 0

    def _say_what_to_commit(self, before):
        """Prints the changes of this run, and the commands that commit them."""
        say = self._console.say
        changed = sorted(path for path, digest in _checksums().items() if before.get(path) != digest)
        if changed:
            say(f"changed: {' '.join(changed)}")
        if not any(path.count("/") == 1 for path in changed):
            say("nothing moved beyond its band")
        new, moved = _find_uncommitted()
        if not new and not moved:
            if changed and ask_git("rev-parse", "--is-inside-work-tree") is None:
                say("this is not a git repository: nothing to commit to")
            return
        for path in new:
            if not os.path.basename(path).startswith("sm_") and "/sessions/" not in path:
                say(f"{path} is new, the first baseline of its target: look at it ({self._command} baseline show {path})")
        if moved:
            say(f"look at the change (git diff -- {' '.join(moved)})")
        files = " ".join(new + moved)
        keys = ", ".join(sorted({os.path.basename(path).removesuffix(".json") for path in new + moved}))
        say(f"then: git add -- {files} && git commit -m 'baselines: record {keys}' -- {files}")


def main(options):
    with told_when_stopped(), contextlib.ExitStack() as held:
        if setting("KG_BASELINES") is not None:
            need_baselines()
        return Recording(options, Project()).run(held, options.allow_dirty)
