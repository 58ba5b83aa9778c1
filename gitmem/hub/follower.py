"""Keep the index of a search node up to date with the database, by the numbers of changes.

A notification only says that there is something to read: one that is missed loses nothing, because the follower asks
for every change after the last one that it has, and asks again every second.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from contextlib import suppress
from pathlib import Path
from time import monotonic

import psycopg

from gitmem.errors import GitmemError
from gitmem.frozen import fields_of, frozen
from gitmem.hub.database import FOLLOWER, connect, connected, in_words, transaction
from gitmem.hub.engine import FORMAT, Found, TantivyEngine
from gitmem.hub.records import is_whole
from gitmem.model import IndexText
from gitmem.system import read_file
from gitmem.system.atomic_write import write_durably
from gitmem.text import parse_json
from gitmem.text.tokens import format_stamp, joined_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event
    from typing import Any

    from gitmem.hub.database import Connection
    from gitmem.hub.engine import View

STATE = "state.json"
LOCK = Path("tantivy", ".tantivy-writer.lock")
# Changes in one transaction and one commit of the index: a few seconds of work.
BATCH = 5_000
# A notification may be lost (a pooler, a replica): seconds until the follower asks by itself.
POLL_S = 1.0
# For how long what the last look found is the present: a few looks may fail or take long.
BELIEVED_S = 3.0
# An index that has not asked for changes for so long is not searched: memories in it may have been purged.
LOST_S = 60.0
# After the index could not be written, for example to a full disk, it is read again from the database: not too often.
REBUILD_S = 10.0
# What is raised when an index cannot be written: Tantivy raises ValueError, and RuntimeError once its writer is closed.
UNWRITABLE = (OSError, ValueError, RuntimeError)
# A server that starts makes its index again if more than half of its records was erased, and more than these bytes.
FREE_BYTES = 64_000_000
# The files of a segment of Tantivy's index.
PARTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")
# A fingerprint of who may read what, which no other hub and no other time has.
ACCESS = "SELECT concat_ws(' ', generation, (SELECT mark FROM hub.access)) FROM hub.hub"
# The mark of a change is that of the statement that made it.
MARK = "SELECT mark::text FROM hub.history WHERE seq >= %s ORDER BY seq LIMIT 1"
_STATE = f"""
SELECT generation::text, (SELECT coalesce(max(seq), 0) FROM hub.memory), ({MARK}), ({ACCESS}) FROM hub.hub
"""
_CHANGES = """
SELECT seq, repository, path, key, kind, status, owner, language, title, fields, text, deleted
FROM hub.memory WHERE seq > %s ORDER BY seq LIMIT %s
"""


@frozen
class Repository:
    """What a node knows of a repository: its name, its language and its policy as JSON."""

    number: int
    name: str
    language: str
    policy: str


@frozen
class _State:
    """The state file of an index.

    Attributes:
        generation: That of the hub from which it was made; empty if it has nothing.
        mark: The mark of the last change that it has.
        seq: The number of that change.
        stored: The size of its records with that change.
        erased: The places of the records that the next changes erase, while these are applied.
        next_seq: The number of the last one of these, which the index may have; 0 if none are applied.
        next_mark: The mark of that change.
        free: How many bytes of the records were erased.
    """

    generation: str = ""
    mark: str = ""
    seq: int = 0
    stored: int = 0
    erased: tuple[int, ...] = ()
    next_seq: int = 0
    next_mark: str = ""
    free: int = 0


class SearchNode:
    """An index that follows the database.

    Attributes:
        engine: The index.
        seq: The number of the last change that it has.
        repositories: The repositories by number.
        looked_at: As of when the index has all changes, in monotonic seconds.
        asked_at: When it last asked for changes, in monotonic seconds.
        access: A fingerprint of who might read what at that time.
    """

    def __init__(self, url: str, folder: Path) -> None:
        """Open the index in a folder, or make an empty one.

        Args:
            url: The database, for a role that may become ``FOLLOWER``.
            folder: The folder of the index.
        """
        self._url, self._folder = url, folder
        state = _read_state(folder)
        is_sparse = state is not None and state.free > max(FREE_BYTES, state.stored // 2)
        if state is None or is_sparse or not _is_whole(folder / "tantivy", state.stored):
            state = _State()
            _refuse_used(folder)
            shutil.rmtree(folder, ignore_errors=True)
        self._generation, self._mark, self.seq = state.generation, state.mark, state.seq
        self._next = state.next_seq, state.next_mark
        self.engine = self._opened()
        if self._generation:
            self.engine.records.free = state.free
            self.engine.records.recover(state.stored, state.erased)
        self.repositories: dict[int, Repository] = {}
        self._complete: TantivyEngine | None = None  # the index once it has had all changes
        self.looked_at = self.asked_at = float("-inf")
        self.access = ""

    def _opened(self) -> TantivyEngine:
        """Return the index; a damaged one is made again.

        Raises:
            GitmemError: Another process uses the folder.
        """
        folder = self._folder / "tantivy"
        try:
            return TantivyEngine(folder)
        except ValueError as err:
            if "LockBusy" in str(err):
                raise _in_use(self._folder) from err
        shutil.rmtree(self._folder)
        self._forget()
        return TantivyEngine(folder)

    def _forget(self) -> None:
        """Note that the index is empty; it is not searched until it has all changes."""
        self._complete, self.looked_at = None, float("-inf")
        self._generation, self._mark, self.seq, self._next = "", "", 0, (0, "")

    def catch_up(self, connection: Connection, stop: Event | None = None) -> int:
        """Apply all changes that the index lacks, or those before an event is set; return how many there were.

        Each transaction begins in the role of the follower, so a pooler may serve each by another process.
        """
        total = 0
        while not (stop and stop.is_set()):
            start = monotonic()
            with transaction(connection):
                connection.execute(f"SET LOCAL ROLE {FOLLOWER}")
                self.access = self._refuse_other(connection)
                self.repositories = _repositories(connection)
                rows = connection.execute(_CHANGES, (self.seq, BATCH)).fetchall()
                mark = connection.execute(MARK, (rows[-1][0],)).fetchone() if rows else None
            self.asked_at = start
            if rows:
                self._apply(rows, mark[0] if mark else "")
                total += len(rows)
            if len(rows) < BATCH:
                self.looked_at, self._complete = start, self.engine
                break
        return total

    def history(self) -> tuple[int, str]:
        """Return the last change that the index has, and its mark; 0 if it has none."""
        return self.seq, self._mark

    def view(self) -> View:
        """Return the present state of the index.

        Raises:
            GitmemError: It has not followed the database for too long, or was emptied and lacks changes.
        """
        if monotonic() - self.asked_at > LOST_S:
            raise GitmemError("the index of this server does not follow the database")
        if (engine := self._complete) is None:
            raise GitmemError("the index of this server is being made again")
        return engine.view()

    def known_access(self) -> str:
        """Return the fingerprint of who may read what if it is of a moment ago; empty if it may be another one now."""
        return self.access if monotonic() - self.looked_at < BELIEVED_S else ""

    def catch_up_now(self) -> int:
        """Catch up over a connection of its own; an index that cannot be written is made again, once.

        Raises:
            GitmemError: The database cannot be reached, or the index cannot be written.
        """
        with connected(self._url) as connection:
            try:
                return self.catch_up(connection)
            except UNWRITABLE as err:
                self._make_again()
                with suppress(*UNWRITABLE):
                    return self.catch_up(connection)
                raise GitmemError(_why_unwritable(err), hint="--folder DIR") from err

    def _refuse_other(self, connection: Connection) -> str:
        """Empty the index if it was made from another hub or from changes that a backup took back, or is damaged.

        Returns:
            A fingerprint of who may read what in this hub.
        """
        row = connection.execute(_STATE, (self.seq,)).fetchone()
        assert row is not None, "the table has one row"
        generation, last, mark, access = row
        is_other = generation != self._generation or last < self.seq or (self.seq and (mark or "") != self._mark)
        if self._next[0]:
            is_other |= (connection.execute(MARK, self._next[:1]).fetchone() or ("",))[0] != self._next[1]
        if is_other or self.engine.records.damage.is_set():
            self._forget()
            self.engine.close()
            shutil.rmtree(self._folder)
            self.engine = self._opened()
            self._generation = generation
        return str(access)

    def _apply(self, rows: list[Any], mark: str) -> None:
        removed = [(row[1], row[2]) for row in rows if row[-1]]
        changed = [found_of(row) for row in rows if not row[-1]]
        # A process that is killed meanwhile may leave texts that should be erased: the next one erases them, and
        # applies these rows again, whether or not the index has them.
        self._next = rows[-1][0], mark
        self.engine.apply(changed, removed, self._write_state)
        (self.seq, self._mark), self._next = self._next, (0, "")
        self._write_state(())

    def _write_state(self, erased: Sequence[int]) -> None:
        records = self.engine.records
        state = _State(self._generation, self._mark, self.seq, records.size, tuple(erased), *self._next, records.free)
        written = {"format": FORMAT, "analysis": format_stamp(), **fields_of(state)}
        write_durably(str(self._folder / STATE), json.dumps(written).encode())

    def follow(self, stop: Event, note: Callable[[str], None] = lambda _: None) -> None:
        """Catch up again and again until an event is set; after a failure it tries again a second later.

        Args:
            stop: The event.
            note: Called with each new problem, and with an empty text once the index follows the database again.
        """
        problem = ""

        def tell(found: str) -> None:
            nonlocal problem
            if found != problem:
                note(found)
            problem = found

        while not stop.is_set():
            try:
                with connect(self._url) as connection:
                    self._listen(connection, stop, lambda: tell(""))
            except psycopg.Error as err:
                self.access = ""
                tell(in_words(err).message)
            except (GitmemError, *UNWRITABLE) as err:
                tell(_why_unwritable(err))
                self._make_again()
                stop.wait(REBUILD_S)
            if not stop.is_set():
                stop.wait(POLL_S)

    def _make_again(self) -> None:
        """Delete the index after it could not be written; what cannot be done now is tried again."""
        self._forget()
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        with suppress(GitmemError, *UNWRITABLE):
            self.engine = self._opened()

    def _listen(self, connection: Connection, stop: Event, done: Callable[[], None]) -> None:
        is_listening = _can_listen(connection)
        while not stop.is_set():
            self.catch_up(connection, stop)
            done()
            if is_listening:
                for _ in connection.notifies(timeout=POLL_S, stop_after=1):
                    pass
            else:
                stop.wait(POLL_S)

    def close(self) -> None:
        """Close the index, which may be closed already because it could not be written."""
        with suppress(*UNWRITABLE):
            self.engine.close()


def _why_unwritable(err: Exception) -> str:
    return f"the index cannot be written: {' '.join(str(err).split())}"


def _in_use(folder: Path) -> GitmemError:
    return GitmemError(f"another process uses {folder}", hint="--folder DIR")


def _refuse_used(folder: Path) -> None:
    """Raise an error if another process has the lock of the index in a folder (Tantivy's, by flock(2)).

    Raises:
        GitmemError: It has.
    """
    with suppress(OSError), (folder / LOCK).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            raise _in_use(folder) from err


def _is_whole(folder: Path, stored: int) -> bool:
    """Return whether an index has all of its files; Tantivy opens one without positions, or an empty one instead."""
    if not is_whole(folder, stored):
        return False
    try:
        segments = [str(segment["segment_id"]) for segment in parse_json(read_file(folder / "meta.json"))["segments"]]
    except (ValueError, RecursionError, KeyError, TypeError):
        return False
    return all((folder / f"{name.replace('-', '')}.{part}").is_file() for name in segments for part in PARTS)


def found_of(row: Any) -> Found:
    """Return a memory for the index from its row, analysed as at home."""
    seq, number, path, key, kind, status, owner, language, title, fields, text, _ = row
    whole = IndexText(1, title, fields["tags"], key, fields["paths"], text + fields["more"], kind=kind)
    terms = tuple(joined_terms(part, language) for part in whole.texts())
    stored = {name: fields[name] for name in SCORE_FIELDS} | {"owner": owner}
    return Found(seq, number, path, key, kind, status, language, terms, stored, shown=(title, text))


# What the score of a memory depends on besides its words.
SCORE_FIELDS = ("created", "updated", "importance", "confidence", "expires", "hidden", "agent", "proof")


def _can_listen(connection: Connection) -> bool:
    """Listen for changes if the server allows it; a replica does not."""
    try:
        connection.execute("LISTEN gitmem_hub_change")
    except psycopg.NotSupportedError:
        return False
    except psycopg.errors.ActiveSqlTransaction:
        return False
    return True


def _repositories(connection: Connection) -> dict[int, Repository]:
    rows = connection.execute("SELECT id, name, language, policy FROM hub.repository WHERE removed_at IS NULL")
    return {row[0]: Repository(*row) for row in rows}


def _read_state(folder: Path) -> _State | None:
    """Return the state of an index; None if it cannot be used."""
    try:
        state: Mapping[str, Any] = json.loads(read_file(folder / STATE))
        if state.get("format") != FORMAT or state.get("analysis") != format_stamp():
            return None
        return _State(
            str(state["generation"]),
            str(state["mark"]),
            int(state["seq"]),
            int(state["stored"]),
            tuple(int(at) for at in state["erased"]),
            int(state["next_seq"]),
            str(state["next_mark"]),
            int(state["free"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
