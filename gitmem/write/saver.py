"""Save files that a person edited: each one is merged onto the tip on its own, or refused with a reason.

A file that cannot be saved does not block others, and stays as the person left it.
"""

from __future__ import annotations

from gitmem.document.parse import parse
from gitmem.errors import ConfigError, GitmemError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.git.objects import oid_of
from gitmem.policy import load as load_policy
from gitmem.store import layout
from gitmem.store.commit import CommitPlan
from gitmem.store.merge.memories import Version, unite
from gitmem.store.merge.policy import FileVersion, unite_policies
from gitmem.store.scopes import POLICY_PATH
from gitmem.text import list_some
from gitmem.write import place
from gitmem.write.draft import check_file, refuse_typed
from gitmem.write.place import Change, PlannedFiles, before_of
from gitmem.write.writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.model import Document
    from gitmem.policy import Policy


@frozen
class EditedFile:
    """One edited file.

    Attributes:
        path: Its path.
        mine: Its content.
        base: The blob that the person began with; empty for a new file.
    """

    path: str
    mine: bytes
    base: str


@frozen
class Refusal:
    """A file that was not saved.

    Attributes:
        path: Its path.
        reason: Why it was refused.
        hint: How to fix it.
    """

    path: str
    reason: str
    hint: str = ""


@frozen
class How:
    """Options for saving files.

    Attributes:
        policy: The store's policy.
        inspect: Refuses a memory for reasons that only a higher layer knows, given its new and its previous form.
        message: The commit's message, or empty for a generated one.
        source: The commit that the files are from; empty for files in the folder.
        wins: Keys for which the person's text wins over the branch.
    """

    policy: Policy
    inspect: Callable[[Document, Document | None], None]
    message: str = ""
    source: str = ""
    wins: frozenset[str] = frozenset()


class Saver:
    """One save, as a plan that can be repeated on a new tip.

    Attributes:
        changes: The written memories.
        refused: The refused files, with reasons.
        accepted: The blob of each file, by path, whose content is now on the branch, merged or not.
    """

    def __init__(self, writer: Writer, git: Git, catalog_at: Callable[[str | None], Catalog], how: How) -> None:
        self._writer = writer
        self._git = git
        self._catalog_at = catalog_at
        self._how = how
        self.changes: list[Change] = []
        self.refused: list[Refusal] = []
        self.accepted: dict[str, str] = {}

    def save(self, items: Iterable[EditedFile]) -> None:
        """Write files in one commit, or in several if one of them changes the links of another."""
        left = sorted(items, key=lambda item: item.path)
        while left:
            self._start(left)
            written = self._writer.write(self._plan, "save")
            commit = written.commit if written else ""
            self.changes += [replace(change, commit=commit) for change in self._round]
            self.refused += self._refused
            self.accepted |= self._accepted
            left = self._later

    def _start(self, items: list[EditedFile]) -> None:
        self._items = items
        self._round: list[Change] = []
        self._refused: list[Refusal] = []
        self._accepted: dict[str, str] = {}
        self._later: list[EditedFile] = []

    def _plan(self, tip: str | None) -> CommitPlan | None:
        self._start(self._items)
        assert tip is not None, "a view shows a branch"
        catalog = self._catalog_at(tip)
        files: dict[str, str] = {}
        deletes: list[str] = []
        moves: dict[str, str] = {}
        for item in self._items:
            try:
                done = self._policy(tip, item) if item.path == POLICY_PATH else self._memory(catalog, item)
            except (RefusedError, ConfigError) as err:
                self._refused.append(Refusal(item.path, err.message, err.hint))
                continue
            change, new, gone, split = done
            if new.keys() & files.keys():
                self._later.append(item)
                continue
            self._accepted[item.path] = oid_of(item.mine, len(tip))
            if new:
                files |= new
                deletes += gone
                moves |= dict(split)
                self._round.append(change)
        if not files:
            return None
        keys = [change.key for change in self._round if change.key]
        gone_to = [moves.get(path, path) for path in deletes]
        named = list_some([change.key or change.path for change in self._round], 1)
        plan = self._writer.plan(f"memory: save {named}", keys, PlannedFiles(files, gone_to, tuple(moves.items())))
        subject, _, body = self._how.message.strip().partition("\n")
        source = (("Gitmem-Source", f"commit {self._how.source}"),) if self._how.source else ()
        return replace(plan, subject=subject or plan.subject, body=body.strip("\n"), trailers=plan.trailers + source)

    def _memory(self, catalog: Catalog, item: EditedFile) -> _Done:
        where = layout.place_of(item.path)
        if isinstance(where, str) or where.what != layout.MEMORY:
            raise RefusedError(where if isinstance(where, str) else "gitmem writes this file itself")
        key, policy = where.key, self._how.policy
        mine = check_file(key, _text(item), policy=policy, path=item.path)
        known = place.find_known(catalog, key)
        if known is None:
            return self._new(catalog, mine, item)
        theirs = self._writer.text_of(catalog, known)
        if theirs == mine.text:
            return Change(key, known.path, "", is_written=False), {}, [], ()
        if known.archived and not where.archived:
            raise RefusedError(f"{key} was retired", hint=f"restore it: gitmem restore {key}; then gitmem save")
        merged = self._merged(item, mine, theirs, known)
        if merged == theirs:
            return Change(key, known.path, "", is_written=False), {}, [], ()
        document = check_file(key, merged, policy=policy, path=known.path)
        self._how.inspect(document, parse(theirs, path=known.path))
        path, moves = place.path_after_edit(catalog, known, document.kind, policy)
        gone = [known.path] if path != known.path else []
        linked = self._writer.relink(catalog, document, before_of(catalog, known), known=known)
        return Change(key, path, ""), {path: merged, **linked}, gone, moves

    def _new(self, catalog: Catalog, mine: Document, item: EditedFile) -> _Done:
        if item.path.startswith("archive/"):
            raise RefusedError(
                "files in the archive are created by forgetting a memory", hint=f"gitmem forget {mine.key}"
            )
        self._how.inspect(mine, None)
        path, moves = place.choose_path(catalog, mine.kind, mine.key, self._how.policy)
        linked = self._writer.relink(catalog, mine, {})
        return Change(mine.key, path, "", is_new=True), {path: mine.text, **linked}, [], moves

    def _merged(self, item: EditedFile, mine: Document, theirs: str, known: place.KnownMemory) -> str:
        if known.key in self._how.wins:
            return mine.text
        base = self._base(item)
        if base == theirs:
            return mine.text
        if base is not None:
            versions = (Version(item.mine, str), Version(theirs.encode(), str))
            united = unite(base.encode(), *versions, path=known.path)
            if not united.conflicts:
                return united.content.decode("utf-8")
        message = "was also changed on the branch" if base is not None else f"is another memory there ({known.path})"
        raise RefusedError(
            f"{known.key} {message} in the meantime; your file was not saved",
            hint=f"see theirs: gitmem show {known.key}; correct your file, then: gitmem save --mine {known.key}",
        )

    def _base(self, item: EditedFile) -> str | None:
        if not item.base:
            return None
        try:
            content = self._git.read_blob(item.base, limit=layout.MEMORY_LIMIT)
            return None if content is None else content.decode("utf-8")
        except (GitmemError, UnicodeDecodeError):
            return None

    def _policy(self, tip: str, item: EditedFile) -> _Done:
        mine = _text(item)
        refuse_typed(item.path, mine, self._how.policy)
        load_policy(mine, file=item.path)
        theirs = (self._git.read_blob(f"{tip}:{item.path}", limit=layout.POLICY_LIMIT) or b"").decode(
            "utf-8", "replace"
        )
        base = self._base(item)
        if theirs in (base, mine):
            merged, is_conflict = mine, False
        else:
            sides = (FileVersion(item.mine, ""), FileVersion(theirs.encode(), ""))
            content, is_conflict = unite_policies(None if base is None else base.encode(), *sides)
            merged = content.decode("utf-8")
        if is_conflict:
            raise RefusedError(
                f"{item.path} was also changed on the branch in the meantime; your file was not saved",
                hint=f"see theirs: git show {tip[:12]}:{item.path}",
            )
        return Change("", item.path, ""), {} if merged == theirs else {item.path: merged}, [], ()


if TYPE_CHECKING:
    _Done = tuple[Change, dict[str, str], list[str], tuple[tuple[str, str], ...]]


def _text(item: EditedFile) -> str:
    if len(item.mine) > layout.MEMORY_LIMIT:
        raise RefusedError(f"{len(item.mine)} bytes; a memory has at most {layout.MEMORY_LIMIT}", hint="split it")
    try:
        return item.mine.decode("utf-8")
    except UnicodeDecodeError as err:
        raise RefusedError(f"it is not UTF-8 (byte {err.start})", hint="save it as UTF-8") from err
