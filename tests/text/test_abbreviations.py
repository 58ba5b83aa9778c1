"""Short and long forms of words stand for each other, and nothing else."""

from __future__ import annotations

import pytest

from gitmem.text.abbreviations import variants
from gitmem.text.tokens import terms


@pytest.mark.parametrize(
    ("asked", "meant"), [("directory", "dir"), ("dir", "folder"), ("config", "configuration"), ("initialize", "init")]
)
def test_forms_of_one_word_stand_for_each_other(asked: str, meant: str) -> None:
    (one,), (other,) = terms(asked), terms(meant)

    assert other in variants(one)
    assert one in variants(other)


def test_a_word_without_forms_has_none_and_no_word_stands_for_itself() -> None:
    assert variants("gateway") == []
    assert "dir" not in variants("dir")
