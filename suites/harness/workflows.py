"""Runs the steps of .github/workflows/ without GitHub: workflows.py TREE [unittest's options]

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

try:
    import yaml
except ImportError:
    sys.exit("python3-yaml is missing: install it with ci/setup --for test")

TREE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
WORKFLOWS = TREE / ".github" / "workflows"
REPOSITORY = "owner/kernels"
STOOD_IN_FOR = ("gate", "test", "rebaseline", "setup")
STEP_SECONDS = 60


# expressions

TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>\d+)|(?P<word>[A-Za-z_][\w-]*)|(?P<sign>==|!=|&&|\|\||[!().,\[\]]))")


class Expression:
    """Evaluates what stands between ${{ and }}."""

    def __init__(self, text, contexts, state):
        self.tokens = []
        self.contexts = contexts
        self.state = state
        place = 0
        text = text.strip()
        while place < len(text):
            match = TOKEN.match(text, place)
            if match is None:
                raise ValueError(f"not understood: {text[place:]!r} in {text!r}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            place = match.end()

    def value(self):
        value = self.either()
        if self.tokens:
            raise ValueError(f"not understood: {self.tokens}")
        return value

    def take(self, sign):
        if self.tokens and self.tokens[0] == ("sign", sign):
            self.tokens.pop(0)
            return True
        return False

    def either(self):
        value = self.both()
        while self.take("||"):
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.comparison()
        while self.take("&&"):
            other = self.comparison()
            value = value and other
        return value

    def comparison(self):
        value = self.negation()
        if self.take("=="):
            return value == self.negation()
        if self.take("!="):
            return value != self.negation()
        return value

    def negation(self):
        if self.take("!"):
            return not self.negation()
        return self.primary()

    def primary(self):
        if self.take("("):
            value = self.either()
            assert self.take(")"), "a parenthesis is missing"
            return value
        kind, token = self.tokens.pop(0)
        if kind == "text":
            return token[1:-1].replace("''", "'")
        if kind == "number":
            return int(token)
        if kind != "word":
            raise ValueError(f"not understood: {token!r}")
        if self.take("("):
            return self.call(token)
        if token in ("true", "false", "null"):
            return {"true": True, "false": False, "null": ""}[token]
        return self.member(token)

    def call(self, name):
        arguments = []
        while not self.take(")"):
            arguments.append(self.either())
            self.take(",")
        if name == "format":
            return arguments[0].format(*arguments[1:])
        return {"always": True, "success": self.state == "success", "failure": self.state == "failure", "cancelled": False}[name]

    def member(self, name):
        if name not in self.contexts:
            raise ValueError(f"there is no context {name!r}")
        value = self.contexts[name]
        while self.take("."):
            key = self.tokens.pop(0)[1]
            value = value.get(key, "") if isinstance(value, dict) else ""
        return "" if value is None else value


def as_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def filled(text, contexts, state="success"):
    """A text with its expressions replaced; a text that is one expression becomes that one's value."""
    text = as_text(text)
    whole = re.fullmatch(r"\$\{\{(.*)\}\}", text, re.S)
    if whole and "}}" not in whole[1]:
        return Expression(whole[1], contexts, state).value()
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: as_text(Expression(found[1], contexts, state).value()), text)


def holds(condition, contexts, state):
    """Whether a condition lets a step or a job run; without a word of the state it is as if it began with success()."""
    text = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", as_text(condition))
    asks_for_state = re.search(r"\b(always|success|failure|cancelled)\(", text)
    return bool(Expression(text, contexts, state).value()) and (bool(asks_for_state) or state == "success")


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
    named = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    for name in [name for name in settings if name.startswith("GIT_") and "CONFIG" not in name]:
        del settings[name]
    return subprocess.run(
        ["git", *named, "-C", folder, *arguments], env=settings, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


class Sandbox:
    """A repository with the tree's ci/ and its stand-ins, a remote, and the files of a runner."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kernelgate-workflows-"))
        self.checkout = self.folder / "checkout"
        self.stand_ins = self.folder / "stand-ins"
        self.calls = self.folder / "calls"
        self.temporary = self.folder / "temporary"
        self.artifacts = self.folder / "artifacts"
        self.page = ""
        for folder in (self.checkout, self.stand_ins, self.temporary, self.artifacts):
            folder.mkdir()
        self.calls.touch()
        self.make_checkout()

    def make_checkout(self):
        shutil.copytree(TREE / "ci", self.checkout / "ci")
        for name in STOOD_IN_FOR:
            write_script(self.checkout / "ci" / name, STAND_IN)
        write_script(self.folder / "bin" / "cmake", CMAKE)
        write_script(self.folder / "bin" / "gh", GH)
        (self.checkout / "baselines").mkdir()
        self.write_baseline("nvidia-h200", 1)
        (self.checkout / ".gitignore").write_text("/out/\n/build/\n")
        git(self.folder, "init", "--quiet", "--bare", "remote.git")
        git(self.checkout, "init", "--quiet")
        git(self.checkout, "add", "--all")
        git(self.checkout, "commit", "--quiet", "--message", "all")
        git(self.checkout, "remote", "add", "origin", str(self.folder / "remote.git"))
        git(self.checkout, "push", "--quiet", "origin", "main")
        self.base = git(self.checkout, "rev-parse", "HEAD").strip()
        git(self.checkout, "commit", "--quiet", "--allow-empty", "--message", "a change")

    def write_baseline(self, key, value, folder=None):
        document = {"schema": "kernelgate-baseline/1", "target": {"key": key}, "cases": {"a/b/1/-": value}}
        path = (folder or self.checkout) / "baselines" / f"{key}.json"
        path.write_text(json.dumps(document) + "\n")

    def does(self, name, script):
        """What the stand-in of ci/NAME does beside taking its options."""
        (self.stand_ins / name).write_text(script)

    def called(self):
        return self.calls.read_text().splitlines()

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


def read_commands(path):
    """NAME=VALUE and NAME<<END lines of GITHUB_ENV and GITHUB_OUTPUT."""
    found = {}
    lines = iter(path.read_text().splitlines())
    for line in lines:
        name, mark, value = line.partition("=")
        if "<<" in name:
            name, _, end = line.partition("<<")
            value = "\n".join(iter(functools.partial(next, lines), end))
        elif not mark:
            raise AssertionError(f"{path.name}: no assignment: {line!r}")
        found[name] = value
    return found


class Runner:
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
        carried = {}
        for step in job["steps"]:
            if not holds(step.get("if", "success()"), contexts, state):
                continue
            settings = {}
            for level in (self.workflow, job, step):
                settings.update({key: as_text(filled(value, contexts, state)) for key, value in level.get("env", {}).items()})
            if "uses" in step:
                fails = self.act(step, {key: filled(value, contexts, state) for key, value in step.get("with", {}).items()})
            else:
                fails = self.execute(step, {**carried, **settings}, carried, run)
            if fails:
                state = "failure"
        run.result = state

    def act(self, step, given):
        """What the actions do to files."""
        action = step["uses"].partition("@")[0]
        if action == "actions/checkout":
            return False
        folder = self.sandbox.artifacts / as_text(given["name"])
        path = self.sandbox.checkout / as_text(given["path"])
        if action == "actions/download-artifact":
            shutil.copytree(folder, path, dirs_exist_ok=True)
            return False
        assert action == "actions/upload-artifact", f"{action} is not stood in for"
        if path.is_dir():
            shutil.copytree(path, folder, dirs_exist_ok=True)
        return not path.is_dir() and given.get("if-no-files-found") == "error"

    def execute(self, step, settings, carried, run):
        script = self.sandbox.folder / "step.sh"
        files = {}
        script.write_text(step["run"])
        for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH"):
            files[name] = self.sandbox.folder / name
            files[name].write_text("")
        shell = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"], None: ["bash", "-e"]}[step.get("shell")]
        environment = {
            "PATH": f"{self.sandbox.folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.sandbox.folder),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REF_NAME": "main",
            "GITHUB_WORKSPACE": str(self.sandbox.checkout),
            "RUNNER_TEMP": str(self.sandbox.temporary),
            "STAND_INS": str(self.sandbox.stand_ins),
            "STAND_IN_CALLS": str(self.sandbox.calls),
            **NOT_A_REAL_RUN,
            **{name: str(path) for name, path in files.items()},
            **settings,
        }
        ended = subprocess.run(
            [*shell, script],
            cwd=self.sandbox.checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=STEP_SECONDS,
        )
        run.output += ended.stdout
        run.page += files["GITHUB_STEP_SUMMARY"].read_text()
        carried.update(read_commands(files["GITHUB_ENV"]))
        read_commands(files["GITHUB_OUTPUT"])
        return ended.returncode != 0


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
        for call in ("test [", "setup --for test", "cmake --workflow --preset sanitize", "gate --target model --strict"):
            self.assert_called(call)
        self.assertTrue((self.sandbox.artifacts / "gate-cpu" / "junit.xml").is_file())

    def test_gate_cpu_fails_with_each_of_its_jobs(self):
        for name, script in (("gate", GATE_FAILS), ("test", "exit 1\n"), ("setup", "exit 2\n")):
            self.sandbox.does(name, script)
            run = self.run_job("gate-cpu.yml", "gate-cpu", event_of("push"))
            self.assertEqual(run.result, "failure", name)
            (self.sandbox.stand_ins / name).unlink()

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
            ("gate-cpu.yml", "sanitizers", ("--preset sanitize", "--preset sanitise")),
            ("gate-gpu.yml", "measure", ("--strict", "--stricter")),
            ("gate-gpu.yml", "measure", ('HEAD "$BASE"', 'HEAD "$BASE')),
        ):
            self.sandbox.does("gate", GATE_PASSES)
            run = self.run_job(file, job, event_of("push"), change=change)
            self.assertEqual(run.result, "failure", change)

    # The GPU's gate

    def test_gate_gpu_is_held_against_the_base(self):
        self.sandbox.does("gate", GATE_PASSES)
        for name in ("pull_request", "merge_group", "push", "workflow_dispatch"):
            run = self.run_job("gate-gpu.yml", "verdict", event_of(name, base=self.sandbox.base))
            self.assertEqual((run.name, run.result), ("gate-gpu", "success"), run.output)
            self.assertIn(f"gate --target gpu --strict --base {self.sandbox.base} ", self.sandbox.called()[-1])
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
        'sed -i "s/\\"a\\/b\\/1\\/-\\": 1/\\"a\\/b\\/1\\/-\\": 2/" baselines/nvidia-h200.json\n'
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
        run = self.record(script=self.MOVES + "for i in {1..3000}; do echo ~~~~~~~~; echo 'a row of a table'; done\n" * 2)
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
        ):
            run = self.record(script=script)
            self.assertEqual((run.result, self.proposed()), ("failure", {}), script + run.output)
            self.assertIn("is no baseline", run.output)
            shutil.rmtree(self.sandbox.artifacts)
            self.sandbox.artifacts.mkdir()

    def test_a_pull_request_that_cannot_be_opened_is_an_error(self):
        (self.sandbox.stand_ins / "gh_fails").touch()
        run = self.record()
        self.assertEqual(run.result, "failure")
        self.assertIn("allow it in the repository's settings", run.output)


class Hook(unittest.TestCase):
    """ci/runner-hook.sh, which stands between a pull request and a runner of one's own."""

    def ask(self, name, event, **settings):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(event if isinstance(event, str) else json.dumps(event))
            file.flush()
            environment = {
                "PATH": os.environ["PATH"],
                "KG_RUNNER_REPOSITORY": REPOSITORY,
                "GITHUB_REPOSITORY": REPOSITORY,
                "GITHUB_EVENT_NAME": name,
                "GITHUB_EVENT_PATH": file.name,
                **settings,
            }
            ended = subprocess.run(
                ["bash", "-e", TREE / "ci" / "runner-hook.sh"],
                env={key: value for key, value in environment.items() if value is not None},
                stdout=subprocess.PIPE,
                text=True,
            )
        self.assertEqual(ended.stdout.startswith("::error title=refused by the runner::"), ended.returncode == 1, ended)
        self.assertIn(ended.returncode, (0, 1))
        return ended.returncode == 0

    def test_the_repositorys_own_code_may_run(self):
        for name in ("push", "merge_group", "workflow_dispatch", "schedule", "pull_request"):
            self.assertTrue(self.ask(name, event_of(name)["event"]), name)

    def test_a_fork_may_not(self):
        fork = event_of("pull_request", origin="fork/kernels")["event"]
        self.assertFalse(self.ask("pull_request", fork))
        self.assertFalse(self.ask("push", fork), "an event with a pull request is one")
        gone = event_of("pull_request")["event"]
        gone["pull_request"]["head"]["repo"] = None
        self.assertFalse(self.ask("pull_request", gone))

    def test_a_workflow_cannot_name_another_repository(self):
        fork = event_of("pull_request", origin="fork/kernels")["event"]
        self.assertFalse(self.ask("pull_request", fork, KG_RUNNER_REPOSITORY="fork/kernels"))
        self.assertFalse(self.ask("push", event_of("push")["event"], GITHUB_REPOSITORY="fork/kernels"))
        self.assertFalse(self.ask("push", event_of("push")["event"], KG_RUNNER_REPOSITORY=None))

    def test_other_events_may_not(self):
        for name in ("pull_request_target", "workflow_run", "issue_comment", "repository_dispatch", ""):
            self.assertFalse(self.ask(name, event_of("push")["event"]), name)

    def test_what_cannot_be_read_may_not(self):
        for event in ("", "[]", "{", "{}", '{"pull_request": 3}'):
            self.assertFalse(self.ask("push", event), event)
        self.assertFalse(self.ask("pull_request", event_of("push")["event"]))
        self.assertFalse(self.ask("push", "{}", GITHUB_EVENT_PATH=None))


if __name__ == "__main__":
    unittest.main()
