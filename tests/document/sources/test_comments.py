"""Comments and long strings of source code are blanked; what is code stays where it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.sources.comments import without_comments, without_definitions

PYTHON = '''"""Doc.

TIMEOUT = 30
"""
A = "\\"" + '"""'  # """
def start():
    """One line."""
    x = f"""
LIMIT = 1
"""
B = 2
'''
GO = """package a
/*
const Timeout = 30
*/
var glob = "src/**/*.go"
  /* one */ const Limit = 7
// /*
const Last = 1 // */
"""


@each(
    ("code", "extension", "gone", "kept"),
    [
        (PYTHON, "py", ["TIMEOUT = 30", "LIMIT = 1"], ['A = "', "def start():", '"""One line."""', "B = 2"]),
        (PYTHON, "go", [], ["TIMEOUT = 30"]),
        (GO, "go", ["Timeout", "one"], ["**/*.go", "const Limit = 7", "const Last = 1"]),
        (GO, "md", [], ["Timeout"]),
        ("/* never closed\nconst A = 1\n", "c", [], ["const A = 1"]),
        ('"""never closed\nA = 1\n', "py", [], ["A = 1"]),
        ('"\nA = 1\n"""\nB = 2\n"""\nC = 3\n', "py", ["B = 2"], ["A = 1", "C = 3"]),
    ],
)
def test_comments_and_long_strings_are_blanked(code: str, extension: str, gone: list[str], kept: list[str]) -> None:
    blanked = without_comments(code, extension)

    assert [part for part in gone if part in blanked] == []
    assert [part for part in kept if part not in blanked] == []


@given(st.text("\"'#\\\n/*ab =", max_size=200), st.sampled_from(["py", "c", "js"]))
def test_lines_and_offsets_stay(code: str, extension: str) -> None:
    blanked = without_comments(code, extension)

    assert len(blanked) == len(code)
    assert all(now in (was, " ") for was, now in zip(code, blanked, strict=True))
    assert blanked.count("\n") == code.count("\n")


def test_templates_of_make_are_blanked() -> None:
    makefile = "define T\ninner:\n\techo\nendef\nreal: inner\n"

    assert without_definitions(makefile).split("\n") == ["        ", "      ", "     ", "     ", "real: inner", ""]
