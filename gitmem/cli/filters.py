"""The filters that commands share, and the query that they make."""

from __future__ import annotations

from gitmem.cli.options import output_options, positive
from gitmem.cli.paths import code_path
from gitmem.errors import UsageError
from gitmem.model import STATUSES
from gitmem.store.scopes import LISTED, SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.cli.arguments import ArgumentParser, Arguments
    from gitmem.memory import Memory
    from gitmem.recall.query import Query


def add_filters(parser: ArgumentParser) -> None:
    """Add the filters that list and recall share."""
    filters = parser.add_argument_group("which memories")
    filters.add_argument(
        "--kind", "--type", action="append", default=[], metavar="KIND", help="only these kinds: gotcha,pattern"
    )
    about = "only these: code-patterns, conventions, … (docs/collections.md)"
    filters.add_argument("--collection", action="append", default=[], metavar="NAME", help=about)
    filters.add_argument(
        "--tag", action="append", default=[], help="only memories with this tag; repeat it to require several"
    )
    filters.add_argument(
        "--path", action="append", default=[], type=code_path, help="only memories about this file or folder"
    )
    filters.add_argument(
        "--status", action="append", default=[], metavar="STATUS", help=f"only these: {', '.join(STATUSES)}"
    )
    filters.add_argument(
        "--scope", action="append", default=[], metavar="SCOPE", help=f"only these: {', '.join(SCOPES)}"
    )
    filters.add_argument(
        "--task", action="append", default=[], metavar="ID", help="only what was learned for this task"
    )
    filters.add_argument("--domain", action="append", default=[], help="only memories that name this domain")
    about = "only memories learned in this folder or below it"
    filters.add_argument("--workspace", action="append", default=[], type=code_path, metavar="FOLDER", help=about)
    filters.add_argument(
        "--by", action="append", default=[], metavar="NAME", help="only memories by this person or agent"
    )
    filters.add_argument("--role", default="", help="only the kinds that this role reads (docs/sessions.md)")
    filters.add_argument("--all", action="store_true", help="include retired, superseded and expired memories")
    output_options(parser).add_argument("--limit", type=positive, metavar="N", help="maximum number of results")


def add_stores(parser: ArgumentParser) -> None:
    """Add ``--store`` and ``--source`` to a command that searches several stores."""
    about = "only this listed store (gitmem stores); --scope listed selects all of them"
    filters = parser.add_argument_group("which memories")
    filters.add_argument("--store", action="append", default=[], metavar="NAME", help=about)
    about = "only this source, and no memories (gitmem sources)"
    filters.add_argument("--source", action="append", default=[], metavar="NAME", help=about)


def parse_query(args: Arguments, memory: Memory, *, query: str = "", limit: int = 10) -> Query:
    """Return the query for recall or list.

    Raises:
        UsageError: The status, scope or role is unknown, or a kind is misspelt.
    """
    from gitmem.recall.query import Query

    statuses = [part for given in args.status for part in given.split(",") if part]
    wrong = [s for s in statuses if s not in STATUSES]
    if wrong:
        raise UsageError(f"unknown status: {wrong[0]}", hint=f"choose one of {', '.join(STATUSES)}")
    scopes = [part for given in args.scope for part in given.split(",") if part]
    known = (*SCOPES, LISTED) if "store" in args else SCOPES
    unknown = [s for s in scopes if s not in known]
    if unknown:
        raise UsageError(f"unknown scope: {unknown[0]}", hint=f"choose one of {', '.join(known)}")
    kinds = [part.replace("-", "_") for given in args.kind for part in given.split(",") if part]
    if not getattr(args, "store", ()):  # other stores have kinds of their own
        _refuse_misspelt(memory, kinds)
    return Query(
        text=query,
        kinds=tuple(kinds) or (_kinds_of(memory, args.role) if args.role else ()),
        collections=tuple(part for given in args.collection for part in given.split(",") if part),
        tasks=tuple(args.task),
        named_domains=tuple(args.domain),
        workspaces=tuple(args.workspace),
        by=tuple(args.by),
        tags=tuple(args.tag),
        paths=tuple(args.path),
        statuses=tuple(statuses),
        limit=args.limit or limit,
        everything=args.all,
        scopes=tuple(scopes),
        stores=tuple(part for given in getattr(args, "store", ()) for part in given.split(",") if part),
        sources=tuple(part for given in getattr(args, "source", ()) for part in given.split(",") if part),
    )


def _refuse_misspelt(memory: Memory, kinds: Sequence[str]) -> None:
    """Raise UsageError for a kind that no memory has and whose name is nearly that of a known one."""
    from gitmem.policy.kinds import KINDS, nearest_kind
    from gitmem.recall.query import Query

    for kind in kinds:
        near = "" if kind in KINDS else nearest_kind(kind, memory.repository.policy().kinds)
        if near and not memory.list(Query(kinds=(kind,), everything=True, limit=1)).hits:
            raise UsageError(f"unknown kind: {kind}", hint=f"did you mean --kind {near}?")


def _kinds_of(memory: Memory, typed: str) -> tuple[str, ...]:
    """Return the kinds that a role of the policy reads; empty for all."""
    from gitmem.policy.kinds import role_name

    roles = memory.repository.policy().roles
    if role_name(typed) not in roles:
        raise UsageError(f"unknown role: {typed}", hint=f"choose one of {', '.join(sorted(roles))}")
    return roles[role_name(typed)].kinds
