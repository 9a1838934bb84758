# SPDX-License-Identifier: MIT
"""Stands in for GitHub: its REST API as far as `kernelgate comment --post` uses it, on a port of this machine, and the store that
the API redirects to for an artifact's bytes."""

import contextlib
import http.server
import json
import re
import threading
import urllib.parse

TOKEN = "the job's token"
BOT = "github-actions[bot]"


class FakeGitHub:
    """What there is, and what was requested. `hooks` are called once with this object before a request (METHOD, a pattern of its path)
    is answered; one that returns a number answers with that as the status."""

    def __init__(self, repository="owner/kernels"):
        self.repository = repository
        self.pulls, self.comments, self.artifacts, self.hooks, self.calls = [], {}, {}, [], []
        self.page_size = None  # a smaller one than requested
        self.next = 100
        self.leaks = []  # requests that sent the token to the store
        handler = type("Handler", (_Handler,), {"github": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def add_pull(self, number, sha, origin="fork/kernels", branch="fix", base=None):
        self.pulls.append({"number": number, "state": "open", "head": {"sha": sha, "ref": branch, "repo": {"full_name": origin}},
                           "base": {"repo": {"full_name": base or self.repository}}})

    def add_comment(self, number, body, login=BOT):
        self.next += 1
        self.comments[self.next] = {"id": self.next, "number": number, "body": body, "user": {"login": login, "type": "Bot"}}
        return self.next

    def add_artifact(self, run, name, data, number=None):
        self.next += 1
        self.artifacts[number or self.next] = {"id": number or self.next, "run": run, "name": name, "data": data, "expired": False}

    def written(self):
        """The requests that change something."""
        return [f"{method} {path}" for method, path in self.calls if method != "GET"]

    def bodies(self, number):
        return [comment["body"] for comment in self.comments.values() if comment["number"] == number]


class _Handler(http.server.BaseHTTPRequestHandler):
    github = None
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, document=None, data=None, **headers):
        body = json.dumps(document).encode() if data is None else data
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)

    def respond(self):
        parts = urllib.parse.urlsplit(self.path)
        self.github.calls.append((self.command, parts.path))
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        for hook in list(self.github.hooks):
            method, pattern, act = hook
            if method == self.command and re.search(pattern, parts.path):
                self.github.hooks.remove(hook)
                status = act(self.github)
                if status:
                    return self.answer(status, {"message": "Resource not accessible by integration"})
        if parts.path.startswith("/store/"):
            if self.headers.get("Authorization"):
                self.github.leaks.append(self.path)
            return self.answer(200, data=self.github.artifacts[int(parts.path.split("/")[2])]["data"])
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, {"message": "Bad credentials"})
        return self.api(parts.path.removeprefix(f"/repos/{self.github.repository}/"), dict(urllib.parse.parse_qsl(parts.query)), body)

    do_GET = do_POST = do_PATCH = do_DELETE = respond

    def api(self, path, query, body):
        github, number = self.github, int((re.findall(r"\d+", path) or [0])[0])
        if path == "pulls":
            owner, _, branch = query["head"].partition(":")
            return self.answer(200, self.paged(query, [
                pull for pull in github.pulls if pull["state"] == query["state"]
                and (pull["head"]["repo"]["full_name"].partition("/")[0], pull["head"]["ref"]) == (owner, branch)]))
        if re.fullmatch(r"actions/runs/\d+/artifacts", path):
            found = [{**one, "data": None} for one in github.artifacts.values() if one["run"] == number]
            return self.answer(200, {"total_count": len(found), "artifacts": self.paged(query, found)})
        if re.fullmatch(r"actions/artifacts/\d+/zip", path):
            return self.answer(302, data=b"", Location=f"{github.url}/store/{number}")
        if re.fullmatch(r"issues/\d+/comments", path) and self.command == "POST":
            return self.answer(201, {"id": github.add_comment(number, body["body"])})
        if re.fullmatch(r"issues/\d+/comments", path):
            return self.answer(200, self.paged(query, [one for one in github.comments.values() if one["number"] == number]))
        if re.fullmatch(r"issues/comments/\d+", path) and number in github.comments:
            if self.command == "DELETE":
                del github.comments[number]
                return self.answer(204, data=b"")
            github.comments[number]["body"] = body["body"]
            return self.answer(200, github.comments[number])
        return self.answer(404, {"message": "Not Found"})

    def paged(self, query, entries):
        size, page = int(query["per_page"]), int(query["page"])
        return entries[size * (page - 1):size * page]
