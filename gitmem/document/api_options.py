"""Named options of the Python API: each group is a typed table. Unknown names, and texts for lists, are refused.

``TypedDict`` is that of ``typing`` for type checkers. At run time it only collects names and types, because importing
``typing`` costs 0.4 of a bare Python start, and hooks also pass options.
"""

from __future__ import annotations

from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypedDict
else:

    class TypedDict:
        """A table of options: its annotations are their names and types."""

        def __init_subclass__(cls, *, total=True):
            """Collect the types by name, those of the tables that it extends first."""
            cls.types = {}
            for base in cls.__bases__:
                cls.types |= vars(base).get("types", {})
            cls.types |= cls.__annotations__


__all__ = ("TypedDict", "names_of", "refuse_wrong", "set_values")


def names_of(table: type) -> tuple[str, ...]:
    """Return the names of a table's options, those of the tables that it extends first."""
    return tuple(_types_of(table))


def _types_of(table: type) -> dict[str, str]:
    types: dict[str, str] = vars(table)["types"]
    return types


def refuse_wrong(given: Mapping[str, Any], table: type, *, what: str) -> None:
    """Refuse a name that is not in the table, and a text for a list: each of its letters would be a member.

    Args:
        given: The options.
        table: The table of those that there are.
        what: What takes them, such as ``Memory.remember``.

    Raises:
        UsageError: A name is unknown, and the hint is the nearest one; or a list is a text.
    """
    known = _types_of(table)
    for name, value in given.items():
        if isinstance(value, str) and known.get(name, "").startswith("Sequence["):
            raise UsageError(f"{what}: {name} is a list", hint=f"{name}=[{value!r}]")
    wrong = next((name for name in given if name not in known), None)
    if wrong is None:
        return
    from difflib import get_close_matches  # 3 ms, and only for this error

    near = get_close_matches(wrong, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(sorted(known))}"
    raise UsageError(f"{what} takes no {wrong!r}", hint=hint)


def set_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are set to something."""
    return {name: value for name, value in given.items() if value not in (None, "", [], ())}
