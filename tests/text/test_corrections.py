"""Corrected lines: only the false words change."""

import pytest

from gitmem.text.corrections import as_exact, move_path, only_difference, replace_path, replace_value


@pytest.mark.parametrize(
    ("line", "name", "stated", "actual", "corrected"),
    [
        ("Go 1.24+", "Go", "1.24", "1.25", "Go 1.25+"),
        ("of 1.24 apples, Go 1.24", "Go", "1.24", "1.25", "of 1.24 apples, Go 1.25"),
        ("Go 1.24.3", "Go", "1.24", "1.25", "Go 1.24.3"),
        ("`max_tries` is 3, not 30", "max_tries", "3", "5", "`max_tries` is 5, not 30"),
    ],
)
def test_value_is_replaced_behind_its_name(line, name, stated, actual, corrected):
    assert replace_value(line, name, stated, actual) == corrected


def test_path_is_replaced_where_it_is_whole():
    assert replace_path("`a/b.py`, x/a/b.py", "a/b.py", "c.py") == "`c.py`, x/a/b.py"


@pytest.mark.parametrize(
    ("line", "folder", "corrected"),
    [
        ("in `app/a.py`", "docs", "in `app/sub/a.py`"),
        ("in `../app/a.py`", "docs", "in `../app/sub/a.py`"),
        ("in `a.py`", "app", "in `sub/a.py`"),
        ("in `a.py`", "other", "in `a.py`"),
        ("in [app/a.py](../app/a.py#top)", "docs", "in [app/sub/a.py](../app/sub/a.py#top)"),
    ],
)
def test_moved_path_is_replaced_as_the_line_writes_it(line, folder, corrected):
    assert move_path(line, folder, "app/a.py", "app/sub/a.py") == corrected


@pytest.mark.parametrize(
    ("line", "corrected"),
    [
        ("[a.py](../app/a.py#top)", "[b.py](../app/b.py#top)"),
        ("[`a.py`](../app/a.py)", "[`b.py`](../app/b.py)"),
        ("[a.py](../lib/a.py)", "[a.py](../lib/a.py)"),
        ("[see a.py](../app/a.py)", "[see a.py](../app/b.py)"),
    ],
)
def test_text_of_a_link_that_is_the_name_of_its_file_follows_the_link(line, corrected):
    assert move_path(line, "docs", "app/a.py", "app/b.py") == corrected


def test_version_is_as_exact_as_the_stated_one():
    assert (as_exact("1.24", "1.25.12"), as_exact("18", "20.1")) == ("1.25", "20")


@pytest.mark.parametrize(
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
