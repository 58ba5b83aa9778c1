"""Read memories from Markdown: one file, or a folder with all that is below it, in gitmem's own layout or any other.

Links are not followed, names that begin with a dot are left alone, and no file is read further than a memory may go.
"""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.commands.import_.fields import ImportRecord, Unreadable, from_table
from gitmem.document.parse import parse, read_fields, unify
from gitmem.document.split import decode, split
from gitmem.errors import FormatError
from gitmem.store import layout
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ENDINGS = (".md", ".markdown")


def list_files(folder: str) -> list[tuple[str, bool]]:
    """Return the Markdown files below a folder by path, and whether each is a regular one.

    Raises:
        OSError: A folder cannot be read.
    """
    found: list[tuple[str, bool]] = []
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name.lower().endswith(ENDINGS):
                    found.append((entry.path, entry.is_file(follow_symlinks=False)))
    return sorted(found)


def read_folder(
    folder: str, files: list[tuple[str, bool]], *, name: str, kind: str
) -> Iterator[ImportRecord | Unreadable]:
    """Yield the memory of every Markdown file below a folder, or why it is none.

    Args:
        folder: The folder.
        files: What ``list_files`` found in it.
        name: What reports call it.
        kind: The kind of what names none.
    """
    is_store = (Path(folder) / layout.POLICY_PATH).is_file()
    for path, is_regular in files:
        inside = os.path.relpath(path, folder).replace(os.sep, "/")
        where = f"{name.rstrip('/')}/{inside}"
        if not is_regular:
            yield Unreadable(where, "it is not a regular file (links are not followed)")
        elif not (is_store and inside == layout.STATUS_PATH):
            yield read_markdown(path, where=where, kind=kind, inside=inside, is_store=is_store)


def read_markdown(
    path: str, *, where: str, kind: str, inside: str = "", is_store: bool = False
) -> ImportRecord | Unreadable:
    """Return the memory of one Markdown file, or why it is none.

    Args:
        path: The file.
        where: What reports call it.
        kind: The kind of what names none.
        inside: Its path inside the folder that is read; its name alone where it is empty.
        is_store: Whether that folder has a store's layout.
    """
    inside = inside or Path(path).name
    try:
        with Path(path).open("rb") as file:
            text = decode(file.read(layout.MEMORY_LIMIT + 1))
    except OSError as err:
        return Unreadable(where, str(err.strerror))
    except FormatError as err:
        return _unreadable(err, where)
    place = layout.place_of(inside) if is_store else None
    is_ours = isinstance(place, layout.StorePath) and place.what == layout.MEMORY
    stem = Path(path).stem
    try:
        document = parse(text, path=f"{stem}.md")
    except FormatError as err:
        return _unreadable(err, where) if is_ours else _foreign(text, inside, where, kind)
    if isinstance(place, layout.StorePath) and is_ours:
        return ImportRecord(where, place.key, document.fields, document.body, text, place.folder, place.archived)
    if layout.is_key(stem) and isinstance(document.fields.get("kind"), str):
        return ImportRecord(where, stem, document.fields, document.body, text, "", "retired" in document.fields)
    return _foreign(text, inside, where, kind)


def _foreign(text: str, inside: str, where: str, kind: str) -> ImportRecord | Unreadable:
    """Return the memory of a file of another system: its frontmatter if it has one, its first heading as title.

    Its key is made of its whole path, since every folder may have a README.
    """
    fields: dict[str, Any] = {}
    body = text.removeprefix("\ufeff")
    try:
        parts = split(text)
        fields, body = read_fields(parts.frontmatter), parts.body
    except FormatError as err:
        if err.code != "no-frontmatter":
            return _unreadable(err, where)
    body = unify(body).strip("\n")
    first, _, below = body.partition("\n")
    path = inside.rpartition(".")[0]
    title = path.rpartition("/")[2]
    if first.startswith("# ") and not isinstance(fields.get("title"), str):
        title, body = first[2:].strip(), below.strip("\n")
    key = path if layout.is_key(path) else tokens.slug(path.replace("/", " "), limit=layout.KEY_LIMIT)
    return from_table({"key": key, **fields, "body": body}, where=where, kind=kind, title=title)


def _unreadable(err: FormatError, where: str) -> Unreadable:
    return Unreadable(f"{where}:{err.line}" if err.line else where, err.message)
