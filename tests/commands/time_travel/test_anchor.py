"""The state of the store for a commit of the code: by ancestry, over branches, merges and lost code.

A code history: A - B - C - D is the default branch, T (from B) a topic of its own, R an old release's line from A.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from conftest import git
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.ages import grow, opened, write
from support.each import each

from gitmem.commands.time_travel.anchor import PastState, find_anchor
from gitmem.errors import NotFoundError

CODE = [
    *(("A", "", {}), ("B", "A", {}), ("C", "B", {}), ("D", "C", {})),
    *(("T", "B", {}), ("R", "A", {}), ("S", "R", {})),
]
# For each history of the memory, which of its commits belong to each commit of the code.
HISTORIES = {
    "a line": (
        [("1", "", "A", ""), ("2", "1", "B", ""), ("3", "2", "B", ""), ("4", "3", "D", "")],
        {"A": "1", "B": "3", "C": "3", "D": "4", "R": "1", "T": "3"},
    ),
    "before the first memory nothing was known": ([("1", "", "C", "")], {"A": "", "B": "", "C": "1", "R": ""}),
    "what names no code goes with what lies behind it": (
        [("0", "", "", ""), ("1", "0", "A", ""), ("2", "1", "", ""), ("3", "2", "C", ""), ("4", "3", "", "")],
        {"A": "2", "B": "2", "C": "4"},
    ),
    "a topic is not known on the default branch until something there was written behind it": (
        [("1", "", "A", ""), ("2", "1", "T", ""), ("3", "2", "", ""), ("4", "3", "D", "")],
        {"B": "1", "C": "1", "T": "3", "D": "4"},
    ),
    "a topic counts as written just after where the default branch stood": (
        [("1", "", "A", ""), ("2", "1", "T on B", ""), ("3", "2", "D", "")],
        {"A": "1", "B": "1", "C": "2", "T": "2", "D": "3", "R": "1"},
    ),
    "code that is not here counts by the default branch, or not at all": (
        [("1", "", "A", ""), ("2", "1", "gone on B", ""), ("3", "2", "gone", ""), ("4", "3", "D", "")],
        {"A": "1", "B": "1", "C": "2", "D": "4", "R": "1"},
    ),
    "an old commit that was checked out again does not reach back over what is later": (
        [("1", "", "A", ""), ("2", "1", "C", ""), ("3", "2", "A", ""), ("4", "3", "R", "")],
        {"A": "1", "B": "1", "C": "3", "D": "3", "R": "4"},
    ),
    "two clones, united by a merge": (
        [
            *(("1", "", "A", ""), ("p", "1", "A", ""), ("2", "p", "B", "")),
            *(("x", "1", "A", ""), ("m", "2 x", "", ""), ("3", "m", "D", "")),
        ],
        {"A": "p x", "B": "m", "C": "m", "D": "3"},
    ),
}
QUESTIONS = [(name, rev) for name, (_, answers) in HISTORIES.items() for rev in answers]


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], set[str]]:
    """Return every answer: all histories of the memory in one repository, about one history of the code."""
    repo = tmp_path_factory.mktemp("ages")
    git(repo, "init", "-q")
    # Dates from the newest to the oldest: they have no say.
    code = grow(repo, CODE, dates=range(2_000_000_000, 0, -200_000_000)[: len(CODE)])
    found = {}
    for name, (rows, answers) in HISTORIES.items():
        written = write(repo, rows, code)
        by_commit = {commit: one for one, commit in written.items()}
        for rev in answers:
            anchor = find_anchor(opened(repo), written[rows[-1][0]], rev)
            found[name, rev] = {by_commit[commit] for commit in anchor.states}
    return found


@each(("name", "rev"), QUESTIONS, ids=[f"{name}: {rev}" for name, rev in QUESTIONS])
def test_state_belongs_to_a_commit_of_the_code(name: str, rev: str, messages: dict) -> None:
    assert messages[name, rev] == set(HISTORIES[name][1][rev].split())


def _anchor(repo: Path, rows: list, rev: str) -> tuple[PastState, dict[str, str]]:
    code = grow(repo, CODE)
    written = write(repo, rows, code)
    return find_anchor(opened(repo), written[rows[-1][0]], rev), written


def test_it_is_reported_what_may_be_of_that_time_and_what_came_first(repo: Path) -> None:
    rows = [("1", "", "B", ""), ("2", "1", "T", ""), ("3", "2", "", ""), ("4", "3", "D", "")]

    asked, written = _anchor(repo, rows, "C")
    early, _ = _anchor(repo, rows, "A")

    assert (asked.states, asked.aside) == ((written["1"],), 2)
    assert (early.states, early.first) == ((), written["1"])


def test_commit_of_the_memory_is_that_state_with_the_code_it_was_written_for(repo: Path) -> None:
    rows = [("1", "", "B", ""), ("2", "1", "", ""), ("3", "2", "D", "")]

    anchor, written = _anchor(repo, rows, "refs/heads/memory~1")

    assert (anchor.states, anchor.is_store) == ((written["2"],), True)
    assert anchor.code == git(repo, "rev-parse", "B")


@each("rev", ["nope", "", "--help", "HEAD:README.md", "HEAD^{tree}", "A..B", "a\nb"])
def test_name_that_is_not_a_commit_is_refused(repo: Path, rev: str) -> None:
    grow(repo, CODE[:2])

    with pytest.raises(NotFoundError, match="no such commit"):
        find_anchor(opened(repo), "", rev)


@pytest.mark.whole_system
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
def test_dates_change_nothing_and_what_was_known_is_known_ever_after(repo: Path, seed: int) -> None:
    rnd = Random(seed)
    code_rows, rows, behind = [], [], {}
    for nth in range(9):
        parents = [f"c{one}" for one in rnd.sample(range(nth), min(nth, rnd.choice((1, 1, 2))))]
        code_rows.append((f"c{nth}", " ".join(parents), {}))
        behind[f"c{nth}"] = {f"c{nth}"}.union(*(behind[one] for one in parents))
    for nth in range(8):
        parents = [str(one) for one in rnd.sample(range(nth), min(nth, rnd.choice((1, 1, 1, 2))))]
        about = rnd.choice(["", "gone", *(f"c{rnd.randrange(9)}" for _ in range(6)), f"gone on c{rnd.randrange(9)}"])
        rows.append((str(nth), " ".join(parents), about, ""))
    answers = []
    for dates in (range(1000, 1900, 100), [rnd.randrange(1, 2_000_000_000) for _ in range(9)]):
        code = grow(repo, code_rows, dates=dates)
        written = write(repo, rows, code)
        names = {commit: name for name, commit in written.items()}
        anchors = {rev: find_anchor(opened(repo), written[rows[-1][0]], rev) for rev in code}
        answers.append({rev: {names[commit] for commit in anchor.states} for rev, anchor in anchors.items()})

    held: dict[str, set[str]] = {}
    for name, parents, _, _ in rows:
        held[name] = {name}.union(*(held[one] for one in parents.split()))
    first, second = answers
    assert first == second
    for rev in first:
        known = set().union(*(held[state] for state in first[rev]))
        assert all(held[state] <= known for earlier in behind[rev] for state in first[earlier])
