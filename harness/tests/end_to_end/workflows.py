# SPDX-License-Identifier: MIT
"""Runs the steps of .github/workflows/ without GitHub (workflow_runner.py), and holds the files to their form."""

import os
import re
import shutil
import unittest

from workflow_runner import GATE_DIES, GATE_FAILS, GATE_PASSES, REPOSITORY, TREE, WORKFLOWS, Runner, Sandbox, event_of, git, write_script, yaml

GPUS = {path.stem for path in (TREE / "baselines").glob("nvidia-*.json")}


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
        if found and found[1].startswith(("./", "$/")):
            continue  # of this repository
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
        yield f"{name} may run forever"
    if "permissions" not in job:
        yield f"{name} does not say what its token may do"
    if "self-hosted" in job["runs-on"]:
        if job.get("permissions") != {"contents": "read"}:
            yield f"{name} gives a runner that lasts a token that may write"
        keys = job.get("strategy", {}).get("matrix", {}).get("gpu")
        for key in GPUS.symmetric_difference(keys) if keys is not None else ():
            yield f"{name}: {'there is no' if key in keys else 'nothing gates'} baselines/{key}.json"
    for step in job["steps"]:
        yield from faults_of_step(step)


def faults(text):
    """All that is wrong with a workflow by its form."""
    workflow = parsed(text)
    yield from faults_of_text(text)
    if workflow.get("permissions") != {}:
        yield "the token may do more than each job says"
    triggers = set(workflow["on"] if not isinstance(workflow["on"], str) else [workflow["on"]])
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    # An action by $/ is the default branch's: no file of the pull request is on the machine.
    harmless = {"workflow_run"} if all(step.get("uses", "").startswith("$/") for step in steps) else set()
    for trigger in triggers & {"pull_request_target", "workflow_run", "issue_comment"} - harmless:
        yield f"{trigger} runs with rights that a fork's code must not have"
    own = any("self-hosted" in job["runs-on"] for job in workflow["jobs"].values())
    if own and workflow.get("concurrency", {}).get("cancel-in-progress") is not False:
        yield "a measurement may be cancelled halfway"
    for name, job in workflow["jobs"].items():
        yield from faults_of_job(name, job)


class Form(unittest.TestCase):
    def test_workflows_are_of_good_form(self):
        names = sorted(path.name for path in WORKFLOWS.iterdir())
        self.assertEqual(names, ["comment.yml", "gate-cpu.yml", "gate-gpu.yml", "kernelgate.yml", "rebaseline.yml"])
        for name in names:
            self.assertEqual(list(faults((WORKFLOWS / name).read_text())), [], name)

    def test_actions_are_of_good_form(self):
        for name in ("action.yml", "ci/comment/action.yml"):
            text = (TREE / name).read_text()
            steps = yaml.safe_load(text)["runs"]["steps"]
            self.assertEqual([*faults_of_text(text), *(fault for step in steps for fault in faults_of_step(step))], [], name)

    def test_what_comments_waits_for_workflows_that_are_there(self):
        for folder in (WORKFLOWS, TREE / "examples" / "own-kernels" / ".github" / "workflows"):
            loaded = {path.name: parsed(path.read_text()) for path in folder.iterdir()}
            self.assertLessEqual(set(loaded["comment.yml"]["on"]["workflow_run"]["workflows"]), {one["name"] for one in loaded.values()})

    def test_a_workflow_with_rights_has_no_file_of_a_pull_request(self):
        text = (WORKFLOWS / "comment.yml").read_text()
        for other in ("actions/checkout@" + "0" * 40 + " # v5.0.0", "./ci/comment"):
            self.assertIn("must not have", "".join(faults(text.replace("$/ci/comment", other))))

    def test_each_fault_is_found(self):
        text = (WORKFLOWS / "gate-gpu.yml").read_text()
        for old, new, fault in (
            (r"@[0-9a-f]{40}", "@v5", "not pinned"),
            (r" # v5\.0\.0", "", "which version"),
            (r'"\$RESULT" = success', '"${{ github.head_ref }}" = success', "within a shell"),
            (r"persist-credentials: false", "persist-credentials: true", "left in the checkout"),
            (r'\[ "\$RESULT" = success \]', "ci/gaet", "not there to be run"),
            (r"    timeout-minutes: 90\n", "", "forever"),
            (r"      contents: read", "      contents: write", "may write"),
            (r"    permissions: \{\}\n", "", "what its token may do"),
            (r"\npermissions: \{\}\n", "\npermissions: write-all\n", "more than each job says"),
            (r"  pull_request:", "  pull_request_target:", "must not have"),
            (r"cancel-in-progress: false", "cancel-in-progress: true", "cancelled halfway"),
            (r"ignore\[self-hosted-runner\]", "ignore[artipacked]", "artipacked is ignored without a reason"),
            (r"gpu: \[", "gpu: [gpu-of-tomorrow, ", "no baselines/gpu-of-tomorrow.json"),
            (r", nvidia-h100[^]]*", "", "nothing gates baselines/nvidia-h100-80gb-hbm3.json"),
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
        self.assertTrue((self.sandbox.artifacts / "kernelgate-model" / "junit.xml").is_file())

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
        for name, base, more in (("pull_request", named, {}), ("merge_group", named, {}), ("push", named, {"before": named}),
                                 ("push", self.sandbox.base, {"before": named, "ref_name": "gated/7"}),
                                 ("workflow_dispatch", self.sandbox.base, {})):
            run = self.run_job(file, job, event_of(name, base=base, **more))
            self.assertEqual((run.name, run.result), (job if job != "verdict" else "gate-gpu", "success"), run.output)
            self.assertIn(f"{call} --base {base} ", self.sandbox.called()[-1], name)

    def test_the_model_is_held_against_the_base(self):
        self.assert_held_against_the_base("gate-cpu.yml", "model", "gate --target model --strict")

    def test_a_gate_that_failed_has_a_summary(self):
        self.sandbox.does("gate", GATE_FAILS)
        run = self.run_job("gate-cpu.yml", "model", event_of("push"))
        self.assertEqual((run.result, run.page), ("failure", "# kernelgate: FAIL (exit 1)\n"))
        self.assertTrue((self.sandbox.artifacts / "kernelgate-model" / "summary.md").is_file())

    def test_a_gate_that_died_says_so(self):
        self.sandbox.does("gate", GATE_DIES)
        run = self.run_job("gate-cpu.yml", "model", event_of("push"))
        self.assertEqual((run.result, run.page), ("failure", "The gate left no summary: see the logs of its steps.\n"))

    def test_a_broken_step_fails_here(self):
        for file, job, change in (
            ("gate-cpu.yml", "tests", ("ci/test", "ci/tests")),
            ("gate-gpu.yml", "measure", ("target: gpu", "target: gpu\n          arguments: --stricter")),
            ("gate-gpu.yml", "measure", ("target: gpu", "target: gpu\n          base: nowhere")),
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
        self.assertTrue((self.sandbox.artifacts / "kernelgate-nvidia-h200" / "junit.xml").is_file())

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

    # The gate of another repository

    def gate_of(self, github=None, **inputs):
        self.sandbox.does("gate", GATE_PASSES)
        github = github or event_of("pull_request", base=self.sandbox.base)
        return Runner(self.sandbox, load("kernelgate.yml"), github, inputs).run("verdict")

    def test_another_repository_is_gated(self):
        run = self.gate_of(runners='[["self-hosted", "nvidia-h200"], "ubuntu-24.04"]', target="gpu")
        self.assertEqual((run.name, run.result), ("verdict", "success"), run.output)
        calls = [call.partition(" ")[0] for call in self.sandbox.called()]
        self.assertEqual(calls, ["setup", "cmake", "cmake", "cmake", "gate"])
        self.assert_called(f"gate --target gpu --strict --base {self.sandbox.base} [KG_FILTER=]")
        self.assertTrue((self.sandbox.artifacts / "kernelgate-gpu-0" / "junit.xml").is_file())
        self.assertEqual(git(self.sandbox.checkout, "status", "--porcelain"), "", "kernelgate's checkout is no change")
        cache = self.sandbox.given["actions/cache"][0]
        self.assertRegex(cache["key"], r"^kernelgate-[0-9a-f]{16}-gpu-")
        self.assertTrue(cache["key"].startswith(cache["restore-keys"]))

    def test_another_compiler_has_another_cache(self):
        self.gate_of()
        write_script(self.sandbox.folder / "bin" / "g++", "#!/bin/sh\nexec /usr/bin/g++ \"$@\"\n")
        self.gate_of()
        one, other = (given["restore-keys"] for given in self.sandbox.given["actions/cache"])
        self.assertNotEqual(one, other)

    def test_the_inputs_of_another_repository(self):
        (self.sandbox.checkout / "sub").mkdir()
        run = self.gate_of(project="sub", strict=False, base="none", ccache=False, arguments="--sample 3 --changed")
        self.assertEqual(run.result, "success", run.output)
        self.assert_called("gate --target model --sample 3 --changed [KG_FILTER=]")
        self.assertNotIn("actions/cache", self.sandbox.given)
        self.assertTrue((self.sandbox.artifacts / "kernelgate-model-0" / "junit.xml").is_file())
        for inputs, said in (({"project": "nowhere"}, "there is no folder nowhere"), ({"base": "nowhere"}, "check out with fetch-depth: 0"),
                             ({"arguments": "--no-such"}, "unknown option --no-such")):
            runner = Runner(self.sandbox, load("kernelgate.yml"), event_of("push"), inputs)
            run = runner.run("gate")
            self.assertEqual(run.result, "failure", inputs)
            self.assertIn(said, run.output)

    def test_a_branchs_first_push_has_no_base(self):
        self.assertEqual(self.gate_of(event_of("push", before="0" * 40)).result, "success")
        self.assert_called("gate --target model --strict [KG_FILTER=]")

    def test_a_fork_is_gated_where_that_is_wanted(self):
        fork = event_of("pull_request", base=self.sandbox.base, origin="fork/kernels")
        self.assertEqual((self.gate_of(fork).result, self.sandbox.called()), ("failure", []))
        self.assertEqual(self.gate_of(fork, forks=True).result, "success")

    # Recording

    INPUTS = {"gpu": "nvidia-h200", "sessions": "5", "replace": False, "filter": ""}
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
        self.record("measure", sessions="7", replace=True, filter="a/*;touch x")
        self.assert_called("rebaseline --target gpu --sessions 7 --replace [KG_FILTER=a/*;touch x]")
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
        run = self.record(script=self.MOVES + "exit 2\n")
        self.assertEqual((run.result, self.proposed()), ("skipped", {}))

    def test_a_recording_that_left_something_out_says_so(self):
        run = self.record(script=self.MOVES + "echo 'a/b/1/-: the GPU was throttled: left out' >&2\nexit 1\n")
        self.assertEqual((run.result, len(self.proposed())), ("success", 1), run.output)
        self.assertIn("a/b/1/-: the GPU was throttled: left out", (self.sandbox.stand_ins / "body").read_text())

    def test_what_is_no_baseline_is_refused(self):
        for script in (
            "echo '{}' >baselines/nvidia-h200.json\n",
            "cp baselines/nvidia-h200.json baselines/other.json\n",
            "echo x >baselines/x.sh\n",
            "mkdir baselines/folder; echo x >baselines/folder/x\n",
            "echo '[' >baselines/nvidia-h200.json\n",
            *(
                f"""echo '{{"schema": "kernelgate-baseline/2", "target": {{"key": "nvidia-h200"}}{cases}}}' >baselines/nvidia-h200.json\n"""
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
