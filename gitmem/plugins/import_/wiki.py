"""Folders of Markdown notes that link each other, and Claude Code's auto memory. Pure.

Sources: Obsidian's help, "Internal links" (``[[Page]]``, ``[[Page|shown]]``, ``[[folder/Page#Heading]]``,
``![[Page]]``; in tables, a backslash precedes the ``|``) and "Tags" (``#tag``, ``#parent/child``); Foam's
documentation, "Wikilinks" (``[[../Page]]``, a link to a folder means its index) and "Link reference definitions";
Logseq's documentation (``#[[two words]]``, ``((id of a block))``; a tag is a link to the page of that name);
Dendron's, "Links" (``[[shown|dendron://vault/page]]``) and "Tags" (``#a`` links to ``tags.a``); basic-memory's "Note
format reference" (``memory://permalink``, tags in list items); Serena's documentation, "Memories"
(```mem:topic/name```); Claude Code's documentation, "Auto memory": ``MEMORY.md`` is an index of files with ``name``,
``description`` and ``type``.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from types import MappingProxyType
from unicodedata import normalize
from urllib.parse import parse_qs, unquote

from gitmem.document.note import ENDINGS, HEAD, default_head
from gitmem.frozen import frozen, replace
from gitmem.plugins.import_.joplin import Joplin
from gitmem.plugins.import_.vault import Vault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from gitmem.plugins.import_.fields import ImportRecord

INDEX = "MEMORY.md"
# How rules of Cursor begin links to files: ``mdc:.cursor/rules/api.mdc``.
MDC = "mdc:"
# The most parts of a path that are compared with the names of notes.
MOST_PARTS = 32
# The most lists in each other whose texts may be links.
DEEPEST = 20
NO_VAULT, NO_JOPLIN = Vault(), Joplin()
_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,255})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
_DENDRON_LINK = re.compile(
    r"\[\[(?:[^\[\]|\n]{0,200}\|)?(?:dendron://[^\[\]|#/\n]{1,200}/)?([^\[\]|#\n]{1,255})(?:#[^\[\]|\n]{0,200})?\]\]"
)
# A link of Markdown, in place or as a definition, with its target in angle brackets or not.
_TARGET = r"(?:<([^<>\n]{1,1000})>|([^()\s<>]{1,1000}))"
_MARKDOWN = re.compile(rf"\[[^\[\]\n]{{0,300}}\]\({_TARGET}(?:[ \t]+\"[^\"\n]{{0,300}}\")?\)")
_DEFINITION = re.compile(rf"(?m)^ {{0,3}}\[[^\[\]\n]{{1,300}}\]:[ \t]+{_TARGET}")
# The target of a link: the `#top` of `[top](#top)` is not a tag.
_PLACE = re.compile(r"\]\([^()\n]{0,1000}\)")
# The address of a page of Notion: an export has it where the page was mentioned. Its id is a name of the note.
_NOTION_PAGE = re.compile(r"https://(?:www\.)?notion\.so/(?:[^?#]{0,300}[/-])?([0-9a-f]{32})(?:\?|$)")
# Links of Bear and Obsidian to a note, which programs other than a browser open.
_OF_APP = re.compile(r"(?:bear|obsidian)://[^?]{1,100}\?([^#]{1,1000})")
_VAULT_ID = re.compile(r"[0-9a-f]{16}")
# A memory of Serena, a note of basic-memory, a block of Logseq.
_MEMORY_LINK = re.compile(r"(?<![\w/])(?:mem:|memory://)([\w/%-](?:[\w./%-]{0,198}[\w/%-])?)")
_BLOCK = re.compile(r"\(\(([0-9a-f-]{36})\)\)")
# A tag of Logseq with blanks, and a priority, which is not a tag.
_TAG_LINK = re.compile(r"(?<![\w#/&\\])#\[\[([^\[\]|#\n]{1,255})\]\]")
_PRIORITY = re.compile(r"\[#[A-C]\]")
# A list item that is not a task: basic-memory reads its tags.
_ITEM = re.compile(r"(?m)^[ \t]*[-*+][ \t]+(?!\[[ xX-]\])(.*)$")
_TAG = re.compile(r"(?<![\w#/&\\])#([\d/-]{0,9}[^\W\d_](?:[\w/-]|\.(?=\d)){0,39}(?:\+\+|#)?)(?![\w/-])")
# Of Dendron, in which a tag is the end of a note's name: `#team.ops`.
_DENDRON_TAG = re.compile(r"(?<![\w#/&\\])#([\d/-]{0,9}[^\W\d_](?:[\w/-]|\.(?=\w)){0,60})(?![\w/-])")
_CODE = re.compile(r"(`{1,9})(?!`)[^\n]{0,500}?(?<!`)\1(?!`)")
# A comment, and a query of Logseq, whose tags are not those of the note.
_UNSHOWN = re.compile(r"<!--(?s:.{0,4000}?)-->|\{\{query [^\n]{0,500}?\}\}")
# A colour of CSS: with a digit, or of pairs of equal letters; "add" and "facade" are words.
_COLOUR = re.compile(r"(?=[a-f]*\d)(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|([a-f])\1\1+|(?:([a-f])\2){3,4}", re.I)
# A line of an index: a list item with a link to a file, and a remark.
_ENTRY = re.compile(
    r"\s*[-*+]\s*[*_]{0,2}(?:\[[^\]]*\]\(<?([^)>]+?\.md)>?(?:#[^)]*)?\)|\[\[([^\[\]|#]+)[^\[\]]*\]\])[*_]{0,2}\s*(.*)"
)
_FENCE = ("```", "~~~")
# What may precede a fence in its line: signs of quotes and of list items.
_BEFORE_FENCE = re.compile(r"^[> \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
# Claude Code's names of types.
_KINDS = {"user": "preference", "feedback": "preference", "project": "codebase_knowledge", "reference": "doc"}


@frozen
class Pages:
    """The notes of a folder, for their links.

    Attributes:
        keys: Their keys by path.
        by_path: Their keys by path without extension, and by that in lower case.
        by_name: Their keys by name and by the end of their path; of several, the first by path.
        memories: The folders of Claude Code's auto memory, with a trailing ``/``; empty is the folder itself.
        is_bundle: Whether it is a bundle of the Open Knowledge Format.
        vault: The vault that it is in.
        remarks: What the index of an auto memory says about notes, by their keys.
        repeated: The names, without folder and extension, that several of the notes have.
        lost: The keys of notes that were refused: what the index says about them stays in it.
        joplin: What Joplin's own export says about its notes.
    """

    keys: Mapping[str, str]
    by_path: Mapping[str, str]
    by_name: Mapping[str, str]
    memories: Collection[str] = ()
    is_bundle: bool = False
    vault: Vault = NO_VAULT
    remarks: Mapping[str, str] = MappingProxyType({})
    repeated: Collection[str] = frozenset()
    lost: Collection[str] = frozenset()
    joplin: Joplin = NO_JOPLIN

    def is_auto_memory(self, inside: str) -> bool:
        """Return whether a note is in a folder of Claude Code's auto memory, given its path."""
        return any(inside.startswith(folder) for folder in self.memories)

    def find(self, name: str, inside: str = "") -> str:
        """Return the key of the note that a link names; empty if there is none.

        Args:
            name: A path, the end of one, or a name.
            inside: The path of the note that has the link, to which a name that begins with a dot is relative.
        """
        exact = normalize("NFC", name).strip()
        if exact.startswith("."):
            return self.find_path(exact, inside)
        exact = exact.lstrip("/")
        found = self._find_name(exact)  # a page may be named `topic.markdown`
        return found or (self._find_name(stem) if (stem := _without_ending(exact)) != exact else "")

    def _find_name(self, exact: str) -> str:
        parts = exact.lower().split("/")
        # The notes may be a part of a vault, whose links begin above them.
        ends = ["/".join(parts[start:]) for start in range(len(parts))]
        found = self.by_path.get(exact) or next((key for end in ends if (key := self._at(end))), "")
        return found or self.by_name.get(ends[0]) or self.by_name.get(ends[-1], "")

    def find_path(self, target: str, inside: str) -> str:
        """Return the key of the note that a relative link of Markdown in the note *inside* leads to, or its folder."""
        if app := _OF_APP.match(target):
            asked = parse_qs(app[1])
            named = asked.get("title") or asked.get("file") or [""]
            return self.find(named[0]) if named[0] and self._is_own(*asked.get("vault", [])[:1]) else ""
        path = unquote(target.partition("#")[0])
        if page := _NOTION_PAGE.match(path):
            return self.by_path.get(page[1], "")
        if not path or "://" in path:
            return ""
        whole = posixpath.normpath(path.lstrip("/") if path[0] == "/" else f"{posixpath.dirname(inside)}/{path}")
        exact = _without_ending(normalize("NFC", whole.lstrip("/")))
        return self.by_path.get(exact) or self._at(exact.lower()) or self._find_from_top(path)

    def _is_own(self, vault: str = "") -> bool:
        """Return whether a link names the vault of these notes, or none, or one by its id."""
        is_known = vault and self.vault.name and not _VAULT_ID.fullmatch(vault)
        return not is_known or normalize("NFC", vault).lower() == normalize("NFC", self.vault.name).lower()

    def _find_from_top(self, path: str) -> str:
        """Return the key of the note that a link from a repository's top leads to, if the notes are a part of it."""
        parts = _without_ending(normalize("NFC", path.removeprefix(MDC))).lower().split("/")
        fewest = 1 if path.startswith(MDC) else 2
        starts = range(max(0, len(parts) - MOST_PARTS), len(parts) - fewest + 1)
        ends = () if ".." in parts else ("/".join(parts[start:]) for start in starts)
        return next((key for end in ends if (key := self.by_name.get(end))), "")

    def _at(self, path: str) -> str:
        ends = ("", "/index", "/readme")
        return next((key for end in ends if (key := self.by_path.get(f"{path}{end}"))), "")


def _without_ending(path: str) -> str:
    stem, _, ending = path.rpartition(".")
    return stem if stem and f".{ending}".lower() in ENDINGS else path


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
        parts = stem.lower().split("/")
        for start in range(len(parts)):
            by_name.setdefault("/".join(parts[start:]), keys[path])
    for path, others in names.items():
        for name in others:
            if (plain := normalize("NFC", name)) not in by_name:
                by_path.setdefault(plain, keys[path])
    stems = Counter(path.rpartition("/")[2].rpartition(".")[0] for path in keys)
    repeated = {stem for stem, count in stems.items() if count > 1}
    memories = [path.removesuffix(INDEX) for path in keys if path == INDEX or path.endswith(f"/{INDEX}")]
    return Pages(keys, by_path, by_name, memories, is_bundle, vault, repeated=repeated)


def link_pages(record: ImportRecord, pages: Pages, inside: str = "") -> ImportRecord:
    """Return a note with the keys of linked notes in ``refs``, and its tags; its text is unchanged.

    Args:
        record: The note.
        pages: The notes of its folder.
        inside: Its path there.
    """
    if record.text:
        return record
    prose = _prose(f"{_heading(record.fields)}\n{record.body}")
    tags = list(_tags(prose, record.fields, pages.vault))
    if not pages.vault.is_vault and _has_heading(record, inside):
        tags += _tags_of_bear(prose)
    fields = dict(record.fields)
    if isinstance(own := fields.get("tags"), list):  # `tags: ["#a"]`
        fields["tags"] = list(dict.fromkeys(tag.lstrip("#") or tag if isinstance(tag, str) else tag for tag in own))
    said = "\n".join([prose, *_texts(fields)])
    links = (_DENDRON_LINK if pages.vault.is_dendron else _LINK).findall(said)
    names = [*(link.rstrip("\\") for link in links), *_MEMORY_LINK.findall(said), *_BLOCK.findall(said)]
    if pages.vault.is_logseq:
        names += [*fields.get("tags", ()), *tags]
    if pages.vault.is_dendron:
        names += [f"tags.{tag}" for tag in (*fields.get("tags", ()), *tags)]
    paths = ["".join(match) for form in (_MARKDOWN, _DEFINITION) for match in form.findall(prose)]
    keys = [pages.find(name, inside) for name in names] + [pages.find_path(path, inside) for path in paths]
    for name, more in (("refs", [key for key in keys if key and key != record.key]), ("tags", tags)):
        if more:
            fields[name] = list(dict.fromkeys([*fields.get(name, ()), *more]))
    return replace(record, fields=fields)


def _tags(prose: str, fields: Mapping[str, Any], vault: Vault) -> Iterator[str]:
    """Yield the tags in a text: of a vault all, of a note of basic-memory those of list items."""
    link = fields.get("permalink")
    text = _PLACE.sub("]", _UNSHOWN.sub("", _CODE.sub("", prose)))
    if vault.is_logseq:
        yield from (tag.strip().lower() for tag in _TAG_LINK.findall(text))
        text = _PRIORITY.sub("", text)
    elif not vault.is_vault:
        text = "\n".join(_ITEM.findall(text)) if isinstance(link, str) and not link.startswith("/") else ""
    form = _DENDRON_TAG if vault.is_dendron else _TAG
    match = (tag.lower().strip("/-") for tag in form.findall(_LINK.sub("", text)) if not _COLOUR.fullmatch(tag))
    yield from match


def _has_heading(record: ImportRecord, inside: str) -> bool:
    """Return whether a note begins with its title as a heading, as each note of Bear does."""
    head = record.fields.get(HEAD)
    head = head if isinstance(head, str) else default_head(str(record.fields.get("title", "")), inside)
    return record.body.startswith("# ") or head.rstrip().rpartition("\n")[2].startswith("# ")


def _tags_of_bear(prose: str) -> list[str]:
    """Return the tags of the first line below the title and of the last paragraph, if these lines have nothing else.

    In other places, such a line is usually a comment in unmarked code, or a heading that lacks its space.
    """
    rows = [row for row in _UNSHOWN.sub("", prose).rstrip().split("\n") if not row.startswith("# ")]
    first = next((row for row in rows if row.strip()), "")
    last = "" if rows[-2:-1] and rows[-2].strip(" -*_") else rows[-1]
    ends = dict.fromkeys(row for row in (first, last) if not row.startswith(("    ", "\t")))
    return [tag for row in ends for tag in _tags_alone(row)]


def _tags_alone(line: str) -> list[str]:
    """Return the tags of a line that has nothing else, `#a/b #two words#`; none of another line."""
    parts = f"{line.strip()} ".split("#")
    tags: list[str] = []
    if parts[0]:
        return []
    for at, part in enumerate(parts[1:], 1):
        following = parts[at + 1] if at + 1 < len(parts) else ""
        is_closed = following[:1] == " "
        plain = part.strip()
        if not plain:
            continue
        if not plain[0].isalpha() or _COLOUR.fullmatch(plain) or (" " in plain and not (is_closed and part == plain)):
            return []
        tags.append(plain.lower())
    return tags


def _texts(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of properties that may be links: ``up: "[[Index]]"``."""
    yield from _texts_in([value for name, value in fields.items() if name != "title"], DEEPEST)


def _texts_in(values: list[Any], depth: int) -> Iterator[str]:
    for value in values if depth else ():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            if len(value) == 1 and isinstance(value[0], list):  # without quotes: `up: [[Index]]`
                yield from (f"[[{name}]]" for name in value[0] if isinstance(name, str))
            yield from _texts_in(value, depth - 1)


def _heading(fields: Mapping[str, Any]) -> str:
    """Return the heading of a note, which became its title."""
    head = fields.get(HEAD)
    last = head.rstrip().rpartition("\n")[2] if isinstance(head, str) else f"# {fields.get('title', '')}"
    return last if last.startswith("# ") else ""


def _prose(body: str) -> str:
    """Return a text without code blocks."""
    lines, fence = [], ""
    for line in body.split("\n"):
        text = _BEFORE_FENCE.sub("", line)
        mark = text[:3]
        if mark in _FENCE and fence in ("", mark) and mark not in text[3:]:
            fence = "" if fence else mark
        elif not fence:
            lines.append(line)
    return "\n".join(lines)


def auto_memory(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the frontmatter of a Claude Code memory file in our terms: its kind, and its description as title."""
    about = fields.get("metadata")
    all_fields = {**fields, **(about if isinstance(about, dict) else {})}
    kind = _KINDS.get(str(all_fields.get("type")), "")
    title = all_fields.get("description") or all_fields.get("name")
    return {**fields, **({"kind": kind} if kind else {}), **({"title": str(title)} if title else {})}


def index_remarks(body: str, pages: Pages) -> dict[str, str]:
    """Return what an index says behind its links, by the keys of the linked notes."""
    remarks: dict[str, str] = {}
    for line in body.split("\n"):
        key, remark = _entry(line, pages)
        if key and remark:
            remarks.setdefault(key, remark)
    return remarks


def with_index_remark(fields: Mapping[str, Any], body: str, remark: str) -> dict[str, Any]:
    """Return the fields of a note with what the index says about it, unless the note says that itself."""
    text = " ".join([body, *(str(value) for value in fields.values())])
    is_said = not remark or remark in " ".join(text.split())
    return dict(fields) if is_said else {**fields, "index": remark}


def is_only_index(body: str, pages: Pages) -> bool:
    """Return whether an index has nothing but headings and lines about notes of the folder that came in."""
    lines = [line for line in body.split("\n") if not (key := _entry(line, pages)[0]) or key in pages.lost]
    return not any(line.strip() and not line.startswith("#") for line in lines)


def _entry(line: str, pages: Pages) -> tuple[str, str]:
    """Return the key of the note that a line of an index is about, and what it says; empty if it is about none."""
    match = _ENTRY.fullmatch(line)
    if match is None or not (key := pages.find(unquote(match[1] or match[2]).removeprefix("./"))):
        return "", ""
    return key, " ".join(match[3].lstrip(" *_:–—-").split())
