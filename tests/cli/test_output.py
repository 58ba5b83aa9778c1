"""Nothing reaches a terminal with its control characters alive; colours, JSON and closed streams."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.terminal import ALIVE

from gitmem.cli.output import STYLES, Output, quantity, shorten
from gitmem.model import STATUSES
from gitmem.statuses import MARKS
from gitmem.text import display

HOSTILE = "\x1b]52;c;aGk=\x07\x1b[2J\r\x08\u202e\x9b2J\u2066\u200b\x00\x7f"
texts = st.one_of(st.text(), st.text(st.sampled_from(HOSTILE + "ab\n\t ")))


class Stream(io.StringIO):
    """A text stream that may claim to be a terminal."""

    def __init__(self, *, is_terminal: bool = False) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def output(*, color: str = "never", is_terminal: bool = False) -> tuple[Output, Stream, Stream]:
    out, err = Stream(is_terminal=is_terminal), Stream(is_terminal=is_terminal)
    return Output(color=color, stdout=out, stderr=err), out, err


@given(texts)
def test_no_method_for_text_lets_a_control_character_through(text: str) -> None:
    out, stdout, stderr = output()

    out.line(text, (text, "key"))
    out.text(text)
    out.row(text, text)
    out.note(text)
    out.alarm(text)
    out.error(text, text)

    assert ALIVE.findall(stdout.getvalue() + stderr.getvalue()) == []


@given(texts)
def test_a_line_stays_one_line_and_a_row_keeps_its_cells(text: str) -> None:
    out, stdout, _ = output()

    out.line(text)
    out.row(text, "b", text)

    line, row, end = stdout.getvalue().split("\n")
    assert (row.count("\t"), row.split("\t")[1], end) == (2, "b", "")
    assert "\t" not in line


@given(st.recursive(texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner)))
def test_json_is_one_document_without_live_control_characters(found: object) -> None:
    out, stdout, _ = output()

    out.json(found)

    assert json.loads(stdout.getvalue()) == found
    assert [c for c in stdout.getvalue() if c != "\n" and not c.isprintable()] == []


@given(texts)
def test_colours_are_the_only_escapes_on_a_terminal(text: str) -> None:
    out, stdout, stderr = output(color="always", is_terminal=True)

    out.line((text, "failed"), (text, "bold"))
    out.error(text, text)

    shown = stdout.getvalue() + stderr.getvalue()
    for code in {*STYLES.values(), "0"}:
        shown = shown.replace(f"\x1b[{code}m", "")
    assert ALIVE.findall(shown) == []


def test_text_is_the_same_with_and_without_colour() -> None:
    plain, plainly, _ = output()
    bright, brightly, _ = output(color="always")

    for out in (plain, bright):
        out.line(("✗", "failed"), " ", ("", "key"), "auth")

    assert plainly.getvalue() == "✗ auth\n"
    assert brightly.getvalue() == "\x1b[1;31m✗\x1b[0m auth\n"


@each(
    ("color", "is_terminal", "is_colored"),
    [("auto", True, True), ("auto", False, False), ("always", False, True), ("never", True, False)],
)
def test_colours_are_used_on_a_terminal_or_when_asked_for(color: str, is_terminal: bool, is_colored: bool) -> None:
    out, stdout, stderr = output(color=color, is_terminal=is_terminal)

    out.line(("x", "failed"))
    out.note("y")

    assert ("\x1b" in stdout.getvalue(), "\x1b" in stderr.getvalue()) == (is_colored, is_colored)


def test_a_joined_emoji_is_shown_as_it_is_and_a_lone_joiner_is_not() -> None:
    out, stdout, _ = output()

    out.line("👩‍💻 a\u200db")

    assert stdout.getvalue() == "👩‍💻 a\\u{200d}b\n"


def test_progress_is_drawn_on_a_terminal_only_and_taken_away_before_text() -> None:
    drawn, _, screen = output(is_terminal=True)
    silent, _, pipe = output()

    for out in (drawn, silent):
        out.progress("fact\x1b[2J", 1, 2)
        out.progress("fact", 2, 2)
        out.note("done")

    assert pipe.getvalue() == "gitmem: done\n"
    assert screen.getvalue().endswith("2/2 fact\r\r\x1b[Jgitmem: done\n")
    assert "1/2 fact\\x1b[2J" in screen.getvalue()


def test_every_status_has_a_style_and_a_mark_of_its_own() -> None:
    assert len({MARKS[status] for status in STATUSES}) == len(STATUSES)
    assert [status for status in STATUSES if status not in STYLES] == []


def test_error_prints_each_line_of_a_hint_as_a_hint() -> None:
    out, stdout, stderr = output()

    out.error("it failed", "do this\nor that")

    assert (stdout.getvalue(), stderr.getvalue()) == (
        "",
        "gitmem: error: it failed\n  hint: do this\n  hint: or that\n",
    )


def test_text_in_another_encoding_is_escaped_and_never_an_error(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as stdout:
        Output(stdout=stdout, stderr=Stream()).line("✓ müde \ud800")

    assert (tmp_path / "out").read_bytes() == b"\\u2713 m\\xfcde \\u{d800}\n"


class Full(Stream):
    """A stream whose disk is full."""

    def write(self, text: str) -> int:
        raise OSError(28, os.strerror(28))


def test_commit_without_an_open_pull_request_is_not_an_error() -> None:
    out = Output(stdout=Stream(), stderr=Full())

    out.error("it failed", "a hint")
    out.note("more")


def test_width_is_that_of_the_terminal_and_a_hundred_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((61, 40)))
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = Stream(is_terminal=True)
    monkeypatch.setattr(stream, "fileno", lambda: 1)

    assert Output(stdout=stream, stderr=Stream()).width == 61
    assert output()[0].width == 100


@each("text", ["::error::x", "  ::add-mask::x", "a ##[add-mask]x", "::::x", "a\n\u00a0::stop-commands::x"])
def test_nothing_that_is_printed_in_a_workflow_is_a_command_of_its_runner(text, monkeypatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    out, stdout, stderr = output()

    out.line((text, "bold"))
    out.text(text)
    out.row(text, text)
    out.json({"text": text})
    out.note(text)
    out.error(text, text)

    lines = f"{stdout.getvalue()}\n{stderr.getvalue()}".split("\n")
    assert [line for line in lines if line.strip().startswith("::") or "##[" in line] == []
    document = stdout.getvalue()[stdout.getvalue().index("{") : stdout.getvalue().rindex("}") + 1]
    assert json.loads(document) == {"text": text}


def test_text_elsewhere_is_not_changed_for_a_runner() -> None:
    out, stdout, _ = output()

    out.text("::error::x\n##[group]y")

    assert stdout.getvalue() == "::error::x\n##[group]y\n"


def test_block_is_drawn_in_its_own_place_and_taken_away_before_a_line() -> None:
    out, stdout, stderr = output(is_terminal=True)

    out.draw(lambda *_: ["one\x1b[2J", "two", "three"], finished=True)
    out.draw(lambda *_: ["four"], finished=True)
    out.line("said")

    drawn = stderr.getvalue().replace("one" + display("\x1b[2J", sequences=False), "one")
    assert drawn == "\r\x1b[2Kone\ntwo\nthree\r\x1b[2A\r\x1b[Jfour\r\r\x1b[J"
    assert stdout.getvalue() == "said\n"


def test_screen_made_narrower_since_takes_more_rows_away(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _, stderr = output(is_terminal=True)
    sizes = iter([(80, 24), (20, 24)])
    monkeypatch.setattr(Output, "_screen", lambda _: next(sizes))

    out.draw(lambda *_: ["x" * 50, "y"], finished=True)
    out.clear_progress()

    assert stderr.getvalue().endswith("y\r\x1b[3A\r\x1b[J")


def test_block_is_drawn_on_no_pipe_and_no_terminal_that_only_prints() -> None:
    for made in (Output(color="never", stderr=Stream()), Output(draws=False, stderr=Stream(is_terminal=True))):
        made.draw(lambda *_: ["x"], finished=True)
        made.clear_progress()
        assert made._err.getvalue() == ""


@pytest.mark.parametrize("width", [60, 80, 100])
def test_lines_on_a_terminal_are_broken_between_words_and_keep_their_styles(width: int, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out, stdout, stderr = output(color="always", is_terminal=True)
    why = "the file src/auth/jwt.py no longer contains the text that it names, since commit 1234567 in May of last year"

    out.line(("✗", "failed"), " ", ("auth-uses-rs256", "key"), "  failed", (f" — {why}", "dim"))
    out.text(f"  {why}")
    out.note(why)
    out.error(why, why)

    shown = stdout.getvalue() + stderr.getvalue()
    for code in {*STYLES.values(), "0"}:
        shown = shown.replace(f"\x1b[{code}m", "")
    assert [line for line in shown.split("\n") if len(line) > width] == []
    assert " ".join(shown.split()).count(why) == 5
    assert "\n    " in shown  # what follows hangs


def test_lines_in_a_pipe_are_not_broken() -> None:
    out, stdout, stderr = output()

    out.line("x " * 100)
    out.note("y " * 100)

    assert (stdout.getvalue(), stderr.getvalue()) == ("x " * 100 + "\n", "gitmem: " + "y " * 100 + "\n")


def test_change_is_confirmed_on_a_terminal_only() -> None:
    seen, screen, _ = output(is_terminal=True)
    piped, pipe, _ = output()

    for out in (seen, piped):
        out.confirm("recorded", "There is no setup.py")

    assert (screen.getvalue(), pipe.getvalue()) == ("✓ recorded  There is no setup.py\n", "")


def test_message_that_quotes_a_very_long_word_is_cut() -> None:
    out, _, stderr = output()

    out.error(f"there is no memory {'a' * 70_000} here", "gitmem list")

    assert len(stderr.getvalue()) < 2_000
    assert stderr.getvalue().startswith("gitmem: error: there is no memory aaa")
    assert "here\n  hint: gitmem list\n" in stderr.getvalue()


@each(
    ("text", "width", "short"),
    [("a b", 3, "a b"), ("a\n b\tc", 20, "a b c"), ("abcdef", 4, "abc…"), ("abc", 0, "a…"), ("", 5, "")],
)
def test_text_is_shortened_to_one_line_of_a_width(text: str, width: int, short: str) -> None:
    assert shorten(text, width) == short


@each(("number", "words"), [(0, "0 memories"), (1, "1 memory"), (2, "2 memories")])
def test_numbers_agree_with_their_words(number: int, words: str) -> None:
    assert quantity(number, "memory", "memories") == words
    assert quantity(2, "problem") == "2 problems"


def test_continuation_lines_of_a_section_repeat_its_rule_and_align_with_the_text(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out, stdout, _ = output(is_terminal=True)

    out.line("│ ", ("✗", "failed"), " ", ("FAILED: ", "failed"), "the gateway limits requests a minute")
    out.line("│   the deploy needs two approvals before the window")
    out.line("│ ", "a task that a session works on, and its name")

    assert stdout.getvalue().split("\n") == [
        "│ ✗ FAILED: the gateway limits requests",
        "│   a minute",
        "│   the deploy needs two approvals",
        "│   before the window",
        "│ a task that a session works on, and",
        "│ its name",
        "",
    ]
