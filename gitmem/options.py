"""Named options of the Python API: each group is a typed table, and a name that is not in it is refused.

``TypedDict`` is that of ``typing`` for type checkers. At run time it only collects the names, because importing
``typing`` costs 0.4 of a bare Python start, and hooks pass options too.
"""

from __future__ import annotations

from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypedDict
else:

    class TypedDict:
        """A table of options: its annotations are their names and types."""

        names = ()

        def __init_subclass__(cls, *, total=True):
            """Collect the names, those of the tables that it extends first."""
            cls.names = (*(name for base in cls.__bases__ for name in base.names), *cls.__annotations__)


__all__ = ("TypedDict", "names_of", "refuse_unknown", "set_values")


def names_of(table: type) -> tuple[str, ...]:
    """Return the names of a table's options, those of the tables that it extends first."""
    names: tuple[str, ...] = vars(table)["names"]
    return names


def refuse_unknown(given: Iterable[str], *tables: type, what: str) -> None:
    """Refuse a name that is in none of the tables.

    Args:
        given: The names.
        tables: The tables of options.
        what: What takes them, such as ``Memory.remember``.

    Raises:
        UsageError: A name is unknown; the hint is the nearest one.
    """
    known = [name for table in tables for name in names_of(table)]
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
