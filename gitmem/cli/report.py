"""Write a web page about the memory: what holds, what failed and which commit broke it, and all other memories.

--serve shows it to the browsers of this machine until you press Ctrl-C. The page then follows the memory and the code,
and its search ranks as `gitmem recall` does. The address contains a secret.

It is one self-contained file, which works from disk, with the results of the last verify job. If the texts do not fit
into 3 MB, the longest are truncated, except with --whole. Private memories are left out, except with --scope private.
"""

from __future__ import annotations

import contextlib
import json
import os
import webbrowser
from pathlib import Path

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_at, add_scope, output_options, refuse_other_scopes
from gitmem.cli.output import Output
from gitmem.errors import NotFoundError, UsageError
from gitmem.memory import Memory
from gitmem.store.scopes import PROJECT
from gitmem.system import make_folder

EXAMPLES = (
    "gitmem report",
    "gitmem report public/memory.html",
    "gitmem report --open",
    "gitmem report --serve --open",
    "gitmem report --at v1.2 v1.2.html",
)
# The file in gitmem's own folder of the repository, outside of the work tree, so that git status does not list it.
FILE = "report.html"
# How many memories beyond the hits of `recall` a search of the served page returns.
FOUND = 250


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``report``."""
    parser.add_argument(
        "file",
        nargs="?",
        default="",
        metavar="FILE",
        help="the file to write; - is standard output (.git/gitmem/report.html)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite a file that is not a gitmem report")
    add_scope(parser, about="which memories to include (project)")
    add_at(parser)
    parser.add_argument("--whole", action="store_true", help="write every text in full, however large the page becomes")
    browser = parser.add_argument_group("in the web browser")
    browser.add_argument("--open", action="store_true", help="open the page in the web browser")
    browser.add_argument("--serve", action="store_true", help="serve the page to this machine instead of writing it")
    browser.add_argument("--port", type=int, default=0, metavar="N", help="the port to serve it on (any free one)")
    output_options(parser).add_argument(
        "--json", action="store_true", help="print the page's data as one JSON document instead"
    )


def run(args: Arguments, out: Output) -> int:
    """Write the page; failures that it shows do not affect the exit status."""
    from gitmem.commands.report.page import model, page_file, render

    if args.serve:
        return _serve(args, out)
    with open_memory(out) as memory:
        if args.at is not None:
            refuse_other_scopes(args)
            page = memory.at(args.at).report()
        else:
            page = memory.report(scope=args.scope)
        own = memory.repository.git.repository.state_dir / FILE
    if args.json:
        out.json(model.as_table(page))
        return 0
    text = render.render(page, is_whole=args.whole)
    if args.file == "-":
        out.bytes(text.encode("utf-8", "backslashreplace"))
        return 0
    if not args.file:
        make_folder(own.parent)
    file = args.file or os.path.relpath(own)
    page_file.write(file, text, force=args.force)
    out.result(file, f"wrote {file}")
    if args.open:
        _open(Path(file).resolve().as_uri(), out)
    elif out.is_terminal and not args.file:
        out.note("to see it: gitmem report --open")
    return 0


class _LivePage:
    """Opens the memory for each request, because the server's threads cannot share one."""

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._shown: tuple[str, str, list[str]] = ("", "", [])

    def state(self) -> str:
        with Memory() as memory:
            document = memory.status(scope=self._scope).document
            shown = [document[name] for name in ("commit", "statuses", "waiting")]
            job = (document["jobs"] or {}).get("last") or {}
            return json.dumps([*shown, memory.repository.git.read_head(), job.get("at")], sort_keys=True)

    def page(self, state: str) -> str:
        from gitmem.commands.report.page import payload, render

        if state != self._shown[0]:
            with Memory() as memory:
                page = memory.report(scope=self._scope)
            bodies = [payload.body(entry) for entry in payload.in_order(page.entries)]
            self._shown = state, render.render(page, served=state), bodies
        return self._shown[1]

    def texts(self, state: str, block: int) -> list[str]:
        from gitmem.commands.report.page.payload import BLOCK

        if state != self._shown[0]:
            raise NotFoundError("the memory has changed since", hint="reload the page")
        return self._shown[2][block * BLOCK : (block + 1) * BLOCK]

    def find(self, words: str) -> list[str]:
        with Memory() as memory:
            limits, scopes = (memory.repository.config.recall_limit, FOUND), [self._scope or PROJECT]
            # With another limit, recall considers more memories, and their order may change.
            keys = [hit.key for limit in limits for hit in memory.recall(words, limit=limit, scopes=scopes).hits]
            return list(dict.fromkeys(keys))


def _serve(args: Arguments, out: Output) -> int:
    from gitmem.commands.report.page.serve import ReportServer

    if args.at is not None or args.json or args.whole or args.file:
        raise UsageError("--serve shows the present, as a page", hint="leave out FILE, --at, --json and --whole")
    with open_memory(out) as memory:
        memory.report(scope=args.scope)  # any problem of the memory is reported here
    with ReportServer(_LivePage(args.scope), args.port) as server:
        out.line(server.url)
        out.flush()
        out.note("press Ctrl-C to stop")
        if args.open:
            _open(server.url, out)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0


def _open(address: str, out: Output) -> None:
    if not webbrowser.open(address):
        out.note(f"no web browser could be started: open {address}")
