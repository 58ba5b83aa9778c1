"""Print hits on a terminal: a row each, the matches in their texts, and the factors of their scores."""

from __future__ import annotations

from gitmem.cli.memory_rows import ListedMemory, RowWidths, row_of, row_parts, widths_of
from gitmem.cli.output import Output, list_of, shorten
from gitmem.model import FACTORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.memory import Memory
    from gitmem.model import Hit
    from gitmem.recall.query import RecallResult


def print_hits(memory: Memory, result: RecallResult, out: Output, *, explain: bool) -> None:
    """Print hits on a terminal: two lines each, and at the end the factors if *explain* says so."""
    rows = [row_of(hit) for hit in result.hits]
    widths = widths_of(rows, out.width)
    for hit, row in zip(result.hits, rows, strict=True):
        print_hit(hit, row, widths, out, now=memory.repository.now)
    if explain:
        _print_factors([hit for hit in result.hits if hit.factors], out)
    if result.more:
        out.line((f"… and {result.more} more: --limit {len(result.hits) + result.more}", "dim"))


def print_hit(hit: Hit, row: ListedMemory, widths: RowWidths, out: Output, *, now: int) -> None:
    """Print a hit for people: its row and, if that adds something, a line of its text."""
    out.line(*row_parts(row, widths, now=now, style="bold"))
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
