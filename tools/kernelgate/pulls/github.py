# SPDX-License-Identifier: MIT
"""Requests to GitHub's REST API. The answers may hold what strangers wrote: sizes are bounded, and the token goes to the
API alone."""

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

from kernelgate import VERSION
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import parse_json, text_of

SECONDS = 30  # for one answer
TRIES = 3  # of a request that may be repeated
PAUSE_SECONDS = 2.0
PASSING = (429, 500, 502, 503, 504)
LARGEST_ANSWER = 16 << 20
PAGE = 100  # entries of a list in one answer, GitHub's maximum
MOST_PAGES = 30
ADVICE = {401: "give GITHUB_TOKEN a valid token", 403: "give the job the permissions that docs/pull-requests.md lists",
          404: "check the repository and the job's permissions (docs/pull-requests.md)"}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """urllib would send the token along to wherever the API redirects to."""

    def redirect_request(self, *_):
        return None


def _read(answer, most, what):
    data = answer.read(most + 1)
    if len(data) > most:
        raise Failure(f"GitHub: {what}: more than {most} bytes: refused")
    return data


class GitHub:
    """The API for one repository, OWNER/NAME."""

    def __init__(self, repository, token, api="https://api.github.com"):
        self.repository = repository
        self._token = token
        self._api = api.rstrip("/")
        self._opener = urllib.request.build_opener(_NoRedirect)

    def _open(self, method, url, body, with_token):
        headers = {"Accept": "application/vnd.github+json", "User-Agent": f"kernelgate/{VERSION}", "X-GitHub-Api-Version": "2022-11-28"}
        if with_token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        return self._opener.open(urllib.request.Request(url, data, headers, method=method), timeout=SECONDS)

    def _ask(self, method, url, body=None, most=LARGEST_ANSWER, with_token=True):
        """The bytes of the answer, and the address that it redirects to, "" if it does not."""
        what = f"{method} {urllib.parse.urlsplit(url).path}"
        for left in reversed(range(TRIES)):
            try:
                with self._open(method, url, body, with_token) as answer:
                    return _read(answer, most, what), ""
            except urllib.error.HTTPError as error:
                with error:
                    if error.code in (301, 302, 303, 307, 308):
                        return b"", error.headers.get("Location") or ""
                    # A comment that a lost answer was about would be made twice.
                    if error.code not in PASSING or not left or method == "POST":
                        advice = ADVICE.get(error.code, "run the job again")
                        raise Failure(f"GitHub: {what}: {error.code} {_reason(error)}: {advice}") from None
            except (OSError, http.client.HTTPException) as error:
                if not left or method == "POST":
                    raise Failure(f"GitHub: {what}: no answer ({getattr(error, 'reason', error)}): run the job again") from None
            time.sleep(PAUSE_SECONDS)
        raise AssertionError("unreachable")

    def call(self, method, path, body=None, **query):
        """The JSON answer of the API to a path below the repository; None if it is empty."""
        url = f"{self._api}/repos/{self.repository}/{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        data, _ = self._ask(method, url, body)
        try:
            return parse_json(data) if data else None
        except ValueError as error:
            raise Failure(f"GitHub: {method} {path}: the answer is not JSON ({error}): run the job again") from None

    def entries(self, path, key=None, **query):
        """The entries of a list, of all its pages; with `key` the list is a member of each answer."""
        for page in range(1, MOST_PAGES + 1):
            answer = self.call("GET", path, per_page=PAGE, page=page, **query)
            found = answer.get(key) if key and isinstance(answer, dict) else answer
            if not isinstance(found, list):
                raise Failure(f"GitHub: GET {path}: the answer is not a list: run the job again")
            yield from (entry for entry in found if isinstance(entry, dict))
            if len(found) < PAGE:
                return

    def download(self, path, most):
        """The bytes of a file that the API redirects to."""
        data, place = self._ask("GET", f"{self._api}/repos/{self.repository}/{path}", most=most)
        if not place:
            return data
        if urllib.parse.urlsplit(place).scheme not in ("https", urllib.parse.urlsplit(self._api).scheme):
            raise Failure(f"GitHub: GET {path}: it redirects to what is not https: refused")
        data, further = self._ask("GET", place, most=most, with_token=False)
        if further:
            raise Failure(f"GitHub: GET {path}: it redirects twice: refused")
        return data


def _reason(error):
    try:
        return text_of(json.loads(error.read(4096)), "message") or error.reason
    except (OSError, ValueError, http.client.HTTPException):
        return error.reason


def of_environment():
    """The API for the repository of this job of GitHub Actions."""
    repository, token = os.environ.get("GITHUB_REPOSITORY"), os.environ.get("GITHUB_TOKEN")
    if not repository or not token:
        missing = "GITHUB_REPOSITORY" if not repository else "GITHUB_TOKEN"
        raise Failure(f"comment: --post needs {missing}: run it in a job of GitHub Actions, with GITHUB_TOKEN set to its token")
    return GitHub(repository, token, os.environ.get("GITHUB_API_URL") or "https://api.github.com")
