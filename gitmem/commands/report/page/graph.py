"""Draw the dependency graph as SVG: requirements on the left, suspicion spreading to the right. Pure."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

from gitmem.commands.report.page import graph_layout
from gitmem.commands.report.page.markup import plain_title
from gitmem.commands.report.page.templates import fill
from gitmem.frozen import frozen
from gitmem.model import FAILED, SUSPECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.report.page.model import PageMemory

# The most nodes drawn: more are unreadable, and each takes half a kilobyte. If all is well, fewer suffice.
DRAWN, WELL = 200, 48
# Pixels: a node; between lanes, layers and components; and the width of a row of components.
WIDTH, HEIGHT, LANE, LAYER, GAP, SHELF = 230, 46, 56, 276, 30, 1050
# Pixels of a letter in titles, for wide fonts; and of the margin beside them.
TITLE, MARGIN = 7.7, 8


@frozen
class Picture:
    """A drawn graph.

    Attributes:
        svg: The drawing; empty if there is nothing to draw.
        shown: The number of memories in it.
        left_out: The number of linked memories left out.
        edges: The number of links in it.
    """

    svg: str
    shown: int = 0
    left_out: int = 0
    edges: int = 0


def draw(entries: Iterable[PageMemory], links: Sequence[tuple[str, str]], *, at_most: int = DRAWN) -> Picture:
    """Return the graph of the linked memories; if there are too many, those with failures first."""
    by_key = {entry.key: entry for entry in entries}
    links = [(needed, key) for needed, key in links if needed in by_key and key in by_key]
    groups = graph_layout.components(links)
    bad = {key for key, entry in by_key.items() if entry.status in (FAILED, SUSPECT)}
    suspect = {key for key in bad if by_key[key].status == SUSPECT}
    groups.sort(key=lambda group: (bad.isdisjoint(group), -len(suspect.intersection(group)), -len(group), group[0]))
    chosen: list[list[tuple[str, str]]] = []
    left = at_most
    for group in groups:
        room = left if not bad.isdisjoint(group) else min(left, WELL - (at_most - left))
        if room < 2:
            break
        members = set(group) if len(group) <= room else _choose_nearest(group, links, bad, room)
        inside = [(needed, key) for needed, key in links if needed in members and key in members]
        # Of a partial component, only linked nodes are drawn.
        drawn = {key for link in inside for key in link}
        if drawn:
            chosen.append(inside)
            left -= len(drawn)
    shown = sum(len({key for link in inside for key in link}) for inside in chosen)
    if not shown:
        return Picture("", left_out=sum(map(len, groups)))
    edges, nodes, width, height = _arrange([graph_layout.place(inside) for inside in chosen], chosen, by_key)
    svg = fill("graph.html", edges=edges, nodes=nodes, width=width, height=height, WIDTH=WIDTH, HEIGHT=HEIGHT)
    return Picture(svg, shown, sum(map(len, groups)) - shown, sum(map(len, chosen)))


def _choose_nearest(group: Sequence[str], links: Iterable[tuple[str, str]], bad: set[str], at_most: int) -> set[str]:
    """Return this many nodes of a component: failed ones, their dependents, and then nodes nearby."""
    near: dict[str, list[str]] = {}
    for needed, key in links:
        near.setdefault(needed, []).append(key)
        near.setdefault(key, []).append(needed)
    most = sorted(group, key=lambda key: (key not in bad, -len(near[key]), key))
    found: dict[str, None] = {}
    for start in most:
        line = [start]
        while line and len(found) < at_most:
            node = line.pop(0)
            if node not in found:
                found[node] = None
                line += [other for other in sorted(near[node], key=lambda k: (k not in bad, k)) if other not in found]
        if len(found) >= at_most:
            break
    return set(found)


def _arrange(
    placed: Sequence[graph_layout.GraphLayout],
    chosen: Sequence[Sequence[tuple[str, str]]],
    by_key: Mapping[str, PageMemory],
) -> tuple[list[dict[str, Any]], list[tuple[Any, ...]], int, int]:
    """Return the components' edges and nodes placed side by side in rows, with the total width and height."""
    edges: list[dict[str, Any]] = []
    nodes: list[tuple[Any, ...]] = []
    left = top = tallest = widest = 0
    for graph, links in zip(placed, chosen, strict=True):
        wide = (graph.layers - 1) * LAYER + WIDTH
        high = round((graph.lanes - 1) * LANE) + HEIGHT
        if left and left + wide > SHELF:
            left, top, tallest = 0, top + tallest + GAP, 0
        edges += [_edge(link, graph, by_key, left, top) for link in links]
        nodes += [
            _node(by_key[key], *_spot(spot, left, top)) for key, spot in sorted(graph.spots.items(), key=_reading_order)
        ]
        widest, tallest, left = max(widest, left + wide), max(tallest, high), left + wide + GAP
    return edges, nodes, widest + 2, top + tallest + 2


def _reading_order(item: tuple[str, tuple[int, float]]) -> tuple[int, float, str]:
    key, (layer, lane) = item
    return layer, lane, key


def _spot(spot: tuple[int, float], left: int, top: int) -> tuple[int, int]:
    return left + spot[0] * LAYER + 1, top + round(spot[1] * LANE) + 1


def _edge(
    link: tuple[str, str], graph: graph_layout.GraphLayout, by_key: Mapping[str, PageMemory], left: int, top: int
) -> dict[str, Any]:
    """Return one link as a curve from the required memory to the dependent one."""
    start, end = (_spot(graph.spots[key], left, top) for key in link)
    middle = HEIGHT // 2
    points = [(start[0] + WIDTH, start[1] + middle)]
    for spot in graph.ways[link]:
        x, y = _spot(spot, left, top)
        points += [(x, y + middle), (x + WIDTH, y + middle)]
    points.append((end[0] - 6, end[1] + middle))
    if start[0] >= end[0]:  # a link that closes a cycle goes back, below
        points[0], points[-1] = (start[0], start[1] + middle), (end[0] + WIDTH + 6, end[1] + middle)
    path = f"M{points[0][0]} {points[0][1]}"
    for nth, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        if nth % 2:
            path += f"L{x2} {y2}"
        else:
            bend = (x2 - x1) // 2
            path += f"C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    tip = 6 if start[0] < end[0] else -6
    path += f"m{-tip} -4l{tip} 4l{-tip} 4"
    does_flow = flows(by_key[link[0]], by_key[link[1]])
    return {"path": path, "needed": link[0], "key": link[1], "flows": does_flow}


def flows(needed: PageMemory, entry: PageMemory) -> bool:
    """Return whether suspicion spreads along this link: from a failed or suspect memory to a suspect."""
    if entry.status != SUSPECT:
        return False
    return needed.status == FAILED or (needed.status == SUSPECT and len(needed.chain) < len(entry.chain))


def _node(entry: PageMemory, x: int, y: int) -> tuple[Any, ...]:
    """Return a node: its memory, its place, its title on one or two lines, and their indentation."""
    indent = 30 if entry.status else 12
    return entry, x, y, _fold(plain_title(entry.title), int((WIDTH - indent - MARGIN) / TITLE)), indent


def _fold(text: str, columns: int) -> list[str]:
    """Return a title on one or two lines of limited width in columns; the second one is cut if it is too long."""
    if _columns_of(text) <= columns:
        return [text]
    words, first = text.split(" "), ""
    while words and _columns_of(f"{first} {words[0]}".strip()) <= columns:
        first = f"{first} {words.pop(0)}".strip()
    # A word that is too long for a line is cut on the first one.
    return [first, _shorten(" ".join(words), columns)] if first else [_shorten(text, columns)]


def _columns_of(text: str) -> int:
    """Return the width of a text in columns; wide letters take two (UAX #11)."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _shorten(text: str, columns: int) -> str:
    """Return a text within a width in columns."""
    if _columns_of(text) <= columns:
        return text
    kept = text
    while _columns_of(kept) > columns - 1:
        kept = kept[:-1]
    return kept.rstrip() + "…"
