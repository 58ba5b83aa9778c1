"""Approvals: which specifications may run in this clone. Kept outside the repository; a deny wins.

A memory file is code that came with ``git fetch``: nothing of it runs until a person on this machine approved these
exact bytes (threats T1-T3). One file a record, made with O_EXCL and mode 0600; a folder that others can write to, or
that is not ours, approves nothing.
"""

from __future__ import annotations

import os
import stat

from gitmem.config import state_home
from gitmem.errors import TrustError
from gitmem.frozen import fields_of, frozen
from gitmem.store.clone import clone_id
from gitmem.system.file_lock import CLOSE_ON_EXEC, remove
from gitmem.text.json_values import format_json, parse_json
from gitmem.text.sha256 import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git.binary import Git

ALLOW = "allow"
DENY = "deny"
# How many digits of the hash a person types to approve: 2^24 to one against a slip.
TYPED_DIGITS = 6


@frozen
class Approval:
    """One record.

    Attributes:
        verdict: ``allow`` or ``deny``.
        spec: Hash of the whole specification.
        key: The fact it was given for.
        command: The command as it was shown.
        at: When, epoch seconds.
        who: The user.
    """

    verdict: str
    spec: str
    key: str
    command: str
    at: int
    who: str


class Trust:
    """The approvals of one clone.

    Attributes:
        folder: Where they are.
    """

    def __init__(self, state_home: str, clone: str) -> None:
        self.folder = os.path.join(state_home, "trust")
        self._clone = clone
        self._listed: frozenset[str] = frozenset()

    def with_list(self, lines: Iterable[str]) -> Trust:
        """Return the same approvals with the lines of an approved list added (a deny still wins)."""
        more = Trust(os.path.dirname(self.folder), self._clone)
        more._listed = self._listed | frozenset(lines)
        return more

    def allows(self, spec: str, line: str = "") -> bool:
        """Return whether a specification may run.

        Args:
            spec: Its hash.
            line: The line of an approved list that allows it (``verify.approved``), where one can.

        Raises:
            TrustError: The folder can be written to by others, or is not ours.
        """
        self._guard()
        if _exists(self._path(DENY, spec)):
            return False
        return line in self._listed or bool(self._clone and _exists(self._path(ALLOW, spec)))

    def denies(self, spec: str) -> bool:
        """Return whether a specification was denied here."""
        return _exists(self._path(DENY, spec))

    def approve(self, approval: Approval) -> None:
        """Write an approval; it lifts a deny of the same specification.

        Raises:
            TrustError: The folder can be written to by others, or the clone has no name of its own.
        """
        if not self._clone:
            raise TrustError(
                "nothing can be approved in this clone, because its clone-id is missing",
                hint="make the repository's git directory writable; an empty gitmem/clone-id in it may be removed",
            )
        self._write(ALLOW, approval)
        remove(self._path(DENY, approval.spec))

    def revoke(self, approval: Approval) -> None:
        """Take an approval back, and deny the specification."""
        self._write(DENY, approval)
        remove(self._path(ALLOW, approval.spec))

    def list_all(self) -> list[Approval]:
        """Return this clone's records, by key; unreadable ones are left out (they approve nothing)."""
        found = []
        for path in self._files():
            try:
                with open(path, encoding="utf-8") as file:
                    table = parse_json(file.read())
                found.append(Approval(**table))
            except (ValueError, TypeError, OSError, RecursionError):
                continue
        return sorted(found, key=lambda a: (a.key, a.spec, a.verdict))

    def forget_all(self) -> None:
        """Delete this clone's records, denials too: nothing of it may run, and nothing is denied."""
        for path in self._files():
            remove(path)

    def _files(self) -> list[str]:
        if not self._clone or not os.path.isdir(self.folder):
            return []
        names = (name for name in os.listdir(self.folder) if name.endswith(".json") and f"-{self._short}-" in name)
        return [os.path.join(self.folder, name) for name in names]

    @property
    def _short(self) -> str:
        return sha256(self._clone.encode()).hexdigest()[:16]

    def _path(self, verdict: str, spec: str) -> str:
        name = sha256(f"{len(self._clone)}:{self._clone}|{spec}".encode()).hexdigest()
        return os.path.join(self.folder, f"{verdict}-{self._short}-{name}.json")

    def _write(self, verdict: str, approval: Approval) -> None:
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError as err:
            message = f"cannot store approvals in {self.folder}: {err.strerror}"
            raise TrustError(message, hint="set XDG_STATE_HOME to a folder that you can write to") from err
        self._guard()
        path = self._path(verdict, approval.spec)
        remove(path)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(format_json({**fields_of(approval), "verdict": verdict}, is_ascii=True))

    def _guard(self) -> None:
        """Fail closed: a folder that others can write to, or that belongs to others, approves nothing."""
        try:
            found = os.lstat(self.folder)
        except (FileNotFoundError, NotADirectoryError):
            return
        # Where a system has no such owners and modes (Windows), nothing can be said of it.
        is_ours = hasattr(os, "geteuid") and found.st_uid == os.geteuid()
        if not stat.S_ISDIR(found.st_mode) or not is_ours or found.st_mode & 0o022:
            raise TrustError(
                f"others can write to {self.folder}, so approvals in it do not count",
                hint=f"check its contents, then: chmod 700 {self.folder}",
            )


def _exists(path: str) -> bool:
    """Return whether there is a record; where nobody can tell, that is an error: a denial may be hidden."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def of_clone(git: Git) -> Trust:
    """Return the approvals of a clone; none can be given in a read-only repository that never had one."""
    try:
        clone = clone_id(git.repository.state)
    except OSError:
        clone = ""
    return Trust(state_home(), clone)
