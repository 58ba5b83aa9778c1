"""Read the changes that a store's ``gitmem.toml`` makes to the built-in policy, and check every value. Pure.

Loaded only for a store that changes something.
"""

from __future__ import annotations

from gitmem.config import WrongValue
from gitmem.errors import ConfigError
from gitmem.frozen import replace
from gitmem.policy.collections import COLLECTIONS, Collection
from gitmem.policy.kinds import KINDS, ROLES, TAG_WORDS, Kind, Role, plain_row
from gitmem.policy.settings import OWN, ROWS, SECTIONS, is_slug, keys_of, read_line, read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    from gitmem.config import Setting

    T = TypeVar("T")


def apply_changes(changes: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Return the fields of the policy (``Policy``) with the changes of a store.

    Args:
        changes: The settings, in the form of ``gitmem.toml``.
        file: Its name, for errors.

    Raises:
        ConfigError: A key is unknown, or a value is invalid.
    """
    for name in changes:
        if name not in _TABLES:
            inside = [f"{section}.{name}" for section, rows in ROWS.items() if name in rows]
            raise _unknown(name, inside[:1] or _TABLES, file)
    found = {name: _settings(name, SECTIONS[name], changes.get(name, {}), file) for name in _SECTIONS}
    kinds = _kinds(changes.get("kinds", {}), found["verify"].ttl_s, file)
    collections = _collections(changes.get("collections", {}), kinds, file)
    kinds = _with_collection_rules(kinds, collections, changes.get("kinds", {})) if collections else kinds
    tags, roles = _tags(changes.get("tags", {}), file), _roles(changes.get("roles", {}), file)
    return {"kinds": kinds, "collections": collections, "tags": tags, "roles": roles, "changes": changes, **found}


def _settings(section: str, defaults: T, changes: Any, file: str) -> T:
    """Return the settings of a section and of its subsections."""
    settings: dict[str, Any] = {}
    for key, value in _items(changes, section, file):
        name = f"{section}.{key}"
        if name in SECTIONS:
            settings[key] = _settings(name, getattr(defaults, key), value, file)
            continue
        row = ROWS[section].get(key)
        if row is None:
            inside = [other for other in SECTIONS if other.startswith(f"{section}.")]
            raise _unknown(name, [*(f"{section}.{known}" for known in ROWS[section]), *inside], file)
        read_value = _value(row.read, value, name, file)
        if name not in OWN:
            settings[row.name] = read_value
    return replace(defaults, **settings) if settings else defaults


def _kinds(changes: Any, ttl_s: int | None, file: str) -> Mapping[str, Kind]:
    """Return the table of kinds; a kind with required checks and no time of its own is valid as long as its verdict."""
    rows, timed = dict(KINDS), set[str]()
    for name, change in _items(changes, "kinds", file):
        if not is_slug(name):
            raise _wrong(f"kinds.{name}", "a kind whose name is one word in lower case", file)
        row_values = _row_values(f"kinds.{name}", keys_of(Kind), change, file)
        timed |= {name} if "ttl_s" in row_values else set()
        rows[name] = replace(rows.get(name) or plain_row(name), **row_values)
    for name, row in rows.items():
        # For a built-in kind without a time, verdicts are valid until their inputs change.
        is_lasting = name in KINDS and KINDS[name].ttl_s is None
        if row.needs_verify and row.ttl_s != ttl_s and name not in timed and not is_lasting:
            rows[name] = replace(row, ttl_s=ttl_s)
    return rows


def _row_values(section: str, rows: Mapping[str, Setting], changes: Any, file: str) -> dict[str, Any]:
    """Return the values of one kind, collection or role, by attribute."""
    row_values: dict[str, Any] = {}
    for key, value in _items(changes, section, file):
        row = rows.get(key)
        if row is None:
            raise _unknown(f"{section}.{key}", [f"{section}.{known}" for known in rows], file)
        row_values[row.name] = _value(row.read, value, f"{section}.{key}", file)
    return row_values


def _collections(changes: Any, kinds: Mapping[str, Kind], file: str) -> Mapping[str, Collection]:
    """Return the collections that the policy changes."""
    rows: dict[str, Collection] = {}
    for name, change in _items(changes, "collections", file):
        section = f"collections.{name}"
        if not any(kind.collection == name for kind in kinds.values()):
            hint = f'put one in it: [kinds.NAME] with collection = "{name}"'
            raise ConfigError(f"{file}: no kind is in the collection {name}", file=file, key=section, hint=hint)
        row_values = _row_values(section, keys_of(Collection), change, file)
        kind = row_values.get("kind", "")
        if kind and (kind not in kinds or kinds[kind].collection != name):
            raise _wrong(f"{section}.kind", f"a kind of the collection {name}", file)
        rows[name] = replace(COLLECTIONS.get(name) or Collection(name), **row_values)
    return rows


def _with_collection_rules(
    kinds: Mapping[str, Kind], collections: Mapping[str, Collection], changes: Mapping[str, Any]
) -> Mapping[str, Kind]:
    """Return the kinds with their collections' rules; a kind's own row has precedence."""
    rows = dict(kinds)
    for name, kind in kinds.items():
        row = collections.get(kind.collection)
        if row is None:
            continue
        required = tuple(dict.fromkeys((*kind.required, *row.required)))
        rows[name] = replace(kind, required=required)
        if row.ttl_s is not None and "ttl" not in changes.get(name, {}):
            rows[name] = replace(rows[name], ttl_s=row.ttl_s, expires=not kind.needs_verify)
    return rows


def _roles(changes: Any, file: str) -> Mapping[str, Role]:
    roles = dict(ROLES)
    for name, change in _items(changes, "roles", file):
        if not is_slug(name):
            raise _wrong(f"roles.{name}", "a role whose name is one word in lower case", file)
        row_values = _row_values(f"roles.{name}", keys_of(Role), change, file)
        roles[name] = replace(roles.get(name, Role()), **row_values)
    return roles


def _tags(changes: Any, file: str) -> Mapping[str, tuple[str, ...]]:
    words = dict(TAG_WORDS)
    for key, value in _items(changes, "tags", file):
        if key != "words":
            raise _unknown(f"tags.{key}", ["tags.words"], file)
        for tag, lines in _items(value, "tags.words", file):
            _value(read_line, tag, "the name of a tag", file)
            words[tag] = _value(read_lines, lines, f"tags.words.{tag}", file)
    return {tag: given for tag, given in words.items() if given}


def _items(table: Any, name: str, file: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(table, dict):
        raise _wrong(name, f"a table: [{name}]", file)
    return table.items()


def _value(reader: Callable[[Any], T], value: Any, name: str, file: str) -> T:
    try:
        return reader(value)
    except WrongValue as err:
        raise _wrong(name, str(err), file) from err


def _wrong(name: str, wanted: str, file: str) -> ConfigError:
    return ConfigError(f"{file}: {name} must be {wanted}", file=file, key=name)


def _unknown(name: str, known: Iterable[str], file: str) -> ConfigError:
    # 7 ms (measured), only for this error.
    from difflib import get_close_matches

    nearest = get_close_matches(name, list(known), n=1, cutoff=0.0)[0]
    return ConfigError(f"{file}: unknown setting: {name}", file=file, key=name, hint=f"the closest one is {nearest}")


_SECTIONS = tuple(name for name in SECTIONS if "." not in name)
_TABLES = (*_SECTIONS, "roles", "tags", "kinds", "collections")
