"""The options that several commands have, the memory that a command opens, and the hits it prints."""

from __future__ import annotations

from gitmem.cli.arguments import code_path
from gitmem.cli.output import Output
from gitmem.config import unknown_variables
from gitmem.errors import UsageError
from gitmem.memory import Memory
from gitmem.model import STATUSES
from gitmem.store import LISTED, PROJECT, SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from gitmem.recall import RecallResult


def open_memory(args: argparse.Namespace, out: Output) -> Memory:
    """Return the memory of the repository in which the command runs."""
    memory = Memory(progress=out.progress)
    repository = memory.repository
    if repository.ignoring:
        memory.notices.append(repository.ignoring)
    if repository.config.color != "auto":
        out.set_color(repository.config.color)
    for notice in unknown_variables():
        out.note(notice)
    return memory


def print_notices(memory: Memory, out: Output) -> None:
    """Print the memory's notices on standard error."""
    for notice in memory.notices:
        out.note(notice)
    memory.notices.clear()


def add_approved(parser: argparse.ArgumentParser) -> None:
    """Add the option that names an approved list."""
    message = "a reviewed list of commands that may run, read from the remote's default branch"
    parser.add_argument_group("how checks run").add_argument("--approved", default="", metavar="FILE", help=message)


def output_options(parser: argparse.ArgumentParser) -> Any:
    """Return the group of options for output."""
    return parser.add_argument_group("output")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    output_options(parser).add_argument("--json", action="store_true", help="print one JSON document")


def add_filters(parser: argparse.ArgumentParser) -> None:
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
    filters.add_argument("--role", default="", help="only the kinds that this role prefers (docs/sessions.md)")
    filters.add_argument("--all", action="store_true", help="include retired, superseded and expired memories")
    output_options(parser).add_argument("--limit", type=positive, metavar="N", help="maximum number of results")


def add_stores(parser: argparse.ArgumentParser) -> None:
    """Add ``--store`` and ``--source`` to a command that searches several stores."""
    about = "only this listed store (gitmem stores); --scope listed selects all of them"
    filters = parser.add_argument_group("which memories")
    filters.add_argument("--store", action="append", default=[], metavar="NAME", help=about)
    about = "only this source, and no memories (gitmem sources)"
    filters.add_argument("--source", action="append", default=[], metavar="NAME", help=about)


def add_store(parser: argparse.ArgumentParser, *, about: str) -> None:
    """Add ``--store`` to a command that reads one store."""
    parser.add_argument("--store", default="", metavar="NAME", help=f"read this listed store (gitmem stores){about}")


def add_scope(parser: argparse.ArgumentParser, *, about: str = "if several have this key") -> None:
    """Add ``--scope`` to a command that reads one memory."""
    parser.add_argument("--scope", default="", choices=SCOPES, help=f"private, project, domain, universal: {about}")


def add_at(parser: argparse.ArgumentParser) -> None:
    """Add ``--at``."""
    about = "show what was known at this code commit: a tag, HEAD~20, a commit"
    parser.add_argument("--at", metavar="REV", help=about)


def refuse_both(args: argparse.Namespace) -> None:
    """Raise an error if both ``--store`` and ``--scope`` are given to a command that takes only one.

    Raises:
        UsageError: Both are given.
    """
    if args.store and args.scope:
        raise UsageError("--store and --scope cannot be combined", hint="remove one of them")


def refuse_other_stores(args: argparse.Namespace) -> None:
    """Raise an error for ``--at`` with another repository's store, which has other code.

    Raises:
        UsageError: The options cannot be combined.
    """
    if getattr(args, "store", ""):
        raise UsageError("--at works only for this project's memory", hint="remove --store")


def refuse_other_scopes(args: argparse.Namespace) -> None:
    """Raise an error for ``--at`` with another repository's store, or a scope other than the project.

    Raises:
        UsageError: The options cannot be combined.
    """
    refuse_other_stores(args)
    if args.scope not in ("", PROJECT):
        raise UsageError(
            f"--at works only for the project's memory, not for the scope {args.scope}", hint="remove --scope"
        )


def query_of(args: argparse.Namespace, memory: Memory, *, query: str = "", limit: int = 10) -> Any:
    """Return the query for recall or list.

    Raises:
        UsageError: The status, scope or role is unknown.
    """
    from gitmem.recall import Query

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


def _kinds_of(memory: Memory, typed: str) -> tuple[str, ...]:
    """Return the kinds that a role of the policy prefers; empty for a role without preferences."""
    from gitmem.policy import role_name

    roles = memory.repository.policy().roles
    if role_name(typed) not in roles:
        raise UsageError(f"unknown role: {typed}", hint=f"choose one of {', '.join(sorted(roles))}")
    return roles[role_name(typed)].kinds


def positive(text: str) -> int:
    """Parse a whole number from 1 to a million for argparse."""
    from argparse import ArgumentTypeError

    if not (text.isascii() and text.isdigit() and len(text) <= 7 and 1 <= int(text) <= 1_000_000):
        raise ArgumentTypeError(f"must be a whole number from 1 to 1000000, not {text!r}")
    return int(text)


def hit_table(hit: Any) -> dict[str, Any]:
    """Return a hit as documented JSON."""
    return {
        "key": hit.key,
        "kind": hit.kind,
        "title": hit.title,
        "status": hit.status,
        "score": hit.score,
        "scope": hit.scope,
        "store": hit.store,
        "snippet": hit.snippet,
        "matches": [list(span) for span in hit.matches],
        "refs": list(hit.refs),
    }


def print_hits(memory: Memory, found: RecallResult, out: Output, *, explain: bool = False) -> None:
    """Print hits: two lines each on a terminal, tab-separated cells in a pipe; *explain* adds the factors."""
    if out.is_terminal:
        from gitmem.cli import hits

        hits.print_hits(memory, found, out, explain=explain)
        return
    for hit in found.hits:
        product = (("score", hit.score), *hit.factors, *hit.sources) if explain and hit.factors else ()
        factors = [" ".join(f"{name}={value:.4g}" for name, value in product)] if product else []
        out.row(hit.reference, hit.kind, hit.status, hit.title, hit.snippet, hit.scope, *factors)
    if found.more:
        out.note(f"{found.more} more: --limit {len(found.hits) + found.more}")
