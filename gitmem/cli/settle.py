"""Decide what to do about a failure. Without options: show why it fails, since when, who wrote it, and your choices.

Without a key: go through all pending decisions: failed facts, memories with two merged versions, contradictions,
captured texts that were set aside, and private memories with personal data.

A failed fact is either out of date (reword it with a new check, retire it, or let another memory supersede it), or it
is right and the code is wrong (fix the code and check again).
"""

from __future__ import annotations

import shlex

from gitmem.cli import verify
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.changes import print_change
from gitmem.cli.command_memory import open_memory, print_notices
from gitmem.cli.names import short_names, shown_names, with_short_ids, wordings
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.cli.parser import parser_of
from gitmem.cli.proof import add_check, add_judging, judging_of, verify_of
from gitmem.cli.terminal import is_interactive
from gitmem.errors import UsageError
from gitmem.model import UNPROVEN
from gitmem.repository.companion import holder_to_change
from gitmem.statuses import warning_of
from gitmem.verify.overview.cause import few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.memory import Memory
    from gitmem.write.place import Change

EXAMPLES = (
    "gitmem settle",
    "gitmem settle auth-uses-rs256",
    'gitmem settle auth-uses-rs256 --reword "Tokens are signed with EdDSA" --contains EdDSA --in src/auth/jwt.py',
    "gitmem settle auth-uses-rs256 --recheck",
    'gitmem settle auth-uses-rs256 --retire --why "the gateway signs now"',
    "gitmem settle auth-uses-rs256 --superseded-by gateway-signs-tokens",
    "gitmem settle --moved --dry-run",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``settle``."""
    parser.add_argument("key", nargs="?", default="", help="the failed or suspect memory")
    way = parser.add_argument_group("how to settle it, one of")
    way.add_argument("--reword", metavar="TITLE", help="the new title; the check runs and must hold")
    way.add_argument("--retire", action="store_true", help="move it to the archive, if nothing in it is true any more")
    way.add_argument("--recheck", action="store_true", help="run the check again, after you fixed the code")
    way.add_argument("--confirm", action="store_true", help="mark it as true although its foundation was reworded")
    way.add_argument("--both", action="store_true", help="mark it and the memories that it contradicts as true")
    way.add_argument("--superseded-by", metavar="KEY", help="the memory that replaces it")
    parser.add_argument("--why", default="", help="the reason for retiring it")
    way.add_argument(
        "--moved", nargs="*", metavar="KEY", help="re-point these memories, or all, to where git renamed their files"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what --moved changes, and change nothing")
    add_check(parser, "with --reword, its new check, one of")
    limits = parser.add_argument_group("how the check runs")
    limits.add_argument("--refute", metavar="CMD", help="a command that changes the code so that the check must fail")
    add_judging(parser)
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Settle one memory, or print the choices."""
    _refuse_misused(args)
    if args.moved is not None:
        return _settle_moved(args, out)
    check = verify_of(args)
    if check is not None and args.reword is None:
        hint = f"or change only the check: gitmem edit {args.key or 'KEY'} --contains …"
        raise UsageError("a new check requires --reword", hint=hint)
    with open_memory(out) as memory:
        if not args.key:
            from gitmem.cli.pending_decisions import print_decisions

            return print_decisions(memory, out, as_json=args.json)
        key = holder_to_change(memory.repository, args.key)[1]
        if args.retire:
            return print_change(memory.forget(key, why=args.why)[0], memory, args, out, did="retired")
        if args.confirm:
            memory.bulk.confirm(key)
            return _print_settled(memory, _place_of(memory, key), args, out, did="confirmed")
        if args.both:
            memory.bulk.reconcile(key)
            return print_change(_place_of(memory, key), memory, args, out, did="settled")
        if args.superseded_by is not None:
            memory.supersede(key, args.superseded_by)
            return print_change(_place_of(memory, key), memory, args, out, did="settled")
        if args.reword is not None:
            changes = {"title": args.reword} | ({"verify": check} if check is not None else {})
            changes |= {"refute": args.refute} if args.refute is not None else {}
            how = judging_of(args)
            change = memory.edit(key, fields=changes, body=None, approve=is_interactive(), judge=True, **how)
            print_notices(memory, out)
            return _print_settled(memory, change, args, out, did="reworded")
        if args.recheck:
            more = [option for option in ("--json", "--dirty") if getattr(args, option[2:])]
            return verify.run(parser_of("verify", verify).parse([key, *more]), out)
        return _advise(memory, key, args, out)


def _print_settled(memory: Memory, change: Change, args: Arguments, out: Output, *, did: str) -> int:
    """Print the change: it is settled if nothing warns about the memory any more, else only what was done."""
    status = str(memory.show(change.key).document["status"])
    is_open = bool(warning_of(status)) or status == UNPROVEN
    done = print_change(change, memory, args, out, did=did if is_open else "settled")
    if is_open:
        name = shown_names(memory, [change.key], out)[change.key]
        out.note(f"{name} is still {status}: gitmem settle {name}")
    return done


def _refuse_misused(args: Arguments) -> None:
    """Raise an error for options that contradict each other, or lack another one.

    Raises:
        UsageError: The options cannot be used together, or one is missing.
    """
    choices = (args.reword, args.superseded_by, args.moved)
    if sum(value is not None for value in choices) + args.retire + args.recheck + args.confirm + args.both > 1:
        ways = "--reword, --retire, --recheck, --confirm, --both, --superseded-by, --moved"
        raise UsageError("choose one way to settle it", hint=f"use one of {ways}")
    is_about_one = args.reword is not None or args.superseded_by is not None or args.both
    if not args.key and args.moved is None and (is_about_one or args.retire or args.recheck or args.confirm):
        raise UsageError("name the memory to settle", hint="gitmem settle KEY; gitmem list --status failed,suspect")
    if args.dry_run and args.moved is None:
        raise UsageError("--dry-run requires --moved")
    if (args.staged or args.unproven or args.refute is not None) and args.reword is None:
        raise UsageError("--staged, --unproven and --refute require --reword")
    if args.dirty and args.reword is None and not args.recheck:
        raise UsageError("--dirty requires --reword or --recheck")
    if args.why and not args.retire:
        raise UsageError("--why requires --retire")


def _settle_moved(args: Arguments, out: Output) -> int:
    """Update memories to where their files moved, and print the changes."""
    keys = [*([args.key] if args.key else []), *args.moved]
    with open_memory(out) as memory:
        updates = memory.bulk.settle_moved(*keys, dry_run=args.dry_run, approve=is_interactive())
        print_notices(memory, out)
        changed, skipped = (
            [update for update in updates if not update.skipped],
            [update for update in updates if update.skipped],
        )
        # Named memories are changed even if their new commands cannot be approved now.
        waiting = [] if args.dry_run else memory.repository.waiting_keys()
        unapproved = sorted({update.key for update in changed}.intersection(waiting))
        names = shown_names(memory, [update.key for update in updates], out)
        table = {
            "moved": [
                {"key": update.key, "changes": list(update.shown), "commit": update.commit} for update in changed
            ],
            "skipped": [{"key": update.key, "reason": update.skipped} for update in skipped],
            "dry_run": args.dry_run,
        }
        table = with_short_ids(memory, table)
    if args.json:
        out.json(table)
        return 1 if skipped else 0
    for path_update in changed:
        for line in path_update.shown:
            out.line((names[path_update.key], "key"), "  ", line)
    if changed and not args.dry_run:
        out.confirm(f"re-pointed {quantity(len(changed), 'memory', 'memories')}")
    if unapproved:
        unproven = few([names[key] for key in unapproved])
        out.note(f"unproven until its new command is approved: {unproven}; gitmem trust --review")
    would = "would " if args.dry_run else ""
    reasons: dict[str, list[str]] = {}
    for path_update in skipped:
        reasons.setdefault(path_update.skipped, []).append(names[path_update.key])
    for reason, them in reasons.items():
        if len(them) == 1:
            out.note(f"{them[0]} {'would stay' if would else 'stays'} as it is: {reason}")
        else:
            out.note(f"{len(them)} memories {would}stay as they are ({few(them)}): {reason}")
    if not updates:
        out.note("no memory names files that moved")
    elif args.dry_run:
        out.note(f"{quantity(len(changed), 'memory', 'memories')} would change; nothing was written")
    return 1 if skipped else 0


def _advise(memory: Memory, key: str, args: Arguments, out: Output) -> int:
    from gitmem.cli.pending_decisions import list_decisions_about, print_decisions_about, tables_of
    from gitmem.cli.show import print_memory

    document = dict(memory.show(key).document)
    is_reworded = "reworded" in document["suspicion"]
    name = document["short_id"] or key
    choices = ways(name, document["frontmatter"].get("verify"), is_reworded=is_reworded)
    decisions = list_decisions_about(memory, key)
    if args.json:
        more = with_short_ids(memory, {"decisions": tables_of(decisions)}) if decisions else {}
        out.json(document | {"ways": choices} | more)
    else:
        names = wordings(memory, document["because"], out)
        print_memory(document, out, names)
        out.line()
        if warning_of(document["status"]):
            out.line(("What you can do:", "bold"))
            for way, command in choices.items():
                out.line("  ", way)
                out.line("    ", (command, "key"))
            if document["because"] and not is_reworded:
                root = document["because"][-1]
                cause = names[root] if out.is_terminal else short_names(memory, [root])[root]
                advice = f"It is suspect because {cause} failed: settle that one, and this one clears automatically."
                out.line((advice, "dim"))
        elif not decisions:
            status = document["status"]
            out.line("There is nothing to settle: it ", (f"is {status}", status) if status else "has no check", ".")
        print_decisions_about(decisions, memory, out)
    return int(document["status"] in ("failed", "suspect") or bool(decisions))


def ways(key: str, check: object = None, *, is_reworded: bool = False) -> dict[str, str]:
    """Return the choices, each with its command. The command for a new wording repeats what can stay of the check."""
    if is_reworded:
        return {
            "it is true all the same": f"gitmem settle {key} --confirm",
            "its own check decides": f"gitmem settle {key} --recheck",
            "something else is true now": f"gitmem settle {key} --reword '…'",
            "nothing in it is true any more": f"gitmem settle {key} --retire --why '…'",
        }
    return {
        "the code was wrong and is fixed now": f"gitmem settle {key} --recheck",
        "something else is true now": f"gitmem settle {key} --reword '…' {_other_check(check)}",
        "another memory says what is true": f"gitmem settle {key} --superseded-by KEY",
        "nothing in it is true any more": f"gitmem settle {key} --retire --why '…'",
    }


def _other_check(check: object) -> str:
    """Return the options of a check in the place of one, with `…` for what to fill in."""
    if not (isinstance(check, dict) and isinstance(check.get("value"), str)):
        return "--contains … --in …"
    wanted = next((name for name in ("is", "at-least", "within") if name in check), "is")
    return f"--value {shlex.quote(check['value'])} --{wanted} …"


def _place_of(memory: Memory, key: str) -> Change:
    """Return the current place of a memory, as the result of a write without further changes."""
    from gitmem.write.place import Change, need_known

    store, full_key = holder_to_change(memory.repository, key)
    known = need_known(store.catalog(), full_key)
    return Change(known.key, known.path, store.source()[0])
