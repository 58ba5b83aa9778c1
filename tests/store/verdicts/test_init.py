"""Verdict files: what is written is read again, and what anybody pushes is checked."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.times import format_time
from gitmem.errors import FormatError
from gitmem.frozen import replace
from gitmem.model import FAILS, HOLDS, Verdict
from gitmem.store.layout import VERDICT_LIMIT
from gitmem.store.verdicts import TEXT_LIMIT, _parse_plain, format_verdict, parse_verdict

OID = "0123456789abcdef0123456789abcdef01234567"
VERDICT = Verdict("a-key", "5" * 64, "c" * 64, HOLDS, OID, "files:1", 1_790_000_000)
PATH = "verdicts/ca/a-key.5555555555555555.toml"

OIDS = st.sampled_from([OID, OID[::-1], OID + OID[:24]])
TIMES = st.integers(0, 4_000_000_000)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
VERDICTS = st.builds(
    Verdict,
    key=st.just("a-key"),
    spec=TEXTS.filter(bool),
    claim=TEXTS.filter(bool),
    outcome=st.sampled_from([HOLDS, FAILS]),
    commit=OIDS,
    inputs=TEXTS,
    at=TIMES,
    because=TEXTS,
    sandbox=TEXTS,
    held_commit=OIDS | st.just(""),
    held_at=TIMES,
    weak=st.booleans(),
    confirmed=st.booleans(),
    culprit=OIDS | st.just(""),
    attempt=TEXTS,
    attempt_at=TIMES,
    seconds=st.integers(0, 10**7).map(lambda ms: ms / 1000),
    culprit_after=OIDS | st.just(""),
    reads=TEXTS,
    undeclared=TEXTS,
    rests=TEXTS,
    outside=st.sampled_from(["", "declared", "network", "tags"]),
    flapping=st.integers(0, 20),
)


def test_places_of_this_machine_are_not_written() -> None:
    text = format_verdict(
        replace(VERDICT, tools="/home/ana/bin/tool:1:2", environment="linux-x86_64 tool=1:0123456789ab")
    )

    assert "/home" not in text
    assert read(text).environment == "linux-x86_64 tool=1:0123456789ab"
    assert read(changed(environment='"/home/ana/bin/tool:1:2"')).environment == ""


def read(text: str | bytes) -> Verdict:
    return parse_verdict(text.encode() if isinstance(text, str) else text, key="a-key", path=PATH)


def changed(**lines: str | None) -> str:
    """Return the plain verdict's file with some values written as they stand; None leaves a line out."""
    table = dict(line.split(" = ", 1) for line in format_verdict(VERDICT).splitlines())
    table |= {name.replace("_", "-"): value for name, value in lines.items()}  # type: ignore[misc]
    return "".join(f"{name} = {value}\n" for name, value in table.items() if value is not None)


@given(VERDICTS)
def test_written_text_is_parsed_to_the_same_value(verdict: Verdict) -> None:
    assert read(format_verdict(verdict)) == verdict


# What TOML and a simple reader of lines could read differently.
VALUES = st.sampled_from(
    ['"a"', '"ü\u2028"', '""', '"', '"a""b"', '"\\""', "'a'", "true", "True", "0", "-1", "007", "1_0", "1.50", "01.5",
     "1.", ".5", "1e3", "inf", "[1]", "{}", '"a" # b', '"a" ', "\u0663", "9" * 30, '"""a"""', "2026-01-01", '"\t"',
     '"a\\n\\"b\\\\"', '"\\/"', '"\\u0061"', '"\\ud800"', '"\\U0001F600"', '"\\x"',
     '"\\"', '"\\" "']
)  # fmt: skip
LINES = st.builds(
    "{} {} {}".format, st.sampled_from(["a", "held-at", "a.b", '"a"', "b ", "-", "", "ä", "7"]), st.just("="), VALUES
)


@given(st.lists(LINES | TEXTS, max_size=3))
def test_plain_lines_mean_what_toml_says(lines: list[str]) -> None:
    text = "\n".join(lines)

    table = _parse_plain(text)

    assert table is None or table == tomllib.loads(text)


def test_written_verdict_is_read_without_toml() -> None:
    escaped = changed(because=r'"src/a.py:1 contains \'A = \"7\"\\n\'"'.replace(r"\'", "'"))

    for text in (format_verdict(VERDICT), escaped):
        assert _parse_plain(text) == tomllib.loads(text)


@given(VERDICTS)
def test_verdict_is_written_as_toml_of_printable_lines(verdict: Verdict) -> None:
    text = format_verdict(verdict)

    assert tomllib.loads(text)["outcome"] == verdict.outcome
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_plain_verdict_is_written_without_empty_lines() -> None:
    assert format_verdict(VERDICT) == (
        'outcome = "holds"\n'
        f'commit = "{OID}"\n'
        'at = "2026-09-21T14:13:20Z"\n'
        'inputs = "files:1"\n'
        f'claim = "{"c" * 64}"\n'
        f'spec = "{"5" * 64}"\n'
    )


def test_a_verdict_of_a_file_is_never_our_own() -> None:
    assert not read(format_verdict(replace(VERDICT, own=True))).own
    assert not read(changed(own="true")).own


def test_the_key_is_the_one_of_its_place() -> None:
    assert read(changed(key='"another"')).key == "a-key"


@each("name", ["outcome", "commit", "at", "claim", "spec"])
@each("value", [None, "1", "true", "[]", "{}", "1979-05-27"])
def test_missing_or_mistyped_field_is_an_error(name: str, value: str | None) -> None:
    with pytest.raises(FormatError) as caught:
        read(changed(**{name: value}))

    assert (caught.value.code, caught.value.path) == ("bad-verdict", PATH)
    assert caught.value.hint == "run it again: gitmem verify a-key"


@each("name", ["commit", "held_commit", "culprit"])
@each("value", ["HEAD", "--all", OID[:-1], OID.upper(), "\\u001b[31m"])
def test_commit_that_is_not_an_object_name_is_an_error(name: str, value: str) -> None:
    with pytest.raises(FormatError):
        read(changed(**{name: f'"{value}"'}))


@each("outcome", ["error", "HOLDS", "", "verified", "holds\\n"])
def test_only_a_conclusive_outcome_is_a_verdict(outcome: str) -> None:
    with pytest.raises(FormatError):
        read(changed(outcome=f'"{outcome}"'))


@each(
    "content",
    [
        *(b"", b"junk", b"\xff\xfe", b"outcome = ", b"[" * 5000, b"a = " + b"[" * 5000, b"a = " + b"9" * 5000),
        *(b"a = {" * 3000, b"\0", b'outcome = "holds"\noutcome = "fails"\n'),
    ],
)
def test_file_that_is_not_toml_is_one_problem(content: bytes) -> None:
    with pytest.raises(FormatError):
        read(content[:VERDICT_LIMIT])


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(content: bytes) -> None:
    with pytest.raises(FormatError):
        read(content)


@each("time", ["9999999999999", "2026-13-01T00:00:00Z", "yesterday", "2026-01-01"])
def test_invalid_time_is_an_error(time: str) -> None:
    with pytest.raises(FormatError):
        read(changed(at=f'"{time}"'))


@each("seconds", ["nan", "inf", "-inf", "-5.0", '"soon"', "[]"])
def test_invalid_duration_counts_as_zero(seconds: str) -> None:
    assert read(changed(seconds=seconds)).seconds == 0.0


def test_long_texts_of_others_are_cut() -> None:
    message = read(changed(because=f'"{"x" * 9000}"', attempt=f'"{"y" * 9000}"'))

    assert (len(message.because), len(message.attempt)) == (TEXT_LIMIT, TEXT_LIMIT)


def test_unknown_fields_are_ignored() -> None:
    assert read(changed(later='"a newer version"', table="{a = 1}")) == VERDICT


def test_a_verdict_of_the_longest_texts_is_not_larger_than_is_read() -> None:
    long = "\U000e0041" * 70_000

    text = format_verdict(replace(VERDICT, because=long, attempt=long))

    assert len(text.encode()) <= VERDICT_LIMIT
    assert read(text).because == long[:TEXT_LIMIT]


def test_a_byte_of_a_name_that_is_not_utf8_does_not_spoil_the_file() -> None:
    assert read(format_verdict(replace(VERDICT, because="caf\udce9.py"))).because == "caf\ufffd.py"


def test_a_time_before_the_epoch_is_kept() -> None:
    assert read(changed(at=f'"{format_time(-5)}"')).at == -5
