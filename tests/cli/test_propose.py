"""`gitmem propose` prints the link alone, and says the rest beside it; the other commands say where writes go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import git, tip
from support.ids import id_of
from support.proposals import clone, forge, merge_on_forge, shared_folder  # noqa: F401 - fixtures


def test_the_link_is_alone_on_standard_output(run_cli: Any, repo: Path, hub: Path) -> None:
    run_cli("remember", "Tokens rotate daily", "--key", "one")
    git(repo, "config", "url../hub.git.insteadOf", "https://ana:secret@github.com/ana/service.git")
    git(repo, "config", "remote.origin.pushurl", "../hub.git")

    done = run_cli("propose", "auth")

    assert done.status == 0, done
    assert done.out == "branch gitmem/auth, base memory\n"
    assert done.err == (
        "gitmem: 1 commit of memory moved to gitmem/auth; memory is the same as at origin\n"
        "gitmem: origin has gitmem/auth: 1 new; open a pull request with base memory\n"
        "gitmem: new memories go to the proposal auth (gitmem propose pushes it,"
        " gitmem propose --switch memory leaves it)\n"
    )
    wrote = run_cli("remember", "Keys live in the vault", "--key", "two")
    assert (wrote.out, wrote.err) == ("two\n", "gitmem: written to the proposal auth: gitmem propose pushes it\n")
    assert "new memories go to the proposal auth" in run_cli("status").out
    found = json.loads(run_cli("propose", "--json").out)
    assert found == {
        "name": "auth",
        "branch": "gitmem/auth",
        "base": "memory",
        "remote": "origin",
        "commit": tip(hub, "gitmem/auth"),
        "moved": 0,
        "pushed": True,
        "link": "",
        "merged": "",
        "added": ["one", "two"],
        "changed": [],
        "retired": [],
        "conflicts": [],
    }


def test_listing_switching_and_dropping_say_what_they_did(run_cli: Any, repo: Path, hub: Path) -> None:
    empty = run_cli("propose", "--list")
    assert (empty.out, empty.err) == ("", "gitmem: no proposals; to start one: gitmem propose NAME\n")
    begun = run_cli("propose", "auth")
    assert begun.err.startswith("gitmem: new memories go to the proposal auth")
    assert run_cli("propose").err == "gitmem: the proposal auth has no changes yet\n"
    assert run_cli("propose", "--list").out == "* auth  no changes yet\n"
    run_cli("remember", "Tokens rotate daily", "--key", "one")
    assert run_cli("propose", "--list").out.startswith("* auth  1 new; not pushed; ")
    refused = run_cli("propose", "--drop", "auth")
    assert (refused.status, refused.err.splitlines()[0]) == (
        2, "gitmem: error: the proposal auth has 1 unpushed commit",
    )  # fmt: skip

    left = run_cli("propose", "--switch", "memory")
    dropped = run_cli("propose", "--drop", "auth", "--force")

    assert left.err == "gitmem: new memories go to memory\n"
    assert dropped.err.startswith(
        "gitmem: deleted gitmem/auth here\n"
        "gitmem: its commits are kept; to restore the branch: git branch gitmem/auth refs/gitmem/kept/"
    )


def test_proposals_of_others_and_conflicts_are_reported(run_cli: Any, repo: Path, hub: Path) -> None:
    other = clone(repo)
    for folder, said in ((other, "After ten."), (repo, "After two minutes.")):
        assert run_cli("edit", "idle", "--body", said, cwd=folder).status == 0
    run_cli("propose", "auth", cwd=other)

    done = run_cli("propose", "auth")

    assert "gitmem: to settle: idle  body\n" in done.err
    assert "gitmem: gitmem/auth at origin had 1 memory by others; it now has those and yours\n" in done.err
    merge_on_forge(hub, "merge")
    assert run_cli("propose").err == "gitmem: the proposal auth is merged: new memories go to memory again\n"


def test_conflicts_have_short_ids_in_json(run_cli: Any, repo: Path, hub: Path) -> None:
    other = clone(repo)
    for folder, said in ((other, "After ten."), (repo, "After two minutes.")):
        assert run_cli("edit", "idle", "--body", said, cwd=folder).status == 0
    run_cli("propose", "auth", cwd=other)

    (conflict,) = json.loads(run_cli("propose", "auth", "--json").out)["conflicts"]

    assert (conflict["key"], conflict["short_id"]) == ("idle", id_of("idle"))


def test_contradictory_words_are_refused(run_cli: Any, repo: Path, hub: Path) -> None:
    for words in (["a", "--list"], ["--force"], ["--list", "--drop", "a"], ["a", "--remote"], []):
        assert run_cli("propose", *words).status == 2, words
