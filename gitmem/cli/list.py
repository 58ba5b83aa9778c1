"""List memories, newest first.

In a pipe: one line each, with tab-separated cells (key, kind, status, created, title, scope). A check that also holds
in an empty folder proves little: it is marked as weak on a terminal and in --json.
"""

from __future__ import annotations

from gitmem.cli.hits import key_parts, unique_lengths
from gitmem.cli.options import (
    ArgumentParser,
    Arguments,
    add_at,
    add_filters,
    add_json,
    add_stores,
    gone_table,
    open_to_read,
    print_notices,
    query_of,
    refuse_other_stores,
)
from gitmem.cli.output import Output, shorten
from gitmem.document.times import format_time
from gitmem.statuses import MARKS
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.model import Hit

EXAMPLES = (
    "gitmem list --kind gotcha,pattern",
    "gitmem list --status failed,suspect",
    "gitmem list --tag auth --json",
    "gitmem list --all | wc -l",
    "gitmem list --status failed --at v1.2",
    "gitmem list --store api",
    "gitmem list --task AUTH-12",
    "gitmem list --role reviewer --by ana",
)
EVERY = 1_000_000


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``list``."""
    add_filters(parser)
    add_stores(parser)
    add_at(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print memories; return 1 if there are none."""
    if args.at is not None:
        refuse_other_stores(args)
    with open_to_read(out) as memory:
        query = query_of(args, memory, limit=EVERY)
        past = memory.at(args.at) if args.at is not None else None
        found = past.list(query) if past else memory.list(query)
        print_notices(memory, out)
        lengths = unique_lengths(memory, (h.key for h in found.hits if h.scope == PROJECT and out.is_terminal))
        if args.json:
            out.json({"memories": [_table(hit) for hit in found.hits]} | ({"at": past.table()} if past else {}))
        elif out.is_terminal:
            _print_table(found.hits, out, lengths)
        else:
            _print_rows(found.hits, out)
        if not found.hits:
            out.note("no memories found")
        if found.more:
            out.note(f"{found.more} more: --limit {len(found.hits) + found.more}")
    return 0 if found.hits else 1


def _table(hit: Hit) -> dict[str, Any]:
    table = {
        "key": hit.key,
        "kind": hit.kind,
        "title": hit.title,
        "status": hit.status,
        "created": format_time(hit.created) if hit.created else "",
        "tags": list(hit.tags),
        "refs": list(hit.refs),
        "scope": hit.scope,
        "store": hit.store,
        "weak": hit.weak,
        **gone_table(hit),
    }
    return table | ({"flapping": hit.flapping} if hit.flapping else {}) | ({"moved": True} if hit.moved else {})


def _print_table(hits: Sequence[Hit], out: Output, lengths: Mapping[str, int]) -> None:
    wide = min(44, max((len(h.reference) for h in hits), default=0))
    kinds = max((len(h.kind) for h in hits), default=0)
    for h in hits:
        key = shorten(h.reference, wide).ljust(wide)
        room = out.width - wide - kinds - 7
        title = shorten(h.title, max(20, room)) + (f" ({h.gone})" if h.gone else "")
        title += f" ({h.scope})" if h.scope != PROJECT else ""
        title += " (flapping)" if h.flapping else ""
        title += " (moved)" if h.moved else ""
        mark, kind = (MARKS.get(h.status, " "), h.status), (h.kind.ljust(kinds), "dim")
        named = key_parts(key, lengths.get(h.reference, 0) if h.scope == PROJECT else 0)
        out.line(mark, " ", *named, "  ", kind, "  ", title, (" (weak)" if h.weak else "", "yellow"))


def _print_rows(hits: Sequence[Hit], out: Output) -> None:
    for h in hits:
        out.row(h.reference, h.kind, h.gone or h.status, format_time(h.created) if h.created else "", h.title, h.scope)
