"""Code is cut where its definitions begin and end, with and without braces, and with or without a grammar."""

from __future__ import annotations

import sys

import pytest
from support.each import each

from gitmem.text.code.definitions import by_indentation, definitions


@each(
    ("code", "spans"),
    [
        ("x = 1\n\n@once\ndef a():\n    def b():\n        pass\n\n    return b\n\n\ny = 2", [("a", 2, 8)]),
        ("fn a() {\n  b();\n}\n// why\nfn c() {\n}\n", [("a", 0, 3), ("c", 3, 6)]),
        ("class A:\n    def b(self):\n        pass\nclass C: pass", [("A", 0, 3), ("C", 3, 4)]),
        ("nothing\n", []),
    ],
)
def test_definitions_are_whole(code: str, spans: list[tuple[str, int, int]]) -> None:
    assert [(one.name, one.first, one.end) for one in by_indentation(code)] == spans


CODE = "@app.get(\n    '/',\n)\ndef one():\n    return 1\n"


@pytest.mark.parametrize("package", ["tree_sitter", "tree_sitter_python"])
def test_code_is_cut_by_indentation_without_a_grammar(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.delitem(sys.modules, "gitmem.text.code.grammar", raising=False)
    monkeypatch.setitem(sys.modules, package, None)

    assert definitions(CODE, "python") == by_indentation(CODE) != []


def test_code_is_cut_by_indentation_where_it_does_not_parse_or_its_language_is_not_known() -> None:
    broken = f"{CODE}\ndef two(:\n    pass\n"

    assert definitions(broken, "python") == by_indentation(broken) != []
    assert definitions(CODE, "cobol") == by_indentation(CODE) != []


def test_code_is_cut_with_a_grammar_that_is_installed() -> None:
    pytest.importorskip("tree_sitter_python")

    assert [(one.name, one.first, one.end) for one in definitions(CODE, "python")] == [("one", 0, 5)]
