"""``gitmem status``: counts that agree with their words, and what is documented of its JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

from conftest import commit_files, git, put_files, tip

from gitmem.store.state.spool import Spool


def test_text_shows_the_state_of_the_memory(run_cli, repo: Path) -> None:
    run_cli("init")
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")

    done = run_cli("status")

    lines = done.out.split("\n")
    assert done.status == 0
    assert lines[:3] == [f"1 memory on branch memory at {tip(repo)[:12]}", "  1 fact", "  ✓ 1 verified"]
    assert re.fullmatch(r"newest verdict \S+ ago", lines[3])


def test_last_job_is_named_only_if_it_says_more_than_the_newest_verdict(run_cli, repo: Path) -> None:
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    run_cli("verify", "--all")

    at_head = run_cli("status").out
    commit_files(repo, {"a.txt": "which no check reads"})
    behind = run_cli("status").out

    assert "last verify job" not in at_head and "verdicts recorded" not in at_head
    assert "last verify job here" in behind and "1 commit behind HEAD" in behind


def test_verify_without_a_memory_is_no_failed_job(run_cli) -> None:
    refused = run_cli("verify")
    run_cli("remember", "Retries need jitter", "--key", "k")

    assert (refused.status, "no memory yet" in refused.err) == (3, True)
    assert "verify job" not in run_cli("status").out


def test_commit_of_the_last_job_is_ahead_of_an_unborn_branch(run_cli, repo: Path) -> None:
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    run_cli("verify", "--all")
    git(repo, "checkout", "-q", "--orphan", "other")

    shown = run_cli("status").out

    assert "ahead of HEAD" in shown and "not in this clone" not in shown


def test_view_is_named_without_a_commit_if_it_shows_the_branch(run_cli, repo: Path) -> None:
    run_cli("init")
    run_cli("remember", "Retries need jitter", "--key", "k")
    run_cli("view")
    view = f"view: {repo}/.memory"
    shown = tip(repo)[:12]

    fresh = run_cli("status").out
    git(repo, "update-ref", "refs/heads/memory", "memory~1")
    late = run_cli("status").out

    assert f"{view}\n" in fresh
    assert f"{view} at {shown}, not updated yet\n" in late


def test_failed_fact_is_named_with_its_author_and_exits_with_1(run_cli, repo: Path) -> None:
    run_cli("fact", "Tokens are signed", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "f")
    run_cli("remember", "The gateway has public keys only", "--key", "k", "--requires", "f")
    commit_files(repo, {"a.txt": "which no check reads"})
    culprit = commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})[:12]
    run_cli("verify")

    done = run_cli("status")

    assert done.status == 1
    because = f"src/auth/jwt.py does not contain 'RS256', broken by {culprit} (Ana: change)"
    assert f"  ✗ f  failed — {because} (written by Ana)\n" in done.out
    assert "  ? k  suspect — rests on f (written by Ana)\n" in done.out


def test_json_has_counts_ages_and_pending_decisions(run_cli, repo: Path) -> None:
    run_cli("init")
    run_cli("fact", "t", "--verify", "test -s README.md && true", "--key", "f")
    run_cli("remember", "a text")
    run_cli("task", "add", "a task", "--key", "t")
    put_files(repo, {"learned/broken.md": "no frontmatter"})

    found = json.loads(run_cli("status", "--json").out)

    assert found["branch"] == "memory"
    assert found["commit"] == tip(repo)
    assert (found["memories"], found["kinds"]) == (3, {"fact": 1, "learned": 1, "task": 1})
    assert found["tasks"] == {"open": 1, "claimed": 0, "closed": 0}
    assert found["statuses"]["unproven"] == 1
    assert (found["failed"], found["suspect"], found["waiting"]) == ([], [], ["f"])
    assert found["problems"] == 1
    assert (found["verified_at"], found["verified_age_s"]) == ("", None)
    assert found["index"] == {"commit": tip(repo), "is_current": True}
    text = run_cli("status").out
    assert "  tasks: 1 open\n" in text
    assert "1 problem: gitmem doctor\n" in text


def test_status_counts_captured_texts_that_are_not_committed(memory, run_cli, repo: Path) -> None:
    spool = Spool(repo / ".git" / "gitmem")
    spool.append({"text": "Retries are capped at three"})
    spool.set_aside(spool.append({"text": "x"}), "no")

    text, found = run_cli("status").out, json.loads(run_cli("status", "--json").out)

    assert "1 captured text set aside: gitmem doctor\n1 captured text not committed yet\n" in text
    assert found["spool"] == {"waiting": 1, "refused": 1}


def test_status_at_counts_what_there_was_without_ages(run_cli, repo: Path) -> None:
    run_cli("fact", "It is there", "--exists", "README.md", "--key", "f")
    commit_files(repo, {"new.py": ""})
    run_cli("remember", "known late", "--key", "late")
    before = git(repo, "commit-tree", "HEAD^{tree}", "-m", "of another history")

    early, none = run_cli("status", "--at", "HEAD~1"), run_cli("status", "--at", before)

    code = git(repo, "rev-parse", "--short=12", "HEAD~1")
    memory = git(repo, "rev-parse", "--short=12", "memory~1")
    assert early.out.splitlines() == [
        f"1 memory on branch memory at {memory}, as known at code commit {code}", "  1 fact", "  ✓ 1 verified",
    ]  # fmt: skip
    assert (early.status, none.status) == (0, 1)
    assert run_cli("status", "--at", "HEAD", "--scope", "private").status == 2
