"""``gitmem settle``: what can be done after a failure, and each of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files


@pytest.fixture(autouse=True)
def failed(run_cli, repo: Path) -> None:
    run_cli("init")
    run_cli("fact", "Tokens are signed with RS256", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    run_cli("remember", "Rests on it", "--key", "k", "--requires", "f")
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})
    run_cli("verify")


def status(run_cli, key: str = "f") -> str:
    return json.loads(run_cli("show", key, "--json").out)["status"]


def test_without_options_it_says_why_and_how_to_go_on(run_cli) -> None:
    done, found = run_cli("settle", "f"), json.loads(run_cli("settle", "f", "--json").out)

    assert done.status == 1
    assert "  because: no file of src/auth/jwt.py contains 'RS256'\n" in done.out
    assert "  by: Ana\n" in done.out
    assert [command for command in found["ways"].values() if command not in done.out] == []


def test_suspect_names_the_cause_to_settle(run_cli) -> None:
    done = run_cli("settle", "k")

    assert done.status == 1
    assert "It is suspect because f failed: settle that one, and this one clears automatically.\n" in done.out


def test_reworded_with_a_check_that_fits_it_holds_again(run_cli) -> None:
    done = run_cli(
        "settle", "f", "--reword", "Tokens are signed with EdDSA", "--contains", "EdDSA", "--in", "src/auth/jwt.py"
    )

    assert (done.status, done.out) == (0, "f\n")
    # What rests on it was written for the earlier title.
    assert (status(run_cli), status(run_cli, "k")) == ("verified", "suspect")
    assert (run_cli("settle", "k", "--confirm").out, status(run_cli, "k")) == ("k\n", "")


def test_repaired_code_is_checked_again(run_cli, repo: Path) -> None:
    before = run_cli("settle", "f", "--recheck")
    commit_files(repo, {"src/auth/jwt.py": "RS256\n"})

    done = run_cli("settle", "f", "--recheck")

    assert (before.status, done.status, status(run_cli)) == (1, 0, "verified")


def test_retired_fact_makes_no_memory_suspect(run_cli) -> None:
    done = run_cli("settle", "f", "--retire", "--why", "the gateway signs now")

    assert (done.status, done.out) == (0, "f\n")
    assert status(run_cli, "k") == ""


def test_another_memory_takes_its_place(run_cli) -> None:
    run_cli("remember", "The gateway signs", "--key", "g")

    done = run_cli("settle", "f", "--superseded-by", "g")

    assert (done.status, done.out) == (0, "f\n")
    assert json.loads(run_cli("show", "f", "--json").out)["superseded"] is True


def test_fact_that_holds_needs_no_settling(run_cli) -> None:
    run_cli("fact", "There is a readme", "--exists", "README.md", "--key", "ok")
    run_cli("remember", "a text", "--key", "text")

    holds, unchecked = run_cli("settle", "ok"), run_cli("settle", "text")

    assert (holds.status, unchecked.status) == (0, 0)
    assert holds.out.endswith("There is nothing to settle: it is verified.\n")
    assert unchecked.out.endswith("There is nothing to settle: it has no check.\n")


def test_contradictory_ways_to_settle_are_refused(run_cli) -> None:
    for words, message in (
        (("--retire", "--recheck"), "choose one way to settle it"),
        (("--contains", "x", "--in", "y"), "a new check requires --reword"),
        (("--why", "x"), "--why requires --retire"),
        (("--reword", "x", "--exists", "nosuch"), "the check does not hold"),
    ):
        done = run_cli("settle", "f", *words)

        assert (done.status, status(run_cli)) == (2, "failed")
        assert message in done.err
