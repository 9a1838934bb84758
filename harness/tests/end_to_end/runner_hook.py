# SPDX-License-Identifier: MIT
"""Runs ci/runner-hook.sh between a pull request and a self-hosted runner's two processes, which are stood in for."""

import contextlib
import functools
import os
import pathlib
import select
import signal
import subprocess
import time
import traceback
import unittest

from workflow_runner import BASH, REPOSITORY, STEP_SECONDS, TREE, Run, Runner, Sandbox, event_of, write_script

SIGNAL_SECONDS = 0.02  # between the signals by which a Worker ends a step; the real one waits 7.5 s and 2.5 s
PROBES = [
    {"name": "pre", "id": "pre", "if": "always()", "run": "true"},
    {"name": "plain", "run": "true"},
    {"name": "failure", "if": "failure()", "run": "true"},
    {"name": "always", "if": "always()", "run": "true"},
    {"name": "post", "if": "always() && steps.pre.outcome != 'skipped'", "run": "true"},
]
NEXT_JOB = {"steps": [{"name": "next job", "run": "true"}]}
REFUSED = "::error title=refused by the runner::"


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


class Documented(unittest.TestCase):
    def test_a_runner_as_the_docs_set_it_up(self):
        """svc.sh makes runsvc.sh and .service the runner's user's, so that they, and what they read, change hands after it."""
        text = (TREE / "docs" / "ci.md").read_text()
        block = text[:text.index("svc.sh start")].rpartition("```sh\n")[2]
        install, owned = block.index("svc.sh install RUNNER_USER"), block.index("chown -R root:")
        self.assertLess(install, owned)
        names = block[owned:].partition("&&")[0].split()[3:]
        self.assertEqual(names, [".env", ".path", ".service", "bin", "externals", "./*.sh"])
        self.assertIn("chown root: .", block[owned:])


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
        hook = self.sandbox.folder / "hook-without-sleep.sh"
        hook.write_text((TREE / "ci" / "runner-hook.sh").read_text().replace("        sleep 1\n", ""))
        for deaf in ("Runner.Listener", "Runner.Worker"):
            self.assert_refused(fork, deaf, state="stopped", deaf=deaf, hook=f"exec bash -e {hook}")

    def test_programs_of_an_earlier_job_are_not_run(self):
        """What a job left where the runner's PATH begins, to have the hook take a fork for the repository."""
        planted = self.sandbox.folder / "planted"
        planted.mkdir(exist_ok=True)
        for name in ("python3", "sleep", "env"):
            write_script(planted / name, f"#!/bin/sh\necho {REPOSITORY}\n")
        self.sandbox.settings["PATH"] = f"{planted}:{os.environ['PATH']}"
        self.assert_refused(event_of("pull_request", origin="fork/kernels"), hook=f"exec {BASH} -e {TREE / 'ci' / 'runner-hook.sh'}")

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
