"""The fence: how text that others wrote is shown to an agent.

Everything that reaches an agent of a memory goes through here or is a slug: a key, a kind, a status, a scope, or the
name of an agent as ``recall.render.by`` makes it.
"""

from __future__ import annotations

from gitmem.text.sanitize import inject, new_nonce
from gitmem.text.secrets import redact


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
