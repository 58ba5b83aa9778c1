"""Find memories about the same subject as a given one, by its most distinctive terms."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory, print_notices
from gitmem.cli.filters import add_filters, parse_query
from gitmem.cli.options import add_json, hit_table, print_hits
from gitmem.cli.output import Output, list_of

EXAMPLES = ("gitmem similar auth-uses-rs256", "gitmem similar auth-uses-rs256 --kind gotcha --limit 3")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``similar``."""
    parser.add_argument("key", help="the memory")
    add_filters(parser)
    parser.add_argument("--explain", action="store_true", help="show the terms, and every factor of the score")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the hits; return 1 if there are none."""
    with open_memory(out) as memory:
        query = parse_query(args, memory, limit=memory.repository.config.recall_limit)
        similar = memory.similar(args.key, query=query)
        result = similar.found
        print_notices(memory, out)
        if args.json:
            hits = [hit_table(hit) for hit in result.hits]
            commit = memory.repository.catalog().meta("commit")
            key, terms = memory.repository.full_key(args.key), list(similar.terms)
            out.json({"key": key, "terms": terms, "commit": commit, "hits": hits, "more": result.more})
        else:
            if args.explain:
                out.line((f"by the terms {list_of(similar.terms)}", "dim"))
            print_hits(memory, result, out, explain=args.explain)
            if not result.hits:
                out.note(f"no memory is similar to {args.key}")
    return 0 if result.hits else 1
