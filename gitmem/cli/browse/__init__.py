"""Search, read and decide in one full-screen program: memories as you type, and pending decisions, one by one.

What it finds is in the order of `gitmem recall`. Tab shows the pending decisions: failures to settle, commands to
approve, duplicates to merge, proposals to review, captured texts that were refused. A key decides, as the command of
that name does; `?` shows all keys. It needs the package textual; without it, the command prints how to install it.
"""

from __future__ import annotations

import gc
import os
import sys
from functools import partial

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.errors import GitmemError, UsageError

EXAMPLES = ("gitmem browse", "gitmem browse retries of the gateway", "gitmem browse --waiting")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``browse``."""
    parser.add_argument("query", nargs="*", help="what to search for first")
    parser.add_argument("--waiting", action="store_true", help="start with the pending decisions")


def run(args: Arguments, out: Output) -> int:
    """Show the screen until the user leaves it."""
    if not (out.is_terminal and sys.stdin is not None and sys.stdin.isatty()) or variable("TERM") == "dumb":
        raise UsageError(
            "browse needs a terminal that it can draw on",
            hint="use the commands recall, show, status, settle and trust instead",
        )
    try:
        import textual  # noqa: F401 - 35 ms; the modules below need it
    except ModuleNotFoundError as err:
        if err.name != "textual":
            raise
        from gitmem.system.origin import extra_hint

        raise GitmemError("the package textual is not installed here", hint=extra_hint("tui")) from err
    gc.enable()  # undo the command line's setting, because this may run for hours
    from gitmem.cli.browse.app import Browse
    from gitmem.cli.browse.search import SearchScreen

    first = partial(SearchScreen, " ".join(args.query), is_waiting=args.waiting)
    app = Browse(os.getcwd(), first)  # noqa: PTH109 - where we are
    app.run()
    if app.failure is not None:
        raise app.failure
    return 0
