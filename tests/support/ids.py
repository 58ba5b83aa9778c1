"""The short ids by which texts for people and agents name memories."""

from __future__ import annotations

from gitmem.index.catalog import SHORT_ID
from gitmem.index.catalog.inserts import letters_of


def id_of(key: str) -> str:
    """Return the short id of a memory in a store where no other id begins like it."""
    return letters_of(key)[:SHORT_ID]


def named(key: str) -> str:
    """Return how a text for agents names a memory: its short id in brackets."""
    return f"[{id_of(key)}]"
