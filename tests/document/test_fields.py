from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.fields import check_fields, id_in, is_newer, parse_timeout, parse_ttl, warnings_of
from gitmem.document.times import format_time, parse_time
from gitmem.errors import FormatError
from gitmem.model import Document

GOOD = [
    {"title": "x", "kind": "anti_pattern", "tags": "one", "domains": ["a", "b"], "refs": ["a.py:3", 12]},
    {"verify": "make\n\tcheck", "refute": "rm a", "ttl": "never", "timeout": "5m", "network": False},
    {"verify": ["grep", "-q", "a b", "x"], "timeout": 86_400},
    {"verify": {"exists": "src/a.py"}},
    {"verify": {"absent": "src/old/"}},
    {"verify": {"contains": "RS256", "in": "src/**"}},
    {"verify": {"in": "a", "matches": "^x+$"}},
    {"verify": {"lacks": "\u202e", "in": "**"}},
    {"verify": {"same": "0123456789abcdef" * 4, "in": "LICENSE"}},
    {"confidence": 0, "importance": "critical", "priority": 4, "created": "2026-11-21T09:30:00Z"},
    {"confidence": 0.5, "by": "ana", "retired": {"when": "2026-11-21T09:30:00Z", "by": "ana", "why": "old"}},
    {"by": {"who": "ana", "agent": "dev"}, "superseded_by": "y", "task": "T-1", "schema": 1},
    {"tags": None, "title": None, "timeout": None, "refute": None},
    {"unknown": object(), "status": 5},
]

BAD = [
    ("title", 404),
    ("kind", "Fact"),
    ("kind", "a/b"),
    ("kind", ""),
    ("kind", "_x"),
    ("tags", ["a", True]),
    ("tags", [1.1]),
    ("tags", {"a": 1}),
    ("paths", ["a", None]),
    ("refs", 3),
    ("requires", [["a"]]),
    ("verify", True),
    ("verify", 1),
    ("verify", None),
    ("verify", ""),
    ("verify", "  "),
    ("verify", []),
    ("verify", [""]),
    ("verify", ["a", 1]),
    ("verify", {}),
    ("verify", {"contains": "a"}),
    ("verify", {"exists": "a", "in": "b"}),
    ("verify", {"exists": ""}),
    ("verify", {"exists": True}),
    ("verify", {"exists": "/etc/passwd"}),
    ("verify", {"absent": "../x"}),
    ("verify", {"absent": "a/./b"}),
    ("verify", {"contains": "a", "in": "../**"}),
    ("verify", {"same": "ABC", "in": "a"}),
    ("refute", ["a"]),
    ("ttl", "30"),
    ("ttl", 30),
    ("ttl", "0d"),
    ("ttl", "-1d"),
    ("ttl", "1 d"),
    ("ttl", "1y"),
    ("ttl", "²d"),
    ("ttl", "9" * 5000 + "d"),
    ("ttl", ""),
    ("timeout", -1),
    ("timeout", 0),
    ("timeout", 1e308),
    ("timeout", "∞"),
    ("timeout", True),
    ("timeout", "25h"),
    ("timeout", ["5m"]),
    ("network", "yes"),
    ("network", 1),
    ("confidence", 1.01),
    ("confidence", True),
    ("confidence", "high"),
    ("confidence", float("nan")),
    ("importance", "urgent"),
    ("importance", ["high"]),
    ("priority", 5),
    ("priority", -1),
    ("priority", False),
    ("created", "2026-11-21"),
    ("created", 1_795_000_000),
    ("by", ["ana"]),
    ("by", {"who": 1}),
    ("superseded_by", ["x"]),
    ("retired", "yesterday"),
    ("retired", {"when": "yesterday"}),
    ("schema", "2"),
    ("schema", 0),
    ("schema", True),
]


def test_env_of_a_memory_without_a_check_is_a_field_like_any_other() -> None:
    check_fields({"title": "x", "env": {"stage": "production"}})


@each("fields", GOOD)
def test_fields_of_the_right_types_pass(fields: dict[str, object]) -> None:
    check_fields(fields)


@each(("name", "value"), BAD, ids=[f"{name}-{str(value)[:12]}" for name, value in BAD])
def test_field_of_another_type_is_refused_by_its_name(name: str, value: object) -> None:
    with pytest.raises(FormatError) as caught:
        check_fields({"title": "x", name: value})

    assert caught.value.code == f"bad-{name}"


HIDDEN = (
    *(
        "\r",
        "\x1b",
        "\x08",
        "\x7f",
        "\x85",
        "\u00a0",
        "\u00ad",
        "\u034f",
        "\u115f",
        "\u17b4",
        "\u180b",
        "\u180e",
        "\u200b",
    ),
    *("\u200d", "\u202e", "\u2028", "\u2066", "\u2800", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ue000", "\U000e0041"),
    *("\U000e0100", "\U000e01ef"),
)


@each("character", HIDDEN, ids=[f"{ord(c):04x}" for c in HIDDEN])
def test_command_with_a_character_that_does_not_show_can_never_be_approved(character: str) -> None:
    for fields in (
        {"verify": f"a{character}b"},
        {"verify": ["a", character]},
        {"verify": "a", "refute": character + "b"},
    ):
        with pytest.raises(FormatError) as caught:
            check_fields(fields)

        assert caught.value.code == "unapprovable-command"


def test_command_in_another_script_is_fine() -> None:
    check_fields({"verify": "grep -q 'Grüße 你好 😀' README.md"})


def test_number_where_text_is_meant_is_reported_to_be_quoted() -> None:
    with pytest.raises(FormatError) as caught:
        check_fields({"tags": [3.10]})

    assert "quote it" in caught.value.hint


def test_error_names_the_line_of_its_field() -> None:
    with pytest.raises(FormatError) as caught:
        check_fields({"title": "x", "ttl": "soon"}, "title: x\n# ttl: 3d\nttl: soon\n")

    assert caught.value.line == 4


@each(
    ("fields", "expected"),
    [
        ({"id": "0c5d6a8e-0000-4000"}, "0c5d6a8e-0000-4000"),
        ({"id": None, "conversation_id": "0c5d6a8e-0000-4000"}, "0c5d6a8e-0000-4000"),
        ({"id": 7, "conversation_id": "0c5d6a8e-0000-4000"}, ""),
        ({"uuid": "m1", "memory_id": "0c5d6a8e-0000-4000"}, ""),
        ({"id": "a sentence of words"}, ""),
    ],
)
def test_id_is_that_of_the_memory_and_too_long_to_be_shared_by_chance(fields: dict[str, object], expected: str) -> None:
    assert id_in(fields) == expected


def test_newer_file_is_served_with_a_warning() -> None:
    document = Document(key="x", path="facts/x.md", fields={"schema": 2}, body="", text="")

    assert is_newer(document.fields)
    assert [(p.code, p.severity, p.path) for p in warnings_of(document)] == [("newer-schema", "warning", "facts/x.md")]


def test_file_of_this_version_has_no_warning() -> None:
    document = Document(key="x", path="facts/x.md", fields={"schema": 1}, body="", text="")

    assert warnings_of(document) == ()


def test_newer_file_with_unknown_types_is_said_to_be_newer_not_broken() -> None:
    with pytest.raises(FormatError) as caught:
        check_fields({"schema": 2, "verify": {"runs": "x"}})

    assert caught.value.code == "newer-schema"


@each(
    ("text", "seconds"),
    [("90m", 5400), ("12h", 43_200), ("30d", 2_592_000), ("2w", 1_209_600), ("45s", 45), ("never", None)],
)
def test_lifetime_is_read_in_seconds(text: str, seconds: int | None) -> None:
    assert parse_ttl(text) == seconds


@each(("value", "seconds"), [("30s", 30), ("5m", 300), ("1d", 86_400), (1, 1), (86_400, 86_400)])
def test_time_limit_is_read_in_seconds(value: str | int, seconds: int) -> None:
    assert parse_timeout(value) == seconds


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_time_is_read_back_and_agrees_with_the_calendar(epoch: int) -> None:
    text = format_time(epoch)

    assert parse_time(text) == epoch
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(seconds=epoch)
    assert text == f"{moment:%Y-%m-%dT%H:%M:%SZ}".rjust(20, "0")


@each("epoch", [-62_135_596_801, 253_402_300_800, 10**20])
def test_time_outside_the_calendar_is_not_written(epoch: int) -> None:
    with pytest.raises(ValueError, match="1 to 9999"):
        format_time(epoch)


def test_fraction_of_a_second_is_dropped() -> None:
    assert parse_time("1970-01-01T00:00:07.999Z") == 7


@each(
    "text",
    [
        *("", "Z", "2026-11-21", "2026-11-21T09:30Z", "2026-11-21T09:30:00", "2026-11-21T09:30:00+00:00"),
        *("2026-11-21 09:30:00Z", "2026-11-21t09:30:00z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z"),
        *("2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z"),
        *("2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-06-30T23:59:60Z", "0000-01-01T00:00:00Z"),
        *("2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.aZ", "٢٠٢٦-01-01T00:00:00Z", "+026-01-01T00:00:00Z", "now"),
        *("20260-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ", " 2026-01-01T00:00:00Z", "2026-W47-5T00:00:00Z"),
    ],
)
def test_other_forms_of_a_time_are_refused(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_time(text)

    assert caught.value.code == "bad-time"
