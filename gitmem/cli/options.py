"""The options that several commands have, and how hits are printed."""

from __future__ import annotations

from gitmem.errors import UsageError
from gitmem.store.scopes import PROJECT, SCOPES
from gitmem.text.own import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.cli.arguments import ArgumentParser, Arguments
    from gitmem.cli.output import Output
    from gitmem.memory import Memory
    from gitmem.model import Hit
    from gitmem.recall.query import RecallResult


def add_approved(parser: ArgumentParser) -> None:
    """Add the option that names an approved list."""
    message = "a reviewed list of commands that may run, read from the remote's default branch"
    parser.add_argument_group("how checks run").add_argument("--approved", default="", metavar="FILE", help=message)


def add_sandbox(parser: ArgumentParser, *, is_parallel: bool = True) -> None:
    """Add the options for how the commands of checks run; *is_parallel* if several of them may."""
    add_approved(parser)
    how = parser.add_argument_group("how checks run")
    how.add_argument("--no-sandbox", action="store_true", help="run commands without a sandbox")
    if is_parallel:
        about = "number of checks to run in parallel (one per core)"
        how.add_argument("--jobs", type=positive, default=0, metavar="N", help=about)


def warn_of_no_sandbox(args: Arguments, out: Output) -> None:
    """Warn a user who runs commands without a sandbox."""
    if args.no_sandbox:
        out.alarm("commands run WITHOUT a sandbox: they can read and change whatever you can")


def add_session(parser: ArgumentParser) -> None:
    """Add ``--session`` to a command about the topic of a session."""
    about = "on a shared branch, the topic of this session (the latest)"
    parser.add_argument("--session", default="", metavar="NAME", help=about)


def output_options(parser: ArgumentParser) -> Any:
    """Return the group of options for output."""
    return parser.add_argument_group("output")


def add_json(parser: ArgumentParser) -> None:
    """Add ``--json``."""
    output_options(parser).add_argument("--json", action="store_true", help="print one JSON document")


def add_store(parser: ArgumentParser, *, about: str) -> None:
    """Add ``--store`` to a command that reads one store."""
    parser.add_argument("--store", default="", metavar="NAME", help=f"read this listed store (gitmem stores){about}")


def add_scope(parser: ArgumentParser, *, about: str = "if several have this key") -> None:
    """Add ``--scope`` to a command that reads one memory."""
    parser.add_argument("--scope", default="", choices=SCOPES, help=f"private, project, domain, universal: {about}")


def add_at(parser: ArgumentParser) -> None:
    """Add ``--at``."""
    about = "show what was known at this code commit: a tag, HEAD~20, a commit"
    parser.add_argument("--at", metavar="REV", help=about)


def refuse_both(args: Arguments) -> None:
    """Raise an error if both ``--store`` and ``--scope`` are given to a command that takes only one.

    Raises:
        UsageError: Both are given.
    """
    if args.store and args.scope:
        raise UsageError("--store and --scope cannot be combined", hint="remove one of them")


def refuse_other_stores(args: Arguments) -> None:
    """Raise an error for ``--at`` with another repository's store, which has other code.

    Raises:
        UsageError: The options cannot be combined.
    """
    if getattr(args, "store", ""):
        raise UsageError("--at works only for this project's memory", hint="remove --store")


def refuse_other_scopes(args: Arguments) -> None:
    """Raise an error for ``--at`` with another repository's store, or a scope other than the project.

    Raises:
        UsageError: The options cannot be combined.
    """
    refuse_other_stores(args)
    if args.scope not in ("", PROJECT):
        raise UsageError(
            f"--at works only for the project's memory, not for the scope {args.scope}", hint="remove --scope"
        )


def positive(text: str) -> int:
    """Parse a whole number from 1 to a million for argparse."""
    from argparse import ArgumentTypeError

    if not (text.isascii() and text.isdigit() and len(text) <= 7 and 1 <= int(text) <= 1_000_000):
        raise ArgumentTypeError(f"must be a whole number from 1 to 1000000, not {text!r}")
    return int(text)


def hit_table(hit: Hit) -> dict[str, Any]:
    """Return a hit as documented JSON."""
    return {
        "key": hit.key,
        "short_id": hit.short_id,
        "kind": hit.kind,
        "title": hit.title,
        "status": hit.status,
        "score": hit.score,
        "scope": hit.scope,
        "store": hit.store,
        "snippet": hit.snippet,
        "matches": [list(span) for span in hit.matches],
        "refs": list(hit.refs),
        **gone_table(hit),
    }


def gone_table(hit: Hit) -> dict[str, bool]:
    """Return whether plain searches leave a hit out, and why, as documented JSON (named as by ``gitmem show``)."""
    return {name: hit.gone == name for name in ("archived", "superseded", "expired")}


def print_hits(memory: Memory, result: RecallResult, out: Output, *, explain: bool = False) -> None:
    """Print hits: two lines each on a terminal, tab-separated cells in a pipe; *explain* adds the factors."""
    if out.is_terminal:
        from gitmem.cli import hits

        hits.print_hits(memory, result, out, explain=explain)
        return
    for hit in result.hits:
        product = (("score", hit.score), *hit.factors, *hit.sources) if explain and hit.factors else ()
        factors = [" ".join(f"{name}={value:.4g}" for name, value in product)] if product else []
        out.row(hit.reference, hit.kind, hit.gone or hit.status, hit.title, hit.snippet, hit.scope, *factors)
    if result.more:
        out.note(own("{} more: --limit {}", result.more, len(result.hits) + result.more))
