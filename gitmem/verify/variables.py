"""The environment variables that a fact declares (``env``): their values for its check, never for what is kept."""

from __future__ import annotations

from gitmem import config
from gitmem.document.fields import is_own_variable
from gitmem.store.environment import mark_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Values shorter than this are words of any output ("1", "true"): replacing them would only make it unreadable.
SECRET_LENGTH = 6
# Of a value whose beginning was cut off, an end this long is replaced as well.
SHORTEST_END = 4


def marks_of(names: Iterable[str]) -> dict[str, str]:
    """Return what a verdict says of the values that variables have here, by name (``mark_value``)."""
    names = [name for name in names if not is_own_variable(name)]
    values = config.variables(names)
    return {name: mark_value(name, values.get(name)) for name in names}


def without_values(text: str, values: Mapping[str, str], *, is_cut: bool = False) -> str:
    """Return a check's output with the values of its variables replaced by their names.

    A value of several lines is replaced line by line, because a check may print one of them.

    Args:
        text: The output.
        values: The values by name.
        is_cut: Whether the beginning of the output is missing, which may be the beginning of a value.
    """
    found = {part: name for name, value in values.items() for part in _parts(value)}
    for part in sorted(found, key=len, reverse=True):
        if is_cut:
            at = next((at for at in range(1, len(part) - SHORTEST_END + 1) if text.startswith(part[at:])), 0)
            text = f"[{found[part]}]{text[len(part) - at :]}" if at else text
        text = text.replace(part, f"[{found[part]}]")
    return text


def is_told(text: str, values: Mapping[str, str]) -> bool:
    """Return whether a text has a value, or a line of one."""
    return any(part in text for value in values.values() for part in _parts(value))


def _parts(value: str) -> set[str]:
    parts = {value, value.strip(), *(line.strip() for line in value.splitlines())}
    return {part for part in parts if len(part) >= SECRET_LENGTH}
