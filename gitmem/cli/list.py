"""List memories, newest first.

In a pipe: tab-separated key, kind, status, created, title, scope, short id. A check that also holds in an empty folder
proves little: it is marked as weak on a terminal and in --json.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_to_read, print_notices
from gitmem.cli.filters import add_filters, add_stores, parse_query
from gitmem.cli.memory_rows import row_of, row_parts, widths_of
from gitmem.cli.options import add_at, add_json, gone_table, refuse_other_stores
from gitmem.cli.output import Output
from gitmem.document.times import format_time
from gitmem.text.own import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.model import Hit

EXAMPLES = (
    "gitmem list --kind gotcha,pattern",
    "gitmem list --status failed,suspect",
    "gitmem list --tag auth --json",
    "gitmem list --status failed --at v1.2",
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
        query = parse_query(args, memory, limit=EVERY)
        past = memory.at(args.at) if args.at is not None else None
        result = past.list(query) if past else memory.list(query)
        print_notices(memory, out)
        if args.json:
            out.json({"memories": [_table(hit) for hit in result.hits]} | ({"at": past.table()} if past else {}))
        elif out.is_terminal:
            _print_table(result.hits, out, now=memory.repository.now)
        else:
            _print_rows(result.hits, out)
        if not result.hits:
            out.note("no memories found")
        if result.more:
            out.note(own("{} more: --limit {}", result.more, len(result.hits) + result.more))
    return 0 if result.hits else 1


def _table(hit: Hit) -> dict[str, Any]:
    table = {
        "key": hit.key,
        "short_id": hit.short_id,
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


def _print_table(hits: Sequence[Hit], out: Output, *, now: int) -> None:
    rows = [row_of(hit) for hit in hits]
    widths = widths_of(rows, out.width)
    for row in rows:
        out.line(*row_parts(row, widths, now=now))


def _print_rows(hits: Sequence[Hit], out: Output) -> None:
    for h in hits:
        out.row(
            h.reference,
            h.kind,
            h.gone or h.status,
            format_time(h.created) if h.created else "",
            h.title,
            h.scope,
            h.short_id,
        )
