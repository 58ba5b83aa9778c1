"""The arguments of a command: how they are declared, and how a plain command line is read without argparse.

argparse takes 8 ms with ``re`` (measured: half a bare start). A command declares its arguments once, in
``add_arguments``. If a line is plain (declared options with their values, and words), this module reads it. Everything
else (``--help``, ``--``, a mistake) is left to the full parser in ``cli.parser``, which gives the same result for a
plain line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Sequence
    from types import ModuleType
    from typing import Any, TypedDict, Unpack

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
        values: dict[str, Any] = {}
        for argument in self.words:
            if argument.nargs is None:
                if not words:
                    raise NotPlainError
                values[argument.dest] = argument.value_of(words.pop(0))
            elif argument.nargs == "?":
                if words:
                    values[argument.dest] = argument.value_of(words.pop(0))
            elif words and argument.dest != "program":  # which requires ``--`` before it
                values[argument.dest], words = [*map(argument.value_of, words)], []
            elif argument.nargs == "+":
                raise NotPlainError
            else:
                values[argument.dest] = [] if argument.default is None else argument.default
        if words:
            raise NotPlainError
        return values


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
