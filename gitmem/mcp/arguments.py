"""Say what is wrong with the arguments of a tool: which one, what it must be, and what came."""

from __future__ import annotations

import json

from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# How many problems are named, and how much of a value.
PROBLEMS_SHOWN, VALUE_CHARS = 3, 60
MISSING, UNKNOWN = "missing", "extra_forbidden"


def describe_refused(tool: str, problems: Sequence[Mapping[str, Any]], takes: Sequence[str]) -> str:
    """Return one sentence about refused arguments.

    Args:
        tool: The tool.
        problems: pydantic's errors (its ``ValidationError.errors``); at least one.
        takes: The names of the tool's arguments.
    """
    parts = [_describe(problem) for problem in problems[:PROBLEMS_SHOWN]]
    parts += [f"and {len(problems) - PROBLEMS_SHOWN} more"] if len(problems) > PROBLEMS_SHOWN else []
    if any(problem["type"] in (MISSING, UNKNOWN) for problem in problems):
        parts.append(f"{tool} takes: {', '.join(sorted(takes))}")
    return f"{tool}: {'; '.join(parts)}"


def _describe(problem: Mapping[str, Any]) -> str:
    first, *rest = problem["loc"] or ("arguments",)
    name = display(f"{first}{''.join(f'[{part}]' for part in rest)}")[:VALUE_CHARS]
    if problem["type"] == UNKNOWN:
        return f"unexpected argument {name}"
    if problem["type"] == MISSING:
        return f"missing argument {name}"
    # "Input should be a valid integer, unable to parse string as an integer", "String should have at most 9 characters"
    _, _, expected = str(problem["msg"]).partition(" should ")
    wanted = f"must {expected.partition(', unable')[0]}" if expected else f"is wrong: {problem['msg']}"
    came = display(json.dumps(problem["input"], ensure_ascii=False, default=str))
    came = came if len(came) <= VALUE_CHARS else f"{came[:VALUE_CHARS]}…"
    return f"{name} {wanted}, not {came}"
