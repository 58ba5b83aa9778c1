"""``gitmem log``: who wrote what, and when it held and failed."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import commit_files, git


def test_history_has_the_memory_and_its_verdicts_the_newest_first(run_cli, repo: Path) -> None:
    held = git(repo, "rev-parse", "HEAD")
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    failed = commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    run_cli("verify")
    run_cli("edit", "f", "--tag", "auth")
    run_cli("forget", "f", "--why", "moved")

    rows = json.loads(run_cli("log", "f", "--json").out)["log"]
    text = run_cli("log", "f").out

    assert [(row["what"], row.get("outcome", ""), row.get("code_commit", "")) for row in rows] == [
        ("memory", "", ""),
        ("memory", "", ""),
        ("verdict", "fails", failed),
        ("memory", "holds", held),
    ]
    assert [row["who"] for row in rows] == ["Ana", "Ana", "gitmem", "Ana"]
    assert f"judged at {failed[:12]}: src/auth/jwt.py does not contain 'RS256'\n" in text
    assert [line.split()[0] for line in text.split("\n") if line and line[0] != " "] == [
        row["commit"][:12] for row in rows
    ]


def test_limit_is_kept(run_cli) -> None:
    for text in ("one", "two", "three"):
        run_cli("remember", text, "--key", "k")

    assert len(json.loads(run_cli("log", "k", "--limit", "2", "--json").out)["log"]) == 2


def test_unknown_key_exits_with_1(run_cli) -> None:
    run_cli("init")

    assert run_cli("log", "nosuch").status == 1


def test_log_without_a_key_shows_what_happened_and_who_did_it(run_cli) -> None:
    run_cli("remember", "Tokens are signed", "--key", "k")
    run_cli("fact", "There is a README", "--exists", "README.md", "--key", "f", "--unproven")
    run_cli("verify")
    run_cli("forget", "k", "--why", "moved")

    rows = json.loads(run_cli("log", "--json").out)["log"]

    assert [(row["what"], row["who"]) for row in rows[:4]] == [
        ("memory", "Ana"),
        ("verdict", "gitmem"),
        ("memory", "Ana"),
        ("memory", "Ana"),
    ]
    assert "forget k" in run_cli("log", "--limit", "1").out
    assert len(json.loads(run_cli("log", "--limit", "2", "--json").out)["log"]) == 2
