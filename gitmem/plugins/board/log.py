"""The entries of a run on their ref, ``refs/gitmem/runs/<run>``: read them, and add to them with many writers at once.

A writer first puts its entry into a folder. One of the waiting writers commits all entries in it and leaves a receipt
for each, so sixteen writers share a commit instead of queueing for sixteen. An entry is acknowledged once it is in a
commit; entries of a killed writer are part of the next commit. If a worker that was killed posts the same entry again,
it gets the one that is there.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import ConflictError, NotFoundError, RefusedError, RunClosedError, UnwritableError, suppress
from gitmem.frozen import frozen, replace
from gitmem.plugins.board.board import board_of
from gitmem.plugins.board.entry import (
    CLOSING,
    FILE_LIMIT,
    TYPES,
    ClaimSource,
    find_place,
    format_entry,
    parse_entry,
    path_of,
)
from gitmem.store import layout
from gitmem.store.commit import CommitPlan, WriteTarget, write_commit
from gitmem.store.scopes import RUN_REFS
from gitmem.system import make_folder, only_regular, remove
from gitmem.system.file_lock import try_lock
from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.git import Git
    from gitmem.plugins.board.board import Board
    from gitmem.plugins.board.entry import Entry, EntryPlace
    from gitmem.store.commit import CommitResult

# More entries than any run has; a larger board from another clone is read up to here.
MOST_ENTRIES = 100_000
# The most entries per commit.
TOGETHER = 100
# The files of a waiting entry: itself, and its receipt.
WAITING, DONE = ".json", ".done"
# How often a writer checks whether its entry was committed.
POLL_S = 0.005


@frozen
class PostedEntry:
    """The result of a post.

    Attributes:
        entry: The entry with its number and id.
        commit: The commit that has it.
        is_written: Whether it was new.
    """

    entry: Entry
    commit: str
    is_written: bool


def ref_of(run: str) -> str:
    """Return the ref of a run's board.

    Raises:
        RefusedError: The name is invalid.
    """
    # A ref name must not end like this (git-check-ref-format(1)).
    if not layout.is_key(run) or run.endswith(".lock"):
        raise RefusedError(
            f"invalid name of a run: {display(run)!r}",
            hint=f"use at most {layout.KEY_LIMIT} lower-case letters, digits, '.', '_' and '-': audit-7",
        )
    return f"{RUN_REFS}{run}"


def list_runs(git: Git) -> list[str]:
    """Return the names of the boards in this clone, sorted."""
    return sorted(filter(layout.is_key, (ref.removeprefix(RUN_REFS) for ref in git.list_refs(RUN_REFS))))


def read_board(git: Git, run: str) -> Board:
    """Return a board, with its secrets replaced; invalid entries are among its problems.

    Raises:
        NotFoundError: There is no such board.
    """
    tip = need_tip(git, run)
    entries, problems = read_entries(git, tip)
    shown = [_without_secrets(entry) for entry in entries]
    return board_of(run, shown, problems=[(redact(path), why) for path, why in problems], commit=tip)


def _without_secrets(entry: Entry) -> Entry:
    """Return an entry as it is shown, before anything is cut."""
    source = ClaimSource(redact(entry.source.doc), redact(entry.source.ref), redact(entry.source.evidence))
    return replace(entry, text=redact(entry.text), who=redact(entry.who), source=source)


def need_tip(git: Git, run: str) -> str:
    """Return the commit of a board.

    Raises:
        NotFoundError: There is no such board.
    """
    tip = git.read_ref(ref_of(run))
    if tip is None:
        raise NotFoundError(
            f"there is no board {run} in this clone", hint=f"gitmem board open {run}\nor fetch it: gitmem sync --boards"
        )
    return tip


def read_places(git: Git, tip: str) -> tuple[dict[str, tuple[EntryPlace, str]], list[tuple[str, str]]]:
    """Return place and blob of each entry of a commit by path, and the invalid files with the reason for each."""
    places: dict[str, tuple[EntryPlace, str]] = {}
    problems = []
    for mode, oid, path in git.list_paths(tip):
        place = find_place(path)
        if place is None or mode != "100644":
            problems.append((path, "not the path of an entry"))
        elif len(places) >= MOST_ENTRIES:
            problems.append((path, f"the board has more than {MOST_ENTRIES} entries"))
        else:
            places[path] = (place, oid)
    return places, problems


def read_entries(git: Git, tip: str, *, without: Iterable[str] = ()) -> tuple[list[Entry], list[tuple[str, str]]]:
    """Return the entries of a commit in path order, except for some ids, and the invalid files."""
    places, problems = read_places(git, tip)
    known = frozenset(without)
    wanted = {path: pair for path, pair in places.items() if pair[0].id not in known}
    contents = git.read_blobs((oid for _, oid in wanted.values()), limit=FILE_LIMIT)
    entries = []
    for (path, (place, _)), (_, raw) in zip(wanted.items(), contents, strict=True):
        if raw is None:
            problems.append((path, "it is missing or too large"))
            continue
        try:
            entries.append(parse_entry(raw, place))
        except ValueError as err:
            problems.append((path, str(err)))
    return entries, problems


def post(target: WriteTarget, run: str, entry: Entry, *, now: int) -> PostedEntry:
    """Add an entry to a board (the first one creates it), and return it with its number.

    Args:
        target: The ref of the board.
        run: The run.
        entry: The entry, checked.
        now: Epoch seconds.

    Raises:
        RunClosedError: The run is over.
        ConflictError: Timed out waiting for other writers.
        GitmemError: It cannot be written.
    """
    folder = os.path.join(target.git.repository.state, "boards", run)
    own = _enqueue(folder, entry)
    receipt = own.removesuffix(WAITING) + DONE
    deadline = time.monotonic() + target.lock_timeout_s
    try:
        while (posted_entry := _read_receipt(receipt, entry)) is None:
            lock = try_lock(os.path.join(folder, "lock"))
            if lock is None:
                if time.monotonic() > deadline:
                    message = f"timed out after {target.lock_timeout_s:g} s: another process is writing the board {run}"
                    raise ConflictError(message, hint="try again, or wait longer: GITMEM_LOCK_TIMEOUT=120")
                time.sleep(POLL_S)
                continue
            try:
                if os.path.exists(receipt):  # the previous holder of the lock wrote it
                    continue
                _commit_waiting(target, run, folder, entry, now=now)
            finally:
                os.close(lock)
    finally:
        remove(own)
        remove(receipt)
    return posted_entry


def _commit_waiting(target: WriteTarget, run: str, folder: str, own: Entry, *, now: int) -> None:
    """Commit the waiting entries, and leave a receipt for each, including those that are on the board already."""
    known: dict[str, EntryPlace] = {}

    def plan(tip: str | None) -> CommitPlan | None:
        places = [place for place, _ in read_places(target.git, tip)[0].values()] if tip else []
        known.update({place.id: place for place in places})
        waiting = {entry.id: entry for entry in (own, *_list_waiting(folder))}
        for name in waiting.keys() & known.keys():
            _write_receipt(folder, known[name], tip or "", is_new=False)
        new = [entry for name, entry in waiting.items() if name not in known]
        return _plan(run, places, new, own) if new else None

    def after(plan: CommitPlan, written: CommitResult) -> None:
        for place in filter(None, (find_place(path) for path, _ in plan.writes)):
            _write_receipt(folder, place, written.commit, is_new=True)

    write_commit(target, plan, now=now, after=after)


def _write_receipt(folder: str, place: EntryPlace, commit: str, *, is_new: bool) -> None:
    """Leave the receipt for a committed entry, and remove the entry from the waiting ones."""
    receipt = os.path.join(folder, f"{place.id}{DONE}")
    with suppress(OSError):  # a full disk: the writer then looks for its entry on the board
        with open(f"{receipt}.new", "w", encoding="ascii") as file:
            file.write(f"{place.number} {commit} {is_new:d}")
        os.rename(f"{receipt}.new", receipt)
        remove(os.path.join(folder, f"{place.id}{WAITING}"))


def _read_receipt(receipt: str, entry: Entry) -> PostedEntry | None:
    try:
        with open(receipt, encoding="ascii", opener=only_regular) as file:
            number, commit, is_new = file.read().split(" ")
    except FileNotFoundError:
        return None
    return PostedEntry(replace(entry, number=int(number)), commit, is_new == "1")


def _enqueue(folder: str, entry: Entry) -> str:
    """Put an entry into the folder of waiting entries, and return its path.

    It is not synced to disk: the commit does that, and nothing is acknowledged before.
    """
    path = os.path.join(folder, f"{entry.id}{WAITING}")
    new = f"{path}.{os.getpid()}.new"
    try:
        make_folder(folder)
        with open(new, "wb") as file:
            file.write(format_entry(entry))
        os.rename(new, path)
    except OSError as err:
        with suppress(OSError):
            os.unlink(new)
        raise UnwritableError(f"the entry cannot be written: {folder}: {err.strerror}") from err
    return path


def _plan(run: str, places: Iterable[EntryPlace], new: Sequence[Entry], own: Entry) -> CommitPlan:
    """Return the commit of new entries.

    Raises:
        RunClosedError: The run is over.
    """
    numbers: dict[str, int] = {}
    for place in places:
        numbers[place.letter] = max(place.number, numbers.get(place.letter, 0))
    if TYPES[CLOSING].letter in numbers:
        message = f"the run {run} is closed: its board takes no more entries"
        raise RunClosedError(message, hint="open another one: gitmem board open NAME")
    writes = []
    for entry in new[:TOGETHER]:
        if entry.type == CLOSING and entry.id != own.id:
            continue  # its own writer plans it: this entry closes the run
        letter = TYPES[entry.type].letter
        numbers[letter] = numbers.get(letter, 0) + 1
        writes.append((path_of(letter, numbers[letter], entry.id), format_entry(entry)))
    count = f"{len(writes)} entries" if len(writes) > 1 else f"one {new[0].type}"
    return CommitPlan(f"board {run}: {count}", writes=tuple(writes))


def _list_waiting(folder: str) -> list[Entry]:
    """Return the waiting entries; files that are incomplete or of another version are left where they are."""
    entries = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(WAITING):
            with suppress(OSError, ValueError), open(os.path.join(folder, name), "rb", opener=only_regular) as file:
                entries.append(parse_entry(file.read(FILE_LIMIT + 1)))
    return entries
