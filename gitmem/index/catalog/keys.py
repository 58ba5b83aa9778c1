"""Find keys as people type them: complete, shortened or misspelled."""

from __future__ import annotations

from gitmem.errors import AmbiguousKeyError, NotFoundError
from gitmem.index.catalog import Catalog, key_of_id, short_ids, unreadable_tip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# How many keys an error names: if several begin with the typed text, and if none does.
KEYS_NAMED = 10
NEAR = 5
# Shorter texts are in keys by chance.
PART_CHARS = 3


def full_key(catalog: Catalog, typed: str) -> str:
    """Return the key that was typed, the key of the short id that was typed, or the only key that begins so.

    Raises:
        NotFoundError: There is no such key, or its file cannot be read.
        AmbiguousKeyError: Several keys begin with the typed text, or one does and it is the id of another memory.
    """
    if not typed.isascii():  # keys are ASCII, and SQLite rejects lone surrogates
        raise NotFoundError(f"there is no memory {typed}", hint=near_keys(catalog, typed))
    if catalog.row("SELECT 1 FROM memory WHERE key = ?", (typed,)):
        return typed
    broken = catalog.row("SELECT path, message FROM problem WHERE key = ? AND severity = 'error'", (typed,))
    if broken:  # do not fall back to another key with this prefix
        why = f"{broken[0]}: {broken[1]}"
        raise NotFoundError(f"{typed} cannot be read: {why}", hint="gitmem doctor", quoted=why)
    rows = catalog.rows(
        "SELECT DISTINCT key FROM memory WHERE key >= ? AND key < ? AND archived = 0 ORDER BY key LIMIT ?",
        (typed, typed + "\U0010ffff", KEYS_NAMED + 1),
    ) if typed else []  # fmt: skip
    named = key_of_id(catalog, typed)
    keys = sorted({*([named] if named else []), *(row[0] for row in rows)})
    if len(keys) == 1:
        return str(keys[0])
    if keys:
        shown = ", ".join(keys[:KEYS_NAMED]) + (", …" if len(keys) > KEYS_NAMED else "")
        raise AmbiguousKeyError(f"{typed} matches several memories", keys=keys, hint=f"choose one of {shown}")
    raise _not_found(catalog, typed)


def _not_found(catalog: Catalog, typed: str) -> NotFoundError:
    """Return the error for a key that no memory has; the answer is not "no" where git cannot read the newest state."""
    if not (shown := unreadable_tip(catalog)):
        return NotFoundError(f"there is no memory {typed}", hint=near_keys(catalog, typed))
    err = NotFoundError(f"no memory {typed} among those that git can read: {shown}", hint="gitmem doctor")
    err.exit_status = 3
    return err


def names_of(catalog: Catalog, keys: Iterable[str]) -> dict[str, str]:
    """Return by what each memory is named to a person: its short id, or its key if this catalog does not have it."""
    every = list(keys)
    ids = short_ids(catalog, every)
    return {key: ids.get(key, key) for key in every}


def resolve_ids(catalog: Catalog, names: Iterable[str]) -> list[str]:
    """Return names with the short ids among them replaced by keys; keys, labels and unknown names are kept."""
    return [_key_of(catalog, name) or name for name in names]


def _key_of(catalog: Catalog, name: str) -> str:
    """Return the key of a name that is a short id and neither a key nor a label; else an empty string."""
    key = key_of_id(catalog, name)
    known = "SELECT 1 FROM memory WHERE key = ? UNION SELECT 1 FROM link WHERE relation = 'produces' AND target = ?"
    return "" if not key or catalog.row(known, (name, name)) else key


def add_short_ids(catalog: Catalog, document: Any) -> Any:
    """Return a document of JSON with ``short_id`` after each ``key`` of a memory of this catalog that lacks it."""
    ids = short_ids(catalog, {key for table in _named_tables(document) for key in [table["key"]]})

    def add(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [add(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        tree: dict[str, Any] = {}
        for name, entry in value.items():
            tree[name] = add(entry)
            if name == "key" and "short_id" not in value and "store" not in value and entry in ids:
                tree["short_id"] = ids[entry]
        return tree

    return add(document)


def _named_tables(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the tables in a document that name a memory."""
    if isinstance(value, dict):
        if value.get("key") and isinstance(value["key"], str):
            yield value
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for entry in value:
            yield from _named_tables(entry)


def near_keys(catalog: Catalog, key: str) -> str:
    """Return a hint that names similar keys, or says how to search."""
    from difflib import get_close_matches  # 3 ms, and only for this error

    keys = [row[0] for row in catalog.rows("SELECT DISTINCT key FROM memory LIMIT 20000")]
    near = [k for k in keys if len(key) >= PART_CHARS and key in k][:NEAR] or get_close_matches(
        key, keys, n=NEAR, cutoff=0.6
    )
    return f"did you mean {', '.join(near)}?" if near else "to find it: gitmem recall, gitmem list"


def describe_unreadable(catalog: Catalog) -> str:
    """Return a line that says how many files of the store cannot be read, or an empty string: one may be a fact."""
    number = catalog.row("SELECT count(*) FROM problem WHERE severity = 'error'")[0]
    return f"{number} file{'s' * (number != 1)} of the store cannot be read: gitmem doctor" if number else ""
