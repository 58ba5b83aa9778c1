"""Render a digest for an agent: each memory with its status, the reason for it, and its author."""

from __future__ import annotations

from gitmem.commands.context.sections import HEADINGS, WARNINGS
from gitmem.frozen import replace
from gitmem.index.catalog import agent_text
from gitmem.index.catalog.agent_text import About, Part
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.repository import OpenRepository


def parts_of_digest(repository: OpenRepository, digest: Mapping[str, Any]) -> list[Part]:
    """Return the sections of a digest, given as its document, as parts, warnings first."""
    items = [item for section in digest["sections"] for item in section["items"] if item["key"]]
    catalog = repository.catalog()
    known = agent_text.about(catalog, repository.ground(catalog), [item["key"] for item in items], now=repository.now)
    parts = []
    for section in digest["sections"]:
        entries = (
            agent_text.entry_of(
                agent_text.MemoryLabel(item["key"], item["kind"], item["status"], item["scope"]),
                item["text"],
                _about(known, item, section["name"]),
                is_whole=item["whole"],
            )
            for item in section["items"]
        )
        heading = HEADINGS.get(section["name"], section["name"])
        parts.append(Part(heading, tuple(entries), section["more"], section["rest"]))
    return parts


def _about(known: Mapping[str, About], item: Mapping[str, Any], section: str) -> About | None:
    """Return what is known about an item of the digest; a warning names the reason itself."""
    if item["scope"] != PROJECT:
        return None
    about = known.get(item["key"], About())
    return replace(about, is_explained=" — " in item["text"]) if section == WARNINGS else about
