"""What is said about wrong arguments of a tool."""

from __future__ import annotations

from typing import Any

from support.each import each

from gitmem.mcp.arguments import describe_refused

LONG = {"type": "x", "loc": ("query",), "msg": "String should have at most 20 characters", "input": "q" * 90}
NUMBER = {"type": "x", "loc": ("kinds", 0), "msg": "Input should be a valid string", "input": 1}
NAMELESS = {"type": "missing", "loc": ("query",), "msg": "Field required", "input": {}}
UNKNOWN = {"type": "extra_forbidden", "loc": ("a\x1bb",), "msg": "Extra inputs are not permitted", "input": "x"}


@each(
    ("problems", "said"),
    [
        ([LONG], f'find: query must have at most 20 characters, not "{"q" * 59}…'),
        ([NAMELESS, UNKNOWN], "find: missing argument query; unexpected argument a\\x1bb; find takes: a, b"),
        ([NUMBER] * 5, "find: " + "kinds[0] must be a valid string, not 1; " * 3 + "and 2 more"),
        ([NUMBER | {"loc": (), "msg": "odd"}], "find: arguments is wrong: odd, not 1"),
    ],
)
def test_refused_arguments_are_one_sentence(problems: list[dict[str, Any]], said: str) -> None:
    assert describe_refused("find", problems, ["b", "a"]) == said
