"""Confirming a failure: the runs on each commit, and the meaning of the answers; running is in test_judge."""

from __future__ import annotations

from random import Random

from support.each import each

from gitmem.frozen import replace
from gitmem.model import Verdict
from gitmem.verify.run.confirm import (
    AGAIN,
    FEW,
    FIRM,
    FIRST,
    HURRIED,
    MOST,
    MOST_ASKED,
    STEADY,
    THERE,
    confirm,
    count_tries,
    mark_of,
    runs_needed,
    update_mark,
)

GOOD, BAD = "a" * 40, "b" * 40
FAILURE = Verdict("k", "s", "c", "fails", BAD, "files:2", 100, because="exit 1", held_commit=GOOD, held_at=50)
HELD = Verdict("k", "s", "c", "holds", GOOD, "files:1", 50, held_commit=GOOD, held_at=50, own=True)


def asked(answers: dict[str, list[str]], *, old: Verdict | None = HELD, held: str = GOOD, outside: str = "", **options):
    """Return what confirming comes to where the check answers so at each commit, its last answer for ever after."""
    seen: dict[str, int] = {}

    def ask(commit: str, times: int) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        while len(found) < times and ("holds", "no such tool") not in found:
            seen[commit] = seen.get(commit, 0) + 1
            message = answers[commit]
            found.append((message[min(seen[commit], len(message)) - 1], "no such tool"))
        return found

    failure = replace(FAILURE, held_commit=held, outside=outside)
    return confirm(old, failure, ask=ask, held=held, **({"is_unclear": False} | options)), seen


@each(
    ("answers", "outcome", "confirmed", "runs"),
    [
        ({BAD: ["fails"], GOOD: ["holds"]}, "fails", True, (FIRM - 1, 1)),
        ({BAD: ["unclear"], GOOD: ["holds"]}, "fails", True, (FIRM - 1, 1)),
        ({BAD: ["fails"], GOOD: ["fails", "holds"]}, "fails", True, (FIRST + FIRM - 1, 2)),
        ({BAD: ["fails"], GOOD: ["blocked"]}, "unproven", False, (FIRM - 1, THERE)),
        ({BAD: ["fails"], GOOD: ["fails"]}, "blocked", None, (1, THERE)),
        ({BAD: ["fails"], GOOD: ["unclear"]}, "blocked", None, (1, THERE)),
        ({BAD: ["fails", "holds"], GOOD: ["holds"]}, "holds", True, (2, 1)),
        ({BAD: ["holds"], GOOD: ["fails"]}, "holds", True, (1, THERE)),
        ({BAD: ["blocked"], GOOD: ["holds"]}, "blocked", None, (FIRM - 1, 1)),
    ],
    ids=[
        *("of-the-change", "crashes-now", "flaps-there", "cannot-be-asked-there", "fails-there-too", "crashes-there"),
        *("flaps", "flaps-on-both", "not-run-again"),
    ],
)
def test_failure_is_confirmed_where_it_held_and_here(answers, outcome, confirmed, runs):
    found, seen = asked(answers)

    assert (found.outcome, found.verdict and found.verdict.confirmed) == (outcome, confirmed)
    assert (seen.get(BAD, 0), seen.get(GOOD, 0)) == runs


@each(("there", "outcome"), [("holds", "fails"), ("fails", "blocked"), ("blocked", "blocked")])
def test_what_may_be_the_environment_accuses_only_where_it_held_and_still_does(there, outcome):
    found, _ = asked({BAD: ["unclear"], GOOD: [there]}, is_unclear=True)

    assert found.outcome == outcome


def test_what_may_be_the_environment_accuses_no_one_without_a_commit_to_compare_with():
    found, seen = asked({BAD: ["unclear"]}, old=None, held="", is_unclear=True)

    assert (found.outcome, found.reason, seen) == ("blocked", "exit 1", {BAD: 1})


def test_check_that_fails_and_then_holds_holds_and_is_marked():
    found, _ = asked({BAD: ["fails", "holds"], GOOD: ["holds"]})

    message = found.verdict
    assert (message.outcome, message.because, message.held_commit, message.flapping) == ("holds", "", BAD, FIRST)
    assert (message.attempt, message.attempt_at) == ("it failed 2 times, then held on the same code", 100)


@each(("mark", "runs"), [(3, 3 + FIRM), (40, MOST_ASKED), (999, MOST_ASKED)])
def test_failure_of_a_marked_fact_needs_more_like_answers_and_takes_the_mark_away(mark, runs):
    found, seen = asked({BAD: ["fails"], GOOD: ["holds"]}, old=replace(HELD, flapping=mark))

    assert (seen[BAD] + 1, found.outcome, found.verdict.flapping) == (runs, "fails", 0)


@each(("mark", "after"), [(0, FIRST), (4, 4 + AGAIN), (MOST, MOST), (999, MOST)])
def test_each_flap_adds_to_the_mark_up_to_a_limit(mark, after):
    found, _ = asked({BAD: ["holds"], GOOD: ["holds"]}, old=replace(HELD, flapping=mark))

    assert found.verdict.flapping == after


@each("firm", [2 * FIRM, FIRM, HURRIED])
def test_failure_of_a_fact_that_never_held_accuses_nothing(firm):
    found, seen = asked({BAD: ["fails"]}, old=None, held="", firm=firm)

    assert (found.outcome, found.reason, seen) == ("unproven", "does not pass here: exit 1", {BAD: HURRIED - 1})


@each(
    ("there", "is_unclear", "outcome", "runs"),
    [
        ("holds", False, "fails", (FIRM - 1, 1)),
        ("holds", True, "fails", (FIRM - 1, 1)),
        ("fails", False, "unproven", (HURRIED - 1, THERE)),
        ("unclear", False, "unproven", (HURRIED - 1, THERE)),
        ("fails", True, "blocked", (1, THERE)),
    ],
)
def test_fact_that_was_never_seen_to_hold_fails_if_it_held_where_it_was_written(there, is_unclear, outcome, runs):
    answers = {BAD: ["fails"], GOOD: [there]}

    found, seen = asked(answers, old=None, held="", written=GOOD, is_unclear=is_unclear)

    assert (found.outcome, (seen[BAD], seen[GOOD])) == (outcome, runs)


def test_failure_where_it_held_on_this_very_commit_is_of_the_environment():
    found, seen = asked({BAD: ["fails"]}, held=BAD)

    assert (found.outcome, found.verdict, seen) == ("blocked", None, {BAD: FIRM - 1})


@each(
    ("outside", "answers", "is_unclear", "outcome", "blamed", "there"),
    [
        ("declared", {BAD: ["fails"]}, False, "fails", "declared", 0),
        ("declared", {BAD: ["unclear"]}, True, "blocked", None, 0),
        ("declared", {BAD: ["fails", "holds"]}, False, "holds", "declared", 0),
        ("network", {BAD: ["fails"], GOOD: ["fails"]}, False, "blocked", None, THERE),
        ("network", {BAD: ["fails"], GOOD: ["holds"]}, False, "fails", "", 1),
        ("network", {BAD: ["unclear"], GOOD: ["unclear"]}, True, "blocked", None, THERE),
    ],
    ids=["declared", "declared-and-hangs", "declared-and-flaps", "seen", "seen-but-the-change", "seen-and-hangs"],
)
def test_fact_about_the_world_fails_where_no_commit_is_to_blame(outside, answers, is_unclear, outcome, blamed, there):
    found, seen = asked(answers, outside=outside, is_unclear=is_unclear)

    assert (found.outcome, found.verdict and found.verdict.outside, seen.get(GOOD, 0)) == (outcome, blamed, there)
    if outcome == "fails":
        assert (found.verdict.because.startswith("outside the repository: exit 1"), found.verdict.confirmed) == (
            bool(blamed),
            True,
        )


def test_fact_about_the_world_that_is_true_again_does_not_flap():
    failed = replace(HELD, outcome="fails", outside="declared")

    assert update_mark(failed, failed, replace(HELD, outside="declared")).flapping == 0


def test_like_answers_take_the_mark_away_one_by_one():
    verdict = replace(HELD, flapping=3, attempt="it failed, then held", attempt_at=40)
    lines = []
    for _ in range(3):
        verdict = update_mark(verdict, verdict, HELD)
        lines.append((verdict.flapping, verdict.attempt))

    assert lines == [(2, "it failed, then held"), (1, "it failed, then held"), (0, "")]


@each(
    ("change", "flapping"),
    [({}, FIRST), ({"own": False}, 0), ({"inputs": "files:9"}, 0)],
    ids=["own", "claimed", "other-inputs"],
)
def test_holding_where_our_own_run_failed_on_the_same_inputs_is_a_flap(change, flapping):
    failed = replace(HELD, outcome="fails", **change)

    assert update_mark(failed, failed, HELD).flapping == flapping


@each(
    ("seconds", "steadiness", "is_hurried", "runs"),
    [
        (0.1, 0, False, FIRM + 3),
        (0.1, 1, False, FIRM + 3),
        (0.1, 3, False, FIRM + 2),
        (0.1, STEADY - 1, False, FIRM + 1),
        (0.1, STEADY, False, FIRM),
        (1.0, 0, False, FIRM),
        (60.0, 0, False, FEW),
        (0.1, 0, True, HURRIED),
    ],
    ids=["not-known", "ran-once", "ran-a-little", "nearly", "steady", "longer", "slow", "somebody-waits"],
)
def test_quick_check_that_is_not_known_to_be_steady_must_fail_more_often(seconds, steadiness, is_hurried, runs):
    assert runs_needed(seconds, steadiness, is_hurried=is_hurried) == runs


# --- the numbers ----------------------------------------------------------------------------------------------------


def walked(
    rate: float, seed: int, *, broken_from: int = 10**9, commits: int = 250, tries: int = STEADY
) -> tuple[list[int], int]:
    """Judge a fact whose check fails at random, commit by commit, as the judge does.

    Returns:
        The commits at which it was said to fail anew, and how often it was marked.
    """
    random = Random(seed)
    old, accused, marked, steadiness = HELD, [], 0, 0
    for number in range(commits):
        name = f"{number:040x}"

        def ask(commit: str, times: int) -> list[tuple[str, str]]:
            broken = commit != GOOD and int(commit, 16) >= broken_from
            found: list[tuple[str, str]] = []
            while len(found) < times and ("holds", "") not in found:
                found.append(("fails" if broken or random.random() < rate else "holds", ""))
            return found

        outcome, _ = ask(name, 1)[0]
        new = replace(HELD, outcome=outcome, commit=name, inputs=name, at=100 + number, held_commit=old.held_commit)
        if outcome == "fails" and old.outcome != "fails":
            firm = runs_needed(0.1, steadiness, is_hurried=False)
            found = confirm(old, new, ask=ask, held=new.held_commit, is_unclear=False, firm=firm)
            accused += [number] * (found.outcome == "fails")
            new = found.verdict
        else:
            new = update_mark(old, old, replace(new, held_commit=name) if outcome == "holds" else new)
            if outcome == "holds" and not mark_of(new):
                shown: list[str] = []
                while len(shown) < tries - steadiness - 1 and "fails" not in shown:
                    shown += [ask(name, 1)[0][0]]
                new = count_tries(new, old, shown, steadiness)
        marked += new is not None and not mark_of(old) and mark_of(new) > 0
        steadiness = 0 if mark_of(new) else new.alike if new is not None and outcome == "holds" else steadiness
        old = new or old
    return accused, marked


@each("rate", [0.05, 0.1, 0.2, 0.3, 0.5])
def test_check_that_fails_at_random_accuses_next_to_no_one_and_is_reported_of_now_and_then(rate):
    walks = [walked(rate, seed) for seed in range(25)]

    # 6,250 judgements, and hundreds of failures of each rate but the first.
    assert sum(len(accused) for accused, _ in walks) <= 2
    assert 1 <= sum(marked for _, marked in walks) / len(walks) <= 6


@each(("tries", "most"), [(0, 1), (STEADY, 0)], ids=["no-time-to-try", "tried"])
def test_first_failures_of_checks_that_fail_at_random_accuse_no_one(tries, most):
    # With as many runs for them as for a steady check, and no trial, four of these walks accuse somebody.
    assert sum(bool(walked(0.3, seed, commits=25, tries=tries)[0]) for seed in range(150)) <= most


def test_check_that_was_tried_costs_five_runs_when_it_breaks():
    found = count_tries(HELD, None, ["holds"] * (STEADY - 1), 0)

    firm = runs_needed(0.1, found.alike, is_hurried=False)
    _, seen = asked({BAD: ["fails"], GOOD: ["holds"]}, firm=firm)
    assert 1 + sum(seen.values()) == 5


def test_check_that_fails_in_its_trial_is_marked_and_counts_for_nothing():
    found = count_tries(HELD, None, ["holds", "fails"], 4)

    assert (found.outcome, found.flapping, found.alike) == ("holds", FIRST, 0)


@each("rate", [0.0, 0.05, 0.1, 0.3])
def test_real_break_is_reported_at_its_commit_though_the_check_fails_at_random(rate):
    for seed in range(15):
        accused, _ = walked(rate, seed, broken_from=30, commits=31)
        assert accused[-1:] == [30]
