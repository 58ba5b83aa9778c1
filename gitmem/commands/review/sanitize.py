"""Make texts by others safe to show: no credentials, no active control characters, bounded. Pure."""

from __future__ import annotations

from gitmem.document.parse import unify
from gitmem.text import display
from gitmem.text.secrets import redact

# The most characters shown of one line.
LINE_KEPT = 500


def text(given: str) -> str:
    """Return a complete multi-line text with credentials replaced and hidden characters spelled out."""
    return display(redact(unify(given)), lines=True)


def line(given: str, *, limit: int = LINE_KEPT) -> str:
    """Return a text as one line of at most *limit* characters."""
    shown = " ".join(text(given).split())
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def path(given: str) -> str:
    """Return a path of a tree as text: bytes that are not UTF-8 become escapes."""
    return line(given.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
