"""Import a note again: changes in the note and changes made here since are merged by meaning.

The base is the memory as the last import wrote it, which git still has.
"""

from __future__ import annotations

import json

from gitmem.document.edit import is_same
from gitmem.document.fields import IMPORTED
from gitmem.document.note import is_note_path
from gitmem.document.parse import parse
from gitmem.document.times import format_time
from gitmem.errors import FormatError
from gitmem.frozen import replace
from gitmem.store import layout
from gitmem.store.merge.memories import Version, unite
from gitmem.system import read_regular
from gitmem.write.draft import with_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from gitmem.model import Document
    from gitmem.repository import OpenRepository
    from gitmem.write.bulk import ImportPlan

# What a writer fills in: it says nothing about the note.
_MADE = ("created", "by", "project", "importance", "updated")
# Notes compared to tell folders apart; the characters of a run; the share of a memory's runs that its note still has.
COMPARED, RUN, ALIKE = 50, 5, 0.3
_IMPORTS = "^Gitmem-Source: import "


def merge_notes(repository: OpenRepository, tip: str | None, settled: ImportPlan) -> None:
    """Merge the notes among the updates with the store, and count those without a change as unchanged.

    Args:
        repository: The store.
        tip: The commit of the store that the plan is for.
        settled: The plan, which is changed.
    """
    keys = [
        key for key, incoming in settled.updated.items() if (incoming.name or incoming.id) and not incoming.archived
    ]
    if tip is None or not keys:
        return
    current = {_key_of(path): (path, oid) for path, oid in _live(repository, tip)}
    bases = _bases(repository, tip, {key for key in keys if key in current})
    oids = [*(current[key][1] for key in bases), *bases.values()]
    texts = {oid: text for oid, text in repository.git.read_blobs(oids) if text is not None}
    for key, base in bases.items():
        path, oid = current[key]
        if oid not in texts or base not in texts:
            continue
        try:
            started, now = parse(texts[base], path=path), parse(texts[oid], path=path)
            text = _merged(repository, started, now, settled.updated[key].text)
        except FormatError:
            continue  # the note replaces what cannot be read
        if text == now.text:
            del settled.updated[key]
            settled.unchanged += 1
        else:
            settled.updated[key] = replace(settled.updated[key], text=text)


def is_another_folder(repository: OpenRepository, name: str, folder: Path) -> bool:
    """Return whether the store has notes of another folder with this name.

    That is so if most of the notes that are in both have little text in common. A folder with no note in common is the
    same one: its notes may have been renamed.

    Args:
        repository: The store.
        name: The name of the folder.
        folder: The folder that is imported.
    """
    if (tip := repository.find_tip()) is None:
        return False
    rows = repository.catalog_at(tip).rows(
        "SELECT t.fields, t.body FROM memory m JOIN text t USING (id) WHERE m.imported AND m.archived = 0"
        " AND m.shadowed = 0 AND instr(t.fields, ?)",
        (json.dumps(f"{name}/", ensure_ascii=False)[1:-1],),
    )
    alike: list[bool] = []
    for fields, body in rows:
        start, _, inside = str(json.loads(fields).get(IMPORTED)).partition(f"{name}/")
        path = folder / inside
        # The memory may be another person's: its path must not lead out of the folder.
        if not start and is_note_path(inside) and path.is_file() and not path.is_symlink():
            text = read_regular(path)[: layout.MEMORY_LIMIT].decode("utf-8", "replace")
            alike.append(_is_alike(body, text))
        if len(alike) == COMPARED:
            break
    return sum(alike) * 2 < len(alike)


def _is_alike(body: str, text: str) -> bool:
    """Return whether a note has some of the text of a memory; a memory without a text is like any."""
    before, now = ({text[at : at + RUN] for at in range(len(text) - RUN + 1)} for text in (body.strip(), text))
    return len(before & now) >= len(before) * ALIKE


def _key_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _live(repository: OpenRepository, tip: str) -> list[tuple[str, str]]:
    rows = repository.catalog_at(tip).rows("SELECT path, oid FROM memory WHERE archived = 0 AND shadowed = 0")
    return [(path, oid) for path, oid in rows]


def _bases(repository: OpenRepository, tip: str, keys: set[str]) -> dict[str, str]:
    """Return the blob that the last import wrote, by key."""
    argv = ("log", "--raw", "--no-abbrev", "--no-renames", "--format=", "--no-color", "-z", f"--grep={_IMPORTS}", tip)
    bases: dict[str, str] = {}
    parts = repository.git.text(*argv).split("\0")
    for change, path in zip(parts[::2], parts[1::2], strict=False):
        fields = change.split()
        key = _key_of(path)
        if len(fields) == 5 and fields[4] != "D" and key in keys:
            bases.setdefault(key, fields[3])
    return bases


def _merged(repository: OpenRepository, started: Document, now: Document, incoming: str) -> str:
    """Return the text of a memory with the changes of both sides since *started*."""
    own_fields = {name: started.fields[name] for name in _MADE if name in started.fields}
    note = with_fields(incoming, own_fields, started.path)
    sides = (Version(now.text.encode(), lambda: "the store"), Version(note.encode(), lambda: "the note"))
    text = unite(started.text.encode(), *sides, path=started.path).content.decode()
    before, after = now.fields, parse(text, path=started.path)
    is_changed = after.body != now.body or any(
        name not in _MADE and not is_same(after.fields.get(name), before.get(name)) for name in {*after.fields, *before}
    )
    return with_fields(text, {"updated": format_time(repository.now)}, started.path) if is_changed else now.text
