"""Merge two versions of one memory by meaning: field by field, the body line by line, the same either way. Pure.

A change by only one side is taken over. Lists are united, without what one side removed. Of two new values of one
field, the later one counts and the other is stored in ``conflict``; two new versions of the same lines are both kept in
the body, with their authors. There are never conflict markers. The result is the same whoever was merged first.
"""

from __future__ import annotations

from gitmem.document.conflict import CONFLICT
from gitmem.document.edit import REMOVE, edit, is_same
from gitmem.document.fields import ROTATED, is_newer
from gitmem.document.format import format as format_memory
from gitmem.document.parse import parse, unify
from gitmem.document.times import parse_time
from gitmem.errors import FormatError
from gitmem.frozen import frozen
from gitmem.git.texts import merge_texts
from gitmem.store.merge.bodies import Leaf, join_bodies, list_names
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.model import Document
    from gitmem.store.merge.history import History

# In these a text equals a list with one element (``model.Document.strings``), and nothing equals an empty list.
_LISTS = frozenset(
    {"tags", "domains", "paths", "refs", "anchors", "requires", "produces", "supersedes", "confirmed", CONFLICT}
)
# Fields written by gitmem: the later, earlier or larger value counts, and a person need not resolve anything.
_LATER = frozenset({"updated", "schema"})
_EARLIER = frozenset({"created"})
_OF_LATER_TEXT = frozenset({"by", "superseded_by", "correction", "project", "workspace"})
# A counterexample belongs to its check: the two are never mixed.
_CHECK = ("verify", "refute")
# A task's state, since when and by whom: one unit. The first state in this order counts (``tasks.life``).
_LIFE = ("state", "claimed", "closed")
_STATES = {"closed": 0, "claimed": 1}
_NAME_LIMIT = 60
_MISSING: Any = REMOVE


@frozen
class Version:
    """One side's text of a memory.

    Attributes:
        content: The file.
        who: Returns its last author; called only if there is a conflict.
        edits: Returns the changes that this side made to it, merges left out; called only if there is a conflict.
        history: Returns the history of both sides, or None; called only if their bodies conflict.
        commit: The side's commit in that history.
    """

    content: bytes
    who: Callable[[], str]
    edits: Callable[[], Sequence[MemoryEdit]] = tuple
    history: Callable[[], History | None] = lambda: None
    commit: str = ""


@frozen
class MemoryEdit:
    """A commit that changed a memory.

    Attributes:
        at: Its author's time, epoch seconds.
        who: Its author.
        before: The file before; None if it was new.
        after: The file after.
    """

    at: int
    who: str
    before: bytes | None
    after: bytes


@frozen
class MergedMemory:
    """A merged memory.

    Attributes:
        content: The file.
        conflicts: The fields that a person must resolve, ``body`` for its text, sorted; ``unreadable`` if one of the
            files is not a memory, and only the other was kept.
        kind: Its kind; empty if it cannot be read.
    """

    content: bytes
    conflicts: tuple[str, ...] = ()
    kind: str = ""
    is_live: bool = False


def unite(base: bytes | None, one: Version, other: Version, *, path: str, is_forgotten: bool = False) -> MergedMemory:
    """Merge both sides' versions of one memory.

    Args:
        base: The common ancestor's text, or None.
        one: One side.
        other: The other side; their order does not matter.
        path: The memory's path.
        is_forgotten: Whether one side retired what the other changed: it stays retired, and a person should review it,
            unless it was only rotated for its age: then it is live again.
    """
    if one.content == other.content:
        return MergedMemory(one.content)
    sides = [(document, version) for version in (one, other) if (document := _read(version.content, path)) is not None]
    if len(sides) < 2:
        left = [version.content for _, version in sides] or [one.content, other.content]
        return MergedMemory(max(left), ("unreadable",))
    sides.sort(key=lambda side: (_time_of(side[0].fields), side[1].content))
    (earlier, early), (later, late) = sides
    started = _read(base, path) if base is not None else None
    origins = SideOrigins(early, earlier, path), SideOrigins(late, later, path)
    fields, conflicts = _merge_fields(started, earlier, later, origins)
    body, names_of_body = _merge_bodies(started, tuple(sides), origins)
    if names_of_body:
        conflicts.append({"field": "body", "by": names_of_body})
    elif isinstance(fields.get(CONFLICT), list) and not list_names(body) and any(map(_has_versions, (earlier, later))):
        fields[CONFLICT] = [part for part in fields[CONFLICT] if not _is_of_body(part)]
        if not fields[CONFLICT]:
            del fields[CONFLICT]
    is_live = is_forgotten and _is_rotated(fields.get("retired")) and not _is_same_but_retired(earlier, later)
    if is_live:
        del fields["retired"]
    elif is_forgotten and "retired" in fields and not _is_same_but_retired(earlier, later):
        changed = origins[1 if "retired" in earlier.fields else 0]
        conflicts += [{"field": "retired", "by": name} for name in changed.authors()]
    if conflicts:
        fields[CONFLICT] = _join_conflicts(fields.get(CONFLICT), conflicts, fields)
    elif isinstance(fields.get(CONFLICT), list):
        fields[CONFLICT] = sorted(fields[CONFLICT], key=repr)  # united, in the order of who was merged first
    names = tuple(sorted({str(entry["field"]) for entry in conflicts}))
    for text in (_merge_by_line(started, earlier, later, fields, body), _write_text(later, fields, body)):
        if text is not None:
            return MergedMemory(text.encode("utf-8"), names, str(fields.get("kind", "")), is_live)
    # Together they exceed the size of a memory: the later one stays, with a note about the other.
    short = [{"field": name, "by": safe_name(early.who())} for name in names or ("body",)]
    text = _write_text(
        later, {**later.fields, CONFLICT: _join_conflicts(later.fields.get(CONFLICT), short, {})}, later.body
    )
    return MergedMemory(late.content if text is None else text.encode("utf-8"), names or ("body",), later.kind)


def _read(content: bytes, path: str) -> Document | None:
    """Return a memory that may be changed, or None: not a memory, or one of a newer version of gitmem."""
    try:
        document = parse(content, path=path)
    except FormatError:
        return None
    return None if is_newer(document.fields) else document


def _time_of(fields: Mapping[str, Any]) -> int:
    for name in ("updated", "created"):
        try:
            return parse_time(str(fields[name]))
        except (KeyError, FormatError):
            continue
    return 0


class SideOrigins:
    """When, and by whom, one side's fields and lines were set. Asked only about conflicts.

    Merges do not count, so that the answers do not depend on what was merged first.
    """

    def __init__(self, version: Version, document: Document, path: str) -> None:
        self._version, self._document, self._path = version, document, path
        self._read_edits: list[tuple[MemoryEdit, Document | None, Document]] | None = None

    def of_field(self, name: str) -> tuple[int, str]:
        """Return when a field was last set to its value, and who did; the memory's own time if that is unknown.

        Of several who set it to this value, the first by name is returned: whoever was merged first.
        """
        value = self._document.fields.get(name, _MISSING)

        def has(document: Document | None) -> bool:
            return document is not None and is_same(document.fields.get(name, _MISSING), value)

        return self._last(has)

    def of_lines(self, lines: str, instead_of: str) -> str:
        """Return who last brought lines into the body; for no lines, who removed the others."""

        def has(document: Document | None) -> bool:
            body = unify(document.body) if document else ""
            return lines in body if lines.strip() else instead_of not in body

        return self._last(has)[1]

    def authors(self) -> list[str]:
        """Return who changed the memory on this side, sorted."""
        return sorted({safe_name(edit.who) for edit, _, _ in self._edits()} or {safe_name(self._version.who())})

    def _last(self, has: Callable[[Document | None], bool]) -> tuple[int, str]:
        setting = [edit for edit, before, after in self._edits() if has(after) and not has(before)]
        if not setting:
            return _time_of(self._document.fields), safe_name(self._version.who())
        return max(edit.at for edit in setting), min(safe_name(edit.who) for edit in setting)

    def _edits(self) -> list[tuple[MemoryEdit, Document | None, Document]]:
        if self._read_edits is None:
            self._read_edits = [
                (edit, _read(edit.before, self._path) if edit.before is not None else None, after)
                for edit in self._version.edits()
                if (after := _read(edit.after, self._path)) is not None
            ]
        return self._read_edits


def _merge_fields(
    base: Document | None, earlier: Document, later: Document, origins: tuple[SideOrigins, SideOrigins]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the merged fields, in the later text's order, and the conflicts."""
    started: Mapping[str, Any] = base.fields if base else {}
    merged: dict[str, Any] = {}
    conflicts: list[dict[str, Any]] = []
    for name in dict.fromkeys((*later.fields, *earlier.fields)):
        was, one, other = (fields.get(name, _MISSING) for fields in (started, earlier.fields, later.fields))
        if is_same(one, other) or is_same(one, was):
            value = other
        elif is_same(other, was):
            value = one
        elif name not in _LISTS and (one is _MISSING or other is _MISSING):
            value = one if other is _MISSING else other  # a field that one side removed and the other changed stays
        else:
            value = _merge_values(name, was, one, other)
            if value is None:
                (_, by, loser), (*_, value) = sorted(
                    ((*origin.of_field(name), side) for origin, side in zip(origins, (one, other), strict=True)),
                    key=lambda side: (side[0], repr(side[2])),
                )
                if name not in _OF_LATER_TEXT:
                    conflicts.append({"field": name, "other": loser, "by": by})
        if value is not _MISSING:
            merged[name] = value
    if "task" in (earlier.kind, later.kind):
        conflicts = [entry for entry in conflicts if entry["field"] not in _LIFE]
        life, lost = _merge_life(started, earlier.fields, later.fields)
        merged = {name: value for name, value in merged.items() if name not in _LIFE} | life
        if isinstance(lost, dict):
            conflicts.append({"field": "claimed", "other": lost, "by": safe_name(str(lost.get("who", "")))})
    if decided := [name for name in _CHECK if any(entry["field"] == name for entry in conflicts)]:
        effective = next(
            side.fields for side in (later, earlier) if is_same(side.fields[decided[0]], merged[decided[0]])
        )
        merged = {name: value for name, value in merged.items() if name not in _CHECK}
        merged |= {name: effective[name] for name in _CHECK if name in effective}
    return merged, conflicts


def _is_same_but_retired(one: Document, other: Document) -> bool:
    fields = [
        {name: document.fields[name] for name in document.fields if name != "retired"} for document in (one, other)
    ]
    return repr(fields[0]) == repr(fields[1]) and one.body == other.body


def _is_rotated(retired: Any) -> bool:
    return isinstance(retired, dict) and retired.get("why") == ROTATED


def _when(retired: Any) -> str:
    return str(retired.get("when", "")) if isinstance(retired, dict) else ""


def _merge_values(name: str, was: Any, one: Any, other: Any) -> Any:
    """Merge two new values of a field; None if the one that was set later counts."""
    if name in _LATER:
        return max(one, other, key=lambda value: (isinstance(value, int | str), str(value)))
    if name in _EARLIER:
        return min(one, other, key=str)
    if name in _OF_LATER_TEXT:
        return None
    if name == "retired":
        # What a person forgot stays forgotten if it was also rotated.
        return max(one, other, key=lambda value: (not _is_rotated(value), _when(value), repr(value)))
    if name == "attempts" and _is_attempts(one) and _is_attempts(other):
        return _merge_attempts(was if _is_attempts(was) else [], one, other)
    lists = [_as_list(name, value) for value in (was, one, other)]
    if lists[1] is None or lists[2] is None or name == "verify":
        return None
    return _unite_lists(lists[0] or [], lists[1], lists[2]) or _MISSING


def _as_list(name: str, value: Any) -> list[Any] | None:
    if name in _LISTS and not isinstance(value, list):
        return [] if value is _MISSING or value is None else [value]
    return value if isinstance(value, list) else None


def _unite_lists(was: list[Any], one: list[Any], other: list[Any]) -> list[Any]:
    """Return elements in both, or new in either: existing ones keep their position, new ones follow in order."""
    in_one, in_other = ({repr(part) for part in parts} for parts in (one, other))
    before = {repr(part): part for part in was}
    common = [part for name, part in before.items() if name in in_one and name in in_other]
    new = {repr(part): part for part in (*one, *other) if repr(part) not in before}
    return [*common, *(new[name] for name in sorted(new))]


def _is_attempts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _merge_attempts(was: list[Any], one: list[Any], other: list[Any]) -> list[Any]:
    """Return the attempts of both sides in order of their start; equal worker and start mean the same attempt."""

    def by_name(attempts: list[Any]) -> dict[tuple[str, ...], Any]:
        return {tuple(str(part.get(name, "")) for name in ("when", "who", "agent")): part for part in attempts}

    before, ones, others = by_name(was), by_name(one), by_name(other)
    merge_attempts: list[Any] = []
    for name in sorted({*ones, *others}):
        mine, yours, old = ones.get(name), others.get(name), before.get(name)
        if mine is None or yours is None:
            merge_attempts += [mine or yours] if old is None or not is_same(old, mine or yours) else []
        else:
            merge_attempts.append(yours if is_same(mine, old) else mine if is_same(yours, old) else {**mine, **yours})
    number = 0
    for place, part in enumerate(merge_attempts):
        num = part.get("num")
        number = max(number + 1, num if isinstance(num, int) else 0)
        merge_attempts[place] = {**part, "num": number}
    return merge_attempts


def _merge_life(started: Mapping[str, Any], earlier: Mapping[str, Any], later: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the state of a task with its related fields, from the side that counts, and the losing claim.

    A closed task wins over a claimed one, and that over an open one; of two claims the first one counts, and the other
    worker is notified.
    """
    was, one, other = ({name: side[name] for name in _LIFE if name in side} for side in (started, earlier, later))
    if is_same(one, other) or is_same(one, was):
        return other, None
    if is_same(other, was):
        return one, None

    def rank(life: dict[str, Any]) -> tuple[int, str, str]:
        at = life.get("closed") or life.get("claimed") or {}
        return (
            _STATES.get(str(life.get("state")), 2),
            str(at.get("when", "") if isinstance(at, dict) else ""),
            repr(life),
        )

    first, second = sorted((one, other), key=rank)
    return first, second.get("claimed")


def _join_conflicts(there: Any, more: list[dict[str, Any]], fields: Mapping[str, Any]) -> list[Any]:
    """Return all conflicts, in an order that does not depend on what was merged first.

    A version that counts in the merged *fields* is left out.
    """
    old = there if isinstance(there, list) else [there] if there is not None else []
    join_conflicts = {repr(part): part for part in (*old, *more)}
    if any(part.get("field") == "body" for part in more):
        join_conflicts = {name: part for name, part in join_conflicts.items() if part in more or not _is_of_body(part)}
    texts = [part for part in join_conflicts.values() if _is_of_body(part)]
    if len(texts) > 1 and all(isinstance(part.get("by"), list) for part in texts):
        join_conflicts = {name: part for name, part in join_conflicts.items() if part not in texts}
        names = sorted({str(name) for part in texts for name in part["by"]})
        join_conflicts[repr(names)] = {"field": "body", "by": names}
    join_conflicts = {repr(part): part for part in _join_equal(join_conflicts.values())}
    return sorted((part for part in join_conflicts.values() if not _is_effective(part, fields)), key=repr)


def _has_versions(document: Document) -> bool:
    return bool(list_names(unify(document.body)))


def _join_equal(parts: Iterable[Any]) -> list[Any]:
    """Return conflicts without those whose value another one has: of two authors, the first by name is kept."""
    first: dict[str, Any] = {}
    for part in sorted(parts, key=repr):
        is_value = isinstance(part, dict) and "other" in part
        first.setdefault(repr({**part, "by": ""}) if is_value else repr(part), part)
    return list(first.values())


def _is_of_body(part: Any) -> bool:
    return isinstance(part, dict) and part.get("field") == "body"


def _is_effective(part: Any, fields: Mapping[str, Any]) -> bool:
    is_value = isinstance(part, dict) and "other" in part
    return is_value and is_same(part["other"], fields.get(str(part.get("field")), _MISSING))


def _merge_bodies(
    base: Document | None, sides: tuple[tuple[Document, Version], ...], origins: tuple[SideOrigins, SideOrigins]
) -> tuple[str, list[str]]:
    """Return the merged body, and the authors of conflicting lines in it; empty if there are none.

    Two bodies that conflict, or that hold conflicting versions already, are taken apart into the edits that they
    were merged from: these are joined at once, so that nothing depends on which of them were merged first.
    """
    bodies = [unify(document.body) for document, _ in sides]
    leaves = [Leaf(body, origin.of_lines) for body, origin in zip(bodies, origins, strict=True)]
    body, is_open = join_bodies(unify(base.body) if base else "", leaves)
    if is_open or any(map(list_names, bodies)):
        history = sides[0][1].history()
        apart = history.take_apart(*(version.commit for _, version in sides)) if history else None
        if apart is not None:
            body, is_open = join_bodies(*apart)
    return body, list_names(body) if is_open else []


def safe_name(who: str) -> str:
    """Return a name from a commit made safe for a memory: one short line, no hidden characters, no live markup."""
    name = display(" ".join(who.split()))[:_NAME_LIMIT]
    return "".join(char for char in name if char not in "\\`*_[]<>#|!") or "somebody"


def _merge_by_line(
    base: Document | None, earlier: Document, later: Document, fields: Mapping[str, Any], body: str
) -> str | None:
    """Return the files merged by line if the result has the same meaning, since that keeps both sides' comments."""
    if base is None or CONFLICT in fields:
        return None
    pieces = merge_texts(base.text, earlier.text, later.text)
    if any(piece.is_conflict for piece in pieces):
        return None
    try:
        merged = parse("".join(piece.text for piece in pieces), path=later.path)
    except FormatError:
        return None
    is_right = merged.fields.keys() == fields.keys() and all(
        is_same(merged.fields[name], fields[name]) for name in fields
    )
    return merged.text if is_right and unify(merged.body) == body else None


def _write_text(later: Document, fields: Mapping[str, Any], body: str) -> str | None:
    """Return the later text with the merged fields and body; None if the result is not a valid memory."""
    changes = {**dict.fromkeys(later.fields, REMOVE), **fields}
    try:
        return edit(later, changes, None if unify(later.body) == body else body)
    except FormatError:
        pass
    try:
        return parse(format_memory(fields, body), path=later.path).text
    except FormatError:
        return None
