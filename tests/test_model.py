"""The words of the design as data: titles, kinds, lengths of time, and what of a command shows."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.index import FIELDS
from gitmem.model import Document, IndexText, is_plain_command, parse_duration


def test_a_summarys_prompts_are_not_searched_and_what_was_done_is() -> None:
    from gitmem.agents.session.rule_summary import Summary, format_summary, title_of

    made = Summary(
        goal="Retry timeouts", asked=("Now paint the door",), decisions=("Use backoff",), files=("src/retry.py",),
        question="Which colour?",
    )  # fmt: skip
    body = format_summary(made, "A session of pi.")
    text = IndexText(1, title_of(made), "", "session-1", "", body, kind="session")

    searched = " ".join(text.texts())

    assert all(said in body for said in ("Retry timeouts", "paint the door", "Which colour?"))
    assert not any(said in searched for said in ("Retry timeouts", "paint the door", "Which colour?"))
    assert all(said in searched for said in ("Use backoff", "src/retry.py", "A session of pi."))
    assert "Retry timeouts" in " ".join(IndexText(1, title_of(made), "", "k", "", body, kind="note").texts())


def document(body: str = "", key: str = "a-key", **fields: object) -> Document:
    return Document(key, f"learned/{key}.md", fields, body, "")


@pytest.mark.parametrize(
    ("found", "title"),
    [
        (document("ignored", title="Given"), "Given"),
        (document("# Heading\n\ntext"), "Heading"),
        (document("\n\nfirst line\nsecond"), "first line"),
        (document("x" * 200), "x" * 80),
        (document("", title=""), "a-key"),
        (document("", title=["no", "text"]), "a-key"),
        (document("##"), "a-key"),
    ],
    ids=["given", "heading", "first-line", "long", "empty", "wrong-type", "marks-only"],
)
def test_a_memory_without_a_title_is_called_by_its_first_words(found: Document, title: str) -> None:
    assert found.title == title


@pytest.mark.parametrize(
    ("kind", "expected"), [("gotcha", "gotcha"), ("", "learned"), (None, "learned"), (7, "learned")]
)
def test_a_memory_that_names_no_kind_is_learned(kind: object, expected: str) -> None:
    assert document(kind=kind).kind == expected
    assert document().kind == "learned"


@pytest.mark.parametrize(
    ("value", "strings"),
    [
        (["a", "b"], ("a", "b")),
        ("a", ("a",)),
        ("", ()),
        (None, ()),
        ([1, "b"], ("1", "b")),
        ({"a": 1}, ()),
        (True, ()),
    ],
    ids=str,
)
def test_a_list_field_may_be_a_single_text(value: object, strings: tuple[str, ...]) -> None:
    assert document(tags=value).strings("tags") == strings


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1s", 1), ("90m", 5400), ("12h", 43_200), ("30d", 2_592_000), ("2w", 1_209_600), ("36600d", 36_600 * 86_400)],
)
def test_a_length_of_time_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "d",
        "0s",
        "-1d",
        "1.5h",
        "1 d",
        "1D",
        "1y",
        "1M",
        "30",
        "36601d",
        "١s",
        "²d",
        "+1s",
        "1_0s",
        "9" * 5000 + "s",
    ],
    ids=lambda text: text[:8] or "empty",
)
def test_anything_else_is_no_length_of_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"length of time|out of range"):
        parse_duration(text)


@given(st.text(max_size=6))
def test_no_text_makes_a_length_of_time_raise_anything_else(text: str) -> None:
    try:
        assert parse_duration(text) >= 1
    except ValueError as err:
        assert "length of time" in str(err) or "out of range" in str(err)


@pytest.mark.parametrize("command", ["grep -q 'é' x", "make\n\ttest", "test -f 認証.py", "printf '%s' ½"])
def test_a_command_of_characters_that_show_is_plain(command: str) -> None:
    assert is_plain_command(command)


@pytest.mark.parametrize(
    "hidden",
    [
        *("\r", "\x1b[8m", "\0", "\x08", "\x7f", "\x9b", "\u200b", "\u202e", "\u2066", "\u00a0", "\u2028", "\ufeff"),
        *("\u00ad", "\u034f", "\u115f", "\u1160", "\u17b4", "\u180b", "\u2800", "\u3164", "\uffa0", "\ufe0f"),
        *("\U000e0041", "\U000e0101", "\ud800", "\ue000", "\x0b", "\x0c", "\x85"),
    ],
    ids=lambda c: f"U+{ord(c[0]):04X}",
)
def test_a_command_with_a_character_that_does_not_show_is_not_plain(hidden: str) -> None:
    assert not is_plain_command(f"true {hidden}; rm -rf /")


def test_nothing_that_python_calls_unprintable_is_plain() -> None:
    unprintable = (chr(n) for n in range(sys.maxunicode + 1) if not chr(n).isprintable())

    assert [f"U+{ord(c):04X}" for c in unprintable if is_plain_command(c)] == ["U+0009", "U+000A"]


def test_searchable_texts_stand_in_the_order_of_the_engines_fields() -> None:
    text = IndexText(1, title="title", tags="tags", key="key", paths="paths", body="body")

    assert text.texts() == tuple(FIELDS)
