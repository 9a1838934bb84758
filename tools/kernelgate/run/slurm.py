# SPDX-License-Identifier: MIT
"""kernelgate gate --slurm N: the shards of a gate as an array job of Slurm, whose results become those of one run.

The project is archived when the job is submitted, so that all shards test the same files, however long they wait. Each
unpacks it on its node's own disk, and leaves its results only when they are complete: a task that is run again, or a node
that dies, leaves nothing half."""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import time

from kernelgate.base.errors import Failure, complain
from kernelgate.base.files import own_file, replace_file
from kernelgate.base.figures import plural
from kernelgate.base.git import ask_git
from kernelgate.base.json_io import json_text
from kernelgate.run.run_files import make_folder

FOLDER = "slurm"  # in the folder of the results: the archive, the job, each shard's log and results
SCRIPT = "job.sh"
LOOK_SECONDS = (0.5, 15.0)  # between two questions, first and later
SILENT_SECONDS = 900.0  # that the scheduler may not answer
ANSWER_SECONDS = 120
FLAGS = ("strict", "changed", "all", "paired", "verbose", "quiet")
VALUES = ("target", "filter", "sample", "seconds")
# The final states of a task that has no verdict, with what to do.
ENDS = {
    "BOOT_FAIL": "its node did not start: submit it again",
    "CANCELLED": "it was canceled: submit it again",
    "DEADLINE": "it could not end before its deadline: give it a later one",
    "NODE_FAIL": "its node failed: submit it again",
    "OUT_OF_MEMORY": "its memory was not enough: submit it again with more --mem",
    "PREEMPTED": "another job took its node: submit it again, or to a partition that requeues",
    "REVOKED": "it ran on another cluster: submit it again",
    "TIMEOUT": "it ran into its time limit: submit it again with more --time, or with more shards",
}
ANSWERS = ("COMPLETED", "FAILED")

# Bash runs a trap only between commands: the gate, which gets the signal too, ends first.
JOB = """\
#!/bin/bash
# A shard of kernelgate gate, in a copy of the project on this node's own disk.
folder=$(mktemp -d) || exit 2
trap 'rm -rf -- "$folder"' EXIT
trap 'exit 143' TERM
mkdir "$folder/project" && tar -xf {archive} -C "$folder/project" && cd "$folder/project/"{prefix} || exit 2
export KG_OUT=$folder/out
{command} --shard "$SLURM_ARRAY_TASK_ID/{shards}"
code=$?
left={here}/$SLURM_ARRAY_TASK_ID
if [ -e "$KG_OUT/results.json" ]; then
    cp -r -- "$KG_OUT" "$left.$HOSTNAME.$$.new" && rm -rf -- "$left" && mv -- "$left.$HOSTNAME.$$.new" "$left" || exit 2
fi
exit $code
"""


def _call(*words, given=""):
    """Runs a command to its end, with a text as its input. Failure if it is missing."""
    try:
        return subprocess.run(words, input=given, capture_output=True, encoding="utf-8", errors="surrogateescape", timeout=ANSWER_SECONDS,
                              check=False)
    except OSError as error:
        raise Failure(f"{words[0]}: cannot be run: {error.strerror}: --slurm requires Slurm's commands on this machine, and tar") from None
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"{words[0]} has not answered in {ANSWER_SECONDS} s")


def _first_line(done):
    return (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").partition("\n")[0]


class Job:
    """The array job of a gate, in the folder `here`, which all nodes share."""

    def __init__(self, gate):
        self._gate = gate
        self._options = gate.options
        self._console = gate.console
        self.here = os.path.join(gate.out, FOLDER)
        self.shards = gate.slurm
        self.id, self._cluster = "", []
        self._states = {}  # by shard, the last that was seen

    def _make_folder(self):
        """Makes the folder, or clears that of an earlier job."""
        if os.path.lexists(self.here) and (os.path.islink(self.here) or not os.path.exists(os.path.join(self.here, SCRIPT))):
            raise Failure(f"{self.here}: is not the folder of an earlier job: remove it, or set KG_OUT to another folder")
        shutil.rmtree(self.here, ignore_errors=True)
        make_folder(self.here)
        open(os.path.join(self.here, SCRIPT), "w", encoding="utf-8").close()

    def _files(self, top):
        """The paths in the project to archive, each ended by a NUL: what git tracks or does not ignore, and packages of
        PyPI, which nodes may not be able to install."""
        mine = os.path.relpath(self._gate.out, top) + os.sep
        listed = [ask_git("ls-files", "-z", *which, folder=top) for which in (("--cached", "--recurse-submodules"), ("--others", "--exclude-standard"))]
        if None in listed:
            raise Failure(f"{top}: git does not list its files: see `git -C {top} ls-files --recurse-submodules`")
        names = [name for name in "".join(listed).split("\0") if name and not name.startswith(mine) and os.path.lexists(os.path.join(top, name))]
        tools = os.path.relpath(os.path.join(self._gate.project.root, "build", "tools"), top)
        return "".join(f"{name}\0" for name in (*names, *([tools] if os.path.isdir(os.path.join(top, tools)) else [])))

    def _archive(self):
        """Archives the project, with its commit; the path of its folder in the archive."""
        root, archive, clone = self._gate.project.root, os.path.join(self.here, "project.tar"), os.path.join(self.here, "clone")
        top = (ask_git("rev-parse", "--show-toplevel", folder=root) or "").removesuffix("\n")
        if top:
            # It borrows the objects of the project's own repository, and has an index of its own.
            done = _call("git", "clone", "--quiet", "--shared", "--no-checkout", top, clone)
            if done.returncode or ask_git("reset", "--quiet", folder=clone) is None:
                raise Failure(f"{top}: git cannot clone it for the job: {_first_line(done)}")
            files = self._files(top)
            words = ["-C", top, "--null", "-T", "-", "-C", clone, ".git"]
        else:
            top, files = root, ""
            words = ["-C", root, "--exclude", "./build", "--exclude", f"./{os.path.relpath(self._gate.out, root)}", "."]
        done = _call("tar", "-cf", archive, *words, given=files)
        shutil.rmtree(clone, ignore_errors=True)
        if done.returncode:
            raise Failure(f"{archive}: cannot be written: {_first_line(done)}: check the folder and its free space")
        return os.path.relpath(root, top)

    def _command(self):
        """The gate that a shard runs: that of the archived tree, or of the kernelgate that runs here."""
        options, project = self._options, self._gate.project
        package = "tools/kernelgate" if project.is_own else os.path.dirname(own_file("__main__.py"))
        words = ["python3", "-B", package, "gate"]
        words += [f"--{name}" for name in FLAGS if getattr(options, name)]
        words += [f"--{name}={getattr(options, name)}" for name in VALUES if getattr(options, name) is not None]
        words += [f"--base={self._gate.base.commit}"] if self._gate.base is not None else []
        if self._gate.costs:
            words.append(f"--costs={self.here}/costs.json")
            replace_file(f"{self.here}/costs.json", json_text(self._gate.costs))
        return shlex.join(words)

    def submit(self):
        self._make_folder()
        prefix = self._archive()
        script = os.path.join(self.here, SCRIPT)
        with open(script, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(JOB.format(archive=shlex.quote(os.path.join(self.here, "project.tar")), prefix=shlex.quote(prefix), command=self._command(),
                                  shards=self.shards, here=shlex.quote(self.here)))
        done = _call("sbatch", "--parsable", f"--array=1-{self.shards}", "--job-name=kernelgate", "--requeue", "--open-mode=append",
                     f"--output={self.here.replace('%', '%%')}/%a.log", *self._options.sbatch, script)
        found = re.fullmatch(r"([0-9]+)(?:;(\S+))?", done.stdout.strip())
        if done.returncode or not found:
            raise Failure(f"sbatch: {_first_line(done)}")
        self.id, self._cluster = found[1], [f"--clusters={found[2]}"] if found[2] else []
        self._console.say(f"job {self.id} of {plural(self.shards, 'shard')}: their logs are {self._gate.project.shown(self.here)}/*.log")

    def _look(self):
        """The states of the tasks that Slurm still knows, as lines; None if it does not answer."""
        done = _call("squeue", *self._cluster, "--noheader", "--states=all", f"--job={self.id}", "--format=%K|%T|%r")
        if done.returncode and "Invalid job id" not in done.stderr:
            return None, _first_line(done)
        return [line.strip().split("|") for line in done.stdout.splitlines() if line.count("|") == 2], ""

    def wait(self):
        """Waits until no task is pending or running."""
        pause, heard, told = LOOK_SECONDS[0], time.monotonic(), ""
        while True:
            tasks, why = self._look()
            if tasks is None:
                if time.monotonic() - heard > SILENT_SECONDS:
                    raise Failure(f"squeue: {why}: job {self.id} cannot be watched: see to Slurm, and submit again")
                if told != why:
                    complain(f"squeue: {why}: waiting for it")
                    told = why
            else:
                heard = time.monotonic()
                self._states.update({int(task): state for task, state, _ in tasks if task.isdecimal()})
                busy = [f"{state.lower()} ({reason})" if reason != "None" else state.lower() for _, state, reason in tasks
                        if state not in ENDS and state not in ANSWERS]
                if not busy:
                    return
                self._console.count(f"job {self.id}: {', '.join(f'{busy.count(text)} {text}' for text in dict.fromkeys(busy))}")
            time.sleep(pause)
            pause = min(1.3 * pause, LOOK_SECONDS[1])

    def cancel(self):
        if self.id:
            with contextlib.suppress(Failure):
                _call("scancel", *self._cluster, self.id)
                self._console.say(f"job {self.id} is canceled")

    def results(self):
        """The folders of the shards' results, and, by its number, what went wrong with a shard."""
        folders, wrong = [], {}
        for shard in range(1, self.shards + 1):
            folder, state = os.path.join(self._gate.project.shown(self.here), str(shard)), self._states.get(shard, "")
            if os.path.isdir(folder):
                folders.append(folder)
            if state in ENDS or not os.path.isdir(folder):
                why = ENDS.get(state, "it left no results")
                wrong[shard] = f"its job {self.id}_{shard} ended as {state or 'unknown'}: {why}; see {folder}.log"
        return folders, wrong


def run(gate):
    """Submits a gate, waits for it and merges its results. The exit code."""
    from kernelgate.run.merge_runs import publish_runs  # pylint: disable=import-outside-toplevel # setup may have installed what it needs
    job = Job(gate)
    try:
        job.submit()
        job.wait()
    except BaseException:
        job.cancel()
        raise
    gate.console.clear()
    folders, wrong = job.results()
    if not folders:
        raise Failure("no shard left results: " + "; ".join(f"shard {shard}: {why}" for shard, why in wrong.items()))
    return publish_runs(folders, gate.project.shown(gate.out), gate.options, states=wrong)
