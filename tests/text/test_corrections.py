"""Corrected lines: only the false words change."""

from support.each import each

from gitmem.text.corrections import (
    as_exact,
    is_same_type,
    like_case,
    only_difference,
    replace_path,
    replace_target,
    replace_word,
    word_places,
)


@each(
    ("line", "word", "places"),
    [
        ("Go 1.24+, 1.24.3, v1.24", "1.24", [(3, 7)]),
        ("`npm run test && npm run test:unit`", "test", [(9, 13)]),
        ("a/test, test-all, test.", "test", [(18, 22)]),
    ],
)
def test_only_whole_words_are_found(line, word, places):
    assert word_places(line, word) == places


def test_what_is_aligned_stays_in_its_column():
    line = "├── retry.py   # limits"

    assert replace_word(line, [(4, 12)], "rate.py", is_aligned=True) == "├── rate.py    # limits"
    assert replace_word(line, [(4, 12)], "much_longer.py", is_aligned=True) == "├── much_longer.py # limits"
    assert replace_word(line, [(4, 12)], "rate.py") == "├── rate.py   # limits"


@each(
    ("line", "old", "new", "corrected"),
    [
        ("`a/b.py`, x/a/b.py, a/b.pyc", "a/b.py", "c.py", "`c.py`, x/a/b.py, a/b.pyc"),
        ("`a/b/` and a/b, not a/b/c or a/b.md", "a/b/", "n/", "`n/` and n, not a/b/c or a/b.md"),
        ("`a/b/*.ts`, `./a/b`", "a/b/", "n/", "`n/*.ts`, `./n`"),
        ("`./a.py`", "./a.py", "../b.py", "`../b.py`"),
        ("[a.py](a.py)", "a.py", "b.py", "[b.py](a.py)"),
    ],
)
def test_path_is_replaced_where_it_is_whole(line, old, new, corrected):
    assert replace_path(line, old, new) == corrected


@each(
    ("line", "corrected"),
    [
        ("[a.py](../app/a.py#top)", "[b.py](../app/b.py#top)"),
        ("[`a.py`](<../app/a.py>)", "[`b.py`](<../app/b.py>)"),
        ("[a.py](../lib/a.py)", "[a.py](../lib/a.py)"),
        ('[see a.py](../app/a.py "a.py")', '[see a.py](../app/b.py "a.py")'),
    ],
)
def test_text_of_a_link_that_is_the_name_of_its_file_follows_the_link(line, corrected):
    assert replace_target(line, "../app/a.py", "../app/b.py") == corrected


def test_value_is_written_like_the_stated_one_and_has_its_type():
    assert (like_case("True", "false"), like_case("3", "x"), like_case("false", "True")) == ("False", "x", "true")
    assert [is_same_type(*one) for one in (("3", "5"), ("true", "False"), ("true", "x"), ("3", ""), ("a", "b"))] == [
        *(True, True, False, False, True)
    ]


def test_version_is_as_exact_as_the_stated_one():
    assert (as_exact("1.24", "1.25.12"), as_exact("18", "20.1")) == ("1.25", "20")


@each(
    ("before", "after", "words"),
    [
        ("go 1.24", "go 1.25", ("1.24", "1.25")),
        ("tries: int = 3,", "tries: int = 5,", ("3", "5")),
        ("go 1.24", "toolchain 1.25", ("", "")),
        ("a b", "a b c", ("", "")),
    ],
)
def test_one_differing_word_is_found(before, after, words):
    assert only_difference(before, after) == words
