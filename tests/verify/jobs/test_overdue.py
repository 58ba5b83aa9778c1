"""Schedules that stopped running verify jobs, and those that only had nothing to report."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.facts import DAY, Clock, make_fact, put, verify
from support.schedules import installed, workflow

from gitmem.memory import Memory
from gitmem.store.state import background
from gitmem.verify.options import Options


def silent(memory: Memory) -> str:
    return memory.status().document["jobs"]["silent"]


def warnings(memory: Memory, budget: int = 2000) -> list[str]:
    return [item["text"] for item in memory.context(paths=(), budget_tokens=budget).document["sections"][0]["items"]]


def commit_at(repo: Path, at: int) -> None:
    """Give HEAD another date."""
    text = git(repo, "cat-file", "commit", "HEAD").replace(f"{NOW} +0000", f"{at} +0000") + "\n"
    git(repo, "update-ref", "HEAD", git(repo, "hash-object", "-t", "commit", "-w", "--stdin", input=text))


# --- this machine --------------------------------------------------------------------------------------------------


def test_schedule_of_this_machine_is_silent_after_three_runs_that_did_not_come(
    timed: Memory, repo: Path, clock: Clock
) -> None:
    installed(repo, "daily")
    clock.now += 3 * DAY - 60
    assert silent(timed) == ""
    assert not any("no verify job has run here for" in line for line in warnings(timed))

    clock.now += 120

    assert "no verify job has run here for 3 days, although one should run daily" in silent(timed)
    assert timed.status().document["jobs"]["silent_s"] == 3 * DAY + 60
    assert sum("no verify job has run here for 3 days" in line for line in warnings(timed)) == 1
    verify(timed)  # finds nothing to do, and is a sign of life all the same
    assert silent(timed) == ""


def test_scheduled_job_that_failed_is_reported_until_one_does_not(timed: Memory, repo: Path) -> None:
    installed(repo, "daily")
    state = str(repo / ".git/gitmem")
    with pytest.raises(RuntimeError), next(background.turns(state, repo, "verify")):
        raise RuntimeError("the remote said\n::error::no")

    assert "the last scheduled verify job failed:" in warnings(timed)[0]
    assert "\\n::error" not in silent(timed)
    assert "\n" not in silent(timed)

    with next(background.turns(state, repo, "verify")):
        pass
    assert "failed:" not in silent(timed)


def test_warning_of_silence_is_one_line_that_no_budget_cuts(timed: Memory, repo: Path, clock: Clock) -> None:
    installed(repo, "daily")
    put(repo, *(make_fact(f"f{n}", {"exists": f"none-{n}"}, title="long " * 40) for n in range(40)))
    verify(timed)
    clock.now += 5 * DAY

    message = warnings(timed, budget=1)

    assert [line for line in message if "no verify job has run here for 5 days" in line] == message[1:]


# --- a forge -------------------------------------------------------------------------------------------------------


def test_forge_that_has_nothing_to_judge_is_not_silent(timed: Memory, repo: Path, clock: Clock) -> None:
    workflow(repo, "daily")

    clock.now += 9 * DAY  # verdicts of this fact count for ten days

    assert silent(timed) == ""


def test_forge_is_silent_three_runs_after_a_fact_became_due(timed: Memory, repo: Path, clock: Clock) -> None:
    workflow(repo, "daily")
    clock.now += 13 * DAY - 60
    assert silent(timed) == ""

    clock.now += 120

    assert "no verdict for 13 days, and facts have been waiting for 3 days" in silent(timed)
    assert timed.status().document["jobs"]["silent_s"] == 13 * DAY + 60
    clock.now += 60 * DAY
    assert "forges disable schedules after 60 days" in silent(timed)


def test_fresh_clone_says_that_the_forge_fell_silent(timed: Memory, repo: Path, clock: Clock, tmp_path: Path) -> None:
    workflow(repo, "daily")
    git(tmp_path, "clone", "-q", str(repo), "clone")
    clock.now += 14 * DAY

    with Memory(tmp_path / "clone", clock=clock) as clone:
        assert "no verdict for 14 days" in silent(clone)
        assert any("no verdict for 14 days" in line for line in warnings(clone))
        assert clone.status().document["jobs"]["last"] is None


def test_changed_code_is_waited_for_from_its_commit_on(timed: Memory, repo: Path, clock: Clock) -> None:
    workflow(repo, "daily")
    clock.now += 5 * DAY
    (repo / "README.md").unlink()
    commit_files(repo, {})
    assert "no verdict for 5 days" in silent(timed)  # the date of all commits here is five days ago

    commit_at(repo, clock.now)
    assert silent(timed) == ""

    clock.now += 3 * DAY + 60
    assert "facts have been waiting for 3 days" in silent(timed)


def test_workflow_that_the_forge_got_just_now_is_not_late(timed: Memory, repo: Path, clock: Clock) -> None:
    clock.now += 30 * DAY
    workflow(repo, "daily")
    git(repo, "reset", "-q", "--soft", "HEAD^")
    assert silent(timed) == ""  # nor one that nobody committed

    commit_files(repo, {})
    commit_at(repo, clock.now - 3 * DAY + 60)
    assert silent(timed) == ""
    clock.now += 120
    assert "no verdict for 30 days, and facts have been waiting for 20 days" in silent(timed)


def test_forge_that_never_left_a_verdict_is_reported(memory: Memory, repo: Path) -> None:
    workflow(repo, "daily")
    put(repo, make_fact("a", {"exists": "README.md"}), make_fact("b", "make"))
    with Memory(repo, clock=Clock(NOW + 2 * DAY)) as early, Memory(repo, clock=Clock(NOW + 4 * DAY)) as late:
        assert silent(early) == ""
        assert silent(late).startswith(
            "the forge's verify job has never recorded a verdict, and facts have been waiting for 4 days"
        )


def test_code_that_the_default_branch_does_not_have_is_no_work_of_the_forge(
    timed: Memory, repo: Path, clock: Clock
) -> None:
    workflow(repo, "daily")
    clock.now += 5 * DAY
    git(repo, "checkout", "-q", "-b", "feature")
    (repo / "README.md").unlink()
    commit_files(repo, {})

    assert silent(timed) == ""


def test_fact_that_a_job_passed_over_is_not_waited_for(timed: Memory, repo: Path, clock: Clock) -> None:
    workflow(repo, "daily")
    put(repo, make_fact("b", "make", ttl="1d"), make_fact("c", {"exists": "src"}, ttl="3d"))
    verify(timed)  # nobody approved the command
    clock.now += 3 * DAY + 60
    assert silent(timed) == ""

    clock.now += 3 * DAY
    assert "facts have been waiting for 3 days" in silent(timed)
    verify(timed)
    clock.now += 60
    assert silent(timed) == ""


def test_verdict_that_was_fetched_and_not_merged_yet_is_a_sign(
    timed: Memory, repo: Path, clock: Clock, tmp_path: Path
) -> None:
    workflow(repo, "daily")
    git(tmp_path, "clone", "-q", str(repo), "clone")
    clock.now += 14 * DAY
    with Memory(tmp_path / "clone", clock=clock) as other:
        other.init(offline=True)
        verify(other, record=True)
    assert "no verdict for 14 days" in silent(timed)

    git(repo, "fetch", "-q", str(tmp_path / "clone"), "memory:refs/remotes/origin/memory")

    assert silent(timed) == ""


def test_forge_is_about_to_switch_off_is_reported_with_the_days_left(timed: Memory, repo: Path, clock: Clock) -> None:
    workflow(repo, "weekly")
    clock.now += 45 * DAY
    assert timed.status().document["jobs"]["soon_off"] == ""

    clock.now += 5 * DAY

    message = timed.status().document["jobs"]["soon_off"]
    assert message.startswith("no commit for 50 days: after 60 days, a forge disables")
    assert message.endswith("(10 days left)")
    assert message in warnings(timed)
    commit_at(repo, clock.now - DAY)
    assert timed.status().document["jobs"]["soon_off"] == ""


def test_schedule_of_this_machine_is_switched_off_by_no_forge(timed: Memory, repo: Path, clock: Clock) -> None:
    installed(repo, "daily")
    clock.now += 50 * DAY

    assert timed.status().document["jobs"]["soon_off"] == ""


# --- who ran it ----------------------------------------------------------------------------------------------------


def test_what_a_forge_recorded_is_distinguished_from_what_ran_here(
    timed: Memory, repo: Path, clock: Clock, tmp_path: Path, run_cli
) -> None:
    workflow(repo, "daily")
    put(repo, make_fact("b", {"exists": "src"}))
    clock.now += 60
    results = str(tmp_path / "results.jsonl")
    git(tmp_path, "clone", "-q", str(repo), "runner")
    with Memory(tmp_path / "runner", clock=clock) as runner:
        runner.verify(options=Options(results=results), report=lambda *_: None)
    timed.jobs.import_results([results])
    claimed = timed.status().document["jobs"]
    put(repo, make_fact("c", {"exists": "src"}))
    clock.now += 60
    verify(timed)

    found = timed.status().document["jobs"]

    assert claimed["branch"]["claimed"] is True
    assert claimed["claimed"] == claimed["branch"]
    assert found["branch"]["claimed"] is False
    assert (found["claimed"]["commit"], found["claimed"]["age_s"]) == (claimed["branch"]["commit"], 60)
    assert " by other machines " in run_cli("status").out


def test_context_says_when_the_last_job_ran_and_on_which_commit(
    timed: Memory, repo: Path, clock: Clock, run_cli
) -> None:
    head = git(repo, "rev-parse", "HEAD")
    clock.now += 3600
    found = timed.context(paths=(), budget_tokens=500).document["verified"]
    assert found == {"at": "2026-09-21T14:13:20Z", "age_s": 3600, "commit": head, "is_head": True}

    commit_files(repo, {"new.py": "1\n"})

    assert f" ago, at {head[:12]}, 1 commit behind HEAD\n" in run_cli("context").out
