"""``gitmem verify``: its words, its exit status, and what is documented of its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files, tip
from support.facts import approve_all
from support.ids import id_of

from gitmem.memory import Memory


@pytest.fixture
def facts(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(
        repo,
        {
            "facts/a.md": memory_text("a", verify="{contains: RS256, in: src/auth/jwt.py}").replace("learned", "fact"),
            "facts/b.md": memory_text("b", verify="{exists: README.md}", requires="[a]").replace("learned", "fact"),
        },
    )


@pytest.mark.usefixtures("facts")
def test_all_well_exits_with_0_and_is_one_commit(run_cli, repo: Path) -> None:
    before = tip(repo)

    done = run_cli("verify")

    assert (done.status, done.err) == (0, "")
    assert done.out == f"✓ a  holds\n✓ b  holds\n2 due: 2 hold; recorded as {tip(repo)[:12]}. Now: 2 verified.\n"
    assert git(repo, "rev-parse", "memory^") == before


@pytest.mark.usefixtures("facts")
def test_failed_and_suspect_memories_exit_with_1_and_say_how_to_settle_them(run_cli, repo: Path) -> None:
    run_cli("verify")
    broken = f", broken by {commit_files(repo, {'src/auth/jwt.py': 'EdDSA' + chr(10)})[:12]} (Ana: change)"

    done, again = run_cli("verify"), run_cli("verify")

    assert (done.status, again.status) == (1, 1)
    assert done.out == (
        f"✗ a  failed — src/auth/jwt.py does not contain 'RS256'{broken}\n"
        "? b  suspect — rests on a\n"
        f"1 due: 1 failed; recorded as {tip(repo)[:12]}. Now: 1 failed, 1 suspect.\n"
    )
    assert done.err == "gitmem: to decide what to do: gitmem settle a\n"
    assert again.out == (
        f"✗ a  still fails — src/auth/jwt.py does not contain 'RS256'{broken}\n"
        "? b  suspect — rests on a\n"
        "nothing was due. Now: 1 failed, 1 suspect.\n"
    )


@pytest.mark.usefixtures("facts")
def test_json_is_as_documented(run_cli, repo: Path) -> None:
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})

    done = run_cli("verify", "--json")

    found = json.loads(done.out)
    assert done.status == 1
    assert {"commit", "ran", "skipped", "results", "recorded"} <= set(found)
    assert (found["commit"], found["ran"], found["skipped"]) == (git(repo, "rev-parse", "HEAD"), 2, 0)
    assert found["recorded"] == tip(repo)
    assert [{"key", "outcome", "status", "because", "reason", "seconds"} - set(row) for row in found["results"]] == [
        set()
    ] * 2
    assert [(row["key"], row["outcome"], row["status"]) for row in found["results"]] == [
        ("a", "fails", "failed"),
        ("b", "holds", "suspect"),
    ]
    assert found["suspect"] == [{"key": "b", "short_id": id_of("b"), "because": ["a"]}]


@pytest.mark.usefixtures("facts")
def test_plan_counts_the_machines_for_what_may_run(run_cli) -> None:
    plans = [run_cli("verify", "--dry-run", "--plan", number).out for number in ("1", "8")]
    refused = run_cli("verify", "--plan", "2")

    assert plans == ["shards=[1]\ncount=1\nsandbox=false\n", "shards=[1, 2]\ncount=2\nsandbox=false\n"]
    assert (refused.status, "--plan requires --dry-run" in refused.err) == (2, True)


@pytest.mark.usefixtures("facts")
def test_dry_run_says_what_is_due_and_changes_nothing(run_cli, repo: Path) -> None:
    before = tip(repo)

    done, found = run_cli("verify", "--dry-run"), json.loads(run_cli("verify", "--dry-run", "--json").out)

    assert (done.status, tip(repo)) == (0, before)
    assert done.out == "a  new  {contains: RS256, in: src/auth/jwt.py}\nb  new  {exists: README.md}\n"
    assert done.err == "gitmem: 2 due facts would be checked. Now: 2 unproven.\n"
    assert [row["key"] for row in found["would_run"]] == ["a", "b"]


@pytest.mark.usefixtures("facts")
def test_keys_choose_facts_due_or_not(run_cli) -> None:
    run_cli("verify")

    one, all_of_them = (json.loads(run_cli("verify", *words, "--json").out) for words in (["a"], ["--all"]))

    assert [row["key"] for row in one["results"]] == ["a"]
    assert [row["key"] for row in all_of_them["results"]] == ["a", "b"]


def test_unapproved_command_is_skipped_and_counted_and_exits_with_3(run_cli) -> None:
    run_cli("fact", "t", "--verify", "test -s README.md && true", "--key", "f")

    done, found = run_cli("verify"), json.loads(run_cli("verify", "--json").out)

    assert done.status == 3
    assert done.out == "1 due: 1 skipped. Now: 1 unproven.\n"
    assert done.err == "gitmem: 1 not approved: gitmem trust --review\n"
    assert (found["skipped"], found["results"][0]["reason"]) == (1, "not approved")


@pytest.mark.parametrize("words", [(), ("--json",), ("--fail-on", "news"), ("f",)])
def test_due_check_that_cannot_run_exits_with_3(repo: Path, run_cli, words: tuple[str, ...]) -> None:
    run_cli("fact", "t", "--key", "f", "--unproven", "--", "no-such-program", "README.md")
    with Memory(repo) as memory:
        approve_all(memory)

    first, second = (run_cli("verify", "--no-sandbox", *words) for _ in range(2))

    assert (first.status, second.status) == (3, 3)
    assert "blocked" in first.out


def test_denied_command_is_distinguished_from_one_that_waits(run_cli) -> None:
    run_cli("fact", "t", "--verify", "test -s README.md && true", "--key", "f")
    run_cli("untrust", "f")

    done, found = run_cli("verify"), json.loads(run_cli("verify", "--json").out)

    assert done.status == 3
    assert done.err == "gitmem: 1 denied here; to decide what to do: gitmem settle f\n"
    assert found["results"][0]["reason"] == "denied here"


def test_verify_reports_a_memory_without_a_check(run_cli) -> None:
    run_cli("remember", "a text", "--key", "k")

    done, unknown = run_cli("verify", "k"), run_cli("verify", "nosuch")

    assert (done.status, unknown.status) == (0, 1)
    assert "gitmem: none of these memories has a check to run\n" in done.err


def test_verdicts_of_another_branch_stay_in_this_clone_unless_asked(run_cli, repo: Path) -> None:
    run_cli("fact", "t", "--contains", "service", "--in", "README.md", "--key", "f")
    git(repo, "switch", "-q", "-c", "topic")
    commit_files(repo, {"README.md": "nothing\n"})
    before = tip(repo)

    kept = run_cli("verify", "--all")
    kept_tip = tip(repo)
    recorded = run_cli("verify", "--all", "--record")

    assert "kept in this clone (not the default branch)" in kept.out
    assert kept_tip == before
    assert "recorded as" in recorded.out
    assert tip(repo) != before


def test_list_that_is_not_on_the_default_branch_approves_nothing(run_cli, repo: Path) -> None:
    run_cli("fact", "t", "--verify", "test -s README.md && true", "--key", "f")
    (repo / "approved").write_text(run_cli("trust", "--print").out)

    done = run_cli("verify", "--approved", "approved")

    assert done.status == 1
    assert "gitmem: error: approved is not on main\n" in done.err


def test_builtin_check_that_cannot_fail_is_refused_and_weak_where_it_was_pushed(run_cli, repo: Path) -> None:
    refused = run_cli("fact", "t", "--matches", ".*", "--in", "README.md", "--key", "f")
    put_files(
        repo, {"facts/a.md": memory_text("a", verify="{matches: '.*', in: README.md}").replace("learned", "fact")}
    )

    done = run_cli("verify")

    assert (refused.status, "'.*' matches every file" in refused.err) == (2, True)
    assert done.out.startswith("✓ a  holds (weak: its check cannot fail)\n")
    assert "  weak: the check cannot fail\n" in run_cli("show", "a").out
