"""``gitmem settle``: what can be done after a failure, and each of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.ids import id_of
from support.standing_folder import fill, standing_repo

repo = standing_repo("settle")


@pytest.fixture(autouse=True)
def failed(run_cli, repo: Path) -> None:
    fill(repo.parent, "failed", lambda: make_failed(run_cli, repo))


def make_failed(run_cli, repo: Path) -> None:
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
    assert "  because: src/auth/jwt.py does not contain 'RS256'\n" in done.out
    assert "  by: Ana\n" in done.out
    assert [command for command in found["ways"].values() if command not in done.out] == []


def test_way_to_other_words_has_the_form_of_the_check(run_cli, repo: Path) -> None:
    commit_files(repo, {"app.json": '{"a b": {"port": 1}}\n'})
    run_cli("fact", "The port is 1", "--value", "app.json#a b.port", "--is", "1", "--key", "port")

    found = json.loads(run_cli("settle", "port", "--json").out)["ways"]["something else is true now"]

    assert found == f"gitmem settle {id_of('port')} --reword '…' --value 'app.json#a b.port' --is …"


def test_suspect_names_the_cause_to_settle(run_cli) -> None:
    done = run_cli("settle", "k")

    assert done.status == 1
    assert (
        f"It is suspect because {id_of('f')} failed: settle that one, and this one clears automatically.\n" in done.out
    )


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
        assert "KEY" not in done.err


def broken_port(repo, run_cli):
    """Record a fact, break it, and find the culprit; return what its status says of it."""
    commit_files(repo, {"a.py": "PORT = 1\n"}, "port one")
    assert run_cli("fact", "The port is 1", "--key", "port", "--contains", "PORT = 1", "--in", "a.py").status == 0
    commit_files(repo, {"a.py": "PORT = 2\n"}, "port two")
    assert run_cli("verify", "port").status == 1
    return verdict_of(run_cli)


def verdict_of(run_cli):
    found = json.loads(run_cli("show", "port", "--json").out)
    return found["status"], found["verdict"]["culprit"], found["verdict"]["held_commit"]


def test_rewording_without_a_new_check_is_refused_while_the_check_fails(repo, run_cli) -> None:
    before = broken_port(repo, run_cli)

    ran = run_cli("settle", "port", "--reword", "The port is 2")

    assert (ran.status, "port: the check does not hold: a.py does not contain 'PORT = 1'" in ran.err) == (2, True)
    assert verdict_of(run_cli) == before
    assert json.loads(run_cli("show", "port", "--json").out)["title"] == "The port is 1"


def test_rewording_that_is_forced_says_that_nothing_is_settled(repo, run_cli) -> None:
    before = broken_port(repo, run_cli)

    ran = run_cli("settle", "port", "--reword", "The port is 2", "--unproven")

    assert "port is still failed" in ran.err
    assert verdict_of(run_cli) == before


def edited_by_edit(repo, run_cli):
    assert run_cli("edit", "port", "--title", "The port is two", "--body", "For now.").status == 0


def edited_in_the_view(repo, run_cli):
    assert run_cli("view").status == 0
    file = repo / ".memory/facts/port.md"
    file.write_text(file.read_text().replace("The port is 1", "The port is two"))
    assert run_cli("save").status == 0


@pytest.mark.parametrize("edit", [edited_by_edit, edited_in_the_view])
def test_words_edited_under_a_failing_check_keep_its_failure_and_culprit(repo, run_cli, edit) -> None:
    before = broken_port(repo, run_cli)
    assert before[0] == "failed"
    assert all(before)
    edit(repo, run_cli)

    assert verdict_of(run_cli) == before
    assert "FAILED: The port is two" in run_cli("context").out
    commit_files(repo, {"a.py": "PORT = 3\n"}, "port three")
    run_cli("verify")
    assert verdict_of(run_cli) == before
    commit_files(repo, {"a.py": "PORT = 1\n"}, "port one again")
    run_cli("verify")
    assert verdict_of(run_cli)[0] == "verified"


def test_another_clone_sees_the_failure_of_a_fact_whose_words_were_edited(repo, run_cli, tmp_path, monkeypatch) -> None:
    before = broken_port(repo, run_cli)
    edited_by_edit(repo, run_cli)
    git(repo, "clone", "-q", str(repo), str(tmp_path / "other"))
    monkeypatch.chdir(tmp_path / "other")
    assert run_cli("init").status == 0

    assert verdict_of(run_cli) == before
