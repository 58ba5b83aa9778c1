"""The memories as HTML: a line for each, which opens to show all its details. Pure."""

from __future__ import annotations

from gitmem.commands.report.page import markup
from gitmem.commands.report.page.model import LIVE
from gitmem.document.fields import format_time
from gitmem.frozen import frozen
from gitmem.model import STATUSES
from gitmem.statuses import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.commands.report.page.model import Page, PageMemory

# Letters of a commit's name.
SHORT = 12


@frozen
class Shelf:
    """The memories of a page, and how they hang together.

    Attributes:
        entries: Each by its key.
        needs: For each that rests on others: their keys.
        needed: For each that others rest on: their keys.
    """

    entries: Mapping[str, PageMemory]
    needs: Mapping[str, tuple[str, ...]]
    needed: Mapping[str, tuple[str, ...]]


def shelve(page: Page) -> Shelf:
    """Return the memories of a page by key, with their links both ways."""
    needs: dict[str, list[str]] = {}
    needed: dict[str, list[str]] = {}
    for one, other in page.links:
        needs.setdefault(other, []).append(one)
        needed.setdefault(one, []).append(other)
    return Shelf(
        {entry.key: entry for entry in page.entries},
        {key: tuple(keys) for key, keys in needs.items()},
        {key: tuple(keys) for key, keys in needed.items()},
    )


def mark(status: str, *, named: bool = True) -> str:
    """Return the sign of a status; its name is for those who do not see it."""
    if not status:
        return '<i class="mark plain" aria-hidden="true"></i>'
    said = f'<span class="vh">{status}: </span>' if named else ""
    return f'<i class="mark {status}" aria-hidden="true">{MARKS[status]}</i>{said}'


def time(at: int) -> str:
    """Return a date and time of epoch seconds, in UTC."""
    if not at:
        return ""
    text = format_time(at)
    return f'<time datetime="{text}">{text[:10]} {text[11:16]}</time>'


def day(at: int) -> str:
    """Return the day of epoch seconds, in UTC."""
    return format_time(at)[:10] if at else ""


def commit(name: str) -> str:
    """Return the short name of a commit."""
    return f"<code>{markup.line(name[:SHORT])}</code>" if name else ""


def link(key: str, shelf: Shelf) -> str:
    """Return a link to a memory with its sign and title; its key alone where the page does not have it."""
    entry = shelf.entries.get(key)
    if entry is None:
        return f"<code>{markup.line(key)}</code>"
    return f'<a href="#{key}">{mark(entry.status)}<span dir="auto">{markup.line(entry.title)}</span></a>'


def listing(page: Page, shelf: Shelf) -> str:
    """Return all memories by kind, the newest first; what is retired or superseded apart, at the end."""
    keys = frozenset(shelf.entries)
    kinds: dict[str, list[PageMemory]] = {}
    old: list[PageMemory] = []
    for entry in page.entries:
        (kinds.setdefault(entry.kind, []) if entry.place == LIVE else old).append(entry)
    parts = []
    for kind in sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind)):
        lines = "".join(memory(entry, shelf, keys) for entry in sorted(kinds[kind], key=_what_is_bad_first))
        parts.append(f'<section class="kind"><h3>{_kind(kind)} <small>{len(kinds[kind])}</small></h3>{lines}</section>')
    if old:
        lines = "".join(memory(entry, shelf, keys) for entry in old)
        parts.append(
            f'<details class="old"><summary><h3>Retired, superseded or expired <small>{len(old)}</small></h3></summary>'
            f"{lines}</details>"
        )
    return "".join(parts)


def _kind(kind: str) -> str:
    return markup.line(kind.replace("_", " "))


def _what_is_bad_first(entry: PageMemory) -> int:
    return STATUSES.index(entry.status) if entry.status and entry.status != "verified" else len(STATUSES)


def memory(entry: PageMemory, shelf: Shelf, keys: frozenset[str]) -> str:
    """Return one memory: a line, and behind it its text and what is known of it."""
    place = f' data-place="{entry.place}"' if entry.place != LIVE else ""
    status = f' data-status="{entry.status}"' if entry.status else ""
    gone = f"<em>{entry.place}</em>" if entry.place != LIVE else ""
    state = f"<em>{markup.line(entry.state)}</em>" if entry.state else ""
    head = (
        f'<details class="memory" id="{entry.key}" data-kind="{markup.line(entry.kind)}"{status}{place}><summary>'
        f'{mark(entry.status)}<b class="t" dir="auto">{markup.line(entry.title)}</b>{gone}{state}'
        f"<code>{entry.key}</code></summary>"
    )
    return f'{head}<div class="in">{_because(entry)}{_body(entry, keys)}{_fields(entry, shelf)}</div></details>'


def _because(entry: PageMemory) -> str:
    said = [markup.line(part) for part in (entry.why, entry.broken) if part]
    if entry.flapping:
        said.append("its check gives different answers on the same code")
    if entry.weak:
        said.append("weak: its check also holds in an empty folder")
    return f'<p class="why {entry.status or "plain"}">{"; ".join(said)}</p>' if said else ""


def _body(entry: PageMemory, keys: frozenset[str]) -> str:
    if not entry.body:
        return ""
    more = f'<p class="cut">… and {entry.cut} characters more: <code>gitmem show {entry.key}</code></p>'
    return f'<div class="b" dir="auto">{markup.body(entry.body, keys)}</div>{more if entry.cut else ""}'


def _fields(entry: PageMemory, shelf: Shelf) -> str:
    """Return what is known of a memory as a list of terms."""
    rows = [("Proved by", f"<code>{markup.line(entry.check)}</code>" if entry.check else "")]
    at = f" at {commit(entry.judged_at)}" if entry.judged_at else ""
    rows.append(("Judged", f"{time(entry.judged)}{at}" if entry.judged else ""))
    rows.append(("Last held at", commit(entry.held)))
    rows.append(("Tags", _words(entry.tags, "tags")))
    rows.append(("About", _words(entry.paths, "paths")))
    rows.append(("See", _refs(entry.refs)))
    rows.append(("Rests on", _links(_needed_by(entry, shelf), shelf, "needs")))
    rows.append(("Memories that rest on it", _links(shelf.needed.get(entry.key, ()), shelf, "needed")))
    rows.append(("Provides", _words(entry.produces, "")))
    rows.append(("Superseded by", link(entry.superseded_by, shelf) if entry.superseded_by else ""))
    who = f" by {markup.line(entry.by)}" if entry.by else ""
    rows.append(("Written", f"{day(entry.created)}{who}".strip()))
    message = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows if value)
    return f"<dl>{message}</dl>" if message else ""


def _needed_by(entry: PageMemory, shelf: Shelf) -> Sequence[str]:
    """Return what a memory rests on; what it names and nobody has, as it names it."""
    found = shelf.needs.get(entry.key, ())
    provided = {label for key in found for label in (key, *shelf.entries[key].produces)}
    return (*found, *(name for name in entry.requires if name not in provided))


def _links(keys: Sequence[str], shelf: Shelf, name: str) -> str:
    items = "".join(f"<li>{link(key, shelf)}</li>" for key in keys)
    return f'<ul class="{name}">{items}</ul>' if items else ""


def _words(values: Sequence[str], name: str) -> str:
    shown = " ".join(f"<code>{markup.line(value)}</code>" for value in values)
    return f'<span class="{name}">{shown}</span>' if name and shown else shown


def _refs(values: Sequence[str]) -> str:
    return " ".join(markup.body(value).removeprefix("<p>").removesuffix("</p>") for value in values)
