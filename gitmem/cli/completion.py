"""Print a completion script for your shell."""

from __future__ import annotations

import argparse

from gitmem.cli import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.cli.output import Output

EXAMPLES = (
    "gitmem completion bash > ~/.local/share/bash-completion/completions/gitmem",
    "gitmem completion zsh > ~/.zfunc/_gitmem",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what completion takes."""
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="your shell")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the script."""
    import shtab

    out.exact(shtab.complete(whole_parser(), shell=args.shell))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with every command in it; only completion and the reference need it."""
    parser = argparse.ArgumentParser(prog="gitmem", description="Git-native memory.")
    parser.add_argument("-C", metavar="DIR", help="run as if started in DIR")
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command")
    for name in table.top():
        added = _add(commands, name, name)
        verbs = table.verbs_of(name)
        if verbs:
            below = added.add_subparsers(dest="verb")
            for verb in verbs:
                _add(below, verb, f"{name} {verb}")
    return parser


def _add(commands: Any, word: str, name: str) -> argparse.ArgumentParser:
    module = table.load(name)
    added: argparse.ArgumentParser = commands.add_parser(word, help=table.COMMANDS[name][1], description=module.__doc__)
    module.add_arguments(added)
    return added
