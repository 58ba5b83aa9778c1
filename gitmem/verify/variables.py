"""The environment variables that a fact declares (``env``): passed to its check, and never stored."""

from __future__ import annotations

from gitmem import config
from gitmem.document.variables import is_own_variable
from gitmem.store.verdicts.environment import mark_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Shorter values are ordinary words ("1", "true"): replacing them would only make an output unreadable.
SECRET_LENGTH = 6
# If the beginning of a value is cut off, an ending of at least this length is replaced as well.
SHORTEST_END = 4


def marks_of(names: Iterable[str]) -> dict[str, str]:
    """Return the marks of the present values of variables, by name, for a verdict (``mark_value``)."""
    names = [name for name in names if not is_own_variable(name)]
    values = config.variables(names)
    return {name: mark_value(name, values.get(name)) for name in names}


def without_values(text: str, values: Mapping[str, str], *, is_cut: bool = False) -> str:
    """Replace the values of variables in a check's output by their names.

    A value of several lines is also replaced line by line, because a check may print one of them.

    Args:
        text: The output.
        values: The values by name.
        is_cut: Whether the output is cut at its beginning, possibly inside a value.
    """
    found = {part: name for name, value in values.items() for part in _parts(value)}
    for part in sorted(found, key=len, reverse=True):
        if is_cut:
            at = next((at for at in range(1, len(part) - SHORTEST_END + 1) if text.startswith(part[at:])), 0)
            text = f"[{found[part]}]{text[len(part) - at :]}" if at else text
        text = text.replace(part, f"[{found[part]}]")
    return text


def contains_value(text: str, values: Mapping[str, str]) -> bool:
    """Return whether a text contains a value, or a line of one."""
    return any(part in text for value in values.values() for part in _parts(value))


def _parts(value: str) -> set[str]:
    parts = {value, value.strip(), *(line.strip() for line in value.splitlines())}
    return {part for part in parts if len(part) >= SECRET_LENGTH}
