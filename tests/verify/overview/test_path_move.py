"""The reason of a fact whose path moved can be parsed, so that facts of one move are grouped."""

from __future__ import annotations

from support.each import each

from gitmem.verify.overview.path_move import PathMove, parse_path_move


@each(
    ("moved", "message", "common"),
    [
        (PathMove("a.sh", "b.sh"), "a.sh moved to b.sh", PathMove("a.sh", "b.sh")),
        (PathMove("src/a.py", "lib/x/a.py"), "src/a.py moved to lib/x/a.py", PathMove("src", "lib/x")),
        (PathMove("my docs/a", "b"), "'my docs/a' moved to b", PathMove("my docs/a", "b")),
    ],
)
def test_reason_of_a_moved_path_is_parsed_as_it_was_written(moved: PathMove, message: str, common: PathMove) -> None:
    assert moved.message == message
    assert parse_path_move(message) == moved
    assert moved.common == common


@each("because", ["", "exit 1: the file moved to b.sh", "a.sh does not exist", "a moved to b, it says"])
def test_other_reasons_are_no_moves(because: str) -> None:
    assert parse_path_move(because) is None
