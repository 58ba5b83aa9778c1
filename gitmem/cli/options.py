"""The options of commands: how a line is read, the options that several commands have, and what they open and print.

Plain command lines are read without argparse, which takes 8 ms with ``re`` (measured: half a bare start). A command
declares its options once, in ``add_arguments``. If a line is plain (declared options with their values, and words),
this module reads it. Everything else (``--help``, ``--``, a mistake) is left to the full parser in ``cli.parser``,
which gives the same result for a plain line.

Paths of the code are typed relative to the current folder, as in git; ``:/PATH`` starts at the top. All other code uses
paths from the top of the work tree: options that take such a path have one of the functions below as their ``type``.
"""

from __future__ import annotations

import os

from gitmem.config import unknown_variables
from gitmem.errors import NoRepositoryError, UsageError
from gitmem.git.repository import ignored_git_dir
from gitmem.model import STATUSES
from gitmem.store.scopes import LISTED, PROJECT, SCOPES
from gitmem.text.globs import composed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Sequence
    from types import ModuleType, TracebackType
    from typing import Any, TypedDict, Unpack

    from gitmem.cli.output import Output
    from gitmem.git.repository import Repository
    from gitmem.memory import Memory
    from gitmem.model import Hit
    from gitmem.recall import RecallResult

    Arguments = argparse.Namespace
    ArgumentParser = argparse.ArgumentParser

    class ArgumentSettings(TypedDict, total=False):
        """How an argument is declared, as for argparse."""

        action: str
        nargs: str
        const: Any
        default: Any
        type: Callable[[str], Any]
        choices: Collection[str]
        required: bool
        dest: str
        metavar: str
        help: str

else:

    class Arguments:
        """The values of a command's arguments by name, as in ``argparse.Namespace``."""

        def __init__(self, **values):
            self.__dict__.update(values)

        def __contains__(self, name):
            return name in self.__dict__


# Actions without a value: the value that they store, and their default.
FLAGS = {"store_true": True, "store_false": False}
DEFAULTS = {"store_true": False, "store_false": True}


class NotPlainError(Exception):
    """The line contains something that only the full parser understands or can report."""


class Argument:
    """One declared option or word."""

    def __init__(self, names: Sequence[str], settings: ArgumentSettings) -> None:
        name = next((name for name in names if name.startswith("--")), names[0])
        plain = name.lstrip("-").replace("-", "_") if name.startswith("-") else name
        self.dest = settings.get("dest") or plain
        self.action, self.nargs = settings.get("action", "store"), settings.get("nargs")
        self.type, self.choices = settings.get("type"), settings.get("choices")
        self.required = settings.get("required", False)
        self.const = FLAGS.get(self.action, settings.get("const"))
        self.default = settings.get("default", DEFAULTS.get(self.action))
        self.help = settings.get("help") or ""

    @property
    def takes_value(self) -> bool:
        """Return whether the option is followed by a value."""
        return self.action not in (*FLAGS, "store_const")

    def value_of(self, text: str) -> Any:
        """Return the value of this argument for *text*."""
        if self.type is not None:
            try:
                value = self.type(text)
            except Exception as err:
                raise NotPlainError from err  # argparse reports the error
        else:
            value = text
        if self.choices is not None and value not in self.choices:
            raise NotPlainError
        return value


class Reader:
    """The declared arguments of one command, with the methods of ``argparse.ArgumentParser`` that commands use."""

    def __init__(self) -> None:
        self.options: dict[str, Argument] = {}
        self.words: list[Argument] = []
        self.values: dict[str, Any] = {}
        self._groups: list[tuple[bool, list[Argument]]] = []

    def add_argument(self, *names: str, **settings: Unpack[ArgumentSettings]) -> Argument:
        """Declare an option or a positional argument."""
        argument = Argument(names, settings)
        if names[0].startswith("-"):
            self.options.update(dict.fromkeys(names, argument))
        else:
            self.words.append(argument)
        self.values.setdefault(argument.dest, argument.default)
        return argument

    def add_argument_group(self, _title: str) -> Reader:
        """Return the reader itself: only help shows groups."""
        return self

    def add_mutually_exclusive_group(self, *, required: bool = False) -> Group:
        """Return a group of options of which at most one may be used."""
        self._groups.append((required, []))
        return Group(self, self._groups[-1][1])

    def set_defaults(self, **values: object) -> None:
        """Set values that are not arguments."""
        self.values.update(values)

    def read(self, line: Sequence[str]) -> Arguments:
        """Return the values of a plain line.

        Raises:
            NotPlainError: The line is not plain.
        """
        values, seen, words = dict(self.values), set(), []
        rest = iter(line)
        for word in rest:
            if not word.startswith("-") or word == "-":
                words.append(word)
                continue
            name, equals, text = word.partition("=")
            option = self.options.get(name)
            if option is None or option.nargs is not None or bool(equals) > option.takes_value:
                raise NotPlainError
            seen.add(option)
            if not option.takes_value:
                values[option.dest] = option.const
                continue
            text = text if equals else next(rest, "-")
            if text.startswith("-") or not text:
                raise NotPlainError
            value = option.value_of(text)
            values[option.dest] = [*(values[option.dest] or ()), value] if option.action == "append" else value
        self._check(seen)
        values.update(self._place(words))
        return Arguments(**values)

    def _check(self, seen: set[Argument]) -> None:
        """Raise NotPlainError for a line without a required option, or with two exclusive ones."""
        if any(option.required and option not in seen for option in self.options.values()):
            raise NotPlainError
        for required, group in self._groups:
            if not int(required) <= len(seen.intersection(group)) <= 1:
                raise NotPlainError

    def _place(self, words: list[str]) -> dict[str, Any]:
        """Return the values of the positional arguments in order; the last one may take all remaining words."""
        found: dict[str, Any] = {}
        for argument in self.words:
            if argument.nargs is None:
                if not words:
                    raise NotPlainError
                found[argument.dest] = argument.value_of(words.pop(0))
            elif argument.nargs == "?":
                if words:
                    found[argument.dest] = argument.value_of(words.pop(0))
            elif words and argument.dest != "program":  # which requires ``--`` before it
                found[argument.dest], words = [*map(argument.value_of, words)], []
            elif argument.nargs == "+":
                raise NotPlainError
            else:
                found[argument.dest] = [] if argument.default is None else argument.default
        if words:
            raise NotPlainError
        return found


if not TYPE_CHECKING:
    # What a command declares its arguments on: the reader, or for the rest argparse's parser, which has these methods.
    ArgumentParser = Reader


class Group:
    """A group of options of which at most one may be used."""

    def __init__(self, reader: Reader, options: list[Argument]) -> None:
        self._reader, self._options = reader, options

    def add_argument(self, *names: str, **settings: Unpack[ArgumentSettings]) -> Argument:
        """Declare an option of the group."""
        self._options.append(self._reader.add_argument(*names, **settings))
        return self._options[-1]


def read_plain(module: ModuleType, line: Sequence[str]) -> Arguments | None:
    """Return the arguments of a command's plain line; None if the full parser is needed."""
    reader = Reader()
    module.add_arguments(reader)
    try:
        return reader.read(line)
    except NotPlainError:
        return None


# The prefix of a path that starts at the top of the work tree (gitglossary(7), pathspec).
TOP = ":/"
WILD = frozenset("*?[")


def code_path(text: str) -> str:
    """Return a typed path or glob relative to the top of the work tree; unchanged outside of a work tree.

    Raises:
        UsageError: It leads out of the work tree, or does not exist but would if it started at the top.
    """
    return composed(_code_path(text))


def _code_path(text: str) -> str:
    if text.startswith(TOP):
        return text.removeprefix(TOP) or "."
    places = _places() if text else None
    if places is None:
        return text
    folder, top = places
    if folder == top and not text.startswith((".", "/")) and "/../" not in text:
        return text
    literal, rest = _literal(text)
    path = os.path.relpath(os.path.join(folder, _real(literal)), top)
    if path == ".." or path.startswith("../"):
        raise UsageError(
            f"{text} is not a path inside the repository", hint=f"{TOP}PATH begins at the top of the repository"
        )
    if not _is_there(top, path) and not literal.startswith("/") and _is_there(top, literal):
        message = f"there is no {path}: paths are relative to the current folder"
        raise UsageError(message, hint=f"did you mean {TOP}{text}?")
    if rest or literal.endswith("/"):
        path = "" if path == "." else f"{path}/"
    return f"{path}{rest}"


def path_reader(place: Callable[[str, Callable[[str], str]], str] | None) -> Callable[[str], str]:
    """Return the function that reads an option whose value contains a path (``Value.placed``)."""
    return str if place is None else lambda text: place(text, code_path)


def code_reference(text: str) -> str:
    """Return a reference with its path relative to the top of the work tree; URLs and ids of runs are unchanged.

    Raises:
        UsageError: As ``code_path``.
    """
    path, mark, lines = text.rpartition(":")
    is_lines = bool(path) and lines.replace("-", "").isdecimal()
    path = path if is_lines else text
    if "://" in text or not (
        path.startswith(TOP) or os.path.lexists(path) or (is_lines and ("/" in path or "." in path))
    ):
        return text
    return code_path(path) + (f"{mark}{lines}" if is_lines else "")


def _places() -> tuple[str, str] | None:
    """Return the current folder and the top of its work tree as real paths; None if there is no work tree."""
    from gitmem.git.repository import discover

    try:
        folder = os.path.realpath(os.getcwd())
        top = discover(folder).top
    except (NoRepositoryError, OSError):
        return None
    top = os.path.realpath(top) if top else ""
    return (folder, top) if top and (folder == top or folder.startswith(os.path.join(top, ""))) else None


def _real(path: str) -> str:
    """Return an absolute path with links in its folders resolved, but not a link that it names itself."""
    folder, name = os.path.split(path.rstrip("/"))
    return os.path.join(os.path.realpath(folder), name) if path.startswith("/") else path


def _is_there(top: str, path: str) -> bool:
    return bool(path) and os.path.lexists(os.path.join(top, path))


def _literal(text: str) -> tuple[str, str]:
    """Split a glob into the folders before its first pattern and the rest; a plain path has no rest."""
    at = next((at for at, char in enumerate(text) if char in WILD), len(text))
    at = len(text) if at == len(text) else text.rfind("/", 0, at) + 1
    return text[:at], text[at:]


class CommandMemory:
    """The memory that a command works on: a context manager that prints its notices, unless the command fails."""

    def __init__(self, memory: Memory, out: Output) -> None:
        self._memory, self._out = memory, out

    def __enter__(self) -> Memory:
        """Return the memory."""
        return self._memory

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Print the notices, and close the memory."""
        if kind is None:
            print_notices(self._memory, self._out)
        self._memory.__exit__(kind, value, trace)


def open_memory(out: Output) -> CommandMemory:
    """Open the memory of the repository in which the command runs; its notices are printed after the work."""
    return CommandMemory(open_quietly(out), out)


def open_to_read(out: Output) -> CommandMemory:
    """Open the memory as ``open_memory`` does; outside of a repository, the universal store if there is one."""
    from gitmem.store.universal import find_universal

    return CommandMemory(open_quietly(out, fallback=find_universal), out)


def open_to_write(out: Output, scope: str) -> CommandMemory:
    """Open the memory as ``open_memory`` does; outside of a repository, the universal store if that is the scope."""
    from gitmem.store.scopes import UNIVERSAL
    from gitmem.store.universal import make_universal

    return CommandMemory(open_quietly(out, fallback=make_universal) if scope == UNIVERSAL else open_quietly(out), out)


def open_quietly(out: Output, *, fallback: Callable[[], Repository | None] = lambda: None) -> Memory:
    """Return the memory of the repository in which the command runs, without printing its notices."""
    from gitmem.memory import Memory

    memory = Memory(progress=out.progress, fallback=fallback)
    repository = memory.repository
    if repository.ignoring:
        memory.notices.append(repository.ignoring)
    if option := ignored_git_dir(repository.git.repository):
        memory.notices.append(f"GIT_DIR is ignored; to use that repository: gitmem {option} …")
    if repository.config.color != "auto":
        out.set_color(repository.config.color)
    for notice in unknown_variables():
        out.note(notice)
    return memory


def print_notices(memory: Memory, out: Output) -> None:
    """Print the memory's notices on standard error; a command that prints while the memory is open calls this first."""
    for notice in memory.notices:
        out.note(notice)
    memory.notices.clear()


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


def query_of(args: Arguments, memory: Memory, *, query: str = "", limit: int = 10) -> Any:
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
    """Return the kinds that a role of the policy reads; empty for all."""
    from gitmem.policy.kinds import role_name

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


def print_hits(memory: Memory, found: RecallResult, out: Output, *, explain: bool = False) -> None:
    """Print hits: two lines each on a terminal, tab-separated cells in a pipe; *explain* adds the factors."""
    if out.is_terminal:
        from gitmem.cli import hits

        hits.print_hits(memory, found, out, explain=explain)
        return
    for hit in found.hits:
        product = (("score", hit.score), *hit.factors, *hit.sources) if explain and hit.factors else ()
        factors = [" ".join(f"{name}={value:.4g}" for name, value in product)] if product else []
        out.row(hit.reference, hit.kind, hit.gone or hit.status, hit.title, hit.snippet, hit.scope, *factors)
    if found.more:
        out.note(f"{found.more} more: --limit {len(found.hits) + found.more}")
