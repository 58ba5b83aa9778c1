"""Folders of Markdown notes that link each other, and Claude Code's auto memory. Pure.

Sources: Obsidian's help, "Internal links" (``[[Page]]``, ``[[Page|shown]]``, ``[[folder/Page#Heading]]``,
``![[Page]]``) and "Tags" (``#tag``, ``#parent/child``); Serena's ``.serena/memories/*.md``, plain Markdown; Claude
Code's documentation, "Auto memory": ``MEMORY.md`` is an index of files with ``name``, ``description`` and ``type``.
"""

from __future__ import annotations

import re

from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.commands.import_.fields import ImportRecord

INDEX = "MEMORY.md"
_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
_TAG = re.compile(r"(?<![\w#/&])#([A-Za-z][\w/-]{0,39})(?![\w/-])")
# A line of an index: a list item with a link to a file and a remark.
_ENTRY = re.compile(r"\s*[-*]\s*\[[^\]]*\]\(([^)\s]+\.md)\).*")
_FENCE = ("```", "~~~")
# Claude Code's names of types.
_KINDS = {"user": "preference", "feedback": "preference", "project": "codebase_knowledge", "reference": "doc"}


@frozen
class Pages:
    """The notes of a folder, for their links.

    Attributes:
        keys: Their keys by path.
        by_path: Their keys by path without extension, and by that in lower case.
        by_name: Their keys by name; of several, the first by path.
        is_auto_memory: Whether the folder is Claude Code's.
        is_vault: Whether it is a vault of Obsidian: elsewhere ``#word`` is not a tag.
        is_bundle: Whether it is a bundle of the Open Knowledge Format.
    """

    keys: Mapping[str, str]
    by_path: Mapping[str, str]
    by_name: Mapping[str, str]
    is_auto_memory: bool
    is_vault: bool
    is_bundle: bool = False

    def find(self, name: str) -> str:
        """Return the key of the note that a link names; empty if there is none."""
        exact = name.strip().removesuffix(".md").lstrip("/")
        path = exact.lower().removesuffix(".md")
        return self.by_path.get(exact) or self.by_path.get(path) or self.by_name.get(path.rpartition("/")[2], "")


def pages_of(keys: Mapping[str, str], *, is_vault: bool = False, is_bundle: bool = False) -> Pages:
    """Return the notes in files, by their keys by path in the folder."""
    by_path: dict[str, str] = {}
    by_name: dict[str, str] = {}
    is_auto_memory = False
    for path in sorted(keys):
        stem = path.rpartition(".")[0]
        by_path[stem] = keys[path]
        by_path.setdefault(stem.lower(), keys[path])
        by_name.setdefault(stem.rpartition("/")[2].lower(), keys[path])
        is_auto_memory |= path == INDEX
    return Pages(keys, by_path, by_name, is_auto_memory, is_vault, is_bundle)


def link_pages(found: ImportRecord, pages: Pages) -> ImportRecord:
    """Return a note with the keys of linked notes in ``refs``, and its tags; its text is unchanged."""
    if found.text or ("[[" not in found.body and "#" not in found.body):
        return found
    prose = _prose(found.body)
    keys = [key for name in _LINK.findall(prose) if (key := pages.find(name)) and key != found.key]
    tags = [tag.lower() for tag in _TAG.findall(_LINK.sub("", prose))] if pages.is_vault else []
    fields = dict(found.fields)
    for name, more in (("refs", keys), ("tags", tags)):
        if more:
            fields[name] = list(dict.fromkeys([*fields.get(name, ()), *more]))
    return replace(found, fields=fields)


def _prose(body: str) -> str:
    """Return a text without code blocks."""
    lines, fence = [], ""
    for line in body.split("\n"):
        mark = line.lstrip()[:3]
        if mark in _FENCE and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence:
            lines.append(line)
    return "\n".join(lines)


def auto_memory(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the frontmatter of a Claude Code memory file in our terms: its kind, and its description as title."""
    about = fields.get("metadata")
    found = {**fields, **(about if isinstance(about, dict) else {})}
    kind = _KINDS.get(str(found.get("type")), "")
    title = found.get("description") or found.get("name")
    return {**fields, **({"kind": kind} if kind else {}), **({"title": str(title)} if title else {})}


def without_index(body: str, pages: Pages) -> str:
    """Return an index without lines that only link to notes of the folder; empty if only headings remain."""
    lines = [line for line in body.split("\n") if not ((m := _ENTRY.fullmatch(line)) and pages.find(m[1]))]
    is_more = any(line.strip() and not line.startswith("#") for line in lines)
    return "\n".join(lines).strip() if is_more else ""
