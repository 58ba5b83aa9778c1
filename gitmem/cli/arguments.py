"""Read plain command lines without argparse, which takes 8 ms with ``re`` (measured: half a bare start).

A command declares its options once, in ``add_arguments``. If a line is plain (declared options with their values, and
words), this module reads it. Everything else (``--help``, ``--``, a mistake) is left to the full parser in
``cli.parser``, which gives the same result for a plain line.

Paths of the code are typed relative to the current folder, as in git; ``:/PATH`` starts at the top. All other code uses
paths from the top of the work tree: options that take such a path have one of the functions below as their ``type``.
"""

from __future__ import annotations

import os

from gitmem.errors import NoRepositoryError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace as Arguments
    from collections.abc import Callable, Collection, Sequence
    from types import ModuleType
    from typing import Any
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

    def __init__(
        self,
        names: Sequence[str],
        *,
        action: str = "store",
        nargs: str | None = None,
        const: Any = None,
        type: Callable[[str], Any] | None = None,
        choices: Collection[str] | None = None,
        required: bool = False,
        dest: str = "",
        **others: Any,
    ) -> None:
        name = next((name for name in names if name.startswith("--")), names[0])
        self.dest = dest or (name.lstrip("-").replace("-", "_") if name.startswith("-") else name)
        self.action, self.nargs, self.type, self.choices, self.required = action, nargs, type, choices, required
        self.const = FLAGS.get(action, const)
        self.default = others.get("default", DEFAULTS.get(action))
        self.help = str(others.get("help") or "")

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

    def add_argument(self, *names: str, **settings: Any) -> Argument:
        """Declare an option or a positional argument."""
        argument = Argument(names, **settings)
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

    def set_defaults(self, **values: Any) -> None:
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
        placed: dict[str, Any] = {}
        for argument in self.words:
            if argument.nargs is None:
                if not words:
                    raise NotPlainError
                placed[argument.dest] = argument.value_of(words.pop(0))
            elif argument.nargs == "?":
                if words:
                    placed[argument.dest] = argument.value_of(words.pop(0))
            elif words and argument.dest != "program":  # which requires ``--`` before it
                placed[argument.dest], words = [*map(argument.value_of, words)], []
            elif argument.nargs == "+":
                raise NotPlainError
            else:
                placed[argument.dest] = [] if argument.default is None else argument.default
        if words:
            raise NotPlainError
        return placed


class Group:
    """A group of options of which at most one may be used."""

    def __init__(self, reader: Reader, options: list[Argument]) -> None:
        self._reader, self._options = reader, options

    def add_argument(self, *names: str, **settings: Any) -> Argument:
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


def placed(place: Callable[[str, Callable[[str], str]], str] | None) -> Callable[[str], str]:
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
