"""A forge on this machine that lists an organisation's repositories, as three kinds do, and serves them to git.

Source of the shapes: as for ``gitmem/hub/forge/organisation.py``. git reads plain files: its "dumb" protocol.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "glpat-" + "hunter2" * 4


class OrganisationForge(ThreadingHTTPServer):
    """A forge with repositories.

    Attributes:
        kind: The kind of forge whose shapes it answers with.
        repositories: Their visibility by full name.
        people: Who has each token, and the names of the repositories that they may read.
        page: Repositories on a page.
        planned: What is answered to the next requests of the API instead: status, headers and body, or a function.
        asked: The path of each request of the API, and its token.
        folder: The folder with the repositories that git reads.
    """

    daemon_threads = True

    def __init__(self, kind: str, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kind, self.folder, self.page = kind, folder, 2
        self.repositories: dict[str, str] = {}
        self.people: dict[str, tuple[str, list[str]]] = {TOKEN: ("robot", [])}
        self.planned: list[Any] = []
        self.asked: list[tuple[str, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, name: str, visibility: str, source: Path | None = None) -> None:
        """Add a repository, a copy of one on disk or one without commits."""
        self.repositories[name] = visibility
        bare = self.folder / f"{name}.git"
        words = ["clone", "--quiet", "--mirror", str(source)] if source else ["init", "--quiet", "--bare"]
        subprocess.run(["git", *words, str(bare)], check=True)
        subprocess.run(["git", "update-server-info"], cwd=bare, check=True)

    def shape(self, name: str) -> dict[str, Any]:
        """Return a repository as the forge describes it."""
        visibility, url = self.repositories[name], f"{self.address}/{name}.git"
        if self.kind == "gitlab":
            return {"path_with_namespace": name, "http_url_to_repo": url, "visibility": visibility}
        owner = {"login": name.partition("/")[0]}
        if self.kind == "gitea":
            owner["visibility"] = "private" if visibility == "of a private owner" else "public"
        told = {"private": visibility == "private", "internal": visibility == "internal"}
        more = {"visibility": visibility} if self.kind == "github" else {}
        return {"full_name": name, "clone_url": url, "owner": owner, **told, **more}


class Handler(BaseHTTPRequestHandler):
    server: OrganisationForge

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if not parts.path.startswith("/api/"):
            self._file(unquote(parts.path))
            return
        token = self.headers["Authorization"].removeprefix("Bearer ")
        self.server.asked.append((self.path, token))
        planned = self.server.planned.pop(0) if self.server.planned else None
        if callable(planned):
            planned(self)
        elif planned is not None:
            self.send(*planned)
        elif token not in self.server.people:
            self.send(401, {}, {"message": "Bad credentials"})
        else:
            self._answer(parts.path, parse_qs(parts.query), token)

    def _answer(self, path: str, query: dict[str, list[str]], token: str) -> None:
        login, readable = self.server.people[token]
        if path.endswith("/user"):
            self.send(200, {}, {"username" if self.server.kind == "gitlab" else "login": login})
            return
        names = sorted(self.server.repositories)
        if path.endswith(("/user/repos", "/v4/projects")):
            names = [name for name in names if name in readable]
        elif "/acme/" not in path:
            self.send(404, {}, {"message": "Not Found"})
            return
        number, size = int(query.get("page", ["1"])[0]), self.server.page
        bare = self.path.partition("&page=")[0]
        link = f'<{self.server.address}{bare}&page={number + 1}>; rel="next"'
        headers = {"Link": link} if number * size < len(names) else {}
        self.send(200, headers, [self.server.shape(name) for name in names[(number - 1) * size : number * size]])

    def _file(self, path: str) -> None:
        file = self.server.folder / path.lstrip("/")
        self.send(200, {}, file.read_bytes()) if file.is_file() else self.send(404, {}, b"")

    def send(self, status: int, headers: dict[str, str], body: Any) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def organisation_forge(kind: str, folder: Path) -> Iterator[OrganisationForge]:
    """Serve a forge as long as it is needed."""
    folder.mkdir(exist_ok=True)
    forge = OrganisationForge(kind, folder)
    thread = threading.Thread(target=forge.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield forge
    finally:
        forge.shutdown()
        thread.join()
        forge.server_close()
