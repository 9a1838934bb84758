# SPDX-License-Identifier: MIT
"""Posts the comment of a run of GitHub Actions that has ended, in its pull request, and updates it in place.

This runs with rights that a pull request's code must not have. The event, and GitHub's API, say which run, commit and pull
request it is; the run's artifacts, which a fork may have made, only fill the comment."""

import os
import re
from dataclasses import dataclass

from kernelgate.base.errors import Failure, complain
from kernelgate.base.json_io import integer_of, member, object_of, read_json, text_of
from kernelgate.pulls import github
from kernelgate.pulls.artifacts import LARGEST_ARCHIVE, NAME, read_results
from kernelgate.report.comment import Facts, write_comment

MARKER = re.compile(r"<!-- kernelgate workflow=([0-9]+) run=([0-9]+)\.([0-9]+) commit=([0-9a-f]{40}) -->\s*\Z")
MOST_ARTIFACTS = 20
AUTHOR = "github-actions[bot]"  # whose comments a job's own token writes


@dataclass(frozen=True)
class Ended:
    """The run that ended, by the event workflow_run."""

    number: int  # of its id
    workflow: int
    order: tuple  # its number and its attempt: of two, the greater is the newer
    commit: str
    origin: str  # the repository that the commit is in, and its branch there
    branch: str
    conclusion: str
    page: str

    @property
    def marker(self):
        return f"<!-- kernelgate workflow={self.workflow} run={self.order[0]}.{self.order[1]} commit={self.commit} -->"


def read_event(path):
    run = object_of(read_json(path, "run it in a workflow on workflow_run"), "workflow_run")
    ended = Ended(integer_of(run, "id"), integer_of(run, "workflow_id"), (integer_of(run, "run_number"), integer_of(run, "run_attempt")),
                  text_of(run, "head_sha"), text_of(member(run, "head_repository"), "full_name"), text_of(run, "head_branch"),
                  text_of(run, "conclusion"), text_of(run, "html_url"))
    if not (ended.number > 0 and ended.workflow > 0 and re.fullmatch("[0-9a-f]{40}", ended.commit) and ended.branch
            and re.fullmatch(r"https?://[A-Za-z0-9./:_-]+", ended.page)):
        raise Failure(f"{path}: names no run that ended: run `kernelgate comment --post` in a workflow on workflow_run")
    return ended


def pulls_of(api, ended):
    """The numbers of the open pull requests into this repository whose head is the run's commit."""
    head = f"{ended.origin.partition('/')[0]}:{ended.branch}"
    for pull in api.entries("pulls", state="open", head=head):
        ours = text_of(member(member(pull, "base"), "repo"), "full_name")
        theirs = text_of(member(member(pull, "head"), "repo"), "full_name")
        if (ours, theirs, text_of(member(pull, "head"), "sha")) == (api.repository, ended.origin, ended.commit):
            yield integer_of(pull, "number")


def _artifacts(api, ended):
    """The newest artifact of each name: an earlier attempt's stay."""
    found = {}
    for artifact in api.entries(f"actions/runs/{ended.number}/artifacts", key="artifacts"):
        name = text_of(artifact, "name")
        if NAME.match(name) and member(artifact, "expired") is not True and integer_of(artifact, "id") > found.get(name, 0):
            found[name] = integer_of(artifact, "id")
    return [found[name] for name in sorted(found)][:MOST_ARTIFACTS]


def results_of(api, ended):
    """The runs in the artifacts, and a remark for each artifact that was refused."""
    runs, remarks = [], []
    for artifact in _artifacts(api, ended):
        try:
            runs.append(read_results(api.download(f"actions/artifacts/{artifact}/zip", LARGEST_ARCHIVE)))
        except Failure as failure:
            complain(f"artifact {artifact}: refused: {failure}")
            remarks.append(f"**ERROR** Artifact {artifact} is refused: {failure}.")
    return runs, remarks


def comment_of(api, ended):
    runs, remarks = results_of(api, ended)
    # A fork writes its own results, but not how its jobs ended.
    if ended.conclusion != "success" and all(integer_of(run.document, "exit_code") == 0 for run in runs):
        remarks.append(f"The workflow ended otherwise: {re.sub('[^a-z_]', '', ended.conclusion) or 'unknown'}.")
    return write_comment(runs, Facts(ended.page, f"{ended.page}#artifacts" if runs else "", ended.commit, remarks, ended.marker))


def _own_comments(api, number, ended, author):
    """The id and the order of each comment that this workflow's runs left, the newest run's first, then the eldest comment. Anyone
    can write a marker: the author tells ours."""
    found = []
    for comment in api.entries(f"issues/{number}/comments"):
        marker = MARKER.search(text_of(comment, "body"))
        if marker and text_of(member(comment, "user"), "login") == author and int(marker[1]) == ended.workflow:
            found.append(((int(marker[2]), int(marker[3])), integer_of(comment, "id")))
    return sorted(found, key=lambda one: (one[0], -one[1]), reverse=True)


def post(api, number, ended, body, author):
    """Makes or updates the comment; what became of it."""
    known = _own_comments(api, number, ended, author)
    if known and known[0][0] > ended.order:
        return "left as it is: a newer run has written it"
    if number not in pulls_of(api, ended):
        return "left as it is: the pull request has moved on"
    if known:
        api.call("PATCH", f"issues/comments/{known[0][1]}", {"body": body})
    else:
        api.call("POST", f"issues/{number}/comments", {"body": body})
    # Another run may have made one at the same time: all runs keep the same one.
    for _, comment in _own_comments(api, number, ended, author)[1:]:
        api.call("DELETE", f"issues/comments/{comment}")
    return "updated" if known else "made"


def post_all(author):
    """Posts the comment of the run in this job's event. Returns what became of it, a line for each pull request."""
    api = github.of_environment()
    ended = read_event(os.environ.get("GITHUB_EVENT_PATH") or "GITHUB_EVENT_PATH")
    numbers = list(pulls_of(api, ended))
    if not numbers:
        return [f"no open pull request has {ended.commit[:10]} as its head: nothing to comment on"]
    body = comment_of(api, ended)
    return [f"the comment in #{number} is {post(api, number, ended, body, author)}" for number in numbers]
