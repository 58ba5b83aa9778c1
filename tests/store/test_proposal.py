"""What a clone knows of its current proposal: one line of local state, believed only where it fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.store.proposal import Current, clear_current, is_name, notice_of, read_current, write_current

TIP = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("current", [Current("gitmem/auth"), Current("gitmem/auth", TIP)], ids=["still", "moving"])
def test_what_is_written_is_read_again(tmp_path: Path, current: Current) -> None:
    state = str(tmp_path / "gitmem")

    write_current(state, "memory", current)

    assert read_current(state, "memory") == current
    assert read_current(state, "another") is None
    clear_current(state)
    clear_current(state)
    assert read_current(state, "memory") is None
    assert list(tmp_path.rglob("*")) == [tmp_path / "gitmem"]


@pytest.mark.parametrize(
    "text", ["", "memory", "memory gitmem/", "memory gitmem/../../x", "memory main", "memory gitmem/a b c", "\0" * 40]
)
def test_what_is_damaged_or_points_elsewhere_is_no_proposal(tmp_path: Path, text: str) -> None:
    (tmp_path / "proposal").write_text(text)

    assert read_current(str(tmp_path), "memory") is None


def test_names_are_slugs_that_end_a_branch() -> None:
    wrong = ["", "Auth", "a/b", "..", "a..b", "x.lock", "-x", "x-", ".x", "x" * 61, "ä", "a b", "a\n", "a~1", "@"]

    assert [name for name in wrong if is_name(name)] == []
    assert all(map(is_name, ["a", "auth-notes", "t-12", "v1.2", "x_y", "x" * 60]))


def test_nothing_is_reported_where_memory_itself_is_written() -> None:
    assert notice_of("") == ""
    assert "the proposal auth (" in notice_of("auth")
