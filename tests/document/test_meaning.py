"""What a title means: corrections keep it, anything else changes it."""

from __future__ import annotations

from support.each import each

from gitmem.document.meaning import correction_of, format_foundations, meaning_of, parse_foundations
from gitmem.model import Document


def document(title: str, **fields) -> Document:
    return Document("k", "", {"title": title, **fields}, "", "")


@each(
    ("one", "other", "is_same"),
    [
        ("Tokens use RS256", "Tokens use RS256.", True),
        ("Tokens use RS256", "tokens  use RS256", True),
        ("Tokens use RS256", "Tokens use EdDSA", False),
        ("Tokens use RS256", "Tokens do not use RS256", False),
    ],
)
def test_case_blanks_and_the_end_of_a_sentence_mean_nothing(one, other, is_same):
    assert (meaning_of(document(one)) == meaning_of(document(other))) is is_same


def test_a_correction_keeps_the_meaning_until_the_title_changes_again():
    first = document("Tokens use RS265")
    second = document("Tokens use RS256")
    second = document(second.title, correction=correction_of(first, second))
    third = document("Tokens are signed with RS256")
    third = document(third.title, correction=correction_of(second, third))

    assert meaning_of(first) == meaning_of(second) == meaning_of(third)
    assert meaning_of(document("Tokens use EdDSA", correction=third.fields["correction"])) != meaning_of(first)


def test_foundations_are_read_as_they_are_written_and_other_lines_are_not():
    lines = format_foundations({"b": "0" * 16, "a": "1" * 16})

    assert lines == ["a " + "1" * 16, "b " + "0" * 16]
    assert [one.key for one in parse_foundations([*lines, "c", "d short", ""])] == ["a", "b"]
