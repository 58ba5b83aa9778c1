"""The operations that change memories, each one commit on the tip it was planned on."""

from __future__ import annotations

from gitmem.document.edit import REMOVE
from gitmem.document.parse import parse
from gitmem.document.times import format_time
from gitmem.errors import NotFoundError, RefusedError
from gitmem.frozen import replace
from gitmem.index.catalog.keys import resolve_ids
from gitmem.store import layout
from gitmem.store.commit import CommitPlan, CommitResult, WriteTarget, write_commit
from gitmem.store.proposal import is_proposal
from gitmem.text import display, list_some
from gitmem.write import archive, place
from gitmem.write.draft import ASIDE, Author, Draft, check_file, unite_fields, validate_text, with_fields
from gitmem.write.duplicates import ALLOW, FOLD, REFUSE, KnownTexts, fold_into, refuse_said
from gitmem.write.links import note_meanings, update_links
from gitmem.write.opposition import find_contradicted
from gitmem.write.place import Change, PlannedFiles, need_known
from gitmem.write.queue import Rehearsal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.model import Document, Verdict
    from gitmem.policy import Policy


# The most keys named in the message of one commit.
KEYS_NAMED = 100
# The fields that name other memories.
LINKS = ("requires", "supersedes")


class Writer:
    """Writes to one store on behalf of one author."""

    def __init__(
        self,
        target: WriteTarget,
        *,
        catalog_at: Callable[[str | None], Catalog],
        written: Callable[[CommitResult, dict[str, bytes], tuple[str, ...]], None],
        author: Author,
        now: int,
    ) -> None:
        """Set the store and the author.

        Args:
            target: The memory branch.
            catalog_at: Returns the catalog at a tip.
            written: Called after a commit with the written files (content by path) and the removed paths.
            author: The author.
            now: Epoch seconds.
        """
        self._target = target
        self._git = target.git
        # Returns the trailers that name the commit of the code.
        self.code_trailers: Callable[[], tuple[tuple[str, str], ...]] = tuple
        # Returns the catalog that a write is planned on.
        self.catalog_at = catalog_at
        self._written = written
        self._author = author
        self._now = now
        # Further places to look for near duplicates.
        self.said = KnownTexts()
        # Texts by blob, planned but not written yet: a later draft of one batch may change an earlier one's.
        self.planned: dict[str, bytes] = {}

    def remember(
        self,
        draft: Draft,
        policy: Policy,
        *,
        verb: str,
        verdicts: Callable[[Draft], Sequence[Verdict]] | None = None,
        again: str = REFUSE,
    ) -> Change:
        """Write a new memory, or replace the text of the one with this key.

        Args:
            draft: The memory.
            policy: The store's policy.
            verb: The command, for the commit's subject.
            verdicts: Returns the verdicts that the same commit records, given the settled draft.
            again: What to do about a duplicate (``write.duplicates``).

        Raises:
            DuplicateError: Another memory says the same, and *again* is to refuse.
        """
        done: dict[str, Any] = {}

        def plan(tip: str | None) -> CommitPlan | None:
            return self.plan_remember(self.catalog_at(tip), draft, policy, verdicts=verdicts, done=done, again=again)

        return self._commit(plan, done, verb)

    def remember_all(self, drafts: list[Draft], policy: Policy) -> list[Change]:
        """Write several memories in one commit, each as if those before it had been written.

        A duplicate is added to the existing memory: a program that writes many cannot answer questions.
        """
        done: list[dict[str, Any]] = []

        def plan(tip: str | None) -> CommitPlan | None:
            catalog = self.catalog_at(tip)
            done[:] = [{} for _ in drafts]
            self.planned.clear()
            with Rehearsal(catalog, self.planned) as rehearsal:
                for draft, fields in zip(drafts, done, strict=True):
                    if (step := self.plan_remember(catalog, draft, policy, done=fields, again=FOLD)) is not None:
                        rehearsal.apply(step)
            written = list(dict.fromkeys(fields["key"] for fields in done if fields.get("is_written", True)))
            subject = f"memory: add {list_some(written, 1)}"
            return self.plan_rehearsed(rehearsal, subject, written[:KEYS_NAMED])

        written = self.write(plan, f"remember {len(drafts)} memories")
        commit = written.commit if written else self._tip()
        return [Change(commit=commit, **fields) for fields in done]

    def plan_rehearsed(
        self, rehearsal: Rehearsal, subject: str, keys: list[str], *, sources: Sequence[str] = ()
    ) -> CommitPlan | None:
        """Return several writes as one commit's plan; None if nothing changes."""
        texts = {path: content.decode("utf-8") for path, content in rehearsal.texts.items()}
        if not texts:
            return None
        moves = tuple(rehearsal.moves.items())
        return self.plan(subject, keys, PlannedFiles(texts, sorted(rehearsal.deletes), moves), sources=sources)

    def plan_remember(
        self,
        catalog: Catalog,
        draft: Draft,
        policy: Policy,
        *,
        done: dict[str, Any],
        verdicts: Callable[[Draft], Sequence[Verdict]] | None = None,
        again: str = REFUSE,
    ) -> CommitPlan | None:
        """Return the commit that writes a draft on the state in a catalog; None if nothing changes.

        Args:
            catalog: The catalog.
            draft: The memory.
            policy: The store's policy.
            done: Filled with the fields of the ``Change``.
            verdicts: Returns the verdicts that the same commit records, given the settled draft.
            again: What to do about a duplicate.

        Raises:
            DuplicateError: Another memory says the same, and *again* is to refuse.
        """
        settled = place.settle_key(catalog, _with_keys(catalog, draft))
        duplicate = self.said.find(catalog, settled, policy, again=again)
        if duplicate is not None:
            refuse_said(settled, duplicate, again=again)
            settled = fold_into(settled, duplicate)
            done["is_folded"] = True
        known = place.find_known(catalog, settled.key)
        if duplicate is None and known is None and again != ALLOW and policy.duplicates.threshold:
            settled = _with_contradictions(catalog, settled)
            done["contradicts"] = tuple(settled.fields.get("contradicts", ()))
        if duplicate is not None and (known is None or not duplicate.is_live):
            done.update(key=duplicate.key, path=known.path if known else "", is_new=False, is_written=False)
            return None
        place.refuse_newer(catalog, settled.key)
        document = self._updated(catalog, settled, known, policy)
        if duplicate is not None and duplicate.likeness < 1:  # the words are in the commit's message
            text = with_fields(document.text, {"updated": format_time(self._now)}, f"{settled.key}.md")
            document = check_file(settled.key, text, policy=policy, path=f"{settled.key}.md")
        path, moves = self._path_for(catalog, settled, known, policy)
        done.update(key=settled.key, path=path, is_new=known is None)
        is_live = known is not None and not known.archived
        if known is not None and is_live and known.path == path and self.text_of(catalog, known) == document.text:
            done["is_written"] = False
            return None
        before = place.before_of(catalog, known) if known else {}
        others = self.relink(catalog, document, before)
        proved = verdicts(settled) if verdicts else ()
        files = {path: document.text, **others}
        deletes = [p for p in place.paths_of_key(catalog, settled.key) if p != path]
        near = archive.find_rotation(catalog, policy, settled.kind, added=int(not is_live))
        old = archive.rotate(self.texts_of, catalog, near, now=self._now)
        done["rotated"] = len(old.paths)
        done["rotation"] = "" if near is None or old.paths or not done["is_new"] else str(near)
        files, deletes, moves = {**old.files, **files}, [*old.paths, *deletes], (*moves, *old.moves)
        word = "add" if known is None else "restore" if known.archived else "update"
        planned = self.plan(f"{settled.kind}: {word} {settled.key}", [settled.key], PlannedFiles(files, deletes, moves))
        return self._with_verdicts(planned, catalog, proved)

    def edit(
        self,
        key: str,
        change: Callable[[str], str],
        policy: Policy,
        *,
        subject: str = "edit",
        verdicts: Sequence[Verdict] = (),
        again: str = REFUSE,
    ) -> Change:
        """Change the text of one memory in place.

        Args:
            key: The memory.
            change: Returns the new text for the file's text; called again if the memory changed meanwhile.
            policy: The store's policy.
            subject: The verb of the commit's subject.
            verdicts: Those that the same commit records.
            again: What to do if the new text duplicates another memory.

        Raises:
            DuplicateError: Another memory says the same, and *again* is to refuse.
        """
        done: dict[str, Any] = {}

        def plan(tip: str | None) -> CommitPlan | None:
            catalog = self.catalog_at(tip)
            known = need_known(catalog, key)
            old = self.text_of(catalog, known)
            new = change(old)
            done.update(key=known.key, path=known.path, is_new=False)
            if new == old:
                done["is_written"] = False
                return None
            document = check_file(known.key, new, policy=policy, path=known.path)
            self.said.refuse_edit(catalog, known, document, policy, again=again)
            path, moves = place.path_after_edit(catalog, known, document.kind, policy)
            deletes = [known.path] if path != known.path else []
            done["path"] = path
            others = self.relink(catalog, document, place.before_of(catalog, known), known=known)
            files = {path: new, **others}
            planned = self.plan(
                f"{document.kind}: {subject} {known.key}", [known.key], PlannedFiles(files, deletes, moves)
            )
            return self._with_verdicts(planned, catalog, verdicts)

        return self._commit(plan, done, "edit")

    def edit_all(self, fields: Mapping[str, Mapping[str, Any]], policy: Policy, *, verb: str) -> str:
        """Change fields of several memories in one commit, and return it; unchanged ones are not written.

        Args:
            fields: The new fields of each memory, by key.
            policy: The store's policy.
            verb: The commit's subject, before the keys.
        """

        def plan(tip: str | None) -> CommitPlan | None:
            catalog = self.catalog_at(tip)
            known = [need_known(catalog, key) for key in sorted(fields)]
            texts = self.texts_of(catalog, known)
            files = {}
            for known_memory in known:
                changes = {**fields[known_memory.key], "updated": format_time(self._now)}
                new = with_fields(texts[known_memory.path], changes, f"{known_memory.key}.md")
                files[known_memory.path] = check_file(known_memory.key, new, policy=policy, path=known_memory.path).text
            keys = [known_memory.key for known_memory in known]
            subject = f"memory: {verb}: {list_some(keys, 1)}"
            return self.plan(subject, keys[:KEYS_NAMED], PlannedFiles(files))

        written = self.write(plan, "edit")
        return written.commit if written else ""

    def forget(self, keys: list[str], *, why: str, by: str = "") -> list[Change]:
        """Move memories to the archive; ``retired`` marks the tombstone that keeps them from coming back."""
        who = display(by or self._author.who)
        retired = {"when": format_time(self._now), "by": who} | ({"why": why} if why else {})

        def moved(catalog: Catalog, similar: list[place.KnownMemory]) -> archive.ArchiveMoves:
            # All files with the key: a remaining one would replace the forgotten memory.
            files = [file for known in similar if not known.archived for file in place.live_files(catalog, known.key)]
            files += [
                known for known in similar if known.archived and archive.is_rotated(place.before_of(catalog, known))
            ]
            return archive.retire(self.texts_of, catalog, files, retired)

        return self._move(keys, moved, "forget")

    def restore(self, keys: list[str]) -> list[Change]:
        """Restore memories from the archive; those not in it are left unchanged."""

        def moved(catalog: Catalog, similar: list[place.KnownMemory]) -> archive.ArchiveMoves:
            return archive.plan_restore(
                self.texts_of, catalog, [known for known in similar if known.archived], now=self._now
            )

        return self._move(keys, moved, "restore")

    def _move(
        self, keys: list[str], moved: Callable[[Catalog, list[place.KnownMemory]], archive.ArchiveMoves], verb: str
    ) -> list[Change]:
        """Move memories into or out of the archive, in one commit."""
        similar: list[place.KnownMemory] = []
        paths: dict[str, str] = {}

        def plan(tip: str | None) -> CommitPlan | None:
            catalog = self.catalog_at(tip)
            similar[:] = [need_known(catalog, key) for key in dict.fromkeys(keys)]
            moved_files = moved(catalog, similar)
            paths.clear()
            paths.update(moved_files.paths)
            gone = [known.key for known in similar if known.path in paths]
            if not gone:
                return None
            subject = f"memory: {verb} {list_some(gone, 1)}"
            return self.plan(subject, gone, PlannedFiles(moved_files.files, list(paths), moved_files.moves))

        written = self.write(plan, verb)
        commit = written.commit if written else self._tip()
        return [
            Change(known.key, paths.get(known.path, known.path), commit, is_written=known.path in paths)
            for known in similar
        ]

    def supersede(self, old: str, new: str, policy: Policy) -> Change:
        """Link two memories both ways: *new* replaces *old*, which leaves search."""
        if old == new:
            raise RefusedError(f"{old} cannot supersede itself")

        def change(text: str) -> str:
            fields = parse(text, path=f"{new}.md").fields
            listed = fields.get("supersedes") or []
            listed = [listed] if isinstance(listed, str) else list(listed)
            changes = {"supersedes": [*listed, old] if old not in listed else listed}
            changes |= {"superseded_by": REMOVE} if fields.get("superseded_by") == old else {}
            return with_fields(text, changes, f"{new}.md")

        return self.edit(new, change, policy, subject=f"supersede {old} by")

    def text_of(self, catalog: Catalog, known: place.KnownMemory) -> str:
        """Return the exact text of a memory's file."""
        return self.texts_of(catalog, [known])[known.path]

    def texts_of(self, catalog: Catalog, known: Sequence[place.KnownMemory]) -> dict[str, str]:
        """Return each memory's text by path: planned texts, and the others read by one process."""
        oids = [catalog.row("SELECT oid FROM memory WHERE id = ?", (known_memory.id,))[0] for known_memory in known]
        stored = dict(self._git.read_blobs(oid for oid in oids if oid not in self.planned))
        texts = {}
        for known_memory, oid in zip(known, oids, strict=True):
            content = self.planned.get(oid) or stored.get(oid)
            if content is None:
                raise NotFoundError(
                    f"{known_memory.key}: its content is missing from the object database", hint="git fetch origin"
                )
            texts[known_memory.path] = content.decode("utf-8")
        return texts

    def _updated(self, catalog: Catalog, draft: Draft, known: place.KnownMemory | None, policy: Policy) -> Any:
        fields, path = dict(draft.fields), f"{draft.key}.md"
        if known is None:
            return validate_text(draft.key, fields, draft.body, policy=policy, path=path)
        before = place.before_of(catalog, known)
        fields = unite_fields(before, fields, draft)
        same = {**before, **dict.fromkeys(ASIDE)} == {**fields, **dict.fromkeys(ASIDE)}
        text = self.text_of(catalog, known)
        if same and place.body_of(catalog, known) == draft.body:
            return parse(text, path=path)
        fields["updated"] = format_time(self._now)
        if draft.is_explicit:
            return validate_text(draft.key, fields, draft.body, policy=policy, path=path)
        gone = {name: REMOVE for name in before if name not in fields}
        return check_file(draft.key, with_fields(text, fields | gone, path, body=draft.body), policy=policy, path=path)

    def _path_for(
        self, catalog: Catalog, draft: Draft, known: place.KnownMemory | None, policy: Policy
    ) -> tuple[str, tuple[tuple[str, str], ...]]:
        folder = place.folder_of(draft.kind, policy)
        if known is not None and not known.archived and known.path.split("/", 1)[0] == folder:
            return known.path, ()
        return place.choose_path(catalog, draft.kind, draft.key, policy)

    def relink(
        self, catalog: Catalog, document: Document, before: Mapping[str, Any], *, known: place.KnownMemory | None = None
    ) -> dict[str, str]:
        """Return the files of other memories that change with this one: their links, and its recorded meaning."""
        files = update_links(self.text_of, catalog, document, before, known=known)
        row = catalog.row("SELECT meaning FROM memory WHERE key = ? AND shadowed = 0", (document.key,))
        return files | note_meanings(self.text_of, catalog, row[0], document, files) if row else files

    def plan(
        self, subject: str, keys: Sequence[str], planned: PlannedFiles, *, sources: Sequence[str] = ()
    ) -> CommitPlan:
        """Return one commit's plan, with the keys and sources for its trailers."""
        # A file that is changed or removed, and also moved because its folder is split.
        to = dict(planned.moves)
        files = {to.get(path, path): text for path, text in planned.files.items()}
        sources = [*sources, f"agent {self._author.agent}"] if self._author.agent else sources
        trailers = [*(("Gitmem-Key", key) for key in keys), *(("Gitmem-Source", source) for source in sources)]
        trailers += self.code_trailers()
        writes = tuple((path, text.encode("utf-8")) for path, text in sorted(files.items()))
        gone = tuple(to.get(path, path) for path in planned.deletes if to.get(path, path) not in files)
        return CommitPlan(subject, writes=writes, moves=planned.moves, deletes=gone, trailers=tuple(trailers))

    def _with_verdicts(self, planned: CommitPlan, catalog: Catalog, verdicts: Sequence[Verdict]) -> CommitPlan:
        """Return a commit's plan that also records verdicts, on the state in a catalog."""
        if not verdicts:
            return planned
        from gitmem.store.verdicts.files import plan_writes  # 20 ms, and only if something was proved

        files = plan_writes(self._git, catalog.meta("commit") or None, verdicts, is_loose=is_proposal(self._target.ref))
        writes = tuple(sorted((*planned.writes, *files.writes.items())))
        return replace(planned, writes=writes, deletes=(*planned.deletes, *files.deletes))

    def _commit(self, plan: Callable[[str | None], CommitPlan | None], done: dict[str, Any], verb: str) -> Change:
        written = self.write(plan, f"{verb} {done.get('key', '')}".strip())
        commit = written.commit if written else self._tip()
        return Change(commit=commit, **done)

    def write(self, plan: Callable[[str | None], CommitPlan | None], command: str) -> CommitResult | None:
        """Write what *plan* returns for the current tip; None if it has nothing to write."""

        def follow(plan: CommitPlan, written: CommitResult) -> None:
            removed = (*plan.deletes, *(old for old, _ in plan.moves))
            self._written(written, dict(plan.writes) if not plan.moves else {}, removed)

        def checked(tip: str | None) -> CommitPlan | None:
            planned = plan(tip)
            _refuse_places(planned)
            return planned

        return write_commit(replace(self._target, command=command), checked, now=self._now, after=follow)

    def _tip(self) -> str:
        return self._git.read_ref(self._target.ref) or self._target.start or ""


def _with_keys(catalog: Catalog, draft: Draft) -> Draft:
    """Return a draft with the keys of the memories that it names by short ids."""
    names = {name: draft.fields[name] for name in LINKS if isinstance(draft.fields.get(name), list)}
    return replace(draft, fields={**draft.fields, **{name: resolve_ids(catalog, names[name]) for name in names}})


def _with_contradictions(catalog: Catalog, draft: Draft) -> Draft:
    """Return a new memory's draft with the keys of those that it contradicts, for a person to settle."""
    keys = find_contradicted(catalog, str(draft.fields["title"]), fields=draft.fields)
    return replace(draft, fields={**draft.fields, "contradicts": keys}) if keys else draft


def _refuse_places(planned: CommitPlan | None) -> None:
    """Refuse a commit with a file that no reader would accept, before it is made."""
    for path in () if planned is None else (*(path for path, _ in planned.writes), *(new for _, new in planned.moves)):
        if isinstance(place := layout.place_of(path), str):
            raise RefusedError(f"{path}: {place}", hint="choose another name, such as --key a-name")
