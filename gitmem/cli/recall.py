"""Find memories that answer a question. Any words, paths or identifiers work; nothing you type is treated as syntax.

With --syntax, the query language applies: fields (kind: tag: key: title: body: path: status: task: by: created:),
"exact phrases", AND, OR, NOT, -word, wild*cards, nearly~ for similar spellings, ranges such as created:[2026-01 to].
Adjacent words must all match.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_to_read, print_notices
from gitmem.cli.filters import add_filters, add_stores, parse_query
from gitmem.cli.options import add_at, add_json, hit_table, output_options, positive, print_hits
from gitmem.cli.output import Output, quantity
from gitmem.cli.paths import code_path
from gitmem.commands.recall import count_recall
from gitmem.config import variable
from gitmem.errors import UsageError
from gitmem.frozen import replace
from gitmem.model import ADOPTED, FACTORS
from gitmem.text.own import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.commands.time_travel.snapshot import Past
    from gitmem.hub.client import HubAnswer
    from gitmem.memory import Memory
    from gitmem.model import Hit
    from gitmem.recall.query import Query, RecallResult

EXAMPLES = (
    "gitmem recall how are auth tokens signed",
    "gitmem recall --recent 5",
    "gitmem recall --near src/auth/jwt.py",
    "gitmem recall --syntax 'kind:gotcha created:[2026-01 to] autentication~ -legacy'",
    "gitmem recall retries --store api",
    "gitmem recall retries --task AUTH-12 --by ana",
    "gitmem recall retries of the gateway --source github",
    "gitmem recall how do retries work --work --strict",
    "gitmem recall token lifetime --explain --without recency,access",
    "gitmem recall retries of the gateway --hub https://hub.example.org --repository payments/api",
    "gitmem recall retries of the gateway --at v1.2",
)

ADOPTED_ONLY = own("claims of adopted documents, which recall leaves out while they hold (--kind claim finds them):")
NEAR_MISSES = own("near misses, which do not match the question as asked:")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``recall``."""
    parser.add_argument("query", nargs="*", help="the question, in your own words")
    parser.add_argument(
        "--syntax", action="store_true", help="treat the question as an expression of the query language; quote it"
    )
    add_filters(parser)
    add_stores(parser)
    parser.add_argument("--recent", type=positive, metavar="N", help="show the N newest memories")
    parser.add_argument("--stats", action="store_true", help="show the number of memories of each kind")
    about = "leave out failed, suspect, stale and unproven memories, and say how many"
    parser.add_argument_group("which memories").add_argument("--strict", action="store_true", help=about)
    ranking = parser.add_argument_group("ranking")
    about = (
        "prefer memories about this file or folder, or linked to one; without a question, show those about this file"
    )
    ranking.add_argument("--near", action="append", default=[], type=code_path, metavar="PATH", help=about)
    about = "prefer memories about files changed on this branch and tasks you hold"
    ranking.add_argument("--work", action="store_true", help=about)
    about = f"leave out factors of the score: {', '.join(FACTORS)}; or all"
    ranking.add_argument("--without", action="append", default=[], metavar="FACTOR", help=about)
    which = parser.add_argument_group("which memories")
    about = "also search the repositories of this hub (gitmem.hub); off: do not"
    which.add_argument("--hub", default="", metavar="URL", help=about)
    about = "only the hub's memories of this repository"
    which.add_argument("--repository", action="append", default=[], metavar="NAME", help=about)
    about = "only the hub's memories in this language: english,german"
    which.add_argument("--language", action="append", default=[], metavar="NAME", help=about)
    ranking.add_argument("--lexical", action="store_true", help="search by words only, not by meaning (gitmem embed)")
    output_options(parser).add_argument("--explain", action="store_true", help="show every factor of the score")
    add_at(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the hits; return 1 if there are none, 3 if not all memories could be searched for them."""
    query = " ".join(args.query)
    is_near = bool(args.near) and not query.strip() and not args.recent and not args.stats
    if bool(query.strip()) + bool(args.recent) + args.stats + is_near != 1:
        raise UsageError("give one of: a question, --near FILE, --recent N, --stats", hint="gitmem recall WORDS…")
    if args.syntax and not query.strip():
        raise UsageError("--syntax needs a question", hint="gitmem recall --syntax 'kind:gotcha auth~'")
    for name in ("store", "source"):
        if getattr(args, name) and (args.syntax or args.stats or args.at is not None):
            raise UsageError(f"--{name} works only with a plain question or --recent N", hint="gitmem recall WORDS…")
    with open_to_read(out) as memory:
        if args.stats:
            return _statistics(memory, args, out)
        if args.recent:
            args.limit = args.limit or args.recent
        question = _parse_query(args, memory, query)
        past = memory.at(args.at) if args.at is not None else None
        if is_near and past:
            raise UsageError(
                "--near without a question shows the present memories", hint="gitmem recall WORDS… --at REV"
            )
        result = _about_files(memory, question) if is_near else (past or memory).recall(question)
        print_notices(memory, out)
        others = None if past or args.syntax or not query else _ask_hub(args, memory, question)
        if args.repository or args.language:
            result = replace(result, hits=(), near=(), more=0, withheld=())
        if others:
            result, others = _within(result, others, question.limit)
        if query and not past:
            count_recall(memory.repository, result)
        if args.json:
            out.json(_document(args, memory, result, past) | _hub_table(others))
        else:
            _print_found(args, memory, result, others, out)
    return 0 if others and others.hits else _status(result)


def _about_files(memory: Memory, question: Query) -> RecallResult:
    """Return the memories about the files that a question without words is near."""
    from gitmem.commands.context.about_files import about_files

    return about_files(memory.repository, question)


def _print_found(args: Arguments, memory: Memory, result: RecallResult, others: HubAnswer | None, out: Output) -> None:
    """Print the hits that are here, those of a hub, and what a reader should know about them."""
    print_hits(memory, result, out, explain=args.explain)
    if others:
        _print_hub(others, out)
    if not result.hits and not (others and others.hits):
        out.note(_describe_nothing(" ".join(args.query), result))
        _print_near(result, out)
    if result.withheld:
        out.note(_describe_withheld(result))


def _document(args: Arguments, memory: Memory, result: RecallResult, past: Past | None) -> dict[str, Any]:
    """Return the result as documented JSON."""
    hits = [hit_table(hit) | (_factors(hit) if args.explain else {}) for hit in result.hits]
    commit = memory.repository.catalog().meta("commit") if memory.repository.has_store() and not past else ""
    commit = past.commit if past else commit
    document: dict[str, Any] = {"query": " ".join(args.query), "commit": commit, "hits": hits, "more": result.more}
    document |= {"at": past.table()} if past else {}
    document |= {"withheld": dict(result.withheld)} if args.strict else {}
    document |= {"behind": result.behind} if result.behind else {}
    document |= {"suggestion": result.suggestion} if result.suggestion else {}
    return document | ({"near": [hit_table(hit) for hit in result.near]} if result.near else {})


def _ask_hub(args: Arguments, memory: Memory, question: Query) -> HubAnswer | None:
    """Return what the hub that is set up finds; None if there is none, or a filter means only memories from here."""
    site: str = args.hub or memory.repository.config.hub
    is_set = site not in ("", "off")
    if (args.repository or args.language) and not is_set:
        raise UsageError("--repository and --language filter a hub's memories, and none is set", hint="--hub URL")
    if not is_set or any(getattr(question, name) for name in _ONLY_HERE):
        return None
    from gitmem.hub import client

    parameters = [("q", question.text), ("limit", str(min(question.limit, 100)))]
    filters = {"kind": question.kinds, "status": question.statuses, "owner": question.by}
    filters |= {"repository": args.repository, "language": args.language}
    parameters += [(name, value) for name, values in filters.items() for value in values]
    return client.ask(site, parameters, token=variable("GITMEM_HUB_TOKEN"))


# Filters that a hub does not have.
_ONLY_HERE = (
    *("collections", "tags", "paths", "tasks", "named_domains", "workspaces", "everything", "scopes", "sources"),
    *("stores", "strict"),
)


def _within(result: RecallResult, others: HubAnswer, limit: int) -> tuple[RecallResult, HubAnswer]:
    """Return both results within one limit: the hub's hits get the places that are left, and up to half of all."""
    theirs = others.hits[: max(limit - len(result.hits), limit // 2)]
    own_limit = limit - len(theirs)
    more = result.more + max(0, len(result.hits) - own_limit)
    return replace(result, hits=result.hits[:own_limit], more=more), replace(others, hits=theirs)


def _hub_table(others: HubAnswer | None) -> dict[str, Any]:
    """Return a hub's answer as documented JSON; empty if no hub was searched."""
    if others is None:
        return {}
    names = ("key", "kind", "title", "status", "score", "snippet")
    hits = [{"repository": hit.repository_name} | {name: getattr(hit, name) for name in names} for hit in others.hits]
    return {"hub": {"hits": hits, "problem": others.problem}}


def _print_hub(others: HubAnswer, out: Output) -> None:
    """Print what a hub found, after the memories that are here, or one line about why it did not answer."""
    if others.problem:
        out.note(f"the hub was not searched: {others.problem}")
    for hit in others.hits:
        if not out.is_terminal:
            out.row(f"{hit.repository_name}:{hit.key}", hit.kind, hit.status, hit.title, hit.snippet, "hub")
            continue
        out.line((f"{hit.repository_name}:{hit.key}", "key"), f"  {hit.title}  ", (hit.status or hit.kind, "dim"))
        if hit.snippet:
            out.line("  ", (hit.snippet, "dim"))


def _status(result: RecallResult) -> int:
    if result.hits:
        return 0
    return 3 if result.behind else 1


def _describe_nothing(query: str, result: RecallResult) -> str:
    """Return a line that nothing was found, and what may help."""
    from gitmem.recall.ranker import may_name_time

    meant = f"; did you mean {result.suggestion!r}?" if result.suggestion else ""
    where = " in the memories that could be searched" if result.behind else ""
    if query and not meant and may_name_time(query):  # its words are not those of any memory: it may ask for the newest
        meant = "; the newest memories: gitmem recall --recent 10"
    return f"nothing found for {query!r}{where}{meant}" if query else f"nothing found{where}"


def _print_near(result: RecallResult, out: Output) -> None:
    """Print near misses on standard error, so that a program that reads the hits never takes one for a hit."""
    if result.near:
        is_adopted = all(hit.kind == ADOPTED for hit in result.near)
        out.note(ADOPTED_ONLY if is_adopted else NEAR_MISSES)
    for hit in result.near:
        out.note(f"  {hit.reference} ({hit.gone or hit.status or hit.kind}): {hit.title}")


def _parse_query(args: Arguments, memory: Memory, query: str) -> Query:
    """Return the query that was typed.

    Raises:
        UsageError: There is no such factor.
    """
    without = [name for given in args.without for name in given.split(",") if name]
    wrong = [name for name in without if name not in (*FACTORS, "all")]
    if wrong:
        raise UsageError(f"unknown factor: {wrong[0]}", hint=f"choose one of {', '.join(FACTORS)}, or all")
    limit = memory.repository.config.recall_limit
    question: Query = parse_query(args, memory, query=query, limit=limit)
    return replace(
        question,
        syntax=args.syntax,
        lexical=args.lexical,
        strict=args.strict,
        near=tuple(args.near),
        work=args.work,
        near_misses=True,
        without=FACTORS if "all" in without else tuple(without),
    )


def _describe_withheld(result: RecallResult) -> str:
    """Return how many memories were withheld for their status, and how to see them."""
    number = sum(count for _, count in result.withheld)
    message = ", ".join(f"{count} {status}" for status, count in result.withheld)
    which = ",".join(status for status, _ in result.withheld)
    verb = "is" if number == 1 else "are"
    return f"{number} more matches {verb} withheld ({message}); to see them, use --status {which} instead of --strict"


def _factors(hit: Hit) -> dict[str, Any]:
    values = {"factors": dict(hit.factors)}
    return values | ({"sources": dict(hit.sources)} if hit.sources else {})


def _statistics(memory: Memory, args: Arguments, out: Output) -> int:
    counts = (memory.at(args.at).statistics() if args.at is not None else memory.index.statistics()).document
    print_notices(memory, out)
    if args.json:
        out.json(counts)
        return 0
    out.line((quantity(int(str(counts["total"])), "memory", "memories"), "bold"))
    for kind, number in dict(counts["kinds"]).items():
        out.line(f"  {number:>7}  {kind}")
    others = [f"{number} {scope}" for scope, number in dict(counts["scopes"]).items() if number]
    if others:
        out.line((f"of other scopes: {', '.join(others)}", "dim"))
    gone = [f"{counts[name]} {name}" for name in ("superseded", "expired", "archived") if counts[name]]
    if gone:
        out.line((f"searched only with --all: {', '.join(gone)}", "dim"))
    return 0
