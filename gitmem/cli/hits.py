"""Print hits on a terminal: keys with their unique beginnings marked, matches, and the factors of their scores."""

from __future__ import annotations

from gitmem.cli.output import Output, list_of, shorten
from gitmem.index.catalog import keys as catalog_keys
from gitmem.model import FACTORS
from gitmem.statuses import MARKS
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.memory import Memory
    from gitmem.model import Hit
    from gitmem.recall import RecallResult


def print_hits(memory: Memory, found: RecallResult, out: Output, *, explain: bool) -> None:
    """Print hits on a terminal: two lines each, and at the end the factors if *explain* says so."""
    lengths = unique_lengths(memory, (hit.key for hit in found.hits if hit.scope == PROJECT))
    for hit in found.hits:
        print_hit(hit, out, lengths.get(hit.reference, 0))
    if explain:
        _print_factors([hit for hit in found.hits if hit.factors], out)
    if found.more:
        out.line((f"… and {found.more} more: --limit {len(found.hits) + found.more}", "dim"))


def unique_lengths(memory: Memory, keys: Iterable[str]) -> dict[str, int]:
    """Return the lengths of the shortest unique prefixes of some keys of the project."""
    wanted = [*keys]
    if not wanted or not memory.repository.find_tip():
        return {}
    return catalog_keys.unique_lengths(memory.repository.catalog(), wanted)


def key_parts(shown: str, length: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return a key in two parts, its unique prefix marked; *length* is 0 if that is unknown."""
    length = min(length, len(shown.rstrip()))
    return (shown[:length], "prefix"), (shown[length:], "key")


def print_hit(hit: Hit, out: Output, length: int = 0) -> None:
    """Print a hit for people: its key, its title and, if that adds something, a line of its text.

    Args:
        hit: The hit.
        out: The output.
        length: The length of the key's unique prefix, which is marked; 0 if unknown.
    """
    mark = MARKS.get(hit.status, " ")
    old = f" ({hit.gone})" if hit.gone else ""
    old += f", {hit.scope}" if hit.scope != PROJECT else ""
    about = (f"{hit.kind}{_status_suffix(hit.status)}{old}", "dim")
    out.line((mark, hit.status), " ", *key_parts(hit.reference, length), "  ", about)
    out.line("  ", (shorten(hit.title, out.width - 2), "bold"))
    if hit.snippet and not hit.snippet.startswith(hit.title):
        out.line("  ", *match_parts(hit.snippet, hit.matches, out.width - 2))


def _print_factors(hits: Sequence[Hit], out: Output) -> None:
    """Print the factors of each score as a table, without factors that are 1 for all."""
    if not hits:
        return
    known = dict(hits[0].factors)
    moved = [name for name in known if any(dict(hit.factors)[name] != 1 for hit in hits)]
    made_of = [name for name, _ in hits[0].sources]
    widths = {name: max(len(name), 6) for name in ("score", *moved, *made_of)}
    out.line()
    out.line((" ".join(f"{name:>{width}}" for name, width in widths.items()) + "  memory", "bold"))
    for hit in hits:
        values = dict.fromkeys(widths, 0.0) | {"score": hit.score, **dict(hit.factors), **dict(hit.sources)}
        row = " ".join(f"{values[name]:>{width}.3g}" for name, width in widths.items())
        out.line(row, "  ", (shorten(hit.reference, max(12, out.width - len(row) - 2)), "key"))
    idle = [name for name in known if name not in moved]
    off = [name for name in FACTORS if name not in known]
    lines = [f"1 (no effect): {list_of(idle)}"] if idle else []
    lines += [f"switched off: {list_of(off)}"] if off else []
    lines += ["relevance is the weighted sum of lexical and dense"] if made_of else []
    if lines:
        out.line(("; ".join(lines), "dim"))


def match_parts(snippet: str, matches: Sequence[tuple[int, int]], width: int) -> list[tuple[str, str]]:
    """Return at most *width* columns of a snippet in parts with their styles.

    If the first match would not fit, the text begins a third of the line before it.
    """
    start = matches[0][0] - width // 3 if matches and matches[0][1] > width - 1 else 0
    start = min(snippet.find(" ", start) + 1, matches[0][0]) if start > 0 else 0
    head = "…" if start else ""
    end = start + width - len(head)
    end, tail = (len(snippet), "") if end >= len(snippet) else (end - 1, "…")
    parts, at = [(head, "dim")], start
    for first, last in matches:
        if at <= first < end:
            parts += [(snippet[at:first], "dim"), (snippet[first : min(last, end)], "match")]
            at = min(last, end)
    return [part for part in (*parts, (snippet[at:end] + tail, "dim")) if part[0]]


def _status_suffix(status: str) -> str:
    return f", {status}" if status else ""
