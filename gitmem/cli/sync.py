"""Synchronize this clone's memory with a remote: fetch, merge field by field, push.

Each memory is merged separately. If two people changed the same field, the memory keeps both versions, and `gitmem
doctor` lists what to settle. Nothing is ever force-pushed, and no conflict markers are written.

Exit status: 0 the remote is up to date (or was not meant to be); 1 everything is on the branch of --instead; 3 the push
of the memory or of a board failed.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.elsewhere import PATIENT_S, refresh
from gitmem.cli.names import with_short_ids
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, list_of, quantity
from gitmem.cli.terminal import is_interactive
from gitmem.document.author import read_author
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.sync.summary import SyncResult
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory import Memory
    from gitmem.plugins.board.sync import BoardSync

# The text that ``store.merge.memories`` gives for two files of which one is not a memory.
UNREADABLE = ("unreadable",)
# The most new memories for which authors are named.
NAMES_SHOWN = 20
# How many conflicts are named; all are counted, and ``doctor`` and ``--json`` list them all.
SHOWN = 20
EXAMPLES = (
    "gitmem sync",
    "gitmem sync upstream",
    "gitmem sync --dry-run",
    "gitmem sync --boards",
    "gitmem sync --no-push --json",
    "gitmem sync --instead gitmem/verify",
    "gitmem sync --bundle memory.bundle --instead gitmem/verify",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``sync``."""
    parser.add_argument("remote", nargs="?", default="", help="the remote (gitmem.remote, or origin)")
    pushing = parser.add_argument_group("pushing")
    pushing.add_argument("--no-push", action="store_true", help="fetch and merge, but do not push")
    parser.add_argument("--dry-run", action="store_true", help="fetch, and show what would be done")
    parser.add_argument(
        "--accept-rewritten",
        action="store_true",
        help="merge a remote branch whose history was rewritten, or push one again that was deleted",
    )
    pushing.add_argument(
        "--instead",
        default="",
        metavar="BRANCH",
        help="if the remote's memory branch is protected, push to this branch for a pull request",
    )
    pushing.add_argument(
        "--bundle", default="", metavar="FILE", help="write what would be pushed to a git bundle, without the network"
    )
    pushing.add_argument("--boards", action="store_true", help="also fetch, unite and push the boards of runs")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Synchronize both sides and print the new memories."""
    from gitmem.git.remotes import RemoteOptions

    if args.boards and (args.bundle or args.dry_run):
        message = f"--boards and {'--bundle' if args.bundle else '--dry-run'} cannot be combined"
        raise UsageError(message, hint="gitmem sync --boards")
    if args.bundle:
        return _write_bundle(args, out)
    talk = RemoteOptions(interactive=is_interactive(), progress=out.progress if out.is_error_terminal else None)
    with open_memory(out) as memory:
        result = memory.sync(
            args.remote,
            talk=talk,
            push=not args.no_push,
            dry_run=args.dry_run,
            accept_rewritten=args.accept_rewritten,
            instead=args.instead,
        )
        if not args.dry_run:
            refresh(memory, out, limit_s=PATIENT_S)
        boards = _sync_boards(memory, args, talk) if args.boards else ()
        whose = _authors_of(memory, result) if out.is_terminal and not args.dry_run else ""
        if args.json:
            from gitmem.commands.sync.summary import as_table

            table = with_short_ids(memory, as_table(result))
    if args.json:
        tables = [{"run": b.run, "received": b.received, "sent": b.is_sent, "problem": b.problem} for b in boards]
        out.json(table | {"dry_run": args.dry_run} | ({"boards": tables} if args.boards else {}))
    else:
        _print(result, whose, out, dry_run=args.dry_run)
        for board in boards:
            _print_board(board, out)
    return 3 if any(sync.problem for sync in boards) else int(bool(result.instead))


def _sync_boards(memory: Memory, args: Arguments, talk: RemoteOptions) -> Sequence[BoardSync]:
    """Merge the boards of both sides."""
    how = {"push": not args.no_push, "accept_rewritten": args.accept_rewritten}
    return memory.boards.sync(args.remote, talk=talk, **how)


def _print_board(sync: BoardSync, out: Output) -> None:
    came = f"↓ {quantity(sync.received, 'entry', 'entries')}" if sync.received else "nothing new"
    state = sync.problem or ("the remote has all of it" if sync.is_sent else "not pushed")
    out.line("board ", (sync.run, "key"), f"  {came}; ", (state, "red" if sync.problem else "dim"))


def _write_bundle(args: Arguments, out: Output) -> int:
    """Write a bundle for another machine to push, based on the last fetch."""
    from gitmem.commands.sync.bundle import write_bundle

    with open_memory(out) as memory:
        memory.repository.writer()  # commits the captured texts
        refs = write_bundle(memory.repository, args.remote, args.bundle, instead=args.instead)
    if args.json:
        out.json({"bundle": args.bundle if refs else "", "refs": refs})
    else:
        out.line(f"{args.bundle}: {list_of(refs)}" if refs else "nothing to push: no bundle was written")
    return 0


def _authors_of(memory: Memory, result: SyncResult) -> str:
    """Return the names of those who wrote the new memories, as `` from Ana and Ben``; empty if there are none."""
    documents = [memory.show(key).document for key in (*result.added, *result.changed)[:NAMES_SHOWN]]
    names = [name for name in dict.fromkeys(read_author(document["frontmatter"]).who for document in documents) if name]
    return f" from {list_of(names)}" if names else ""


def _sums(result: SyncResult, whose: str, *, dry_run: bool) -> str:
    """Describe in one line what the remote and this clone received, or would receive; empty if it is nothing."""
    sent = [quantity(result.sent, "memory", "memories")] if result.sent else []
    sent += [quantity(result.sent_verdicts, "verdict")] if result.sent_verdicts else []
    number = len(result.added) + len(result.changed) + len(result.retired)
    came = [(str(number) if whose else quantity(number, "memory", "memories")) + whose] if number else []
    came += [quantity(result.verdicts, "verdict")] if result.verdicts else []
    how = {"merged": ", merged with yours", "joined": ", joined with yours"}.get(result.merged, "")
    future = "would send ", "would receive "
    up, down = future if dry_run else ("", "")
    sums = [f"↑ {up}{list_of(sent)} to {result.remote}"] if sent else []
    sums += [f"↓ {down}{list_of(came)}{how}"] if came else []
    return "  ".join(sums)


def _print(result: SyncResult, whose: str, out: Output, *, dry_run: bool) -> None:
    if sums := _sums(result, whose, dry_run=dry_run):
        out.line((sums, "bold"))
    elif dry_run:
        out.line((f"{result.remote} would change nothing here", "dim"))
    for conflict in result.conflicts[:SHOWN]:
        out.line("  ", ("to settle: ", "yellow"), (conflict.key, "key"), f"  {list_of(conflict.fields)}")
    if len(result.conflicts) > SHOWN:
        out.line("  ", ("to settle: ", "yellow"), f"{len(result.conflicts) - SHOWN} more: gitmem doctor")
    unreadable = [conflict for conflict in result.conflicts if conflict.fields == UNREADABLE]
    if len(unreadable) < len(result.conflicts):
        has = "would have" if dry_run else "has"
        key = next(conflict.key for conflict in result.conflicts if conflict.fields != UNREADABLE)
        out.line("  ", (f"the memory {has} both versions: gitmem show {key}, gitmem edit {key}", "dim"))
    for conflict in unreadable[:SHOWN]:
        out.line("  ", (f"the unreadable version is in the history: git log -p memory -- {conflict.path}", "dim"))
    if result.instead:
        message = f"the memory branch of {result.remote} is protected; everything is on its branch {result.instead}"
        out.line((f"{message}, for a pull request", "yellow"))
    elif not result.pushed:
        lacks = f"{result.remote} does not have all memories of this clone"
        out.line((f"{lacks}; they would be pushed" if dry_run else f"not pushed: {lacks}", "dim"))
    elif not sums:
        known = "up to date with" if result.fetched else "created the memory branch on"
        out.line((f"{known} {result.remote}", "green"))
    if result.companions:
        from gitmem.commands.sync.summary import describe_companion

        for step in result.companions:
            out.line(describe_companion(step))
