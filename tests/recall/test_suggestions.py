"""What nothing answers as typed: parts of words are found as they were typed, and a near word is suggested."""

from __future__ import annotations

import pytest
from conftest import memory_text
from support.catalogs import catalog_of
from support.each import each

from gitmem.index import FtsEngine
from gitmem.index.catalog import Catalog
from gitmem.model import IndexText
from gitmem.recall import suggestions
from gitmem.text.tokens import query_terms

TITLES = ["Tokens are signed with RS256", "The gateway drops connections", "Call load_user, never getUserById"]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_of({f"learned/k{n}.md": memory_text(title) for n, title in enumerate(TITLES)})


@each(
    ("query", "expected"),
    [
        ("RS25", ["rs25"]),
        ("a of", []),
        ("库 é 猫", ["库", "猫"]),
        ("(Gate, `conn` gate?", ["gate", "conn"]),
        ("aaa bbbb ccc ddd eee", ["bbbb", "aaa", "ccc"]),
        ("x" * 65 + " 00\ud800", []),
        ("what does && do", ["&&", "what", "does"]),
        ("§ ? . :: -", ["::", "§"]),
        ("; >", []),
        ("`&&` '\"->\"' \"%\" ''", ["&&", "->"]),
    ],
)
def test_parts_are_words_of_three_letters_and_at_most_three(query: str, expected: list[str]) -> None:
    assert suggestions.parts_of(query) == expected


@each(
    ("part", "expected"),
    [
        ("rs25", [0]), ("onnectio", [1]), ("connectiv", []), ("oad_us", [2]), ("oadxus", []), ("%", []),
        ("drops con", [1]),
    ],
)  # fmt: skip
def test_only_what_was_typed_counts(catalog: Catalog, part: str, expected: list[int]) -> None:
    found = suggestions.list_containing(catalog, [part], limit=9, where="m.kind = ?", parameters=("learned",))

    assert [int(catalog.row("SELECT key FROM memory WHERE id = ?", [n])[0][1:]) for n in found] == expected


def test_the_words_around_the_parts_are_what_is_scored() -> None:
    text = IndexText(1, " ".join(TITLES), "", "", "", "")

    assert suggestions.terms_with([text], ["onnectio", "rs2"]) == ["rs256", "rs", "256", "connect"]


def test_the_title_is_what_a_sign_is_scored_by() -> None:
    texts = [IndexText(1, "Join with &&", "", "", "", ""), IndexText(2, "Pipes", "", "", "", "a && b")]

    assert suggestions.terms_with(texts, ["&&"]) == ["join", "pipe"]


@each(
    ("query", "expected"),
    [
        ("gatewya", "gateway"),
        ("gatway", "gateway"),
        ("gateeway conections", "gateway connections"),
        ("how are tokkens signed", "how are tokens signed"),
        ("signedd", "signed"),
        ("Drops-gatewey", "Drops-gateway"),
        ("kind:gotcha gatewey -tokens", "kind:gotcha gateway -tokens"),
        ("gateway", ""),
        ("xyzzyx", ""),
        ("gatewey " * 99, ""),
        ("", ""),
    ],
)
def test_a_word_one_letter_away_is_suggested_as_it_is_written(catalog: Catalog, query: str, expected: str) -> None:
    assert suggestions.suggestion(catalog, FtsEngine(catalog.connection), query, query_terms(query)) == expected
