from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import git, tip
from support.facts import make_memory, put


@pytest.fixture
def api(template: Path, tmp_path: Path, repo: Path) -> Path:
    """Return another repository with a memory, listed in ours."""
    put(repo, make_memory("gw", "The gateway of the service"))
    folder = Path(shutil.copytree(template, tmp_path / "api"))
    put(folder, make_memory("gw", "The gateway of the interface", "It has \x1b[31mcolours."))
    git(repo, "config", "gitmem.stores", str(folder))
    return folder


def test_empty_list_says_how_to_add_a_store(run_cli) -> None:
    done = run_cli("stores")

    assert (done.status, done.out) == (1, "")
    assert "gitmem stores add" in done.err


def test_stores_are_listed_with_their_counts_and_problems(run_cli, repo: Path, api: Path) -> None:
    assert run_cli("stores").out == f"api\t{api}\t1\t{tip(api)}\t\n"
    git(repo, "config", "--add", "gitmem.stores", "gone=../gone")
    git(repo, "config", "--add", "gitmem.stores", ".")

    done = run_cli("stores", "list", "--json")

    assert done.status == 1
    gone = str(repo.parent / "gone")
    assert json.loads(done.out)["stores"] == [
        {"name": "api", "path": str(api), "memories": 1, "commit": tip(api), "problem": "", "hint": "",
         "is_here": False},
        {"name": "gone", "path": gone, "memories": 0, "commit": "", "problem": f"{gone}: there is no such folder",
         "hint": "", "is_here": False},
        {"name": "service", "path": str(repo), "memories": 0, "commit": "", "problem": "", "hint": "",
         "is_here": True},
    ]  # fmt: skip


@pytest.mark.usefixtures("api")
def test_json_has_the_hint_for_a_broken_store(run_cli, repo: Path, template: Path) -> None:
    folder = Path(shutil.copytree(template, repo.parent / "empty"))
    git(repo, "config", "--add", "gitmem.stores", str(folder))

    found = json.loads(run_cli("stores", "list", "--json").out)["stores"]

    assert [one["hint"] for one in found] == ["", f"gitmem -C {folder} init"]


@pytest.mark.usefixtures("api")
def test_every_reading_command_says_which_store_a_memory_is_from(run_cli, api: Path) -> None:
    rows = [line.split("\t") for line in run_cli("recall", "gateway").out.splitlines()]
    assert [(row[0], row[5]) for row in rows] == [("gw", "project"), ("api:gw", "listed")]
    hits = json.loads(run_cli("recall", "gateway", "--store", "api", "--json").out)["hits"]
    assert [(hit["key"], hit["scope"], hit["store"]) for hit in hits] == [("gw", "listed", "api")]
    assert run_cli("list", "--store", "api").out.startswith("api:gw\tgotcha\t")
    assert json.loads(run_cli("list", "--scope", "listed", "--json").out)["memories"][0]["store"] == "api"
    shown = run_cli("show", "api:gw").out
    assert f"api:gw  gotcha, listed, of {api}" in shown
    assert "\x1b" not in shown
    assert run_cli("status", "--store", "api").out.startswith(
        f"1 memory on branch memory at {tip(api)[:12]} in {api}\n"
    )


@pytest.mark.usefixtures("api")
def test_requests_that_need_the_own_store_are_refused(run_cli) -> None:
    for argv, status, message in (
        (("recall", "x", "--store", "ipa"), 1, "no listed store is called ipa"),
        (("recall", "--syntax", "kind:gotcha", "--store", "api"), 2, "--store works only with a plain question"),
        (("list", "--store", "api", "--at", "HEAD"), 2, "only for this project's memory"),
        (("show", "gw", "--store", "api", "--scope", "private"), 2, "remove one of them"),
        (("status", "--store", "api", "--scope", "private"), 2, "remove one of them"),
        (("show", "api:nothing"), 1, "there is no memory nothing"),
        (("forget", "api:gw"), 2, "is a memory of another repository, which is read-only here"),
    ):
        done = run_cli(*argv)

        assert (done.status, done.out) == (status, "")
        assert message in done.err
