"""The fence: how text that others wrote is shown to an agent.

Everything that reaches an agent of a memory goes through here or is a slug: a key, a kind, a status, a scope, or the
name of an agent as ``recall.render.by`` makes it.
"""

from __future__ import annotations

from gitmem.text.sanitize import inject, new_nonce
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def fenced(text: str, *, source: str) -> str:
    """Return others' words as data between markers of their own, without secrets; empty where there are none.

    Args:
        text: What the memories say, as already cut to the budget.
        source: Where it is from, in gitmem's own words and slugs.
    """
    if not text:
        return ""
    shown = redact(text)
    return inject(shown, source=source, nonce=new_nonce(f"{shown}\n{source}"))


def fenced_entries(entries: Iterable[tuple[str, str]], *, source: str) -> str:
    """Return entries of a slug and others' words as ``fenced`` does; a slug holds no secret, so only words are read.

    A long slug looks like a secret to the quick test before the patterns, which take 5 ms to load (measured).

    Args:
        entries: What each is, in gitmem's own words and slugs, and what it says.
        source: Where it is from, in gitmem's own words and slugs.
    """
    shown = "\n".join(f"{label} {redact(text)}" for label, text in entries)
    return inject(shown, source=source, nonce=new_nonce(f"{shown}\n{source}")) if shown else ""
