"""``gitmem edit`` by options; with an editor on a terminal see tests/e2e/test_editor.py."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from conftest import git, put_files, tip

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
FILE = """---
# written by hand
title:   Deploys need the VPN
kind: gotcha
tags: [ops,   net]
custom: {keep: me}   # and this
importance: medium
project: service
created: 2026-01-02T03:04:05Z
---
The body,  as it is.
"""


@pytest.fixture
def key(run_cli, repo: Path) -> str:
    run_cli("init")
    put_files(repo, {"gotchas/vpn.md": FILE})
    return "vpn"


def fields(run_cli, key: str) -> dict[str, object]:
    return json.loads(run_cli("show", key, "--json").out)["frontmatter"]


def test_only_what_is_changed_is_changed_byte_for_byte(run_cli, repo: Path, key: str) -> None:
    done = run_cli("edit", key, "--title", "Deploys need no VPN")

    new = git(repo, "show", "memory:gotchas/vpn.md") + "\n"
    kept = [line for line in FILE.split("\n") if not line.startswith("title")]
    assert (done.status, done.out) == (0, "vpn\n")
    assert "title: Deploys need no VPN\n" in new
    assert [line for line in new.split("\n") if not line.startswith(("title", "updated"))] == kept


def test_option_sets_its_field_or_removes_it(run_cli, key: str) -> None:
    for words, name, value in (
        (("--tag", "a", "--tag", "b"), "tags", ["a", "b"]),
        (("--tag", ""), "tags", None),
        (("--path", "src/**"), "paths", ["src/**"]),
        (("--requires", "x"), "requires", ["x"]),
        (("--ttl", "90d"), "ttl", "90d"),
        (("--importance", "low"), "importance", "low"),
        (("--confidence", "0"), "confidence", 0),
        (("--kind", "anti-pattern"), "kind", "anti_pattern"),
        (("--type", "decision"), "kind", "decision"),
        (("--priority", "0"), "priority", 0),
        (("--parent", "release"), "parent", "release"),
        (("--domain", "ops"), "domains", ["ops"]),
    ):
        done = run_cli("edit", key, *words)

        assert (done.status, fields(run_cli, key).get(name)) == (0, value)


def test_change_of_kind_moves_the_file_and_keeps_the_key(run_cli, repo: Path, key: str) -> None:
    done = run_cli("edit", key, "--kind", "decision", "--json")

    told = json.loads(done.out)
    assert told.pop("short_id")
    assert told == {"key": "vpn", "path": "decisions/vpn.md", "commit": tip(repo)}
    assert "gotchas/vpn.md" not in git(repo, "ls-tree", "-r", "--name-only", "memory")


def test_body_is_read_from_standard_input(run_cli, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"new\r\nbody\r\n")))

    run_cli("edit", key, "--body", "-")

    assert json.loads(run_cli("show", key, "--json").out)["body"] == "new\nbody\n"


def test_empty_body_removes_the_body(run_cli, key: str) -> None:
    run_cli("edit", key, "--body", "")

    assert json.loads(run_cli("show", key, "--json").out)["body"] == ""


def test_network_is_allowed_and_revoked(run_cli) -> None:
    run_cli("fact", "t", "--verify", "test -s README.md && true", "--key", "f", "--unproven")

    run_cli("edit", "f", "--network")
    given = fields(run_cli, "f").get("network")
    run_cli("edit", "f", "--no-network")

    assert (given, fields(run_cli, "f").get("network")) == (True, False)


def test_new_check_must_hold(run_cli) -> None:
    run_cli("fact", "t", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")

    refused = run_cli("edit", "f", "--contains", "EdDSA", "--in", "src/auth/jwt.py")
    done = run_cli("edit", "f", "--contains", "ALGORITHM", "--in", "src/auth/jwt.py")

    assert refused.status == 2
    assert "the check does not hold" in refused.err
    assert (done.status, json.loads(run_cli("show", "f", "--json").out)["status"]) == (0, "verified")


def test_change_that_cannot_be_is_refused_and_nothing_is_written(run_cli, repo: Path, key: str) -> None:
    for words, status, message in (
        ((), 2, "nothing to change"),
        (("--title", f"x {TOKEN}"), 2, "it seems to contain a secret"),
        (("--body", "a\u202eb"), 2, "RIGHT-TO-LEFT OVERRIDE"),
        (("--tag", "\x1b[2J"), 2, "control character"),
        (("--importance", "huge"), 2, "`importance`"),
        (("--kind", "fact"), 2, "a fact needs a check that proves it"),
        (("--supersedes", "nosuch"), 2, "cannot supersede nosuch"),
    ):
        before = tip(repo)

        done = run_cli("edit", key, *words)

        assert (done.status, done.out, tip(repo)) == (status, "", before)
        assert message in done.err
        assert TOKEN not in done.err


def test_escape_of_yaml_does_not_smuggle_a_hidden_character_in(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(repo, {"learned/k.md": '---\ntitle: "a\\e[2Jb"\nkind: learned\n---\n'})

    done = run_cli("edit", "k", "--tag", "x")

    assert done.status == 2
    assert "k: title: line 1, column 2 has control character (U+001B)" in done.err
    assert run_cli("edit", "k", "--title", "ab").status == 0


def test_memory_that_cannot_be_read_is_reported_as_that_and_no_other_is_taken_for_it(run_cli, repo: Path) -> None:
    run_cli("remember", "another", "--key", "k-other")
    put_files(repo, {"learned/k.md": "---\ntitle: [\n---\n"})

    done = run_cli("edit", "k", "--title", "x"), run_cli("forget", "k"), run_cli("show", "k")

    assert [one.status for one in done] == [1, 1, 1]
    assert all("gitmem: error: k cannot be read: learned/k.md: " in one.err for one in done)
    assert run_cli("remember", "anew", "--key", "k").status == 0
    assert run_cli("show", "k").status == 0


def test_unknown_key_names_the_nearest(run_cli, key: str) -> None:
    done = run_cli("edit", "vpm", "--title", "x")

    assert (done.status, done.err) == (1, "gitmem: error: there is no memory vpm\n  hint: did you mean vpn?\n")


def test_kind_that_needs_more_says_how_to_give_it(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(repo, {"learned/k.md": "---\ntitle: a text\nkind: learned\ncreated: 2026-01-02T03:04:05Z\n---\n"})

    refused = run_cli("edit", "k", "--kind", "decision")

    assert "k: a decision needs project, importance\n  hint: add --importance …\n" in refused.err
    assert "add project to its frontmatter: gitmem edit k" in refused.err
