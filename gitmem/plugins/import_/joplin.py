"""Read Joplin's own exports: RAW, a folder of items in files of Markdown, and JEX, the same in an archive.

Sources: Joplin's source, ``BaseItem.serialize`` (the title, the text, and fields such as ``type_: 1``, with a blank
line between them) and ``ModelType`` (1 a note, 2 a notebook, 5 a tag, 6 the tag of a note); its documentation,
"Markdown": ``[shown](:/id)`` links to a note. JEX is an archive of tar without compression.
"""

from __future__ import annotations

import re
import tarfile
from pathlib import Path
from types import MappingProxyType

from gitmem.frozen import frozen, replace
from gitmem.plugins.import_.encodings import to_utf8
from gitmem.plugins.import_.fields import (
    DELETED_REASON,
    ImportRecord,
    NoteFile,
    Unreadable,
    from_table,
    without_empty,
)
from gitmem.plugins.import_.times import time_of
from gitmem.system import only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitmem.plugins.import_.names import Names

JEX = (".jex",)
# The types of items that are read.
NOTE, NOTEBOOK, TAG, NOTE_TAG = "1", "2", "5", "6"
HTML = "2"
# Members of an archive, and notebooks in each other: beyond this, the export is taken for broken.
MOST_ITEMS, DEEPEST = 400_000, 50
_FIELD = re.compile(r"([a-z_]{2,40}): ?(.*)")
_IS_ID = re.compile(r"[0-9a-f]{32}")
_LINK = re.compile(r"\]\(:/([0-9a-f]{32})[)#\s]")
_KEPT_FIELDS = ("source_url", "author", "is_conflict", "id")
_EMPTY_VALUES = ("", "0")


@frozen
class Item:
    """An item of an export: a note, a notebook, a tag, or the tag of a note."""

    title: str
    body: str
    fields: Mapping[str, str]

    @property
    def id(self) -> str:
        """Return its id."""
        return self.fields["id"]

    @property
    def is_note(self) -> bool:
        """Return whether it is a note."""
        return self.fields["type_"] == NOTE


@frozen
class Joplin:
    """What an export says about its notes.

    Attributes:
        keys: The keys of its notes, by their ids, for links.
        notebooks: The titles of notebooks and the ids of those that they are in, by their ids.
        tags: The titles of tags, by the ids of notes.
    """

    keys: Mapping[str, str] = MappingProxyType({})
    notebooks: Mapping[str, tuple[str, str]] = MappingProxyType({})
    tags: Mapping[str, list[str]] = MappingProxyType({})


def read_item(text: str) -> Item | None:
    """Return the item in a file; None if the file is not of such an export."""
    if "type_: " not in text[-400:]:
        return None
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    fields: dict[str, str] = {}
    while lines and (field := _FIELD.fullmatch(lines[-1])):
        fields[field[1]] = field[2]
        lines.pop()
    is_apart = not lines or not lines[-1].strip()
    if not (is_apart and fields.get("type_", "").isdecimal() and _IS_ID.fullmatch(fields.get("id", ""))):
        return None
    title = lines[0].strip() if lines else ""
    return Item(title, "\n".join(lines[1:]).strip("\n"), fields)


def collect(items: Iterable[Item], keys: Mapping[str, str]) -> Joplin:
    """Return what items say about notes, whose keys by their ids are given."""
    every = list(items)
    titles = {item.id: item.title for item in every if item.fields["type_"] == TAG}
    notebooks = {
        item.id: (item.title, item.fields.get("parent_id", "")) for item in every if item.fields["type_"] == NOTEBOOK
    }
    tags: dict[str, list[str]] = {}
    for item in every:
        if item.fields["type_"] == NOTE_TAG and (title := titles.get(item.fields.get("tag_id", ""))):
            tags.setdefault(item.fields.get("note_id", ""), []).append(title)
    return Joplin(keys, notebooks, tags)


def read_note(item: Item, key: str, where: str, kind: str, export: Joplin) -> ImportRecord | Unreadable | None:
    """Return the memory in a note with its key, or the reason why there is none; None for an item of another type."""
    if not item.is_note:
        return None
    fields = {name: value for name, value in item.fields.items() if value.strip() not in _EMPTY_VALUES}
    if "encryption_applied" in fields:
        return Unreadable(where, "it is encrypted")
    if "deleted_time" in fields:
        return Unreadable(where, DELETED_REASON, is_skipped=True)
    is_todo = "is_todo" in fields
    refs = [export.keys[match] for match in _LINK.findall(item.body) if match in export.keys and match != item.id]
    table = {name: fields[name] for name in _KEPT_FIELDS if name in fields} | without_empty(
        key=key,
        body=item.body or " ",
        tags=sorted({*export.tags.get(item.id, ())}),
        refs=list(dict.fromkeys(refs)),
        notebook=_notebook(fields.get("parent_id", ""), export),
        created=fields.get("user_created_time", fields.get("created_time")),
        edited=time_of(fields.get("user_updated_time", fields.get("updated_time"))),
        due=time_of(fields.get("todo_due")),
        todo=("done" if "todo_completed" in fields else "open") if is_todo else None,
    )
    found = from_table(table, where=where, kind=kind, title=item.title)
    if fields.get("markup_language") == HTML and isinstance(found, ImportRecord):
        return replace(found, remark="; ".join(filter(None, (found.remark, "its text is HTML"))))
    return found


def _notebook(parent: str, export: Joplin) -> str:
    """Return the path of a notebook: `Work/Ops`."""
    path: list[str] = []
    while parent in export.notebooks and len(path) < DEEPEST:
        title, parent = export.notebooks[parent]
        path.insert(0, title)
    return "/".join(path)


def read_items(texts: Iterable[tuple[str, str]]) -> dict[str, Item]:
    """Return the items among files, given as paths and texts, by their paths."""
    return {path: item for path, text in texts if (item := read_item(text)) is not None}


def read_jex(file: NoteFile, kind: str, names: Names) -> Iterator[ImportRecord | Unreadable]:
    """Yield the memory in each note of an archive, or the reason why there is none.

    Args:
        file: The archive.
        kind: The kind of the memories.
        names: The names of the import's notes, to which its own are added.
    """
    problems: list[Unreadable] = []
    items = read_items(_list_members(file, problems))
    own = {inside: f"{file.name}#{item.id}" for inside, item in items.items() if item.is_note}
    keys = {items[inside].id: names.key(path, items[inside].title) for inside, path in own.items()}
    export = collect(items.values(), keys)
    for inside, item in items.items():
        record = read_note(item, keys.get(item.id, ""), f"{file.where}#{inside}", kind, export)
        if record is not None:
            yield replace(record, name=own[inside]) if isinstance(record, ImportRecord) else record
    yield from problems


def _list_members(archived: NoteFile, problems: list[Unreadable]) -> Iterator[tuple[str, str]]:
    """Yield the items of an archive with their texts, and add what cannot be read to *problems*."""
    try:
        with open(archived.path, "rb", opener=only_regular) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            for count, member in enumerate(archive):
                if count == MOST_ITEMS:
                    problems.append(Unreadable(archived.where, f"only its first {MOST_ITEMS} members are read"))
                    break
                inside = member.name.removeprefix("./")
                # A sparse one of a few bytes may have gigabytes of zeros.
                if not (member.isfile() and not member.issparse() and _IS_ID.fullmatch(inside.removesuffix(".md"))):
                    continue
                if member.size > archived.limit:
                    problems.append(Unreadable(f"{archived.where}#{inside}", "it is too large"))
                    continue
                content = archive.extractfile(member)
                yield inside, to_utf8(content.read() if content is not None else b"")[0].decode("utf-8", "replace")
    except OSError as err:
        problems.append(Unreadable(archived.where, str(err.strerror or err)))
    # Headers of long names may be nested, and may say that a name has more bytes than there is memory.
    except (tarfile.TarError, ValueError, OverflowError, RecursionError, MemoryError):
        problems.append(Unreadable(archived.where, "it is not an archive of Joplin (JEX)"))


def is_item(path: str) -> bool:
    """Return whether a file has the name of an item."""
    return path.endswith(".md") and _IS_ID.fullmatch(Path(path).stem) is not None
