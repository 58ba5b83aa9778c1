"""What was found in files, and how an answer words it."""

from __future__ import annotations

from collections.abc import Callable

from support.each import each

from gitmem.document.answers import BuiltinAnswer, FileFinding, FoundFiles, comparison_answer, conceal, place
from gitmem.model import BLOCKED, FAILS, HOLDS


def same(glob: str) -> Callable[[str], bool]:
    return lambda path: path == glob


def test_files_that_others_count_as_their_own_are_found_however_far_away() -> None:
    findings = {
        "a": [FileFinding(links=("b",))],
        "b": [FileFinding(links=("c", "a"))],
        "c": [FileFinding(1)],
        "d": [FileFinding(1)],
    }
    files = FoundFiles(["a", "b", "c", "d"], findings, same)

    assert files.with_included(["a"]).paths == ["a", "b", "c"]
    assert files.with_included(["a"]).list_findings() == [("c", FileFinding(1))]


def test_file_that_was_not_read_is_named_with_its_reason() -> None:
    files = FoundFiles(["a", "b"], {"b": [FileFinding(problem="it is not valid JSON")]}, same)

    assert files.unread() == ["a could not be read", "b could not be read: it is not valid JSON"]
    assert files.list_findings() == []


def test_comparison_names_the_place_what_it_states_and_what_it_should() -> None:
    assert comparison_answer("a:1", "2", "3", is_as_wanted=False) == BuiltinAnswer(
        FAILS, "a:1 states 2, not 3", "a:1", "2"
    )
    assert comparison_answer("a:1", "2", "2", is_as_wanted=True) == BuiltinAnswer(HOLDS, "a:1 states 2", "a:1", "2")
    assert comparison_answer("a:1", "x", "2", is_as_wanted=None).outcome == BLOCKED


def test_long_value_is_cut_in_the_reason_only() -> None:
    answer = comparison_answer("a:1", "x" * 500, "y", is_as_wanted=False)

    assert len(answer.because) < 200
    assert answer.actual == "x" * 500


@each(
    ("key", "value", "shown"),
    [
        ("DB_PASSWORD", "hunter2hunter2", "[hidden]"),
        ("apiKey", "abcdefgh", "[hidden]"),
        ("max_tokens", "512", "512"),
        ("engines", "hunter2hunter2", "hunter2hunter2"),
    ],
)
def test_value_whose_key_says_that_it_is_secret_is_not_repeated(key: str, value: str, shown: str) -> None:
    assert conceal(key, value) == shown


def test_place_without_a_line_is_the_file() -> None:
    assert (place("a", FileFinding(3)), place("a", FileFinding())) == ("a:3", "a")
