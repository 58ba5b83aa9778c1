"""The server: what it answers to whom, what it refuses, and that a stranger learns nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from support.facts import make_memory, put
from support.hubs import PEOPLE, add_to, ask, followed, served, storms, synced, token_file
from support.postgres import HubDatabase, Postgres, new_hub, run_sql
from support.processes import wait_until
from support.terminal import GITMEM, environment

from gitmem.errors import GitmemError
from gitmem.hub.audit import Read
from gitmem.hub.database import connected
from gitmem.hub.identity import TokenFile
from gitmem.hub.reading import Reading, refuse_powers
from gitmem.hub.registry import Entry, add, remove
from gitmem.hub.search import search
from gitmem.hub.server import Limits, Place, listening, serve

ALICE, BOB, CAROL = "alice-token", "bob-token", "carol-token"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """The file with everybody's tokens."""
    return token_file(tmp_path, **PEOPLE)


@pytest.fixture
def address(hub: HubDatabase, template: Path, tmp_path: Path, people: Path) -> Iterator[str]:
    """A server for a test that changes something."""
    with storms(hub, template, tmp_path, people) as found:
        yield found


@pytest.fixture(scope="module")
def shared(
    postgres: Postgres, hub_template: str, template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A server that the tests share that only ask."""
    folder = tmp_path_factory.mktemp("shared")
    with (
        new_hub(postgres, hub_template) as hub,
        storms(hub, template, folder, token_file(folder, **PEOPLE)) as found,
    ):
        yield found


def test_each_identity_finds_and_reads_what_it_may(shared: str) -> None:
    assert sorted(ask(shared, "/search?q=storm", ALICE).keys) == ["vault", "weather"]
    assert ask(shared, "/search?q=storm", BOB).keys == ["weather"]
    read = ask(shared, "/memory/secret/vault", ALICE)

    assert (read.status, read.json["title"]) == (200, "The vault storms at midnight")
    assert "xylophone" in read.json["body"]
    hit = ask(shared, "/search?q=xylophone", ALICE).json["hits"][0]
    assert (hit["repository"], hit["kind"], hit["snippet"]) == ("secret", "gotcha", "Its code is xylophone.")


def test_client_that_keeps_its_connection_waits_for_no_acknowledgement() -> None:
    with listening(("127.0.0.1", 0)) as bound, socket.create_connection(bound.getsockname()):
        accepted, _ = bound.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_facets_are_counted_for_the_identity(shared: str) -> None:
    assert ask(shared, "/search?q=storm&facets=true", BOB).json["facets"]["repository"] == {"open": 1}
    assert ask(shared, "/search?q=storm&facets=true", ALICE).json["facets"]["repository"] == {"open": 1, "secret": 1}
    assert "facets" not in ask(shared, "/search?q=storm", ALICE).json


# Everything that a stranger could try: the answer must be the one for what does not exist.
PAIRS = [
    ("/memory/secret/vault", "/memory/nothing/vault"),
    ("/memory/secret/k", "/memory/secret/nothing"),
    ("/memory/secret%2Fvault", "/memory/nothing%2Fvault"),
    ("/search?q=xylophone", "/search?q=nosuchword"),
    ("/search?q=vault&repository=secret", "/search?q=vault&repository=nothing"),
    ("/search?q=storm&repository=secret", "/search?q=storm&repository=nothing"),
    ("/search?q=midnight&kind=gotcha", "/search?q=nosuchword&kind=gotcha"),
    ("/search?q=vault&status=&owner=", "/search?q=nosuchword&status=&owner="),
    ("/search?q=xylophone&limit=100", "/search?q=nosuchword&limit=100"),
    ("/search?q=xylophone&facets=true", "/search?q=nosuchword&facets=true"),
]


@pytest.mark.parametrize(("hidden", "missing"), PAIRS)
def test_stranger_cannot_tell_what_is_hidden_from_what_is_missing(shared: str, hidden: str, missing: str) -> None:
    one, other = ask(shared, hidden, BOB), ask(shared, missing, BOB)

    def without_query(answer) -> object:
        return {name: value for name, value in answer.json.items() if name != "query"}

    assert one.status == other.status
    assert without_query(one) == without_query(other)
    assert b"vault" not in one.body.replace(b'"query":"vault"', b"")


@pytest.mark.parametrize("token", ["", "wrong", "alice", "x" * 20_000, "eyJhbGciOiJub25lIn0.e30."])
@pytest.mark.parametrize("path", ["/search?q=storm", "/memory/open/weather", "/metrics"])
def test_nobody_is_let_in_without_a_known_token(shared: str, path: str, token: str) -> None:
    refused = ask(shared, path, token)

    assert refused.status in (400, 401)  # uvicorn itself refuses a header that is too long
    if refused.status == 401:
        assert refused.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/search", 400),
        ("/search?q=", 400),
        (f"/search?q={'a' * 1001}", 400),
        ("/search?q=a&limit=0", 400),
        ("/search?q=a&limit=101", 400),
        ("/search?q=a&limit=%D9%A1", 400),
        ("/search?q=a&nothing=1", 400),
        ("/search?q=a&facets=1", 400),
        ("/search?q=a&facets=true", 200),
        ("/search?q=a&" + "&".join(["kind=x"] * 51), 400),
        (f"/search?q=a&kind={'a' * 201}", 400),
        ("/search?q=%00", 200),
        ("/search?q=%22%27)(*%3B--", 200),
        ("/search?q=a&owner=%00", 200),
        ("/memory/", 404),
        ("/memory/open", 404),
        ("/memory/open/%00", 404),
        ("/nothing", 404),
        ("/ac/..%2f", 404),
        ("/metrics", 403),
    ],
)
def test_strange_request_gets_a_clear_answer(shared: str, path: str, status: int) -> None:
    assert ask(shared, path, ALICE).status == status


def test_body_and_other_methods_are_refused(shared: str) -> None:
    assert ask(shared, "/search?q=storm", ALICE, data=b"x" * 10, method="GET").status == 413
    assert ask(shared, "/search?q=storm", ALICE, data=b"x", method="POST").status == 405
    # With two lengths of a body, what follows it must not be read as a request.
    place = (shared.partition("//")[2].partition(":")[0], int(shared.rpartition(":")[2]))
    with socket.create_connection(place, timeout=60) as client:
        both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + both + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answers = b"".join(iter(lambda: client.recv(4096), b""))
    assert (answers.count(b"HTTP/1.1 "), answers.count(b"HTTP/1.1 413 ")) == (1, 1)


def test_reads_of_another_teams_memories_are_in_the_audit_log(address: str, hub: HubDatabase) -> None:
    ask(address, "/search?q=vault", ALICE)
    ask(address, "/memory/secret/vault", CAROL)
    ask(address, "/search?q=storm", BOB)
    ask(address, "/memory/open/weather", ALICE)

    with connected(hub.admin) as connection:
        rows = connection.execute(
            "SELECT a.identity, a.action, r.name, a.detail, now() - a.at < interval '1 minute' FROM hub.audit a"
            " JOIN hub.repository r ON r.id = a.repository WHERE a.action IN ('search', 'read') ORDER BY a.id"
        ).fetchall()
    assert rows == [("bob", "search", "open", "weather", True), ("alice", "read", "open", "weather", True)]


def test_revoked_access_ends_at_once(address: str, hub: HubDatabase, people: Path, tmp_path: Path) -> None:
    before = ask(address, "/search?q=xylophone", ALICE).keys
    with connected(hub.url) as connection:
        add(connection, Entry(str(tmp_path / "secret"), name="secret", readers=("dora",)))
    after = ask(address, "/search?q=xylophone", ALICE).keys, ask(address, "/memory/secret/vault", ALICE).status
    token_file(tmp_path, bob=())

    assert before == ["vault"]
    assert after == ([], 404)
    assert ask(address, "/search?q=storm", ALICE).status == 401
    assert ask(address, "/search?q=storm", BOB).status == 200


def test_node_that_follows_answers_by_the_rights_of_a_moment_ago(
    hub: HubDatabase, template: Path, tmp_path: Path, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    read = Reading._read_visible
    monkeypatch.setattr(
        Reading, "_read_visible", lambda self, who, *rest: looks.append(who.name) or read(self, who, *rest)
    )
    for name, readers in (("secret", ("@payments",)), ("open", ("everyone",))):
        put(Path(shutil.copytree(template, tmp_path / name)), make_memory(f"{name}-storm", "A storm"))
        add_to(hub, tmp_path / name, readers=readers)
    synced(hub, tmp_path)
    stop = threading.Event()

    def found(token: str) -> list[str]:
        return sorted(ask(address, "/search?q=storm", token).keys)

    def looked() -> int:
        before = len(looks)
        assert (found(ALICE), found(BOB)) == (["open-storm", "secret-storm"], ["open-storm"])
        return len(looks) - before

    with (
        followed(hub, tmp_path) as node,
        served(hub, node, TokenFile(people), access=node.known_access) as address,
    ):
        follower = threading.Thread(target=node.follow, args=(stop,))
        follower.start()
        try:
            assert wait_until(node.known_access)
            assert wait_until(lambda: looked() == 0)  # the database is not asked again
            add_to(hub, tmp_path / "secret", readers=("dora",))
            revoked = wait_until(lambda: found(ALICE) == ["open-storm"], 5)
            add_to(hub, tmp_path / "open", readers=("@payments",))
            private = wait_until(lambda: found(BOB) == [] and found(ALICE) == ["open-storm"], 5)
            with connected(hub.url) as connection:
                remove(connection, "open")
            removed = wait_until(lambda: found(ALICE) == [], 5)
            run_sql(hub.admin, "REVOKE SELECT ON hub.access FROM gitmem_follower")  # it can follow no longer
            followed_no_more = wait_until(lambda: not node.known_access(), 10)
            add_to(hub, tmp_path / "secret", readers=("@payments",))
            again = found(ALICE)
        finally:
            stop.set()
            follower.join()

    assert (revoked, private, removed, bool(followed_no_more)) == (True, True, True, True)
    assert again == ["secret-storm"]


def test_probes_and_metrics(address: str) -> None:
    ask(address, "/search?q=storm", BOB)
    metrics = ask(address, "/metrics", "olga-token")

    assert [ask(address, path).status for path in ("/healthz", "/readyz")] == [200, 200]
    assert 'gitmem_hub_requests_total{endpoint="search",status="200"} 1\n' in metrics.body.decode()
    assert metrics.body.decode().endswith("# EOF\n")
    families = {one.name: one for one in text_string_to_metric_families(metrics.body.decode())}
    assert families["gitmem_hub_ready"].samples[0].value == 1
    assert families["gitmem_hub_memories"].samples[0].value == 3
    times = families["gitmem_hub_request_seconds"]
    assert (times.type, times.unit) == ("histogram", "seconds")
    assert [one.value for one in times.samples if one.name.endswith("_count")] == [1]


def test_client_that_only_holds_its_connection_is_cut_off(
    hub: HubDatabase, tmp_path: Path, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.hub.server.REQUEST_S", 0.3)
    half = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    with followed(hub, tmp_path) as node, served(hub, node, TokenFile(people)) as address:
        place = (address.partition("//")[2].partition(":")[0], int(address.rpartition(":")[2]))
        ends = []
        for sent in (b"", half, half + b"\r\n" + half):  # nothing, half a request, and half of a second one
            with socket.create_connection(place, timeout=60) as client:
                client.sendall(sent)
                ends.append(b"".join(iter(lambda client=client: client.recv(4096), b"")))

    assert [b'{"status":"ok"}' in one for one in ends] == [False, False, True]


def test_identity_that_asks_too_often_waits_and_others_do_not(hub: HubDatabase, tmp_path: Path, people: Path) -> None:
    with (
        followed(hub, tmp_path) as node,
        served(hub, node, TokenFile(people), limits=Limits(burst=2, per_second=0)) as address,
    ):
        found = [ask(address, "/search?q=storm", ALICE) for _ in range(3)]
        other = ask(address, "/search?q=storm", BOB).status

    assert [(one.status, one.headers.get("retry-after")) for one in found] == [(200, None), (200, None), (429, "1")]
    assert other == 200


@pytest.mark.parametrize(
    ("limit", "value", "refused"),
    [
        ("AT_ONCE", 0, ["/search?q=storm", "/memory/open/weather", "/", "/mcp", "/healthz"]),
        ("QUEUE_S", -1, ["/search?q=storm", "/memory/open/weather", f"/ac/{'0' * 64}"]),
        ("BEHIND_S", -1e9, ["/readyz"]),
    ],
)
def test_busy_server_says_when_to_ask_again(
    shared: str, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, refused: list[str]
) -> None:
    monkeypatch.setattr(f"gitmem.hub.server.{limit}", value)
    answers = [ask(shared, path, ALICE) for path in refused]
    probe = ask(shared, "/healthz").status

    assert {(one.status, one.headers["retry-after"]) for one in answers} == {(503, "1")}
    assert all(one.json for one in answers)
    assert probe == (200 if "/healthz" not in refused else 503)


def test_slow_searches_keep_no_connection_from_others(
    hub: HubDatabase, template: Path, tmp_path: Path, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.hub.reading.CONNECTIONS", 1)
    monkeypatch.setattr("gitmem.hub.reading.WAIT_S", 1.0)

    def slowly(*args, **kwargs):  # type: ignore[no-untyped-def]
        time.sleep(0.5)
        return search(*args, **kwargs)

    monkeypatch.setattr("gitmem.hub.web.lookup.search", slowly)
    with storms(hub, template, tmp_path, people) as address, ThreadPoolExecutor(8) as clients:
        found = [*clients.map(lambda _: ask(address, "/search?q=storm", ALICE), range(8))]

    assert [len(one.json.get("hits", ())) for one in found] == [2] * 8


def test_database_that_is_away_is_one_line(hub: HubDatabase, address: str) -> None:
    run_sql(hub.admin, "ALTER ROLE hub_server NOLOGIN")
    try:
        run_sql(hub.admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hub_server'")
        answer = ask(address, "/search?q=storm", ALICE)
    finally:
        run_sql(hub.admin, "ALTER ROLE hub_server LOGIN")

    assert answer.status == 503
    assert "\n" not in answer.json["error"]
    assert ask(address, "/healthz").status == 200


@pytest.mark.parametrize(
    ("user", "says"),
    [("postgres", "bypasses the rules"), ("hub_owner", "owns the tables"), ("hub_plain", "is not a member")],
)
def test_role_with_too_many_rights_or_too_few_is_refused(hub: HubDatabase, user: str, says: str) -> None:
    run_sql(hub.admin, "DROP ROLE IF EXISTS hub_plain", "CREATE ROLE hub_plain LOGIN")
    url = hub.admin.replace("postgres@", f"{user}@")

    with connected(url) as connection, pytest.raises(GitmemError, match=says) as caught:
        refuse_powers(connection)

    assert caught.value.hint.startswith("CREATE ROLE")
    run_sql(hub.admin, "DROP ROLE hub_plain")


def test_command_serves_until_a_signal(hub: HubDatabase, tmp_path: Path, people: Path) -> None:
    options = ("--tokens", str(people), "--port", "0", "--folder", str(tmp_path / "data"))
    argv = [*GITMEM, "hub", "serve", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    variables = {**environment(), "GITMEM_HUB_DATABASE": hub.serving}
    server = subprocess.Popen(argv, cwd=tmp_path, env=variables, **pipes)
    try:
        found = server.stdout.readline().strip()
        answer = ask(found, "/search?q=storm", ALICE) if found else None
    finally:
        os.kill(server.pid, signal.SIGTERM)
        rest = server.communicate(timeout=180)[1]

    assert answer is not None, rest
    assert (answer.status, answer.json["hits"]) == (200, [])
    assert "Traceback" not in rest


def test_client_that_disconnects_during_a_request_is_not_logged_as_a_bug(
    hub: HubDatabase, tmp_path: Path, people: Path
) -> None:
    options = ("--tokens", str(people), "--port", "0", "--folder", str(tmp_path / "data"), "--log-json")
    variables = {**environment(), "GITMEM_HUB_DATABASE": hub.serving, "GITMEM_HUB_WEBHOOK_SECRET": "x" * 20}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    server = subprocess.Popen([*GITMEM, "hub", "serve", *options], cwd=tmp_path, env=variables, **pipes)
    try:
        address = server.stdout.readline().strip()
        port = int(address.rpartition(":")[2])
        for path in ("/mcp", "/login", "/webhook"):
            with socket.create_connection(("127.0.0.1", port)) as client:
                head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {address}\r\nX-Gitlab-Token: a\r\n"
                kind = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                head += f"Authorization: Bearer {BOB}\r\n{kind}Content-Length: 500\r\n\r\n{{"
                client.sendall(head.encode())
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets it
        assert ask(address, "/search?q=storm", BOB).status == 200
    finally:
        os.kill(server.pid, signal.SIGTERM)
        rest = server.communicate(timeout=180)[1]

    events = [json.loads(line) for line in rest.splitlines()]  # and nothing else, such as a traceback
    assert {one.get("endpoint") for one in events} >= {"mcp", "page", "webhook", "search"}
    assert BOB not in rest


def test_server_that_ends_says_how_many_reads_it_could_not_note(
    hub: HubDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Reading] = []
    log: list[tuple[str, dict[str, object]]] = []
    rows = [Read(0.0, "alice", "search", 1, key) for key in ("first", "second", "third")]

    class Noticed(Reading):
        def open(self) -> None:
            super().open()
            made.append(self)

    def run(*_: object, **__: object) -> None:
        made[0].audit.note(rows[:1])
        run_sql(hub.admin, "REVOKE INSERT ON hub.audit FROM gitmem_reader")
        made[0].audit.note(rows[1:])  # they wait for others

    monkeypatch.setattr("gitmem.hub.server.Reading", Noticed)
    monkeypatch.setattr("uvicorn.Server.run", run)
    place = Place()
    serve(hub.serving, tmp_path / "node", [], address=("127.0.0.1", 0), place=place, log=lambda *one: log.append(one))

    problem = "lost rows of hub.audit, because the database did not take them: 2"
    assert log[-1] == ("problem", {"problem": problem})
    with connected(hub.admin) as connection:
        assert connection.execute("SELECT detail FROM hub.audit").fetchall() == [("first",)]
