"""Make the texts of others fit to be read: no credential, no live control character, bounded. Pure."""

from __future__ import annotations

from gitmem.document.parse import unify
from gitmem.text.sanitize import display
from gitmem.text.secrets import redact

# Characters of one line that are told.
LINE_KEPT = 500


def text(given: str) -> str:
    """Return a text of several lines, whole: credentials are replaced and hidden characters spelt out."""
    return display(redact(unify(given)), lines=True)


def line(given: str, *, limit: int = LINE_KEPT) -> str:
    """Return a text as one line of at most *limit* characters."""
    shown = " ".join(text(given).split())
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def path(given: str) -> str:
    """Return a path of a tree as text: bytes that are not UTF-8 become escapes."""
    return line(given.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
