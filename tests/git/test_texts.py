"""Texts merge by line as git merges them, the same either way, and never with a marker."""

from __future__ import annotations

from pathlib import Path

from conftest import git
from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.git.texts import Hunk, TextPart, diff_lines, merge_texts

LINES = st.lists(st.sampled_from(["a", "b", "c", "<<<<<<< ours", "=======", ">>>>>>> x", ""]), max_size=8)


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_changes_of_different_lines_unite() -> None:
    assert merge_texts("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n") == (TextPart("A\nb\nc\nD\n"),)


def test_changes_of_the_same_line_are_both_there() -> None:
    found = merge_texts("a\nb\n", "a\nc\n", "a\nd\n")

    assert found == (TextPart("a\n"), TextPart(ours="c\n", theirs="d\n", is_conflict=True))


def test_two_texts_emptied_differently_merge() -> None:
    assert "".join(p.text + p.ours + p.theirs for p in merge_texts("a\nb\n", "", "b\n")) in ("", "b\n")


@given(LINES, LINES, LINES)
@example([], ["a", "b", "a"], ["b", "a", "a"])
def test_the_sides_can_be_swapped_and_markers_in_a_text_are_text(
    base: list[str], one: list[str], other: list[str]
) -> None:
    texts = text(base), text(one), text(other)

    found, turned = merge_texts(*texts), merge_texts(texts[0], texts[2], texts[1])

    assert [(p.text, p.ours, p.theirs) for p in found] == [(p.text, p.theirs, p.ours) for p in turned]
    for line in set("".join(p.text + p.ours + p.theirs for p in found).split("\n")) - {""}:
        assert line in (*one, *other)


def test_git_gives_the_same_answer(tmp_path: Path) -> None:
    base = "".join(f"line {n}\n" for n in range(30))
    one = base.replace("line 3\n", "three\n").replace("line 20\n", "twenty\nand one\n").replace("line 25\n", "")
    other = base.replace("line 9\n", "nine\n").replace("line 20\n", "twenty\nand two\n").replace("line 28\n", "x\n")
    for name, content in {"base": base, "one": one, "other": other}.items():
        (tmp_path / name).write_text(content)

    found = merge_texts(base, one, other)

    by_git = git(tmp_path, "merge-file", "-p", "-L", "", "-L", "", "-L", "", "one", "base", "other", check=False)
    mine = "".join(f"<<<<<<< \n{p.ours}=======\n{p.theirs}>>>>>>> \n" if p.is_conflict else p.text for p in found)
    assert by_git + "\n" == mine
    assert [p.is_conflict for p in found] == [False, True, False]


def test_a_hostile_text_is_merged_in_no_time() -> None:
    found = merge_texts("\n" * 65_000, "a\n" * 32_000, "b\n" * 32_000)

    assert found == (TextPart(ours="a\n" * 32_000, theirs="b\n" * 32_000, is_conflict=True),)


def test_changes_of_lines_are_found_wherever_they_are_and_whatever_the_lines_hold() -> None:
    old, new = ["a\r\n", "b\n", "c\n"], ["x\n", "a\r\n", "c\n", "y\n"]

    assert diff_lines(old, new) == [Hunk(0, 0, ("x\n",)), Hunk(1, 2, ()), Hunk(3, 3, ("y\n",))]
    assert (diff_lines([], new), diff_lines(new, [])) == ([Hunk(0, 0, tuple(new))], [Hunk(0, 4, ())])
    assert diff_lines(["a\n", "b\n"], ["a\n", "c\n"]) == [Hunk(1, 2, ("c\n",))]
