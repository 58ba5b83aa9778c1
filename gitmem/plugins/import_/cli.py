"""Import memories from other systems or from a gitmem export: all in one commit, or nothing.

FILE is JSON or JSONL (gitmem's own, beads, mem0, Letta, the graph of an MCP memory, or anything with a title, a body, a
kind and a time), a Markdown file, a folder of those (Obsidian, Logseq, Beans, rules of Cursor and others, decision
records, …; docs/import.md lists them), or - for JSONL on standard input. Without FILE, it lists what can be imported
here and in your home folder, with the commands. Importing again adds nothing; --update brings what changed. Memories
with a secret are refused and the rest is imported; forgotten memories stay forgotten. Imported commands are not
approved.
"""

from __future__ import annotations

import sys

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.errors import UsageError
from gitmem.policy.settings import is_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.plugins.import_.run import ImportResult, Sources
    from gitmem.write.bulk import Reasons

EXAMPLES = (
    "gitmem import",
    "gitmem import .beads/memory/knowledge.jsonl",
    "gitmem import .beads",
    "gitmem import docs/decisions --kind decision --dry-run",
    "gitmem import ~/notes --update",
    "gitmem import ~/notes --watch",
    "gitmem import AGENTS.md docs --chunk",
    "gitmem -C ../old export --all | gitmem import -",
)
# How many reasons are printed; the JSON has all of them.
SHOWN = 20


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``import``."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="JSONL, Markdown, or a folder; - is standard input")
    parser.add_argument(
        "--kind", "--type", default="", help="the kind of memories that name none (learned; doc or decision for files)"
    )
    again = parser.add_argument_group("again")
    again.add_argument(
        "--update", action="store_true", help="import what changed in the source, and merge it with what changed here"
    )
    again.add_argument("--watch", action="store_true", help="import with --update after each change, until Ctrl-C")
    parser.add_argument("--chunk", action="store_true", help="import each section of a document as a memory")
    parser.add_argument("--dry-run", action="store_true", help="show what would be imported, and write nothing")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Import and print a summary; return 1 if something was refused or could not be read."""
    from gitmem.plugins.import_.run import Sources

    if not args.files:
        return _list_sources(args, out)
    kind = args.kind.replace("-", "_")
    if kind and not is_slug(kind):
        raise UsageError(f"invalid kind: {args.kind!r}", hint="use one word in lower case, such as --kind gotcha")
    update = args.update or args.watch
    sources = Sources(tuple(args.files), kind=kind, update=update, dry_run=args.dry_run, chunk=args.chunk)
    if args.watch:
        return _watch(args, sources, out)
    result = _import(sources, out)
    if args.json:
        out.json(_table(result, is_dry=args.dry_run))
    else:
        _print(result, out, is_dry=args.dry_run)
    is_lost = result.refused.total or result.unreadable.total or result.settled.replaced
    return 1 if is_lost or not result.count else 0


def _import(sources: Sources, out: Output) -> ImportResult:
    with open_memory(out) as memory:
        stdin = sys.stdin.buffer if sys.stdin is not None else None
        return memory.bulk.import_files(sources, stdin=stdin)


def _watch(args: Arguments, sources: Sources, out: Output) -> int:
    """Import after each change, and print what an import did if it did something."""
    from gitmem.plugins.import_.watch import iter_changes

    if args.json or args.dry_run or "-" in args.files:
        hint = "gitmem import FOLDER --watch"
        raise UsageError("--watch cannot be combined with --json, --dry-run and standard input", hint=hint)
    for _ in iter_changes(sources.names):
        result = _import(sources, out)
        settled = result.settled
        if settled.new or settled.updated or settled.gone.total or result.refused.total or result.unreadable.total:
            _print(result, out, is_dry=False)
            out.flush()
    return 0


def _list_sources(args: Arguments, out: Output) -> int:
    """List what can be imported; return 1 if there is nothing."""
    with open_memory(out) as memory:
        sources = [(_short(importable.path), importable) for importable in memory.bulk.find_sources()]
    if args.json:
        commands = [
            {"path": importable.path, "system": importable.system, "files": importable.files, "command": _command(path)}
            for path, importable in sources
        ]
        out.json({"sources": commands})
    for path, source in sources if not args.json else ():
        out.line(_command(path), (f"   {source.system}, {quantity(source.files, 'file')}", "dim"))
    if not sources:
        out.note("no notes or memories of other systems found; name a file or a folder: gitmem import FILE")
    return 0 if sources else 1


def _command(path: str) -> str:
    return f"gitmem import {path}"


def _short(path: str) -> str:
    """Return a path for a shell, relative to the current folder if it is below it."""
    import shlex
    from pathlib import Path

    relative = Path(path).relative_to(Path.cwd()) if Path(path).is_relative_to(Path.cwd()) else Path(path)
    return shlex.quote(str(relative))


def _table(result: ImportResult, *, is_dry: bool) -> dict[str, object]:
    settled = result.settled
    groups = {
        "skipped": settled.skipped,
        "near": settled.near,
        "merged": settled.merged,
        "refused": result.refused,
        "unreadable": result.unreadable,
        "not_read": result.others,
        "notices": result.notices,
        "moved": settled.moved,
        "gone": settled.gone,
    }
    return {
        "commit": result.commit,
        "dry_run": is_dry,
        "imported": len(settled.new),
        "updated": len(settled.updated),
        "unchanged": settled.unchanged,
        "duplicates": settled.merged.total,
        "near_duplicates": settled.near.total,
        "commands_waiting": result.commands,
        **{name: [{"source": where, "reason": reason} for where, reason in of.kept] for name, of in groups.items()},
        "totals": {name: of.total for name, of in groups.items()},
    }


def _print(result: ImportResult, out: Output, *, is_dry: bool) -> None:
    settled = result.settled
    lists = (
        ("red", "refused", result.refused, "with a secret or a hidden character"),
        ("yellow", "unreadable", result.unreadable, "not imported"),
        ("dim", "skipped", settled.skipped, "left out on purpose"),
        ("dim", "nearly said", settled.near, "another one says nearly the same"),
        ("dim", "merged", settled.merged, "another one has the same words or the same key"),
        ("dim", "not read", result.others, "of another kind"),
        ("dim", "moved", settled.moved, "a note with another name"),
        ("yellow", "gone", settled.gone, "a note that is no longer there"),
    )
    for style, what, reasons, _ in lists:
        _print_reasons(out, what, style, reasons)
    would = "would be " if is_dry else ""
    new, updated = len(settled.new), len(settled.updated)
    if new or updated:
        parts = [f"{quantity(new, 'memory', 'memories')} {would}imported"] if new else []
        parts += [f"{quantity(updated, 'memory', 'memories')} {would}updated"] if updated else []
        out.result(", ".join(parts), is_change=not is_dry)
    else:
        nothing = "nothing would be imported" if is_dry else "nothing new to import"
        out.line(nothing if result.count else f"{nothing}: no memories found" if is_dry else "no memories found")
    rows = [("there already", settled.unchanged, "")]
    rows += [(what, reasons.total, why) for _, what, reasons, why in lists]
    for what, number, why in rows:
        if number:
            out.line(f"{number:>6}  {what}", (f": {why}" if why else "", "dim"))
    if result.commands and not is_dry:
        waits = quantity(result.commands, "imported command waits", "imported commands wait")
        out.note(f"{waits} for your approval: gitmem trust --review")


def _print_reasons(out: Output, what: str, style: str, reasons: Reasons) -> None:
    for where, reason in reasons.kept[:SHOWN]:
        out.line((f"{what}:", style), " ", where, ": ", reason)
    if reasons.total > SHOWN:
        out.line((f"{what}:", style), f" … and {reasons.total - SHOWN} more (the first {len(reasons.kept)} in --json)")
