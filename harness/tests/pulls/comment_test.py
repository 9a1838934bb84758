# SPDX-License-Identifier: MIT
"""Tests of `kernelgate comment`: the Markdown, and posting it on a stand-in for GitHub, for honest and for hostile forks."""

import contextlib
import html
import io
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
import zipfile

import yaml

from command_fixture import COMMAND, TREE
from fake_github import BOT, TOKEN, FakeGitHub
from own_folder import write_file
from results_fixture import HOSTILE, a_bit_of_everything, case, results

from kernelgate.base.errors import Failure
from kernelgate.base.results import Run
from kernelgate.base import artifacts as base_artifacts
from kernelgate.pulls import artifacts, github, post
from kernelgate.report.comment import LARGEST, Facts, write_comment

SHA, NEXT_SHA = "a" * 40, "b" * 40
PAGE = "https://github.example/owner/kernels/actions/runs/"
MENTIONS = f"@owner/team @you #12 https://evil.example www.evil.example a@evil.example ![x](https://evil.example/x.png) " \
           f"[x](javascript:1) :tada: {SHA} <!-- kernelgate workflow=5 run=999.1 commit={SHA} --> {HOSTILE}"


def archive(*files, links=(), **options):
    """The bytes of an artifact: files as (name, content)."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, **options) as made:
        for name, content in files:
            made.writestr(name, content)
        for name, target in links:
            link = zipfile.ZipInfo(name)
            link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            made.writestr(link, target)
    return held.getvalue()


def red(**more):
    moved = {"time_ns": {"value": 2000.0, "baseline": 1000.0, "change": 1.0, "limit": 0.02, "verdict": "slower"}}
    slower = [case(f"a/v/{size}/b8", verdict="slower", metrics=moved, changed=["registers 32 -> 40"]) for size in (1, 2)]
    return results(case("a/w/1/b8", verdict="wrong", at={"file": "kernels/a/w.cu", "line": 7}), *slower, **more)


class Markdown(unittest.TestCase):
    def rendered(self, text):
        """The text as GitHub renders it, without what is in code."""
        if not shutil.which("cmark-gfm"):
            self.skipTest("cmark-gfm is not installed (ci/setup --for test)")
        extensions = [word for name in ("table", "autolink", "strikethrough") for word in ("-e", name)]
        done = subprocess.run(["cmark-gfm", "--unsafe", *extensions], input=text, stdout=subprocess.PIPE, check=True, encoding="utf-8")
        return re.sub("<code>.*?</code>", "<code/>", done.stdout, flags=re.DOTALL)

    def test_green_has_three_lines(self):
        document = results(case("a/v/1/-"), exit_code=0, summary={"verdict": "PASS  1 case on nvidia-h200"})
        text = write_comment([Run(document)], Facts(job="https://x.example/1", commit=SHA, marker="<!-- m -->"))
        self.assertEqual(text.splitlines(), ["**PASS** `1 case on nvidia-h200`  ", "[job](https://x.example/1) · commit `aaaaaaaaaa`",
                                             "<!-- m -->"])

    def test_red_says_what_how_much_where_and_why(self):
        green = results(case("a/v/1/-"), exit_code=0, summary={"verdict": "PASS  others"})
        lines = write_comment([Run(green), Run(red(summary={"verdict": "FAIL  3 of 3"}))], Facts()).splitlines()
        self.assertEqual(lines[:2], ["**FAIL** `3 of 3`  ", "**PASS** `others`  "])
        groups = [line for line in lines if line.startswith("1. ")]
        self.assertEqual(groups, ["1. **wrong** `a/w/1/b8` on `nvidia-h200`",
                                  "1. **slower** `a/v` on `nvidia-h200`: `2 of 2 cases: 1/b8 +100 %, 2/b8 +100 %`"])
        for line in ("   - at `kernels/a/w.cu:7`", "   - `1/b8 takes 2 µs, was 1 µs (+100 %, limit 2.0 %)`",
                     "   - cause: `registers 32 -> 40`", "   - reproduce: `again 'a/v/1/b8'`",
                     "| `a/v/1/b8` | `nvidia-h200` | `time_ns` | 1 000 ns | 2 000 ns | +100 % | 2.0 % | slower |"):
            self.assertIn(line, lines)

    def test_no_text_of_a_run_becomes_a_link_a_mention_or_markup(self):
        document = a_bit_of_everything(MENTIONS)
        moved = {MENTIONS: {"value": 2, "baseline": 1, "change": 1, "limit": 0, "verdict": "slower"}}
        document["cases"].append(case(f"a/v/{MENTIONS}/b8", verdict="slower", metrics=moved))
        text = write_comment([Run(document)], Facts(job="https://x.example/1", marker="<!-- m -->"))
        self.assertIn("@owner/team", text)
        found = self.rendered(text)
        self.assertEqual(re.findall(r"<(?:a|img)[^>]*>", found), ['<a href="https://x.example/1">'])
        self.assertEqual(re.findall("<!--.*?-->", found), ["<!-- m -->"])
        tags = "p strong br a ol ul li code details summary table thead tbody tr th td".split()
        self.assertLessEqual(set(re.findall(r"</?([a-z0-9]+)", found)), set(tags))
        words = html.unescape(re.sub("<[^>]*>", "", found))
        self.assertEqual(re.findall(r"[@#]|https?:|www\.|:tada:|\]\(", words), [])
        self.assertEqual(len(re.findall("<td", found)) % 8, 0, "no text ends a table's cell")

    def test_stays_below_its_size_and_names_the_rest(self):
        document = a_bit_of_everything("é" * 3000)
        document["cases"] = [{**entry, "case": f"a/v{number}/1/{entry['case']}"} for number in range(50) for entry in document["cases"]]
        document["errors"] *= 50
        text = write_comment([Run(document)] * 21, Facts(remarks=["x"] * 20))
        self.assertLess(len(text.encode()), LARGEST)
        self.assertRegex(text, r"\n\d+ more groups: see the page\.\n")
        self.assertRegex(text, r"\n\d+ more rows: see the page\.\n")

    def test_the_command_prints_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            write_file(path, red())
            for words, code, said in ((["--job", "https://x.example/1", path], 0, ""), ([], 2, "name results files, or give --post"),
                                      (["--post", path], 2, "one of them"), (["--job", "javascript:1", path], 2, "expected a link"),
                                      (["--job", "https://x.example/) x", path], 2, "expected a link"), (["none"], 2, "cannot be read"),
                                      (["--post"], 2, "needs GITHUB_REPOSITORY")):
                environment = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
                done = subprocess.run([COMMAND, "comment", *words], capture_output=True, encoding="utf-8", env=environment, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout.startswith("**FAIL** "), code == 0)


class Posting(unittest.TestCase):
    def setUp(self):
        self.github = FakeGitHub()
        self.addCleanup(self.github.close)
        self.github.add_pull(7, SHA)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.environ.update, {key: os.environ.pop(key) for key in list(os.environ) if key.startswith("GITHUB_")})
        self.event = os.path.join(folder.name, "event.json")
        self.addCleanup(setattr, github, "PAUSE_SECONDS", github.PAUSE_SECONDS)
        github.PAUSE_SECONDS = 0.01
        os.environ.update(GITHUB_TOKEN=TOKEN, GITHUB_REPOSITORY="owner/kernels", GITHUB_API_URL=self.github.url,
                          GITHUB_EVENT_PATH=self.event)

    def run_ended(self, run=1, attempt=1, sha=SHA, origin="fork/kernels", branch="fix", conclusion="success", **more):
        """The event of a run, whose number and id are `run`."""
        ended = {"id": run, "workflow_id": 5, "run_number": run, "run_attempt": attempt, "head_sha": sha, "head_branch": branch,
                 "head_repository": {"full_name": origin}, "conclusion": conclusion, "html_url": f"{PAGE}{run}", **more}
        write_file(self.event, {"action": "completed", "workflow_run": ended})

    def leave(self, run, document, name="kernelgate-model", **more):
        self.github.add_artifact(run, name, archive(("results.json", json.dumps(document)), ("report/index.html", "x")), **more)

    def green(self, **more):
        return results(case("a/v/1/-"), exit_code=0, summary={"outcome": "PASS (exit 0)", "headline": "1 case", "verdict": "PASS  1 case"},
                       **more)

    def post(self):
        with contextlib.redirect_stderr(io.TextIOWrapper(io.BytesIO())):
            return post.post_all(BOT)

    def posted(self, run, document, **ended):
        """The comment's words about a document's run."""
        self.leave(run, document)
        self.run_ended(run, **ended)
        return self.post()

    def only(self, number=7):
        bodies = self.github.bodies(number)
        self.assertEqual(len(bodies), 1, bodies)
        return bodies[0]

    def test_one_comment_is_made_and_updated_in_place(self):
        self.github.add_comment(7, "looks good", "reviewer")
        self.assertEqual(self.posted(1, self.green()), ["the comment in #7 is made"])
        first = max(self.github.comments)
        self.assertTrue(self.github.comments[first]["body"].startswith("**PASS** `1 case`"), self.github.comments[first])
        self.assertIn(f"[job]({PAGE}1) · [page and results]({PAGE}1#artifacts) · commit `aaaaaaaaaa`", self.github.comments[first]["body"])
        self.github.pulls[0]["head"]["sha"] = NEXT_SHA
        self.assertEqual(self.posted(2, red(), sha=NEXT_SHA, conclusion="failure"), ["the comment in #7 is updated"])
        self.assertEqual(len(self.github.comments), 2)
        self.assertTrue(self.github.comments[first]["body"].startswith("**FAIL** "))
        self.assertEqual(self.github.written(), ["POST /repos/owner/kernels/issues/7/comments",
                                                 f"PATCH /repos/owner/kernels/issues/comments/{first}"])
        self.assertEqual(self.github.leaks, [])

    def test_the_action_posts(self):
        self.leave(1, red())
        self.run_ended(1, conclusion="failure")
        folder = os.path.join(TREE, "ci", "comment")
        with open(os.path.join(folder, "action.yml"), encoding="utf-8") as file:
            step, = yaml.safe_load(file)["runs"]["steps"]
        self.assertEqual(step["env"], {"GITHUB_TOKEN": "${{ inputs.token }}", "AUTHOR": "${{ inputs.author }}"})
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], capture_output=True, encoding="utf-8", check=False,
                              env={**os.environ, "GITHUB_ACTION_PATH": folder, "AUTHOR": BOT})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "kernelgate: the comment in #7 is made\n", ""))

    def test_several_targets_are_one_comment_of_the_newest_attempt(self):
        self.leave(1, red(), "kernelgate-nvidia-h200", number=50)
        self.leave(1, self.green(), "kernelgate-model", number=51)
        self.leave(1, self.green(), "kernelgate-nvidia-h200", number=60)
        self.leave(1, red(), "coverage", number=61)
        self.run_ended(1, attempt=2)
        self.post()
        self.assertEqual(self.only().count("**PASS** "), 2)
        self.assertNotIn("FAIL", self.only())

    def test_the_pull_request_is_that_of_the_commit(self):
        """Whatever an artifact says: a fork's branch may have the name of another's, and its commit may be that of nobody."""
        self.github.pulls.clear()
        self.leave(1, red(run={"job": {"service": "github", "url": f"{PAGE}9", "event": "pull_request", "pull_request": 9}}))
        self.github.add_artifact(1, "kernelgate-number", archive(("results.json", json.dumps(self.green())), ("pr_number", "9")))
        self.github.add_pull(9, NEXT_SHA, "victim/kernels")
        self.github.add_pull(10, SHA, "fork/kernels", base="fork/kernels")
        self.github.add_pull(11, NEXT_SHA)
        self.github.add_pull(12, SHA, "fork/another")
        for given in ({}, {"branch": "main"}, {"origin": ""}, {"pull_requests": [{"number": 9}]}):
            self.run_ended(1, **given)
            self.assertEqual(self.post(), ["no open pull request has aaaaaaaaaa as its head: nothing to comment on"])
        self.github.add_pull(13, SHA)
        self.run_ended(1)
        self.assertEqual(self.post(), ["the comment in #13 is made"])
        self.assertEqual({comment["number"] for comment in self.github.comments.values()}, {13})

    def test_hostile_artifacts_are_refused_whole(self):
        good = json.dumps(self.green())
        lying = bytearray(archive(("results.json", "[" * 10)))
        directory = lying.rfind(b"PK\x01\x02")
        lying[directory + 24:directory + 28] = (1 << 31).to_bytes(4, "little")
        another = good.replace('"strict": false', '"strict": "false"')
        for data, why in (
                (archive(("results.json", good), ("../../.bashrc", "x")), "leads out of the archive"),
                (archive(("results.json", good), ("/etc/cron.d/x", "x")), "leads out of the archive"),
                (archive(("results.json", good), ("..\\x", "x")), "leads out of the archive"),
                (archive(links=[("results.json", "/etc/passwd")]), "is a symbolic link"),
                (archive(("results.json", good), links=[("records", "/")]), "is a symbolic link"),
                (archive(("results.json", b"[" + b" " * artifacts.LARGEST_RESULTS + b"]")), "more than 250 times"),
                (bytes(lying), "more than 250 times"), (archive(("other.json", good)), "it has no results.json"),
                (archive(("x/results.json", good)), "it has no results.json"),
                (archive(("results.json", "[" * 100000)), "nested too deeply"), (archive(("results.json", b"\xff")), "codec"),
                (archive(("results.json", '{"schema": "kernelgate-results/2"}')), "does not fit the schema"),
                (archive(("results.json", "[]")), "does not fit the schema"), (archive(("results.json", another)), "does not fit"),
                (archive(("results.json", good.replace("{", '{"strict": true, ', 1))), '"strict" twice'),
                (archive(("results.json", good))[:-30], "not a ZIP archive"), (b"", "not a ZIP archive"), (b"PK\5\6" + b"\0" * 18, "no results.json"),
                (archive(*((f"x{number}", "") for number in range(base_artifacts.MOST_MEMBERS + 1))), "more than 20000 members")):
            with self.assertRaises(Failure) as caught:
                artifacts.read_results(data)
            self.assertIn(why, str(caught.exception))
        self.github.add_artifact(1, "kernelgate-a", archive(("results.json", good), ("../x", MENTIONS)), number=40)
        self.leave(1, self.green(), "kernelgate-b")
        self.run_ended(1)
        self.post()
        self.assertTrue(self.only().startswith("**PASS** `1 case`  \n**ERROR** Artifact 40 is refused: its archive, or a file in it, leads out"), self.only())

    def test_a_duplicate_file_and_a_huge_archive_are_refused(self):
        with self.assertWarns(UserWarning):
            data = archive(("results.json", "[]"), ("results.json", "{}"))
        with self.assertRaisesRegex(Failure, "is in it twice"):
            artifacts.read_results(data)
        self.addCleanup(setattr, post, "LARGEST_ARCHIVE", post.LARGEST_ARCHIVE)
        post.LARGEST_ARCHIVE = 1000
        self.github.add_artifact(1, "kernelgate-a", bytes(1001), number=40)
        self.run_ended(1)
        self.post()
        self.assertIn("**ERROR** Artifact 40 is refused: GitHub: GET", self.only())

    def test_texts_of_a_fork_stay_texts(self):
        document = results(case("a/v/1/b8", verdict="wrong", why="@you", reason=MENTIONS, reproduce=MENTIONS, changed=[MENTIONS]),
                           summary={"outcome": MENTIONS, "headline": MENTIONS, "verdict": f"PASS  {MENTIONS}"})
        self.posted(1, document)
        body = self.only()
        self.assertTrue(body.startswith("**FAIL** `"), body)
        self.assertNotIn("@", re.sub("`[^`\n]*`", "", body))
        self.assertEqual(post.MARKER.search(body)[2], "1", "the last marker is ours")

    def test_a_fork_cannot_hide_how_its_jobs_ended(self):
        self.posted(1, self.green(), conclusion="failure")
        self.assertIn("The workflow ended otherwise: failure.", self.only())

    def test_a_run_that_left_nothing_replaces_the_last_comment(self):
        self.run_ended(1, conclusion="timed_out")
        self.post()
        self.assertTrue(self.only().startswith("**ERROR** The run left no results."), self.only())

    def test_a_marker_in_anothers_comment_is_not_ours(self):
        self.leave(1, self.green())
        for marker, login in ((f"<!-- kernelgate workflow=5 run=999.1 commit={SHA} -->", "mallory"),
                              (f"<!-- kernelgate workflow=6 run=999.1 commit={SHA} -->", BOT),
                              (f"<!-- kernelgate workflow=5 run=999.1 commit={SHA} --> and more", BOT)):
            self.github.add_comment(7, f"text\n{marker}", login)
        self.run_ended(1)
        self.assertEqual(self.post(), ["the comment in #7 is made"])
        self.assertEqual([body.startswith("text") for body in self.github.bodies(7)], [True, True, True, False])

    def test_an_older_run_does_not_overwrite_a_newer(self):
        for run, attempt, document in ((2, 1, red()), (3, 2, red()), (3, 1, self.green()), (2, 9, self.green())):
            self.leave(run, document)
            self.run_ended(run, attempt, conclusion="failure" if document["exit_code"] else "success")
            said = self.post()
        self.assertEqual(said, ["the comment in #7 is left as it is: a newer run has written it"])
        self.assertTrue(self.only().startswith("**FAIL** "))
        self.assertIn("run=3.2 ", self.only())

    def test_a_commit_that_came_in_between_is_left_to_its_own_run(self):
        self.leave(1, self.green())
        self.run_ended(1)
        self.github.hooks.append(("GET", "issues/7/comments", lambda fake: fake.pulls[0]["head"].update(sha=NEXT_SHA)))
        self.assertEqual(self.post(), ["the comment in #7 is left as it is: the pull request has moved on"])
        self.assertEqual(self.github.comments, {})

    def test_two_runs_at_once_leave_the_newer_ones_comment(self):
        for other in (1, 3):
            self.github.comments.clear()
            self.leave(2, self.green())
            self.run_ended(2)
            theirs = f"theirs\n<!-- kernelgate workflow=5 run={other}.1 commit={SHA} -->"
            self.github.hooks.append(("POST", "issues/7/comments", lambda fake, body=theirs: fake.add_comment(7, body) and None))
            self.assertEqual(self.post(), ["the comment in #7 is made"])
            self.assertIn(f"run={max(other, 2)}.1 ", self.only())

    def test_many_comments_are_searched(self):
        for number in range(250):
            self.github.add_comment(7, f"comment {number}", "reviewer")
        first = self.github.add_comment(7, f"x\n<!-- kernelgate workflow=5 run=1.1 commit={SHA} -->")
        self.assertEqual(self.posted(2, self.green()), ["the comment in #7 is updated"])
        self.assertIn("run=2.1 ", self.github.comments[first]["body"])

    def test_github_fails(self):
        self.leave(1, self.green())
        self.run_ended(1)
        for method, path, status, said in (("GET", "pulls", 502, None), ("GET", "/zip", 503, None),
                                           ("GET", "pulls", 403, "give the job the permissions"), ("GET", "artifacts", 404, "404 Resource"),
                                           ("POST", "comments", 502, "502 Resource")):
            self.github.comments.clear()
            self.github.hooks = [(method, path, lambda _, status=status: status)]
            if said is None:
                self.assertEqual(self.post(), ["the comment in #7 is made"])
                continue
            with self.assertRaisesRegex(Failure, said):
                self.post()
            self.assertEqual(self.github.comments, {})
        os.environ["GITHUB_TOKEN"] = "another"
        with self.assertRaisesRegex(Failure, "401 Bad credentials: give GITHUB_TOKEN a valid token"):
            self.post()
        self.github.close()
        with self.assertRaisesRegex(Failure, "no answer"):
            self.post()

    def test_an_event_that_is_none_is_refused(self):
        for event in ({}, {"workflow_run": {}}, {"workflow_run": 3}, []):
            write_file(self.event, event)
            with self.assertRaisesRegex(Failure, "names no run that ended"):
                self.post()
        for given in ({"sha": "main"}, {"branch": ""}, {"html_url": "https://x/) @you"}, {"id": 0}):
            self.run_ended(**given)
            with self.assertRaisesRegex(Failure, "names no run that ended"):
                self.post()
        self.assertEqual(self.github.calls, [])
