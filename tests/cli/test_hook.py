"""``gitmem hook``: what shims and pre-commit call; silent where there is no store."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git, put_files, tip
from support.code_changes import RS256
from support.facts import make_fact, make_memory, put, tracked

from gitmem import cli

EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}
TOKEN = "ghp_" + "x7Qa2LmP9vRt4KsW8nZc3BfY6HdJ1GuE5oTi"[:36]


def test_hook_is_silent_where_there_is_no_store(run_cli, repo: Path) -> None:
    commit_files(repo, {"a": "1"}, "x\n\nLearned: a thing of note")
    for event in cli.GIT_EVENTS:
        ran = run_cli("hook", event)

        assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_hook_without_arguments_does_not_stop_an_agents_turn(run_cli) -> None:
    ran = run_cli("hook")

    assert (ran.status, ran.out) == (0, "")
    assert "needs an event or the name of a client" in ran.err


def test_learned_lines_of_a_commit_are_captured_and_reported(memory, run_cli, repo: Path) -> None:
    before = tip(repo)
    commit_files(repo, {"a": "1"}, "x\n\nLearned: the gateway drops idle connections\nLearned: ok")

    ran = run_cli("hook", "post-commit")

    assert ran.status == 0
    assert "1 learning captured" in ran.out
    assert "gitmem: not captured: " in ran.out
    assert tip(repo) == before
    assert "the gateway drops idle connections" in run_cli("recall", "gateway").out


def test_new_commits_of_a_rebase_are_captured(memory, run_cli, repo: Path) -> None:
    commit = commit_files(repo, {"a": "1"}, "x\n\nLearned: the gateway drops idle connections")

    run_cli("hook", "post-rewrite", commit)

    assert "the gateway drops idle connections" in run_cli("recall", "gateway").out


def test_doctor_fails_a_commit_only_for_what_cannot_be_read(memory, run_cli, repo: Path) -> None:
    put_files(repo, {"facts/a.md": "---\ntitle: A\nkind: learned\nrequires: [nothing]\n---\n"})
    fine = run_cli("hook", "doctor")
    put_files(repo, {"facts/b.md": "---\ntitle: [\n---\n"})

    broken = run_cli("hook", "doctor")

    assert (fine.status, fine.out) == (0, "")
    assert broken.status == 1
    assert "facts/b.md" in broken.out


def test_index_is_updated_before_the_next_read(memory, run_cli, repo: Path) -> None:
    run_cli("hook", "index")

    assert (repo / ".git" / "gitmem" / "catalog.sqlite").exists()


def test_commit_that_makes_a_fact_false_is_stopped_and_what_to_do_shown(memory, run_cli, repo: Path) -> None:
    put(
        repo,
        make_fact("tokens", RS256, by={"who": "ana"}),
        make_fact("b", requires=["tokens"], verify={"exists": "src"}),
    )
    (repo / "src/auth/jwt.py").write_text(EDDSA["src/auth/jwt.py"])
    not_staged = run_cli("hook", "check")
    git(repo, "add", "-A")

    stopped = run_cli("hook", "check")

    assert (not_staged.status, not_staged.out, not_staged.err) == (0, "", "")
    assert stopped.status == 1
    assert "tokens  becomes false" in stopped.out
    assert "src/auth/jwt.py:1; written by ana" in stopped.out
    assert "b  is suspect" in stopped.out
    assert "settle the failed facts later (gitmem settle tokens): git commit --no-verify" in stopped.out


@pytest.mark.parametrize(("now", "status"), [({"contains": "EdDSA", "in": "src/auth/*.py"}, 0), ({"exists": "no"}, 1)])
def test_commit_that_changes_the_fact_as_well_goes_on_where_the_new_one_holds(
    memory, run_cli, repo: Path, now, status
) -> None:
    commit_files(repo, tracked(make_fact("tokens", RS256)))
    for path, text in (EDDSA | tracked(make_fact("tokens", now))).items():
        (repo / path).write_text(text)
    git(repo, "add", "-A")

    ran = run_cli("hook", "check")

    assert ran.status == status
    assert ("tokens" in ran.out) == (status == 1)


def test_commands_that_are_not_approved_are_counted_and_stop_nothing(memory, run_cli, repo: Path, monkeypatch) -> None:
    put(repo, make_fact("a", "false", paths=["src/**"]), make_fact("b", "false", paths=["src/**"]))
    put(repo, make_fact("elsewhere", "false", paths=["README.md"]))
    monkeypatch.setenv("PRE_COMMIT", "1")
    (repo / "src/auth/jwt.py").write_text("")
    git(repo, "add", "-A")

    ran = run_cli("hook", "check")

    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "gitmem: 2 facts not checked: not approved here (gitmem trust --review)\n"


def test_pushed_commits_are_checked_under_pre_commit(memory, run_cli, repo: Path, monkeypatch) -> None:
    put(repo, make_fact("tokens", RS256))
    before = git(repo, "rev-parse", "HEAD")
    pushed = commit_files(repo, EDDSA)
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("PRE_COMMIT_REMOTE_NAME", "origin")
    whole = run_cli("hook", "check")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", before)
    monkeypatch.setenv("PRE_COMMIT_TO_REF", pushed)

    ran = run_cli("hook", "check")
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/memory")
    memory_itself = run_cli("hook", "check")
    memory.proposals.send("auth", push=False)
    memory_still = run_cli("hook", "check")
    git(repo, "update-ref", "refs/heads/gitmem/auth", "memory")
    memory.proposals.switch("memory")
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/gitmem/auth")
    of_code = run_cli("hook", "check")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", tip(repo))
    proposal = run_cli("hook", "check")

    assert (whole.status, whole.out, whole.err) == (0, "", "")
    assert (ran.status, "SKIP=gitmem-check git push" in ran.out) == (1, True)
    assert (memory_itself.status, memory_itself.out) == (0, "")
    assert (memory_still.status, memory_still.out) == (0, "")
    assert (of_code.status, proposal.status) == (1, 0)


def test_memory_with_a_secret_is_not_pushed_by_hand_where_pre_commit_is_asked(
    memory, run_cli, repo: Path, monkeypatch
) -> None:
    before = tip(repo)
    put(repo, make_memory("leak", "The gateway", TOKEN))
    for name, value in (("REMOTE_NAME", "origin"), ("FROM_REF", before), ("TO_REF", tip(repo))):
        monkeypatch.setenv(f"PRE_COMMIT_{name}", value)
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/memory")

    ran = run_cli("hook", "check")

    assert ran.status == 1
    assert "a secret would be pushed to origin: gotchas/leak.md (github-token in line " in ran.err
    assert TOKEN[:8] not in ran.out + ran.err


def test_problem_of_the_environment_is_reported_and_keeps_commits(memory, run_cli, repo: Path, monkeypatch) -> None:
    no_message = run_cli("hook", "learned", "nowhere")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "f" * 40)
    monkeypatch.setenv("PRE_COMMIT_TO_REF", git(repo, "rev-parse", "HEAD"))
    no_commit = run_cli("hook", "check")
    git(repo, "config", "gitmem.colour", "never")
    bad_setting = run_cli("hook", "check")

    assert (no_message.status, no_commit.status, bad_setting.status) == (0, 0, 0)
    assert no_message.err == "gitmem: nothing was checked: nowhere cannot be read: No such file or directory\n"
    assert no_commit.err.startswith("gitmem: nothing was checked: ")
    assert "unknown setting: gitmem.colour\ngitmem: the closest one is gitmem.color" in bad_setting.err
    assert run_cli("hook", "doctor").status == 3


def test_commit_message_with_a_secret_is_refused_and_not_captured(memory, run_cli, repo: Path) -> None:
    file = repo / ".git" / "COMMIT_EDITMSG"
    file.write_text(f"x\n\nLearned: the gateway drops idle connections\nLearned: the key is {TOKEN}\n")
    refused = run_cli("hook", "learned", str(file))
    spaced = file.with_name("MY MSG")
    spaced.write_text(file.read_text())
    assert f"git commit -e -F '{spaced}'\n" in run_cli("hook", "learned", str(spaced)).out
    file.write_text(f"x {TOKEN} is no learning\n\nLearned: the gateway drops idle connections\n")
    fine = run_cli("hook", "learned", str(file))

    assert refused.status == 1
    assert "secret" in refused.out
    assert TOKEN not in refused.out
    assert "git commit -e -F" in refused.out
    assert (fine.status, fine.out) == (0, "")
    assert "nothing found" in run_cli("recall", "gateway").err


def test_learned_lines_are_captured_once_committed(memory, run_cli, repo: Path) -> None:
    commit_files(repo, {"a": "1"}, "x\n\nLearned: the gateway drops idle connections")

    run_cli("hook", "learned")
    run_cli("hook", "learned")

    assert run_cli("recall", "gateway").out.count("the-gateway") == 1
