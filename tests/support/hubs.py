"""A hub in a test: repositories that are added, synced and followed by a search node."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

from support.facts import make_memory, put
from support.postgres import HubDatabase

from gitmem.hub.database import connected
from gitmem.hub.follower import SearchNode
from gitmem.hub.identity import TokenFile
from gitmem.hub.ingest import Synced, sync
from gitmem.hub.registry import Entry, add


def add_to(hub: HubDatabase, *folders: Path, readers: tuple[str, ...] = ("everyone",), team: str = "") -> None:
    """Add repositories under the names of their folders."""
    with connected(hub.url) as connection:
        for folder in folders:
            add(connection, Entry(str(folder), name=folder.name, readers=readers, team=team))


def synced(hub: HubDatabase, tmp_path: Path, *names: str) -> dict[str, Synced]:
    """Sync repositories, and return what happened to each by its name."""
    return {one.name: one for one in sync(hub.url, tmp_path / "mirrors", names)}


@contextlib.contextmanager
def followed(hub: HubDatabase, tmp_path: Path, name: str = "node") -> Iterator[SearchNode]:
    """A search node that has caught up."""
    node = SearchNode(hub.serving, tmp_path / name)
    try:
        node.catch_up_now()
        node.asked_at = float("inf")  # nothing follows for it, however long the test takes
        yield node
    finally:
        node.close()


class Answer:
    """What a server answered: its status, its JSON, and its headers."""

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.status, self.body, self.headers = status, body, headers

    @property
    def json(self):  # type: ignore[no-untyped-def]
        return json.loads(self.body)

    @property
    def keys(self) -> list[str]:
        """Return the keys of the hits."""
        return [hit["key"] for hit in self.json["hits"]]


def ask(address: str, path: str, token: str = "", *, data: bytes | None = None, method: str = "GET") -> Answer:
    """Send a request to a server."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(f"{address}{path}", data=data, headers=headers, method=method)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return Answer(answer.status, answer.read(), dict(answer.headers))
    except urllib.error.HTTPError as err:
        with err:
            return Answer(err.code, err.read(), dict(err.headers))


def token_file(folder: Path, **people: tuple[str, ...]) -> Path:
    """Write a file of tokens: each person's token is their name with ``-token``."""
    path = folder / "tokens.toml"
    tables = [
        f'[[token]]\nidentity = "{name}"\ngroups = {json.dumps(list(groups))}\n'
        f'sha256 = "{hashlib.sha256(f"{name}-token".encode()).hexdigest()}"\n'
        for name, groups in people.items()
    ]
    path.write_text("\n".join(tables), encoding="utf-8")
    return path


@contextlib.contextmanager
def served(hub: HubDatabase, node: SearchNode, *sources, limits=None, place=None, access=str) -> Iterator[str]:  # type: ignore[no-untyped-def]
    """The address of a server in this process that answers from a node, and knows of rights what *access* says."""
    import uvicorn

    from gitmem.hub.reading import Reading
    from gitmem.hub.server import _QUIET, Hub, Limits, listening, make_app

    reading = Reading(hub.serving, access)
    reading.open()
    app = make_app(Hub(node, reading, sources, limits or Limits(1000, 1000), place))
    server = uvicorn.Server(uvicorn.Config(app, **_QUIET))
    with listening(("127.0.0.1", 0)) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            reading.close()


# Alice and Carol are of the payments team; Bob is of none; Olga runs the hub.
PEOPLE = {"alice": ("payments",), "bob": (), "carol": ("payments",), "olga": ("hub-operators",)}


@contextlib.contextmanager
def storms(hub: HubDatabase, template: Path, tmp_path: Path, people: Path, place=None) -> Iterator[str]:  # type: ignore[no-untyped-def]
    """A server with a repository that only the payments team may read, and one for everyone."""
    for name, memories in (
        (
            "secret",
            (make_memory("vault", "The vault storms at midnight", "Its code is xylophone."), make_memory("k", "K")),
        ),
        ("open", (make_memory("weather", "A storm is not a hurricane"),)),
    ):
        put(Path(shutil.copytree(template, tmp_path / name)), *memories)
    add_to(hub, tmp_path / "secret", readers=(), team="@payments")
    add_to(hub, tmp_path / "open", team="@weather")
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node, served(hub, node, TokenFile(people), place=place) as found:
        yield found
