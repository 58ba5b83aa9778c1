"""Serve the memory to agents over the Model Context Protocol: on standard input and output, or HTTP on this machine.

Usually an agent's client starts it; docs/mcp.md shows how to set up each one. The tools search, read, write and retire
memories, send learnings and propose facts; none of them approves or runs a command. It needs the package mcp; without
it, the command prints how to install it.
"""

from __future__ import annotations

import gc
import os
import sys

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.errors import GitmemError, UsageError
from gitmem.text.own import OwnWords, own

EXAMPLES = (
    "gitmem mcp",
    "gitmem mcp --read-only",
    "gitmem mcp --board audit-7",
    "gitmem mcp --http",
)
# The letters GITM on a phone keypad.
PORT = 4486


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``mcp``."""
    about = f"serve over HTTP on 127.0.0.1 instead, on this port ({PORT}; 0: any free port)"
    parser.add_argument("--http", nargs="?", type=_port, const=PORT, metavar="PORT", help=about)
    parser.add_argument("--read-only", action="store_true", help="leave out the tools that write")
    about = "also serve the board of this run (gitmem board): board_show and board_post"
    parser.add_argument("--board", default="", metavar="RUN", help=about)
    about = "with --http: require no token; any user of this machine can then read and write here"
    parser.add_argument("--no-token", action="store_true", help=about)


def run(args: Arguments, out: Output) -> int:
    """Serve until the client disconnects, or a signal arrives."""
    if args.no_token and args.http is None:
        raise UsageError("--no-token requires --http: standard input and output need no token")
    if args.http is None and sys.stdin is not None and sys.stdin.isatty():
        out.note("serving MCP on this terminal, where a program is expected; press Ctrl-D to stop")
    gc.enable()  # undo the command line's setting, because this may run for days
    try:
        import mcp  # noqa: F401 - the room below needs it
    except ModuleNotFoundError as err:
        if err.name != "mcp":
            raise
        from gitmem.system.origin import extra_hint

        raise GitmemError("the package mcp is not installed here", hint=extra_hint("mcp")) from err
    if args.http is None:
        from gitmem.mcp.server import serve

        serve(os.getcwd(), read_only=args.read_only, board=args.board)  # noqa: PTH109 - where we are
        return 0
    from gitmem.mcp import http

    token = None if args.no_token else variable("GITMEM_MCP_TOKEN")

    def print_address(address: str, token: str) -> None:
        out.line(address)
        if token:
            # A secret that is meant to be read here.
            out.note(own("clients send the header Authorization: Bearer {}", OwnWords(token)))
        out.flush()

    how = {"port": args.http, "read_only": args.read_only, "board": args.board}
    http.serve(os.getcwd(), token=token, report=print_address, **how)  # noqa: PTH109 - as above
    return 0


def _port(text: str) -> int:
    """Parse a port for argparse."""
    from argparse import ArgumentTypeError

    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65535):
        raise ArgumentTypeError(f"must be a port from 0 to 65535, not {text!r}")
    return int(text)
