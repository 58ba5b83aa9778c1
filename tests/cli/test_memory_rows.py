"""Rows of memories: titles can be read on a narrow screen, and no row is wider than the screen."""

from __future__ import annotations

from support.each import each

from gitmem.cli.columns import width_of
from gitmem.cli.memory_rows import ListedMemory, row_of, row_parts, widths_of
from gitmem.model import Hit

LONG = "The gateway closes connections that were idle for a minute, unless the client sends a ping before that"
KEY = "gateway-closes-idle-connections"
NOW = 1_000_000


def shown(rows: list[ListedMemory], width: int) -> list[str]:
    widths = widths_of(rows, width)
    return ["".join(text for text, _ in row_parts(row, widths, now=NOW)) for row in rows]


def row(title: str = LONG, *, note: str = "", state: str = "✓ verified", short_id: str = "bcdfgh") -> ListedMemory:
    return ListedMemory(title, note, state, "verified", NOW - 3 * 86_400, short_id, KEY)


@each(("width", "least"), [(60, 32), (80, 48), (120, 48)])
@each("state", ["✓ verified", "anti_pattern"])
def test_title_has_room_and_the_row_fits_the_screen(width: int, least: int, state: str) -> None:
    (line,) = shown([row(state=state)], width)

    assert line.startswith(LONG[: least - 1])
    assert width_of(line) <= width
    assert "3d  bcdfgh" in line


def test_key_comes_last_and_only_where_there_is_room() -> None:
    assert shown([row(LONG[:66])], 120)[0].endswith(f"  {KEY[:25]}…")
    assert shown([row("Short title")], 80)[0].endswith(KEY)
    assert shown([row()], 60)[0].endswith("bcdfgh")


def test_columns_are_aligned_whatever_the_titles_are_written_in() -> None:
    lines = shown([row("短い題名"), row("Ascii"), row(LONG, note="archived")], 80)

    assert len({width_of(line[: line.index("bcdfgh")]) for line in lines}) == 1
    assert " (archived)" in lines[2]
    assert all(width_of(line) <= 80 for line in lines)


def test_memory_without_a_status_shows_its_kind() -> None:
    one = row_of(Hit("k", "gotcha", "T", "", 0.0, "private", "", 0, "p", short_id="bcdf"))

    assert (one.state, one.note) == ("gotcha", "private")
