"""The Whoosh index of a store: built from the catalog's rows, updated by their difference, and deletable at any time.

It is a folder next to the catalog with a stamp of the commit and format that it was made from and the checksums of its
files. Whoosh checks nothing that it reads, and a damaged byte may raise any error, so the index is only opened if its
checksums and gitmem's seal are right; otherwise it is rebuilt. Documents are named by path and blob, not by the
catalog's row numbers, so a hit in an outdated index is either a current memory or ignored.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import warnings
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b, sha1
from pathlib import Path

from gitmem.config import state_home
from gitmem.document.author import read_author
from gitmem.errors import ConflictError, GitmemError
from gitmem.frozen import frozen
from gitmem.index import WEIGHTS, WHOOSH_AT_MOST, WHOOSH_FOLDER
from gitmem.index.catalog import commit_and_tree
from gitmem.model import searched_of
from gitmem.system import CLOSE_ON_EXEC, make_folder, only_regular, read_file
from gitmem.system.file_lock import try_lock
from gitmem.text import tokens


class QuietImport(warnings.catch_warnings):
    """Ignores warnings about escapes in Whoosh 2.7.4 when it is compiled, and about its deprecated imports."""

    def __enter__(self) -> None:
        super().__enter__()
        for category in (SyntaxWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)


with QuietImport():
    # 100 ms (measured), but only searches with Whoosh import this module.
    from whoosh import columns, fields, index
    from whoosh.analysis import Analyzer, Token
    from whoosh.filedb.filestore import FileStorage, RamStorage
    from whoosh.reading import MultiReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gitmem.index.catalog import Catalog

# Increased whenever a memory would be indexed differently: an index of another format is rebuilt.
FORMAT = 2
# The fields searched for words without a field name, and their weights in the engine's rough order; tags, key and paths
# share one field here.
TEXTS = {"title": WEIGHTS["title"], "names": WEIGHTS["paths"], "body": WEIGHTS["body"]}
# At most this many memories are indexed for one query: half a second.
MOST_ADDED = 500
_PROGRESS_EVERY = 200
# When another process commits, the old files disappear a moment before its stamp names the new ones.
_ATTEMPTS, _PAUSE_S = 5, 0.02
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The last index found intact, by folder, stamp and language, because checking its files takes 20 ms or more.
_FOUND_GOOD: dict[tuple[Path, bytes, str], tuple[dict[str, Any], Any]] = {}


class Terms(Analyzer):  # type: ignore[misc]
    """The text analysis that all engines share, in one language, as an analyzer of Whoosh."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, value: str, *, tokenize: bool = True, start_pos: int = 0, **options: Any) -> Iterator[Token]:
        """Yield the terms of a text; a pattern (``tokenize=False``) is only lowercased."""
        return _tokens(tokens.terms(value, self.language) if tokenize else [value.lower()], start_pos)


class WordAnalyzer(Analyzer):  # type: ignore[misc]
    """An analyzer that splits at white space and lowercases, without stemming: for names."""

    def __call__(self, value: str, *, tokenize: bool = True, start_pos: int = 0, **options: Any) -> Iterator[Token]:
        """Yield the words of a name; a pattern (``tokenize=False``) is only lowercased."""
        return _tokens(value.lower().split() if tokenize else [value.lower()], start_pos)


def _tokens(texts: list[str], start: int) -> Iterator[Token]:
    for place, text in enumerate(texts, start):
        yield Token(text=text, pos=place, boost=1.0, stopped=False, startchar=0, endchar=0, positions=True)


def _field(analyzer: Analyzer, *, is_text: bool = False) -> Any:
    # A query word with several terms must match all of them ("and"): the parts of a compound, or the words of a name.
    text_field = fields.TEXT(analyzer=analyzer, phrase=True, multitoken_query="and")
    text_field.scorable = is_text
    return text_field


@lru_cache(maxsize=4)
def schema_of(language: str) -> fields.Schema:
    """Return Whoosh's schema for memories whose texts are analysed in this language."""
    return fields.Schema(
        name=fields.COLUMN(columns.FixedBytesColumn(20)),
        **{text: _field(Terms(language), is_text=True) for text in TEXTS},
        kind=fields.ID(),
        key=fields.ID(),
        task=fields.ID(),
        tag=_field(WordAnalyzer()),
        by=_field(WordAnalyzer()),
        created=fields.DATETIME(),
    )


@frozen
class SearchableIndex:
    """An index that can be searched.

    Attributes:
        reader: Whoosh's reader of it.
        commit: The commit of the store that it was made from.
        behind: A line that says so if this is not the requested commit; else empty.
    """

    reader: Any
    commit: str
    behind: str = ""


def name_of(path: str, oid: str) -> bytes:
    """Return the name of a memory in the index: a digest of its path and blob."""
    return sha1(f"{path}\0{oid}".encode("utf-8", "surrogateescape"), usedforsecurity=False).digest()


def refresh_whoosh(
    state_dir: Path,
    catalog: Catalog,
    *,
    is_named: bool = False,
    rebuild: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> SearchableIndex:
    """Return the index of what a catalog shows, built or updated if needed; never waits for another process.

    While another process writes it, the last good state is returned, and ``behind`` says so. If there is none, or if
    the disk cannot be written to, an index is built in memory.

    Args:
        state_dir: The repository's state folder.
        catalog: The catalog whose rows are indexed.
        is_named: Whether the user asked for the index itself, so that it is built for any number of memories.
        rebuild: Whether to build it from scratch in any case.
        progress: Called with the numbers of memories read and of all to read.

    Raises:
        ConflictError: The user asked for the index itself, and another process is writing it.
        GitmemError: There are so many memories that it is only built on request.
    """
    folder, commit = state_dir / WHOOSH_FOLDER, _stands_for(catalog)

    def read_last_good(why: str) -> SearchableIndex:
        last = None if rebuild else _read_patiently(folder, catalog.language)
        return _shown(last, why=why, commit=commit) if last else _in_memory(catalog, progress)

    good = None if rebuild else _read(folder, catalog.language)
    if good is not None and good[0]["commit"] == commit:
        return _shown(good)
    if good is None and not is_named:
        refuse_many(catalog)
    try:
        make_folder(state_dir)
        lock = try_lock(state_dir / f"{WHOOSH_FOLDER}.lock")
    except OSError:
        return read_last_good("cannot be written")
    if lock is None and is_named:
        raise ConflictError("another process is writing the Whoosh index", hint="try again in a moment: gitmem index")
    if lock is None:
        return read_last_good("is being updated by another process")
    try:
        return _write(folder, catalog, rebuild=rebuild, progress=progress)
    except OSError:  # the disk is full
        return read_last_good("cannot be written")
    finally:
        os.close(lock)


def refuse_many(catalog: Catalog) -> None:
    """Raise an error if building the index would delay another command for long.

    Raises:
        GitmemError: There are so many memories that it is only built on request.
    """
    count = catalog.row("SELECT count(*) FROM memory")[0]
    if count > WHOOSH_AT_MOST:
        raise GitmemError(
            f"there is no Whoosh index, and for {count} memories (more than {WHOOSH_AT_MOST}) it is not built"
            " automatically",
            hint=f"build it, in about {-(-count // 60000)} min: gitmem index --engine whoosh",
        )


def _stands_for(catalog: Catalog) -> str:
    """Return what a catalog shows: the store's commit, followed by the code's tree of memories if there is one."""
    return "".join(commit_and_tree(catalog))


def _shown(good: tuple[dict[str, Any], Any], *, why: str = "", commit: str = "") -> SearchableIndex:
    stamp, reader = good
    if not why or stamp["commit"] == commit:
        return SearchableIndex(reader, stamp["commit"])
    message = f"the Whoosh index {why}; showing {stamp['commit'][:12]}, but the tip is {commit[:12]}"
    return SearchableIndex(reader, stamp["commit"], message)


def _made_with(language: str) -> dict[str, Any]:
    return {"format": FORMAT, "analysis": tokens.format_stamp(), "language": language}


def _read_patiently(folder: Path, language: str) -> tuple[dict[str, Any], Any] | None:
    for _ in range(_ATTEMPTS):
        if good := _read(folder, language):
            return good
        time.sleep(_PAUSE_S)
    return None


def _read(folder: Path, language: str) -> tuple[dict[str, Any], Any] | None:
    """Return the stamp and a reader of the index; None if there is no index that can be trusted.

    An index once found intact is not checked again in this process while its stamp is unchanged: its files never
    change.
    """
    try:
        text = _content(folder / "stamp.json")
        if known := _FOUND_GOOD.get((folder, text, language)):
            return known
        stamp = json.loads(text)
        if any(stamp[name] != value for name, value in _made_with(language).items()):
            return None
        if stamp["seal"] != seal(stamp, key_in(Path(state_home()))):
            return None
        if any(sum_of(folder / name) != found for name, found in stamp["files"].items()):
            return None
        opened = index.FileIndex(FileStorage(str(folder)), schema=schema_of(language))
        reader = opened.reader()
        is_same = opened.latest_generation() == stamp["generation"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, index.IndexError):
        return None
    if not is_same:
        return None
    _FOUND_GOOD.clear()
    _FOUND_GOOD[folder, text, language] = stamp, reader
    return stamp, reader


def _write(
    folder: Path, catalog: Catalog, *, rebuild: bool, progress: Callable[[int, int], None] | None
) -> SearchableIndex:
    """Build or update the index, under the lock."""
    good = None if rebuild else _read(folder, catalog.language)
    commit, schema = _stands_for(catalog), schema_of(catalog.language)
    if good is None:
        if folder.is_file():
            folder.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        opened = index.FileIndex.create(FileStorage(str(folder)), schema)
    elif good[0]["commit"] == commit:
        return _shown(good)
    else:
        opened = index.FileIndex(FileStorage(str(folder)), schema=schema)
    _fill(opened, good[1] if good else None, catalog, progress)
    _stamp(folder, opened, commit, catalog.language, good[0]["files"] if good else {})
    return SearchableIndex(opened.reader(), commit)


def _stamp(folder: Path, opened: Any, commit: str, language: str, known: dict[str, str]) -> None:
    """Write the stamp of the index; segments never change, so files that stayed are not read again."""
    storage, generation = opened.storage, opened.latest_generation()
    toc = index.TOC.read(storage, opened.indexname, gen=generation, schema=schema_of(language))
    segments = {segment.segment_id() for segment in toc.segments}
    names = [name for name in storage if name.endswith(f"_{generation}.toc") or name.partition(".")[0] in segments]
    for name in set(storage) - {*names, "stamp.json"}:  # a killed writer leaves files that belong to no segment
        (folder / name).unlink(missing_ok=True)
    files = {name: known.get(name) or sum_of(folder / name) for name in names}
    stamp = {**_made_with(language), "commit": commit, "generation": generation, "files": files}
    stamp["seal"] = seal(stamp, key_in(Path(state_home())))
    fresh = folder / "stamp.json.new"
    fresh.write_text(json.dumps(stamp), encoding="utf-8")
    fresh.replace(folder / "stamp.json")


def _in_memory(catalog: Catalog, progress: Callable[[int, int], None] | None) -> SearchableIndex:
    refuse_many(catalog)
    opened = index.FileIndex.create(RamStorage(), schema_of(catalog.language))
    _fill(opened, None, catalog, progress)
    return SearchableIndex(opened.reader(), _stands_for(catalog))


def _fill(opened: Any, reader: Any, catalog: Catalog, progress: Callable[[int, int], None] | None) -> None:
    """Make an index hold exactly the catalog's memories, by comparing names: delete the old ones, add the new ones."""
    wanted = {name_of(path, oid): number for number, path, oid in catalog.rows("SELECT id, path, oid FROM memory")}
    held = dict(names_in(reader)) if reader is not None else {}
    writer = opened.writer(limitmb=256)
    try:
        for name in held.keys() - wanted.keys():
            writer.delete_document(held[name])
        _add(writer, catalog, {wanted[name]: name for name in wanted.keys() - held.keys()}, progress)
    except BaseException:
        writer.cancel()
        raise
    writer.commit()


def _add(
    writer: Any, catalog: Catalog, names: dict[int, bytes], progress: Callable[[int, int], None] | None = None
) -> None:
    for done, row in enumerate(catalog.each(_ROWS, sorted(names))):
        writer.add_document(**_document(names[row[0]], row, catalog.language))
        if progress is not None and done % _PROGRESS_EVERY == 0:
            progress(done, len(names))


def with_missing(reader: Any, catalog: Catalog, names: Mapping[bytes, int]) -> tuple[Any, bool]:
    """Return a reader that also has the catalog's other memories, and whether it has all of them.

    The index lacks spooled memories, and those written since it was made if another process is updating it. If they are
    few, they are indexed in memory for this query.

    Args:
        reader: Whoosh's reader of the index.
        catalog: The catalog.
        names: The index names of all the catalog's memories, with their numbers.
    """
    missing = {names[name]: name for name in names.keys() - dict(names_in(reader)).keys()}
    if not missing or len(missing) > MOST_ADDED:
        return reader, not missing
    opened = index.FileIndex.create(RamStorage(), schema_of(catalog.language))
    writer = opened.writer()
    _add(writer, catalog, missing)
    writer.commit()
    return MultiReader([leaf for leaf, _ in reader.leaf_readers() if leaf.doc_count_all()] + [opened.reader()]), True


_ROWS = (
    "SELECT m.id, m.key, m.kind, m.title, m.created, t.tags, t.paths, t.fields, t.body, m.task FROM memory m"
    " JOIN text t ON t.id = m.id WHERE m.id IN ({})"
)


def _document(name: bytes, row: tuple[Any, ...], language: str) -> dict[str, Any]:
    """Return the fields that Whoosh indexes for one memory (a row of ``_ROWS``)."""
    _, key, kind, title, created, tags, paths, frontmatter, body, task = row
    known = json.loads(frontmatter)
    tagged, who = known.get("tags") or [], read_author(known).names
    names = " ".join((*json.loads(tags), key, *json.loads(paths), task))
    title, body = searched_of(kind, title, body)
    texts = {"title": title, "names": names, "body": body}
    return {
        "name": name,
        **{field: tokens.joined_terms(text, language).split() for field, text in texts.items()},
        "kind": kind.lower(),
        "key": key,
        **({"task": task.lower()} if task else {}),
        "tag": " ".join(map(str, tagged if isinstance(tagged, list) else [tagged])),
        "by": " ".join(str(name) for name in who if name),
        **({"created": (_EPOCH + timedelta(seconds=created)).replace(tzinfo=None)} if created else {}),
    }


def names_in(reader: Any) -> Iterator[tuple[bytes, int]]:
    """Yield the name and the document number of every memory in the index."""
    for leaf, offset in reader.leaf_readers():
        if leaf.doc_count_all():
            column = leaf.column_reader("name")
            yield from ((column[n], offset + n) for n in leaf.all_doc_ids())


# Whoosh unpickles what it reads, and a pickle can run any code. So an index is only opened if its stamp is sealed with
# a key that is kept outside of every repository: an index that came with a copied repository is rebuilt.
KEY_FILE = "index.key"
KEY_BYTES = 32


def key_in(folder: Path) -> bytes:
    """Return the key in a folder, created on first use; a temporary one if it cannot be stored."""
    path = folder / KEY_FILE
    try:
        make_folder(folder)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, 0o600)
    except FileExistsError:
        content = read_file(path)
        if len(content) == KEY_BYTES:
            return content
        path.unlink()  # a process was killed while writing it
        return key_in(folder)
    except OSError:
        return os.urandom(KEY_BYTES)
    with os.fdopen(descriptor, "wb") as file:
        fresh = os.urandom(KEY_BYTES)
        file.write(fresh)
    return fresh


def seal(stamp: Mapping[str, Any], key: bytes) -> str:
    """Return the seal of a stamp, over all its values but the seal itself."""
    values = {name: value for name, value in stamp.items() if name != "seal"}
    return blake2b(json.dumps(values, sort_keys=True).encode(), key=key, digest_size=16).hexdigest()


def _content(path: Path) -> bytes:
    with open(path, "rb", opener=only_regular) as file:
        return file.read()


def sum_of(path: Path) -> str:
    """Return the checksum of a file, which is collision-resistant."""
    return blake2b(_content(path), digest_size=16).hexdigest()
