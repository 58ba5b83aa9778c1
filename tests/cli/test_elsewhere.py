"""What a clone reads of other repositories: from listed stores here, from a hub in ``tests/hub/test_links.py``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Ran, commit_files, git
from support.facts import make_fact, make_memory, put

Run = Callable[..., Ran]


@pytest.fixture
def pair(repo: Path, template: Path, tmp_path: Path, run_cli: Run) -> tuple[Path, Run]:
    """Another repository with a port, which is listed as `api` here; a fact here compares with it."""
    api = Path(shutil.copytree(template, tmp_path / "api"))
    commit_files(api, {"server.toml": "port = 8080\n"})
    put(api, make_fact("port", {"value": "server.toml#port", "is": "8080"}))
    run_cli("verify", "--offline", cwd=api)
    commit_files(repo, {"app.toml": "port = 8080\n"})
    put(
        repo,
        make_fact("same", {"agree": ["app.toml#port", "api:port"]}),
        make_memory("client", "The client", requires=["api:port"]),
    )
    git(repo, "config", "gitmem.stores", f"api={api}")
    return api, run_cli


def statuses(run: Run) -> dict[str, str]:
    found = json.loads(run("list", "--json").out)["memories"]
    return {one["key"]: one["status"] for one in found}


def turn(api: Path, run: Run, port: str, is_reworded: bool) -> None:
    """Change the port of the other repository, and its fact with it or not."""
    commit_files(api, {"server.toml": f"port = {port}\n"}, "change")
    if is_reworded:
        put(api, make_fact("port", {"value": "server.toml#port", "is": port}))
    run("verify", "--offline", cwd=api)


def test_fact_follows_both_sides(pair: tuple[Path, Run], repo: Path) -> None:
    api, run = pair
    first = run("verify", "--json")
    same = statuses(run)
    turn(api, run, "9090", is_reworded=True)
    before = statuses(run)
    second = run("verify")
    other = statuses(run)
    commit_files(repo, {"app.toml": "port = 9090\n"}, "follow")
    third = run("verify", "--json")

    assert [one["outcome"] for one in json.loads(first.out)["results"]] == ["holds"]
    assert (same["same"], before["same"], other["same"]) == ("verified", "verified", "failed")
    assert "app.toml:1 states 8080, and api:port of another repository 9090" in second.out
    assert second.status == 1
    assert (third.status, statuses(run)["same"]) == (0, "verified")


def test_suspicion_reaches_this_clone_and_is_shown_without_the_other_one(pair: tuple[Path, Run], repo: Path) -> None:
    api, run = pair
    run("verify")
    turn(api, run, "9090", is_reworded=False)
    run("verify")
    git(repo, "config", "--unset-all", "gitmem.stores")
    bad = statuses(run)
    shown, status, hits = run("show", "client").out, run("status", "--each").out, run("recall", "client").out
    git(repo, "config", "gitmem.stores", f"api={api}")
    turn(api, run, "8080", is_reworded=False)
    run("verify")

    assert (bad["client"], bad["same"]) == ("suspect", "suspect")
    assert "rests on api:port" in shown
    assert "api:port" in status
    assert "suspect" in hits
    assert statuses(run)["client"] == ""


def test_unknown_value_is_not_checked_and_never_false(
    pair: tuple[Path, Run], repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, run = pair
    git(repo, "config", "--unset-all", "gitmem.stores")
    unknown = run("verify", "--json")
    git(repo, "config", "gitmem.stores", f"api={api}")
    run("verify")
    commit_files(repo, {"app.toml": "port = 9090\n"}, "change")
    offline = run("verify", "--offline")
    git(repo, "config", "--unset-all", "gitmem.stores")
    alone = run("verify")
    monkeypatch.setenv("GITMEM_HUB", "http://127.0.0.1:1")
    down = run("verify")
    status = statuses(run)["same"]

    assert unknown.status == 3
    assert [one["outcome"] for one in json.loads(unknown.out)["results"]] == ["blocked"]
    assert [one.status for one in (offline, alone, down)] == [3, 3, 3]
    assert status == "blocked"
    assert "cannot be read now: nothing was read from others (--offline)" in offline.out
    assert "cannot be read now: no hub is set (gitmem.hub)" in alone.out
    assert "the hub does not say whether memories of other repositories hold: " in down.err
    assert "api:port of another repository cannot be read now: " in down.out


def test_verdict_about_another_repository_stays_in_this_clone(pair: tuple[Path, Run], repo: Path) -> None:
    api, run = pair
    run("verify")
    turn(api, run, "9090", is_reworded=True)
    run("verify", "--record")
    run("fact", "The ports are the same", "--agree", "app.toml#port", "api:port", "--key", "again")
    turn(api, run, "8080", is_reworded=True)
    run("fact", "The ports agree", "--agree", "app.toml#port", "api:port", "--key", "again")
    branch = git(repo, "grep", "-h", "-e", "^", "memory", "--", "verdicts", "README.md", "STATUS.md", check=False)

    assert statuses(run)["again"] == "verified"
    assert "9090" not in branch
    assert "api:port" not in branch


def test_check_compares_with_what_the_other_repository_says(pair: tuple[Path, Run], repo: Path) -> None:
    _, run = pair
    run("verify")
    git(repo, "checkout", "-qb", "change")
    commit_files(repo, {"app.toml": "port = 1\n"}, "change")

    found = run("check", "--base", "main")

    assert found.status == 1
    assert "app.toml:1 states 1, and api:port of another repository 8080" in found.out
