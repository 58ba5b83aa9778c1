"""Versions of a body are joined line by line, any number at once: all that somebody wrote is there, in any order."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.store.merge.bodies import Leaf, Lines, format_versions, join_bodies, join_versions, parse_versions

BASE = "One.\nTwo.\nThree.\nFour.\nFive.\n"
NAMES = st.text("abc XYZ.", min_size=1).map(str.strip).filter(bool)
TEXTS = st.lists(st.sampled_from(["One.", "", "> quoted", "- x"]), max_size=4).map(
    lambda lines: "\n".join(lines).strip("\n")
)


def joined(base: str, **bodies: str) -> tuple[str, bool]:
    """Join versions in every order and return the one answer."""
    leaves = [Leaf(body, lambda lines, instead_of, who=who: who) for who, body in bodies.items()]
    (found,) = {join_bodies(base, some) for some in permutations(leaves)}
    return found


def test_changes_apart_are_all_taken_and_equal_ones_once() -> None:
    one, two, three = BASE.replace("One", "1"), BASE.replace("Three", "3"), BASE.replace("Five", "5")

    assert joined(BASE, Ana=one, Bob=two, Cem=three) == ("1.\nTwo.\n3.\nFour.\n5.\n", False)
    assert joined(BASE, Ana=one, Bob=one, Cem=BASE) == (one, False)


def test_changes_that_touch_are_one_passage_with_each_version_whole() -> None:
    body, is_open = joined(
        BASE, Ana=BASE.replace("Two", "2"), Bob=BASE.replace("Three", "3"), Cem=BASE.replace("Four", "4")
    )

    assert is_open
    passage = body.removeprefix("One.\n").removesuffix("Five.\n")
    assert parse_versions(passage) == [
        Lines("Ana", "2.\nThree.\nFour."),
        Lines("Bob", "Two.\n3.\nFour."),
        Lines("Cem", "Two.\nThree.\n4."),
    ]


def test_of_versions_side_by_side_what_one_removed_goes_and_what_one_added_stays() -> None:
    was = f"Top.\n\n{format_versions([Lines('Ana', 'a'), Lines('Bob', 'b')])}End.\n"
    edited = was.replace("\nb\n", "\nbee\n")

    assert joined(was, Cem=was.replace("Top", "Head"), Bob=edited) == (edited.replace("Top", "Head"), False)
    assert joined(was, Cem="Top.\n\na\nEnd.\n", Dana=was) == ("Top.\n\na\nEnd.\n", False)
    body, is_open = joined(was, Cem="Top.\n\nsettled\nEnd.\n", Bob=edited)
    assert (is_open, parse_versions(body.removeprefix("Top.\n\n").removesuffix("End.\n"))) == (
        True,
        [Lines("Bob", "bee"), Lines("Cem", "settled")],
    )


def test_two_long_texts_without_an_ancestor_share_what_they_have_in_common() -> None:
    lines = [f"Line {n}.\n" for n in range(20)]
    other = [*lines[:9], "Another.\n", *lines[10:]]

    body, is_open = joined("", Ana="".join(lines), Bob="".join(other))

    assert is_open
    assert (body.count("Line 3."), body.count("Line 9."), body.count("Another."), body.count("Line 15.")) == (1,) * 4


@given(st.lists(st.lists(st.sampled_from(["One.", "Two.", "New.", ""]), max_size=5), min_size=2, max_size=3))
def test_no_line_that_somebody_wrote_is_missing(bodies: list[list[str]]) -> None:
    texts = ["".join(f"{line}\n" for line in lines) for lines in bodies]

    body, _ = joined("One.\nTwo.\n", **dict(zip("abc", texts, strict=False)))

    assert ("New." in body) == any("New." in text for text in texts)


@given(st.lists(st.builds(Lines, NAMES, TEXTS), min_size=2, max_size=8))
def test_written_text_is_parsed_to_the_same_value(versions: list[Lines]) -> None:
    assert parse_versions(format_versions(versions)) == versions


def test_versions_are_sorted_by_text_and_text_of_two_authors_is_kept_once() -> None:
    sides = [[Lines("Ana", "z")], [Lines("Bob", "a"), Lines("Cem", "m")], [Lines("Dana", ""), Lines("Eve", "a")]]

    found = {tuple(join_versions(some)) for some in permutations(sides)}

    assert found == {(Lines("Dana", ""), Lines("Bob", "a"), Lines("Cem", "m"), Lines("Ana", "z"))}


@each("text", ["", "plain\n", "> **End of the two versions.**\n", "before\n{both}", "{both}after\n"])
def test_text_with_anything_else_has_no_versions(text: str) -> None:
    both = format_versions([Lines("Ana", "a"), Lines("Bob", "b")])

    assert parse_versions(text.format(both=both)) == []
