# SPDX-License-Identifier: MIT
"""A stand-in for the runner of GitHub Actions, which executes the steps of a job in a small repository.

Each job's `run` steps are executed as a runner does it, in a small repository with the tree's own ci/ scripts. What takes
long or needs a machine is stood in for: ci/gate, ci/test, ci/rebaseline and ci/setup by a script that takes only options
that the real one's help has, cmake by one that knows the tree's presets, gh by one that writes down what it was asked,
and the actions by what they do to files. Expressions are evaluated, so that conditions and environments are those of the
event that a test makes up.
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import command_run

try:
    import yaml
except ImportError:
    sys.exit("python3-yaml is missing: install it with ci/setup --for test")

TREE = pathlib.Path(command_run.TREE)
WORKFLOWS = TREE / ".github" / "workflows"
REPOSITORY = "owner/kernels"
STOOD_IN_FOR = ("gate", "test", "rebaseline", "setup")
STEP_SECONDS = 60
BASH = shutil.which("bash")


# expressions


class Nothing(str):
    """The empty text that is a member of anything which lacks it."""

    def __getattr__(self, name):
        return self


class Context(dict):
    """A context of expressions."""

    def __getattr__(self, name):
        value = self.get(name)
        return Context(value) if isinstance(value, dict) else Nothing() if value is None else value


def value_of(expression, contexts, state):
    """What stands between ${{ and }}: Python, but for three operators."""
    parts = re.split(r"('(?:[^']|'')*')", expression.strip())
    parts[::2] = [re.sub(r"\.([a-z]+)-([a-z]+)", r".\1_\2", part) for part in parts[::2]]
    parts[::2] = [re.sub(r"!(?!=)", " not ", part).replace("&&", " and ").replace("||", " or ") for part in parts[::2]]
    names = {"true": True, "false": False, "null": "", "format": str.format, "fromJSON": json.loads, "always": lambda: True, "cancelled": lambda: False,
             "success": lambda: state == "success", "failure": lambda: state == "failure"}
    return eval("".join(parts), {"__builtins__": {}}, {  # pylint: disable=eval-used
        **names, **{name: Context(value) for name, value in contexts.items()}})


def as_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def filled(text, contexts, state="success"):
    """A text with its expressions replaced; a text that is one expression becomes that one's value."""
    text = as_text(text)
    whole = re.fullmatch(r"\$\{\{(.*)\}\}", text, re.S)
    if whole and "}}" not in whole[1]:
        return value_of(whole[1], contexts, state)
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: as_text(value_of(found[1], contexts, state)), text)


def holds(condition, contexts, state):
    """Whether a condition lets a step or a job run; without a word of the state it is as if it began with success()."""
    text = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", as_text(condition))
    asks_for_state = re.search(r"\b(always|success|failure|cancelled)\(", text)
    return bool(value_of(text, contexts, state)) and (bool(asks_for_state) or state == "success")


# stand-ins

STAND_IN = """#!/usr/bin/env bash
# Stands in for a script of ci/: takes what the real one takes, and leaves what a test wants of it.
set -eu
name=${{0##*/}}
printf '%s' "$name" >>"$STAND_IN_CALLS"; printf ' %q' "$@" >>"$STAND_IN_CALLS"
printf ' [KG_FILTER=%s]\\n' "${{KG_FILTER-}}" >>"$STAND_IN_CALLS"
for option in "$@"; do
    [[ $option != --* ]] || grep -qwsF -e "$option" "{tree}/ci/$name" "{tree}/tools/kernelgate/run/$name.py" || {{ echo "ci/$name: unknown option $option" >&2; exit 2; }}
done
[[ ! -e "$STAND_INS/$name" ]] || . "$STAND_INS/$name"
"""

CMAKE = """#!/usr/bin/env bash
set -eu
printf 'cmake'  >>"$STAND_IN_CALLS"; printf ' %q' "$@" >>"$STAND_IN_CALLS"; echo >>"$STAND_IN_CALLS"
if [[ $1 == --install && $3 == --prefix ]]; then
    mkdir -p "$4/bin"
    cp -- "${{0%/*}}/installed-kernelgate" "$4/bin/kernelgate"
    exit
fi
[[ $1 != -S && $1 != --build ]] || exit 0
[[ $# == 3 && $1 == --workflow && $2 == --preset ]] || {{ echo "cmake: not stood in for: $*" >&2; exit 2; }}
python3 -c 'import json, sys; sys.exit(sys.argv[2] not in [one["name"] for one in json.load(open(sys.argv[1]))["workflowPresets"]])' \\
    "{tree}/CMakePresets.json" "$3"
"""

# What the action installs: its gate is that of the stand-ins.
KERNELGATE = """#!/usr/bin/env bash
exec "$GITHUB_WORKSPACE/.kernelgate/ci/$1" "${{@:2}}"
"""

CCACHE = """#!/usr/bin/env bash
echo ccache version 4.7
"""

GH = """#!/usr/bin/env bash
set -eu
printf 'gh' >>"$STAND_IN_CALLS"; printf ' %q' "$@" >>"$STAND_IN_CALLS"; echo >>"$STAND_IN_CALLS"
[[ -n ${{GH_TOKEN-}} ]] || {{ echo 'gh: no token' >&2; exit 4; }}
case "$1 ${{2-}}" in
'auth setup-git') ;;
'pr create')
    while (($#)); do
        [[ $1 != --body-file ]] || cp -- "$2" "$STAND_INS/body"
        shift
    done
    [[ -s "$STAND_INS/body" && ! -e "$STAND_INS/gh_fails" ]]
    ;;
'workflow run') [[ -f "{tree}/.github/workflows/$3" ]] ;;
*) echo "gh: not stood in for: $*" >&2; exit 1 ;;
esac
"""

GATE_PASSES = 'mkdir -p out; echo "# kernelgate: PASS (exit 0)" >out/summary.md; echo "<testsuites/>" >out/junit.xml\n'
GATE_FAILS = 'mkdir -p out; echo "# kernelgate: FAIL (exit 1)" >out/summary.md; exit 1\n'
GATE_DIES = "exit 2\n"
NOT_A_REAL_RUN = {"GITHUB_SHA": "0" * 40, "GITHUB_SERVER_URL": "https://github.example", "GITHUB_RUN_ID": "77"}


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(tree=TREE))
    path.chmod(0o755)


def git(folder, *arguments):
    settings = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    named = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", "-c", "init.templateDir="]
    for name in [name for name in settings if name.startswith("GIT_") and "CONFIG" not in name]:
        del settings[name]
    return subprocess.run(
        ["git", *named, "-C", folder, *arguments], env=settings, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


@functools.cache
def template():
    """The folder that each sandbox is a copy of, and the commit before the last of its checkout."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kernelgate-workflows-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    checkout = folder / "checkout"
    for name in ("checkout", "stand-ins", "temporary", "artifacts"):
        (folder / name).mkdir()
    for name in ("calls", "ran", "log"):
        (folder / name).touch()
    shutil.copytree(TREE / "ci", checkout / "ci")
    for name in STOOD_IN_FOR:
        write_script(checkout / "ci" / name, STAND_IN)
    shutil.copy(TREE / "action.yml", checkout)
    for name, text in ("cmake", CMAKE), ("installed-kernelgate", KERNELGATE), ("ccache", CCACHE):
        write_script(folder / "bin" / name, text)
    write_script(folder / "bin" / "gh", GH)
    (checkout / "baselines").mkdir()
    document = {"schema": "kernelgate-baseline/2", "target": {"key": "nvidia-h200"}, "cases": {"a/b/1/-": {"time_ns": {"value": 1}}}}
    (checkout / "baselines" / "nvidia-h200.json").write_text(json.dumps(document) + "\n")
    (checkout / ".gitignore").write_text("/out/\n/build/\n")
    git(folder, "init", "--quiet", "--bare", "remote.git")
    git(checkout, "init", "--quiet")
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "--message", "all")
    git(checkout, "remote", "add", "origin", "../remote.git")
    git(checkout, "push", "--quiet", "origin", "main")
    base = git(checkout, "rev-parse", "HEAD").strip()
    git(checkout, "commit", "--quiet", "--allow-empty", "--message", "a change")
    for repository in (checkout, folder / "remote.git"):
        git(repository, "repack", "-a", "-d", "-q")  # a few files instead of a hundred: copies take less time
    return folder, base


class Sandbox:
    """A repository with the tree's ci/ and its stand-ins, a remote, and the files of a runner."""

    def __init__(self):
        original, self.base = template()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kernelgate-workflows-"))
        shutil.copytree(original, self.folder, dirs_exist_ok=True)
        self.checkout = self.folder / "checkout"
        self.stand_ins = self.folder / "stand-ins"
        self.calls = self.folder / "calls"
        self.temporary = self.folder / "temporary"
        self.artifacts = self.folder / "artifacts"
        self.settings = {}  # of the runner's own environment
        self.given = {}  # what some actions were given, by their names
        self.failing_action = None

    def does(self, name, script):
        """What the stand-in of ci/NAME does beside taking its options."""
        (self.stand_ins / name).write_text(script)

    def called(self):
        return self.calls.read_text().splitlines()

    def ran(self):
        """The steps that were begun, by name."""
        return (self.folder / "ran").read_text().splitlines()

    def remove(self):
        shutil.rmtree(self.folder)


# a runner


class Run:
    """What became of a job: its result, the page, what its steps printed."""

    def __init__(self, name, result):
        self.name = name
        self.result = result
        self.page = ""
        self.output = ""


def event_of(name, base="", **payload):
    """The github context of an event on `base`; a pull request's `origin` is the repository that its branch is in."""
    event = {"repository": {"full_name": REPOSITORY, "default_branch": "main"}}
    if name == "pull_request":
        head = {"repo": {"full_name": payload.pop("origin", REPOSITORY)}}
        event["pull_request"] = {"number": 7, "head": head, "base": {"sha": base}}
    if name == "merge_group":
        event["merge_group"] = {"base_sha": base}
    ref_name = payload.pop("ref_name", "main")
    event.update(payload)
    return {
        "event_name": name,
        "event": event,
        "ref": f"refs/heads/{ref_name}",
        "ref_name": ref_name,
        "repository": REPOSITORY,
        "token": "a token",
        "run_id": "77",
    }


class Runner:
    shut_down = False

    def __init__(self, sandbox, workflow, github, inputs=None):
        self.sandbox = sandbox
        self.workflow = workflow
        called = workflow.get("on", {}) if isinstance(workflow.get("on"), dict) else {}
        declared = (called.get("workflow_call") or {}).get("inputs", {})
        self.contexts = {
            "github": github,
            "inputs": {**{name: one["default"] for name, one in declared.items()}, **(inputs or {})},
            "runner": {"temp": str(sandbox.temporary)},
            "job": {"workflow_repository": "owner/kernelgate", "workflow_sha": "f" * 40},
            "needs": {},
            "matrix": {},
            "env": {},
        }

    def run(self, name):
        """Runs a job after those that it needs; of a matrix its first combination."""
        job = self.workflow["jobs"][name]
        needs = job.get("needs", [])
        state = "success"
        for needed in [needs] if isinstance(needs, str) else needs:
            if needed not in self.contexts["needs"]:
                self.contexts["needs"][needed] = {"result": self.run(needed).result}
            if self.contexts["needs"][needed]["result"] != "success":
                state = "failure"
        matrix = {key: filled(values, self.contexts) if isinstance(values, str) else values
                  for key, values in job.get("strategy", {}).get("matrix", {}).items()}
        contexts = {**self.contexts, "matrix": {key: values[0] for key, values in matrix.items()}, "strategy": {"job_index": 0}}
        run = Run(as_text(filled(job.get("name", name), contexts)), "skipped")
        if holds(job.get("if", "success()"), contexts, state):
            self.run_steps(job, contexts, run)
        return run

    def run_steps(self, job, contexts, run):
        state = "success"
        contexts = {**contexts, "steps": {}}
        for step in job["steps"]:
            outcome = "skipped"
            if not self.shut_down and holds(step.get("if", "success()"), contexts, state):
                with open(self.sandbox.folder / "ran", "a") as ran:
                    ran.write(step.get("name", step.get("uses", "").partition("@")[0]) + "\n")
                outcome = "failure" if self.fails(job, step, contexts, state, run) else "success"
            contexts["steps"][step.get("id")] = {"outcome": outcome, "outputs": self.outputs() if outcome == "success" else {}}
            if outcome == "failure":
                state = "failure"
        run.result = state

    def fails(self, job, step, contexts, state, run):
        """Runs a step, and returns whether it failed."""
        settings = {}
        for level in (self.workflow, job, step):
            settings.update({key: as_text(filled(value, contexts, state)) for key, value in level.get("env", {}).items()})
        if "uses" not in step:
            return self.execute(step, settings, run, contexts)
        given = {key: filled(value, contexts, state) for key, value in step.get("with", {}).items()}
        if step["uses"].startswith(("./", "$/")):
            return self.compose(self.sandbox.checkout / step["uses"][2:], given, contexts, run)
        return self.act(step, given)

    def compose(self, folder, given, contexts, run):
        """Runs the steps of a composite action, and returns whether one failed."""
        action = yaml.safe_load((folder / "action.yml").read_text())
        unknown = given.keys() - action["inputs"].keys()
        assert not unknown, f"{folder}: no inputs {unknown}"
        inputs = {name: as_text(given.get(name, filled(one["default"], contexts))) for name, one in action["inputs"].items()}
        inner = Run("", "")
        self.run_steps({"steps": action["runs"]["steps"]}, {
            **contexts, "inputs": inputs, "github": {**contexts["github"], "action_path": str(folder)}}, inner)
        run.output, run.page = run.output + inner.output, run.page + inner.page
        return inner.result == "failure"

    def act(self, step, given):
        """What the actions do to files."""
        action = step["uses"].partition("@")[0]
        if action == "actions/checkout" and "path" in given:  # of kernelgate itself
            shutil.copytree(self.sandbox.checkout / "ci", self.sandbox.checkout / given["path"] / "ci", dirs_exist_ok=True)
            for name in ("action.yml", "CMakeLists.txt"):
                shutil.copy(TREE / name, self.sandbox.checkout / given["path"])
        if action == self.sandbox.failing_action or action in ("actions/checkout", "actions/cache"):
            self.sandbox.given.setdefault(action, []).append(given)
            return action == self.sandbox.failing_action
        folder = self.sandbox.artifacts / as_text(given["name"])
        path = self.sandbox.checkout / as_text(given["path"])
        if action == "actions/download-artifact":
            shutil.copytree(folder, path, dirs_exist_ok=True)
            return False
        assert action == "actions/upload-artifact", f"{action} is not stood in for"
        if path.is_dir():
            shutil.copytree(path, folder, dirs_exist_ok=True)
        return not path.is_dir() and given.get("if-no-files-found") == "error"

    def outputs(self):
        """What the last step that ran wrote to GITHUB_OUTPUT."""
        path = self.sandbox.folder / "outputs"
        found = dict(line.split("=", 1) for line in path.read_text().splitlines()) if path.exists() else {}
        path.unlink(missing_ok=True)
        return found

    def execute(self, step, settings, run, contexts):
        script = self.sandbox.folder / "step.sh"
        script.write_text(step["run"])
        event = self.sandbox.folder / "event.json"
        event.write_text(json.dumps(self.contexts["github"]["event"]))
        page = self.sandbox.folder / "page"
        page.write_text("")
        shell = {"bash": ["--noprofile", "--norc", "-eo", "pipefail"], None: ["-e"]}[step.get("shell")]
        environment = {
            # This Python first: another may be a script that takes its time to find it.
            "PATH": f"{self.sandbox.folder / 'bin'}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
            "HOME": str(self.sandbox.folder),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": self.contexts["github"]["repository"],
            "GITHUB_EVENT_NAME": self.contexts["github"]["event_name"],
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REF_NAME": "main",
            "GITHUB_WORKSPACE": str(self.sandbox.checkout),
            "RUNNER_TEMP": str(self.sandbox.temporary),
            "STAND_INS": str(self.sandbox.stand_ins),
            "STAND_IN_CALLS": str(self.sandbox.calls),
            **NOT_A_REAL_RUN,
            "GITHUB_STEP_SUMMARY": str(page),
            "GITHUB_OUTPUT": str(self.sandbox.folder / "outputs"),
            "GITHUB_ACTION_PATH": contexts["github"].get("action_path", ""),
            **self.sandbox.settings,
            **settings,
        }
        with open(self.sandbox.folder / "log", "a+") as log:
            begun = log.tell()
            process = subprocess.Popen(
                [BASH, *shell, script],
                cwd=self.sandbox.checkout,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            self.wait(process)
            log.seek(begun)
            run.output += log.read()
        run.page += page.read_text()
        return process.returncode != 0

    def wait(self, process):
        try:
            process.wait(STEP_SECONDS)
        finally:
            process.kill()
