"""The argument parser of a command, with gitmem's own help and error messages, and ``--`` before a program."""

from __future__ import annotations

import argparse
from types import MappingProxyType

from gitmem.cli.commands import verbs_of
from gitmem.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import NoReturn

# argparse translates its messages with gettext, which imports ``locale``: 1.3 ms of every start (measured), although
# the help is in English.
argparse._ = str  # type: ignore[attr-defined]
UNKNOWN = "unrecognized arguments: "
# Options that people type by habit, with ours; of several, the first one that the command has is suggested.
SYNONYMS = MappingProxyType(
    {
        **dict.fromkeys(("--grep", "--search", "--text", "--pattern"), ("--contains",)),
        **dict.fromkeys(("--shell", "--command", "--cmd", "--check", "--run", "--test"), ("--verify",)),
        **dict.fromkeys(("--file", "--files"), ("--in", "--path")),
        **dict.fromkeys(("--message", "--description", "--details", "-m"), ("--body",)),
        "--dry-run": ("--print",),
    }
)


class Formatter(argparse.HelpFormatter):
    """Formats argparse's errors with a fixed width, because asking shutil for the terminal's takes 3 ms."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class HelpRequest(Exception):  # noqa: N818 - control flow, not an error
    """Raised when the user asks for help.

    Attributes:
        parser: The parser of the command (``manual.page`` prints its help).
    """

    def __init__(self, parser: Parser) -> None:
        super().__init__(parser.prog)
        self.parser = parser


class Parser(argparse.ArgumentParser):
    """A parser that raises its messages instead of printing them: only ``cli.output`` prints.

    Attributes:
        examples: Command lines that show what the command does.
        verbs: The verbs of a noun, with descriptions.
        width: Columns of the help.
    """

    examples: tuple[str, ...] = ()
    verbs: Mapping[str, str] = MappingProxyType({})
    width = 100

    def print_help(self, file: object = None) -> NoReturn:
        """Raise the help.

        Raises:
            HelpRequest: Always.
        """
        raise HelpRequest(self)

    def error(self, message: str) -> NoReturn:
        """Raise an error in the command line.

        Raises:
            UsageError: Always, with a similar option or the help as its hint.
        """
        if message.startswith(UNKNOWN):
            raise self._unknown(message.removeprefix(UNKNOWN))
        message = message.removeprefix("argument ")
        hint = f"{self.prog} --help has examples"
        if message.startswith("-") and message.endswith(": expected one argument"):
            option = message.partition(":")[0].rpartition("/")[2]
            hint += f"\na value that begins with - goes after =, as in {option}=-q"
        raise UsageError(message, hint=hint)

    def _unknown(self, extras: str) -> UsageError:
        from difflib import get_close_matches  # 3 ms, and only for this error

        first = extras.split(" ", 1)[0]
        if not first.startswith("-"):
            return UsageError(
                f"unexpected argument: {extras}", hint=f"quote arguments that contain spaces; see {self.prog} --help"
            )
        name = first.split("=", 1)[0]
        known = self._option_string_actions
        # Without the hyphens, which all options share: with them, --json is near --cron.
        by_word = {option.lstrip("-"): option for option in known}
        near = [option for option in SYNONYMS.get(name, ()) if option in known]
        near += [by_word[word] for word in get_close_matches(name.lstrip("-"), by_word, n=1)]
        hint = f"did you mean {near[0]}?" if near else f"{self.prog} --help lists the options"
        if self._get_positional_actions():
            hint += "\narguments that begin with - go after --"
        return UsageError(f"unknown option: {name}", hint=hint)

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """Parse a command's arguments; mixing words and options takes 3 ms and is tried second.

        For a command that takes a program, everything after the first ``--`` is the program, unchanged: argparse would
        drop a second ``--`` (seen with Python 3.11.7), and so prove another program.

        Raises:
            UsageError: The command line is wrong.
            HelpRequest: It has ``--help``.
        """
        program: list[str] = []
        if "--" in arguments and any(action.dest == "program" for action in self._actions):
            border = arguments.index("--")
            arguments, program = arguments[:border], arguments[border + 1 :]
        args, extras = self.parse_known_args(arguments)
        if extras:
            args = self.parse_intermixed_args(arguments)
        if getattr(args, "program", None):
            hint = "quote arguments that contain spaces; a program goes after --: … -- grep -q TEXT FILE"
            if _is_check_without_files(args):
                hint = "name the files of a check with --in FILE"
            raise UsageError(f"unexpected argument: {args.program[0]}", hint=hint)
        if program:
            args.program = program
        return args


def _is_check_without_files(args: argparse.Namespace) -> bool:
    """Return whether options make a check that takes --in, without it."""
    from gitmem.document.builtin_checks import CHECKS  # only where an argument is wrong

    searches = [check.name for check in CHECKS.values() if any(field.name == "in" for field in check.more)]
    return not getattr(args, "in", True) and any(getattr(args, name, None) for name in searches)


def parser_of(name: str, module: ModuleType, *, width: int = Parser.width) -> Parser:
    """Return the parser of one command."""
    parser = Parser(prog=f"gitmem {name}", description=module.__doc__, formatter_class=Formatter, allow_abbrev=False)
    parser.examples, parser.verbs, parser.width = module.EXAMPLES, verbs_of(name), width
    module.add_arguments(parser)
    return parser
