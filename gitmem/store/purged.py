"""What was purged from a store: the record of it in a commit, and how it is found in texts, paths and messages.

A purge rewrites the history, and adds a commit whose trailers hold the fingerprints of what is gone. Every clone that
applies them to the same commits makes the same new commits, so clones agree again without exchanging anything else.
"""

from __future__ import annotations

from gitmem.document.times import format_time
from gitmem.errors import ConflictError
from gitmem.frozen import frozen
from gitmem.git.rewrite import plan_rewriting
from gitmem.store import layout
from gitmem.store.verdicts.buckets import join_bucket, split_bucket
from gitmem.system import read_file
from gitmem.text import parse_json
from gitmem.text.fingerprints import SHORTEST, Fingerprint, format_fingerprint, parse_fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from gitmem.git import Git

TRAILER = "Gitmem-Purged"
# A memory, by its key; a text, which is replaced everywhere; and a trace of a memory, which is replaced in messages and
# in files that gitmem generates, but not in other memories.
KEY, TEXT, TRACE = "key", "text", "trace"
MARKER = b"[purged]"
_GENERATED = frozenset({layout.KNOWN, layout.BUCKET, layout.VERDICT})


@frozen
class Record:
    """One purge.

    Attributes:
        commit: The commit that records it; empty before it is made.
        who: Its author.
        at: When, epoch seconds.
        marks: What was purged: ``key``, ``text`` or ``trace``, and the fingerprint.
    """

    commit: str
    who: str
    at: int
    marks: tuple[tuple[str, Fingerprint], ...]

    def describe(self) -> str:
        """Return what was purged, by whom and when, as a phrase."""
        keys = len(self.keys())
        what = "a secret" if not keys else "a memory" if keys == 1 else f"{keys} memories"
        return f"{what} ({self.who}, {format_time(self.at)[:10]})"

    def keys(self) -> tuple[Fingerprint, ...]:
        """Return the fingerprints of the purged keys."""
        return tuple(mark for what, mark in self.marks if what == KEY)


def format_marks(marks: Iterable[tuple[str, Fingerprint]]) -> tuple[tuple[str, str], ...]:
    """Return the trailers of a purge; ``parse_marks`` undoes it."""
    return tuple((TRAILER, f"{what} {format_fingerprint(mark)}") for what, mark in marks)


def parse_marks(lines: Iterable[str]) -> tuple[tuple[str, Fingerprint], ...]:
    """Return the marks in the values of trailers; invalid ones are left out.

    Whoever can push writes trailers: a text too short to purge would tear other memories apart.
    """
    marks = []
    for line in lines:
        what, *words = line.split()[:6] or [""]
        mark = parse_fingerprint(words)
        if mark is not None and (what == KEY or (what in (TEXT, TRACE) and mark.length >= SHORTEST)):
            marks.append((what, mark))
    return tuple(marks)


def list_records(git: Git, tip: str, *but: str) -> list[Record]:
    """Return the purges recorded in the history of a commit, newest first; not those in that of other commits."""
    form = f"--format=%H%x00%an%x00%ct%x00%(trailers:key={TRAILER},valueonly)"
    argv = (
        "log",
        "-z",
        "--no-show-signature",
        f"--grep=^{TRAILER}: ",
        form,
        tip,
        *(f"^{commit}" for commit in but),
        "--",
    )
    words = git.run(*argv, check=False).stdout.decode("utf-8", "replace").split("\0")
    records = []
    for at in range(0, len(words) - 3, 4):
        commit, who, when, lines = words[at].strip(), words[at + 1], words[at + 2], words[at + 3]
        marks = parse_marks(lines.splitlines())
        if marks:
            records.append(Record(commit, who, int(when), marks))
    return records


def journal_path(git: Git) -> str:
    """Return the file with the journal of a purge under way."""
    return str(git.repository.state_dir / "purge.json")


def read_journal(git: Git) -> dict[str, Any] | None:
    """Return the journal of an interrupted purge; None if there is none."""
    content = read_file(journal_path(git))
    try:
        table = parse_json(content) if content else None
    except ValueError:
        return None
    return table if isinstance(table, dict) and {"marks", "old", "refs", "but", "records"} <= table.keys() else None


class Eraser:
    """Removes what was purged from paths, contents and messages."""

    def __init__(
        self, marks: Iterable[tuple[str, Fingerprint]], known: Sequence[bytes] = (), *, scans: bool = True
    ) -> None:
        """Set what is removed.

        Args:
            marks: The fingerprints.
            known: The texts themselves, as far as they are known here: they are found much faster.
            scans: Whether to look for texts that are not known yet.
        """
        self._marks = tuple(marks)
        self._known = {mark: text for _, mark in self._marks for text in known if mark.matches(text)}
        self._scans = scans
        self._keys: dict[str, bool] = {}

    def texts(self) -> tuple[bytes, ...]:
        """Return the purged texts that are known by now."""
        return tuple(self._known.values())

    def is_key(self, key: str) -> bool:
        """Return whether a key was purged."""
        if key not in self._keys:
            self._keys[key] = any(what == KEY and mark.matches(key.encode()) for what, mark in self._marks)
        return self._keys[key]

    def drops(self, path: str) -> bool:
        """Return whether the file at a path of the store belongs to a purged memory."""
        place = layout.place_of(path)
        return isinstance(place, layout.StorePath) and bool(place.key) and self.is_key(place.key)

    def content(self, path: str, content: bytes) -> bytes:
        """Return the content of a file without what was purged."""
        place = layout.place_of(path)
        what = place.what if isinstance(place, layout.StorePath) else ""
        if what == layout.BUCKET:
            content = self._bucket(path, content)
        return self._redact(content, (TEXT, TRACE) if what in _GENERATED else (TEXT,))

    def text(self, content: bytes) -> bytes:
        """Return a commit message or other generated text without what was purged."""
        return self._redact(content, (TEXT, TRACE))

    def _bucket(self, path: str, content: bytes) -> bytes:
        """Return a bucket without the verdicts of purged memories; unchanged if it has none."""
        sections, errors = split_bucket(content, path)
        remaining = {name: text for name, text in sections.items() if not self.is_key(name[0])}
        return content if errors or len(remaining) == len(sections) else join_bucket(remaining)

    def _redact(self, content: bytes, kinds: tuple[str, ...]) -> bytes:
        for what, mark in self._marks:
            if what not in kinds:
                continue
            if mark not in self._known and self._scans and (span := mark.find(content)) is not None:
                self._known[mark] = span
            if mark in self._known:
                content = content.replace(self._known[mark], MARKER)
        return content


def refuse_purged(git: Git, ours: str, theirs: str, where: str) -> None:
    """Refuse to merge two histories if one of them still has what was purged from the other.

    Args:
        git: The repository.
        ours: The commit here.
        theirs: The commit of the remote.
        where: The remote and its branch.

    Raises:
        ConflictError: One has it.
    """
    for record in list_records(git, theirs, ours):
        if plan_rewriting(git, Eraser(record.marks), [ours], but=[theirs]).touched:
            what = f"{record.describe()} was purged from {where}"
            message = f"{what}, and this clone still has it; nothing was changed"
            raise ConflictError(message, hint="remove it here as well, for good: gitmem purge --accept")
    for record in list_records(git, ours):
        legit = git.text("rev-list", "--ancestry-path", f"{record.commit}..{theirs}").split()
        touched = plan_rewriting(git, Eraser(record.marks), [theirs], but=[ours]).touched
        if touched.difference(legit if record.keys() else ()):
            message = f"{record.describe()} was purged here, and {where} still has it; nothing was changed"
            raise ConflictError(message, hint="replace the history there: gitmem purge --push")
