"""The fast path of ``gitmem hook CLIENT``: no parser, only output that it accepts, always exit status 0."""

from __future__ import annotations

import os

from gitmem.agents.clients import CLIENTS, find_name
from gitmem.agents.hook import serve
from gitmem.cli.output import Output
from gitmem.text.own import is_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STDIN = 0
USER = "--user"


def run(words: Sequence[str]) -> int:
    """Answer a client, and return 0.

    Args:
        words: The client, the event if its payloads do not name it, and ``--user`` if called from the user's own
        settings.
    """
    out = Output(color="never", draws=False)
    client, named = words[0], next((word for word in words[1:] if word != USER), "")
    if not find_name(client):
        named = f"unknown client: {client}" if is_slug(client) else "unknown client"
        out.note(f"{named}; choose one of {', '.join(CLIENTS)}")
    elif _is_typed():
        out.note(
            f"this command is for the hooks of {client}, with JSON on standard input; to set them up: gitmem "
            f"install {client}"
        )
    answer = serve(client, named, fd=STDIN, is_users=USER in words)
    try:
        if answer:
            out.bytes(answer.encode("utf-8", "replace") + b"\n")
        out.flush()
    except (OSError, ValueError):
        out.drop()  # the reader has closed the pipe
    return 0


def _is_typed() -> bool:
    try:
        return os.isatty(STDIN)
    except OSError:
        return False
