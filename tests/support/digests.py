"""What the tests of the digest share: its sections, and memories too old to be recent work."""

from __future__ import annotations

from conftest import NOW
from support.facts import DAY, make_memory

from gitmem.document.times import format_time


def sections(memory, *, paths=(), budget=0) -> dict[str, dict]:
    """Return the sections of the digest by name."""
    found = memory.context(paths=paths, budget_tokens=budget).document
    return {section["name"]: section for section in found["sections"]}


def keys(section: dict) -> list[str]:
    """Return the keys of a section's items."""
    return [item["key"] for item in section["items"]]


def texts(section: dict) -> list[str]:
    """Return the texts of a section's items."""
    return [item["text"] for item in section["items"]]


def days_ago(days: float) -> str:
    """Return the time that lies so many days before the tests' clock."""
    return format_time(NOW - int(days * DAY))


def old(key: str, title: str = "", *, days: float = 100, **fields) -> dict:
    """Return a memory that is too old to be recent work."""
    return make_memory(key, title or f"About {key}", created=days_ago(days), **fields)
