# SPDX-License-Identifier: MIT
"""When, where and of what commit a run was, and for which job of a CI service: the member "run" of results."""

import os
import re
import time
from typing import NamedTuple

from kernelgate import VERSION
from kernelgate.base import run_lock
from kernelgate.base.errors import Failure
from kernelgate.base.figures import plural
from kernelgate.base.files import own_file
from kernelgate.base.git import ask_git, described_commit
from kernelgate.base.json_io import integer_of, list_of, member, number_of, object_of, text_of
from kernelgate.base.progress import show_duration
from kernelgate.base.text import clean

COMMIT_FILE = "../../kernelgate-commit"  # of an installation, written by cmake/KgInstall.cmake
DIRTY = "-dirty"
ADDRESS = r"https?://[A-Za-z0-9._~:/?#@!$&*+,;=%-]+"  # nothing that ends a link in Markdown
SHORT = 10  # digits of a commit in texts
TIME = "%Y-%m-%dT%H:%M:%SZ"


class Service(NamedTuple):
    """A CI service, by the environment variables that it sets in its jobs."""

    name: str
    sign: str
    url: str  # of the job's page
    event: str
    pull_request: str
    branches: tuple  # the first that is set; a job's checkout is mostly of no branch


SERVICES = (
    Service("github", "GITHUB_ACTIONS", "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}", "GITHUB_EVENT_NAME",
            "GITHUB_REF", ("GITHUB_HEAD_REF", "GITHUB_REF_NAME")),
    Service("gitlab", "GITLAB_CI", "{CI_JOB_URL}", "CI_PIPELINE_SOURCE", "CI_MERGE_REQUEST_IID",
            ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME")),
    Service("buildkite", "BUILDKITE", "{BUILDKITE_BUILD_URL}#{BUILDKITE_JOB_ID}", "BUILDKITE_SOURCE", "BUILDKITE_PULL_REQUEST",
            ("BUILDKITE_BRANCH",)),
    Service("jenkins", "JENKINS_URL", "{BUILD_URL}", "", "CHANGE_ID", ("CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH")),
)


def _known(facts):
    return {name: fact for name, fact in facts.items() if fact not in (None, "")}


def _service():
    return next((service for service in SERVICES if os.environ.get(service.sign)), None)


def job():
    """The job of a CI service that this process belongs to; {} elsewhere."""
    service = _service()
    if service is None:
        return {}
    names = re.findall("{(.*?)}", service.url)
    url = service.url.format_map(os.environ) if all(map(os.environ.get, names)) else ""
    number = re.fullmatch(r"(?:refs/pull/)?([1-9][0-9]{0,8})(?:/\w+)?", os.environ.get(service.pull_request, ""))
    return _known({"service": service.name, "url": url if re.fullmatch(ADDRESS, url) else "",
                   "event": clean(os.environ.get(service.event, "")), "pull_request": int(number[1]) if number else None})


def _branch():
    service = _service()
    named = [os.environ.get(name) for name in service.branches] if service else []
    return clean(next(filter(None, named), None) or (ask_git("symbolic-ref", "--quiet", "--short", "HEAD") or "").strip())


def own_commit():
    """The commit of kernelgate itself, with "-dirty" if files of it differ; None if unknown."""
    here = os.path.dirname(own_file("__main__.py"))
    try:
        with open(own_file(COMMIT_FILE), encoding="utf-8") as file:
            return file.read().strip() or None
    except (Failure, OSError):
        # A copy inside of another project's repository has no commit of its own.
        return described_commit(here) if ask_git("ls-files", "--error-unmatch", "__main__.py", folder=here) is not None else None


def full_version():
    """ "0.1.0 (0123…)", with the commit if it is known."""
    commit = own_commit()
    return f"{VERSION} ({commit})" if commit else VERSION


def facts_of_run(folder, commit=None, base_ref=None):
    """The facts of the run that ends now and whose results are in a folder, which it holds. `commit` is the measured
    commit if it is not the one checked out here, `base_ref` the commit, branch or tag of --base."""
    ended = time.time()
    started = run_lock.held_since(folder)
    checked_out = described_commit() or ""
    facts = {"host": os.uname().nodename, "branch": _branch() if commit is None else None, "ended": time.strftime(TIME, time.gmtime(ended)),
             "commit": commit or checked_out.removesuffix(DIRTY), "version": VERSION,
             "version_commit": (own_commit() or "").removesuffix(DIRTY), "job": job() or None}
    if started is not None:
        facts.update(started=time.strftime(TIME, time.gmtime(started)), seconds=round(max(0.0, ended - started), 1))
    if checked_out and commit is None:
        facts["dirty"] = checked_out.endswith(DIRTY)
    if base_ref is not None:
        base = ask_git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base_ref}^{{commit}}")
        facts.update(base_ref=base_ref, base=base and base.strip())
    return _known(facts)


# The words for them; a document may have anything anywhere.


def short_commit(run, key="commit"):
    """The name of a run's commit in texts and baselines: "0123456789", with "-dirty" if tracked files differed."""
    name = text_of(run, key)
    dirty = key == "commit" and member(run, "dirty") is True
    return clean((name[:SHORT] if re.fullmatch("[0-9a-f]{40,64}", name) else name) + (DIRTY if name and dirty else ""))


def job_url(run):
    """The address of the CI job's page; "" if there is none that a browser may open."""
    url = text_of(object_of(run, "job"), "url")
    return url if re.fullmatch(ADDRESS, url) else ""


def when(run):
    """When a run started, else when it ended: "2026-11-27T05:44:01"; "" if that is unknown."""
    named = text_of(run, "started") or text_of(run, "ended")
    return named.removesuffix("Z") if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", named, re.ASCII) else ""


def describe_run(run):
    """When, how long, where and of what commit: "2026-11-27 05:44 UTC, 1 min 13 s, runner-7, fix-tiles at 0123456789"; ""
    if nothing is known."""
    moment = when(run)[:16].replace("T", " ")
    seconds, number = number_of(run, "seconds"), integer_of(object_of(run, "job"), "pull_request")
    commit, branch = short_commit(run), text_of(run, "branch")
    base = ", which is ".join(filter(None, (text_of(run, "base_ref"), short_commit(run, "base"))))
    shard, version = object_of(run, "shard"), text_of(run, "version")
    parts = (f"{moment} UTC" if moment else "", show_duration(seconds) if 0 <= seconds < 1e9 else "", text_of(run, "host"),
             f"pull request {number}" if number > 0 else "", " at ".join(filter(None, (branch, commit))),
             f"against {base}" if base else "", f"shard {integer_of(shard, 'index')} of {integer_of(shard, 'of')}" if shard else "",
             f"merged from {plural(len(list_of(run, 'merged')), 'run')}" if list_of(run, "merged") else "",
             f"kernelgate {version}" if version else "")
    return clean(", ".join(filter(None, parts)))
