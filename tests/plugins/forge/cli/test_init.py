"""``gitmem forge`` alone: whom the verbs would speak to."""

from __future__ import annotations

import json

import pytest
from support.forge_server import TOKEN, Hub


def test_forge_shows_the_repository_and_sends_nothing(run_cli, hub: Hub) -> None:
    done, found = run_cli("forge"), run_cli("forge", "--json")

    assert done.status == 0
    assert done.out == f"acme/shop at {hub.address}, from https://github.example/acme/shop/actions/runs/77\n"
    assert json.loads(found.out)["has_token"] is True
    assert TOKEN not in done.out + done.err + found.out
    assert hub.asked == []


def test_without_a_token_it_says_so(run_cli, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")

    done = run_cli("forge")

    assert (done.status, done.err) == (1, "gitmem: no token is set: GITHUB_TOKEN is empty\n")


def test_outside_of_a_job_the_missing_variable_is_named(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)

    done = run_cli("forge")

    assert done.status == 3
    assert "GITHUB_REPOSITORY is not set" in done.err
    assert "export GITHUB_REPOSITORY=owner/name" in done.err
