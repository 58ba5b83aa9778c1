"""Buckets: each verdict of one file is read, compared and merged on its own."""

from __future__ import annotations

import tomllib
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.frozen import replace
from gitmem.model import FAILS, HOLDS, Verdict
from gitmem.store.layout import bucket_path, shard
from gitmem.store.verdicts import format_verdict
from gitmem.store.verdicts.buckets import (
    MOST_ERRORS,
    join_bucket,
    parse_section,
    sections_of,
    split_bucket,
    unite_buckets,
    unite_verdicts,
)

SPEC, OTHER = "a" * 64, "b" * 64
PATH = bucket_path("k0")
# Keys of one bucket; with a dot, a key is quoted.
KEYS = [key for key in (f"k{n}{dot}" for n in range(9000) for dot in ("", ".md")) if bucket_path(key) == PATH][:4]


def verdict(key: str, outcome: str = HOLDS, at: int = 1_790_000_000, spec: str = SPEC) -> Verdict:
    return Verdict(key=key, spec=spec, claim="c", outcome=outcome, commit="1" * 40, inputs="", at=at)


def text_of(*args, **fields) -> bytes:
    return format_verdict(verdict("k0", *args, **fields)).encode()


def bucket(*verdicts: Verdict) -> bytes:
    return join_bucket({(v.key, v.spec[:16]): format_verdict(v).encode() for v in verdicts})


def read(content: bytes) -> dict[str, tuple[str, int]]:
    return {
        name[0]: (v.outcome, v.at)
        for name, text in sections_of(content, PATH)
        for v in [parse_section(name, text, PATH)]
    }


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_bucket_is_read_as_it_was_written(because: str, attempt: str) -> None:
    verdicts = [replace(verdict(key), because=because, attempt=attempt) for key in KEYS]

    sections, errors = split_bucket(bucket(*verdicts), PATH)

    assert errors == []
    assert sections == {(v.key, SPEC[:16]): format_verdict(v).encode() for v in verdicts}
    assert bucket(*verdicts) == join_bucket(dict(reversed(sections.items())))
    assert tomllib.loads(bucket(*verdicts).decode()).keys() == set(KEYS)


def test_a_bucket_has_a_bounded_number_of_errors() -> None:
    wrong = b"[nothing]\n[elsewhere.aaaaaaaaaaaaaaaa]\n" * 1000

    sections, errors = split_bucket(wrong + bucket(verdict("k0")), PATH)

    assert (len(errors), [name[0] for name in sections]) == (MOST_ERRORS, ["k0"])


@each(
    ("text", "line", "words"),
    [
        ("[nothing]\n", 1, "not the section"),
        ("\n[a-key.0123]\n", 2, "not the section"),
        ("[../../x.aaaaaaaaaaaaaaaa]\n", 1, "not the section"),
        ("[con.aaaaaaaaaaaaaaaa]\n", 1, "not the section"),
        ("[elsewhere.aaaaaaaaaaaaaaaa]\n", 1, f"belongs in verdicts/{shard('elsewhere')}.toml"),
    ],
)
def test_invalid_section_hides_no_other_verdict(text: str, line: int, words: str) -> None:
    sections, errors = split_bucket(text.encode() + bucket(verdict("k0")), PATH)

    assert [(e.line, words in e.message) for e in errors] == [(line, True)]
    assert [name[0] for name in sections] == ["k0"]


VERDICTS = {
    "later-fails": ((FAILS, 1_790_000_000), (HOLDS, 1_780_000_000)),
    "later-holds": ((HOLDS, 1_790_000_000), (FAILS, 1_780_000_000)),
    "same-second": ((FAILS, 1_790_000_000), (HOLDS, 1_790_000_000)),
}


@each(
    ("one", "other"),
    [
        *((text_of(*a), text_of(*b)) for a, b in VERDICTS.values()),
        (text_of(), b"no verdict"),
        (text_of(), b"#" * 20_000),
        (text_of(), text_of(at=1_799_000_000, spec=OTHER)),
    ],
    ids=[*VERDICTS, "unreadable", "too-large", "of-another-specification"],
)  # fmt: skip
def test_the_verdict_that_counts_is_the_same_either_way(one: bytes, other: bytes) -> None:
    assert unite_verdicts(one, other, name=("k0", SPEC[:16]), path="v") == one
    assert unite_verdicts(other, one, name=("k0", SPEC[:16]), path="v") == one


A, B, C, D = KEYS
OLD, NEW = (HOLDS, 1), (FAILS, 2)


@each(
    ("base", "one", "other", "united"),
    [
        ({A: OLD, B: OLD}, {A: NEW, B: OLD}, {A: OLD, B: NEW}, {A: NEW, B: NEW}),
        ({A: OLD}, {A: OLD, B: OLD}, {A: OLD, C: OLD}, {A: OLD, B: OLD, C: OLD}),
        ({A: OLD, B: OLD}, {B: OLD}, {A: OLD, B: NEW}, {B: NEW}),
        ({A: OLD}, {}, {A: NEW}, {A: NEW}),
        ({}, {A: OLD}, {A: NEW}, {A: NEW}),
        ({A: OLD}, {A: NEW}, {A: (HOLDS, 3)}, {A: (HOLDS, 3)}),
        (None, {A: OLD, D: NEW}, {A: NEW}, {A: NEW, D: NEW}),
    ],
    ids=["neighbours", "both-add", "one-removes", "removed-and-changed", "added-twice", "later", "no-ancestor"],
)
def test_buckets_merge_by_fact(base, one, other, united) -> None:
    made = [None if side is None else bucket(*(verdict(k, *v) for k, v in side.items())) for side in (base, one, other)]

    for left, right in permutations(made[1:]):
        assert read(unite_buckets(made[0], left, right, path=PATH)) == united
