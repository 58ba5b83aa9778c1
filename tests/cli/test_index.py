"""``gitmem index``: what it holds, and anew from nothing."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import tip


def test_index_says_what_it_holds(run_cli, repo: Path) -> None:
    run_cli("remember", "a text")

    text, found = run_cli("index"), json.loads(run_cli("index", "--json").out)

    assert text.out.startswith(f"1 memory at {tip(repo)[:12]}, ")
    assert (found["commit"], found["memories"]) == (tip(repo), 1)


def test_rebuilt_index_answers_the_same(run_cli, repo: Path) -> None:
    run_cli("remember", "a text about gateways")
    before = run_cli("recall", "gateways", "--json").out
    (repo / ".git" / "gitmem" / "catalog.sqlite").write_bytes(b"not a database")

    done = run_cli("index", "--rebuild")

    assert done.status == 0
    assert run_cli("recall", "gateways", "--json").out == before


def test_whoosh_index_is_made_when_asked_for_and_then_brought_along(run_cli, repo: Path) -> None:
    stamp = repo / ".git" / "gitmem" / "whoosh" / "stamp.json"
    run_cli("remember", "a text")
    run_cli("index")
    assert not stamp.exists()

    run_cli("index", "--engine", "whoosh")
    run_cli("remember", "another text")
    run_cli("index")

    assert json.loads(stamp.read_text())["commit"] == tip(repo)
