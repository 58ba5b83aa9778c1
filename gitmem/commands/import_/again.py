"""Import a note again: what was changed in the note and what was changed here since are merged by meaning.

The base is the memory as the last import wrote it, which git still has.
"""

from __future__ import annotations

from gitmem.document.edit import is_same
from gitmem.document.parse import parse
from gitmem.document.times import format_time
from gitmem.errors import FormatError
from gitmem.frozen import replace
from gitmem.store.merge.memories import Version, unite
from gitmem.write.draft import with_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model import Document
    from gitmem.repository import OpenRepository
    from gitmem.write.bulk import ImportPlan

# What a writer fills in: it says nothing about the note.
_MADE = ("created", "by", "project", "importance", "updated")
_IMPORTS = "^Gitmem-Source: import "


def merge_notes(memory: OpenRepository, tip: str | None, settled: ImportPlan) -> None:
    """Merge the notes among the updates with the store, and count those without a change as unchanged.

    Args:
        memory: The store.
        tip: The commit of the store that the plan is for.
        settled: The plan, which is changed.
    """
    keys = [key for key, one in settled.updated.items() if one.name and not one.archived]
    if tip is None or not keys:
        return
    current = {_key_of(path): (path, oid) for path, oid in _live(memory, tip)}
    bases = _bases(memory, tip, {key for key in keys if key in current})
    oids = [*(current[key][1] for key in bases), *bases.values()]
    texts = {oid: text for oid, text in memory.git.read_blobs(oids) if text is not None}
    for key, base in bases.items():
        path, oid = current[key]
        if oid not in texts or base not in texts:
            continue
        try:
            started, now = parse(texts[base], path=path), parse(texts[oid], path=path)
            text = _merged(memory, started, now, settled.updated[key].text)
        except FormatError:
            continue  # the note replaces what cannot be read
        if text == now.text:
            del settled.updated[key]
            settled.unchanged += 1
        else:
            settled.updated[key] = replace(settled.updated[key], text=text)


def _key_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _live(memory: OpenRepository, tip: str) -> list[tuple[str, str]]:
    rows = memory.catalog_at(tip).rows("SELECT path, oid FROM memory WHERE archived = 0 AND shadowed = 0")
    return [(path, oid) for path, oid in rows]


def _bases(memory: OpenRepository, tip: str, keys: set[str]) -> dict[str, str]:
    """Return the blob that the last import wrote, by key."""
    argv = ("log", "--raw", "--no-abbrev", "--no-renames", "--format=", "--no-color", "-z", f"--grep={_IMPORTS}", tip)
    found: dict[str, str] = {}
    parts = memory.git.text(*argv).split("\0")
    for change, path in zip(parts[::2], parts[1::2], strict=False):
        fields = change.split()
        key = _key_of(path)
        if len(fields) == 5 and fields[4] != "D" and key in keys:
            found.setdefault(key, fields[3])
    return found


def _merged(memory: OpenRepository, started: Document, now: Document, incoming: str) -> str:
    """Return the text of a memory with the changes of both sides since *started*."""
    kept = {name: started.fields[name] for name in _MADE if name in started.fields}
    note = with_fields(incoming, kept, started.path)
    sides = (Version(now.text.encode(), lambda: "the store"), Version(note.encode(), lambda: "the note"))
    text = unite(started.text.encode(), *sides, path=started.path).content.decode()
    before, after = now.fields, parse(text, path=started.path)
    is_changed = after.body != now.body or any(
        name not in _MADE and not is_same(after.fields.get(name), before.get(name)) for name in {*after.fields, *before}
    )
    return with_fields(text, {"updated": format_time(memory.now)}, started.path) if is_changed else now.text
