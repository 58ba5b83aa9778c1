"""The kinds of text that built-in checks take: what is one, and what is refused."""

from __future__ import annotations

from support.each import each

from gitmem.document.check_values import GLOB, PATH, PLACE, RANGE, SHA256, VERSION, Value, is_inside


@each(("path", "inside"), [("a/**", True), ("a/", True), ("../a", False), ("/a", False), ("", False)])
def test_path_must_be_able_to_name_a_file_of_the_code(path: str, inside: bool) -> None:
    assert is_inside(path) is inside


@each(
    ("value", "text", "is_valid"),
    [
        (PATH, "src/a.py", True),
        (GLOB, "../**", False),
        (SHA256, "0" * 64, True),
        (SHA256, "0" * 63, False),
        (PLACE, "package.json#engines.node", True),
        (PLACE, "../package.json#engines.node", False),
        (PLACE, "package.json#", False),
        (VERSION, "3.11", True),
        (VERSION, "latest", False),
        (RANGE, ">=3.11,<4", True),
        (RANGE, "new", False),
    ],
)
def test_text_is_of_its_kind_or_refused(value: Value, text: str, is_valid: bool) -> None:
    assert value.is_valid(text) is is_valid


def test_address_follows_its_file_and_keeps_its_key() -> None:
    assert PLACE.placed is not None
    assert PLACE.placed("a.toml#b.c", lambda path: f"new/{path}") == "new/a.toml#b.c"
