"""How often a check fails, whether that began with a change, and what chance makes of it."""

from __future__ import annotations

from random import Random

import pytest
from conftest import commit_files, git
from support.each import each
from support.facts import DAY, Clock, approve_all, make_fact, put, result_of, verify

from gitmem.memory import Memory
from gitmem.verify.options import Options
from gitmem.verify.run.unsteady import MOST_RUNS, RUNS, Rate, rate_at, since, steadiness

OPTIONS = Options(no_sandbox=True, jobs=1)
# Fails every other time it runs where there is a file `coin`.
COIN = "exec 9<>{0}; flock 9; n=$(cat {0}); echo $((n + 1)) >{0}; test ! -e coin || test $((n % 2)) -eq 0"


@each(("failures", "needed"), [(0, 0), (1, 0), (2, 0), (3, 26), (4, 14), (5, 9), (6, 6), (7, 5), (8, 3)])
def test_the_more_often_it_fails_the_fewer_runs_clear_another_commit(failures, needed):
    assert Rate(failures, RUNS).runs_needed() == needed <= MOST_RUNS


@each(
    ("shown", "outcome"),
    [
        (["holds"] * 14, "holds"),
        (["holds"] * 5 + ["fails"], "fails"),
        (["holds"] * 5 + ["unclear"] + ["holds"] * 8, "fails"),
        (["blocked"] * 14, "blocked"),
        (["holds"] * 13 + ["blocked"], "blocked"),
    ],
)
def test_one_failure_makes_a_commit_unsteady_and_only_all_runs_make_it_steady(shown, outcome):
    assert steadiness("c", 14, lambda *_: shown) == outcome


def test_runs_that_learned_nothing_do_not_count():
    rate = rate_at("c", lambda *_: ["fails", "blocked", "holds", "unclear"])

    assert (rate, since("c" * 40, rate, "b" * 40, 9)) == (
        Rate(2, 3),
        "unsteady since cccccccccccc: 2 of 3 runs fail there, none of 9 at bbbbbbbbbbbb",
    )


def claims(now: float, before: float) -> float:
    """How often a change is named whose check fails so often now, and failed so often before."""
    random, named, tries = Random(1), 0, 4000

    def runs(commit: str, times: int, end: str) -> list[str]:
        shown: list[str] = []
        while len(shown) < times and (not end or end not in shown):
            shown.append("fails" if random.random() < (now if commit == "now" else before) else "holds")
        return shown

    for _ in range(tries):
        needed = rate_at("now", runs).runs_needed()
        named += bool(needed) and steadiness("before", needed, runs) == "holds"
    return named / tries


def test_chance_seldom_names_a_change_and_half_of_the_failures_are_mostly_enough():
    assert max(claims(rate, rate) for rate in (0.02, 0.1, 0.3, 0.5)) < 0.01
    assert claims(0.5, 0.0) > 0.8


@pytest.fixture
def coin(repo, tmp_path):
    """A memory with a steady fact, and where its check counts its runs."""
    count = tmp_path / "count"
    count.write_text("0\n")
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("steady", COIN.format(count)))
        approve_all(memory)
        judged(memory, clock)
        yield memory, clock, count


def judged(memory, clock):
    """What verifying comes to a minute later."""
    clock.now += 60
    return result_of(verify(memory, jobs=1), "steady")


def test_change_that_makes_a_check_fail_half_of_the_time_is_found(coin, repo):
    memory, clock, count = coin
    held = git(repo, "rev-parse", "HEAD")
    for number in range(3):
        commit_files(repo, {"README.md": f"{number}\n"}, f"before {number}")
    culprit = commit_files(repo, {"coin": "\n"}, "toss a coin")
    for number in range(3):
        head = commit_files(repo, {"README.md": f"after {number}\n"}, f"after {number}")
    count.write_text("1\n")

    found = judged(memory, clock)

    assert (found.outcome, found.is_marked, found.verdict.culprit, found.verdict.culprit_after) == (
        *("holds", True),
        *(head, held),
    )
    assert found.verdict.attempt == (f"unsteady since {head[:12]}: 4 of 8 runs fail there, none of 14 at {held[:12]}")
    assert [line.because for line in verify(memory, dry_run=True).standing.flapping] == [found.verdict.attempt]

    why = memory.why("steady", options=OPTIONS).as_table()

    assert (why["outcome"], why["unsteady"], why["culprit"]["commit"]) == ("found", True, culprit)
    assert why["reason"].startswith(f"unsteady since {culprit[:12]}: 4 of 8 runs fail there, none of 14 at ")
    assert f"unsteady since {culprit[:12]}" in memory.show("steady").document["verdict"]["broken"]


def test_what_is_known_of_the_beginning_stays_while_the_fact_flaps(coin, repo):
    memory, clock, count = coin
    commit_files(repo, {"coin": "\n"}, "toss a coin")
    count.write_text("1\n")
    first = judged(memory, clock).verdict

    commit_files(repo, {"README.md": "x\n"}, "beside")
    count.write_text("0\n")
    later = judged(memory, clock).verdict

    assert (later.flapping, later.culprit, later.attempt) == (first.flapping - 1, first.culprit, first.attempt)


def test_check_that_was_unsteady_before_names_no_beginning(coin, repo):
    memory, clock, count = coin
    commit_files(repo, {"coin": "\n"}, "toss a coin")
    count.write_text("0\n")
    assert judged(memory, clock).verdict.flapping == 0
    commit_files(repo, {"README.md": "x\n"}, "beside")
    count.write_text("1\n")

    found = judged(memory, clock).verdict

    assert (found.culprit, found.attempt) == ("", "4 of 8 runs fail on the same code")


def test_fact_about_the_world_that_flaps_blames_no_commit(coin, repo):
    memory, clock, count = coin
    put(repo, make_fact("steady", COIN.format(count), outside=True))
    approve_all(memory)
    assert judged(memory, clock).verdict.flapping == 0
    commit_files(repo, {"coin": "\n"}, "toss a coin")
    clock.now += 2 * DAY
    count.write_text("1\n")

    found = judged(memory, clock).verdict

    assert (found.flapping > 0, found.culprit, found.attempt) == (True, "", "4 of 8 runs fail on the same code")
    assert memory.why("steady", options=OPTIONS).reason.endswith("no commit is to blame")
