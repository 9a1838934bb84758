"""Runs the steps of .github/workflows/ without GitHub: workflows.py TREE [unittest's options]

Each job's `run` steps are executed as a runner does it, in a small repository with the tree's own ci/ scripts. What takes
long or needs a machine is stood in for: ci/gate, ci/test, ci/rebaseline and ci/setup by a script that takes only options
that the real one's help has, cmake by one that knows the tree's presets, gh by one that writes down what it was asked,
and the actions by what they do to files. Expressions are evaluated, so that conditions and environments are those of the
event that a test makes up. ci/runner-hook.sh runs under a self-hosted runner's two processes, which are stood in for too.
"""

import contextlib
import functools
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

try:
    import yaml
except ImportError:
    sys.exit("python3-yaml is missing: install it with ci/setup --for test")

TREE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
WORKFLOWS = TREE / ".github" / "workflows"
REPOSITORY = "owner/kernels"
STOOD_IN_FOR = ("gate", "test", "rebaseline", "setup")
STEP_SECONDS = 60
SIGNAL_SECONDS = 0.02  # between the signals by which a Worker ends a step; the real one waits 7.5 s and 2.5 s
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
    parts[::2] = [re.sub(r"!(?!=)", " not ", part).replace("&&", " and ").replace("||", " or ") for part in parts[::2]]
    names = {"true": True, "false": False, "null": "", "format": str.format, "always": lambda: True, "cancelled": lambda: False,
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
    [[ $option != --* ]] || grep -qwF -e "$option" "{tree}/ci/$name" || {{ echo "ci/$name: unknown option $option" >&2; exit 2; }}
done
[[ ! -e "$STAND_INS/$name" ]] || . "$STAND_INS/$name"
"""

CMAKE = """#!/usr/bin/env bash
set -eu
printf 'cmake'  >>"$STAND_IN_CALLS"; printf ' %q' "$@" >>"$STAND_IN_CALLS"; echo >>"$STAND_IN_CALLS"
[[ $# == 3 && $1 == --workflow && $2 == --preset ]] || {{ echo "cmake: not stood in for: $*" >&2; exit 2; }}
python3 -c 'import json, sys; sys.exit(sys.argv[2] not in [one["name"] for one in json.load(open(sys.argv[1]))["workflowPresets"]])' \\
    "{tree}/CMakePresets.json" "$3"
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
    write_script(folder / "bin" / "cmake", CMAKE)
    write_script(folder / "bin" / "gh", GH)
    (checkout / "baselines").mkdir()
    document = {"schema": "kernelgate-baseline/1", "target": {"key": "nvidia-h200"}, "cases": {"a/b/1/-": {"time_ns": {"value": 1}}}}
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
    event.update(payload)
    return {
        "event_name": name,
        "event": event,
        "ref": "refs/heads/main",
        "repository": REPOSITORY,
        "token": "a token",
        "run_id": "77",
    }


class Runner:
    shut_down = False

    def __init__(self, sandbox, workflow, github, inputs=None):
        self.sandbox = sandbox
        self.workflow = workflow
        self.contexts = {
            "github": github,
            "inputs": inputs or {},
            "runner": {"temp": str(sandbox.temporary)},
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
        matrix = job.get("strategy", {}).get("matrix", {})
        contexts = {**self.contexts, "matrix": {key: values[0] for key, values in matrix.items()}}
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
            contexts["steps"][step.get("id")] = {"outcome": outcome}
            if outcome == "failure":
                state = "failure"
        run.result = state

    def fails(self, job, step, contexts, state, run):
        """Runs a step, and returns whether it failed."""
        settings = {}
        for level in (self.workflow, job, step):
            settings.update({key: as_text(filled(value, contexts, state)) for key, value in level.get("env", {}).items()})
        if "uses" in step:
            return self.act(step, {key: filled(value, contexts, state) for key, value in step.get("with", {}).items()})
        return self.execute(step, settings, run)

    def act(self, step, given):
        """What the actions do to files."""
        action = step["uses"].partition("@")[0]
        if action == self.sandbox.failing_action or action == "actions/checkout":
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

    def execute(self, step, settings, run):
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


# a self-hosted runner


class Worker(Runner):
    """Runs a job as Runner.Worker does. When it is told to shut down it ends the step that runs, and skips the others
    without evaluating their conditions."""

    channel = None

    def wait(self, process):
        while process.poll() is None:
            if not select.select([self.channel], [], [], 0.005)[0]:
                continue
            self.shut_down = True
            for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                process.send_signal(sent)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(SIGNAL_SECONDS)
                    break


def forked(name, work):
    """Starts a process of this name that does `work` and exits with what that returns."""
    process = os.fork()
    if process == 0:
        try:
            pathlib.Path("/proc/self/comm").write_text(name)
            os._exit(work())
        except BaseException:
            traceback.print_exc()
            os._exit(3)
    return process


class SelfHosted:
    """The two processes of actions/runner, as of version 2.336: Runner.Listener starts a Runner.Worker for each job. On SIGINT
    it tells the Worker to shut down, waits for it, takes no other job, and exits with 0. The process `deaf` ignores that."""

    def __init__(self, sandbox, github, jobs, names=("Runner.Listener", "Runner.Worker"), deaf=None):
        self.sandbox, self.github, self.jobs, self.names, self.deaf = sandbox, github, jobs, names, deaf
        self.listener = forked(names[0], self.listen)

    def listen(self):
        heard, told = os.pipe()
        stopped = False

        def stop(*_):
            nonlocal stopped
            stopped = True
            if self.deaf != "Runner.Worker":
                os.write(told, b"shut down")

        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN if self.deaf == "Runner.Listener" else stop)
        for job in self.jobs:
            os.waitpid(forked(self.names[1], functools.partial(self.work, job, heard)), 0)
            if stopped:
                break
        return 0

    def work(self, job, heard):
        signal.signal(signal.SIGINT, lambda *_: None)
        worker = Worker(self.sandbox, {}, self.github)
        worker.channel = heard
        worker.run_steps(job, worker.contexts, Run("", ""))
        return 0

    def state(self, seconds=STEP_SECONDS):
        """How the Listener is, in at most this time: its exit code, "stopped", or "running"."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            process, status = os.waitpid(self.listener, os.WNOHANG | os.WUNTRACED)
            if process:
                return "stopped" if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)
            time.sleep(0.005)
        return "running"

    def remove(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.listener, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.listener, 0)


# what a workflow must not be


def parsed(text):
    workflow = yaml.safe_load(text)
    # YAML 1.1 reads the key `on` as a truth value.
    workflow["on"] = workflow.pop(True, workflow.get("on"))
    return workflow


def load(name):
    return parsed((WORKFLOWS / name).read_text())


def faults_of_text(text):
    for line in text.splitlines():
        found = re.search(r"\buses:\s*(\S+)(.*)", line)
        if found and not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", found[1]):
            yield f"{found[1]} is not pinned by a commit"
        elif found and not re.fullmatch(r" # v\d+\.\d+\.\d+", found[2]):
            yield f"{found[1]} does not say which version it is"
    for rule in re.findall(r"zizmor: ignore\[([\w-]+)\]", text):
        if f"`{rule}`" not in (TREE / "docs" / "ci.md").read_text():
            yield f"zizmor's {rule} is ignored without a reason in docs/ci.md"


def faults_of_step(step):
    if "${{" in step.get("run", ""):
        yield f"an expression within a shell: {step['run']!r}"
    if step.get("uses", "").startswith("actions/checkout@") and step.get("with", {}).get("persist-credentials") is not False:
        yield "the token is left in the checkout"
    for script in re.findall(r"(?<![\w/])ci/[\w.-]+", step.get("run", "")):
        if not os.access(TREE / script, os.X_OK):
            yield f"{script} is not there to be run"


def faults_of_job(name, job):
    if "timeout-minutes" not in job:
        yield f"{name} may run for ever"
    if "permissions" not in job:
        yield f"{name} does not say what its token may do"
    if "self-hosted" in job["runs-on"]:
        if job.get("permissions") != {"contents": "read"}:
            yield f"{name} gives a runner that lasts a token that may write"
        for key in job.get("strategy", {}).get("matrix", {}).get("gpu", []):
            if not (TREE / "baselines" / f"{key}.json").is_file():
                yield f"{name}: there is no baselines/{key}.json"
    for step in job["steps"]:
        yield from faults_of_step(step)


def faults(text):
    """All that is wrong with a workflow by its form."""
    workflow = parsed(text)
    yield from faults_of_text(text)
    if workflow.get("permissions") != {}:
        yield "the token may do more than each job says"
    triggers = set(workflow["on"] if not isinstance(workflow["on"], str) else [workflow["on"]])
    for trigger in triggers & {"pull_request_target", "workflow_run", "issue_comment"}:
        yield f"{trigger} runs with rights that a fork's code must not have"
    own = any("self-hosted" in job["runs-on"] for job in workflow["jobs"].values())
    if own and workflow.get("concurrency", {}).get("cancel-in-progress") is not False:
        yield "a measurement may be cancelled halfway"
    for name, job in workflow["jobs"].items():
        yield from faults_of_job(name, job)


class Form(unittest.TestCase):
    def test_workflows_are_of_good_form(self):
        names = sorted(path.name for path in WORKFLOWS.iterdir())
        self.assertEqual(names, ["gate-cpu.yml", "gate-gpu.yml", "rebaseline.yml"])
        for name in names:
            self.assertEqual(list(faults((WORKFLOWS / name).read_text())), [], name)

    def test_each_fault_is_found(self):
        text = (WORKFLOWS / "gate-gpu.yml").read_text()
        for old, new, fault in (
            (r"@[0-9a-f]{40}", "@v5", "not pinned"),
            (r" # v5\.0\.0", "", "which version"),
            (r'HEAD "\$BASE"', "HEAD ${{ github.head_ref }}", "within a shell"),
            (r"persist-credentials: false", "persist-credentials: true", "left in the checkout"),
            (r"run: ci/gate", "run: ci/gaet", "not there to be run"),
            (r"    timeout-minutes: 90\n", "", "for ever"),
            (r"      contents: read", "      contents: write", "may write"),
            (r"    permissions: \{\}\n", "", "what its token may do"),
            (r"\npermissions: \{\}\n", "\npermissions: write-all\n", "more than each job says"),
            (r"  pull_request:", "  pull_request_target:", "must not have"),
            (r"cancel-in-progress: false", "cancel-in-progress: true", "cancelled halfway"),
            (r"ignore\[self-hosted-runner\]", "ignore[artipacked]", "artipacked is ignored without a reason"),
            (r"gpu: \[nvidia-h200\]", "gpu: [nvidia-h200, gpu-of-tomorrow]", "no baselines/gpu-of-tomorrow.json"),
        ):
            changed, count = re.subn(old, new, text)
            self.assertGreater(count, 0, old)
            found = list(faults(changed))
            self.assertTrue(any(fault in one for one in found), f"{new}: {found}")


class Steps(unittest.TestCase):
    def setUp(self):
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.remove)

    def run_job(self, file, job, github, inputs=None, change=None):
        text = (WORKFLOWS / file).read_text()
        if change is not None:
            self.assertIn(change[0], text)
            text = text.replace(*change)
        return Runner(self.sandbox, parsed(text), github, inputs).run(job)

    def assert_called(self, expected):
        self.assertTrue(any(expected in call for call in self.sandbox.called()), f"{expected}: {self.sandbox.called()}")

    # The CPU's gate

    def test_gate_cpu_passes(self):
        self.sandbox.does("gate", GATE_PASSES)
        run = self.run_job("gate-cpu.yml", "gate-cpu", event_of("pull_request", origin="fork/kernels"))
        self.assertEqual((run.name, run.result), ("gate-cpu", "success"), run.output)
        for call in ("test ''", "gate --target model --strict"):
            self.assert_called(call)
        self.assertTrue((self.sandbox.artifacts / "gate-cpu" / "junit.xml").is_file())

    def test_gate_cpu_fails_with_each_of_its_jobs(self):
        for name, script in (("gate", GATE_FAILS), ("test", "exit 1\n")):
            self.sandbox.does(name, script)
            run = self.run_job("gate-cpu.yml", "gate-cpu", event_of("push"))
            self.assertEqual(run.result, "failure", name)
            (self.sandbox.stand_ins / name).unlink()

    def assert_held_against_the_base(self, file, job, call):
        """Passes, and the gate is called with the base that the event names, or else with where the default branch was left."""
        self.sandbox.does("gate", GATE_PASSES)
        named = git(self.sandbox.checkout, "rev-parse", "HEAD").strip()
        for name, base in (("pull_request", named), ("merge_group", named), ("push", self.sandbox.base),
                           ("workflow_dispatch", self.sandbox.base)):
            run = self.run_job(file, job, event_of(name, base=base))
            self.assertEqual((run.name, run.result), (job if job != "verdict" else "gate-gpu", "success"), run.output)
            self.assertIn(f"{call} --base {base} ", self.sandbox.called()[-1], name)

    def test_the_model_is_held_against_the_base(self):
        self.assert_held_against_the_base("gate-cpu.yml", "model", "gate --target model --strict")

    def test_a_gate_that_failed_has_a_summary(self):
        self.sandbox.does("gate", GATE_FAILS)
        run = self.run_job("gate-cpu.yml", "model", event_of("push"))
        self.assertEqual((run.result, run.page), ("failure", "# kernelgate: FAIL (exit 1)\n"))
        self.assertTrue((self.sandbox.artifacts / "gate-cpu" / "summary.md").is_file())

    def test_a_gate_that_died_says_so(self):
        self.sandbox.does("gate", GATE_DIES)
        run = self.run_job("gate-cpu.yml", "model", event_of("push"))
        self.assertEqual((run.result, run.page), ("failure", "The gate left no summary: see the logs of its steps.\n"))

    def test_a_summary_that_is_too_long_is_pointed_to(self):
        self.sandbox.does("gate", GATE_PASSES + "head -c 1048576 /dev/zero | tr '\\0' x >out/summary.md\n")
        run = self.run_job("gate-cpu.yml", "model", event_of("push"))
        self.assertEqual(run.result, "success")
        self.assertIn("does not fit on this page: it is out/summary.md", run.page)

    def test_a_broken_step_fails_here(self):
        for file, job, change in (
            ("gate-cpu.yml", "model", ("--target model", "--targte model")),
            ("gate-cpu.yml", "tests", ("ci/test", "ci/tests")),
            ("gate-gpu.yml", "measure", ("--strict", "--stricter")),
            ("gate-gpu.yml", "measure", ('HEAD "$BASE"', 'HEAD "$BASE')),
        ):
            self.sandbox.does("gate", GATE_PASSES)
            run = self.run_job(file, job, event_of("push"), change=change)
            self.assertEqual(run.result, "failure", change)

    def test_nothing_of_the_checkout_runs_where_there_is_none(self):
        hook = {"name": "hook", "if": "always()", "run": "exit 1"}
        checkout = "actions/checkout"
        for path in sorted(WORKFLOWS.iterdir()):
            workflow = load(path.name)
            for name, job in workflow["jobs"].items():
                uses = [step.get("uses", "").partition("@")[0] for step in job["steps"]]
                if checkout not in uses:
                    continue
                for failing, steps, expected in (
                    (None, [hook, *job["steps"]], ["hook"]),
                    (checkout, job["steps"], [checkout]),
                ):
                    (self.sandbox.folder / "ran").write_text("")
                    self.sandbox.failing_action = failing
                    runner = Runner(self.sandbox, workflow, event_of("push"), self.INPUTS)
                    runner.contexts["needs"]["measure"] = {"result": "success"}
                    workflow["jobs"][name] = {**job, "steps": steps}
                    self.assertEqual(runner.run(name).result, "failure")
                    self.assertEqual(self.sandbox.ran(), expected, (path.name, name))

    # The GPU's gate

    def test_gate_gpu_is_held_against_the_base(self):
        self.assert_held_against_the_base("gate-gpu.yml", "verdict", "gate --target gpu --strict")
        self.assertTrue((self.sandbox.artifacts / "gate-gpu-nvidia-h200" / "junit.xml").is_file())

    def test_gate_gpu_fails(self):
        for script in (GATE_FAILS, GATE_DIES):
            self.sandbox.does("gate", script)
            run = self.run_job("gate-gpu.yml", "verdict", event_of("pull_request", base=self.sandbox.base))
            self.assertEqual((run.name, run.result), ("gate-gpu", "failure"))

    def test_a_base_that_is_not_there_is_an_error(self):
        self.sandbox.does("gate", '[[ -n $5 ]] || exit 2\n')
        run = self.run_job("gate-gpu.yml", "verdict", event_of("pull_request", base="b" * 40))
        self.assertEqual(run.result, "failure", run.output)

    def test_a_fork_is_not_measured_and_not_passed(self):
        run = self.run_job("gate-gpu.yml", "verdict", event_of("pull_request", origin="fork/kernels"))
        self.assertEqual(self.sandbox.called(), [])
        self.assertEqual((run.name, run.result), ("gate-gpu of a fork", "failure"))
        self.assertIn("::error title=not gated::", run.output)
        self.assertIn("git fetch origin pull/7/head && git push origin FETCH_HEAD:refs/heads/gated/7", run.output)

    def test_a_cancelled_measurement_is_not_passed(self):
        runner = Runner(self.sandbox, load("gate-gpu.yml"), event_of("push"))
        runner.contexts["needs"]["measure"] = {"result": "cancelled"}
        self.assertEqual(runner.run("verdict").result, "failure")

    # Recording

    INPUTS = {"gpu": "nvidia-h200", "sessions": "5", "merge": False, "filter": ""}
    MOVES = (
        "echo 'matmul_f32/tiled/530/b16  45 543 ns  41 000 ns  -10.0 %'\n"
        'sed -i "s/\\"value\\": 1/\\"value\\": 2/" baselines/nvidia-h200.json\n'
    )

    def record(self, job="propose", script=MOVES, **inputs):
        self.sandbox.does("rebaseline", script)
        given = {**self.INPUTS, **inputs}
        runner = Runner(self.sandbox, load("rebaseline.yml"), event_of("workflow_dispatch"), given)
        if job == "propose":
            # Jobs share nothing but artifacts.
            runner.contexts["needs"]["measure"] = {"result": runner.run("measure").result}
            git(self.sandbox.checkout, "checkout", "--quiet", "--force", "main")
            git(self.sandbox.checkout, "clean", "-ffdxq")
            shutil.rmtree(self.sandbox.temporary)
            self.sandbox.temporary.mkdir()
        return runner.run(job)

    def proposed(self):
        """The branches at the remote, and what is changed by each."""
        remote = self.sandbox.folder / "remote.git"
        branches = git(remote, "for-each-ref", "--format=%(refname:short)", "refs/heads/rebaseline").split()
        return {branch: git(remote, "show", "--format=%s", "--name-only", branch).split("\n") for branch in branches}

    def test_recording_passes_its_inputs_on(self):
        self.record("measure", sessions="7", merge=True, filter="a/*;touch x")
        self.assert_called("rebaseline --target gpu --sessions 7 --merge [KG_FILTER=a/*;touch x]")
        self.assertFalse((self.sandbox.checkout / "x").exists())
        self.record("measure")
        self.assert_called("rebaseline --target gpu --sessions 5 [KG_FILTER=]")

    def test_what_moved_becomes_a_pull_request_of_baselines_alone(self):
        (self.sandbox.checkout / "harness.c").write_text("")
        run = self.record()
        self.assertEqual(run.result, "success", run.output)
        branch = "rebaseline/nvidia-h200-77"
        self.assertEqual(self.proposed(), {branch: ["baselines: record nvidia-h200", "", "baselines/nvidia-h200.json", ""]})
        body = (self.sandbox.stand_ins / "body").read_text()
        self.assertIn("matmul_f32/tiled/530/b16  45 543 ns  41 000 ns  -10.0 %", body)
        self.assertIn(f"https://github.example/{REPOSITORY}/actions/runs/77", body)
        self.assert_called(f"gh pr create --head {branch} --base main --title baselines:\\ record\\ nvidia-h200")
        self.assert_called(f"gh workflow run gate-cpu.yml --ref {branch}")
        self.assert_called(f"gh workflow run gate-gpu.yml --ref {branch}")

    def test_a_new_gpu_becomes_a_pull_request_too(self):
        run = self.record(script="sed s/nvidia-h200/nvidia-b200/ baselines/nvidia-h200.json >baselines/nvidia-b200.json\n")
        self.assertEqual(run.result, "success", run.output)
        self.assertIn("baselines/nvidia-b200.json", self.proposed()["rebaseline/nvidia-b200-77"])

    def test_a_long_table_is_cut(self):
        run = self.record(script=self.MOVES + "printf '~~~~~~~~\\na row of a table\\n%.0s' {1..6000}\n")
        self.assertEqual(run.result, "success", run.output)
        body = (self.sandbox.stand_ins / "body").read_text()
        self.assertLess(len(body), 65536)
        self.assertEqual(body.count("~~~~~~~~"), 2, "no line of the table ends the fence")
        self.assertIn("the log of the run has all of it", body)

    def test_nothing_moved_is_no_pull_request(self):
        run = self.record(script="echo 'nothing moved beyond its band'\n")
        self.assertEqual((run.result, self.proposed()), ("success", {}), run.output)
        self.assertIn("there is nothing to propose", run.output)

    def test_a_recording_that_is_refused_proposes_nothing(self):
        run = self.record(script=self.MOVES + "exit 1\n")
        self.assertEqual((run.result, self.proposed()), ("skipped", {}))

    def test_what_is_no_baseline_is_refused(self):
        for script in (
            "echo '{}' >baselines/nvidia-h200.json\n",
            "cp baselines/nvidia-h200.json baselines/other.json\n",
            "echo x >baselines/x.sh\n",
            "mkdir baselines/folder; echo x >baselines/folder/x\n",
            "echo '[' >baselines/nvidia-h200.json\n",
            *(
                f"""echo '{{"schema": "kernelgate-baseline/1", "target": {{"key": "nvidia-h200"}}{cases}}}' >baselines/nvidia-h200.json\n"""
                for cases in ("", ', "cases": {}', ', "cases": []', ', "cases": {"a/b/1/-": 1}')
            ),
        ):
            run = self.record(script=script)
            self.assertEqual((run.result, self.proposed()), ("failure", {}), script + run.output)
            self.assertIn("is not a baseline", run.output)
            for folder in self.sandbox.artifacts, self.sandbox.temporary:
                shutil.rmtree(folder)
                folder.mkdir()

    def test_a_pull_request_that_cannot_be_opened_is_an_error(self):
        (self.sandbox.stand_ins / "gh_fails").touch()
        run = self.record()
        self.assertEqual(run.result, "failure")
        self.assertIn("allow it in the repository's settings", run.output)


class JobSummary(unittest.TestCase):
    """ci/job-summary at the edges of a page, which GitHub drops whole where it is larger than 1 MiB."""

    MOST = 1024 * 1024 - 1

    def put(self, before, size):
        """The page's size with a summary of so many bytes, None for none, and what was printed."""
        with tempfile.TemporaryDirectory() as folder:
            page, summary = pathlib.Path(folder, "page"), pathlib.Path(folder, "summary.md")
            page.write_bytes(b"x" * before)
            if size is not None:
                summary.write_bytes(b"y" * size)
            environment = {"PATH": os.environ["PATH"], "GITHUB_STEP_SUMMARY": str(page)}
            done = subprocess.run([TREE / "ci" / "job-summary", summary], env=environment, capture_output=True, text=True, timeout=STEP_SECONDS)
            self.assertEqual(done.returncode, 0, done.stderr)
            return page.stat().st_size, done.stdout

    def test_what_fits_is_put_there_whole(self):
        for before, size in (0, 1), (0, self.MOST), (10, self.MOST - 10), (self.MOST - 1, 1):
            self.assertEqual(self.put(before, size), (before + size, ""))

    def test_what_does_not_fit_is_named(self):
        for before, size in (0, self.MOST + 1), (10, self.MOST - 9), (self.MOST - 1000, 1001), (0, None):
            after, output = self.put(before, size)
            self.assertTrue(before < after <= self.MOST, (before, size, after))
            self.assertEqual(output, "")

    def test_a_full_page_stays_as_it_is(self):
        for before, size in (self.MOST - 20, 100), (self.MOST - 20, None), (self.MOST, 1), (self.MOST, None), (self.MOST + 5, 1):
            after, output = self.put(before, size)
            self.assertEqual(after, before)
            self.assertIn("the job's page is full", output)


PROBES = [
    {"name": "pre", "id": "pre", "if": "always()", "run": "true"},
    {"name": "plain", "run": "true"},
    {"name": "failure", "if": "failure()", "run": "true"},
    {"name": "always", "if": "always()", "run": "true"},
    {"name": "post", "if": "always() && steps.pre.outcome != 'skipped'", "run": "true"},
]
NEXT_JOB = {"steps": [{"name": "next job", "run": "true"}]}
REFUSED = "::error title=refused by the runner::"


class Hook(unittest.TestCase):
    """ci/runner-hook.sh, between a pull request and a self-hosted runner."""

    @classmethod
    def setUpClass(cls):
        cls.sandbox, cls.other = Sandbox(), Sandbox()
        cls.addClassCleanup(cls.sandbox.remove)
        cls.addClassCleanup(cls.other.remove)

    def setUp(self):
        for sandbox in (self.sandbox, self.other):
            sandbox.settings = {"KG_RUNNER_REPOSITORY": REPOSITORY}

    def start(self, github, hook=f"exec bash -e {TREE / 'ci' / 'runner-hook.sh'}", steps=PROBES, sandbox=None, **runner):
        """Starts a runner with two jobs. The first has the hook and then the steps, as actions/runner puts them together."""
        sandbox = sandbox or self.sandbox
        (sandbox.folder / "ran").write_text("")
        (sandbox.folder / "log").write_text("")
        first = {"steps": [{"name": "hook", "if": "always()", "run": hook}, *steps]}
        runner = SelfHosted(sandbox, github, [first, NEXT_JOB], **runner)
        self.addCleanup(runner.remove)
        return runner

    def assert_accepted(self, github, message=""):
        self.assertEqual(self.start(github).state(), 0, message)
        self.assertEqual(self.sandbox.ran(), ["hook", "pre", "plain", "always", "post", "next job"], message)

    def assert_refused(self, github, message="", state=0, **given):
        self.assertEqual(self.start(github, **given).state(), state, message)
        self.assertEqual(self.sandbox.ran(), ["hook"], message)
        log = (self.sandbox.folder / "log").read_text()
        self.assertTrue(log.startswith(REFUSED), log)
        self.assertEqual(log.count("::error"), 1, log)

    def test_a_hook_that_only_fails_stops_nothing(self):
        self.assertEqual(self.start(event_of("push"), hook="exit 1").state(), 0)
        self.assertEqual(self.sandbox.ran(), ["hook", "pre", "failure", "always", "post", "next job"])

    def test_the_repositorys_own_code_may_run(self):
        for name in ("push", "merge_group", "workflow_dispatch", "schedule", "pull_request"):
            self.assert_accepted(event_of(name), name)

    def test_a_fork_may_not(self):
        fork = event_of("pull_request", origin="fork/kernels")
        gone = event_of("pull_request")
        gone["event"]["pull_request"]["head"]["repo"] = None
        for github in (fork, {**fork, "event_name": "push"}, gone):
            self.assert_refused(github)

    def test_another_repository_may_not(self):
        for settings, repository in (
            ({"KG_RUNNER_REPOSITORY": "fork/kernels"}, REPOSITORY),
            ({"KG_RUNNER_REPOSITORY": REPOSITORY}, "fork/kernels"),
            ({}, REPOSITORY),
        ):
            self.sandbox.settings = settings
            self.assert_refused({**event_of("push"), "repository": repository}, settings)

    def test_other_events_may_not(self):
        for name in ("pull_request_target", "workflow_run", "issue_comment", "repository_dispatch", ""):
            self.assert_refused({**event_of("push"), "event_name": name}, name)

    def test_what_cannot_be_read_may_not(self):
        for event in ("", [], {}, {"pull_request": 3}):
            self.assert_refused({**event_of("push"), "event": event}, event)
        self.assert_refused({**event_of("push"), "event_name": "pull_request"})
        for path in ("/nowhere", "/dev/null"):
            self.sandbox.settings["GITHUB_EVENT_PATH"] = path
            self.assert_refused(event_of("push"), path)

    def test_a_hook_that_breaks_refuses(self):
        text = (TREE / "ci" / "runner-hook.sh").read_text()
        broken = self.sandbox.folder / "broken-hook.sh"
        for line in ("false", "no-such-command", 'echo "$NO_SUCH_VARIABLE"', "exit 0"):
            broken.write_text(text.replace("\ncase ", f"\n{{ {line}; }} 2>/dev/null\ncase ", 1))
            self.assert_refused(event_of("push"), line, hook=f"exec bash -e {broken}")

    def test_a_runner_that_does_not_shut_down_is_ended_hard(self):
        fork = event_of("pull_request", origin="fork/kernels")
        sleep = self.sandbox.folder / "bin" / "sleep"
        write_script(sleep, "#!/bin/sh\n")
        self.addCleanup(sleep.unlink)
        for deaf in ("Runner.Listener", "Runner.Worker"):
            self.assert_refused(fork, deaf, state="stopped", deaf=deaf)
        self.sandbox.settings["PATH"] = "/nowhere"
        self.assert_refused(fork, state="stopped", deaf="Runner.Worker", hook=f"exec {BASH} -e {TREE / 'ci' / 'runner-hook.sh'}")

    def test_another_runner_goes_on(self):
        go = self.other.folder / "go"
        waits = {"name": "waits", "run": f"until [[ -e {go} ]]; do sleep 0.01; done"}
        neighbor = self.start(event_of("push"), steps=[waits, *PROBES], sandbox=self.other)
        while self.other.ran() != ["hook", "waits"]:
            self.assertEqual(neighbor.state(0.01), "running")
        self.assert_refused(event_of("pull_request", origin="fork/kernels"))
        go.touch()
        self.assertEqual(neighbor.state(), 0)
        self.assertEqual(self.other.ran()[-1], "next job")

    def test_without_its_runner_the_hook_holds_the_job(self):
        fork = event_of("pull_request", origin="fork/kernels")
        for names in (("Runner.Listener", "python3"), ("a", "b")):
            runner = self.start(fork, names=names)
            while (self.sandbox.folder / "log").read_text().count(REFUSED) < 2:
                self.assertEqual(runner.state(0.01), "running")
            self.assertEqual(runner.state(0.3), "running")
            self.assertEqual(self.sandbox.ran(), ["hook"])


if __name__ == "__main__":
    unittest.main()
