"""Failures that other machines recorded: which of them count here, and which are judged again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files
from support.facts import approve_all, make_fact, outcomes, put, statuses, verdict_file, verdict_text, verify

from gitmem.memory import Memory
from gitmem.verify.options import Options
from gitmem.verify.sandbox import sandbox

CHECK = "grep -q service README.md"


def claim_failure(memory: Memory, repo: Path, *, lines: tuple[str, ...] = (), sandbox: str = "") -> None:
    """Verify a fact that holds, and turn the verdict on the branch into a failure that another clone claims."""
    put(repo, make_fact("a", CHECK))
    approve_all(memory)
    verify(memory, no_sandbox=False)
    path = verdict_file(memory, "a")
    text = git(repo, "show", f"memory:{path}")
    lines += (f'sandbox = "{sandbox}"',) if sandbox else ()
    fields = {one.split(" = ")[0] for one in lines}
    kept = [one for one in text.splitlines() if one.split(" = ")[0] not in fields]
    put_files(repo, {path: "\n".join([*kept, *lines]).replace('"holds"', '"fails"') + "\n"})
    memory.close()
    for local in (repo / ".git/gitmem").glob("local.sqlite*"):
        local.unlink()  # as in a clone that never ran it


def needs_sandbox() -> None:
    if sandbox.probe(os.environ["PATH"]) == sandbox.NONE:
        pytest.skip("no sandbox works here")


def test_confirmed_failure_of_as_strong_a_sandbox_counts(memory, repo):
    claim_failure(memory, repo)

    run = verify(memory, no_sandbox=False)

    assert (outcomes(run), statuses(memory)) == ({}, {"a": "failed"})


@pytest.mark.parametrize(
    ("lines", "rung", "why"),
    [
        (("unconfirmed = true",), "", "new"),
        ((), "none", "sandbox"),
        (('environment = "plan9-mips sh=:000000000000"',), "", "environment"),
    ],
    ids=["unconfirmed", "of-a-weaker-sandbox", "of-another-system"],
)
def test_claimed_failure_that_cannot_count_here_is_judged_here_and_taken_back(memory, repo, lines, rung, why):
    needs_sandbox()
    claim_failure(memory, repo, lines=lines, sandbox=rung)

    due = [(d.row.key, d.why) for d in memory.repository.session(Options()).list_due()]
    run = verify(memory, no_sandbox=False)
    again = verify(memory, no_sandbox=False)

    assert due == [("a", why)]
    assert (outcomes(run), statuses(memory), again.due) == ({"a": "holds"}, {"a": "verified"}, 0)
    is_of_this_machine = why != "environment"  # a confirmed failure of another system stays true there
    assert ('outcome = "holds"' in verdict_text(repo, memory, "a")) is is_of_this_machine


def test_unconfirmed_failure_is_unproven_and_never_failed_before_it_is_judged(memory, repo):
    claim_failure(memory, repo, lines=("unconfirmed = true",))

    assert statuses(memory) == {"a": "unproven"}


def test_failure_of_a_weaker_sandbox_stands_where_its_command_may_not_run(memory, repo, tmp_path):
    needs_sandbox()
    claim_failure(memory, repo, sandbox="none")
    git(tmp_path, "clone", "-q", f"file://{repo}", "other")
    git(tmp_path / "other", "fetch", "-q", "origin", "memory:memory")

    with Memory(tmp_path / "other", clock=lambda: float(NOW)) as other:
        run = verify(other, no_sandbox=False)
        assert (run.due, statuses(other)) == (0, {"a": "failed"})


def test_failure_is_due_again_when_the_folder_that_it_missed_is_installed(memory, repo):
    needs_sandbox()
    commit_files(repo, {".gitignore": "node_modules/\n", "deps": "none\n"})
    put(repo, make_fact("a", "grep -q none deps || test -e node_modules/left-pad"))
    approve_all(memory)
    verify(memory, no_sandbox=False)
    commit_files(repo, {"deps": "left-pad\n"})
    failed = outcomes(verify(memory, no_sandbox=False))
    idle = verify(memory, no_sandbox=False).due

    (repo / "node_modules/left-pad").mkdir(parents=True)
    healed = verify(memory, no_sandbox=False)

    assert (failed, idle) == ({"a": "fails"}, 0)
    assert (outcomes(healed), statuses(memory)) == ({"a": "holds"}, {"a": "verified"})
