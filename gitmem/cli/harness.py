"""The fast way to ``gitmem hook HARNESS``: no parser, no words of ours on standard output, and 0 whatever happens."""

from __future__ import annotations

import os

from gitmem.agents import ALIASES, HARNESSES
from gitmem.agents.entry import serve
from gitmem.cli.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STDIN = 0


def run(words: Sequence[str]) -> int:
    """Answer a harness, and return 0.

    Args:
        words: The harness, and the event where its payloads do not name it.
    """
    out = Output(color="never", draws=False)
    harness, named = words[0], next(iter(words[1:]), "")
    if harness not in HARNESSES and harness not in ALIASES:
        out.note(f"there is no harness {harness}; there are {', '.join(HARNESSES)}")
    elif _is_typed():
        out.note(f"the hooks of {harness} call this, with JSON on standard input: gitmem install {harness}")
    answer = serve(harness, named, fd=STDIN)
    try:
        if answer:
            out.bytes(answer.encode("utf-8", "replace") + b"\n")
        out.flush()
    except (OSError, ValueError):
        out.drop()  # nobody reads any more
    return 0


def _is_typed() -> bool:
    try:
        return os.isatty(STDIN)
    except OSError:
        return False
