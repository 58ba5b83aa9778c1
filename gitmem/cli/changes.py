"""What the commands that write memories share: their options, and how the change is printed."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.output import Output, shorten
from gitmem.cli.paths import code_path, code_reference
from gitmem.store.scopes import SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.write.place import Change

# What a reference of a memory names.
REF = "path:line, path:line-line, a URL, a run id"


def add_place(parser: ArgumentParser) -> None:
    """Add the options that select where to write a new memory."""
    place = parser.add_argument_group("where it goes")
    place.add_argument(
        "--scope",
        default="",
        choices=SCOPES,
        help="who can read it: private, project, domain or universal (project, or as its collection says)",
    )
    place.add_argument("--domain", action="append", default=[], help="a domain shared by projects, such as auth")
    place.add_argument("--in-tree", action="store_true", help="write it to .memory/ in the code, for you to commit")


def add_force(parser: ArgumentParser) -> None:
    """Add ``--force`` to a command that writes a memory."""
    parser.add_argument("--force", action="store_true", help="write it even if another memory already says it")


def memory_options(parser: ArgumentParser) -> Any:
    """Return the group of options that describe a memory."""
    return parser.add_argument_group("the memory")


def add_fields(parser: ArgumentParser, *, ref: str = REF) -> None:
    """Add the options for fields of any new memory; *ref* describes what a reference names."""
    memory = memory_options(parser)
    memory.add_argument("--key", default="", help="its key (made from the text)")
    memory.add_argument("--tag", action="append", default=[], help="a tag; others are found in the text")
    about = "code files it is about"
    memory.add_argument("--path", action="append", default=[], type=code_path, metavar="GLOB", help=about)
    memory.add_argument("--ref", action="append", default=[], type=code_reference, help=ref)
    memory.add_argument("--importance", choices=("critical", "high", "medium", "low"), help="how much it matters")


def add_links(parser: ArgumentParser, *, produces: str = "a label that others can require") -> None:
    """Add the options for what a new memory rests on and how long it is valid; *produces* describes its labels."""
    memory = memory_options(parser)
    memory.add_argument("--requires", action="append", default=[], metavar="KEY", help="a memory or label it rests on")
    memory.add_argument("--produces", action="append", default=[], metavar="LABEL", help=produces)
    memory.add_argument("--ttl", default="", metavar="TIME", help="time to live: 12h, 30d, never")


def memory_fields(args: Arguments) -> dict[str, Any]:
    """Return the values of these options, as arguments of ``Memory.remember``."""
    names = {"key": "key", "tag": "tags", "path": "paths", "ref": "refs", "importance": "importance"}
    names |= {"requires": "requires", "produces": "produces", "ttl": "ttl"}
    return {field: getattr(args, name) for name, field in names.items() if name in args}


def print_change(change: Change, args: Arguments, out: Output, *, did: str = "recorded") -> int:
    """Print the result of a write: the key alone, or JSON; on a terminal one sentence (*did* is its verb)."""
    if getattr(args, "json", False):
        out.json({"key": change.key, "path": change.path, "commit": change.commit})
    elif change.is_written and out.is_terminal:
        did = f"{did} {change.key}"
        room = out.width - len(did) - 4  # besides the mark and the spaces
        # A long key was made from the text anyway.
        out.confirm(did, shorten(_title_of(args), room) if room >= 20 else "")
    else:
        out.line(change.key)
        if not change.is_written:
            out.note(f"{change.key} already says this; nothing was written")
    return 0


def _title_of(args: Arguments) -> str:
    """Return the typed title or text of a memory; empty if it was not typed."""
    text = getattr(args, "title", None) or getattr(args, "text", None) or ""
    return "" if text == "-" else str(text)


def print_changes(changes: Sequence[Change], args: Arguments, out: Output, *, did: str, unwritten: str) -> int:
    """Print the results of several writes: their keys, or JSON; *unwritten* explains unchanged ones."""
    if args.json:
        tables = [{"key": c.key, "path": c.path, "commit": c.commit} for c in changes]
        out.json(tables[0] if len(tables) == 1 else {"memories": tables})
        return 0
    for change in changes:
        out.result(change.key, f"{did} {change.key}", is_change=change.is_written)
        if not change.is_written:
            out.note(f"{change.key} {unwritten}")
    return 0
