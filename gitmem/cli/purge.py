"""Remove a memory or a secret from the history of the memory, and from everything made from it. Cannot be undone.

`gitmem forget` is for memories that are no longer true; this is for texts that must not exist. Every commit that has
the text is rewritten without it, in every history that gitmem owns; indexes, local state and old objects are cleaned. A
fingerprint stays, so that no clone brings the text back. First, gitmem prints what will happen, and asks.

With --secret, type the text at a hidden prompt, or pipe it in; it becomes [purged]. First revoke a leaked password or
token.

Other clones keep the text until each runs `gitmem purge --accept`; their next sync says so. --push replaces the history
of the remote's branches. Backups, CI logs, and what a forge shows of old commits are not touched (docs/purge.md).

Exit status: 0 removed; 1 it was not found, or you did not agree; 3 something prevents it, such as unsaved files in
the view.
"""

from __future__ import annotations

import sys
from getpass import getpass

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json, add_scope
from gitmem.cli.output import Output, quantity
from gitmem.cli.terminal import ask, is_interactive
from gitmem.errors import UsageError
from gitmem.frozen import fields_of
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.purge.run import PurgeResult
    from gitmem.memory import Memory

EXAMPLES = (
    "gitmem purge customer-list --dry-run",
    "gitmem purge customer-list --push",
    "gitmem purge --secret",
    "gitmem purge --secret --yes < leaked.txt",
    "gitmem purge --accept",
    "gitmem purge --continue",
)
OF_CLONES = "Other clones keep it until each of them runs gitmem purge --accept; their sync stops and says so."
OF_REMOTES = (
    "A remote keeps it until gitmem purge --push. A forge may show old commits by id even then: ask its support."
)
OF_COPIES = "Backups, CI logs, forks and transcripts of agents are not touched. Revoke what can be revoked."


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``purge``."""
    parser.add_argument("keys", nargs="*", metavar="KEY", help="the memories, by their full keys")
    parser.add_argument("--secret", action="store_true", help="remove a text, from a hidden prompt or standard input")
    consent = parser.add_argument_group("consent")
    consent.add_argument("--dry-run", action="store_true", help="show what would be rewritten, without doing it")
    consent.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--continue", dest="resumes", action="store_true", help="finish an interrupted purge")
    others = parser.add_argument_group("remotes")
    others.add_argument("--push", action="store_true", help="replace the history of the remote's branches as well")
    others.add_argument("--accept", action="store_true", help="apply the purges that the remote records to this clone")
    others.add_argument("--remote", default="", help="the remote (gitmem.remote, or origin)")
    add_scope(parser, about="which memories (project)")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Purge, and print what was removed."""
    _refuse_mixed(args)
    scope = args.scope or PROJECT
    if not (args.keys or args.secret):
        return _maintain(args, scope, out)
    with open_memory(out) as memory:
        secret = _read_secret(out) if args.secret else ""
        planned = memory.purges.preview(*args.keys, secret=secret, scope=scope)
        has_remote = _has_remote(memory)
        if args.dry_run:
            return _print(planned, args, out, has_remote=has_remote)
        if not (args.yes or _is_agreed(planned, out, has_remote=has_remote)):
            out.note("nothing was changed")
            return 1
        result = memory.purges.purge(*args.keys, secret=secret, scope=scope)
        branches = _publish(memory, args) if args.push else ()
    return _print(result, args, out, branches, has_remote=has_remote)


def _refuse_mixed(args: Arguments) -> None:
    ways = [name for name in ("secret", "accept", "resumes") if getattr(args, name)]
    names = [f"--{'continue' if name == 'resumes' else name}" for name in ways]
    if len(ways) > 1 or (ways and args.keys):
        raise UsageError(f"{' and '.join(names if len(ways) > 1 else ['KEY', *names])} cannot be combined")
    if not (ways or args.keys or args.push):
        raise UsageError("say what to purge", hint="gitmem purge KEY, or gitmem purge --secret")
    if args.dry_run and not (args.keys or args.secret):
        raise UsageError("--dry-run needs a KEY or --secret", hint="gitmem purge KEY --dry-run")


def _maintain(args: Arguments, scope: str, out: Output) -> int:
    """Finish, accept or publish a purge."""
    from gitmem.commands.purge.run import PurgeResult

    result = PurgeResult()
    with open_memory(out) as memory:
        if args.resumes:
            result = memory.purges.resume(scope=scope)
        elif args.accept:
            result = memory.purges.accept(args.remote)
        branches = _publish(memory, args) if args.push else ()
        has_remote = _has_remote(memory)
    return _print(result, args, out, branches, has_remote=has_remote)


def _has_remote(memory: Memory) -> bool:
    from gitmem.git.remotes import list_remotes

    return bool(list_remotes(memory.repository.git))


def _publish(memory: Memory, args: Arguments) -> tuple[str, ...]:
    from gitmem.git.remotes import RemoteOptions

    published = memory.purges.publish(args.remote, talk=RemoteOptions(interactive=is_interactive()))
    return tuple(f"{published.remote}/{branch}" for branch in published.branches)


def _read_secret(out: Output) -> str:
    """Return the secret from a hidden prompt, or the first line of standard input."""
    if sys.stdin is not None and not sys.stdin.isatty():
        text = sys.stdin.read().strip("\r\n")
    else:
        text = getpass("The text to purge (it is not shown): ")
    if not text or "\n" in text:
        raise UsageError("--secret needs one line", hint="purge a text of several lines line by line")
    return text


def _note_consequences(out: Output, *, has_remote: bool) -> None:
    for sentence in (OF_CLONES, *([OF_REMOTES] if has_remote else []), OF_COPIES):
        out.note(sentence)


def _is_agreed(planned: PurgeResult, out: Output, *, has_remote: bool) -> bool:
    """Print what will happen, and return whether the person at the terminal agrees."""
    out.note(_describe(planned, "will be"))
    _note_consequences(out, has_remote=has_remote)
    if not is_interactive():
        raise UsageError("purging cannot be undone: confirm it with --yes", hint="see what would happen: --dry-run")
    return (ask("Purge it for good? [y/N] ") or "").lower() in ("y", "yes")


def _describe(result: PurgeResult, tense: str) -> str:
    where = f"{quantity(result.commits, 'commit')} with it; {quantity(result.rewritten, 'commit')} {tense} rewritten"
    return f"{where}, in {', '.join(result.refs) or 'no history'}"


def _print(
    result: PurgeResult, args: Arguments, out: Output, branches: tuple[str, ...] = (), *, has_remote: bool
) -> int:
    if args.json:
        out.json({**fields_of(result), "dry_run": args.dry_run, "published": list(branches)})
        return 0
    if args.dry_run or result.rewritten:
        out.line(_describe(result, "would be" if args.dry_run else "were"))
    if args.dry_run:
        _note_consequences(out, has_remote=has_remote)
        return 0
    if result.derived or result.objects:
        files, objects = quantity(result.derived, "file"), quantity(result.objects, "old object")
        out.line(f"{files} of local data cleaned; {objects} deleted")
    for place in result.left:
        out.alarm(f"the text is still in {place}")
    for branch in branches:
        out.line(f"replaced the history of {branch}")
    if result.rewritten and not branches and not args.accept and has_remote:
        out.note("the remote still has it: gitmem purge --push")
    return 0
