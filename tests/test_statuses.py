"""How suspicion spreads along links, and the status that comes of it."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.cli.output import STYLES
from gitmem.model import BLOCKED, FAILED, FAILS, HOLDS, STALE, STATUSES, SUSPECT, UNPROVEN, VERIFIED
from gitmem.statuses import (
    DEPTH,
    MARKS,
    SIGNS,
    TASK_MARKS,
    age_s,
    combine_status,
    own_status,
    suspicion_chains,
    warning_of,
)

NAMES = "abcdefgh"
GRAPHS = st.dictionaries(st.sampled_from(NAMES), st.sets(st.sampled_from(NAMES), max_size=4), max_size=8)
ROOTS = st.sets(st.sampled_from(NAMES), max_size=3)


def requirers_in(graph):
    """Return the look-up for a graph of ``key: what it requires``, in an order that says nothing."""

    def requirers(keys):
        found = {key: tuple(sorted(needs & set(keys) - {key})) for key, needs in reversed(graph.items())}
        return {key: causes for key, causes in found.items() if causes}

    return requirers


def chains_in(graph, *failed, **options):
    return suspicion_chains(
        failed, requirers=requirers_in({key: set(needs) for key, needs in graph.items()}), **options
    )


def by_brute_force(graph, roots):
    """Return the chain of every suspect by trying all walks of up to three links to a failed fact."""
    chains = {}
    for key in graph:
        walks = []
        for length in range(1, DEPTH + 1):
            for walk in itertools.product(NAMES, repeat=length):
                steps = zip((key, *walk), walk, strict=False)
                if walk[-1] in roots and all(b in graph.get(a, ()) and a != b for a, b in steps):
                    walks.append(walk)
            if walks:
                break
        if walks and key not in roots:
            chains[key] = min(walks)
    return chains


def test_memory_that_requires_a_failed_fact_is_suspect_because_of_it():
    assert chains_in({"b": "a"}, "a") == {"b": ("a",)}


def test_suspicion_ends_three_links_away():
    chain = {"b": "a", "c": "b", "d": "c", "e": "d"}

    assert chains_in(chain, "a") == {"b": ("a",), "c": ("b", "a"), "d": ("c", "b", "a")}


def test_no_depth_makes_nothing_suspect():
    assert chains_in({"b": "a"}, "a", depth=0) == {}


def test_nothing_is_suspect_when_nothing_failed():
    assert chains_in({"b": "a"}) == {}


def test_cycle_ends_and_leaves_the_failed_fact_out():
    assert chains_in({"a": "b", "b": "a"}, "a") == {"b": ("a",)}


def test_cycle_of_suspects_ends():
    assert chains_in({"b": "ac", "c": "b"}, "a") == {"b": ("a",), "c": ("b", "a")}


def test_failed_fact_behind_a_failed_fact_is_not_suspect():
    assert chains_in({"b": "a", "c": "b"}, "a", "b") == {"c": ("b",)}


def test_shortest_chain_is_reported_though_a_longer_one_sorts_first():
    assert chains_in({"b": "z", "d": ["b", "z"]}, "z")["d"] == ("z",)


def test_first_chain_in_alphabetical_order_is_reported_among_equals():
    assert chains_in({"b": "z", "c": "y", "d": "cb"}, "y", "z")["d"] == ("b", "z")


@given(GRAPHS, ROOTS)
def test_suspects_are_those_that_every_walk_of_three_links_finds(graph, roots):
    found = suspicion_chains(roots, requirers=requirers_in(graph))

    assert found == by_brute_force(graph, roots)


@given(GRAPHS, ROOTS)
def test_each_chain_is_a_walk_over_suspects_to_a_failed_fact(graph, roots):
    chains = suspicion_chains(roots, requirers=requirers_in(graph))

    for key, chain in chains.items():
        assert key not in roots
        assert 1 <= len(chain) <= DEPTH
        assert chain[-1] in roots
        assert all(step in chains for step in chain[:-1])
        assert chain[1:] == (chains[chain[0]] if len(chain) > 1 else ())


@given(GRAPHS, ROOTS, st.randoms())
def test_order_of_what_failed_and_of_the_links_changes_nothing(graph, roots, random):
    items, shuffled = list(graph.items()), list(roots)
    random.shuffle(items)
    random.shuffle(shuffled)

    assert suspicion_chains(shuffled, requirers=requirers_in(dict(items))) == suspicion_chains(
        roots, requirers=requirers_in(graph)
    )


@given(GRAPHS, st.sets(st.sampled_from(NAMES), min_size=1, max_size=3))
def test_suspicion_goes_when_its_cause_does(graph, roots):
    mended = min(roots)

    left = suspicion_chains(roots - {mended}, requirers=requirers_in(graph))

    assert not any(chain[-1] == mended for chain in left.values())
    assert set(left) - {mended} <= set(suspicion_chains(roots, requirers=requirers_in(graph)))


@pytest.mark.parametrize(
    ("outcome", "fresh", "age", "ttl_s", "status"),
    [
        pytest.param("", True, 0, 10, UNPROVEN, id="no-verdict"),
        pytest.param(HOLDS, True, 0, 10, VERIFIED, id="held-just-now"),
        pytest.param(HOLDS, True, 10, 10, VERIFIED, id="held-exactly-its-ttl-ago"),
        pytest.param(HOLDS, True, 11, 10, STALE, id="held-longer-ago-than-its-ttl"),
        pytest.param(HOLDS, True, 10**9, None, VERIFIED, id="never-expires"),
        pytest.param(HOLDS, False, 0, 10, STALE, id="inputs-changed-since"),
        pytest.param(HOLDS, True, -(10**6), 10, VERIFIED, id="made-in-the-future-counts-as-now"),
        pytest.param(FAILS, True, 0, 10, FAILED, id="failed"),
        pytest.param(FAILS, False, 11, 10, FAILED, id="failed-and-old-stays-failed"),
    ],
)
def test_status_of_a_fact_follows_from_its_last_verdict(outcome, fresh, age, ttl_s, status):
    assert own_status(outcome, fresh=fresh, at=10**9 - age, ttl_s=ttl_s, now=10**9) == status


@pytest.mark.parametrize("own", [*STATUSES, ""])
def test_status_reported_is_the_first_of_the_order(own):
    first = min((own or SUSPECT, SUSPECT), key=STATUSES.index)

    assert combine_status(own, suspect=True) == first
    assert combine_status(own, suspect=False) == own


@pytest.mark.parametrize(("outcome", "status"), [("", BLOCKED), (HOLDS, BLOCKED), (FAILS, FAILED)])
def test_fact_whose_check_is_blocked_is_blocked_unless_it_is_known_to_fail(outcome, status):
    assert own_status(outcome, fresh=True, at=5, ttl_s=None, now=9, attempt=1) == status


@pytest.mark.parametrize(("outcome", "status"), [("", UNPROVEN), (HOLDS, UNPROVEN), (FAILS, FAILED)])
def test_fact_whose_check_did_not_pass_here_is_unproven_unless_it_is_known_to_fail(outcome, status):
    assert own_status(outcome, fresh=False, at=5, ttl_s=None, now=9, attempt=2) == status


def test_statuses_are_in_the_order_of_the_design():
    assert STATUSES == ("failed", "suspect", "blocked", "unproven", "stale", "verified")


def test_time_in_the_future_is_no_negative_age():
    assert age_s(20, 10) == 0


PACKAGE = Path(__file__).resolve().parent.parent / "gitmem"
# The characters that stand for nothing but a status or a task's state: "?", "!", "~" and "·" have other uses.
OWN_MARKS = {mark for mark in (*MARKS.values(), *TASK_MARKS.values()) if mark not in " ?!~·"}


def test_every_status_has_one_row_and_a_mark_of_its_own():
    assert tuple(SIGNS) == STATUSES
    assert (
        len({sign.mark for sign in SIGNS.values()}) == len({sign.strokes for sign in SIGNS.values()}) == len(STATUSES)
    )
    assert {status: STYLES[status] for status in STATUSES} == {status: sign.style for status, sign in SIGNS.items()}


def test_no_other_module_holds_the_marks():
    files = [path for ending in ("py", "js", "html", "css") for path in PACKAGE.rglob(f"*.{ending}")]
    holders = {path.relative_to(PACKAGE).as_posix() for path in files if OWN_MARKS & set(path.read_text("utf-8"))}

    assert {"✓", "✗"} <= OWN_MARKS
    # Marks that people type in memories are compared as words.
    assert holders - {"text/negation.py", "text/similarity.py", "text/word_order.py"} == {"statuses.py"}


def test_texts_that_agents_are_installed_with_show_the_marks_of_the_table():
    texts = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("templates/**/*.md"))
    shown = re.findall(rf"(\S) ({'|'.join(STATUSES)})\b(?= \||[,.;]| or| no| before)", texts)

    found = {(mark, status) for mark, status in shown if not mark.isalnum() and mark not in "|.,`"}
    assert found == {(SIGNS[status].mark, status) for status in STATUSES}


def test_what_is_not_to_be_believed_has_a_warning():
    assert [status for status in STATUSES if warning_of(status)] == [FAILED, SUSPECT, BLOCKED, STALE]
    assert warning_of("") == ""
