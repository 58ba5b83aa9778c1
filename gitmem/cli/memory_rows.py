"""One line for each memory of a list: its title, then status or kind, age, short id, and last its key."""

from __future__ import annotations

from gitmem.cli.columns import width_of
from gitmem.cli.output import shorten
from gitmem.frozen import frozen
from gitmem.statuses import MARKS
from gitmem.store.scopes import PROJECT
from gitmem.text.durations import ago

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.model import Hit

# A key is left out where it would get fewer columns than this.
KEY = 8
STATE, AGE, GAP = 12, 4, 2
MINUTE_S = 60


@frozen
class ListedMemory:
    """One memory of a list.

    Attributes:
        title: Its title.
        note: What to say after the title, in parentheses; or empty.
        state: Its mark and status, or its kind if it has no status.
        style: The style of that.
        created: Epoch seconds; 0 if unknown.
        short_id: Its short id.
        key: Its key, after the name of another repository's store.
    """

    title: str
    note: str
    state: str
    style: str
    created: int
    short_id: str
    key: str


@frozen
class RowWidths:
    """The columns of a list; 0 for a column that is left out."""

    title: int
    state: int
    short_id: int
    key: int


def row_of(hit: Hit) -> ListedMemory:
    """Return the row of a hit."""
    notes = [hit.gone, hit.scope if hit.scope != PROJECT else ""]
    notes += ["flapping" if hit.flapping else "", "moved" if hit.moved else "", "weak" if hit.weak else ""]
    note = ", ".join(filter(None, notes))
    state, style = (f"{MARKS[hit.status]} {hit.status}", hit.status) if hit.status else (hit.kind, "dim")
    return ListedMemory(hit.title, note, state, style, hit.created, hit.short_id, hit.reference)


def widths_of(rows: Sequence[ListedMemory], width: int) -> RowWidths:
    """Return the columns for some rows on a screen of *width* columns: keys are cut first, then titles."""

    def longest(texts: Sequence[str], most: int) -> int:
        return min(most, max(map(width_of, texts), default=0))

    state, short_id = longest([row.state for row in rows], STATE), longest([row.short_id for row in rows], width)
    room = width - state - AGE - short_id - 3 * GAP
    title = longest([_title(row) for row in rows], room)
    whole = longest([row.key for row in rows], width)
    key = min(whole, room - title - GAP)
    return RowWidths(title, state, short_id, key if key >= min(whole, KEY) else 0)


def row_parts(row: ListedMemory, widths: RowWidths, *, now: int, style: str = "") -> list[tuple[str, str]]:
    """Return the parts of a row with their styles; *style* is that of the title."""
    seconds = max(0, now - row.created)
    age = ("now" if seconds < MINUTE_S else ago(seconds)) if row.created else ""
    note = f" ({row.note})" if row.note else ""
    title = shorten(row.title, widths.title - len(note)) + note
    parts = [(_pad(title, widths.title), style), (_pad(shorten(row.state, widths.state), widths.state), row.style)]
    parts += [(age.rjust(AGE), "dim"), (row.short_id.ljust(widths.short_id), "key")]
    parts += [(shorten(row.key, widths.key), "dim")] if widths.key else []
    spaced = [piece for part in parts for piece in (part, (" " * GAP, ""))][:-1]
    *rest, (last, its) = spaced
    return [*rest, (last.rstrip(), its)]


def _title(row: ListedMemory) -> str:
    return " ".join(row.title.split()) + (f" ({row.note})" if row.note else "")


def _pad(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))
