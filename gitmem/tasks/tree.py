"""Dependencies between tasks: parts under their parent, and requirements. Ends on any cycle."""

from __future__ import annotations

from gitmem.document.fields import CLOSED
from gitmem.frozen import frozen
from gitmem.tasks import listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.index.catalog.catalog import Catalog
    from gitmem.tasks.listing import TaskRow

# How deep a tree is drawn: below that a screen has no room, and a file of strangers no say in our stack.
DEPTH = 40


@frozen
class Need:
    """One thing that a task requires.

    Attributes:
        name: The key or label.
        title: The memory's title; empty where no memory has this key.
        state: The task's state; empty for what is not a task.
        is_there: Whether it is provided.
    """

    name: str
    title: str
    state: str
    is_there: bool


@frozen
class TaskNode:
    """One task of a tree, with what it requires and its parts.

    Attributes:
        row: The task.
        needs: What it requires, sorted.
        parts: The tasks whose parent it is, by priority, then age.
        is_again: Whether it was drawn above already (a cycle), and its parts are left out here.
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
        everything: Closed ones as well; else only those that have something open below them.
    """
    rows = listing.list_tasks(catalog, ground, listing.TaskQuery(everything=True))
    required = listing.requirements(catalog, [row.id for row in rows])
    names = {name for names in required.values() for name in names}
    known = listing.titles(catalog, names)
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
    """Return the trees of these tasks, in their order; every task is in one, those of a cycle as well."""
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
            one = walk.pop()
            if one.key not in drawn:
                drawn.add(one.key)
                walk += parts.get(one.key, [])
        return TaskNode(row, needs.get(row.key, ()), (), hidden=len(drawn) - before)

    starts = [row for row in rows if row.key == root] if root else parts.get("", [])
    trees = [node(row, 0) for row in starts]
    if not root:  # what is left are cycles: each is cut where the list begins
        trees += [node(row, 0) for row in rows if row.key not in drawn]
    return trees if everything or root else [kept for tree in trees if (kept := _without_closed(tree)) is not None]


def _without_closed(tree: TaskNode) -> TaskNode | None:
    parts = tuple(kept for part in tree.parts if (kept := _without_closed(part)) is not None)
    if tree.row.state == CLOSED and not parts and not tree.hidden:
        return None
    return TaskNode(tree.row, tree.needs, parts, tree.is_again, tree.hidden)
