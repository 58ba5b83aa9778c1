"""``gitmem import``: what it prints, its JSON, and its exit status."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from pathlib import Path

import pytest
from conftest import git
from support.each import each

from gitmem.index import catalog as catalogs
from gitmem.index.catalog import FILE_NAME
from gitmem.repository import open_store

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def test_good_lines_are_imported_and_bad_ones_are_named(run_cli, repo: Path) -> None:
    (repo / "k.jsonl").write_text(f'{{"content": "A text"}}\nno json\n{{"content": "use {TOKEN}"}}\n')

    done, again = run_cli("import", "k.jsonl"), run_cli("import", "k.jsonl", "--json")

    assert (done.status, again.status) == (1, 1)
    assert done.out == (
        "refused: k.jsonl:3: it seems to contain a secret (github-token)\n"
        "unreadable: k.jsonl:2: it is not JSON: Expecting value\n"
        "1 memory imported\n"
        "     1  refused: with a secret or a hidden character\n"
        "     1  unreadable: not imported\n"
    )
    found = json.loads(again.out)
    assert (found["imported"], found["unchanged"], found["commands_waiting"]) == (0, 1, 0)
    assert found["refused"] == [{"source": "k.jsonl:3", "reason": "it seems to contain a secret (github-token)"}]
    assert found["totals"] == {
        "skipped": 0, "near": 0, "merged": 0, "refused": 1, "unreadable": 1, "not_read": 0, "notices": 0, "moved": 0,
        "gone": 0,
    }  # fmt: skip


def test_near_duplicates_are_skipped_and_named(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")
    lines = ["A deploy needs the VPN", "Kafka consumers must be idempotent", "All Kafka consumers must be idempotent"]
    (repo / "k.jsonl").write_text("".join(json.dumps({"content": text}) + "\n" for text in lines))

    done = run_cli("import", "k.jsonl")

    assert done.status == 0
    assert done.out == (
        "nearly said: k.jsonl:3: says nearly (0.99) the same thing as kafka-consumers-must-be-idempotent\n"
        "nearly said: k.jsonl:1: says nearly (0.99) the same thing as vpn\n"
        "1 memory imported\n"
        "     2  nearly said: another one says nearly the same\n"
    )


def test_standard_input_is_a_source_and_a_dry_run_says_what_would_be_done(
    run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, said in ((["--dry-run"], "1 memory would be imported\n"), ([], "1 memory imported\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"content": "typed"}\n')))

        done = run_cli("import", "-", "--kind", "anti-pattern", *arguments)

        assert (done.status, done.out) == (0, said)
    assert run_cli("list", "--kind", "anti_pattern").out.startswith("typed\t")


def test_command_that_waits_is_reported_and_a_long_list_is_cut(run_cli, repo: Path) -> None:
    fact = {"title": "T", "kind": "fact", "body": "b", "verify": "make test"}
    (repo / "k.jsonl").write_text("x\n" * 30 + json.dumps(fact) + "\n")

    done = run_cli("import", "k.jsonl")

    assert "1 imported command waits for your approval: gitmem trust --review" in done.err
    assert done.out.count("unreadable: k.jsonl") == 20
    assert "unreadable: … and 10 more (the first 30 in --json)" in done.out


@each(("arguments", "status"), [(["none.jsonl"], 1), (["README.md", "--kind", "Two words"], 2)])
def test_wrong_use_is_reported(run_cli, arguments: list[str], status: int) -> None:
    done = run_cli("import", *arguments)

    assert (done.status, done.out) == (status, "")
    assert "hint:" in done.err


def test_import_without_a_file_lists_what_can_be_imported(run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(repo / "home"))
    none = run_cli("import")
    (repo / "docs" / "adr").mkdir(parents=True)
    (repo / "docs" / "adr" / "0001-a.md").write_text("# A\n")
    (repo / "home" / "basic-memory").mkdir(parents=True)
    (repo / "home" / "basic-memory" / "it's.md").write_text("# A\n")

    done, table = run_cli("import"), json.loads(run_cli("import", "--json").out)

    assert (none.status, done.status) == (1, 0)
    assert done.out == (
        "gitmem import docs/adr   decision records, 1 file\ngitmem import home/basic-memory   basic-memory, 1 file\n"
    )
    assert [one["command"] for one in table["sources"]] == ["gitmem import docs/adr", "gitmem import home/basic-memory"]


def test_import_that_cannot_be_found_yet_says_so(run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_store, "WAIT_S", 0.0)
    monkeypatch.setattr(catalogs, "BUSY_MS", 1)
    (repo / "new.jsonl").write_text('{"title": "Wicks burn down"}\n')
    run_cli("remember", "a text")
    run_cli("index")
    other = sqlite3.connect(repo / ".git/gitmem" / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    done = run_cli("import", "new.jsonl")

    other.close()
    assert done.status == 3
    assert "the memories are committed, but cannot be found yet" in done.err
    assert "Wicks burn down" in git(repo, "log", "-1", "-p", "memory")
