"""What a culprit is called for people."""

from __future__ import annotations

from conftest import NOW, commit_files, git
from support.facts import Clock, make_fact, put, result_of, verify

from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.git.history import CommitSummary
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.model import FAILS, Verdict
from gitmem.verify.blame.culprit import as_table, describe_culprits, phrase, with_last_held
from gitmem.verify.options import Options

DAY_S = 86_400


def test_culprit_is_described_by_author_and_subject(repo):
    commit = commit_files(repo, {"a": "1"}, "Use EdDSA\n\nBecause.")
    gone = "7" * 40

    message = describe_culprits(Git(discover(repo)), [(commit, ""), (commit, gone), (gone, ""), ("", "")])

    assert message == {
        (commit, ""): f"broken by {commit[:12]} (Ana: Use EdDSA)",
        (commit, gone): f"broken after 777777777777, by {commit[:12]} (Ana: Use EdDSA) at the latest",
        (gone, ""): "broken by 777777777777",
    }


def test_git_is_not_started_without_a_culprit(repo, monkeypatch):
    monkeypatch.setattr(Git, "run", None)

    assert describe_culprits(Git(discover(repo)), [("", "")]) == {}


def test_failed_fact_last_held_right_before_the_culprit(repo):
    before = git(repo, "rev-parse", "HEAD")
    culprit = commit_files(repo, {"a": "1"})
    failed = Verdict("a", "s", "c", FAILS, culprit, "i", 1, held_commit="7" * 40)
    verdicts = {
        "known": replace(failed, culprit=culprit),
        "range": replace(failed, culprit=culprit, culprit_after="8" * 40),
        "unknown": failed,
        "gone": replace(failed, culprit="9" * 40),
    }

    held = {key: v.held_commit for key, v in with_last_held(Git(discover(repo)), verdicts).items()}

    assert held == {"known": before, "range": "8" * 40, "unknown": "7" * 40, "gone": "7" * 40}


def test_hostile_names_are_cut_and_made_printable():
    hostile = CommitSummary("1" * 40, "\x1b[31mA" * 50 + " <a@b>", "2026", "\x1b]52;c;x\x07" + "long " * 100 + "\u202e")

    message = phrase("1" * 40, "", hostile)

    assert message.isprintable()
    assert len(message) < 250


def test_missing_commit_is_described_by_its_name_alone(repo):
    here = git(repo, "rev-parse", "HEAD")
    made = {here: CommitSummary(here, "Ana <ana@example.org>", "2026-09-21T14:13:20+00:00", "the service")}

    assert as_table("", made) is None
    assert as_table("7" * 40, made) == {"commit": "7" * 40, "author": "", "date": "", "subject": ""}
    assert as_table(here, made)["author"] == "Ana <ana@example.org>"  # type: ignore[index]


def test_culprit_found_under_a_clock_ten_years_behind_stays_known(repo):
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("a", {"exists": "README.md"}, ttl="10d"))
        verify(memory)
        culprit = git(repo, "rm", "-q", "README.md") or commit_files(repo, {"a": "1"})
        clock.now = NOW - 3650 * DAY_S
        assert memory.why("a", options=Options()).as_table()["culprit"]["commit"] == culprit
        clock.now = NOW + 60 * DAY_S

        again = result_of(verify(memory), "a")

        assert (again.verdict.outcome, again.due.why) == (FAILS, "ttl")
        assert {line.culprit for line in verify(memory).standing.lines} == {culprit}
