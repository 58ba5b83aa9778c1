"""Dependencies between tasks: parts under their parent, and requirements. Cycles are handled."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.model import CLOSED
from gitmem.tasks import query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.tasks.query import TaskRow

# The deepest tree drawn: screens have no room for more, and an untrusted file must not overflow the stack.
DEPTH = 40


@frozen
class Need:
    """One requirement of a task.

    Attributes:
        name: The key or label.
        title: The memory's title; empty if no memory has this key.
        state: The task's state; empty if it is not a task.
        is_there: Whether it is provided.
    """

    name: str
    title: str
    state: str
    is_there: bool


@frozen
class TaskNode:
    """One task in a tree, with its requirements and its parts.

    Attributes:
        row: The task.
        needs: Its requirements, sorted.
        parts: The tasks whose parent it is, by priority, then age.
        is_again: Whether it appears above already (a cycle); its parts are then left out.
        hidden: How many tasks below it are not drawn because the tree is too deep.
    """

    row: TaskRow
    needs: tuple[Need, ...]
    parts: tuple[TaskNode, ...]
    is_again: bool = False
    hidden: int = 0


def read_tree(catalog: Catalog, ground: int | None, *, root: str, everything: bool) -> list[TaskNode]:
    """Return the trees of all tasks, or the one below a task.

    Args:
        catalog: The catalog.
        ground: The ground of HEAD, or None.
        root: The key of a task, or empty for all.
        everything: Include closed tasks; otherwise only those with open ones below them.
    """
    rows = query.list_tasks(catalog, ground, everything=True)
    required = query.requirements(catalog, [row.id for row in rows])
    names = {name for names in required.values() for name in names}
    known = query.titles(catalog, names)
    needs = {
        row.key: tuple(
            Need(name, *known.get(name, ("", "")), is_there=name not in row.waits_for)
            for name in required.get(row.id, ())
        )
        for row in rows
    }
    return grow(rows, needs, root=root, everything=everything)


def grow(
    rows: Sequence[TaskRow], needs: Mapping[str, tuple[Need, ...]], *, root: str = "", everything: bool = False
) -> list[TaskNode]:
    """Return the trees of these tasks, in order; every task is in one, including those of a cycle."""
    parts: dict[str, list[TaskRow]] = {}
    known = {row.key for row in rows}
    for row in rows:
        parts.setdefault(row.parent if row.parent in known and row.parent != row.key else "", []).append(row)
    drawn: set[str] = set()

    def node(row: TaskRow, depth: int) -> TaskNode:
        if row.key in drawn:
            return TaskNode(row, (), (), is_again=True)
        drawn.add(row.key)
        below = parts.get(row.key, [])
        if depth < DEPTH:
            return TaskNode(row, needs.get(row.key, ()), tuple(node(part, depth + 1) for part in below))
        before, walk = len(drawn), list(below)
        while walk:
            task_row = walk.pop()
            if task_row.key not in drawn:
                drawn.add(task_row.key)
                walk += parts.get(task_row.key, [])
        return TaskNode(row, needs.get(row.key, ()), (), hidden=len(drawn) - before)

    starts = [row for row in rows if row.key == root] if root else parts.get("", [])
    trees = [node(row, 0) for row in starts]
    if not root:  # the rest are cycles: each is cut at its first task in the list
        trees += [node(row, 0) for row in rows if row.key not in drawn]
    return trees if everything or root else [kept for tree in trees if (kept := _without_closed(tree)) is not None]


def _without_closed(tree: TaskNode) -> TaskNode | None:
    parts = tuple(kept for part in tree.parts if (kept := _without_closed(part)) is not None)
    if tree.row.state == CLOSED and not parts and not tree.hidden:
        return None
    return TaskNode(tree.row, tree.needs, parts, tree.is_again, tree.hidden)
