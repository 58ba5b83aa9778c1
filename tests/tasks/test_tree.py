"""How tasks hang together: every task is drawn once, whatever its parents say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.tasks.query import TaskRow
from gitmem.tasks.tree import DEPTH, TaskNode, grow


def row(key: str, parent: str = "", state: str = "open") -> TaskRow:
    return TaskRow(0, key, key.title(), 0, state, 2, parent, "", "", 0, 0, 0, 0)


def drawn(trees: list[TaskNode]) -> list:
    """Return trees as nested lists of keys; a task that was drawn above has a mark."""
    return [[f"{t.row.key}*" if t.is_again else t.row.key, *drawn(list(t.parts))] for t in trees]


def test_parts_are_listed_under_their_parent_unless_it_is_gone():
    rows = [row("a"), row("b", "a"), row("c", "b"), row("d", "gone"), row("e", "a")]

    assert drawn(grow(rows, {})) == [["a", ["b", ["c"]], ["e"]], ["d"]]
    assert drawn(grow(rows, {}, root="b")) == [["b", ["c"]]]


def test_cycle_of_parents_is_cut_and_reported():
    rows = [row("a", "b"), row("b", "a"), row("own", "own"), row("x")]

    assert drawn(grow(rows, {})) == [["own"], ["x"], ["a", ["b", ["a*"]]]]
    assert drawn(grow(rows, {}, root="b")) == [["b", ["a", ["b*"]]]]


def test_closed_tasks_are_drawn_where_something_open_is_below_them():
    rows = [row("a", state="closed"), row("b", "a"), row("c", "b", "closed"), row("d", state="closed")]

    assert drawn(grow(rows, {})) == [["a", ["b"]]]
    assert drawn(grow(rows, {}, everything=True)) == [["a", ["b", ["c"]]], ["d"]]


def test_chain_that_is_too_deep_is_counted():
    rows = [row("0"), *(row(str(n), str(n - 1)) for n in range(1, 3000))]

    trees = grow(rows, {})
    node = trees[0]
    while node.parts:
        node = node.parts[0]
    assert (len(trees), node.row.key, node.hidden) == (1, str(DEPTH), 3000 - DEPTH - 1)


KEYS = "abcdef"


@given(st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["", *KEYS])))
def test_every_task_is_drawn_exactly_once(parents: dict[str, str]):
    def keys(nodes: list[TaskNode]) -> list[str]:
        return [key for n in nodes if not n.is_again for key in (n.row.key, *keys(list(n.parts)))]

    trees = grow([row(key, parent) for key, parent in parents.items()], {})

    assert sorted(keys(trees)) == sorted(parents)
