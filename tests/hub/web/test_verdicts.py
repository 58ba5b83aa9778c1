"""The hub as a verdict cache: entries of one clone reach another, and nothing comes in without a token or limit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NOW
from support.facts import approve_all, make_fact, put, verify
from support.hubs import ask, followed, served, token_file
from support.postgres import HubDatabase, run_sql
from support.signers import Signer, allow, needs_ssh_keygen

from gitmem.hub.database import connected
from gitmem.hub.identity import TokenFile
from gitmem.hub.web.verdicts import BODY_LIMIT
from gitmem.memory import Memory

NAME = "ab" * 32
ALICE, BOB = "alice-token", "bob-token"


@pytest.fixture
def address(hub: HubDatabase, tmp_path: Path) -> Iterator[str]:
    people = token_file(tmp_path, alice=("payments",), bob=())
    with followed(hub, tmp_path) as node, served(hub, node, TokenFile(people)) as found:
        yield found


def test_entry_of_one_identity_is_read_by_another(address: str) -> None:
    before = ask(address, f"/ac/{NAME}", ALICE)
    made = ask(address, f"/ac/{NAME}", ALICE, data=b"one", method="PUT")
    again = ask(address, f"/ac/{NAME}", BOB, data=b"two\0", method="PUT")

    assert (before.status, made.status, again.status) == (404, 204, 204)
    assert ask(address, f"/ac/{NAME}", ALICE).body == b"two\0"


@pytest.mark.parametrize(
    ("path", "token", "data", "status"),
    [
        (NAME, "", b"x", 401),
        (NAME, "wrong", b"x", 401),
        (NAME, ALICE, b"", 400),
        (NAME, ALICE, b"x" * (BODY_LIMIT + 1), 413),
        (NAME[:-1], ALICE, b"x", 404),
        (NAME.upper(), ALICE, b"x", 404),
        (f"{NAME}%0a", ALICE, b"x", 404),
        ("..%2Fsearch", ALICE, b"x", 404),
    ],
)
def test_what_is_no_entry_is_refused(address: str, path: str, token: str, data: bytes, status: int) -> None:
    assert ask(address, f"/ac/{path}", token, data=data, method="PUT").status == status
    if status == 401:
        assert ask(address, f"/ac/{path}", token).status == 401


def test_old_entries_go_when_new_ones_come(address: str, hub: HubDatabase) -> None:
    ask(address, f"/ac/{NAME}", ALICE, data=b"old", method="PUT")
    run_sql(hub.admin, "UPDATE hub.verdict SET at = now() - interval '91 days'")
    ask(address, f"/ac/{'cd' * 32}", ALICE, data=b"new", method="PUT")

    with connected(hub.admin) as connection:
        assert connection.execute("SELECT body FROM hub.verdict").fetchall() == [(b"new",)]


@needs_ssh_keygen
def test_verdict_travels_through_the_hub(
    address: str, repo: Path, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITMEM_VERDICT_CACHE", address)
    monkeypatch.setenv("GITMEM_VERDICT_CACHE_TOKEN", ALICE)
    ana = Signer(tmp_path, "ana@example.com")
    allow(repo, ana.line())
    ana.configure(repo)
    put(repo, make_fact("a", "grep -q service README.md", paths=["README.md"]))
    memory.close()
    for _ in range(2):
        with Memory(repo, clock=lambda: float(NOW + 100)) as opened:
            approve_all(opened)
            found = verify(opened)
        for local in (repo / ".git/gitmem").glob("local.sqlite*"):
            local.unlink()
        (repo / ".git/gitmem/catalog.sqlite").unlink(missing_ok=True)
        put(repo, make_fact("b", "grep -q service README.md", title="Another claim", paths=["README.md"]))

    assert {one.due.row.key: one.verdict.cached for one in found.results}["b"] == "ana@example.com"
