"""Bring the catalog and its search engine up to the store's tip, by the difference between trees or from scratch."""

from __future__ import annotations

import _sqlite3 as sqlite3
from collections import deque

from gitmem.document.parse import parse
from gitmem.errors import ConflictError, FormatError, GitmemError, ProcessError
from gitmem.frozen import frozen
from gitmem.git import Git
from gitmem.index import fts_update
from gitmem.index.catalog import Catalog, commit_and_tree, schema, texts_of, unreadable_tip, update
from gitmem.index.catalog.inserts import BATCH, Inserts, KnownText, StoredMemory, problem_of
from gitmem.model import Document, IndexText, Problem
from gitmem.policy import Policy, builtin
from gitmem.policy import load as load_policy
from gitmem.store import code_tree, layout, read
from gitmem.store.local import is_busy, is_unwritable
from gitmem.store.scopes import POLICY_PATH
from gitmem.store.verdicts.buckets import parse_section
from gitmem.text import format_json, parse_json
from gitmem.text.tokens import format_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gitmem.store.commit import CommitResult

# Show progress when a rebuild reads more files than this (about half a second of work, measured).
WORTH_TELLING = 2000
# The format of text analysis that a catalog without the tables of ``FtsEngine`` records.
UNSEARCHED = "none"


@frozen
class RefreshResult:
    """A catalog, and whether it shows the requested commit.

    Attributes:
        catalog: The catalog.
        behind: A line that says which commit it shows if it could not be brought up to date; else empty.
    """

    catalog: Catalog
    behind: str = ""


@frozen
class CatalogSource:
    """What a catalog is made from, and where it is.

    Attributes:
        git: The repository.
        tip: The store's commit; empty if only the code tree has memories.
        tree: The tree ``.memory`` of the code, or empty.
        folder: The folder of the catalog; by default the project's state folder.
        known: Texts that need not be read and parsed again, by object name.
        is_searched: Whether the catalog also gets the tables of ``FtsEngine``, a sixth of its time (measured).
    """

    git: Git
    tip: str
    tree: str = ""
    folder: str = ""
    known: Mapping[str, KnownText] | None = None
    is_searched: bool = True

    @property
    def place(self) -> str:
        """The folder of the catalog."""
        return self.folder or self.git.repository.state

    @property
    def analysis(self) -> str:
        """The format of text analysis that the catalog records."""
        return format_stamp() if self.is_searched else UNSEARCHED


def refresh(
    source: CatalogSource, have: Catalog | None = None, progress: Callable[[int, int], None] | None = None
) -> RefreshResult:
    """Return a catalog that shows the store's commit: the existing one, updated, or a new one if it must be rebuilt.

    While another process updates it, the last good state is returned, and ``behind`` says so.

    Args:
        source: The commits that it is to show, and where it is.
        have: The catalog, if it is already open.
        progress: Called with the numbers of files read and of all files.
    """
    git, tip, tree = source.git, source.tip, source.tree
    catalog = have or Catalog.open(source.place, analysis=source.analysis)
    if catalog is None:
        return _shown(rebuild(source, progress, by_others=True))
    if commit_and_tree(catalog) == (tip, tree):
        # What git could not read once may be readable now: a disk that answers again, an object that was fetched.
        behind = unreadable_tip(catalog)
        if not behind or not _is_readable(git, tip):
            return RefreshResult(catalog, behind)
    is_large = False
    try:
        if follow(git, catalog, tip, tree, source.known):
            return RefreshResult(catalog)
    except LargeChangeError:
        is_large = True
        if schema.is_being_built(source.place):
            return RefreshResult(catalog, _behind(catalog, tip))
    except sqlite3.OperationalError as err:
        if is_busy(err):
            return RefreshResult(catalog, _behind(catalog, tip))
        if not is_unwritable(err):
            raise
    except sqlite3.DatabaseError:
        pass  # damage that opening the catalog did not reveal
    if have is None:
        catalog.close()
    return _shown(rebuild(source, progress, by_others=is_large))


def _shown(catalog: Catalog) -> RefreshResult:
    return RefreshResult(catalog, unreadable_tip(catalog))


def _is_readable(git: Git, tip: str) -> bool:
    try:
        git.list_tree(tip)
    except ProcessError:
        return False
    return True


def _behind(catalog: Catalog, tip: str) -> str:
    shown = catalog.meta("commit")[:12] or "no commit"
    return f"another process is updating the index; showing {shown}, but the tip is {tip[:12]}"


def rebuild(
    source: CatalogSource, progress: Callable[[int, int], None] | None = None, *, by_others: bool = False
) -> Catalog:
    """Build the catalog and the index of a commit from scratch; in memory if the disk cannot be written to.

    If *by_others*, one that another process has built in the meantime is returned instead.
    """
    expected = {"analysis": source.analysis, "commit": source.tip, "tree": source.tree} if by_others else None
    return schema.build(source.place, _filler(source, progress), expected=expected)


def beside(git: Git, have: Catalog, tip: str, tree: str) -> Catalog:
    """Return a catalog in memory that combines a store's commit with another tree ``.memory`` of the code."""
    copy = have.copy()
    if bool(commit_and_tree(copy)[1]) == bool(tree) and follow(git, copy, tip, tree):
        return copy
    copy.close()
    return schema.in_memory(_filler(CatalogSource(git, tip, tree)))


def _filler(source: CatalogSource, progress: Callable[[int, int], None] | None = None) -> Callable[[Catalog], None]:
    """Return a function that fills an empty catalog."""
    git, tip, tree = source.git, source.tip, source.tree

    def fill(catalog: Catalog) -> None:
        scan = read.scan_all(git, tip) if tip else read.Scan("", (), (), ())
        if tree:
            scan = code_tree.join_scans(scan, code_tree.scan_all(git, tree))
        own = [f for f in scan.files if f.place.what == layout.POLICY]
        contents = _contents(git, [*own, *_sample_first(_wanted(scan.files))], source.known or {})
        policy, problems = _load_policy(*next(contents)) if own else (builtin(), [])
        for problem in (*problems, *scan.problems):
            update.add_problem(catalog, problem)
        inserts = Inserts(catalog)
        texts = _add_files(catalog, inserts, _counted(contents, len(scan.files), progress), policy)
        if source.is_searched:
            fts_update.apply(catalog.connection, texts, [], language=policy.recall.language)
        else:
            deque(texts, maxlen=0)
        inserts.flush()
        schema.add_indexes(catalog.connection)  # settle_keys needs them
        update.settle_keys(catalog, None)
        catalog.set_meta("policy", format_json(policy.changes, is_ascii=True))
        catalog.set_meta("analysis", source.analysis)
        catalog.set_meta("language", policy.recall.language)
        _stamp(catalog, (tip, tree))

    return fill


def empty_catalog() -> Catalog:
    """Return an empty catalog in memory, which represents a branch before its first commit."""

    def fill(catalog: Catalog) -> None:
        fts_update.apply(catalog.connection, [], [])
        catalog.set_meta("policy", "{}")

    return schema.in_memory(fill)


def refuse_unreadable(catalog: Catalog) -> None:
    """Raise an error if the tip's tree cannot be read: a commit on top of it could not be read either.

    Raises:
        ConflictError: The catalog shows an earlier tree instead of the tip's.
    """
    if unreadable_tip(catalog):
        raise ConflictError(
            "the tree of the memory branch is unreadable, so new commits on top of it would be unreadable as well",
            hint="first commit the last good tree on top: gitmem doctor --fix",
        )


def follow(
    git: Git, catalog: Catalog, tip: str, tree: str | None = None, known: Mapping[str, KnownText] | None = None
) -> bool:
    """Update a catalog from the commit it shows to *tip*; return False if it must be rebuilt.

    The catalog is locked first: a reader that cannot have the lock finds that out before it compares two trees.

    Args:
        git: The repository.
        catalog: The catalog.
        tip: The store's commit.
        tree: The tree ``.memory`` of the code; None for the one that the catalog shows.
        known: Texts that need not be read again, as for ``refresh``.

    Raises:
        sqlite3.OperationalError: Another process is writing it.
        LargeChangeError: So much has changed that a new catalog beside this one is ready sooner, and without a lock.
    """
    # A reader does not wait long for another update: it can use the last good state.
    catalog.connection.execute("PRAGMA busy_timeout = 1000")
    with catalog.writing():
        old = commit_and_tree(catalog)
        wanted = (tip, old[1] if tree is None else tree)
        if old == wanted and not unreadable_tip(catalog):
            return True  # another process was faster
        try:
            scan = _changes(git, old, wanted)
        except ProcessError:
            return False  # the old commit is gone, or a tree cannot be read
        if scan is None or scan.is_twice:
            return False
        touched = [*(f.path for f in scan.files), *scan.removed]
        if POLICY_PATH in touched or unreadable_tip(catalog):
            return False  # specifications, TTLs and folders depend on these
        if _has_name_twice(catalog, scan.added):
            return False
        if catalog.path is not None and _is_large(catalog, len(touched)):
            raise LargeChangeError
        apply_scan(catalog, scan, _contents(git, _wanted(scan.files), known or {}))
        _stamp(catalog, wanted)
    return True


class LargeChangeError(Exception):
    """So much has changed that the catalog must be rebuilt rather than updated under its lock."""


def _is_large(catalog: Catalog, changed: int) -> bool:
    """Return whether more files changed than are worth updating in place: half of the catalog's memories."""
    return changed > WORTH_TELLING and 2 * changed > catalog.row("SELECT count(*) FROM memory")[0]


def _stamp(catalog: Catalog, shown: tuple[str, str]) -> None:
    catalog.set_meta("commit", shown[0])
    if shown[1]:
        catalog.set_meta("tree", shown[1])


def _changes(git: Git, old: tuple[str, str], new: tuple[str, str]) -> read.Scan | None:
    """Return the changes in both the branch and the code tree; None if one of them was added or removed.

    Raises:
        ProcessError: A tree cannot be read.
    """
    scan = read.Scan(new[0], (), (), ())
    for before, after, changes in ((old[0], new[0], read.scan_changes), (old[1], new[1], code_tree.scan_changes)):
        if bool(before) != bool(after):
            return None
        if before != after:
            scan = code_tree.join_scans(scan, changes(git, before, after))
    return scan


def _has_name_twice(catalog: Catalog, added: Iterable[str]) -> bool:
    """Return whether the old tree has a duplicate name, or the new one that adds these paths does.

    Only the whole tree shows which of the two entries counts: a difference shows the second one as added, or not at
    all.
    """
    if catalog.row("SELECT 1 FROM problem WHERE code = 'duplicate-entry'") is not None:
        return True
    paths = list(added)
    if any(True for _ in catalog.each("SELECT 1 FROM verdict WHERE path IN ({})", paths)):
        return True
    return any(update.number_at(catalog, path) is not None for path in paths)


def follow_written(
    git: Git, catalog: Catalog, written: CommitResult, files: Mapping[str, bytes], removed: Iterable[str]
) -> None:
    """Update a catalog after a commit that was just written, without reading the commit from git.

    If that is impossible now (another process was faster, or is writing), the next read updates the catalog.
    """
    if catalog.meta("commit") != written.base or not set(files) <= set(written.oids) or _has_name_twice(catalog, ()):
        return
    stored_files = []
    for path, content in files.items():
        place = layout.place_of(path)
        assert isinstance(place, layout.StorePath), "gitmem writes only where a store may have files"
        if place.what == layout.POLICY:
            return
        stored_files.append((read.StoredFile(place, path, written.oids[path]), content))
    if _is_large(catalog, len(stored_files)):
        return
    memories = tuple(stored for stored, _ in stored_files if stored.place.what != layout.KNOWN)
    # A folder that was written may replace a file that was reported as a problem.
    parents = {path[:at] for path in files for at, char in enumerate(path) if char == "/"}
    replaced = [row[0] for row in catalog.each("SELECT path FROM problem WHERE path IN ({})", parents)]
    scan = read.Scan(written.commit, memories, (*removed, *replaced), ())
    contents = [(stored, content) for stored, content in stored_files if stored in memories]
    try:
        with catalog.writing():
            if catalog.meta("commit") == written.base:
                apply_scan(catalog, scan, contents)
                catalog.set_meta("commit", written.commit)
    except sqlite3.Error:
        return  # busy, or the disk is full; the next read rebuilds a damaged catalog


def apply_scan(
    catalog: Catalog, scan: read.Scan, contents: Iterable[tuple[read.StoredFile, bytes | Problem | KnownText]]
) -> None:
    """Apply the changes in the store to rows and index, inside the caller's transaction."""
    policy = Policy.from_dict(parse_json(catalog.meta("policy")))
    keys: set[str] = set()
    paths = (*scan.removed, *(f.path for f in scan.files))
    numbers = dict.fromkeys(number for path in paths if (number := update.number_at(catalog, path)) is not None)
    is_searched = catalog.meta("analysis") != UNSEARCHED
    removed = texts_of(catalog, numbers) if is_searched else {}
    buckets = {file.path for file in scan.files if file.place.what == layout.BUCKET}
    for path in paths:
        place = code_tree.place_of(path)
        if isinstance(place, layout.StorePath) and place.what == layout.MEMORY:
            keys |= {place.key, *update.linked_targets(catalog, place.key)}
        if path in buckets:
            update.remove_problems(catalog, path)  # update_bucket keeps its unchanged verdicts
        else:
            update.remove_path(catalog, path)
    for problem in scan.problems:
        update.add_problem(catalog, problem)
    inserts = Inserts(catalog)
    added: list[str] = []

    def texts() -> Iterator[IndexText]:
        for text in _add_files(catalog, inserts, contents, policy):
            added.append(text.key)
            yield text

    if is_searched:
        fts_update.apply(catalog.connection, texts(), removed.values(), language=catalog.language)
    else:
        deque(texts(), maxlen=0)
    inserts.flush()
    for key in added:
        keys.update(update.linked_targets(catalog, key))
    update.settle_keys(catalog, keys)
    # This includes a fact that was hidden by another file with the same key.
    update.forget_states(catalog, [*keys, *(f.place.key for f in scan.files)])


def _contents(
    git: Git, files: list[read.StoredFile], known: Mapping[str, KnownText]
) -> Iterator[tuple[read.StoredFile, bytes | Problem | KnownText]]:
    """Yield each file with its content, or with its known text instead."""
    texts = [known.get(file.oid) if file.place.what == layout.MEMORY else None for file in files]
    unread = read.read_files(git, [file for file, text in zip(files, texts, strict=True) if text is None])
    for file, text in zip(files, texts, strict=True):
        yield next(unread) if text is None else (file, text)


def _wanted(files: Iterable[read.StoredFile]) -> list[read.StoredFile]:
    return [f for f in files if f.place.what in (layout.MEMORY, layout.VERDICT, layout.BUCKET)]


def _sample_first(files: list[read.StoredFile]) -> list[read.StoredFile]:
    """Reorder files so that a sample of all comes first: the catalog makes its dictionaries from the first batch."""
    step = len(files) // BATCH
    if step < 2:
        return files
    rest = (file for at, file in enumerate(files) if at % step)
    return [*files[::step], *rest]


def _add_files(
    catalog: Catalog,
    inserts: Inserts,
    contents: Iterable[tuple[read.StoredFile, bytes | Problem | KnownText]],
    policy: Policy,
) -> Iterator[IndexText]:
    """Write the rows of each file and yield its text for the engine; an unreadable file becomes a problem."""
    for stored, content in contents:
        if stored.place.what == layout.BUCKET and isinstance(content, bytes):
            for problem in update.update_bucket(catalog, inserts, stored.path, content):
                update.add_problem(catalog, problem)
            continue
        added = content if isinstance(content, Problem) else _add_file(inserts, stored, content, policy)
        if isinstance(added, Problem):
            update.add_problem(catalog, added)
        elif added is not None:
            yield added


def _counted(
    contents: Iterable[tuple[read.StoredFile, bytes | Problem | KnownText]],
    total: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[read.StoredFile, bytes | Problem | KnownText]]:
    """Yield files, and report the progress of a long rebuild."""
    for done, content in enumerate(contents):
        yield content
        if progress is not None and done % 500 == 0 and total > WORTH_TELLING:
            progress(done, total)


def _add_file(
    inserts: Inserts, stored: read.StoredFile, content: bytes | KnownText, policy: Policy
) -> IndexText | Problem | None:
    if isinstance(content, KnownText):
        document = content.document
        document = Document(stored.place.key, stored.path, document.fields, document.body, document.text)
        return inserts.add_memory(StoredMemory(document, stored.oid, stored.place.archived, content.is_clean), policy)
    try:
        if stored.place.what == layout.VERDICT:
            name = (stored.place.key, stored.place.spec)
            inserts.add_verdict(stored.path, parse_section(name, content, stored.path))
            return None
        document = parse(content, path=stored.path)
    except FormatError as err:
        return problem_of(err, stored.path, stored.place.key)
    return inserts.add_memory(StoredMemory(document, stored.oid, stored.place.archived), policy)


def _load_policy(stored: read.StoredFile, content: bytes | Problem | KnownText) -> tuple[Policy, list[Problem]]:
    """Return the store's own policy, or the built-in one and a problem if it cannot be read."""
    assert not isinstance(content, KnownText), "only memories are known"
    if isinstance(content, Problem):
        return builtin(), [content]
    try:
        return load_policy(content.decode("utf-8"), file=stored.path), []
    except (GitmemError, UnicodeDecodeError) as err:
        message = f"{err}; the built-in policy is used instead"
        return builtin(), [Problem("bad-policy", stored.path, message, hint=getattr(err, "hint", ""))]
