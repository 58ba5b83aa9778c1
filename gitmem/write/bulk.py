"""Many memories in one commit: which are new, which the store has or has forgotten, and where they are written."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import blake2b

from gitmem.document.fields import IMPORTED, id_in, is_newer
from gitmem.document.note import file_of_note
from gitmem.document.parse import parse
from gitmem.frozen import frozen, replace
from gitmem.text.similarity import likeness, near_pairs, numerals, text_to_compare, wording_of
from gitmem.write.archive import NOT_IN_FORCE, describe_retired, is_rotated
from gitmem.write.draft import SAME_ABOVE, hashed_key, with_fields
from gitmem.write.duplicates import EVENTS, NewText, find_duplicate
from gitmem.write.incoming import Incoming
from gitmem.write.place import PlannedFiles, choose_paths, folder_of, paths_of_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy

# The most reasons of one sort in the report; the rest is counted.
REASONS_KEPT = 1000
# Characters of a text that no two notes share by chance: with another title, it is still the same note.
SAME_BODY = 20


class Reasons:
    """The places where something was left out, with reasons: the first ``REASONS_KEPT``, and the total.

    Attributes:
        total: The number of all reasons.
        kept: Source and reason of the first ones.
    """

    def __init__(self) -> None:
        self.total = 0
        self.kept: list[tuple[str, str]] = []

    def add(self, where: str, reason: str) -> None:
        """Count one."""
        self.total += 1
        if len(self.kept) < REASONS_KEPT:
            self.kept.append((where, reason))

    def plus(self, others: Reasons) -> Reasons:
        """Return these and others."""
        both = Reasons()
        both.kept = [*self.kept, *others.kept][:REASONS_KEPT]
        both.total = self.total + others.total
        return both


class ImportPlan:
    """What to do with each memory of an import.

    Attributes:
        new: Memories that the store does not have, by key.
        updated: Memories with an older text in the store, by key.
        unchanged: The number of memories that the store has already.
        merged: Memories with the key or the exact words of another one in the same import, which counts.
        replaced: How many of the merged ones have other words than the one with their key, and no earlier time.
        near: Memories left out as near duplicates of others in this import or the store.
        skipped: Memories left out on purpose.
        moved: Notes with another name than when they were imported.
        gone: Live memories whose notes are no longer where they were.
    """

    def __init__(self) -> None:
        self.new: dict[str, Incoming] = {}
        self.updated: dict[str, Incoming] = {}
        self.unchanged = 0
        self.merged = Reasons()
        self.replaced = 0
        self.near = Reasons()
        self.skipped = Reasons()
        self.moved = Reasons()
        self.gone = Reasons()


@frozen
class _Known:
    path: str
    kind: str
    title: str
    body: str
    time: int
    archived: bool
    mark: bytes
    superseded_by: str
    is_newer: bool
    retired: dict[str, Any]

    @property
    def is_forgotten(self) -> bool:
        return self.archived and not is_rotated({"retired": self.retired})

    def is_changed_by(self, incoming: Incoming, mark: bytes) -> bool:
        """Return whether an incoming decision came into force, or was superseded, since this one was imported."""
        is_back = self.retired.get("why") == NOT_IN_FORCE
        return is_back or (self.mark == mark and bool(incoming.superseded_by) and not self.superseded_by)


def _mark_of(title: str, body: str) -> bytes:
    """Return an identity for a text, independent of tags and kind."""
    return blake2b(f"{title.strip()}\0{body.strip()}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


class _Content:
    """The store's content, as far as an import needs it."""

    def __init__(self, catalog: Catalog, *, has_notes: bool) -> None:
        names = "OR m.imported" if has_notes else ""
        self.language = catalog.language
        rows = catalog.rows(
            "SELECT m.key, m.path, m.kind, m.title, t.body, m.updated, m.archived, m.superseded_by,"
            f" CASE WHEN m.archived OR instr(t.marks, ' schema ') {names} THEN t.fields ELSE '{{}}' END"
            " FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0"
        )
        self.known: dict[str, _Known] = {}
        self.prints: dict[bytes, str] = {}
        self.forgotten: dict[bytes, str] = {}
        self.names: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        for key, path, kind, title, body, time, archived, superseded_by, fields in rows:
            own: dict[str, Any] = json.loads(fields)
            retired = own.get("retired")
            mark = _mark_of(title, body)
            known = _Known(
                path,
                kind,
                title,
                body,
                time,
                bool(archived),
                mark,
                superseded_by,
                is_newer(own),
                retired if isinstance(retired, dict) else {},
            )
            self.known[key] = known
            if isinstance(name := own.get(IMPORTED), str):
                self.names[name] = key
            if own.get(IMPORTED) and (id_ := id_in(own)):
                self.ids[id_] = "" if id_ in self.ids else key
            (self.forgotten if known.is_forgotten else self.prints)[mark] = key
        bad = catalog.rows("SELECT key FROM problem WHERE key <> '' AND severity = 'error'")
        self.unreadable = {row[0] for row in bad} - set(self.known)


def settle(
    catalog: Catalog,
    incoming: Iterable[Incoming],
    *,
    update: bool,
    threshold: float,
    is_gone: Callable[[str], bool] = lambda _: False,
) -> ImportPlan:
    """Decide what to do with each memory of an import.

    Of several with one key the latest counts, by time, then by position. A forgotten memory stays forgotten, by
    key and by text. If the store has another text under a key, the later one wins, unless *update*; but a note whose
    key was made from its name gets another key then. A memory without an explicit key is the one in the store with its
    id, and is left out if it is a near duplicate (by *threshold*) of another. A note with the words of one that
    *is_gone* is the same note.
    """
    incoming = list(incoming)
    store, settled = _Content(catalog, has_notes=any(one.name or one.id for one in incoming)), ImportPlan()
    ids = Counter(one.id for one in incoming)
    explicit: dict[str, Incoming] = {}
    others: list[Incoming] = []
    for source in incoming:
        same = "" if source.is_explicit or ids[source.id] > 1 else store.ids.get(source.id, "")
        current = replace(source, key=same, is_explicit=True) if same else source
        if not current.is_explicit:
            others.append(current)
            continue
        identity = current.name or current.key
        *older, latest = sorted((explicit.get(identity, current), current), key=lambda each: each.time)
        if identity in explicit:
            settled.merged.add(older[0].where, f"it has the key of {latest.where}, which is not older")
            is_same = (older[0].title, older[0].body) == (latest.title, latest.body)
            settled.replaced += older[0].time == latest.time and not is_same
        explicit[identity] = latest
    moved = _find_moved(store, settled, list(explicit.values()), is_gone)
    prints: dict[bytes, str] = {}
    renamed: dict[str, str] = {}
    for one in sorted(explicit.values(), key=lambda incoming: bool(incoming.name)):
        mark = _mark_of(one.title, one.body)
        key = _key_of_note(store, settled, prints, one, mark) if one.name else one.key
        if key:
            prints.setdefault(mark, key)
            known = replace(one, key=key) if key != one.key else one
            _settle_explicit(store, settled, known, mark, update=update or key in moved)
        if (final := key or prints[mark]) != one.key:
            renamed[one.key] = final
        if one.name:
            renamed.setdefault(one.name, final)
    if renamed:
        _rename_links(settled, renamed)
    for one in others:
        _settle_other(store, settled, prints, one)
    if threshold and others:
        _leave_out_near(catalog, settled, threshold)
    return settled


def _leave_out_near(catalog: Catalog, settled: ImportPlan, threshold: float) -> None:
    """Leave out new memories without an explicit key that say nearly the same as another, in other words."""
    # Checks are compared as well: `gitmem curate dedupe` compares memories like this.
    fit = [
        (key, incoming)
        for key, incoming in settled.new.items()
        if not incoming.archived and incoming.kind not in (*EVENTS, "fact")
    ]
    paired = _with_same_numerals(fit)
    wordings = [wording_of(text_to_compare(incoming.title, incoming.body), catalog.language) for _, incoming in paired]
    for first, second, like in near_pairs(wordings, threshold):
        (earlier, _), (key, one) = paired[first], paired[second]
        if earlier in settled.new and key in settled.new and not one.is_explicit:
            settled.near.add(one.where, f"says nearly ({like:.2f}) the same thing as {earlier}")
            del settled.new[key]
    if catalog.row("SELECT 1 FROM memory WHERE archived = 0 LIMIT 1") is None:
        return  # an empty store has no duplicates: saves 0.4 ms per memory (measured)
    for key, one in fit:
        if key not in settled.new or one.is_explicit:
            continue
        duplicate = find_duplicate(catalog, NewText(one.title, one.body, {"kind": one.kind}), threshold)
        if duplicate is not None and duplicate.is_live:
            settled.near.add(one.where, f"says nearly ({duplicate.likeness:.2f}) the same thing as {duplicate.key}")
            del settled.new[key]


def _with_same_numerals(fit: list[tuple[str, Incoming]]) -> list[tuple[str, Incoming]]:
    """Return the memories whose numerals also occur together in another one; the rest cannot be duplicates."""
    marks = [hash(numerals(text_to_compare(incoming.title, incoming.body))) for _, incoming in fit]
    often = Counter(marks)
    return [pair for pair, mark in zip(fit, marks, strict=True) if often[mark] > 1]


def _key_of_note(
    content: _Content, settled: ImportPlan, prints: dict[bytes, str], incoming: Incoming, mark: bytes
) -> str:
    """Return the key of a note: the one it had before, its own if that is free, else with a hash of its name.

    Empty if another memory has the same words: *prints* then has the key of that one.
    """
    if incoming.name in content.names:
        return content.names[incoming.name]
    known = content.known.get(incoming.key)
    if known is not None and known.mark == mark:
        return incoming.key
    if mark in content.prints:
        prints[mark] = content.prints[mark]
        settled.unchanged += 1
        return ""
    if mark in prints:
        settled.merged.add(incoming.where, f"it says the same thing as {prints[mark]}")
        return ""
    taken_keys = (content.known, content.unreadable, settled.new, settled.updated)
    if not any(incoming.key in keys for keys in taken_keys):
        return incoming.key
    return hashed_key(incoming.key, incoming.name, lambda key: any(key in keys for keys in taken_keys))


def _find_moved(
    content: _Content, settled: ImportPlan, notes: Sequence[Incoming], is_gone: Callable[[str], bool]
) -> set[str]:
    """Give each note that has another name now the key that it had, and return these keys; report what is gone.

    If less than half of a folder's notes are where they were, it is another folder of that name, and nothing is gone.
    """
    names = {name: key for name, key in content.names.items() if not content.known[key].archived}
    read = {note.name for note in notes}
    files = {file_of_note(name) for name in read}
    gone = {
        name: key
        for name, key in names.items()
        if name not in read and (is_gone(file := file_of_note(name)) or (file != name and file in files))
    }
    stayed = Counter(name.partition("/")[0] for name in names if name not in gone)
    lost = Counter(name.partition("/")[0] for name in gone)
    gone = {name: key for name, key in gone.items() if stayed[folder := name.partition("/")[0]] >= lost[folder]}
    by_mark = {content.known[key].mark: name for name, key in gone.items()}
    by_body = {content.known[key].body.strip(): name for name, key in gone.items()}
    moved = set()
    for note in notes:
        if not note.name or note.name in content.names:
            continue
        body = note.body.strip()
        before = by_mark.get(_mark_of(note.title, note.body)) or (by_body.get(body) if len(body) >= SAME_BODY else None)
        if before in gone:
            content.names[note.name] = key = gone.pop(before)
            moved.add(key)
            settled.moved.add(note.where, f"was {before}")
    for name, key in gone.items():
        settled.gone.add(name, f"it is no longer there; if its memory should go as well: gitmem forget {key}")
    return moved


# The fields of a note that name other notes.
_LINKS = ("refs", "requires", "supersedes", "superseded_by")


def _rename_links(settled: ImportPlan, renamed: Mapping[str, str]) -> None:
    """Make the memories of an import name each other by the keys that they got."""
    for plan in (settled.new, settled.updated):
        for key, incoming in plan.items():
            if incoming.is_exact:
                continue
            fields = parse(incoming.text, path=f"{key}.md").fields
            links = {name: value for name in _LINKS if (value := fields.get(name))}
            changes = {name: _renamed(value, renamed) for name, value in links.items()}
            if changes != links:
                by = str(changes.get("superseded_by") or "")
                plan[key] = replace(incoming, text=with_fields(incoming.text, changes, f"{key}.md"), superseded_by=by)


def _renamed(value: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(part, renamed) for part in value]
    return renamed.get(value, value) if isinstance(value, str) else value


def _settle_explicit(content: _Content, settled: ImportPlan, incoming: Incoming, mark: bytes, *, update: bool) -> None:
    known = content.known.get(incoming.key)
    if incoming.key in content.unreadable:
        settled.skipped.add(incoming.where, f"{incoming.key} is in the store but cannot be read: gitmem doctor")
    elif known is not None and known.is_newer:
        settled.skipped.add(
            incoming.where, f"{incoming.key} was written by a newer version of gitmem: update gitmem to change it"
        )
    elif known is not None and incoming.archived:
        if known.archived:
            settled.unchanged += 1
        else:
            settled.skipped.add(
                incoming.where, f"{incoming.key} is retired in the import and live here: gitmem forget {incoming.key}"
            )
    elif known is not None and known.is_forgotten:
        settled.skipped.add(incoming.where, f"{incoming.key} {_describe_forgotten(incoming.key, known)}")
    elif known is None and not incoming.archived and mark in content.forgotten:
        gone = content.forgotten[mark]
        settled.skipped.add(
            incoming.where, f"it says the same thing as {gone}, which {_describe_forgotten(gone, content.known[gone])}"
        )
    elif known is None:
        settled.new[incoming.key] = incoming
    elif known.is_changed_by(incoming, mark):
        settled.updated[incoming.key] = incoming
    elif (
        known.mark == mark and not (incoming.is_exact and incoming.time > known.time) and not (update and incoming.name)
    ):
        settled.unchanged += 1
    elif update or incoming.time > known.time:
        settled.updated[incoming.key] = incoming
    else:
        reason = f"{incoming.key} has another text in the store, which is not older: use --update to import this one"
        settled.skipped.add(incoming.where, reason)


def _describe_forgotten(key: str, known: _Known) -> str:
    """Return when and why a memory was forgotten, and how to restore it, as text to follow its key."""
    return f"was forgotten{describe_retired(known.retired)} (gitmem restore {key})"


def _settle_other(content: _Content, settled: ImportPlan, prints: dict[bytes, str], incoming: Incoming) -> None:
    """Decide about a memory whose key was made from its text: one with exactly the same text is the same memory."""
    mark = _mark_of(incoming.title, incoming.body)
    if mark in content.forgotten and mark not in content.prints:
        gone = content.forgotten[mark]
        settled.skipped.add(
            incoming.where, f"it says the same thing as {gone}, which {_describe_forgotten(gone, content.known[gone])}"
        )
    elif mark in content.prints:
        settled.unchanged += 1
    elif mark in prints:
        settled.merged.add(incoming.where, f"it says the same thing as {prints[mark]}")
    elif _is_near_duplicate(content, settled, incoming):
        settled.near.add(incoming.where, f"says nearly the same thing as {incoming.key}, which begins the same way")
    else:
        key = _free_key(content, settled, incoming)
        prints[mark] = key
        settled.new[key] = incoming


def _is_near_duplicate(content: _Content, settled: ImportPlan, incoming: Incoming) -> bool:
    """Return whether the memory with this key says nearly the same."""
    other = settled.new.get(incoming.key) or settled.updated.get(incoming.key) or content.known.get(incoming.key)
    if other is None or other.kind != incoming.kind:
        return False
    wordings = (wording_of(text_to_compare(each.title, each.body), content.language) for each in (other, incoming))
    return likeness(*wordings) > SAME_ABOVE


def _free_key(content: _Content, settled: ImportPlan, incoming: Incoming) -> str:
    def is_taken(key: str) -> bool:
        return any(key in keys for keys in (content.known, content.unreadable, settled.new, settled.updated))

    return (
        hashed_key(incoming.key, f"{incoming.title}\n{incoming.body}", is_taken)
        if is_taken(incoming.key)
        else incoming.key
    )


def changes_of(catalog: Catalog, settled: ImportPlan, policy: Policy) -> PlannedFiles:
    """Return the files of an import's commit."""
    written = {**settled.new, **settled.updated}
    groups: dict[tuple[str, bool], list[str]] = {}
    for key, incoming in written.items():
        groups.setdefault((incoming.folder or folder_of(incoming.kind, policy), incoming.archived), []).append(key)
    files: dict[str, str] = {}
    deletes: list[str] = []
    moves: dict[str, str] = {}
    for (folder, archived), keys in groups.items():
        paths, split = _paths(catalog, folder, keys, settled, archived=archived)
        moves |= dict(split)
        for key in keys:
            files[paths[key]] = written[key].text
            if key in settled.updated:
                deletes += [path for path in paths_of_key(catalog, key) if path != paths[key]]
    return PlannedFiles(files, deletes, tuple(moves.items()))


def _paths(
    catalog: Catalog, folder: str, keys: Sequence[str], settled: ImportPlan, *, archived: bool
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Return the paths of the memories of one folder; existing ones keep theirs."""
    top = f"archive/{folder}/" if archived else f"{folder}/"
    stay = {}
    for key in keys:
        there = [path for path in paths_of_key(catalog, key) if path.startswith(top)] if key in settled.updated else []
        if there:
            stay[key] = there[0]
    paths, split = choose_paths(catalog, folder, [key for key in keys if key not in stay], archived=archived)
    return {**stay, **paths}, split
