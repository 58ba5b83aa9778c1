"""Which verdict counts, and what a reader is told."""

from __future__ import annotations

from itertools import product

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files
from support.each import each

from gitmem.frozen import replace
from gitmem.index.catalog import fact_state, schema, state
from gitmem.index.catalog.inserts import Inserts
from gitmem.memory import Memory
from gitmem.model import FAILS, HOLDS, Blocked, Verdict
from gitmem.statuses import own_status
from gitmem.verify.options import Options
from gitmem.verify.overview.stock import take_stock

BASE = Verdict("k", "spec", "claim", HOLDS, "c0", "here", 100)


def test_a_verdict_of_these_inputs_beats_a_later_one_of_others() -> None:
    elsewhere = replace(BASE, inputs="there", outcome=FAILS, at=200)

    assert fact_state.pick([BASE, elsewhere], "here") == (BASE, True)
    assert fact_state.pick([BASE, elsewhere], "nowhere") == (elsewhere, False)
    assert fact_state.pick([], "here") == (None, False)


def test_of_two_verdicts_of_these_inputs_the_later_one_counts() -> None:
    later = replace(BASE, outcome=FAILS, at=200)

    assert fact_state.pick([later, BASE], "here") == (later, True)


def test_a_failure_that_is_older_than_a_known_move_does_not_count_for_the_old_place() -> None:
    failed = replace(BASE, outcome=FAILS, own=True)
    moved = replace(BASE, inputs="there", moved="a\tb", at=200, own=True)

    assert fact_state.pick([failed, moved], "here") == (moved, False)
    assert fact_state.pick([failed, replace(moved, own=False)], "here") == (failed, True)


def test_a_verdict_of_the_branch_is_our_own_when_this_clone_made_it() -> None:
    mine = replace(BASE, own=True)
    other = replace(BASE, commit="c1", at=150)

    messages = fact_state.merge_verdicts([BASE, other], [mine], spec="spec", claim="claim")

    assert [v.own for v in messages] == [True, True, False]


@each(
    ("outcome", "inputs", "at", "spec", "is_blocked"),
    [
        (HOLDS, "here", 200, "spec", True),
        (HOLDS, "there", 200, "spec", True),  # the code went back to what it was, the environment did not
        (HOLDS, "there", 50, "spec", False),
        (HOLDS, "there", 200, "other", False),
        (FAILS, "there", 200, "spec", False),
    ],
)
def test_a_check_that_could_not_run_since_its_verdict_is_blocked_until_it_runs(
    outcome: str, inputs: str, at: int, spec: str, is_blocked: bool
) -> None:
    row = fact_state.FactRow(1, "k", "spec", "claim", "shell", "[]", "[]", None)
    attempt = Blocked("k", spec, "claim", inputs, at, "no such tool")
    verdicts = [replace(BASE, outcome=outcome)]

    found = fact_state.state_of(row, lambda _: "here", verdicts, (), accepts=lambda _: True, blocked=attempt)

    assert bool(found.attempt) is is_blocked


@each(("spec", "claim"), [("other", "claim"), ("spec", "other")])
def test_a_verdict_of_another_specification_or_claim_does_not_count(spec: str, claim: str) -> None:
    assert fact_state.merge_verdicts([BASE], [BASE], spec=spec, claim=claim) == []


@pytest.fixture
def proved(memory: Memory) -> Memory:
    """Return a memory with one fact that holds."""
    memory.fact("Retries are three", verify={"contains": "RETRIES = 3", "in": "src/gateway/retry.py"}, key="three")
    return memory


def test_statuses_in_the_database_are_those_of_the_graph(proved: Memory) -> None:
    catalog, ground = proved.repository.catalog(), proved.repository.ground()
    number = catalog.row("SELECT id FROM fact")[0]
    assert catalog.rows("SELECT s.until - s.at FROM state s") == catalog.rows("SELECT ttl_s FROM fact") != [(None,)]
    for outcome, fresh, at, ttl_s in product(("", HOLDS, FAILS), (0, 1), (NOW - 100, NOW + 100), (None, 0, 50, 500)):
        values = (outcome, fresh, at, at, ttl_s)
        catalog.connection.execute("UPDATE state SET outcome = ?, fresh = ?, at = ?, until = ? + ?", values)
        catalog.connection.execute("UPDATE fact SET ttl_s = ?", (ttl_s,))

        wanted = own_status(outcome, fresh=bool(fresh), at=at, ttl_s=ttl_s, now=NOW)

        assert state.statuses_of(catalog, ground, [number], now=NOW, chains={})[number].status == wanted
        counted = take_stock(catalog, ground, proved.repository.local, now=NOW).statuses
        assert [s for s, n in counted.items() if n] == [wanted], (outcome, fresh, at, ttl_s)


def test_grounds_of_old_commits_make_room(proved: Memory) -> None:
    top = proved.repository.git.repository.work_tree
    assert top is not None
    for number in range(fact_state.KEPT_GROUNDS + 3):
        commit_files(top, {"README.md": f"{number}\n"})
        proved.repository.ground()

    assert proved.repository.catalog().row("SELECT count(*) FROM ground")[0] == fact_state.KEPT_GROUNDS
    assert (
        proved.repository.catalog().row("SELECT count(*) FROM state WHERE ground NOT IN (SELECT id FROM ground)")[0]
        == 0
    )
    assert (
        state.statuses_of(proved.repository.catalog(), proved.repository.ground(), [1], now=NOW, chains={})[1].status
        == "verified"
    )


def test_another_branch_shows_its_own_statuses_and_the_first_one_comes_back_without_a_run(proved: Memory) -> None:
    top = proved.repository.git.repository.work_tree
    assert top is not None
    git(top, "checkout", "-q", "-b", "other")
    commit_files(top, {"src/gateway/retry.py": "RETRIES = 5\n"})
    assert messages(proved) == "stale"
    proved.verify(options=Options(), report=lambda *_: None)
    assert messages(proved) == "failed"

    git(top, "checkout", "-q", "main")

    assert messages(proved) == "verified"


def messages(memory: Memory) -> str:
    ground = memory.repository.ground()
    return state.statuses_of(
        memory.repository.catalog(), ground, [1], now=NOW, chains=state.suspects(memory.repository.catalog(), ground)
    )[1].status


# Verdicts of the branch


def test_a_verdict_of_the_branch_is_reported_as_it_was_written() -> None:
    full = Verdict(
        "k", "s", "c", FAILS, "c1", "i", NOW, because="no", sandbox="landlock", held_commit="c0", held_at=5, weak=True,
        confirmed=False, culprit="c2", attempt="timeout", attempt_at=9, seconds=1.5,
        culprit_after="c1", reads="r", tools="t", undeclared="u", flapping=3, outside="network",
        environment="linux-x86_64",
    )  # fmt: skip
    catalog = schema.in_memory(lambda _: None)
    inserts = Inserts(catalog)
    inserts.add_verdict("verdicts/00/k.0.toml", full)
    inserts.add_verdict("verdicts/01/other.0.toml", replace(BASE, key="other"))
    inserts.flush()

    assert fact_state.branch_verdicts(catalog) == {"k": [full], "other": [replace(BASE, key="other")]}
    assert fact_state.branch_verdicts(catalog, ["k", "none"]) == {"k": [full]}
    assert fact_state.branch_verdicts(catalog, []) == {}
    catalog.close()


@each(
    ("branch", "local", "outcome", "fresh", "published"),
    [
        ([], [], "", False, True),
        ([BASE], [], HOLDS, True, True),
        ([], [BASE], HOLDS, True, False),
        ([BASE], [replace(BASE, outcome=FAILS, at=200)], FAILS, True, False),
        ([replace(BASE, inputs="there")], [], HOLDS, False, False),
        ([replace(BASE, spec="other")], [], "", False, True),
    ],
    ids=["nothing", "branch", "clone", "newer-in-clone", "other-inputs", "other-spec"],
)
def test_a_state_is_published_when_the_branch_says_the_same_of_these_inputs(
    branch: list[Verdict], local: list[Verdict], outcome: str, fresh: bool, published: bool
) -> None:
    row = fact_state.FactRow(1, "k", "spec", "claim", "shell", "[]", "[]", None)

    found = fact_state.state_of(row, lambda _: "here", branch, local, accepts=lambda _: True)

    told_outcome = found.verdict.outcome if found.verdict else ""
    assert (told_outcome, found.is_fresh, found.is_published) == (outcome, fresh, published)


def test_a_verdict_that_the_policy_refuses_does_not_count() -> None:
    row = fact_state.FactRow(1, "k", "spec", "claim", "shell", "[]", "[]", None)

    found = fact_state.state_of(row, lambda _: "here", [BASE], [], accepts=lambda _: False)

    assert (found.verdict, found.is_published) == (None, True)


# Grounds


def test_a_new_verdict_of_this_clone_voids_the_statuses(proved: Memory) -> None:
    catalog = proved.repository.catalog()
    proved.repository.ground()
    row = catalog.row("SELECT code, local_serial FROM ground")

    ground = fact_state.open_ground(catalog, row[0], row[1] + 1, NOW)

    assert state.ground_of(catalog, row[0], row[1] + 1) is None
    assert [fact.key for fact in fact_state.facts_without_state(catalog, ground)] == ["three"]


def test_a_clock_that_was_set_back_does_not_throw_the_newest_ground_away(proved: Memory) -> None:
    catalog = proved.repository.catalog()
    for number in range(fact_state.KEPT_GROUNDS):
        fact_state.open_ground(catalog, f"later {number}", 0, NOW + 1000 + number)

    ground = fact_state.open_ground(catalog, "now", 0, NOW)

    assert catalog.row("SELECT code FROM ground WHERE id = ?", (ground,)) == ("now",)
    assert catalog.row("SELECT count(*) FROM ground") == (fact_state.KEPT_GROUNDS,)


# Suspects


def test_suspicion_follows_keys_and_labels_and_skips_what_is_gone(memory: Memory) -> None:
    top = memory.repository.git.repository.work_tree
    assert top is not None
    gone = {"kind": "fact", "verify": "{exists: gone.py}"}
    put_files(
        top,
        {
            "facts/root.md": memory_text("root", produces="[label]", **gone),
            "learned/by-key.md": memory_text("a", requires="[root]"),
            "learned/by-label.md": memory_text("b", requires="[label]"),
            "learned/second.md": memory_text("c", requires="[by-label]"),
            "learned/third.md": memory_text("d", requires="[second]"),
            "learned/fourth.md": memory_text("e", requires="[third]"),
            "archive/learned/retired.md": memory_text("f", requires="[root]"),
            "learned/old.md": memory_text("g", requires="[root]", superseded_by="by-key"),
        },
    )
    assert state.suspects(memory.repository.catalog(), memory.repository.ground()) == {}

    memory.verify(options=Options(), report=lambda *_: None)

    assert state.suspects(memory.repository.catalog(), memory.repository.ground()) == {
        "by-key": ("root",),
        "by-label": ("root",),
        "second": ("by-label", "root"),
        "third": ("second", "by-label", "root"),
    }
    assert state.suspects(memory.repository.catalog(), None) == {}


def test_a_claim_cannot_say_that_what_failed_here_holds_on_the_same_inputs() -> None:
    mine = replace(BASE, outcome=FAILS, own=True)
    claimed = replace(BASE, at=999)

    assert fact_state.pick([mine, claimed], "here") == (mine, True)


def test_a_claimed_failure_of_the_same_inputs_is_heard() -> None:
    mine = replace(BASE, own=True)
    claimed = replace(BASE, outcome=FAILS, at=999)

    assert fact_state.pick([mine, claimed], "here") == (claimed, True)
