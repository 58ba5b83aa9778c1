"""The local state of one clone in its database, separate from memories: verdicts, access counts, outputs of checks.

Unlike the catalog it cannot be rebuilt, but losing it costs a re-run, never a memory. On a read-only disk it is not
written, and reading works without it. ``store.state.plain_files`` has what hooks need without SQLite.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from gitmem.frozen import fields_of, frozen, replace
from gitmem.model import HOLDS, Blocked, Verdict
from gitmem.store.state.plain_files import LOCAL
from gitmem.system import make_folder
from gitmem.text import format_json, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from gitmem.document.elsewhere import Foundation

# The most verdicts kept per fact: for the branches that a person switches between (enforced on insert).
KEPT_PER_FACT = 20
# The most facts whose verdicts are read back after a write.
READ_BACK = 100
# The most outputs kept: the latest ones, at most 4,000 characters each.
KEPT_OUTPUTS = 1000

# The most withdrawals kept: the latest ones.
KEPT_WITHDRAWALS = 5000

# A verdict with every field in its type.
_SAMPLE = Verdict("", "", "", HOLDS, "", "", 0)

_TABLES = """
CREATE TABLE IF NOT EXISTS verdict (id INTEGER PRIMARY KEY, key TEXT NOT NULL, spec TEXT NOT NULL, claim TEXT NOT NULL,
  inputs TEXT NOT NULL, fields TEXT NOT NULL, UNIQUE (key, spec, claim, inputs));
CREATE TABLE IF NOT EXISTS access (key TEXT PRIMARY KEY, count INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS blocked (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, spec TEXT NOT NULL,
  claim TEXT NOT NULL, inputs TEXT NOT NULL, at INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS output (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, code TEXT NOT NULL,
  at INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS withdrawal (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, spec TEXT NOT NULL,
  claim TEXT NOT NULL, document TEXT NOT NULL, blob TEXT NOT NULL, reason TEXT NOT NULL, UNIQUE (key, document, blob));
CREATE TABLE IF NOT EXISTS elsewhere (id INTEGER PRIMARY KEY AUTOINCREMENT, reference TEXT NOT NULL UNIQUE,
  fields TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS known (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

# The errors of a query to a damaged file; SQLite's messages quote it, and Python cannot always decode them.
ERRORS = (sqlite3.Error, UnicodeDecodeError)


@frozen
class CheckOutput:
    """The end of a failing check's output: without secrets, bounded.

    Attributes:
        key: The fact.
        code: The commit of the code that was checked.
        at: When, epoch seconds.
        text: The output.
    """

    key: str
    code: str
    at: int
    text: str


@frozen
class Withdrawal:
    """An adopted fact whose document does not state it in some version, so that its failure there accuses nothing.

    Attributes:
        key: The fact.
        spec: Hash of its specification.
        claim: Hash of its claim.
        document: The path of its document.
        blob: The object name of that version; empty if the document does not exist.
        reason: Why the fact does not count, on one line; empty if it counts after all.
    """

    key: str
    spec: str
    claim: str
    document: str
    blob: str
    reason: str


class LocalState:
    """The local state of one clone; all its work trees share it.

    When looking back in time (``looking_back``), only verdicts on some commits of the code are known, and accesses do
    not count.
    """

    def __init__(self, state_dir: str | Path, *, looking_back: frozenset[str] | None = None) -> None:
        self._dir = state_dir
        self._only = looking_back
        self._path = os.path.join(state_dir, LOCAL)
        self._db: sqlite3.Connection | None = None

    def _open_for_reading(self) -> sqlite3.Connection | None:
        """Return a connection, or None if nothing was ever stored."""
        if self._db is None and os.path.isfile(self._path):
            self._db = sqlite3.connect(self._path, isolation_level=None, timeout=4)
            try:
                self._db.executescript(_TABLES)
            except ERRORS as err:
                if is_damage(err):
                    self._set_aside()
                    return None
                from urllib.parse import quote  # 1.6 ms (measured), only on a read-only disk

                self.close()
                uri = f"file:{quote(os.fsencode(self._path))}?mode=ro&immutable=1"
                self._db = sqlite3.connect(uri, uri=True, isolation_level=None)
        return self._db

    def _ask(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """Return all rows of a query; none if nothing was ever stored, or the file is damaged (and set aside)."""
        db = self._open_for_reading()
        if db is None:
            return []
        try:
            return db.execute(sql, values).fetchall()
        except ERRORS as err:
            self._give_up(db, err)
            return []

    def _set_aside(self) -> None:
        """Rename a damaged file for inspection, and start again."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            try:
                os.replace(self._path + suffix, f"{self._path}{suffix}.damaged")
            except OSError:
                continue  # it does not exist, or the disk is read-only

    def _open_for_writing(self) -> sqlite3.Connection | None:
        """Return a connection for writing, or None if the disk does not allow it."""
        if self._open_for_reading() is None:
            try:
                make_folder(self._dir)
                self._db = sqlite3.connect(self._path, isolation_level=None, timeout=4)
                self._db.executescript("PRAGMA journal_mode = WAL;" + _TABLES)
            except (OSError, sqlite3.Error):
                self.close()
                return None
        if self._db is not None:
            try:
                self._db.execute("PRAGMA synchronous = NORMAL")
            except ERRORS as err:
                self._give_up(self._db, err)
        return self._db

    def close(self) -> None:
        """Close the connection."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def serial(self) -> int:
        """Return a number that changes whenever something is added here on which the state of a fact depends.

        That is a verdict, a withdrawal, a check that was blocked, or what is known of another repository.
        """
        return self._number(
            "SELECT coalesce((SELECT max(id) FROM verdict), 0) + coalesce((SELECT sum(seq) FROM sqlite_sequence"
            " WHERE name IN ('blocked', 'withdrawal', 'elsewhere')), 0)"
        )

    def _number(self, sql: str) -> int:
        """Return the number from a query; 0 if it is not a number (the file is then set aside)."""
        rows = self._ask(sql)
        if not rows or isinstance(rows[0][0], int):
            return rows[0][0] if rows else 0
        self._set_aside()
        return 0

    def verdicts(self, keys: Iterable[str] | None = None) -> dict[str, list[Verdict]]:
        """Return the verdicts made in this clone by key, oldest first; of some facts or of all."""
        wanted = None if keys is None else set(keys)
        verdicts: dict[str, list[Verdict]] = {}
        if wanted is not None and len(wanted) <= 500:
            marks = ",".join("?" * len(wanted))
            rows = self._ask(f"SELECT key, fields FROM verdict WHERE key IN ({marks}) ORDER BY id", tuple(wanted))
        else:
            rows = self._ask("SELECT key, fields FROM verdict ORDER BY id")
        for key, fields in rows:
            if isinstance(key, str) and (wanted is None or key in wanted):
                verdicts.setdefault(key, []).extend(_verdicts(fields))
        if self._only is not None:
            verdicts = {
                key: kept for key, them in verdicts.items() if (kept := [v for v in them if v.commit in self._only])
            }
        return verdicts

    def moved_keys(self) -> set[str]:
        """Return the facts that have a verdict which names moves of files."""
        named = self._ask("SELECT DISTINCT key FROM verdict WHERE instr(fields, ?) = 0", ('"moved": ""',))
        return {key for (key,) in named if isinstance(key, str)}

    def add_verdicts(self, verdicts: Iterable[Verdict]) -> bool:
        """Store verdicts made here; return false if the disk does not allow it."""
        db = self._open_for_writing()
        if db is None:
            return False
        rows = [(v.key, v.spec, v.claim, v.inputs, format_json(fields_of(v), is_ascii=True)) for v in verdicts]
        try:
            db.execute("BEGIN IMMEDIATE")
            # A new id on every insert changes the serial.
            db.executemany("INSERT OR REPLACE INTO verdict (key, spec, claim, inputs, fields) VALUES (?,?,?,?,?)", rows)
            db.execute(
                "DELETE FROM verdict WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER"
                " (PARTITION BY key ORDER BY id DESC) AS nth FROM verdict) WHERE nth > ?)",
                (KEPT_PER_FACT,),
            )
            db.execute("COMMIT")
        except ERRORS as err:
            self._give_up(db, err)
            return False
        return self._can_be_read([row[0] for row in rows[:READ_BACK]])

    def _can_be_read(self, keys: Sequence[str]) -> bool:
        """Return whether the verdicts just written can be read: damage shows only on reading."""
        marks = ",".join("?" * len(keys))
        keys_read = self._ask(f"SELECT DISTINCT key FROM verdict WHERE key IN ({marks}) AND fields != ''", keys)
        return len(keys_read) == len(set(keys))

    def _give_up(self, db: sqlite3.Connection, err: Exception) -> None:
        """Roll back after a full or read-only disk; set the file aside if it is damaged."""
        # Without its tables, the disk was full when they were created, or is read-only.
        if is_damage(err) and "no such table" not in str(err):
            self._set_aside()
        elif db.in_transaction:
            db.execute("ROLLBACK")

    def add_blocked(self, blocked: Iterable[Blocked]) -> None:
        """Record that checks were blocked here, replacing what was known about their facts."""
        rows = [(one.key, one.spec, one.claim, one.inputs, one.at, one.reason) for one in blocked]
        sql = "INSERT OR REPLACE INTO blocked (key, spec, claim, inputs, at, reason) VALUES (?,?,?,?,?,?)"
        self._quietly(self._open_for_writing() if rows else None, sql, rows)

    def blocked(self) -> dict[str, Blocked]:
        """Return by key how a fact's check was last blocked here, unless it has run since."""
        if self._only is not None:
            return {}
        rows = self._ask("SELECT key, spec, claim, inputs, at, reason FROM blocked")
        return {row[0]: Blocked(*row) for row in rows if tuple(map(type, row)) == (str, str, str, str, int, str)}

    def end_blocked(self, keys: Iterable[str]) -> None:
        """Remove the records of blocked checks, since they have run."""
        rows = [(key,) for key in keys]
        self._quietly(self._open_for_reading() if rows else None, "DELETE FROM blocked WHERE key = ?", rows)

    def add_withdrawals(self, withdrawals: Iterable[Withdrawal]) -> None:
        """Record that facts do not count with versions of their documents, or do so again."""
        rows = [
            (withdrawal.key, withdrawal.spec, withdrawal.claim, withdrawal.document, withdrawal.blob, withdrawal.reason)
            for withdrawal in withdrawals
        ]
        db = self._open_for_writing() if rows else None
        sql = "INSERT OR REPLACE INTO withdrawal (key, spec, claim, document, blob, reason) VALUES (?,?,?,?,?,?)"
        self._quietly(db, sql, rows)
        oldest = "SELECT id FROM withdrawal ORDER BY id DESC LIMIT -1 OFFSET ?"
        self._quietly(db, f"DELETE FROM withdrawal WHERE id IN ({oldest})", [(KEPT_WITHDRAWALS,)])

    def withdrawals(self) -> dict[str, list[Withdrawal]]:
        """Return by key with which versions of their documents facts do not count."""
        withdrawals: dict[str, list[Withdrawal]] = {}
        if self._only is None:
            rows = self._ask("SELECT key, spec, claim, document, blob, reason FROM withdrawal WHERE reason <> ''")
            for row in rows:
                if all(isinstance(value, str) for value in row):
                    withdrawals.setdefault(row[0], []).append(Withdrawal(*row))
        return withdrawals

    def keep_elsewhere(self, found: Mapping[str, Foundation | None]) -> None:
        """Store what is known of memories of other repositories, by reference; None for one that is unknown now."""
        known = self.elsewhere()
        new = [
            (key, format_json(fields_of(it))) for key, it in found.items() if it is not None and known.get(key) != it
        ]
        gone = [(key,) for key, it in found.items() if it is None and key in known]
        db = self._open_for_writing() if new or gone else None
        if new:  # a new id on every insert changes the serial
            self._quietly(db, "INSERT OR REPLACE INTO elsewhere (reference, fields) VALUES (?, ?)", new)
        if gone:
            self._quietly(db, "INSERT OR REPLACE INTO elsewhere (reference, fields) VALUES (?, '')", gone)
            self._quietly(db, "DELETE FROM elsewhere WHERE reference = ?", gone)

    def elsewhere(self) -> dict[str, Foundation]:
        """Return what is known here of memories of other repositories, by reference."""
        rows = self._ask("SELECT reference, fields FROM elsewhere") if self._only is None else []
        if not rows:
            return {}
        from gitmem.document.elsewhere import Foundation

        foundations = {}
        for reference, fields in rows:
            try:
                status, value, why, is_shared, problem = parse_json(fields).values()
                foundations[reference] = Foundation(status, value, tuple(why), is_shared, problem)
            except (ValueError, TypeError, AttributeError, RecursionError):
                continue  # the disk corrupted it
        return foundations

    def wrong_elsewhere(self) -> list[tuple[str, ...]]:
        """Return the chains of references from memories of other repositories that failed or are suspect, sorted."""
        known = self.elsewhere()
        if not known:
            return []
        from gitmem.document.elsewhere import wrong_chains

        return wrong_chains(known)

    def keep_outputs(self, outputs: Iterable[CheckOutput]) -> None:
        """Store outputs of checks, replacing earlier ones of the same facts; an empty text removes them."""
        rows = [(output.key, output.code, output.at, output.text) for output in outputs]
        # Most checks pass and print nothing: no file is needed then.
        db = self._open_for_writing() if any(row[3] for row in rows) else self._open_for_reading()
        self._quietly(
            db if rows else None, "INSERT OR REPLACE INTO output (key, code, at, text) VALUES (?,?,?,?)", rows
        )
        if db is not None and rows:
            oldest = "SELECT id FROM output ORDER BY id DESC LIMIT -1 OFFSET ?"
            self._quietly(db, f"DELETE FROM output WHERE text = '' OR id IN ({oldest})", [(KEPT_OUTPUTS,)])

    def find_output(self, key: str) -> CheckOutput | None:
        """Return the end of a check's output from its last run here, if it did not pass."""
        rows = self._ask("SELECT key, code, at, text FROM output WHERE key = ?", (key,)) if self._only is None else []
        return CheckOutput(*rows[0]) if rows and tuple(map(type, rows[0])) == (str, str, int, str) else None

    def count_access(self, key: str, now: int) -> None:
        """Count one access to a memory."""
        if self._only is not None:
            return
        sql = (
            "INSERT INTO access VALUES (?, 1, ?) ON CONFLICT (key) DO UPDATE SET count = count + 1, last ="
            " excluded.last"
        )
        self._quietly(self._open_for_writing(), sql, [(key, now)])

    def accesses(self, keys: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return the number of accesses and the time of the last one by memory; memories without any are left out."""
        sql = "SELECT key, count, last FROM access WHERE key IN (SELECT value FROM json_each(?))"
        rows = self._ask(sql, (format_json(list(keys)),)) if self._only is None else []
        return {key: (count, last) for key, count, last in rows if isinstance(count, int) and isinstance(last, int)}

    def last_looks(self) -> dict[str, int]:
        """Return the time of the last access to each memory, epoch seconds, by key."""
        rows = self._ask("SELECT key, last FROM access") if self._only is None else []
        return {key: last for key, last in rows if isinstance(key, str) and isinstance(last, int)}

    def count_looks(self) -> int:
        """Return the number of accesses to all memories."""
        return self._number("SELECT coalesce(sum(count), 0) FROM access")

    def note_right(self, claims: str, commit: str) -> None:
        """Record that no claim in a state of the store is wrong for a commit of the code; for any if it is empty."""
        rows = [("right", f"{self.serial()} {claims} {commit}")]
        self._quietly(self._open_for_writing(), "INSERT OR REPLACE INTO known VALUES (?, ?)", rows)

    def is_right(self, claims: str, commit: str) -> bool:
        """Return whether that was recorded, and no verdict was added here since."""
        if self._only is not None:
            return False
        rows = self._ask("SELECT value FROM known WHERE name = 'right'")
        return any(rows == [(f"{self.serial()} {claims} {known}",)] for known in ("", commit))

    def note(self, name: str, value: str) -> None:
        """Record what is known under a name; a read-only or full disk is ignored."""
        self._quietly(self._open_for_writing(), "INSERT OR REPLACE INTO known VALUES (?, ?)", [(name, value)])

    def is_noted(self, name: str, value: str) -> bool:
        """Return whether this was recorded last under a name."""
        return self._ask("SELECT value FROM known WHERE name = ?", (name,)) == [(value,)]

    def _quietly(self, db: sqlite3.Connection | None, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Write something optional; a read-only or full disk is ignored."""
        if db is None:
            return
        try:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(sql, rows)
            db.execute("COMMIT")
        except ERRORS as err:
            self._give_up(db, err)


def _fits(value: object, sample: object) -> bool:
    return isinstance(value, type(sample)) or (isinstance(sample, float) and isinstance(value, int))


def _verdicts(text: str) -> list[Verdict]:
    """Return a verdict made here, or taken from the cache; fields of later versions of gitmem are ignored.

    None if the disk corrupted it: the check is run again.
    """
    try:
        fields = parse_json(text)
        known = {name: value for name, value in fields.items() if name in Verdict.__match_args__}
        verdict = Verdict(**known)
        verdict = replace(verdict, own=not verdict.cached)
        return [verdict] if all(_fits(getattr(verdict, name), getattr(_SAMPLE, name)) for name in known) else []
    except (ValueError, TypeError, AttributeError, RecursionError):
        return []


def is_damage(err: BaseException | None) -> bool:
    """Return whether an error may mean that a file is damaged: one flipped bit can cause any error of SQLite.

    If it was not damage, a rebuild is wasted and the error returns.
    """
    return isinstance(err, ERRORS) and not is_busy(err) and not is_unwritable(err)


def is_busy(err: Exception) -> bool:
    """Return whether an error only means that another process is writing."""
    return isinstance(err, sqlite3.Error) and any(words in str(err) for words in ("is locked", "busy"))


def is_unwritable(err: Exception) -> bool:
    """Return whether an error only means that the disk is full or read-only (sqlite.org/rescode.html)."""
    words = ("full", "readonly", "disk I/O", "unable to open")
    return isinstance(err, sqlite3.Error) and any(word in str(err) for word in words)
