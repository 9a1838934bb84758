# SPDX-License-Identifier: MIT
"""Tests of when, where and of what commit a run was."""

import os
import subprocess
from unittest import mock

from own_folder import OwnFolder, write_file

from kernelgate.base import run_facts, run_lock

GITHUB = {"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "o/n", "GITHUB_RUN_ID": "77",
          "GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/12/merge", "GITHUB_HEAD_REF": "fix", "GITHUB_REF_NAME": "12/merge"}
URL = "https://github.com/o/n/actions/runs/77"
JOBS = (  # environment, the job, the branch
    ({}, {}, ""),
    (GITHUB, {"service": "github", "url": URL, "event": "pull_request", "pull_request": 12}, "fix"),
    ({**GITHUB, "GITHUB_EVENT_NAME": "push", "GITHUB_REF": "refs/heads/7", "GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "7"},
     {"service": "github", "url": URL, "event": "push"}, "7"),
    ({"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "javascript:x", "GITHUB_REPOSITORY": "o", "GITHUB_RUN_ID": "1"}, {"service": "github"}, ""),
    ({"GITHUB_ACTIONS": "true", "GITHUB_REF_NAME": "a\x1b[31m\nb"}, {"service": "github"}, "a [31m b"),
    ({"GITLAB_CI": "true", "CI_JOB_URL": "https://gitlab/j/5", "CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "3",
      "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "fix", "CI_COMMIT_REF_NAME": "other"},
     {"service": "gitlab", "url": "https://gitlab/j/5", "event": "merge_request_event", "pull_request": 3}, "fix"),
    ({"BUILDKITE": "true", "BUILDKITE_BUILD_URL": "https://buildkite/b/5", "BUILDKITE_JOB_ID": "j", "BUILDKITE_SOURCE": "webhook",
      "BUILDKITE_PULL_REQUEST": "false", "BUILDKITE_BRANCH": "main"},
     {"service": "buildkite", "url": "https://buildkite/b/5#j", "event": "webhook"}, "main"),
    ({"JENKINS_URL": "https://ci/", "BUILD_URL": "https://ci/job/1", "CHANGE_ID": "9", "CHANGE_BRANCH": "fix", "BRANCH_NAME": "PR-9"},
     {"service": "jenkins", "url": "https://ci/job/1", "pull_request": 9}, "fix"),
)
WHOLE = {"started": "2026-11-27T05:44:01Z", "ended": "2026-11-27T05:45:13Z", "seconds": 72.1, "host": "runner-7", "branch": "fix-tiles",
         "commit": "0123456789" * 4, "dirty": True, "base": "a" * 40, "base_ref": "main", "version": "0.1.0",
         "job": {"service": "github", "url": URL, "pull_request": 12}, "shard": {"index": 1, "of": 4}, "merged": [{"source": "a"}]}


class Facts(OwnFolder):
    def setUp(self):
        super().setUp()
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
        patch = mock.patch.dict(os.environ, {**kept, "GIT_CEILING_DIRECTORIES": os.path.dirname(self.folder)}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def git(self, *arguments):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, stdout=subprocess.PIPE)
        return done.stdout.decode().strip()

    def test_jobs(self):
        for environment, job, branch in JOBS:
            with mock.patch.dict(os.environ, environment):
                found = run_facts.facts_of_run(".")
                self.assertEqual((run_facts.job(), found.get("job", {}), found.get("branch", "")), (job, job, branch))

    def test_a_checkout(self):
        found = run_facts.facts_of_run(".")
        self.assertEqual({"ended", "host", "version"}, found.keys() - {"version_commit"}, "no lock, no git, no CI")
        self.git("init", "-q", "-b", "fix")
        write_file("file", "1")
        self.git("add", "file")
        self.git("commit", "-q", "-mone")
        commit = self.git("rev-parse", "HEAD")
        for text, dirty in (("1", False), ("2", True)):
            write_file("file", text)
            found = run_facts.facts_of_run(".", base_ref="HEAD")
            self.assertEqual([found.get(name) for name in ("commit", "dirty", "branch", "base", "base_ref")], [commit, dirty, "fix", commit, "HEAD"])
        found = run_facts.facts_of_run(".", commit="c1", base_ref="gone")
        self.assertEqual([found.get(name) for name in ("commit", "dirty", "branch", "base", "base_ref")], ["c1", None, None, None, "gone"])

    def test_when(self):
        run_lock.take(".", os.getpid())
        with mock.patch("time.time", lambda: run_lock.held_since(".") + 72.06):
            found = run_facts.facts_of_run(".")
        self.assertEqual((found["seconds"], found["started"] < found["ended"]), (72.1, True))
        run_lock.release(".", os.getpid())
        self.assertIsNone(run_lock.held_since("."))
        self.assertNotIn("started", run_facts.facts_of_run("."))

    def test_own_commit(self):
        os.makedirs("share/tools/kernelgate/base")
        open("share/tools/kernelgate/__main__.py", "w", encoding="utf-8").close()
        with mock.patch("kernelgate.base.files.__file__", os.path.abspath("share/tools/kernelgate/base/files.py")):
            self.git("init", "-q")
            self.git("commit", "-q", "--allow-empty", "-mone")
            self.assertIsNone(run_facts.own_commit(), "a copy inside of another repository")
            self.git("add", ".")
            self.git("commit", "-q", "-mtwo")
            self.assertEqual(run_facts.own_commit(), self.git("rev-parse", "HEAD"))
            for text, commit in (("abc\n", "abc"), ("", None)):
                write_file("share/kernelgate-commit", text)
                self.assertEqual(run_facts.own_commit(), commit)

    def test_words(self):
        self.assertEqual(run_facts.describe_run(WHOLE), "2026-11-27 05:44 UTC, 1 min 13 s, runner-7, pull request 12, fix-tiles at 0123456789-dirty, "
                                                        "against main, which is aaaaaaaaaa, shard 1 of 4, merged from 1 run, kernelgate 0.1.0")
        self.assertEqual(run_facts.job_url(WHOLE), URL)
        for run in ({}, 5, {"started": 5, "seconds": "x", "job": 5, "shard": 5, "merged": 5}, {"job": {"url": "javascript:x"}}):
            self.assertEqual((run_facts.describe_run(run), run_facts.job_url(run)), ("", ""))
        self.assertEqual(run_facts.describe_run({"ended": "2026-11-27T05:45:13Z", "commit": "c0ffee"}), "2026-11-27 05:45 UTC, c0ffee")
