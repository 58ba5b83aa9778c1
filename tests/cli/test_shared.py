"""What the commands share: filters, standard input, printed hits, and whether somebody can be asked."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from conftest import git

from gitmem.cli import shared
from gitmem.cli.output import Output
from gitmem.cli.shared import AGENT_VARIABLES
from gitmem.errors import RefusedError, TrustError, UsageError
from gitmem.memory import Memory
from gitmem.model import Hit
from gitmem.recall import RecallResult

# The memory is asked only for what a role reads.
NONE = cast(Memory, None)


def asked(*words: str) -> object:
    parser = argparse.ArgumentParser()
    shared.add_filters(parser)
    return shared.query_of(parser.parse_args(words), NONE, query="q", limit=7)


def test_filters_may_be_repeated_or_listed_with_commas() -> None:
    found = asked(
        "--kind", "gotcha,anti-pattern", "--type", "fact", "--tag", "a", "--tag", "b", "--status", "stale,failed"
    )

    assert found.kinds == ("gotcha", "anti_pattern", "fact")
    assert found.tags == ("a", "b")
    assert found.statuses == ("stale", "failed")
    assert (found.text, found.limit, found.everything) == ("q", 7, False)


def test_limit_and_all_are_taken_over() -> None:
    found = asked("--limit", "3", "--all")

    assert (found.limit, found.everything) == (3, True)


def test_status_that_does_not_exist_is_refused_and_names_those_that_do() -> None:
    with pytest.raises(UsageError) as caught:
        asked("--status", "verifid")

    assert caught.value.message == "unknown status: verifid"
    assert "verified" in caught.value.hint


def standard_input(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="ascii"))


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"", ""), ("müde\r\n".encode(), "müde\r\n"), (b"\xef\xbb\xbfa", "a"), (b"x" * 10, "x" * 10)],
    ids=["empty", "line ends", "byte order mark", "just small enough"],
)
def test_standard_input_is_read_as_utf_8_whatever_the_locale(
    monkeypatch: pytest.MonkeyPatch, raw: bytes, text: str
) -> None:
    standard_input(monkeypatch, raw)

    assert shared.read_standard_input(10) == text


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"x" * 11, "standard input is larger than 10 bytes"),
        (b"ab\xff", "standard input is not valid UTF-8 \\(byte 2\\)"),
    ],
)
def test_standard_input_that_no_memory_can_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, raw: bytes, message: str
) -> None:
    standard_input(monkeypatch, raw)

    with pytest.raises(RefusedError, match=message):
        shared.read_standard_input(10)


def test_closed_standard_input_is_empty_and_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert shared.read_standard_input(10) == ""
    assert not shared.is_interactive()


@pytest.mark.parametrize("name", AGENT_VARIABLES)
def test_environment_of_an_agent_is_no_person(monkeypatch: pytest.MonkeyPatch, memory: Memory, name: str) -> None:
    monkeypatch.setattr(shared, "open_terminal", io.BytesIO)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert shared.is_interactive()
    assert shared.need_terminal(memory, "")
    monkeypatch.setenv(name, "1")

    assert not shared.is_interactive()
    with pytest.raises(TrustError, match=f"{name} shows that an agent is running this"):
        shared.need_terminal(memory, "")


def test_clone_that_belongs_to_an_agent_approves_nothing(monkeypatch: pytest.MonkeyPatch, repo: Path) -> None:
    monkeypatch.setattr(shared, "open_terminal", io.BytesIO)
    git(repo, "config", "gitmem.agent", "ana")

    with Memory(repo) as memory, pytest.raises(TrustError, match=r"gitmem\.agent shows"):
        shared.need_terminal(memory, "")


def hit(key: str, *, status: str = "", factors: tuple[tuple[str, float], ...] = ()) -> Hit:
    return Hit(key, "gotcha", f"title of {key}", status, 1.25, "project", "a snippet", 0, "p", False, factors)


def printed(*, is_terminal: bool, explain: bool = False, more: int = 0) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    output = Output(color="never", stdout=out, stderr=err)
    output.is_terminal = is_terminal
    hits = (hit("a", status="failed", factors=(("lexical", 2.0), ("recency", 0.5), ("status", 1.0))), hit("b"))
    no_memory: Any = SimpleNamespace(repository=SimpleNamespace(find_tip=lambda: ""))  # there is no key to mark
    shared.print_hits(no_memory, RecallResult(hits, more), output, explain=explain)
    return out.getvalue(), err.getvalue()


def test_hits_in_a_pipe_are_one_line_each_and_what_is_left_out_is_told_apart() -> None:
    out, err = printed(is_terminal=False, more=3)

    assert out == "a\tgotcha\tfailed\ttitle of a\ta snippet\tproject\nb\tgotcha\t\ttitle of b\ta snippet\tproject\n"
    assert err == "gitmem: 3 more: --limit 5\n"


def test_hits_on_a_terminal_have_marks_and_say_how_many_more_there_are() -> None:
    out, err = printed(is_terminal=True, more=3)

    assert out.split("\n")[0] == "✗ a  gotcha, failed"
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
        " provenance"
    )


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [("a b", 3, "a b"), ("a\n b\tc", 20, "a b c"), ("abcdef", 4, "abc…"), ("abc", 0, "a…"), ("", 5, "")],
)
def test_text_is_shortened_to_one_line_of_a_width(text: str, width: int, short: str) -> None:
    assert shared.shorten(text, width) == short


@pytest.mark.parametrize(("number", "words"), [(0, "0 memories"), (1, "1 memory"), (2, "2 memories")])
def test_numbers_agree_with_their_words(number: int, words: str) -> None:
    assert shared.counted(number, "memory", "memories") == words
    assert shared.counted(2, "problem") == "2 problems"


SAID = "The gateway drops idle connections after a minute"


@pytest.mark.parametrize(
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
    parts = shared.marked(SAID, matches, width)

    assert "".join(f"[{text}]" if style == "match" else text for text, style in parts) == expected
    assert sum(len(text) for text, _ in parts) <= width
