"""Code is cut where its definitions begin and end, with and without braces."""

from __future__ import annotations

import re

import pytest

from gitmem.agents.capture.definitions import CUT, cut, shortened
from gitmem.text.tokens import count_tokens

DEFINES = re.compile(r"[ \t]*(?:def|class|fn|function)[ \t]+(\w+)")


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("x = 1\n\n@once\ndef a():\n    def b():\n        pass\n\n    return b\n\n\ny = 2", [("a", 2, 6)]),
        ("fn a() {\n  b();\n}\n// why\nfn c() {\n}\n", [("a", 0, 3), ("c", 3, 3)]),
        ("class A:\n    def b(self):\n        pass\nclass C: pass", [("A", 0, 3), ("C", 3, 1)]),
        ("nothing\n", []),
    ],
)
def test_definitions_are_whole(code: str, parts: list[tuple[str, int, int]]) -> None:
    assert [(one.name, one.first, len(one.code.split("\n"))) for one in cut(code, DEFINES)] == parts


def test_long_code_is_truncated_at_a_line() -> None:
    code = "def a():\n" + "    b()\n" * 200

    found = shortened(code, limit_tokens=50)

    assert count_tokens(found) <= 51
    assert found.split("\n")[-2:] == ["    b()", CUT]
    assert shortened("def a(): pass", limit_tokens=50) == "def a(): pass"
