"""Functions that several commands share: open the memory, add common options, and print hits and keys."""

from __future__ import annotations

import sys

from gitmem.cli.arguments import code_path
from gitmem.cli.output import Output
from gitmem.config import CLIENT_VARIABLES, unknown_variables, variable
from gitmem.errors import RefusedError, TrustError, UsageError
from gitmem.memory import Memory
from gitmem.model import FACTORS, STATUSES
from gitmem.statuses import MARKS
from gitmem.store import LISTED, PROJECT, SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.model import Hit
    from gitmem.recall import RecallResult
    from gitmem.write.place import Change


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


def add_place(parser: argparse.ArgumentParser) -> None:
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


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add ``--force`` to a command that writes a memory."""
    parser.add_argument("--force", action="store_true", help="write it even if another memory already says it")


def memory_options(parser: argparse.ArgumentParser) -> Any:
    """Return the group of options that describe a memory."""
    return parser.add_argument_group("the memory")


def add_memory_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a memory."""
    memory = memory_options(parser)
    memory.add_argument("--key", default="", help="its key (made from the text)")
    memory.add_argument("--tag", action="append", default=[], help="a tag; others are found in the text")
    memory.add_argument(
        "--path", action="append", default=[], type=code_path, metavar="GLOB", help="code files it is about"
    )
    memory.add_argument("--requires", action="append", default=[], metavar="KEY", help="a memory or label it rests on")
    memory.add_argument("--ttl", default="", metavar="TIME", help="time to live: 12h, 30d, never")


def query_of(args: argparse.Namespace, memory: Memory, *, query: str = "", limit: int = 10) -> Any:
    """Return the query for recall or list.

    Raises:
        UsageError: There is no such status, scope or role.
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
    from gitmem.policy.settings import role_name

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


def unique_lengths(memory: Memory, keys: Iterable[str]) -> dict[str, int]:
    """Return the lengths of the shortest unique prefixes of some keys of the project."""
    wanted = [*keys]
    if not wanted or not memory.repository.find_tip():
        return {}
    from gitmem.index.catalog.keys import unique_lengths

    return unique_lengths(memory.repository.catalog(), wanted)


def marked_key(shown: str, length: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return a key in two parts, its unique prefix marked; *length* is 0 if that is unknown."""
    length = min(length, len(shown.rstrip()))
    return (shown[:length], "prefix"), (shown[length:], "key")


def print_hits(memory: Memory, found: RecallResult, out: Output, *, explain: bool = False) -> None:
    """Print hits: two lines each on a terminal, tab-separated cells in a pipe; *explain* adds the factors."""
    own = (hit.key for hit in found.hits if hit.scope == PROJECT and out.is_terminal)  # only there, prefixes are marked
    lengths = unique_lengths(memory, own)
    for hit in found.hits:
        if out.is_terminal:
            print_hit(hit, out, lengths.get(hit.reference, 0))
        else:
            product = (("score", hit.score), *hit.factors, *hit.sources) if explain and hit.factors else ()
            factors = [" ".join(f"{name}={value:.4g}" for name, value in product)] if product else []
            out.row(hit.reference, hit.kind, hit.status, hit.title, hit.snippet, hit.scope, *factors)
    if explain and out.is_terminal:
        _print_factors([hit for hit in found.hits if hit.factors], out)
    if found.more and out.is_terminal:
        out.line((f"… and {found.more} more: --limit {len(found.hits) + found.more}", "dim"))
    elif found.more:
        out.note(f"{found.more} more: --limit {len(found.hits) + found.more}")


def print_hit(hit: Hit, out: Output, length: int = 0) -> None:
    """Print a hit for people: its key, its title and, if that adds something, a line of its text.

    Args:
        hit: The hit.
        out: The output.
        length: The length of the key's unique prefix, which is marked; 0 if unknown.
    """
    mark = MARKS.get(hit.status, " ")
    old = " (archived)" if hit.archived else ""
    old += f", {hit.scope}" if hit.scope != PROJECT else ""
    about = (f"{hit.kind}{_status_suffix(hit.status)}{old}", "dim")
    out.line((mark, hit.status), " ", *marked_key(hit.reference, length), "  ", about)
    out.line("  ", (shorten(hit.title, out.width - 2), "bold"))
    if hit.snippet and not hit.snippet.startswith(hit.title):
        out.line("  ", *marked(hit.snippet, hit.matches, out.width - 2))


def _print_factors(hits: Sequence[Hit], out: Output) -> None:
    """Print the factors of each score as a table, without factors that are 1 for all."""
    if not hits:
        return
    known = dict(hits[0].factors)
    moved = [name for name in known if any(dict(hit.factors)[name] != 1 for hit in hits)]
    made_of = [name for name, _ in hits[0].sources]
    widths = {name: max(len(name), 6) for name in ("score", *moved, *made_of)}
    out.line()
    out.line((" ".join(f"{name:>{width}}" for name, width in widths.items()) + "  memory", "bold"))
    for hit in hits:
        values = dict.fromkeys(widths, 0.0) | {"score": hit.score, **dict(hit.factors), **dict(hit.sources)}
        row = " ".join(f"{values[name]:>{width}.3g}" for name, width in widths.items())
        out.line(row, "  ", (shorten(hit.reference, max(12, out.width - len(row) - 2)), "key"))
    idle = [name for name in known if name not in moved]
    off = [name for name in FACTORS if name not in known]
    lines = [f"1 (no effect): {list_of(idle)}"] if idle else []
    lines += [f"switched off: {list_of(off)}"] if off else []
    lines += ["relevance is the weighted sum of lexical and dense"] if made_of else []
    if lines:
        out.line(("; ".join(lines), "dim"))


def marked(snippet: str, matches: Sequence[tuple[int, int]], width: int) -> list[tuple[str, str]]:
    """Return at most *width* columns of a snippet in parts with their styles.

    If the first match would not fit, the text begins a third of the line before it.
    """
    start = matches[0][0] - width // 3 if matches and matches[0][1] > width - 1 else 0
    start = min(snippet.find(" ", start) + 1, matches[0][0]) if start > 0 else 0
    head = "…" if start else ""
    end = start + width - len(head)
    end, tail = (len(snippet), "") if end >= len(snippet) else (end - 1, "…")
    parts, at = [(head, "dim")], start
    for first, last in matches:
        if at <= first < end:
            parts += [(snippet[at:first], "dim"), (snippet[first : min(last, end)], "match")]
            at = min(last, end)
    return [part for part in (*parts, (snippet[at:end] + tail, "dim")) if part[0]]


def _status_suffix(status: str) -> str:
    return f", {status}" if status else ""


def shorten(text: str, width: int) -> str:
    """Shorten a text to one line of at most *width* columns."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: max(1, width - 1)] + "…"


def print_change(change: Change, args: argparse.Namespace, out: Output, *, did: str = "recorded") -> int:
    """Print the result of a write: the key alone, or JSON; on a terminal one sentence (*did* is its verb)."""
    if getattr(args, "json", False):
        out.json({"key": change.key, "path": change.path, "commit": change.commit})
    elif change.is_written and out.is_terminal:
        did = f"{did} {change.key}"
        room = out.width - len(did) - 4  # besides the mark and the spaces
        out.done(did, shorten(_title_of(args), room) if room >= 20 else "")  # a long key was made from the text anyway
    else:
        out.line(change.key)
        if not change.is_written:
            out.note(f"{change.key} already says this; nothing was written")
    return 0


def _title_of(args: argparse.Namespace) -> str:
    """Return the typed title or text of a memory; empty if it was not typed."""
    text = getattr(args, "title", None) or getattr(args, "text", None) or ""
    return "" if text == "-" else str(text)


def print_changes(changes: Sequence[Change], args: argparse.Namespace, out: Output, *, did: str, unwritten: str) -> int:
    """Print the results of several writes: their keys, or JSON; *unwritten* explains unchanged ones."""
    if args.json:
        tables = [{"key": c.key, "path": c.path, "commit": c.commit} for c in changes]
        out.json(tables[0] if len(tables) == 1 else {"memories": tables})
        return 0
    for change in changes:
        if change.is_written and out.is_terminal:
            out.done(f"{did} {change.key}")
        else:
            out.line(change.key)
        if not change.is_written:
            out.note(f"{change.key} {unwritten}")
    return 0


# Variables that the clients of agents set for their commands.
AGENT_VARIABLES = (
    *("GITMEM_AGENT", "GITMEM_RUN", "GITMEM_HOOK", "AI_AGENT", "COPILOT_AGENT_JOB_ID"),
    *CLIENT_VARIABLES,
)


def agent_sign() -> str:
    """Return the variable that shows that an agent runs this, or an empty string. It is no security boundary."""
    return next((name for name in AGENT_VARIABLES if variable(name)), "")


def is_interactive() -> bool:
    """Return whether a person can be asked at a terminal: standard input is one, and it can be opened.

    False in an agent's environment, because an agent may have its own terminal.
    """
    if agent_sign():
        return False
    terminal = open_terminal() if sys.stdin is not None and sys.stdin.isatty() else None
    if terminal is not None:
        terminal.close()
    return terminal is not None


def need_terminal(memory: Memory, hint: str) -> Any:
    """Return the terminal at which a person can be asked for an approval.

    Raises:
        TrustError: An agent runs this, or there is no terminal; *hint* says what to do without one.
    """
    if sign := agent_sign() or (memory.repository.config.agent and "gitmem.agent"):
        raise TrustError(
            f"only a person can approve commands, but {sign} shows that an agent is running this one",
            hint="run it in a terminal that no agent uses",
        )
    terminal = open_terminal()
    if terminal is None:
        raise TrustError("approving needs a terminal, and there is none here", hint=hint)
    return terminal


def open_terminal() -> Any:
    """Open the terminal itself for reading and writing (never standard input); None if there is none."""
    try:
        terminal = open("/dev/tty", "r+b", buffering=0)  # noqa: SIM115, PTH123 - a device; the caller keeps it
    except OSError:
        return None
    return terminal


def read_standard_input(limit: int) -> str:
    """Return standard input as text.

    Raises:
        RefusedError: It is larger than a memory may be, or not UTF-8.
    """
    raw = sys.stdin.buffer.read(limit + 1) if sys.stdin is not None else b""
    if len(raw) > limit:
        raise RefusedError(
            f"standard input is larger than {limit} bytes, the maximum size of a memory", hint="split it"
        )
    try:
        return raw.decode("utf-8-sig")  # skips a byte order mark at the beginning
    except UnicodeDecodeError as err:
        raise RefusedError(f"standard input is not valid UTF-8 (byte {err.start})") from err


def list_of(values: Iterable[str]) -> str:
    """Join values with commas."""
    return ", ".join(values)


def place_of(distance: Mapping[str, Any]) -> str:
    """Describe where a commit is relative to HEAD, given the numbers of commits that only one of them has."""
    behind, ahead = distance["behind"], distance["ahead"]
    if behind is None:
        return "not in this clone"
    if not behind and not ahead:
        return "which is HEAD"
    if not ahead:
        return f"{counted(behind, 'commit')} behind HEAD"
    if not behind:
        return f"{counted(ahead, 'commit')} ahead of HEAD"
    return f"beside HEAD ({counted(ahead, 'commit')} only there, {behind} only here)"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 memory``, ``2 memories``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
