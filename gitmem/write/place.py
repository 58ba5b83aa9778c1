"""Where a memory is written: its folder, the automatic split, and a free key."""

from __future__ import annotations

from gitmem.document.fields import is_newer
from gitmem.errors import NotFoundError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.index.catalog.keys import near_keys
from gitmem.store import layout
from gitmem.text import parse_json
from gitmem.text.similarity import likeness, text_to_compare, wording_of
from gitmem.write.draft import SAME_ABOVE, Draft, hashed_key, hashed_stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.model import Document
    from gitmem.policy import Policy


# The most memories whose generated keys begin alike that are compared with a new text.
LIKE_KEYS = 20
# Of several files with one key, the effective one.
_KNOWN = "SELECT id, key, path, kind, title, archived FROM memory WHERE shadowed = 0 AND"


@frozen
class KnownMemory:
    """A memory in the store.

    Attributes:
        id: Its number in the catalog.
        key: Its key.
        path: Its path.
        kind: Its kind.
        title: Its title.
        archived: Whether it was retired (SQLite's 0 or 1).
    """

    id: int
    key: str
    path: str
    kind: str
    title: str
    archived: int


@frozen
class Change:
    """The result of a write.

    Attributes:
        key: The memory.
        path: Its path now.
        commit: The commit; the tip if nothing had to be written.
        is_new: Whether the memory is new.
        is_written: Whether a commit was made.
        rotated: The number of old memories of its kind that were archived with it.
        rotation: What a later write will archive, if the kind is near its limit; else empty.
        is_folded: Whether it was added to another memory that says the same; this is then about that one.
        contradicts: The keys of the live memories that it contradicts.
    """

    key: str
    path: str
    commit: str
    is_new: bool = False
    is_written: bool = True
    rotated: int = 0
    rotation: str = ""
    is_folded: bool = False
    contradicts: tuple[str, ...] = ()


@frozen
class PlannedFiles:
    """The files of one commit.

    Attributes:
        files: New texts by path.
        deletes: Removed paths.
        moves: Old and new paths of files whose folder is split.
    """

    files: Mapping[str, str]
    deletes: Sequence[str] = ()
    moves: tuple[tuple[str, str], ...] = ()


def find_known(catalog: Catalog, key: str) -> KnownMemory | None:
    """Return the memory with a key, a retired one if there is no other; None if there is none."""
    row = catalog.row(f"{_KNOWN} key = ?", (key,))
    return KnownMemory(*row) if row else None


def refuse_newer(catalog: Catalog, key: str) -> None:
    """Refuse to replace a memory from a newer version of gitmem: it may contain what this one cannot read.

    Raises:
        RefusedError: The memory with this key was written by a newer version.
    """
    row = catalog.row(
        "SELECT t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0 AND m.key = ?", (key,)
    )
    unread = catalog.row("SELECT 1 FROM problem WHERE key = ? AND code = 'newer-schema'", (key,))
    if unread or (row and is_newer(parse_json(row[0]))):
        raise RefusedError(
            f"{key} was written by a newer version of gitmem and cannot be replaced",
            hint="update gitmem to change it, or use another key: --key ANOTHER-KEY",
        )


def need_known(catalog: Catalog, key: str) -> KnownMemory:
    """Return the memory with a key.

    Raises:
        NotFoundError: There is none; the message names similar keys.
    """
    known = find_known(catalog, key)
    if known is None:
        raise NotFoundError(f"there is no memory {key}", hint=near_keys(catalog, key))
    return known


def list_superseding(catalog: Catalog, key: str) -> list[KnownMemory]:
    """Return the live memories that claim to supersede one, by key."""
    rows = catalog.rows(
        f"{_KNOWN} archived = 0 AND id IN (SELECT source FROM link WHERE relation = 'supersedes' AND target = ?)"
        " AND key <> ? ORDER BY key",
        (key, key),
    )
    return [KnownMemory(*row) for row in rows]


def target_of(catalog: Catalog, document: Document, old: str, *, is_retired: bool) -> KnownMemory:
    """Return the memory that another one is to supersede.

    Raises:
        RefusedError: There is none; it is the memory itself, or supersedes it; or the other memory is retired.
    """
    key, known = document.key, find_known(catalog, old)
    if old == key:
        raise RefusedError(f"{key} cannot supersede itself")
    if known is None:
        raise RefusedError(
            f"{key} cannot supersede {old}: no memory has this key", hint=f"gitmem list | grep {old[:20]}"
        )
    if is_retired:
        raise RefusedError(f"{key} was retired and cannot supersede {old}", hint=f"restore it: gitmem restore {key}")
    if document.fields.get("superseded_by") == old:
        raise RefusedError(f"{key} is superseded by {old}", hint=f"reverse it: gitmem supersede {old} {key}")
    above = [k.key for k in list_superseding(catalog, key) if k.key != old]
    for outer in above:
        above += [k.key for k in list_superseding(catalog, outer) if k.key not in above]
    if old in above:
        raise RefusedError(f"{key} cannot supersede {old}, which supersedes it indirectly: that would be a cycle")
    return known


def body_of(catalog: Catalog, known: KnownMemory) -> str:
    """Return the body of a memory."""
    return str(catalog.row("SELECT body FROM text WHERE id = ?", (known.id,))[0])


def before_of(catalog: Catalog, known: KnownMemory) -> dict[str, Any]:
    """Return the current fields of a memory."""
    fields: dict[str, Any] = parse_json(catalog.row("SELECT fields FROM text WHERE id = ?", (known.id,))[0])
    return fields


def live_files(catalog: Catalog, key: str) -> list[KnownMemory]:
    """Return every live file with a key, the effective one first."""
    columns = "id, key, path, kind, title, archived"
    rows = catalog.rows(f"SELECT {columns} FROM memory WHERE key = ? AND archived = 0 ORDER BY shadowed, path", (key,))
    return [KnownMemory(*row) for row in rows]


def paths_of_key(catalog: Catalog, key: str) -> list[str]:
    """Return every file with a key, retired ones as well."""
    return [row[0] for row in catalog.rows("SELECT path FROM memory WHERE key = ?", (key,))]


def settle_key(catalog: Catalog, draft: Draft) -> Draft:
    """Return the draft with its final key.

    An explicit key is used as it is: the latest text wins; its former key is used if only that is known. A memory that
    says nearly the same under the generated key, in any of its forms, is updated. A generated key that belongs to
    another text gets a short hash appended.
    """
    if draft.is_explicit:
        before = find_known(catalog, draft.former) if draft.former and find_known(catalog, draft.key) is None else None
        return draft if before is None else replace(draft, key=before.key)
    known = find_known(catalog, draft.key)
    if known is not None and _says_the_same(catalog, draft, known):
        return draft
    same = next((known for known in _with_like_keys(catalog, draft) if _says_the_same(catalog, draft, known)), None)
    if same is not None:
        return replace(draft, key=same.key)
    if known is None and not _is_unreadable(catalog, draft.key):
        return draft
    text = f"{draft.fields['title']}\n{draft.body}"

    def is_taken(key: str) -> bool:  # a memory edited since then says something else now
        return find_known(catalog, key) is not None or _is_unreadable(catalog, key)

    return replace(draft, key=hashed_key(draft.key, text, is_taken))


def _is_unreadable(catalog: Catalog, key: str) -> bool:
    """Return whether a file with this key cannot be read: only an explicit key overwrites it."""
    return catalog.row("SELECT 1 FROM problem WHERE key = ? AND severity = 'error'", (key,)) is not None


def _with_like_keys(catalog: Catalog, draft: Draft) -> list[KnownMemory]:
    """Return the memories whose key was generated from a text with the same beginning, by key.

    It is this key followed by a short hash, or begins with the kind: so it did in stores of earlier versions.
    """
    stem, named = hashed_stem(draft.key), f"{draft.kind.replace('_', '-')}-"
    beginnings = (
        (f"{stem}-", f"{stem}-{'[0-9a-f]' * 6}"),
        *((f"{named}{prefix}{draft.key}", "*") for prefix in ("", named)),
    )
    like_keys = []
    for beginning, form in beginnings:
        rows = catalog.rows(
            f"{_KNOWN} key >= ? AND key < ? AND key GLOB ? ORDER BY key LIMIT {LIKE_KEYS}",
            (beginning, f"{beginning}~", form),
        )
        like_keys += [KnownMemory(*row) for row in rows]
    return like_keys


def _says_the_same(catalog: Catalog, draft: Draft, known: KnownMemory) -> bool:
    superseded = catalog.row("SELECT superseded FROM memory WHERE id = ?", (known.id,))[0]
    if known.kind != draft.kind or (superseded and not known.archived):
        return False  # a superseded memory does not come back when it is recorded again
    texts = (
        text_to_compare(known.title, body_of(catalog, known)),
        text_to_compare(str(draft.fields["title"]), draft.body),
    )
    return likeness(*(wording_of(text, catalog.language) for text in texts)) > SAME_ABOVE


def folder_of(kind: str, policy: Policy) -> str:
    """Return the folder of a kind."""
    folder = policy.kind(kind).folder
    return folder if layout.is_folder(folder) else "memories"


def choose_path(catalog: Catalog, kind: str, key: str, policy: Policy) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the path for a new file of a kind, and the moves that split its folder if it is full."""
    paths, moves = choose_paths(catalog, folder_of(kind, policy), [key], archived=False)
    return paths[key], moves


def path_after_edit(
    catalog: Catalog, known: KnownMemory, kind: str, policy: Policy
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the path of a memory that may get another kind, and the moves that split the kind's folder."""
    return (known.path, ()) if kind == known.kind or known.archived else choose_path(catalog, kind, known.key, policy)


def choose_paths(
    catalog: Catalog, folder: str, keys: Sequence[str], *, archived: bool
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Return the paths for new files by key, and the moves that split their folder if it is full."""
    top = f"archive/{folder}" if archived else folder
    split = catalog.row(
        "SELECT 1 FROM memory WHERE folder >= ? AND folder < ? AND folder GLOB ? LIMIT 1",
        (f"{top}/", f"{top}0", f"{top}/??"),  # '0' is the character after '/'
    )
    moves: list[tuple[str, str]] = []
    if not split:
        flat = [r[0] for r in catalog.rows("SELECT path FROM memory WHERE folder = ?", (top,))]
        if split := len(flat) + len(keys) > layout.SPLIT_ABOVE:
            for path in sorted(flat):
                name = path.rsplit("/", 1)[1].removesuffix(".md")
                moves.append((path, layout.memory_path(folder, name, split=True, archived=archived)))
    paths = {key: layout.memory_path(folder, key, split=bool(split), archived=archived) for key in keys}
    return paths, tuple(moves)
