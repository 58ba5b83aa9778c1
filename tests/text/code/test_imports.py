"""Imports of source files, by language."""

from support.each import each

from gitmem.text.code.imports import read_imports


@each(
    ("path", "text", "imports"),
    [
        ("a/b.py", "import os, sys as s\nfrom x.y import z\n", [(1, "os"), (1, "sys"), (2, "x.y"), (2, "x.y.z")]),
        ("a/b.py", "from . import c\nfrom ..d import e\n", [(1, "a"), (1, "a.c"), (2, "d"), (2, "d.e")]),
        ("b.py", '"""Doc.\n\nimport x\n"""\nimport y\n', [(5, "y")]),
        ("a/b.ts", "import {\n  a,\n} from '../c';\nimport 'd'\n// import 'e'\n", [(3, "c"), (4, "d")]),
        ("a/b.ts", "export const f = 'x'\nexport { g } from '@/h'\n", [(2, "@/h")]),
        ("a.go", 'import (\n\t"fmt"\n\tx "a.b/c"\n)\n', [(2, "fmt"), (3, "a.b/c")]),
        ("a.rs", "use crate::a::B;\npub use serde::{D};\n", [(1, "crate::a::B"), (2, "serde")]),
        ("a.md", "import x\n", []),
    ],
)
def test_imports_have_their_lines_and_are_relative_to_the_root(path, text, imports):
    assert [(one.line, one.name) for one in read_imports(path, text)] == imports


@each(
    ("path", "text"),
    [
        ("a.py", "def f():\n    import x\n"),
        ("a.ts", "import type { A } from 'x'\n"),
        ("a.ts", "const x = await import('x')\n"),
    ],
)
def test_import_in_a_function_or_of_types_is_not_firm(path, text):
    assert [one.is_firm for one in read_imports(path, text)] == [False]
