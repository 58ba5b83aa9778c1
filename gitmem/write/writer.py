"""The operations that change memories, each one commit on the tip it was planned on."""

from __future__ import annotations

import json

from gitmem.catalog.keys import near_keys
from gitmem.document.edit import REMOVE, edit
from gitmem.document.fields import format_time
from gitmem.document.parse import parse
from gitmem.errors import FormatError, NotFoundError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.hygiene import display
from gitmem.store import layout
from gitmem.store.commit import Plan, Written, write_commit
from gitmem.write import place
from gitmem.write.draft import Author, Draft, check_file, checked_text
from gitmem.write.unite import ASIDE, united

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gitmem.catalog.catalog import Catalog
    from gitmem.git.binary import Git
    from gitmem.model import Document
    from gitmem.policy import Policy


@frozen
class Change:
    """What a write did.

    Attributes:
        key: The memory.
        path: Where it lies now.
        commit: The commit; the tip where nothing had to be written.
        is_new: Whether there was no such memory before.
        is_written: Whether a commit was made.
    """

    key: str
    path: str
    commit: str
    is_new: bool = False
    is_written: bool = True


class Writer:
    """Writes to one store on behalf of one author."""

    def __init__(
        self,
        git: Git,
        ref: str,
        *,
        catalog_at: Callable[[str | None], Catalog],
        written: Callable[[Written, dict[str, bytes], tuple[str, ...]], None],
        author: Author,
        now: int,
        lock_timeout_s: float,
        start: str | None,
    ) -> None:
        """Bind a writer.

        Args:
            git: The repository.
            ref: The memory branch.
            catalog_at: Returns the catalog as of a tip.
            written: Called after the acknowledgement with what was written (content by path) and what was removed.
            author: Who writes.
            now: Epoch seconds.
            lock_timeout_s: How long to wait for other writers.
            start: Where the branch starts when it does not exist yet.
        """
        self._git = git
        self._ref = ref
        self._catalog_at = catalog_at
        self._written = written
        self._author = author
        self._now = now
        self._lock_timeout_s = lock_timeout_s
        self._start = start
        # Texts by blob that are planned and not written yet: a later draft of one batch may change an earlier one's.
        self.planned: dict[str, bytes] = {}

    def remember(
        self, draft: Draft, policy: Policy, *, verb: str, extra: Callable[[Draft], Mapping[str, str]] | None = None
    ) -> Change:
        """Write a new memory, or the latest text of one that has this key.

        Args:
            draft: The memory.
            policy: The store's policy.
            verb: The command, for the commit's subject.
            extra: Further files of the same commit, given the settled draft (a verdict).
        """
        done: dict[str, Any] = {}

        def plan(tip: str | None) -> Plan | None:
            return self.plan_remember(self._catalog_at(tip), draft, policy, extra=extra, done=done)

        return self._commit(plan, done, verb)

    def plan_remember(
        self,
        catalog: Catalog,
        draft: Draft,
        policy: Policy,
        *,
        done: dict[str, Any],
        extra: Callable[[Draft], Mapping[str, str]] | None = None,
    ) -> Plan | None:
        """Return the commit that writes a draft on the state that a catalog shows; None where it says the same.

        Args:
            catalog: The catalog.
            draft: The memory.
            policy: The store's policy.
            done: Filled with the fields of the ``Change``.
            extra: Further files of the same commit, given the settled draft.
        """
        settled = place.settle_key(catalog, draft)
        known = place.find_known(catalog, settled.key)
        document = self._updated(catalog, settled, known, policy)
        path, moves = self._path_for(catalog, settled, known, policy)
        done.update(key=settled.key, path=path, is_new=known is None)
        if known is not None and self._is_same(catalog, known, document.text) and known.path == path:
            done["is_written"] = False
            return None
        before = before_of(catalog, known) if known else {}
        others = self.relinked(catalog, document, before)
        files = {path: document.text, **others, **(extra(settled) if extra else {})}
        deletes = [p for p in place.paths_of_key(catalog, settled.key) if p != path]
        word = "add" if known is None else "restore" if known.archived else "update"
        return self.plan(f"{settled.kind}: {word} {settled.key}", [settled.key], files, deletes, moves)

    def edit(
        self,
        key: str,
        change: Callable[[str], str],
        policy: Policy,
        *,
        subject: str = "edit",
        extra: Mapping[str, str] | None = None,
    ) -> Change:
        """Change the text of one memory in place.

        Args:
            key: The memory.
            change: From the file's text to the new one; called again when the memory changed meanwhile.
            policy: The store's policy.
            subject: The verb of the commit's subject.
            extra: Further files of the same commit (a verdict).
        """
        done: dict[str, Any] = {}

        def plan(tip: str | None) -> Plan | None:
            catalog = self._catalog_at(tip)
            known = need_known(catalog, key)
            old = self.text_of(catalog, known)
            new = change(old)
            done.update(key=known.key, path=known.path, is_new=False)
            if new == old:
                done["is_written"] = False
                return None
            document = check_file(known.key, new, policy=policy, path=known.path)
            path, deletes = known.path, []
            folder = place.folder_of(document.kind, policy)
            moves: tuple[tuple[str, str], ...] = ()
            if document.kind != known.kind and not known.archived:
                path, moves = place.choose_path(catalog, folder, known.key)
                deletes = [known.path] if path != known.path else []
            done["path"] = path
            others = self.relinked(catalog, document, before_of(catalog, known), known=known)
            files = {path: new, **others, **(extra or {})}
            return self.plan(f"{document.kind}: {subject} {known.key}", [known.key], files, deletes, moves)

        return self._commit(plan, done, "edit")

    def forget(self, keys: list[str], *, why: str) -> list[Change]:
        """Move memories to the archive; ``retired`` is the tombstone that keeps them from coming back."""
        done: list[dict[str, Any]] = []

        def plan(tip: str | None) -> Plan | None:
            catalog = self._catalog_at(tip)
            done.clear()
            files: dict[str, str] = {}
            deletes: list[str] = []
            moves: dict[str, str] = {}
            for key in dict.fromkeys(keys):
                known = need_known(catalog, key)
                if known.archived:
                    done.append({"key": key, "path": known.path, "is_written": False})
                    continue
                retired = {"when": format_time(self._now), "by": display(self._author.who)}
                retired |= {"why": why} if why else {}
                # Every file of the key: one that is left would take the place of the one that was forgotten.
                for nth, one in enumerate(place.live_files(catalog, key)):
                    path, split = place.choose_path(catalog, one.path.split("/", 1)[0], key, archived=True)
                    files.setdefault(path, edited(self.text_of(catalog, one), {"retired": retired}, one.path))
                    deletes.append(one.path)
                    moves |= dict(split)
                    if nth == 0:
                        done.append({"key": key, "path": path})
            if not files:
                return None
            gone = [d["key"] for d in done if d.get("is_written", True)]
            subject = f"memory: forget {gone[0]}" + (f" and {len(gone) - 1} more" if len(gone) > 1 else "")
            return self.plan(subject, gone, files, deletes, tuple(moves.items()))

        written = self.write(plan, "forget")
        commit = written.commit if written else self._git.read_ref(self._ref) or self._start or ""
        return [Change(commit=commit, **d) for d in done]

    def supersede(self, old: str, new: str, policy: Policy) -> Change:
        """Link two memories both ways: *new* takes the place of *old*, which leaves search."""
        if old == new:
            raise RefusedError(f"{old} cannot supersede itself")

        def change(text: str) -> str:
            fields = parse(text, path=f"{new}.md").fields
            listed = fields.get("supersedes") or []
            listed = [listed] if isinstance(listed, str) else list(listed)
            changes = {"supersedes": [*listed, old] if old not in listed else listed}
            changes |= {"superseded_by": REMOVE} if fields.get("superseded_by") == old else {}
            return edited(text, changes, f"{new}.md")

        return self.edit(new, change, policy, subject=f"supersede {old} by")

    def text_of(self, catalog: Catalog, known: place.Known) -> str:
        """Return the exact text of a memory's file."""
        oid = catalog.row("SELECT oid FROM memory WHERE id = ?", (known.id,))[0]
        content = self.planned.get(oid) or self._git.read_blob(oid, limit=layout.MEMORY_LIMIT)
        if content is None:
            raise NotFoundError(f"{known.key}: its content is not in the object database", hint="git fetch origin")
        return content.decode("utf-8")

    def _updated(self, catalog: Catalog, draft: Draft, known: place.Known | None, policy: Policy) -> Any:
        fields, path = dict(draft.fields), f"{draft.key}.md"
        if known is None:
            return checked_text(draft.key, fields, draft.body, policy=policy, path=path)
        before = before_of(catalog, known)
        fields = united(before, fields, draft)
        same = {**before, **dict.fromkeys(ASIDE)} == {**fields, **dict.fromkeys(ASIDE)}
        text = self.text_of(catalog, known)
        if same and place.body_of(catalog, known) == draft.body:
            return parse(text, path=path)
        fields["updated"] = format_time(self._now)
        if draft.is_explicit:
            return checked_text(draft.key, fields, draft.body, policy=policy, path=path)
        gone = {name: REMOVE for name in before if name not in fields}
        return check_file(draft.key, edited(text, fields | gone, path, body=draft.body), policy=policy, path=path)

    def _is_same(self, catalog: Catalog, known: place.Known, text: str) -> bool:
        return not known.archived and self.text_of(catalog, known) == text

    def _path_for(
        self, catalog: Catalog, draft: Draft, known: place.Known | None, policy: Policy
    ) -> tuple[str, tuple[tuple[str, str], ...]]:
        folder = place.folder_of(draft.kind, policy)
        if known is not None and not known.archived and known.path.split("/", 1)[0] == folder:
            return known.path, ()
        return place.choose_path(catalog, folder, draft.key)

    def relinked(
        self, catalog: Catalog, document: Document, before: Mapping[str, Any], *, known: place.Known | None = None
    ) -> dict[str, str]:
        """Return the files of other memories whose links change with this one's (E8: linked both ways and validated).

        Args:
            catalog: The catalog.
            document: The memory as it will be.
            before: Its fields as they were.
            known: Where it lies, for one that is edited: it stays retired, or superseded, if it was.
        """
        key, files = document.key, {}
        new, old = document.strings("supersedes"), replace(document, fields=dict(before)).strings("supersedes")
        for other in [k for k in new if k not in old]:
            found = place.superseded_target(catalog, document, other, is_retired=bool(known and known.archived))
            files[found.path] = self._linked(catalog, found, key, superseded_by=key)
        for other in (k for k in old if k not in new):
            gone = place.find_known(catalog, other)
            if gone is not None and before_of(catalog, gone).get("superseded_by") == key:
                files[gone.path] = self._linked(catalog, gone, "", superseded_by=REMOVE)
        if known is None:  # said anew: the latest wins over what had taken its place
            for above in place.list_superseding(catalog, key):
                files.setdefault(above.path, self._linked(catalog, above, key))
        return files

    def _linked(self, catalog: Catalog, known: place.Known, drop: str, **changes: Any) -> str:
        """Return a memory's text with some fields changed, and without one of the keys that it supersedes."""
        text = self.text_of(catalog, known)
        listed = parse(text, path=known.path).strings("supersedes")
        if drop in listed:
            changes["supersedes"] = [k for k in listed if k != drop] or REMOVE
        return edited(text, changes, known.path)

    def plan(
        self,
        subject: str,
        keys: list[str],
        files: Mapping[str, str],
        deletes: list[str],
        moves: tuple[tuple[str, str], ...] = (),
    ) -> Plan:
        """Return one commit's plan: files by path, what goes, and the moves of a folder that is split."""
        # A file that is changed and moved at once, because its folder is split.
        to = dict(moves)
        files = {to.get(path, path): text for path, text in files.items()}
        trailers = [("Gitmem-Key", key) for key in keys]
        if self._author.agent:
            trailers.append(("Gitmem-Source", f"agent {self._author.agent}"))
        writes = tuple((path, text.encode("utf-8")) for path, text in sorted(files.items()))
        gone = tuple(path for path in deletes if path not in files)
        return Plan(subject, writes=writes, moves=moves, deletes=gone, trailers=tuple(trailers))

    def _commit(self, plan: Callable[[str | None], Plan | None], done: dict[str, Any], verb: str) -> Change:
        written = self.write(plan, f"{verb} {done.get('key', '')}".strip())
        commit = written.commit if written else self._git.read_ref(self._ref) or self._start or ""
        return Change(commit=commit, **done)

    def write(self, plan: Callable[[str | None], Plan | None], command: str) -> Written | None:
        """Write what is planned on the tip, and bring the catalog along."""
        kept: dict[str, Plan] = {}

        def keeping(tip: str | None) -> Plan | None:
            made = plan(tip)
            if made is not None:
                kept["plan"] = made
            return made

        written = write_commit(
            self._git,
            self._ref,
            keeping,
            command=command,
            now=self._now,
            lock_timeout_s=self._lock_timeout_s,
            start=self._start,
        )
        if written is not None:
            made = kept["plan"]
            removed = (*made.deletes, *(old for old, _ in made.moves))
            self._written(written, dict(made.writes) if not made.moves else {}, removed)
        return written


def need_known(catalog: Catalog, key: str) -> place.Known:
    """Return the memory with a key.

    Raises:
        NotFoundError: There is none; names the nearest ones.
    """
    known = place.find_known(catalog, key)
    if known is None:
        raise NotFoundError(f"there is no memory {key}", hint=near_keys(catalog, key))
    return known


def before_of(catalog: Catalog, known: place.Known) -> dict[str, Any]:
    """Return the fields of a memory as they are."""
    fields: dict[str, Any] = json.loads(catalog.row("SELECT fields FROM text WHERE id = ?", (known.id,))[0])
    return fields


def edited(text: str, changes: Mapping[str, Any], path: str, *, body: str | None = None) -> str:
    """Return a file's text with some fields changed and everything else as it was.

    Raises:
        RefusedError: The frontmatter is written in a way that cannot be changed safely.
    """
    try:
        return edit(parse(text, path=path), dict(changes), body)
    except FormatError as err:
        raise RefusedError(f"{path.removesuffix('.md')}: {err.message}", hint=err.hint) from err


__all__ = ["REMOVE", "Change", "Writer", "edited", "need_known"]
