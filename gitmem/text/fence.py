"""The fence: how text by others is shown to an agent.

Any part of a memory that reaches an agent goes through here or is a slug: a key, a kind, a status, a scope, or the name
of an agent from ``recall.render.by``.
"""

from __future__ import annotations

from gitmem.text import inject, new_nonce
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def fenced(text: str, *, source: str) -> str:
    """Return text by others as data between unique markers, without secrets; empty if there is none.

    Args:
        text: The memories' text, already cut to the budget.
        source: Its source, in gitmem's own words and slugs.
    """
    if not text:
        return ""
    shown = redact(text)
    return inject(shown, source=source, nonce=new_nonce(f"{shown}\n{source}"))


def fenced_entries(entries: Iterable[tuple[str, str]], *, source: str) -> str:
    """Return entries of a slug and text by others, like ``fenced``; only the text is searched for secrets.

    To the quick test before the patterns, which take 5 ms to load (measured), a long slug looks like a secret.

    Args:
        entries: A label in gitmem's own words and slugs, and a text, for each.
        source: Their source, in gitmem's own words and slugs.
    """
    shown = "\n".join(f"{label} {redact(text)}" for label, text in entries)
    return inject(shown, source=source, nonce=new_nonce(f"{shown}\n{source}")) if shown else ""
