"""Lay out a directed graph, possibly with cycles, in layers: required nodes on the left. Pure.

The steps are those of Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures"
(1981): reverse edges that close a cycle, put each node to the right of its requirements, order the layers by the
medians of neighbours so that few edges cross, then choose each node's height from its neighbours'.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Sweeps over the layers; more have no visible effect (of 40 graphs with 60 nodes, none after the sixth).
SWEEPS = 8
# The share of a node's lanes for a place where an edge passes a layer.
PASSING = 0.5
_Node = tuple[str, int]  # a key, and 0; or a place where an edge passes: "" and its number


@frozen
class GraphLayout:
    """A graph with positions.

    Attributes:
        spots: Each node's layer (0 = the leftmost) and lane; lanes are 1 apart at least, and any fraction.
        ways: For each given edge, the layers and lanes that it passes between its ends.
        layers: The number of layers.
        lanes: The height in lanes.
    """

    spots: Mapping[str, tuple[int, float]]
    ways: Mapping[tuple[str, str], tuple[tuple[int, float], ...]]
    layers: int
    lanes: float


def components(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the connected components, each a sorted list, the largest first."""
    near: dict[str, set[str]] = {}
    for one, other in edges:
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    groups, seen = [], set()
    for start in sorted(near):
        if start in seen:
            continue
        seen.add(start)
        group, stack = [], [start]
        while stack:
            node = stack.pop()
            group.append(node)
            fresh = near[node] - seen
            seen |= fresh
            stack += fresh
        groups.append(sorted(group))
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def place(edges: Iterable[tuple[str, str]]) -> GraphLayout:
    """Return the positions of one component; the result does not depend on the order of the edges."""
    pairs = sorted({(one, other) for one, other in edges if one != other})
    forward = _without_cycles(pairs)
    layer = _layers(forward)
    rows, follows, passing = _with_passings(forward, layer)
    _order(rows, follows)
    lanes = _lanes(rows, follows)
    spots = {key: (layer[key], lanes[key, 0]) for key in layer}
    ways = {}
    for edge in pairs:
        turned = edge not in forward
        nodes = passing[(edge[1], edge[0]) if turned else edge]
        way = [(at, lanes[node]) for at, node in nodes]
        ways[edge] = tuple(reversed(way)) if turned else tuple(way)
    return GraphLayout(spots, ways, len(rows), max(lanes.values(), default=0.0) + 1)


def _without_cycles(edges: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the edges, with those reversed that lead back in a depth-first walk."""
    after: dict[str, list[str]] = {}
    indegree: dict[str, int] = {}
    for one, other in edges:
        after.setdefault(one, []).append(other)
        after.setdefault(other, [])
        indegree[other] = indegree.get(other, 0) + 1
    state: dict[str, int] = {}
    without_cycles: set[tuple[str, str]] = set()
    for start in sorted(after, key=lambda node: (indegree.get(node, 0), node)):
        stack = [(start, iter(after[start]))] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                state[node] = 2
                stack.pop()
            elif state.get(child) == 1:
                without_cycles.add((child, node))
            else:
                without_cycles.add((node, child))
                if child not in state:
                    state[child] = 1
                    stack.append((child, iter(after[child])))
    return without_cycles


def _layers(edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return the layer of each node: just right of the last that it requires, and no further left than necessary."""
    after: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    for one, other in edges:
        after.setdefault(one, set()).add(other)
        before.setdefault(other, set()).add(one)
        after.setdefault(other, set())
        before.setdefault(one, set())
    waiting = {node: len(them) for node, them in before.items()}
    ready = sorted(node for node, number in waiting.items() if not number)
    ordered, layer = [], dict.fromkeys(waiting, 0)
    while ready:
        node = ready.pop()
        ordered.append(node)
        for child in sorted(after[node]):
            layer[child] = max(layer[child], layer[node] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    # Nodes without requirements move to their dependents: short edges are easy to follow.
    for node in reversed(ordered):
        if after[node] and not before[node]:
            layer[node] = min(layer[child] for child in after[node]) - 1
    return layer


def _with_passings(
    edges: Iterable[tuple[str, str]], layer: Mapping[str, int]
) -> tuple[list[list[_Node]], dict[_Node, list[_Node]], dict[tuple[str, str], list[tuple[int, _Node]]]]:
    """Return the layers' nodes, the successors of each in the next layer, and the layers that each edge passes."""
    rows: list[list[_Node]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for key in sorted(layer):
        rows[layer[key]].append((key, 0))
    follows: dict[_Node, list[_Node]] = {}
    passing: dict[tuple[str, str], list[tuple[int, _Node]]] = {}
    number = 0
    for one, other in sorted(edges):
        last: _Node = (one, 0)
        passing[one, other] = []
        for at in range(layer[one] + 1, layer[other]):
            number += 1
            node = ("", number)
            rows[at].append(node)
            passing[one, other].append((at, node))
            follows.setdefault(last, []).append(node)
            last = node
        follows.setdefault(last, []).append((other, 0))
    return rows, follows, passing


def _reverse(follows: Mapping[_Node, Sequence[_Node]]) -> dict[_Node, list[_Node]]:
    reversed_edges: dict[_Node, list[_Node]] = {}
    for node, them in follows.items():
        for other in them:
            reversed_edges.setdefault(other, []).append(node)
    return reversed_edges


def _order(rows: list[list[_Node]], follows: Mapping[_Node, Sequence[_Node]]) -> None:
    """Order each layer so that few edges cross: by the medians of left and right neighbours in turn."""
    precedes = _reverse(follows)
    best, fewest = [list(row) for row in rows], _crossings(rows, follows)
    for sweep in range(SWEEPS):
        is_right = sweep % 2 == 0
        near = precedes if is_right else follows
        steps = range(1, len(rows)) if is_right else range(len(rows) - 2, -1, -1)
        for at in steps:
            beside = {node: nth for nth, node in enumerate(rows[at - 1 if is_right else at + 1])}
            own = {node: float(nth) for nth, node in enumerate(rows[at])}
            rows[at].sort(key=lambda node: (_median([beside[n] for n in near.get(node, ())], own[node]), own[node]))
        number = _crossings(rows, follows)
        if number < fewest:
            best, fewest = [list(row) for row in rows], number
    rows[:] = best


def _median(values: list[int], otherwise: float) -> float:
    values.sort()
    middle = len(values) // 2
    return (values[middle] + values[~middle]) / 2 if values else otherwise


def _crossings(rows: Sequence[Sequence[_Node]], follows: Mapping[_Node, Sequence[_Node]]) -> int:
    """Count the pairs of edges that cross, between each layer and the next."""
    crossings = 0
    for row, after in pairwise(rows):
        beside = {node: nth for nth, node in enumerate(after)}
        ends: list[int] = []
        for node in row:
            mine = sorted(beside[other] for other in follows.get(node, ()))
            crossings += sum(end > start for start in mine for end in ends)
            ends += mine
    return crossings


def _lanes(rows: Sequence[Sequence[_Node]], follows: Mapping[_Node, Sequence[_Node]]) -> dict[_Node, float]:
    """Return each node's lane: as close to its neighbours as the order and the distances allow; the smallest is 0."""
    precedes = _reverse(follows)
    lanes = {node: at for row in rows for node, at in zip(row, _spread(row, [0.0] * len(row)), strict=True)}
    for sweep in range(SWEEPS):
        is_right = sweep % 2 == 0
        for row in rows if is_right else reversed(rows):
            near = precedes if is_right else follows
            wanted = []
            for node in row:
                beside = [lanes[other] for other in near.get(node, ())]
                wanted.append(sum(beside) / len(beside) if beside else lanes[node])
            lanes.update(zip(row, _spread(row, wanted), strict=True))
    least = min(lanes.values(), default=0.0)
    return {node: at - least for node, at in lanes.items()}


def _spread(row: Sequence[_Node], wanted: Sequence[float]) -> list[float]:
    """Return lanes in the order of a layer, far enough apart and as close to the wanted ones as possible.

    Neighbours that want to be too close form a block around the mean of their wanted lanes (pool adjacent violators).
    """
    offsets, at = [], 0.0
    for nth, node in enumerate(row):
        at += _distance(row[nth - 1], node) if nth else 0.0
        offsets.append(at)
    blocks: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        total, number = want - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / number:
            before = blocks.pop()
            total, number = total + before[0], number + before[1]
        blocks.append((total, number))
    starts = [total / number for total, number in blocks for _ in range(number)]
    return [start + offset for start, offset in zip(starts, offsets, strict=True)]


def _distance(one: _Node, other: _Node) -> float:
    return (1.0 if one[0] else PASSING) / 2 + (1.0 if other[0] else PASSING) / 2
