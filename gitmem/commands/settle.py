"""Resolve what verify cannot: update memories to files that git renamed, and confirm reworded requirements."""

from __future__ import annotations

import json
from functools import cached_property

from gitmem.document.builtin_checks import mapping_of
from gitmem.document.edit import REMOVE
from gitmem.document.meaning import CONFIRMED, format_foundations
from gitmem.document.parse import parse
from gitmem.document.spec import check_of, format_check
from gitmem.errors import UsageError
from gitmem.frozen import frozen, replace
from gitmem.index.catalog import fact_state, state
from gitmem.model import BUILTIN, HOLDS, SHELL, Check
from gitmem.repository.approvals import approve_command
from gitmem.repository.companion import code_branch, holder_to_change, is_apart, is_on, keys_changed, to_write
from gitmem.repository.verification import stores_to_prove
from gitmem.store.code_folder import is_home
from gitmem.text.globs import is_path_like, without_lines
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import Moves, find_path_move, replace_words
from gitmem.verify.options import Options
from gitmem.write.draft import with_fields
from gitmem.write.place import before_of, need_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from gitmem.model import Document, Verdict
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.due import Due
    from gitmem.verify.session import Session

# Why memories stay unchanged: each with a command that helps all memories with that reason.
NOT_APPROVED = "the new command must be approved; run at a terminal: gitmem settle --moved"
UNAPPROVED_BEFORE = "the command is not approved here; review it first: gitmem trust --review"
FAILING = "the check fails where the files are now: gitmem list --status failed"


@frozen
class PathUpdate:
    """A memory that names moved files.

    Attributes:
        key: The memory.
        path: Its file in its store.
        fields: The changed fields in their frontmatter form.
        shown: The changes, one line each: the old words and the new ones.
        skipped: Why it stays unchanged; empty if it changes.
        commit: The commit that changed it; empty for a file of the code tree, or if nothing is written.
    """

    key: str
    path: str
    fields: Mapping[str, Any]
    shown: tuple[str, ...]
    skipped: str = ""
    commit: str = ""


def settle_moved(
    repository: OpenRepository, keys: Sequence[str] = (), *, dry_run: bool = False, approve: bool = False
) -> list[PathUpdate]:
    """Update memories to the new paths of their files, in one commit per store; return them by key.

    A changed check must hold at HEAD; if it does not, or its command cannot be approved now, the memory stays
    unchanged. A new command is approved here only if the previous one was.

    Args:
        repository: The opened repository.
        keys: Only memories with these full keys; if empty, all of the project and all private ones.
        dry_run: Change nothing.
        approve: Approve changed commands, on behalf of the person.
    """
    updates: list[PathUpdate] = []
    for store, options in stores_to_prove(repository, Options(keys=tuple(keys), everything=not keys)):
        if store.git.read_head()[1] is not None:
            updates += _Store(repository, store, options).run(keys, dry_run=dry_run, approve=approve)
    return sorted(updates, key=lambda update: update.key)


def confirm(repository: OpenRepository, key: str) -> str:
    """Confirm a memory with the current wording of its requirements; return the commit, empty in the code tree.

    Raises:
        UsageError: It requires nothing.
    """
    store, full = holder_to_change(repository, key)
    catalog = store.catalog()
    requires = state.requirements_of(catalog, [full]).get(full, set())
    if store is repository and requires:
        # The requirements may be worded differently only on this branch.
        store = (to_write(repository) if is_on(repository, requires) else None) or store
        catalog = store.catalog()
    if not requires:
        raise UsageError(f"{full} requires nothing, so there is nothing to confirm", hint=f"gitmem settle {full}")
    foundations = format_foundations(state.foundations(catalog, requires))
    return store.writer().edit_all({full: {CONFIRMED: foundations}}, store.policy(), verb="confirm")


def reconcile(repository: OpenRepository, key: str) -> str:
    """Drop the note that a memory contradicts others, and return the commit; empty in the code tree.

    Raises:
        UsageError: It contradicts none.
    """
    store, full = holder_to_change(repository, key)
    known = need_known(store.catalog(), full)
    if not before_of(store.catalog(), known).get("contradicts"):
        raise UsageError(f"{full} contradicts no memory, so there is nothing to settle", hint=f"gitmem show {full}")
    return store.writer().edit_all({full: {"contradicts": REMOVE}}, store.policy(), verb="settle")


class _Store:
    """One store's memories that name moved files."""

    def __init__(self, repository: OpenRepository, store: OpenStore, options: Options) -> None:
        self._repository = repository
        self._store = store
        self._catalog = store.catalog()
        self._session: Session = store.session(options)
        self._tree = self._session.tree()
        self._moves = Moves(store.git, self._tree)
        ground = self._session.restate()
        moved = state.list_moved(self._catalog, ground)
        self._verdicts: dict[str, Verdict] = fact_state.verdicts_of(self._catalog, ground, moved, store.local)

    def run(self, keys: Collection[str], *, dry_run: bool, approve: bool) -> list[PathUpdate]:
        rows = self._catalog.rows(
            f"SELECT m.key, m.path, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE {state.LIVE}"
            " AND (t.paths <> '[]' OR EXISTS (SELECT 1 FROM fact f WHERE f.id = m.id)) ORDER BY m.key"
        )
        wanted = [(key, path, json.loads(fields)) for key, path, fields in rows if not keys or key in keys]
        went = self._list_renames(fields for _, _, fields in wanted)
        updates = [update for row in wanted if (update := self._update_of(row, went)) is not None]
        updates = self._drop_failing(updates, keys, dry_run=dry_run, approve=approve)
        return updates if dry_run else self._write_changes(updates)

    def _list_renames(self, all_fields: Any) -> Mapping[str, str]:
        """Return where the files in paths and refs were moved to, from the whole history."""
        names = {
            without_lines(name).removeprefix("./")
            for fields in all_fields
            for field in ("paths", "refs")
            for name in _strings(fields.get(field))
        }
        gone = [name for name in names if is_path_like(name) and "://" not in name and not self._tree.match(name)]
        return self._moves.history(gone) if gone else {}

    def _update_of(self, row: tuple[str, str, dict[str, Any]], went: Mapping[str, str]) -> PathUpdate | None:
        key, path, fields = row
        verdict = self._verdicts.get(key)
        changes: dict[str, Any] = {}
        shown: list[str] = []
        if verdict is not None:
            document = parse(self._text_of(key, path), path=f"{key}.md")
            check = check_of(document)
            assert check is not None, "a fact has a check"
            new = replace_words(self._tree, check, self._moves.trusted_moves(verdict, check))
            if new != check:
                changes["verify"] = _verify_of(new)
                shown.append(f"{format_check(check)} → {format_check(new)}")
        for field in ("paths", "refs"):
            old = _strings(fields.get(field))
            named = [self._place(name, went, verdict) for name in old]
            if named != old:
                changes[field] = named
                shown += [f"{field}: {a} → {b}" for a, b in zip(old, named, strict=True) if a != b]
        return PathUpdate(key, path, changes, tuple(shown)) if changes else None

    def _place(self, name: str, went: Mapping[str, str], verdict: Verdict | None) -> str:
        """Return the new place of a path, glob or reference; unchanged if its files exist, or the move is unknown."""
        file = without_lines(name)
        if self._tree.match(file):
            return name
        there = went.get(file.removeprefix("./"), "")
        if not there and verdict is not None:
            there = self._moves.follow(file, verdict.held_commit, self._moves.trusted_moves(verdict))
        return there + name[len(file) :] if there else name

    def _drop_failing(
        self, updates: list[PathUpdate], keys: Collection[str], *, dry_run: bool, approve: bool
    ) -> list[PathUpdate]:
        """Return the memories without those whose new check does not hold; keep the others' verdicts."""
        self._new: dict[str, Verdict] = {}
        dues: dict[str, Due] = {}
        session = self._session
        for number, update in enumerate(updates):
            if "verify" not in update.fields:
                continue
            verdict = self._verdicts[update.key]
            due = self._due(update, update.fields)
            was_allowed = session.may_run(self._due(update, {}))
            if verdict.outcome != HOLDS and find_path_move(self._tree, self._check_of(update), verdict.moved) is None:
                updates[number] = replace(update, skipped=FAILING)
            elif session.may_run(due) or (approve and was_allowed and not session.trust.denies(due.row.spec)):
                dues[update.key] = due
            elif update.key not in keys:
                updates[number] = replace(update, skipped=NOT_APPROVED if was_allowed else UNAPPROVED_BEFORE)
        if dry_run or not dues:
            return updates
        for due in dues.values():
            if not session.may_run(due):
                approve_command(self._store, due)
        # A session reads the approvals when it is opened.
        self._session = self._store.session(self._session.options)
        results = {result.due.row.key: result for result in self._session.judge_many(list(dues.values()))}
        for number, update in enumerate(updates):
            result = results.get(update.key)
            if result is None:
                continue
            if result.outcome == HOLDS and result.verdict is not None:
                self._new[update.key] = result.verdict
            else:
                why = result.because or result.reason
                updates[number] = replace(update, skipped=f"the changed check does not hold: {why}")
        return updates

    def _check_of(self, update: PathUpdate) -> Check:
        check = check_of(parse(self._text_of(update.key, update.path), path=f"{update.key}.md"))
        assert check is not None, "a fact has a check"
        return check

    def _due(self, update: PathUpdate, fields: Mapping[str, Any]) -> Due:
        return self._session.due_of(self._document_with(update, fields))

    def _document_with(self, update: PathUpdate, fields: Mapping[str, Any]) -> Document:
        text = self._text_of(update.key, update.path)
        return parse(with_fields(text, fields, f"{update.key}.md"), path=update.path)

    def _text_of(self, key: str, path: str) -> str:
        home = self._repository.in_tree() if is_home(path) else self._store
        return home.text_of(key)

    def _write_changes(self, updates: list[PathUpdate]) -> list[PathUpdate]:
        """Write the changes, and return the memories with their commits."""
        homes: dict[tuple[bool, bool], dict[str, Mapping[str, Any]]] = {}
        for update in updates:
            if not update.skipped:
                is_in_tree = is_home(update.path)
                place = is_in_tree, not is_in_tree and self._is_apart(update)
                homes.setdefault(place, {})[update.key] = update.fields
        commits: dict[str, str] = {}
        for (is_in_tree, has_companion), fields in sorted(homes.items()):
            companion = to_write(self._repository) if has_companion else None
            home = companion or (self._repository.in_tree() if is_in_tree else self._store)
            commit = home.writer().edit_all(fields, home.policy(), verb="follow moved files")
            commits |= dict.fromkeys(fields, commit)
            verdicts = [verdict for key, verdict in self._new.items() if key in fields]
            if verdicts:
                home.keep_verdicts(verdicts)
        return [replace(update, commit=commits.get(update.key, "")) for update in updates]

    def _is_apart(self, update: PathUpdate) -> bool:
        """Return whether a memory names files that the default branch lacks, or differs there already."""
        if self._default is None:
            return False
        named = [without_lines(name) for field in ("paths", "refs") for name in _strings(update.fields.get(field))]
        if update.key in self._changed or any(is_path_like(name) and not self._default.match(name) for name in named):
            return True
        if "verify" not in update.fields:
            return False
        outcome = HOLDS if update.key in self._new else ""
        return is_apart(self._repository, self._document_with(update, update.fields), outcome=outcome)

    @cached_property
    def _default(self) -> CodeTree | None:
        """Return the default branch's files if HEAD is on a branch that can have a companion; else None."""
        if self._store is not self._repository or not code_branch(self._repository):
            return None
        commit = self._store.git.read_ref(self._store.default_branch())
        return CodeTree(self._store.git, commit) if commit else None

    @cached_property
    def _changed(self) -> frozenset[str]:
        return frozenset(keys_changed(self._repository))


def _strings(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(entry) for entry in value] if isinstance(value, list) else []


def _verify_of(check: Check) -> Any:
    """Return a check in its frontmatter form."""
    if check.form == BUILTIN:
        return mapping_of(check.words)
    return check.words[0] if check.form == SHELL else list(check.words)
