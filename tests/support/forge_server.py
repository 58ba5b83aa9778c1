"""A forge on this machine: the few REST calls that are used, answers in the shapes of GitHub's, bad days on demand.

Source of the shapes: @octokit/openapi-types 29.0.1; of refusals: GitHub Docs, "Rate limits for the REST API".
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gitmem.git.forges.client import Forge
from gitmem.git.forges.job_environment import ForgeRepository

TOKEN = "ghs_" + "hunter2" * 5
BOT = "github-actions[bot]"
REPO = "/repos/acme/shop"
COMMIT = "a" * 40


def user(login: str) -> dict[str, Any]:
    """Return an account."""
    kind = "Bot" if login.endswith("[bot]") else "User"
    return {"login": login, "id": 1, "node_id": "U_1", "type": kind, "site_admin": False}


def comment(number: int, body: str, login: str = BOT) -> dict[str, Any]:
    """Return a comment of an issue or a pull request."""
    page = f"https://github.example/acme/shop/pull/12#issuecomment-{number}"
    time = {"created_at": "2026-10-01T11:00:00Z", "updated_at": "2026-10-01T11:00:00Z"}
    return {"id": number, "node_id": "IC_1", "html_url": page, "body": body, "user": user(login), **time}


def issue(number: int, body: str | None, login: str = BOT, **more: Any) -> dict[str, Any]:
    """Return an issue."""
    page = f"https://github.example/acme/shop/issues/{number}"
    made = {"id": 100 + number, "number": number, "html_url": page, "state": "open", "state_reason": None, "title": "t"}
    return {**made, "body": body, "user": user(login), "labels": [], "comments": 0, **more}


def pull(number: int, head: str = "fix", sha: str = COMMIT, base: str = "main", **more: Any) -> dict[str, Any]:
    """Return a pull request; ``repo`` names the one of its head, None where it is gone."""
    name = more.pop("repo", "acme/shop")
    sides = {
        "head": {"label": f"acme:{head}", "ref": head, "sha": sha, "repo": name and {"id": 7, "full_name": name}},
        "base": {"label": f"acme:{base}", "ref": base, "sha": "c" * 40, "repo": {"id": 7, "full_name": "acme/shop"}},
    }
    page = f"https://github.example/acme/shop/pull/{number}"
    return {"id": 100 + number, "number": number, "html_url": page, "state": "open", "draft": False, **sides, **more}


class Hub(ThreadingHTTPServer):
    """A forge with one repository.

    Attributes:
        comments: Of pull request 12; reviews are those on lines, patches the difference by file.
        is_gitea: Whether it answers as Gitea does.
        issues: With their comments' texts by number in ``said``.
        pulls: All pull requests.
        asked: What was asked: method, path with query, and the JSON sent.
        headers: The headers of each, by lower-case name.
        planned: What is answered instead, once each: method and path's end to (status, headers, body), or to a
            function that does what it likes with the handler.
        page: Entries of a page.
        knows: Who the token is by REST; None where it may not ask.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments: list[dict[str, Any]] = []
        self.is_gitea, self.labels = False, set[str]()
        self.reviews: list[dict[str, Any]] = []
        self.patches: dict[str, str] = {}
        self.issues: list[dict[str, Any]] = []
        self.said: dict[int, list[str]] = {}
        self.pulls: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.planned: list[tuple[str, Any]] = []
        self.page = 100
        self.login = BOT
        self.knows: str | None = None
        self.viewer: str | None = BOT
        self.released = threading.Event()
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def plan(self, what: str, *answers: Any) -> None:
        """Answer the next requests to ``METHOD end-of-path`` so."""
        self.planned += [(what, answer) for answer in answers]

    def writes(self) -> list[str]:
        """Return the requests that change something, without the repository."""
        changed = [(m, p) for m, p, _ in self.asked if m != "GET" and p != "/graphql"]
        return [f"{method} {path.removeprefix(REPO)}" for method, path in changed]

    def environment(self, **more: str) -> dict[str, str]:
        """Return what the forge tells its jobs."""
        values = {"GITHUB_API_URL": self.address, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_TOKEN": TOKEN}
        return {**values, "GITHUB_SERVER_URL": "https://github.example", "GITHUB_RUN_ID": "77", **more}

    def forge(self, **options: Any) -> Forge:
        """Return a client of this forge that waits for nothing; ``slept`` has what it would have waited."""
        slept: list[float] = options.pop("slept", [])
        site, form = "https://github.example/acme/shop", "forgejo" if self.is_gitea else "github"
        run = f"{site}/actions/runs/{options.pop('run', 77)}"
        return Forge(ForgeRepository("acme/shop", self.address, run, site, form), TOKEN, sleep=slept.append, **options)


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_DELETE = do_GET

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw) if raw else None
        path = urlsplit(self.path).path
        with self.server.lock:
            self.server.asked.append((self.command, self.path, body))
            self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
            planned = next(filter(self._is_planned, self.server.planned), None)
            if planned is not None:
                self.server.planned.remove(planned)
                planned = planned[1]
        if callable(planned):
            planned = planned(self)
            if planned is None:
                return
        if planned is not None:
            self.send(*planned)
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.send(401, {}, {"message": "Bad credentials"})
        else:
            with self.server.lock:
                found = self._route(path, body)
            self.send(*found)

    def _is_planned(self, planned: tuple[str, Any]) -> bool:
        method, _, end = planned[0].partition(" ")
        return self.command == method and urlsplit(self.path).path.endswith(end)

    def send(self, status: int, headers: dict[str, str], body: Any) -> None:
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _route(self, path: str, body: Any) -> tuple[int, dict[str, str], Any]:
        hub, asked = self.server, f"{self.command} {path.removeprefix(REPO)}"
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        if asked == "GET /user":
            return (
                (200, {}, user(hub.knows))
                if hub.knows
                else (403, {}, {"message": "Resource not accessible by integration"})
            )
        if asked == "POST /graphql":
            return 200, {}, {"data": {"viewer": {"login": hub.viewer}}} if hub.viewer else {"errors": [{}]}
        if asked == "GET /issues/12/comments":
            return self._page(hub.comments, query)
        if asked == "POST /issues/12/comments":
            hub.comments.append(comment(5000 + len(hub.asked), body["body"], hub.login))
            return 201, {}, hub.comments[-1]
        if match := re.fullmatch(r"(PATCH|DELETE) /issues/comments/(\d+)", asked):
            return self._change(hub.comments, "id", int(match[2]), body)
        if asked == "GET /pulls/12":
            return 200, {}, pull(12)
        if asked == "GET /pulls/12/files":
            return self._page([{"filename": name, "patch": text} for name, text in hub.patches.items()], query)
        if asked == "GET /pulls/12/comments":
            return self._page(hub.reviews, query)
        if asked == "POST /pulls/12/comments":
            hub.reviews.append(comment(7000 + len(hub.asked), body["body"], hub.login) | body)
            return 201, {}, hub.reviews[-1]
        if match := re.fullmatch(r"DELETE /pulls/comments/(\d+)", asked):
            return self._change(hub.reviews, "id", int(match[1]), body)
        if asked == "GET /issues":
            return self._page([one for one in hub.issues if self._is_asked(one, query)], query)
        if hub.is_gitea and (found := self._gitea(asked, body)) is not None:
            return found
        if asked == "POST /issues":
            labels = [{"id": 9, "name": name} for name in body.get("labels", ())]
            hub.issues.append(issue(len(hub.issues) + 40, body["body"], hub.login, title=body["title"], labels=labels))
            return 201, {}, hub.issues[-1]
        if match := re.fullmatch(r"PATCH /issues/(\d+)", asked):
            return self._change(hub.issues, "number", int(match[1]), body)
        if match := re.fullmatch(r"POST /issues/(\d+)/comments", asked):
            hub.said.setdefault(int(match[1]), []).append(body["body"])
            return 201, {}, comment(1, body["body"], hub.login)
        if asked == "GET /pulls":
            return self._page([one for one in hub.pulls if self._is_asked(one, query)], query)
        if asked == "POST /pulls":
            hub.pulls.append(pull(60 + len(hub.pulls), body["head"], base=body["base"]))
            return 201, {}, hub.pulls[-1]
        if match := re.fullmatch(r"GET /commits/([0-9a-f]{40})/pulls", asked):
            # Of a fork's commit, GitHub lists none.
            found = [
                one for one in hub.pulls if one["head"]["repo"] and one["head"]["repo"]["full_name"] == "acme/shop"
            ]
            return self._page([one for one in found if one["head"]["sha"] == match[1]], query)
        return 404, {}, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"}

    def _gitea(self, asked: str, body: Any) -> tuple[int, dict[str, str], Any] | None:
        """Answer as Gitea and Forgejo do, where that differs: labels are numbers, but for an issue that is there."""
        if asked == "POST /issues" and "labels" in body:
            return 422, {}, {"message": "cannot unmarshal string into Go struct field of type int64"}
        if asked == "POST /labels":
            self.server.labels.add(body["name"])
            return 201, {}, {"id": 9, **body}
        if match := re.fullmatch(r"POST /issues/(\d+)/labels", asked):
            one = next(one for one in self.server.issues if one["number"] == int(match[1]))
            one["labels"] = [{"id": 9, "name": name} for name in body["labels"] if name in self.server.labels]
            return 200, {}, one["labels"]
        return None

    def _is_asked(self, one: dict[str, Any], query: dict[str, str]) -> bool:
        names = [label["name"] for label in one.get("labels", ())]
        return (
            query.get("state", "open") in ("all", one["state"])
            and ("labels" not in query or query["labels"] in names)
            and ("head" not in query or one["head"]["label"] == query["head"])
            and ("base" not in query or one["base"]["ref"] == query["base"])
        )

    def _page(self, found: list[dict[str, Any]], query: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        number, size = int(query.get("page", 1)), self.server.page
        headers = {"x-ratelimit-remaining": "4999"}
        if number * size < len(found):
            base = self.server.address + re.sub(r"&page=\d+", "", self.path)
            last = -(-len(found) // size)
            headers["link"] = f'<{base}&page={number + 1}>; rel="next", <{base}&page={last}>; rel="last"'
        return 200, headers, found[(number - 1) * size : number * size]

    def _change(self, of: list[dict[str, Any]], name: str, number: int, body: Any) -> tuple[int, dict[str, str], Any]:
        one = next((one for one in of if one[name] == number), None)
        if one is None:
            return 404, {}, {"message": "Not Found"}
        if self.command == "DELETE":
            of.remove(one)
            return 204, {}, None
        one.update(body | ({"labels": [{"id": 9, "name": n} for n in body["labels"]]} if "labels" in body else {}))
        return 200, {}, one

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Hub]:
    """Serve a forge as long as it is needed."""
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        hub.released.set()
        hub.shutdown()
        thread.join()
        hub.server_close()


def drop(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def hang(handler: Handler) -> None:
    """Answer nothing until the test is over."""
    handler.server.released.wait(60)


def cut_short(handler: Handler) -> None:
    """Promise more than comes."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"[]")
    handler.close_connection = True
