"""The catalog: its connection and queries, and the texts of memories as they were written.

``schema`` makes its file and ``update`` follows the store; ``packed_texts`` says why long texts are compressed.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from gitmem.errors import DamagedIndexError
from gitmem.model import ENGLISH, IndexText
from gitmem.store.local import ERRORS, is_busy, is_damage
from gitmem.text import display, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

# Increase this whenever a table, the analysis of text, or the detection of secrets changes: a catalog of another format
# is rebuilt, never converted.
FORMAT = 29
# The fewest letters of a short id, and the letters: with no vowels, no id is a word.
SHORT_ID = 4
ID_LETTERS = frozenset("bcdfghjklmnpqrstvwxz")
_LETTERS = "SELECT key, letters FROM memory WHERE shadowed = 0 AND key"
FILE_NAME = "catalog.sqlite"
# How long a reader waits for a writer's commit, and a writer for another writer, in milliseconds.
BUSY_MS = 4000
# Locked by the process that builds the catalog; next to the catalog's file.
LOCK_NAME = "catalog.lock"
# In the folder of a catalog, one of its own for the same catalog with the captured texts that wait.
OVERLAY_FOLDER = "waiting-index"
# Lists of values are split into chunks of this length (SQLite before 3.32 takes 999), and padded to a multiple of this.
_CHUNK, _STEP = 500, 50

# Deflate without a header (zlib manual, inflateInit2).
RAW_DEFLATE = -15
# How many places in the code are shown for one memory.
PLACES = 3
# Separates the terms of two fields; no term contains it.
SEPARATOR = "\n"
# The texts that are compressed, each with its own dictionary.
TAGS, FIELDS, BODY = "tags", "fields", "body"
# How often a file is opened again because another process replaced it in that moment.
_MOST_REPLACEMENTS = 8


class Catalog:
    """One open catalog.

    Attributes:
        path: Its file; None for a catalog in memory, which is used if the disk cannot be written to.
        connection: The SQLite connection, in autocommit mode.
        answer_claims: Recomputes claimed verdicts of built-in checks on a ground: given the numbers of facts, returns
            the right outcomes of those whose claim is wrong. None where nothing can be recomputed.
        answered: Grounds and numbers of facts whose claims were right; written down when the catalog is closed, since a
            reader's transaction cannot write.
        spot_answers: Outcomes of checks that were answered just before their facts are shown (``verify.spot_check``),
            each with its reason, by ground, key and specification; they are never written down.
        wrong_elsewhere: What this clone knows of memories of other repositories that failed or are suspect: chains of
            references, from such a memory to the one that failed.
    """

    def __init__(self, path: str | None, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self.answer_claims: Callable[[int, list[int]], dict[int, str]] | None = None
        self.answered: set[tuple[int, int]] = set()
        self.spot_answers: dict[tuple[int, str, str], tuple[str, str]] = {}
        self.wrong_elsewhere: Sequence[tuple[str, ...]] = ()
        self._spot_commit = ""
        self._language = ""
        self._is_asked_again = False
        self._kept: tuple[tuple[int, int], dict[str, Any]] | None = None

    @classmethod
    def open(cls, state_dir: str | Path, *, analysis: str) -> Catalog | None:
        """Open the catalog of a repository; None if there is none that can be used, so that it must be rebuilt.

        Args:
            state_dir: The repository's state folder.
            analysis: The current format of text analysis (``analysis.format_stamp``).
        """
        try:
            return cls._open_made_with(state_dir, {"analysis": analysis})
        except ERRORS as err:
            if is_busy(err):
                raise
            return None

    @classmethod
    def open_at(cls, state_dir: str | Path, commit: str, tree: str) -> Catalog | None:
        """Open the catalog if it is up to date; None otherwise.

        For callers that do not search for words: the format of text analysis is not compared.

        Args:
            state_dir: The repository's state folder.
            commit: The commit of the store that it must show.
            tree: The tree of the code's memories, or empty.
        """
        return cls.open_with(state_dir, {"commit": commit, "tree": tree})

    @classmethod
    def open_with(cls, state_dir: str | Path, expected: Mapping[str, str]) -> Catalog | None:
        """Open the catalog if it can be used and has the expected values of ``meta``; None otherwise."""
        try:
            return cls._open_made_with(state_dir, expected)
        except ERRORS:
            return None

    @classmethod
    def _open_made_with(cls, state_dir: str | Path, expected: Mapping[str, str]) -> Catalog | None:
        """Return the catalog of a folder if it has this format and the expected values of ``meta``."""
        path = os.path.join(state_dir, FILE_NAME)
        if not os.path.isfile(path):
            return None
        catalog = cls(path, connect(path))
        is_expected = False
        try:
            wanted = {"format": str(FORMAT), **expected}
            is_expected = all(catalog.meta(name) == value for name, value in wanted.items())
        finally:
            if not is_expected:
                catalog.close()
        return catalog if is_expected else None

    def close(self) -> None:
        """Close the connection."""
        if self.answered and not self.connection.in_transaction:
            try:
                with self.writing():
                    self.connection.executemany(
                        "UPDATE state SET checked = 1 WHERE ground = ? AND fact = ?", sorted(self.answered)
                    )
            except ERRORS:
                pass  # a full or read-only disk, or another writer: they are answered again
        self.connection.close()

    def become(self, other: Catalog) -> None:
        """Replace this catalog's contents with those of *other*, so that holders of this object see the new state."""
        self.connection.close()
        self.path, self.connection, self._language = other.path, other.connection, ""
        self._kept = None
        self.spot_answers = {}

    def keep_spot_answers(self, commit: str) -> None:
        """Forget the spot answers unless they are about this commit of the code."""
        if self._spot_commit != commit:
            self._spot_commit, self.spot_answers = commit, {}

    def copy(self) -> Catalog:
        """Return a copy in memory, which can be written to and lasts as long as its connection."""
        copy = sqlite3.connect(":memory:", isolation_level=None)
        register(copy)
        self.connection.backup(copy)
        return Catalog(None, copy)

    def check(self) -> None:
        """Check every page of the file: about a second at 100,000 memories.

        Raises:
            sqlite3.DatabaseError: It is damaged. A changed character in a text is not detected.
        """
        try:
            (integrity,) = self.connection.execute("PRAGMA integrity_check(1)").fetchone()
        except UnicodeDecodeError as err:  # SQLite's message quotes damaged text
            raise sqlite3.DatabaseError(f"damaged text: {err}") from err
        if integrity != "ok":
            raise sqlite3.DatabaseError(integrity)

    def writing(self) -> Transaction:
        """Return a context manager for one transaction; it raises sqlite3.OperationalError if the catalog is busy."""
        return Transaction(self.connection, "BEGIN IMMEDIATE")

    def reading(self) -> Transaction:
        """Return a context manager in which all queries see one state, whatever other processes write meanwhile.

        Without it, another process may remove a memory between two queries. (WAL keeps a state for its readers.)
        """
        return Transaction(self.connection, "BEGIN")

    def meta(self, name: str) -> str:
        """Return a value of the table ``meta``, or an empty string."""
        row = self.connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    @property
    def language(self) -> str:
        """Return the language in which the texts are analysed; it is fixed when the catalog is built."""
        if not self._language:
            self._language = self.meta("language") or ENGLISH
        return self._language

    def query_cache(self) -> dict[str, Any] | None:
        """Return a dictionary in which a query may cache values for later ones; any change of the catalog empties it.

        None for the first query: a process that runs only one would pay for the cache and never use it. Inside
        ``reading``, the cache belongs to the state that is read (sqlite.org/pragma.html, data_version: counts the
        commits of other connections).
        """
        if not self._is_asked_again:
            self._is_asked_again = True
            return None
        changes = (self.row("PRAGMA data_version")[0], self.connection.total_changes)
        if self._kept is None or self._kept[0] != changes:
            self._kept = changes, {}
        return self._kept[1]

    def set_meta(self, name: str, value: str) -> None:
        """Write a value of the table ``meta``."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def rows(self, sql: str, parameters: Iterable[Any] = ()) -> list[Any]:
        """Return all rows of a query."""
        return self.connection.execute(sql, tuple(parameters)).fetchall()

    def row(self, sql: str, parameters: Iterable[Any] = ()) -> Any:
        """Return the first row of a query, or None."""
        return self.connection.execute(sql, tuple(parameters)).fetchone()

    def each(self, sql: str, values: Iterable[Any], parameters: Sequence[object] = ()) -> Iterator[Any]:
        """Yield the rows of a query in which ``IN ({})`` is filled with *values*, in chunks that SQLite accepts.

        The *parameters* are the values of placeholders after it.
        """
        wanted = list(values)
        for at in range(0, len(wanted), _CHUNK):
            part = wanted[at : at + _CHUNK]
            # Padded with NULL, which equals nothing, so that few lengths occur: each length is a statement of its own,
            # and compiling one takes longer than running it for a few values (measured: 40 us).
            part += [None] * (-len(part) % _STEP)
            yield from self.connection.execute(sql.replace("{}", ",".join("?" * len(part))), (*part, *parameters))


class Transaction:
    """A transaction of the catalog, as a context manager; nested ones belong to the outermost."""

    def __init__(self, connection: sqlite3.Connection, begin: str) -> None:
        self._connection = connection
        self._begin = begin
        self._is_outer = False

    def __enter__(self) -> None:
        """Begin: for writing, with SQLite's write lock; for reading, the first query fixes the state."""
        self._is_outer = not self._connection.in_transaction
        if self._is_outer:
            self._connection.execute(self._begin)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit, or roll back if an exception was raised."""
        if self._is_outer and self._connection.in_transaction:
            self._connection.execute("ROLLBACK" if kind else "COMMIT")


def is_by_another(state_dir: str | Path) -> bool:
    """Return whether a folder has an undamaged catalog; if ``open`` refuses it, another version of gitmem made it."""
    path = os.path.join(state_dir, FILE_NAME)
    try:
        connection = connect(path) if os.path.isfile(path) else None
    except sqlite3.Error:
        return False
    if connection is None:
        return False
    try:
        return connection.execute("SELECT 1 FROM meta WHERE name = 'format'").fetchone() is not None
    finally:
        connection.close()


def commit_and_tree(catalog: Catalog) -> tuple[str, str]:
    """Return the store's commit and the code's tree ``.memory`` from which a catalog was made, or empty strings."""
    notes = dict(catalog.rows("SELECT name, value FROM meta WHERE name IN ('commit', 'tree')"))
    return notes.get("commit", ""), notes.get("tree", "")


def unreadable_tip(catalog: Catalog) -> str:
    """Return which commits a catalog shows instead of its tip, whose tree cannot be read; empty if it shows the tip."""
    row = catalog.row("SELECT message FROM problem WHERE code = 'tree-unreadable'")
    return row[0] if row is not None else ""


def discard_damaged(err: BaseException | None, *folders: str | Path) -> None:
    """Delete the catalogs of some folders and raise an error if *err* says that one is damaged; else do nothing.

    Raises:
        DamagedIndexError: One was damaged.
    """
    if not is_damage(err):
        return
    for folder in folders:
        discard_file(os.path.join(folder, FILE_NAME))
        discard_file(os.path.join(folder, OVERLAY_FOLDER, FILE_NAME))
    message = "the index was damaged and has been deleted; no memories are lost, because they are on the branch"
    raise DamagedIndexError(message, hint="run the command again: the index will be rebuilt") from err


def connect(path: str) -> sqlite3.Connection:
    """Open an existing catalog for reading and writing, or read-only if the disk does not allow writing.

    SQLite finds a write-ahead log by the name of the file, so a connection that is opened while another process
    replaces the file may read one file with the log of the other. It is then opened again.

    Raises:
        sqlite3.Error: It is damaged, or missing.
    """
    for _ in range(_MOST_REPLACEMENTS):
        file = _inode(path)
        try:
            connection = _connect(path)
        except sqlite3.Error:
            if _inode(path) == file:
                raise
            continue
        if _inode(path) == file:
            return connection
        connection.close()
    return _connect(path)


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _connect(path: str) -> sqlite3.Connection:
    connection = None
    try:
        # Without `mode`, SQLite would create a missing file.
        connection = sqlite3.connect(_uri(path, "mode=rw"), uri=True, isolation_level=None, timeout=BUSY_MS / 1000)
        register(connection)
        connection.execute("SELECT 1 FROM meta").fetchone()
    except sqlite3.DatabaseError as err:
        if connection is not None:
            connection.close()
        if "readonly" not in str(err) and "unable to open" not in str(err):
            raise
        # A write-ahead log cannot be opened without its shared memory file; immutable needs none (sqlite.org/wal.html).
        connection = sqlite3.connect(_uri(path, "mode=ro&immutable=1"), uri=True, isolation_level=None)
        try:
            register(connection)
            connection.execute("SELECT 1 FROM meta").fetchone()
        except BaseException:
            connection.close()
            raise
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _uri(path: str, options: str) -> str:
    """Return the name of a file as SQLite reads it with options (sqlite.org/uri.html)."""
    if not path.isascii() or any(sign in path for sign in "%?#"):
        from urllib.parse import quote  # 1.6 ms (measured)

        path = quote(os.fsencode(path))
    return f"file:{path}?{options}"


def discard_file(path: str) -> None:
    """Delete a catalog with its write-ahead log, which would otherwise be applied to the next file."""
    for suffix in ("-wal", "-shm", ""):
        try:
            os.unlink(path + suffix)
        except (FileNotFoundError, NotADirectoryError):  # NotADirectoryError: the state folder is unusable
            continue
        except (IsADirectoryError, PermissionError):  # a folder: EISDIR on Linux, EPERM elsewhere (unlink(2))
            os.rmdir(path + suffix)


def unpacker(db: sqlite3.Connection) -> Callable[[str, str | bytes | None], str | None]:
    """Return a function that decompresses a text, given its sort; it returns plain texts and None unchanged."""
    known: dict[str, tuple[int, bytes]] = {}

    def unpack(name: str, packed: str | bytes | None) -> str | None:
        if not isinstance(packed, bytes):
            return packed
        import zlib

        # Read again after each write, which may have made the dictionary and may have been rolled back.
        changes, dictionary = known.get(name, (-1, b""))
        if changes != db.total_changes:
            dictionary = dictionary_of(db, name)
            known[name] = db.total_changes, dictionary
        try:
            return zlib.decompressobj(RAW_DEFLATE, dictionary).decompress(packed).decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError) as err:
            raise sqlite3.DatabaseError(f"a packed text is damaged: {err}") from err

    return unpack


def register(db: sqlite3.Connection) -> None:
    """Define the SQL function ``unpacked(sort, text)``, with which the views return texts as they were written."""
    db.create_function("unpacked", 2, unpacker(db), deterministic=True)


def dictionary_of(db: sqlite3.Connection, name: str) -> bytes:
    """Return the dictionary of one sort of text; empty if there is none."""
    row = db.execute("SELECT content FROM dictionary WHERE name = ?", (name,)).fetchone()
    return row[0] if row else b""


def texts_of(catalog: Catalog, numbers: Iterable[int]) -> dict[int, IndexText]:
    """Return the texts of memories by number, as ``Inserts.add_memory`` returned them.

    The key is without the number of its part (``index.shared``).
    """
    rows = catalog.each(
        "SELECT m.id, m.title, t.tags, substr(m.key, instr(m.key, ':') + 1), t.paths, t.body,"
        " a.terms, m.kind, m.task FROM memory m"
        " JOIN searched t ON t.id = m.id JOIN analysed a ON a.id = m.id WHERE m.id IN ({})",
        numbers,
    )
    return {
        number: IndexText(
            number,
            title,
            add_task(join_strings(tags), task),
            key,
            join_strings(paths),
            body,
            tuple(terms.split(SEPARATOR)),
            kind,
        )
        for number, title, tags, key, paths, body, terms, kind, task in rows
    }


def wordings_of(catalog: Catalog, numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return the titles and the bodies of memories by number."""
    rows = catalog.each(
        "SELECT m.id, m.title, t.body FROM memory m JOIN text t ON t.id = m.id WHERE m.id IN ({})", numbers
    )
    return {number: (title, body) for number, title, body in rows}


def wordings_by_key(catalog: Catalog, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the titles and the bodies of memories by key."""
    rows = catalog.each(
        "SELECT m.key, m.title, t.body FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0 AND m.key IN ({})",
        keys,
    )
    return {key: (title, body) for key, title, body in rows}


def refs_of(catalog: Catalog, numbers: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Return the references of memories by number, as written; memories without any are left out."""
    found = {}
    for number, fields in catalog.each("SELECT id, fields FROM text WHERE id IN ({})", numbers):
        if '"refs"' in fields:  # a title may have it too
            refs = parse_json(fields).get("refs")
            listed = [refs] if isinstance(refs, str) else refs if isinstance(refs, list) else []
            found[number] = tuple(ref for ref in listed if isinstance(ref, str))
    return found


def short_ids(catalog: Catalog, keys: Iterable[str]) -> dict[str, str]:
    """Return the short id of each memory that exists, by key: at least ``SHORT_ID`` letters, unique in the store.

    If two memories share letters, the older one keeps its id and the newer one gets a longer one. No id is also a key.
    """
    own = {key: (letters, SHORT_ID) for key, letters in catalog.each(f"{_LETTERS} IN ({{}})", keys)}
    shared = (
        f"SELECT m.key, m.letters, o.letters FROM memory m CROSS JOIN memory o INDEXED BY memory_letters"
        f" ON o.letters >= substr(m.letters, 1, {SHORT_ID})"
        f" AND o.letters < substr(m.letters, 1, {SHORT_ID}) || '~' AND (o.created, o.key) < (m.created, m.key)"
        " WHERE o.shadowed = 0 AND m.shadowed = 0 AND m.key IN ({})"
    )
    for key, letters, other in catalog.each(shared, own):
        same = next((at for at, pair in enumerate(zip(letters, other, strict=True)) if len({*pair}) > 1), len(letters))
        own[key] = (letters, max(own[key][1], 1 + same))
    ids = {key: letters[:length] for key, (letters, length) in own.items()}
    taken_ids = {key for (key,) in catalog.each("SELECT key FROM memory WHERE key IN ({})", ids.values())}
    return {key: own[key][0][: len(id_) + 1] if id_ in taken_ids else id_ for key, id_ in ids.items()}


def key_of_id(catalog: Catalog, short_id: str) -> str:
    """Return the key of the memory with this short id, or an id of more letters; empty if there is none."""
    if len(short_id) < SHORT_ID or not ID_LETTERS.issuperset(short_id):
        return ""
    row = catalog.row(
        "SELECT key FROM memory WHERE letters >= ? AND letters < ? AND shadowed = 0 ORDER BY created, key LIMIT 1",
        (short_id, f"{short_id}~"),
    )
    return str(row[0]) if row else ""


def places_of(refs: Sequence[str]) -> str:
    """Return the places in the code among references (``path:line``), in parentheses; empty if there are none."""
    places = [display(ref) for ref in refs if _is_place(ref)]
    return f" ({', '.join(places[:PLACES])})" if places else ""


def _is_place(ref: str) -> bool:
    """Return whether a reference is to lines of a file: ``PATH:4`` or ``PATH:4-9``."""
    path, _, lines = ref.partition(":")
    first, dash, last = lines.partition("-")
    is_path = bool(path) and not any(char.isspace() for char in path)
    return is_path and first.isdecimal() and (not dash or last.isdecimal())


def text_of(catalog: Catalog, key: str) -> tuple[int, IndexText]:
    """Return the number and the text of the memory that counts for a key."""
    number = catalog.row("SELECT id FROM memory WHERE key = ? ORDER BY shadowed", (key,))[0]
    return number, texts_of(catalog, [number])[number]


def add_task(tags: str, task: str) -> str:
    """Return the words of the tags field, including the task, so that its id finds what was learned in it."""
    return f"{tags} {task}".strip() if task else tags


def join_strings(listed: str) -> str:
    """Return the strings of a JSON list, as ``strings`` does, joined with spaces."""
    # Quicker than importing a JSON parser (1 ms): without a backslash, no string contains a quotation mark.
    return listed[2:-2].replace('", "', " ") if "\\" not in listed else " ".join(strings(listed))


def strings(listed: str) -> list[str]:
    """Return the strings of a JSON list in which the catalog stores tags or paths."""
    if listed == "[]":
        return []
    table: list[str] = parse_json(listed)
    return table
