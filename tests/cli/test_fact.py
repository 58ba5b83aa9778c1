"""``gitmem fact``: every form of check from the command line, and a fact that waits where nobody can approve."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git, tip
from support.each import each
from support.ids import id_of


@pytest.mark.parametrize(
    ("words", "verify"),
    [
        (("--exists", "src/auth"), {"exists": "src/auth"}),
        (("--absent", "setup.py"), {"absent": "setup.py"}),
        (("--contains", "RS256", "--in", "src/**/*.py"), {"contains": "RS256", "in": "src/**/*.py"}),
        (("--matches", "^RETRIES = [0-9]$", "--in", "src/**"), {"matches": "^RETRIES = [0-9]$", "in": "src/**"}),
        (("--lacks", "print(", "--in", "src/**"), {"lacks": "print(", "in": "src/**"}),
    ],
)  # fmt: skip
def test_built_in_check_is_proved_at_once(run_cli, words: tuple[str, ...], verify: dict[str, str]) -> None:
    done = run_cli("fact", "it is so", "--key", "f", *words)

    shown = json.loads(run_cli("show", "f", "--json").out)
    assert (done.status, done.out) == (0, "f\n")
    assert (done.err != "gitmem: created the branch memory\n") is ("absent" in verify)  # it never was there
    assert (shown["frontmatter"]["verify"], shown["status"]) == (verify, "verified")


def test_json_is_key_path_and_commit(run_cli, repo: Path) -> None:
    done = run_cli("fact", "There is a readme", "--exists", "README.md", "--json")

    assert json.loads(done.out) == {
        "key": "there-is-a-readme",
        "short_id": id_of("there-is-a-readme"),
        "path": "facts/there-is-a-readme.md",
        "commit": tip(repo),
    }


@pytest.mark.parametrize(
    ("words", "verify"),
    [
        (("--verify", "test -s README.md && true"), "test -s README.md && true"),
        (("--", "grep", "-q", "--", "A service", "README.md"), ["grep", "-q", "--", "A service", "README.md"]),
    ],
)
def test_fact_stays_unproven_if_its_command_cannot_be_approved(run_cli, words: tuple[str, ...], verify: object) -> None:
    done = run_cli("fact", "it is so", "--key", "f", *words)

    shown = json.loads(run_cli("show", "f", "--json").out)
    assert (done.status, done.out) == (0, "f\n")
    assert (
        "gitmem: its command cannot be approved here; it stays unproven until you approve it: gitmem trust --review\n"
        in done.err
    )
    assert (shown["frontmatter"]["verify"], shown["status"]) == (verify, "unproven")
    assert json.loads(run_cli("status", "--json").out)["waiting"] == ["f"]
    assert "1 command waits for approval" in run_cli("context").out


def test_plain_grep_is_answered_with_the_built_in_check_that_says_the_same(run_cli) -> None:
    done = run_cli("fact", "t", "--verify", "grep -q RS256 src/auth/jwt.py")

    assert "gitmem fact … --contains 'RS256' --in src/auth/jwt.py" in done.err


@each(
    ("words", "message"),
    [
        ((), "a fact needs a check that proves it"),
        (("--verify", ""), "a fact needs a check that proves it"),
        (("--verify", "true"), "a check that cannot fail proves nothing"),
        (("--verify", "echo ok"), "a check that cannot fail proves nothing"),
        (("--exists", "nosuch"), "the check does not hold: nosuch does not exist"),
        (("--contains", "x", "--in", "nosuch"), "the check does not hold"),
        (("--exists", "../up"), "not a path inside the repository"),
        (("--matches", "(", "--in", "a"), "f: "),
        (("--same", "abc", "--in", "a"), "f: "),
        (("--verify", "grep -q \u202ex README.md"), "f: "),
        (("--exists", "README.md", "--timeout", "0s"), "f: "),
    ],
)
def test_check_that_proves_nothing_is_refused(run_cli, words: tuple[str, ...], message: str) -> None:
    run_cli("init")

    done = run_cli("fact", "it is so", "--key", "f", *words)

    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert run_cli("list").status == 1


@pytest.mark.parametrize("place", ["lib", "lib/v", "lib/v/*.c"])
def test_files_of_a_submodule_are_not_in_the_tree_and_no_other_file_is_meant(run_cli, repo: Path, place: str) -> None:
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'HEAD').strip()},lib")
    git(repo, "commit", "-q", "-m", "add a submodule")

    done = run_cli("fact", "It is 2", "--contains", "2", "--in", place)

    assert (done.status, "did you mean" in done.err) == (2, False)
    assert "lib is a submodule, whose files are not in this repository's tree" in done.err


def test_fact_without_a_check_is_reported_where_prose_belongs(run_cli) -> None:
    done = run_cli("fact", "Reviews are friendly")

    assert "gitmem remember 'Reviews are friendly' --kind convention" in done.err


def test_unproven_records_a_fact_that_does_not_hold(run_cli) -> None:
    done = run_cli("fact", "soon", "--exists", "nosuch", "--key", "f", "--unproven")

    assert (done.status, json.loads(run_cli("show", "f", "--json").out)["status"]) == (0, "unproven")


def test_same_fact_again_changes_nothing_and_keeps_its_links(run_cli) -> None:
    run_cli("fact", "There is a readme", "--exists", "README.md", "--requires", "x", "--tag", "docs")

    again = run_cli("fact", "There is a readme", "--exists", "README.md")

    fields = json.loads(run_cli("show", again.out.strip(), "--json").out)["frontmatter"]
    assert "nothing was written" in again.err
    assert (fields["requires"], "docs" in fields["tags"]) == (["x"], True)
