"""Versions and ranges, as the manifests of several languages write them."""

from __future__ import annotations

from support.each import each

from gitmem.document.sources.versions import is_at_least, is_same, is_within


@each(
    ("stated", "wanted", "is_in"),
    [
        ("1.2.3", "1.2.3", True),
        ("1.2.3", "1.2", True),
        ("1.20.0", "1.2", False),
        ("18.2.0", "^18", True),
        ("0.3.1", "^0.2.0", False),
        ("0.0.4", "^0.0.3", False),
        ("1.2.9", "~1.2.3", True),
        ("1.3.0", "~1.2.3", False),
        ("1.9", "~> 1.2", True),
        ("2.0", "~> 1.2", False),
        ("1.2.9", "~=1.2.3", True),
        ("3.12", ">=3.11,<4", True),
        ("3.12", ">=3.11 <3.12", False),
        ("3.12", "!=3.12", False),
        ("2.0.0", "1 || 2", True),
        ("8.2", "^7.4|^8.1", True),
        ("1.7", "1.x", True),
        ("5.0.0", "*", True),
        ("1.5", "1.2 - 2", True),
        ("1.5", "[1.0,2.0)", True),
        ("2.0", "[1.0,2.0)", False),
        ("v20.11.1", "^20", True),
        (">=3.11", ">=3.10", True),
        (">=3.11", ">=3.12", False),
        ("^18.2.0", "17", False),
        ("pnpm@9.1.0", "^9", True),
        ("3.11-slim", "3.11", True),
        ("python:3.11-slim", ">=3.11", True),
        ("1.2.3-canary.4", ">=1.2.3", False),
        ("go1.22", "1.22", True),
        ("latest", "^1", None),
        ("1.2", "what", None),
        ("<2", ">=1", None),
    ],
)
def test_version_or_the_lowest_of_a_range_lies_within_another_range(
    stated: str, wanted: str, is_in: bool | None
) -> None:
    assert is_within(stated, wanted) is is_in


@each(
    ("stated", "least", "expected"),
    [("3.11", "3.9", True), ("3.9", "3.11", False), ("100", "80", True), (">=3.11", "3.11", True), ("x", "1", None)],
)
def test_at_least_compares_numbers_and_not_texts(stated: str, least: str, expected: bool | None) -> None:
    assert is_at_least(stated, least) is expected


@each(
    ("one", "other", "expected"),
    [
        (">= 3.11", ">=3.11", True),
        ("v1.2", "1.2", True),
        ("1.2", "1.20", False),
        ("a b", "ab", True),
        ("x", "X", False),
    ],
)
def test_same_is_the_text_without_spaces_quotes_and_a_leading_v(one: str, other: str, expected: bool) -> None:
    assert is_same(one, other) is expected


@each(
    ("stated", "wanted", "expected"),
    [
        ("v1.2.3", "1.2.3", True),
        ("go1.23.6", "1.23.6", True),
        ("1.23.6", "go1.23.6", True),
        ("pnpm@9.1.0", "9.1.0", True),
        ("@scope/tool@9.1.0", "9.1.0", True),
        ("pnpm@9.1.0+sha512.ab12", "9.1.0", True),
        ("go1.23.6", "1.23", False),
        ("pnpm@9.1.0", "npm@9.1.0", False),
        ("localhost:8080", "8080", False),
        ("1.2.3+build", "1.2.3", False),
    ],
)
def test_same_is_the_same_text_or_version(stated: str, wanted: str, expected: bool) -> None:
    assert is_same(stated, wanted) is expected
