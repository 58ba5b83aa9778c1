"""Print a completion script for your shell."""

from __future__ import annotations

import argparse

from gitmem.cli import table

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    for name, (_, about) in table.COMMANDS.items():
        module = table.load(name)
        module.add_arguments(commands.add_parser(name, help=about, description=module.__doc__))
    return parser
