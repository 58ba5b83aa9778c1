"""Print a memory file in readable form, for `git diff` and `git log -p` (gitmem install git-diff).

Hidden characters are spelled out, a command that the file does not show exactly as it runs is printed in full after it,
and a verdict is one line.
"""

from __future__ import annotations

import sys

from gitmem.commands.textconv import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitmem.cli.output import Output

EXAMPLES = ("gitmem textconv facts/auth-uses-rs256.md",)
# A file of the memory has at most 64 KiB; git shows larger files unchanged.
LIMIT = 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``textconv``."""
    parser.add_argument("file", help="the file")


def run(args: argparse.Namespace, _: Output) -> int:
    """Print a file."""
    return show(args.file)


def show(path: str) -> int:
    """Print a file in readable form; if it cannot be read, return 1 and print nothing on standard output."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs as much as all the rest
            data = file.read(LIMIT + 1)
    except OSError:
        return 1
    if len(data) > LIMIT:
        return 1
    sys.stdout.buffer.write(readable(path, data).encode("utf-8", "backslashreplace"))
    return 0
