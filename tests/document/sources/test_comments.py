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
SCRIPT = """const q = `
A = 1
`;
const a = `${items.map((x) => `
B = 1
`)} ${ {b: 1} }
C = 1
`;
const r = x.match(/`/); const s = 'it`s'; // don't ` stop
D = 1
const t = gql`
type User {
`;
const u = `
CREATE TABLE users (
extend type Query {
type Made = { a: 1 }
scalar Date
`;
"""
RAW = "q := `\nA = 1\n`\nr := '`' // it's a `\nB = 1\nm := `\n  create table users (\n`\n"


@each(
    ("code", "extension", "gone", "kept"),
    [
        (PYTHON, "py", ["TIMEOUT = 30", "LIMIT = 1"], ['A = "', "def start():", '"""One line."""', "B = 2"]),
        (PYTHON, "go", [], ["TIMEOUT = 30"]),
        (GO, "go", ["Timeout", "one"], ["**/*.go", "const Limit = 7", "const Last = 1"]),
        (GO, "md", [], ["Timeout"]),
        (
            SCRIPT,
            "ts",
            ["A = 1", "B = 1", "C = 1", "Made"],
            ["items.map((x)", "D = 1", "type User {", "CREATE TABLE users", "type Query {", "scalar Date"],
        ),
        ("const a = `\nA = 1\n", "js", [], ["A = 1"]),
        ("<p>don't {`\nA = 1\n`}</p>\nB = 1\n", "tsx", ["A = 1"], ["B = 1"]),
        (RAW, "go", ["A = 1"], ["B = 1", "create table users"]),
        ('let s = r##"\nA = 1\n"#\nB = 1\n"##;\nC = 1\n', "rs", ["A = 1", "B = 1"], ["C = 1"]),
        ('val s = """\nA = 1\n"""\nB = 1\n', "kt", ["A = 1"], ["B = 1"]),
        ('@doc """\nA = 1\n"""\nB = 1\n', "ex", ["A = 1"], ["B = 1"]),
        ("cat <<-'END' > f\nA = 1\nENDING\n\tEND\nB = 1\n", "sh", ["A = 1", "ENDING"], ["B = 1"]),
        ("a = 1 << b\nA = 1\n", "rb", [], ["A = 1"]),
        ("/* never closed\nconst A = 1\n", "c", [], ["const A = 1"]),
        ('"""never closed\nA = 1\n', "py", [], ["A = 1"]),
        ('"\nA = 1\n"""\nB = 2\n"""\nC = 3\n', "py", ["B = 2"], ["A = 1", "C = 3"]),
    ],
)
def test_comments_and_long_strings_are_blanked(code: str, extension: str, gone: list[str], kept: list[str]) -> None:
    blanked = without_comments(code, extension)

    assert [part for part in gone if part in blanked] == []
    assert [part for part in kept if part not in blanked] == []


@given(st.text("\"'#\\\n/*ab =`${}<", max_size=200), st.sampled_from("py c js go rs kt rb".split()))
def test_lines_and_offsets_stay(code: str, extension: str) -> None:
    blanked = without_comments(code, extension)

    assert len(blanked) == len(code)
    assert all(now in (was, " ") for was, now in zip(code, blanked, strict=True))
    assert blanked.count("\n") == code.count("\n")


def test_templates_of_make_are_blanked() -> None:
    makefile = "define T\ninner:\n\techo\nendef\nreal: inner\n"

    assert without_definitions(makefile).split("\n") == ["        ", "      ", "     ", "     ", "real: inner", ""]
