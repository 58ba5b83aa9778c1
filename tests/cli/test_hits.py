"""Hits as they are printed, for people and for pipes."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

from support.each import each

from gitmem.cli.hits import match_parts
from gitmem.cli.options import print_hits
from gitmem.cli.output import Output
from gitmem.model import Hit
from gitmem.recall.query import RecallResult


def hit(key: str, *, status: str = "", factors: tuple[tuple[str, float], ...] = ()) -> Hit:
    return Hit(key, "gotcha", f"title of {key}", status, 1.25, "project", "a snippet", 0, "p", "", factors)


def printed(*, is_terminal: bool, explain: bool = False, more: int = 0) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    output = Output(color="never", stdout=out, stderr=err)
    output.is_terminal = is_terminal
    hits = (hit("a", status="failed", factors=(("lexical", 2.0), ("recency", 0.5), ("status", 1.0))), hit("b"))
    no_memory: Any = SimpleNamespace(repository=SimpleNamespace(now=60))
    print_hits(no_memory, RecallResult(hits, more), output, explain=explain)
    return out.getvalue(), err.getvalue()


def test_hits_in_a_pipe_are_one_line_each_and_what_is_left_out_is_distinguished() -> None:
    out, err = printed(is_terminal=False, more=3)

    assert out == "a\tgotcha\tfailed\ttitle of a\ta snippet\tproject\nb\tgotcha\t\ttitle of b\ta snippet\tproject\n"
    assert err == "gitmem: 3 more: --limit 5\n"


def test_hits_on_a_terminal_have_marks_and_say_how_many_more_there_are() -> None:
    out, err = printed(is_terminal=True, more=3)

    assert out.split("\n")[0].split() == ["title", "of", "a", "✗", "failed", "a"]
    assert "… and 3 more: --limit 5" in out
    assert err == ""


def test_explain_adds_a_cell_with_every_factor_where_there_are_any() -> None:
    out, _ = printed(is_terminal=False, explain=True)

    first, second = out.splitlines()
    assert first.split("\t")[6:] == ["score=1.25 lexical=2 recency=0.5 status=1"]
    assert len(second.split("\t")) == 6


def test_explain_is_a_table_of_what_moved_anything_on_a_terminal() -> None:
    out, _ = printed(is_terminal=True, explain=True)

    heading, row, rest, more = out.splitlines()[-4:]
    assert heading.split() == ["score", "lexical", "recency", "memory"]
    assert row.split() == ["1.25", "2", "0.5", "a"]
    assert f"{rest} {more.strip()}" == (
        "1 (no effect): status; switched off: access, importance, confidence, path, dependency, workspace, scope, talk,"
        " provenance, time"
    )


SAID = "The gateway drops idle connections after a minute"


@each(
    ("matches", "width", "expected"),
    [
        ([(4, 11)], 80, "The [gateway] drops idle connections after a minute"),
        ([(4, 11), (12, 17)], 17, "The [gateway] [drop]…"),
        ([(43, 49)], 30, "…after a [minute]"),
        ([(23, 34)], 20, "…idle [connections] a…"),
        ([], 12, "The gateway…"),
        ([(0, 49)], 5, "[The ]…"),
    ],
)
def test_a_line_shows_what_matches_however_narrow_it_is(
    matches: list[tuple[int, int]], width: int, expected: str
) -> None:
    parts = match_parts(SAID, matches, width)

    assert "".join(f"[{text}]" if style == "match" else text for text, style in parts) == expected
    assert sum(len(text) for text, _ in parts) <= width
