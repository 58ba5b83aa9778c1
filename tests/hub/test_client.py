"""Asking a hub: what it finds, and everything that may be wrong with it, in one line and a third of a second."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.facts import make_memory, put
from support.hubs import add_to, followed, served, synced, token_file
from support.postgres import HubDatabase

from gitmem.hub.client import HubHit, ask, find_dependents, read
from gitmem.hub.database import connected
from gitmem.hub.identity import TokenFile
from gitmem.hub.registry import Entry, add

STORM = [("q", "storm"), ("limit", "5")]


@contextlib.contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """A server that always answers the same, and the requests that it got."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


def hit(**changes: object) -> dict[str, object]:
    good = {"repository": "api", "key": "k", "kind": "gotcha", "title": "T", "status": "", "score": 1, "snippet": "s"}
    return good | changes


BAD = {
    "an error": (500, b"oops", "status 500"),
    "a page": (200, b"<html>", "not answer like a hub"),
    "a number": (200, b"1", "not answer like a hub"),
    "no hits": (200, b"{}", "not answer like a hub"),
    "hits that are none": (200, b'{"hits": [1]}', "not answer like a hub"),
    "deep": (200, b'{"hits": ' + b"[" * 90_000, "not answer like a hub"),
    "huge": (200, b'{"hits": [' + b" " * 2_000_000 + b"]}", "not answer like a hub"),
    "a title that is none": (200, json.dumps({"hits": [hit(title=1)]}).encode(), "not answer like a hub"),
    "an unknown status": (200, json.dumps({"hits": [hit(status="fine")]}).encode(), "not answer like a hub"),
    "the token is wrong": (401, b"{}", "does not accept the token"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_answer_is_one_line(name: str) -> None:
    status, body, says = BAD[name]
    with answering(status, body) as (address, _):
        found = ask(address, STORM, token="t", limit_s=30)

    assert found.hits == ()
    assert says in found.problem
    assert "\n" not in found.problem


def test_redirect_gets_no_token() -> None:
    with answering(200, b"{}") as (other, asked), answering(302, b"", Location=f"{other}/x") as (address, _):
        found = ask(address, STORM, token="secret", limit_s=30)

    assert (found.problem, asked) == ("it answers with status 302", [])


def test_long_texts_and_line_breaks_of_an_answer_are_cut() -> None:
    body = json.dumps({"hits": [hit(title="A\nB\tC " + "x" * 5000), *[hit()] * 200]}).encode()
    with answering(200, body) as (address, _):
        found = ask(address, STORM, token="", limit_s=30)

    assert len(found.hits) == 100
    assert found.hits[0].title.startswith("A B C x")
    assert len(found.hits[0].title) <= 1000


@pytest.mark.parametrize("site", ["ftp://host", "https://a:b@host", "host", "http://example.org", "https://host/?x"])
def test_unsafe_address_is_not_asked(site: str) -> None:
    assert ask(site, STORM, token="t").problem.startswith("it")


def test_hub_that_is_silent_or_away_costs_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        first = ask(f"http://127.0.0.1:{port}", STORM, token="", limit_s=0.05)
    second = ask(f"http://127.0.0.1:{port}", STORM, token="", limit_s=30)

    assert first.problem == "no answer within 50 ms"
    assert "refused" in second.problem


def text(**changes: object) -> bytes:
    good = {"repository": "api", "key": "k", "kind": "fact", "status": "", "title": "T", "hidden": "", "body": "B"}
    return json.dumps(good | {"frontmatter": {}, "why": []} | changes).encode()


UNREADABLE = {
    "an error": (500, b"oops", "status 500"),
    "another server's page": (404, b"<html>", "not answer like a hub"),
    "another server's path": (404, b"{}", "status 404"),
    "a list": (200, b"[]", "not answer like a hub"),
    "deep": (200, b"[" * 90_000, "not answer like a hub"),
    "nothing in it": (200, b"{}", "not answer like a hub"),
    "a body that is none": (200, text(body=None), "not answer like a hub"),
    "fields that are none": (200, text(frontmatter=[]), "not answer like a hub"),
    "a cause that is none": (200, text(why=[{}]), "not answer like a hub"),
    "an unknown status": (200, text(status="fine"), "not answer like a hub"),
    "the token is wrong": (401, b"{}", "does not accept the token"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_bad_answer_for_one_memory_is_one_line(name: str) -> None:
    status, body, says = UNREADABLE[name]
    with answering(status, body) as (address, _):
        found = read(address, "api", "k", token="t", limit_s=30)

    assert found.found is None
    assert says in found.problem
    assert "\n" not in found.problem


def dependents(**changes: object) -> bytes:
    row = {"repository": "web", "key": "k", "kind": "fact", "title": "T", "status": "", "chain": ["port"]} | changes
    return json.dumps({"repository": "api", "dependents": [row] * 200, "more": 7}).encode()


BAD_DEPENDENTS = {
    "an error": (500, b"oops", "status 500"),
    "an older hub": (404, b"Not Found", "not answer like a hub"),
    "no rows": (200, b"{}", "not answer like a hub"),
    "no cause": (200, dependents(chain=[]), "not answer like a hub"),
    "causes that are none": (200, dependents(chain=[1]), "not answer like a hub"),
    "an unknown status": (200, dependents(status="fine"), "not answer like a hub"),
    "a title that is none": (200, dependents(title=None), "not answer like a hub"),
}


@pytest.mark.parametrize("name", BAD_DEPENDENTS)
def test_bad_answer_for_dependents_is_one_line(name: str) -> None:
    status, body, says = BAD_DEPENDENTS[name]
    with answering(status, body) as (address, _):
        found = find_dependents(address, "host/api", ["port"], token="t", limit_s=30)

    assert found.dependents == ()
    assert says in found.problem
    assert "\n" not in found.problem


def test_dependents_are_cut_and_keys_as_well() -> None:
    with answering(200, dependents(title="A\nB " + "x" * 2000)) as (address, asked):
        found = find_dependents(address, "host/api", [f"k{n}" for n in range(500)], token="", limit_s=30)

    assert (len(found.dependents), found.more, found.unasked, found.name) == (100, 7, 300, "api")
    assert found.dependents[0].title.startswith("A B xx")
    assert len(found.dependents[0].title) <= 1000
    assert asked[0].count("key=") == 200


def test_name_and_key_reach_no_other_path() -> None:
    with answering(404, b'{"error": "none"}') as (address, asked):
        found = read(address, "payments/../api?q=1", "../k/#x", token="", limit_s=30)

    assert (found.found, found.problem) == (None, "")
    assert asked == ["/memory/payments/../api%3Fq%3D1/..%2Fk%2F%23x"]


def test_show_reads_a_memory_of_another_repository_that_the_reader_may_see(
    run_cli, hub: HubDatabase, repo: Path, memory, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repo, make_memory("own", "Our own"))
    for name, readers in (("pay/api", ("everyone",)), ("secret", ("carol",))):
        folder = Path(shutil.copytree(template, tmp_path / name))
        put(folder, make_memory("storm", f"A storm of {name}", "Back \x1b[31moff.", tags=["net"]))
        with connected(hub.url) as connection:
            add(connection, Entry(str(folder), name=name, readers=readers))
    synced(hub, tmp_path)
    monkeypatch.setattr(read, "__kwdefaults__", {"limit_s": 30})
    monkeypatch.setenv("GITMEM_HUB_TOKEN", "alice-token")
    tokens = TokenFile(token_file(tmp_path, alice=()))
    with followed(hub, tmp_path) as node, served(hub, node, tokens) as address:
        typed = run_cli("show", "pay/api:storm", "--hub", address)
        monkeypatch.setenv("GITMEM_HUB", address)
        as_json = json.loads(run_cli("show", "pay/api:storm", "--json").out)
        hidden, missing = run_cli("show", "secret:storm"), run_cli("show", "nowhere:storm")
        own, off = run_cli("show", "own"), run_cli("show", "pay/api:storm", "--hub", "off")
        monkeypatch.setenv("GITMEM_HUB_TOKEN", "nobody")
        refused = run_cli("show", "pay/api:storm")
    away = run_cli("show", "pay/api:storm")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(read, "__kwdefaults__", {"limit_s": 0.05})
        slow = run_cli("show", "pay/api:storm", "--hub", f"http://127.0.0.1:{silent.getsockname()[1]}")
    wrong = run_cli("show", "own", "--hub", address)

    assert typed.status == 0
    assert typed.out.splitlines()[:2] == ["  A storm of pay/api", "  pay/api:storm  gotcha, hub, of pay/api"]
    assert "Back" in typed.out
    assert "\x1b" not in typed.out
    assert as_json["frontmatter"]["tags"] == ["net"]
    assert [as_json[name] for name in ("repository", "key", "scope", "title", "body", "verdict")] == [
        *("pay/api", "storm", "hub", "A storm of pay/api"),
        *(as_json["body"], None),
    ]
    assert (hidden.status, hidden.out) == (missing.status, missing.out) == (1, "")
    assert hidden.err.replace("secret", "nowhere") == missing.err
    assert (own.status, off.status, wrong.status) == (0, 1, 2)
    lines = [" ".join(one.err.split()) for one in (refused, away, slow)]
    assert [one.status for one in (refused, away, slow)] == [3, 3, 3]
    assert all("the hub cannot show pay/api:storm: " in line for line in lines)
    assert ["token" in lines[0], "refused" in lines[1], "50 ms" in lines[2]] == [True, True, True]


def test_recall_shows_the_memories_that_are_here_first_then_those_of_the_hub(
    run_cli, hub: HubDatabase, repo: Path, memory, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repo, *(make_memory(f"own{number}", f"A storm of our own {number}") for number in range(6)))
    other = Path(shutil.copytree(template, tmp_path / "other"))
    put(other, *(make_memory(f"theirs{number}", f"Their storm {number}") for number in range(6)))
    add_to(hub, other)
    synced(hub, tmp_path)
    monkeypatch.setattr("gitmem.hub.client.LIMIT_S", 30)
    monkeypatch.setattr(ask, "__kwdefaults__", {"limit_s": 30})
    monkeypatch.setenv("GITMEM_HUB_TOKEN", "alice-token")
    tokens = TokenFile(token_file(tmp_path, alice=()))
    with followed(hub, tmp_path) as node, served(hub, node, tokens) as address:
        both = run_cli("recall", "storm", "--limit", "6", "--hub", address)
        as_json = json.loads(run_cli("recall", "storm", "--limit", "4", "--hub", address, "--json").out)
        theirs = run_cli("recall", "theirs2", "--hub", address)
        monkeypatch.setenv("GITMEM_HUB", address)
        set_up = run_cli("recall", "theirs2")
        off = run_cli("recall", "theirs2", "--hub", "off")
        named = run_cli("recall", "storm", "--repository", "other", "--language", "english", "--limit", "9")
        others = [run_cli("recall", "storm", "--repository", "own"), run_cli("recall", "storm", "--language", "german")]
        owners = run_cli("recall", "storm", "--by", "nobody")
    unset = run_cli("recall", "storm", "--repository", "other", "--hub", "off")
    filtered = run_cli("recall", "storm", "--hub", "http://127.0.0.1:1", "--tag", "x")
    away = run_cli("recall", "storm", "--hub", address)

    cells = [line.split("\t") for line in both.out.splitlines()]
    assert [cell[0].startswith("other:theirs") for cell in cells] == [False] * 3 + [True] * 3
    assert {cell[-1] for cell in cells[3:]} == {"hub"}
    assert (len(as_json["hits"]), len(as_json["hub"]["hits"]), as_json["hub"]["problem"]) == (2, 2, "")
    assert theirs.status == set_up.status == 0
    assert theirs.out == set_up.out
    assert off.status == 1
    assert sorted(line.partition("\t")[0] for line in named.out.splitlines()) == [f"other:theirs{n}" for n in range(6)]
    assert [(one.status, one.out) for one in (*others, owners)] == [(1, "")] * 3
    assert unset.status == 2
    assert "the hub" not in filtered.err
    assert (away.status, len(away.out.splitlines())) == (0, 6)
    assert away.err.count("the hub was not searched: ") == 1


def test_hit_has_the_texts_of_the_answer() -> None:
    with answering(200, json.dumps({"hits": [hit(score=1.5, status="verified")]}).encode()) as (address, asked):
        found = ask(address, [("q", "a storm & more"), ("kind", "gotcha")], token="", limit_s=30)

    assert found.hits == (HubHit("api", "k", "gotcha", "T", "verified", 1.5, "s"),)
    assert asked == ["/search?q=a+storm+%26+more&kind=gotcha"]
