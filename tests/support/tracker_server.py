"""Trackers on this machine: GitHub's lists and Jira's search, with paging, ETags, rate limits and bad days on demand.

Source of the shapes: GitHub Docs, REST API 2022-11-28, and Atlassian Developer, Jira Cloud REST API v3, the examples of
each operation.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

TOKEN = "ghs_" + "hunter2" * 5
JIRA_USER, JIRA_TOKEN = "ana@example.com", "jira" + "hunter2" * 3
BEGAN = 1_780_000_000


def time_of(at: int) -> str:
    """Return a time, seconds after the first, as GitHub writes it."""
    return datetime.fromtimestamp(BEGAN + at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def jira_time(at: int) -> str:
    """Return the same as Jira writes it."""
    return datetime.fromtimestamp(BEGAN + at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000+0000")


def issue(number: int, title: str, body: str = "", *, at: int = 0, **more: Any) -> dict[str, Any]:
    """Return an issue of GitHub that changed last *at* seconds after the first."""
    return {
        "id": 1000 + number,
        "number": number,
        "title": title,
        "body": body,
        "state": "open",
        "labels": [{"name": "bug"}],
        "user": {"login": "ana"},
        "html_url": f"https://github.example/acme/shop/issues/{number}",
        "created_at": time_of(0),
        "updated_at": time_of(at),
        **more,
    }


def comment(number: int, on: int, body: str, *, at: int = 0) -> dict[str, Any]:
    """Return a comment on an issue."""
    return {
        "id": number,
        "body": body,
        "user": {"login": "bo"},
        "issue_url": f"https://api.github.example/repos/acme/shop/issues/{on}",
        "html_url": f"https://github.example/acme/shop/issues/{on}#issuecomment-{number}",
        "created_at": time_of(0),
        "updated_at": time_of(at),
    }


def pull(number: int, title: str, *, at: int = 0, merged: bool = False) -> dict[str, Any]:
    """Return a pull request."""
    sides = {"head": {"ref": f"fix-{number}"}, "base": {"ref": "main"}, "merged_at": time_of(at) if merged else None}
    return issue(number, title, "Closes a bug.", at=at, state="closed" if merged else "open", **sides)


def commit(number: int, message: str, *, at: int = 0) -> dict[str, Any]:
    """Return a commit of the default branch."""
    sha = hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()
    who = {"name": "Ana", "date": time_of(at)}
    url = f"https://github.example/acme/shop/commit/{sha}"
    return {"sha": sha, "html_url": url, "commit": {"message": message, "author": who, "committer": who}}


def jira_issue(key: str, summary: str, *, at: int = 0, comments: int = 0, **more: Any) -> dict[str, Any]:
    """Return an issue of Jira with so many comments."""
    text = {"type": "doc", "version": 1, "content": [paragraph(f"About {summary}.")]}
    made = [
        {
            "id": str(10_000 + at * 100 + nth),
            "author": {"displayName": "Bo"},
            "body": {"type": "doc", "version": 1, "content": [paragraph(f"comment {nth}")]},
            "created": jira_time(at),
            "updated": jira_time(at),
        }
        for nth in range(comments)
    ]
    fields = {
        "summary": summary,
        "description": text,
        "status": {"name": "In Progress"},
        "issuetype": {"name": "Bug"},
        "priority": {"name": "High"},
        "assignee": {"displayName": "Ana"},
        "reporter": {"displayName": "Bo"},
        "labels": ["payments"],
        "created": jira_time(0),
        "updated": jira_time(at),
        **more,
    }
    return {"id": key.partition("-")[2], "key": key, "fields": fields, "all_comments": made}


def paragraph(text: str) -> dict[str, Any]:
    """Return a paragraph of the Atlassian Document Format."""
    return {"type": "paragraph", "content": [{"type": "text", "text": text}]}


class Tracker(ThreadingHTTPServer):
    """A server with one repository and one Jira site.

    Attributes:
        lists: What GitHub's lists hold, by their paths below the repository.
        checks: The check runs of each commit.
        jira: The issues of the site.
        asked: What was asked, the path with its query.
        planned: What happens to the request of a number, from 1: an answer, or a function of the handler.
        now: What Jira takes for now, seconds after the first.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        names = ("issues", "issues/comments", "pulls", "pulls/comments", "commits", "releases")
        self.lists: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        self.checks: dict[str, list[dict[str, Any]]] = {}
        self.jira: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.planned: dict[int, Any] = {}
        self.token = TOKEN
        self.now = 10_000_000  # what the clock of the tests says
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """Return where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def environment(self) -> dict[str, str]:
        """Return the variables that give a person's tokens to it."""
        return {
            "GITHUB_API_URL": self.address,
            "GH_TOKEN": TOKEN,
            "JIRA_URL": self.address,
            "JIRA_EMAIL": JIRA_USER,
            "JIRA_API_TOKEN": JIRA_TOKEN,
        }


class _Handler(BaseHTTPRequestHandler):
    server: Tracker

    def do_GET(self) -> None:
        hub = self.server
        with hub.lock:
            hub.asked.append(self.path)
            planned = hub.planned.pop(len(hub.asked), None)
        if callable(planned):
            planned = planned(self)
        if planned is not None:
            self.send(*planned)
            return
        path = urlsplit(self.path).path
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        with hub.lock:
            found = self._jira(path, query) if path.startswith("/rest/") else self._github(path, query)
        self.send(*found)

    def _github(self, path: str, query: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if self.headers["Authorization"] != f"Bearer {self.server.token}":
            return 401, {}, {"message": "Bad credentials"}
        name = path.removeprefix("/repos/acme/shop/")
        if checked := re.fullmatch("commits/([0-9a-f]+)/check-runs", name):
            runs = self.server.checks.get(checked[1], [])
            return 200, {}, {"total_count": len(runs), "check_runs": runs}
        if name not in self.server.lists and not re.fullmatch("pulls/[0-9]+/(reviews|files)", name):
            return 404, {}, {"message": "Not Found"}
        return self._page(self._found(name, query), query)

    def _found(self, name: str, query: dict[str, str]) -> list[dict[str, Any]]:
        items = self.server.lists.get(name, [])
        if name == "commits":
            dated = sorted(items, key=lambda one: one["commit"]["committer"]["date"], reverse=True)
            since, until = query.get("since", ""), query.get("until", "9")
            return [one for one in dated if since <= one["commit"]["committer"]["date"] <= until]
        if "sort" in query:
            since = query.get("since", "") if name != "pulls" else ""
            items = sorted((one for one in items if one["updated_at"] >= since), key=lambda one: one["updated_at"])
        return items[::-1] if query.get("direction") == "desc" else items

    def _page(self, items: list[dict[str, Any]], query: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        size, number = int(query.get("per_page", "30")), int(query.get("page", "1"))
        shown = items[(number - 1) * size : number * size]
        raw = json.dumps([shown, len(items) > number * size]).encode()
        etag = f'W/"{hashlib.sha256(raw).hexdigest()}"'
        if self.headers["If-None-Match"] == etag:
            return 304, {"ETag": etag}, None
        headers = {"ETag": etag}
        if len(items) > number * size:
            following = urlencode({**query, "page": number + 1})
            path = urlsplit(self.path).path
            headers["Link"] = f'<{self.server.address}{path}?{following}>; rel="next", <x>; rel="last"'
        return 200, headers, shown

    def _jira(self, path: str, query: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        basic = b64encode(f"{JIRA_USER}:{JIRA_TOKEN}".encode()).decode()
        if self.headers["Authorization"] != f"Basic {basic}":
            return 401, {}, {"errorMessages": ["Client must be authenticated to access this resource."]}
        if one := re.fullmatch("/rest/api/3/issue/([A-Z]+-[0-9]+)/comment", path):
            found = next(issue for issue in self.server.jira if issue["key"] == one[1])["all_comments"]
            start = int(query["startAt"])
            return 200, {}, {"startAt": start, "total": len(found), "comments": found[start : start + 50]}
        if path != "/rest/api/3/search/jql":
            return 404, {}, {"errorMessages": ["not found"]}
        issues = sorted(self.server.jira, key=lambda one: (one["fields"]["updated"], one["key"]))
        if since := re.search(r'updated >= "-(\d+)m"', query["jql"]):
            limit = jira_time(self.server.now - int(since[1]) * 60)
            issues = [one for one in issues if one["fields"]["updated"] >= limit]
        start = int(query.get("nextPageToken", "0"))
        end = start + int(query["maxResults"])
        shown = [self._shown(one) for one in issues[start:end]]
        is_last = end >= len(issues)
        return 200, {}, {"issues": shown, "isLast": is_last} | ({} if is_last else {"nextPageToken": str(end)})

    def _shown(self, one: dict[str, Any]) -> dict[str, Any]:
        """Return an issue as a search gives it: with its first 20 comments."""
        comments = one["all_comments"]
        within = {"startAt": 0, "maxResults": 20, "total": len(comments), "comments": comments[:20]}
        return {"id": one["id"], "key": one["key"], "fields": {**one["fields"], "comment": within}}

    def send(self, status: int, headers: dict[str, str], body: Any) -> None:
        """Send an answer."""
        raw = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def tracking() -> Iterator[Tracker]:
    """Serve a tracker while the block runs."""
    made = Tracker()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()
        thread.join()
