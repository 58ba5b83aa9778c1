"""What the commands that write memories share: their options, and how the change is printed."""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.columns import width_of
from gitmem.cli.names import short_names, shown_names, titles_of, with_short_ids
from gitmem.cli.output import Output, shorten
from gitmem.cli.paths import code_path, code_reference
from gitmem.frozen import frozen
from gitmem.git.git import FALLBACK_IDENTITY, NAMELESS
from gitmem.statuses import MARKS
from gitmem.store.scopes import PROJECT, SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.memory import Memory
    from gitmem.write.place import Change

# The fewest columns of a title.
TITLE = 20
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


def add_written(parser: ArgumentParser, *, ref: str = REF) -> None:
    """Add the options of a memory to write; *ref* describes what a reference names."""
    about = "the title, in one line (the first sentence of the text)"
    memory_options(parser).add_argument("--title", default="", help=about)
    add_fields(parser, ref=ref)
    add_force(parser)


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


def print_change(
    change: Change, memory: Memory, args: Arguments, out: Output, *, did: str = "recorded", more: str = ""
) -> int:
    """Print the result of a write while the memory is open: the key alone, or JSON; on a terminal one line.

    Args:
        change: The result.
        memory: The memory that was written to.
        args: The command's arguments.
        out: The output.
        did: What was done, in a word.
        more: What else happened; or empty.
    """
    if getattr(args, "json", False):
        out.json(_tables(memory, [change])[0])
    elif change.is_written and out.is_terminal:
        print_memory(change.key, memory, out, ChangeMessage(did, more, title=_title_of(args)))
    else:
        out.line(change.key)
        if not change.is_written:
            name = shown_names(memory, [change.key], out)[change.key]
            out.note(f"{name} already says this; nothing was written")
        elif more:
            out.note(more)
    if change.contradicts and not getattr(args, "json", False):
        from gitmem.verify.overview.cause import few  # few memories contradict others

        name, *others = shown_names(memory, [change.key, *change.contradicts], out).values()
        out.note(f"it contradicts {few(others)}: gitmem settle {name}")
    return 0


def _title_of(args: Arguments) -> str:
    """Return the typed title or text of a memory; empty if it was not typed."""
    text = next((value for name in ("title", "text", "reword") if (value := getattr(args, name, None))), "")
    return "" if text == "-" else str(text)


def describe_first_write(memory: Memory, args: Arguments) -> str:
    """Return what the first write in a clone does besides: it may create the branch, and lack its author's name.

    Empty for later writes, and for those to other scopes.
    """
    repository = memory.repository
    if args.scope not in ("", PROJECT) or args.in_tree or repository.git.read_ref(repository.ref):
        return ""
    created = "" if repository.find_tip() else f"created the branch {repository.config.branch}"
    nameless = NAMELESS if repository.git.identity() == FALLBACK_IDENTITY else ""
    return "; ".join(filter(None, (created, nameless)))


@frozen
class ChangeWords:
    """What a command says about memories that it changes: what was *did*, and why one is *unwritten*."""

    did: str
    unwritten: str


@frozen
class ChangeMessage:
    """What a command says about a memory that it wrote.

    Attributes:
        did: What was done, in a word.
        more: What else happened; or empty.
        status: The status whose mark is shown.
        title: The title of a memory of another scope, or of one that is not committed.
    """

    did: str
    more: str = ""
    status: str = "verified"
    title: str = ""


def print_memory(key: str, memory: Memory, out: Output, message: ChangeMessage) -> None:
    """Print on a terminal what became of a memory: mark, words, title, short id, and in parentheses what else happened.

    A memory of another scope, and one that is not committed, is named by its key.
    """
    did, more, status = message.did, message.more, message.status
    title = titles_of(memory, [key]).get(key, message.title)
    name = short_names(memory, [key])[key]
    mark, last = (MARKS[status], status), f"  ({more})" if more else ""
    room = out.width - width_of(did) - len(name) - len(last) - 6  # besides the mark and the spaces
    shown = ("  ", (shorten(title, max(room, TITLE)), "bold")) if title else ()
    out.line(mark, " ", did, *shown, "  ", (name, "key"), (last, "dim"))


def print_changes(changes: Sequence[Change], memory: Memory, args: Arguments, out: Output, words: ChangeWords) -> int:
    """Print the results of several writes while the memory is open: their keys, or JSON; on a terminal a line each."""
    if args.json:
        tables = _tables(memory, changes)
        out.json(tables[0] if len(tables) == 1 else {"memories": tables})
        return 0
    names = shown_names(memory, [change.key for change in changes], out)
    for change in changes:
        print_written(change, memory, out, did=words.did)
        if not change.is_written:
            out.note(f"{names[change.key]} {words.unwritten}")
    return 0


def print_written(change: Change, memory: Memory, out: Output, *, did: str) -> None:
    """Print what was done to a memory on a terminal, and its key in a pipe or if nothing was written."""
    if out.is_terminal and change.is_written:
        print_memory(change.key, memory, out, ChangeMessage(did))
    else:
        out.line(change.key)


def _tables(memory: Memory, changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return changes as documented JSON."""
    tables: list[dict[str, Any]] = [
        {"key": change.key, "path": change.path, "commit": change.commit}
        | ({"contradicts": list(change.contradicts)} if change.contradicts else {})
        for change in changes
    ]
    named: list[dict[str, Any]] = with_short_ids(memory, tables)
    return named
