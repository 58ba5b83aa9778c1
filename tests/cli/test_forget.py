"""``gitmem forget``: into the archive, with the reason, and still there."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import git, tip
from support.ids import id_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def test_memory_moves_to_the_archive_with_the_reason(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    done = run_cli("forget", "vpn", "--why", "the VPN is gone", "--json")

    shown = json.loads(run_cli("show", "vpn", "--json").out)
    assert json.loads(done.out) == {
        **{"key": "vpn", "short_id": id_of("vpn"), "path": "archive/learned/vpn.md", "commit": tip(repo)}
    }
    assert (shown["archived"], shown["frontmatter"]["retired"]["why"]) == (True, "the VPN is gone")
    assert run_cli("recall", "deploys").status == 1
    assert "vpn" in run_cli("recall", "deploys", "--all").out
    assert "by Ana: the VPN is gone" in run_cli("show", "vpn").out


def test_several_are_retired_in_one_commit_and_each_key_is_printed(run_cli, repo: Path) -> None:
    for key in ("a", "b", "c"):
        run_cli("remember", f"text {key}", "--key", key)
    before = int(git(repo, "rev-list", "--count", "memory"))

    done, listed = run_cli("forget", "a", "b", "a"), json.loads(run_cli("forget", "b", "c", "--json").out)

    assert (done.status, done.out) == (0, "a\nb\n")
    assert [row["key"] for row in listed["memories"]] == ["b", "c"]
    assert int(git(repo, "rev-list", "--count", "memory")) == before + 2


def test_forgetting_again_reports_that_it_is_already_retired(run_cli) -> None:
    run_cli("remember", "a text", "--key", "a")
    run_cli("forget", "a")

    again = run_cli("forget", "a")

    assert (again.status, again.out, again.err) == (0, "a\n", "gitmem: a is already retired\n")


def test_one_unknown_key_changes_no_memory(run_cli, repo: Path) -> None:
    run_cli("remember", "a text", "--key", "a")
    before = tip(repo)

    done = run_cli("forget", "a", "nosuch")

    assert (done.status, tip(repo)) == (1, before)


def test_reason_with_a_secret_or_a_hidden_character_is_refused(run_cli, repo: Path) -> None:
    run_cli("remember", "a text", "--key", "a")
    before = tip(repo)

    secret, hidden = run_cli("forget", "a", "--why", f"it had {TOKEN}"), run_cli("forget", "a", "--why", "x\x1b[2J")

    assert (secret.status, hidden.status, tip(repo)) == (2, 2, before)
    assert "the reason: it seems to contain a secret" in secret.err
    assert TOKEN not in secret.err
