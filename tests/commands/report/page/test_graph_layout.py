"""Graph layout: layers go one way, nothing overlaps, and cycles end."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from gitmem.commands.report.page.graph_layout import GraphLayout, components, place

NODES = "abcdefgh"
graphs = st.sets(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), min_size=1, max_size=16)


def crossings(placed: GraphLayout) -> int:
    """Count the crossings of straight lines between neighbouring layers."""
    steps = []
    for (one, other), way in placed.ways.items():
        points = [placed.spots[one], *way, placed.spots[other]]
        steps += [tuple(sorted(pair)) for pair in pairwise(points)]
    return sum(
        a[0][0] == b[0][0] and (a[0][1] - b[0][1]) * (a[1][1] - b[1][1]) < -1e-9 for a, b in combinations(steps, 2)
    )


@given(graphs)
def test_every_node_has_a_place_of_its_own_cycles_or_not(edges) -> None:
    for group in components(edges):
        inside = [edge for edge in edges if edge[0] in group and edge[0] != edge[1]]
        if not inside:
            continue

        placed = place(inside)

        assert sorted(placed.spots) == group
        assert set(placed.ways) == set(inside)
        for one, other in combinations(placed.spots.values(), 2):
            assert one[0] != other[0] or abs(one[1] - other[1]) > 0.99
        assert placed == place(reversed(inside))


@given(graphs)
def test_without_cycles_every_link_leads_to_the_right_through_every_layer(edges) -> None:
    forward = {(one, other) for one, other in edges if one < other}
    for group in components(forward):
        placed = place([edge for edge in forward if edge[0] in group])

        for (one, other), way in placed.ways.items():
            layers = [placed.spots[one][0], *(layer for layer, _ in way), placed.spots[other][0]]
            assert layers == list(range(layers[0], layers[-1] + 1))


def test_what_need_not_cross_does_not() -> None:
    tree = [("a", "b"), ("a", "c"), ("b", "d"), ("b", "e"), ("c", "f"), ("c", "g")]
    twins = [("a", "z"), ("b", "y"), ("c", "x"), ("a", "y"), ("b", "x")]

    assert crossings(place(tree)) == crossings(place(twins)) == 0


def test_what_nothing_holds_stands_beside_what_needs_it() -> None:
    placed = place([("a", "b"), ("b", "c"), ("c", "d"), ("x", "d")])

    assert placed.spots["x"][0] == 2


def test_what_hangs_together_is_distinguished_the_largest_first() -> None:
    assert components([("x", "y"), ("a", "b"), ("c", "b"), ("s", "s")]) == [["a", "b", "c"], ["x", "y"], ["s"]]
