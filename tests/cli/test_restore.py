"""``gitmem restore``: undoes forget."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import git, tip
from support.ids import id_of


def test_restored_memory_is_found_again(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")
    text = git(repo, "show", "memory:learned/vpn.md")
    run_cli("forget", "vpn")

    done = run_cli("restore", "vpn", "--json")

    assert json.loads(done.out) == {
        **{"key": "vpn", "short_id": id_of("vpn"), "path": "learned/vpn.md", "commit": tip(repo)}
    }
    assert git(repo, "show", "memory:learned/vpn.md") == text
    assert run_cli("recall", "deploys").status == 0


def test_live_memory_is_reported_and_a_missing_one_is_an_error(run_cli, repo: Path) -> None:
    run_cli("remember", "a text", "--key", "a")
    before = tip(repo)

    live, none = run_cli("restore", "a"), run_cli("restore", "nosuch")

    assert (live.status, live.out, live.err) == (0, "a\n", "gitmem: a is not retired\n")
    assert (none.status, tip(repo)) == (1, before)
