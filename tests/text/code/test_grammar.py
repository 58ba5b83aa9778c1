"""A grammar cuts code right where indentation misleads."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter", reason="the extra `code` is not installed")

from gitmem.text.code.definitions import by_indentation
from gitmem.text.code.grammar import GRAMMARS, parse


@pytest.mark.parametrize(
    ("language", "code", "spans"),
    [
        ("python", '@register(\n    "a",\n)\ndef one():\n    return 1\n', [("one", 0, 5)]),
        ("python", 'def one():\n    text = """\ndef inner():\n"""\n    return text\n', [("one", 0, 5)]),
        ("python", "def one(\n    a,\n) -> int:\n    return a\n\n\nx = 1\n", [("one", 0, 4)]),
        ("javascript", "function a() {\n  return `\nfunction b() {\n}\n`;\n}\n", [("a", 0, 6)]),
        ("javascript", "const f = x => {\n  return x;\n};\n", [("f", 0, 3)]),
        ("typescript", "@Part({\n  name: 'a',\n})\nexport class A {\n  b = `${[`}`]}`;\n}\n", [("A", 0, 6)]),
        ("typescript", "namespace N {\n  type X = 1;\n}\n", [("N", 0, 3)]),
        ("typescript", "const F: Page = () => (\n  <p>{`\nclass a {\n`}</p>\n);\n", [("F", 0, 5)]),
        ("go", "type (\n\t// why\n\tA int\n\tB int\n)\n\n// Run runs.\nfunc Run() {\n}", [("A", 0, 5), ("Run", 6, 9)]),
        ("go", "package a\n\nfunc a() {\n\tb := `\nfunc c() {}\n`\n}\n", [("a", 2, 7)]),
        ("rust", "/// why\n#[derive(\n  Debug\n)]\npub struct B;\nimpl<T> X for Y {\n}\n", [("B", 0, 5), ("Y", 5, 7)]),
        ("rust", "x! {} // of x\nconst fn a() {\n}\nmacro_rules! m {\n}\n", [("a", 1, 3), ("m", 3, 5)]),
        ("java", "@A(\n  b = 1\n)\npublic final class B\n{\n  void c() {}\n}\n", [("B", 0, 7)]),
    ],
)
def test_grammar_finds_what_indentation_does_not(language: str, code: str, spans: list[tuple[str, int, int]]) -> None:
    pytest.importorskip(GRAMMARS[language][0])
    found = parse(code, language)

    assert found is not None
    assert [(one.name, one.first, one.end) for one in found] == spans
    assert found != by_indentation(code)


def test_code_that_does_not_parse_has_no_tree() -> None:
    pytest.importorskip("tree_sitter_python")

    assert parse("def one(:\n    pass\n", "python") is None


def test_definitions_on_one_line_are_one_span() -> None:
    pytest.importorskip("tree_sitter_javascript")

    found = parse("class A {} class B {}\n// of C\nclass C {}\n", "javascript")

    assert found is not None
    assert [(one.name, one.first, one.end) for one in found] == [("A", 0, 1), ("C", 1, 3)]
