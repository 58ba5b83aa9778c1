"""``gitmem forge pull``: the address, and names that are none of branches."""

from __future__ import annotations

import json

import pytest
from support.each import each
from support.forge_server import Hub


def test_it_is_opened_and_then_found(run_cli, hub: Hub) -> None:
    first = run_cli("forge", "pull", "--head", "gitmem/verify", "--title", "What was found")
    second = json.loads(run_cli("forge", "pull", "--head", "gitmem/verify", "--json").out)

    assert (first.status, first.out) == (0, f"{hub.pulls[0]['html_url']}\n")
    assert first.err == "gitmem: pull request 60 is opened\n"
    assert second == {"action": "found", "number": 60, "url": hub.pulls[0]["html_url"]}


def test_a_dry_run_shows_it_and_sends_nothing(run_cli, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")

    done = run_cli("forge", "pull", "--head", "gitmem/verify", "--dry-run")
    found = json.loads(run_cli("forge", "pull", "--head", "gitmem/verify", "--dry-run", "--json").out)

    assert done.out.startswith("memory: gitmem/verify\ngitmem/verify -> memory\n")
    assert (found["head"], found["base"], found["repository"]) == ("gitmem/verify", "memory", "acme/shop")
    assert hub.asked == []


@each(
    ("words", "message"),
    [
        (("--head", "memory"), "a branch cannot be merged into itself"),
        (("--head=-x"), "invalid branch name: '-x'"),
        (("--head", "a..b"), "invalid branch name: 'a..b'"),
        (("--head", "a", "--base", "b c"), "invalid branch name: 'b c'"),
    ],
)
def test_invalid_branch_name_is_refused(run_cli, hub: Hub, words: tuple[str, ...], message: str) -> None:
    words = (words,) if isinstance(words, str) else words

    done = run_cli("forge", "pull", *words)

    assert done.status == 2
    assert message in done.err
    assert hub.asked == []
