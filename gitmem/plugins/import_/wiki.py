"""Folders of Markdown notes that link each other, and Claude Code's auto memory. Pure.

Sources: Obsidian's help, "Internal links" (``[[Page]]``, ``[[Page|shown]]``, ``[[folder/Page#Heading]]``,
``![[Page]]``) and "Tags" (``#tag``, ``#parent/child``); Serena's ``.serena/memories/*.md``, plain Markdown; Claude
Code's documentation, "Auto memory": ``MEMORY.md`` is an index of files with ``name``, ``description`` and ``type``.
"""

from __future__ import annotations

import re
from collections import Counter
from types import MappingProxyType
from unicodedata import normalize
from urllib.parse import unquote

from gitmem.frozen import frozen, replace
from gitmem.plugins.import_.vault import Vault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from gitmem.plugins.import_.fields import ImportRecord

INDEX = "MEMORY.md"
NO_VAULT = Vault()
_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
_TAG = re.compile(r"(?<![\w#/&\\])#([\d/-]{0,9}[^\W\d_](?:[\w/-]|\.(?=\d)){0,39}(?:\+\+|#)?)(?![\w/-])")
_CODE = re.compile(r"(`{1,9})(?!`)[^\n]{0,500}?(?<!`)\1(?!`)")
# A colour of CSS: with a digit, or of pairs of equal letters; "add" and "facade" are words.
_COLOUR = re.compile(r"(?=[a-f]*\d)(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|([a-f])\1\1+|(?:([a-f])\2){3,4}", re.I)
# A line of an index: a list item with a link to a file, and a remark.
_ENTRY = re.compile(
    r"\s*[-*+]\s*[*_]{0,2}(?:\[[^\]]*\]\(<?([^)>]+?\.md)>?(?:#[^)]*)?\)|\[\[([^\[\]|#]+)[^\[\]]*\]\])[*_]{0,2}\s*(.*)"
)
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
        is_bundle: Whether it is a bundle of the Open Knowledge Format.
        vault: The vault that it is in.
        remarks: What the index of an auto memory says about notes, by their keys.
        repeated: The names, without folder and extension, that several of the notes have.
        lost: The keys of notes that were refused: what the index says about them stays in it.
    """

    keys: Mapping[str, str]
    by_path: Mapping[str, str]
    by_name: Mapping[str, str]
    is_auto_memory: bool
    is_bundle: bool = False
    vault: Vault = NO_VAULT
    remarks: Mapping[str, str] = MappingProxyType({})
    repeated: Collection[str] = frozenset()
    lost: Collection[str] = frozenset()

    def find(self, name: str) -> str:
        """Return the key of the note that a link names; empty if there is none."""
        exact = normalize("NFC", name).strip().removesuffix(".md").lstrip("/")
        path = exact.lower().removesuffix(".md")
        return self.by_path.get(exact) or self.by_path.get(path) or self.by_name.get(path.rpartition("/")[2], "")


def pages_of(
    keys: Mapping[str, str],
    *,
    vault: Vault = NO_VAULT,
    is_bundle: bool = False,
    names: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> Pages:
    """Return the notes in files, by their keys by path in the folder.

    Args:
        keys: The key of each note by its path.
        vault: The vault that they are in.
        is_bundle: Whether they are a bundle of the Open Knowledge Format.
        names: Further names of notes, in lower case, by path; a name that a file has is not one.
    """
    by_path: dict[str, str] = {}
    by_name: dict[str, str] = {}
    for path in sorted(keys):
        stem = normalize("NFC", path.rpartition(".")[0])
        by_path[stem] = keys[path]
        by_path.setdefault(stem.lower(), keys[path])
        by_name.setdefault(stem.rpartition("/")[2].lower(), keys[path])
    for path, others in names.items():
        for name in others:
            if (plain := normalize("NFC", name)) not in by_name:
                by_path.setdefault(plain, keys[path])
    stems = Counter(path.rpartition("/")[2].rpartition(".")[0] for path in keys)
    repeated = {stem for stem, count in stems.items() if count > 1}
    return Pages(keys, by_path, by_name, INDEX in keys, is_bundle, vault, repeated=repeated)


def link_pages(found: ImportRecord, pages: Pages) -> ImportRecord:
    """Return a note with the keys of linked notes in ``refs``, and its tags; its text is unchanged."""
    if found.text or ("[[" not in found.body and "#" not in found.body):
        return found
    prose = _prose(found.body)
    keys = [key for name in _LINK.findall(prose) if (key := pages.find(name)) and key != found.key]
    found_tags = _TAG.findall(_LINK.sub("", _CODE.sub("", prose))) if pages.vault.is_vault else []
    tags = [tag.lower().strip("/-") for tag in found_tags if not _COLOUR.fullmatch(tag)]
    fields = dict(found.fields)
    for name, more in (("refs", keys), ("tags", tags)):
        if more:
            fields[name] = list(dict.fromkeys([*fields.get(name, ()), *more]))
    return replace(found, fields=fields)


def _prose(body: str) -> str:
    """Return a text without code blocks."""
    lines, fence = [], ""
    for line in body.split("\n"):
        mark = line.lstrip("> \t")[:3]
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


def index_remarks(body: str, pages: Pages) -> dict[str, str]:
    """Return what an index says behind its links, by the keys of the linked notes."""
    found: dict[str, str] = {}
    for line in body.split("\n"):
        key, remark = _entry(line, pages)
        if key and remark:
            found.setdefault(key, remark)
    return found


def with_index_remark(fields: Mapping[str, Any], body: str, remark: str) -> dict[str, Any]:
    """Return the fields of a note with what the index says about it, unless the note says that itself."""
    said = " ".join([body, *(str(value) for value in fields.values())])
    is_said = not remark or remark in " ".join(said.split())
    return dict(fields) if is_said else {**fields, "index": remark}


def is_only_index(body: str, pages: Pages) -> bool:
    """Return whether an index has nothing but headings and lines about notes of the folder that came in."""
    lines = [line for line in body.split("\n") if not (key := _entry(line, pages)[0]) or key in pages.lost]
    return not any(line.strip() and not line.startswith("#") for line in lines)


def _entry(line: str, pages: Pages) -> tuple[str, str]:
    """Return the key of the note that a line of an index is about, and what it says; empty if it is about none."""
    found = _ENTRY.fullmatch(line)
    if found is None or not (key := pages.find(unquote(found[1] or found[2]).removeprefix("./"))):
        return "", ""
    return key, " ".join(found[3].lstrip(" *_:–—-").split())
