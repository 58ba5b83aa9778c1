"""The graph: suspicion flows from failed facts, these are drawn first, and omitted memories are counted."""

from __future__ import annotations

import re

from gitmem.commands.report.page.graph import draw
from gitmem.commands.report.page.model import PageMemory


def entry(key: str, status: str = "verified", title: str = "", chain: tuple[str, ...] = ()) -> PageMemory:
    return PageMemory(key, "fact", title or f"Fact {key}", status=status, chain=chain)


def drawn_keys(svg: str) -> list[str]:
    return re.findall(r'data-key="([^"]+)"', svg)


def flowing(svg: str) -> list[tuple[str, str]]:
    return re.findall(r'class="flow" d="[^"]+" data-from="([^"]+)" data-to="([^"]+)"', svg)


def test_suspicion_flows_along_the_links_it_came_by_and_no_others() -> None:
    entries = [
        entry("root", "failed"),
        entry("one", "suspect", chain=("root",)),
        entry("two", "suspect", chain=("one", "root")),
        entry("far", "verified"),
    ]
    links = [("root", "one"), ("one", "two"), ("two", "far"), ("far", "one")]

    found = draw(entries, links)

    assert sorted(flowing(found.svg)) == [("one", "two"), ("root", "one")]
    assert (found.shown, found.left_out, found.edges) == (4, 0, 4)


def test_what_failed_is_drawn_where_not_all_can_be() -> None:
    entries = [entry(f"k{n}") for n in range(200)] + [entry("bad", "failed"), entry("sus", "suspect", chain=("bad",))]
    links = [*((f"k{n}", f"k{n + 1}") for n in range(199)), ("bad", "sus")]

    found = draw(entries, links, at_most=20)

    assert {"bad", "sus"} <= set(drawn_keys(found.svg))
    assert len(drawn_keys(found.svg)) == found.shown <= 20
    assert found.shown + found.left_out == 202


def test_of_one_large_component_the_part_around_what_failed_is_drawn() -> None:
    entries = [entry(f"k{n:03}", "failed" if n == 150 else "verified") for n in range(200)]
    links = [(f"k{n:03}", f"k{n + 1:03}") for n in range(199)]

    keys = drawn_keys(draw(entries, links, at_most=10).svg)

    assert "k150" in keys
    assert all(140 < int(key[1:]) < 160 for key in keys)


def test_titles_are_dead_and_short_and_wide_letters_take_two_columns() -> None:
    entries = [entry("a", title="</svg><script>x</script>\u202e"), entry("b", title="漢" * 40)]

    svg = draw(entries, [("a", "b")]).svg

    assert "<script" not in svg
    assert svg.count("</svg>") == 1
    assert "\u202e" not in svg
    assert f"{'漢' * 11}…</text>" in svg


def test_a_long_title_takes_two_lines_and_a_short_one_one() -> None:
    entries = [
        entry("a", title="Short `title`"),
        entry("b", title="The **gateway** retries three times, then gives up"),
    ]

    lines = re.findall(r'class="n"[^>]*>([^<]*)</text>', draw(entries, [("a", "b")]).svg)

    assert lines == ["Short title", "The gateway retries", "three times, then gives up"[:23] + "…"]


def test_a_cycle_is_drawn_and_nothing_where_nothing_rests_on_anything() -> None:
    assert drawn_keys(draw([entry("a"), entry("b")], [("a", "b"), ("b", "a")]).svg) == ["a", "b"]
    assert draw([entry("a")], [("a", "gone")]).svg == ""
