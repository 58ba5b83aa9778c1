"""``gitmem pull``: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.tracker_server import Tracker, issue, tracking

TITLES = ("Retries never end", "Tokens expire early")


@pytest.fixture
def tracker(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    with tracking() as made:
        for name, value in made.environment().items():
            monkeypatch.setenv(name, value)
        made.lists["issues"] = [issue(n, title, at=n) for n, title in enumerate(TITLES, start=1)]
        yield made


def add(run_cli, tracker: Tracker) -> None:
    argv = ("sources", "add", "github", "acme/shop", "--api", tracker.address, "--include", "issues")
    assert (run_cli(*argv).status, run_cli("sources", "add", "code").out) == (0, "code\n")


def test_sources_are_pulled_and_searched(run_cli, tracker: Tracker) -> None:
    add(run_cli, tracker)

    done = run_cli("pull")
    again = json.loads(run_cli("pull", "github", "--json").out)["sources"]

    assert (done.status, done.out) == (0, "code\t3\t3\t0\ngithub\t2\t2\t0\n")
    assert [(one["documents"], one["changed"], one["error"]) for one in again] == [(2, 0, "")]
    found = run_cli("recall", "retries", "never", "--source", "github")
    assert found.out.startswith("github:issue-1\tgithub_issue\t\t#1 Retries never end\t")
    by_collection = run_cli("recall", "retries", "never", "--collection", "github")
    assert by_collection.out == found.out
    assert "#1 Retries never end" in run_cli("show", "github:issue-1").out
    listed = run_cli("list", "--source", "github").out.splitlines()
    assert sorted(line.split("\t")[0] for line in listed) == ["github:issue-1", "github:issue-2"]


def test_failing_source_does_not_stop_the_others(run_cli, tracker: Tracker, monkeypatch: pytest.MonkeyPatch) -> None:
    add(run_cli, tracker)
    tracker.planned[1] = (401, {}, {"message": "Bad credentials"})

    ended = run_cli("pull")
    monkeypatch.delenv("GH_TOKEN")
    missing = run_cli("pull")

    assert (ended.status, ended.out) == (3, "code\t3\t3\t0\ngithub\t0\t0\t0\n")
    assert "github was not pulled to its end: the forge refused" in ended.err
    assert (missing.status, missing.out) == (3, "code\t3\t0\t0\n")
    assert "there is no token for 127.0.0.1" in missing.err


def test_pull_without_a_source_says_how_to_add_one(run_cli, repo: Path) -> None:
    done = run_cli("pull")

    assert done.status == 2
    assert "gitmem sources add github" in done.err


def test_source_is_not_searched_with_the_query_language(run_cli, repo: Path) -> None:
    assert run_cli("recall", "kind:gotcha", "--syntax", "--source", "github").status == 2
    nothing = run_cli("recall", "words", "--source", "github")
    assert (nothing.status, "nothing was pulled from a source github" in nothing.err) == (1, True)
