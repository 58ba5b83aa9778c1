"""Claimed verdicts of built-in checks are worked out again: a wrong one is an error wherever it would count."""

from __future__ import annotations

import json

import pytest
from conftest import NOW, commit_files, git, tip
from support.code_changes import RS256, change, check
from support.facts import make_fact, put, result_of, status_file, statuses, verdict_file, verdict_text, verify
from support.terminal import gitmem

from gitmem.cli.check import exit_status as check_status
from gitmem.cli.verify import exit_status
from gitmem.memory import Memory
from gitmem.verify import builtin_answers, claims

TRUE, FALSE = RS256, {"contains": "HS512", "in": "src/auth/*.py"}
LIES = [(TRUE, '"holds"', '"fails"'), (FALSE, '"fails"', '"holds"')]


def lie(repo, memory, key: str, was: str, now: str) -> None:
    """Push a verdict that says the opposite, and forget what this clone found out."""
    path = verdict_file(memory, key)
    put(repo, {path: git(repo, "show", f"memory:{path}").replace(f"outcome = {was}", f"outcome = {now}") + "\n"})
    for name in ("", "-wal", "-shm"):
        (repo / f".git/gitmem/local.sqlite{name}").unlink(missing_ok=True)


@pytest.fixture
def fresh(repo):
    """Return what opens the store in a clone that found nothing out itself."""
    opened = []

    def open_it() -> Memory:
        opened.append(Memory(repo, clock=lambda: float(NOW + 60)))
        return opened[-1]

    yield open_it
    for memory in opened:
        memory.close()


@pytest.mark.parametrize(("what", "was", "now"), LIES)
def test_verify_names_a_wrong_claim_fails_and_writes_the_right_verdict(memory, repo, fresh, what, was, now):
    put(repo, make_fact("claimed", what), make_fact("other", TRUE))
    verify(memory)
    lie(repo, memory, "claimed", was, now)
    other = fresh()
    assert statuses(other)["claimed"] == ("verified" if was == '"holds"' else "failed")  # before anything is verified

    run = verify(other)

    assert [(w.key, w.claimed, w.answer) for w in run.wrong] == [("claimed", now.strip('"'), was.strip('"'))]
    assert (exit_status(run), result_of(run, "claimed").due.why, run.due) == (1, "wrong", 1)
    assert f"outcome = {was}" in verdict_text(repo, other, "claimed")
    assert statuses(other)["claimed"] == ("verified" if was == '"holds"' else "failed")
    assert verify(other).wrong == ()


def test_right_claims_are_not_judged_again_and_nothing_is_written(memory, repo, fresh):
    put(repo, make_fact("a", TRUE), make_fact("b", {"exists": "README.md"}))
    verify(memory)
    for name in ("", "-wal", "-shm"):
        (repo / f".git/gitmem/local.sqlite{name}").unlink(missing_ok=True)
    before = tip(repo)

    run = verify(fresh())

    assert (run.wrong, run.due, exit_status(run), tip(repo)) == ((), 0, 0, before)


def test_verify_of_the_work_tree_names_a_wrong_claim_and_writes_nothing(memory, repo, fresh):
    put(repo, make_fact("claimed", FALSE))
    verify(memory)
    lie(repo, memory, "claimed", '"fails"', '"holds"')
    before = tip(repo)

    run = verify(fresh(), dirty=True)

    assert ([w.key for w in run.wrong], exit_status(run), tip(repo)) == (["claimed"], 1, before)


def test_claim_about_other_inputs_is_not_wrong(memory, repo, fresh):
    put(repo, make_fact("claimed", TRUE))
    verify(memory)
    lie(repo, memory, "claimed", '"holds"', '"fails"')
    commit_files(repo, {"src/auth/jwt.py": "# RS256, and changed\n"})

    run = verify(fresh())

    assert (run.wrong, result_of(run, "claimed").due.why) == ((), "inputs")


def test_wrong_claim_of_another_branch_stays_an_error_until_it_is_recorded(memory, repo, fresh):
    put(repo, make_fact("claimed", FALSE))
    verify(memory)
    lie(repo, memory, "claimed", '"fails"', '"holds"')
    git(repo, "checkout", "-q", "-b", "topic")
    other = fresh()

    assert [len(verify(other).wrong) for _ in range(2)] == [1, 1]
    assert statuses(other)["claimed"] == "failed"
    verify(other, record=True)
    assert verify(other).wrong == ()


@pytest.mark.parametrize(("what", "was", "now"), LIES)
def test_check_is_not_misled_by_a_wrong_claim_on_either_side(memory, repo, fresh, what, was, now):
    put(repo, make_fact("claimed", what))
    verify(memory)
    lie(repo, memory, "claimed", was, now)
    change(repo, {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'})

    checked = check(fresh())

    assert [f.key for f in checked.of("wrong_verdict")] == ["claimed"]
    assert {f.kind for f in checked.findings} == {
        "wrong_verdict", "newly_false" if what == TRUE else "still_false",
    }  # fmt: skip
    assert check_status(checked, "unchecked") == 1


def test_check_is_not_misled_by_a_claim_about_the_head(memory, repo, fresh):
    put(repo, make_fact("claimed", TRUE))
    head = change(repo, {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'})
    verify(memory, record=True)
    lie(repo, memory, "claimed", '"fails"', '"holds"')

    checked = check(fresh())

    assert (checked.span.head, [f.kind for f in checked.findings]) == (head, ["newly_false", "wrong_verdict"])
    (found,) = checked.of("wrong_verdict")
    assert found.because.startswith("the claimed verdict says that it holds, but the check fails here (no file of")


@pytest.mark.parametrize(("what", "was", "now"), LIES)
def test_review_finds_a_wrong_verdict_that_comes_with_the_change(memory, repo, what, was, now):
    put(repo, make_fact("claimed", what), make_fact("other", TRUE))
    verify(memory)
    before = tip(repo)
    lie(repo, memory, "claimed", was, now)

    done = gitmem(repo, "review", f"{before}..memory", "--format", "json")

    findings = [f for f in json.loads(done.out)["findings"] if f["code"] == "wrong-verdict"]
    assert [(f["severity"], f["key"], f["path"]) for f in findings] == [
        ("error", "claimed", verdict_file(memory, "claimed"))
    ]
    assert findings[0]["hint"].endswith("gitmem verify --record claimed")
    assert done.status == 1


def test_all_claims_are_read_in_one_batch(memory, repo, fresh, monkeypatch):
    put(repo, *(make_fact(f"f{n}", {"contains": f"HS{n}", "in": "src/**"}) for n in range(20)))
    verify(memory)
    for n in range(20):
        lie(repo, memory, f"f{n}", '"fails"', '"holds"')
    asked = []
    look = builtin_answers.look_into
    monkeypatch.setattr(builtin_answers, "look_into", lambda git, files: asked.append(len(files)) or look(git, files))

    with fresh() as other:
        session = other.repository.session()
        assert len(session.find_wrong(session.tree())) == 20

    assert asked == [20]


def test_command_line_says_what_is_wrong(memory, repo):
    put(repo, make_fact("claimed", FALSE))
    verify(memory)
    lie(repo, memory, "claimed", '"fails"', '"holds"')

    done = gitmem(repo, "verify")

    assert done.status == 1
    assert "claimed  wrong verdict — the claimed verdict says that it holds, but the check fails here" in done.out
    assert "failed" in status_file(repo)


def test_claims_are_looked_at_again_when_the_store_or_a_verdict_made_here_changed(memory, repo, fresh, monkeypatch):
    put(repo, make_fact("ours", TRUE))
    looked = []
    real = claims.find_wrong
    monkeypatch.setattr(claims, "find_wrong", lambda *args, **options: looked.append(1) or real(*args, **options))
    for _ in range(3):
        verify(memory)
    assert len(looked) == 2  # the first wrote the verdict, the second found that it is ours

    path = verdict_file(memory, "ours")
    text = git(repo, "show", f"memory:{path}")
    put(repo, {path: text.replace('outcome = "holds"', 'outcome = "fails"') + "\n"})
    run = verify(memory)

    assert [(w.key, w.claimed) for w in run.wrong] == [("ours", "fails")]
    memory.close()
    (repo / ".git/gitmem/local.sqlite").unlink()
    assert not fresh().repository.local.is_right(tip(repo), git(repo, "rev-parse", "HEAD"))
