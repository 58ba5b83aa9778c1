"""Approvals: which specifications may run in this clone. Stored outside the repository; a denial takes precedence.

A memory file is code that came with ``git fetch``: its command does not run until a user on this machine has approved
exactly these bytes. Each record is a file created with O_EXCL and mode 0600. A folder that others can
write to, or that another user owns, approves nothing.
"""

from __future__ import annotations

import os
import stat

from gitmem.config import state_home
from gitmem.errors import TrustError
from gitmem.frozen import fields_of, frozen
from gitmem.store.state.registration import clone_id
from gitmem.system import CLOSE_ON_EXEC, command_of, only_regular, remove
from gitmem.text import format_json, parse_json
from gitmem.text.sha256 import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git import Git

ALLOW = "allow"
DENY = "deny"
# Digits of the hash that a user types to approve: one chance in 2^24 of a mistake.
TYPED_DIGITS = 6


@frozen
class Approval:
    """A recorded approval or denial.

    Attributes:
        verdict: ``allow`` or ``deny``.
        spec: Hash of the whole specification.
        key: The fact it was given for.
        command: The command as it was shown.
        at: When it was given, epoch seconds.
        who: The user who gave it.
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
        folder: The folder of the records.
    """

    def __init__(self, state_home: str, clone: str) -> None:
        self.folder = os.path.join(state_home, "trust")
        self._clone = clone
        self._listed: frozenset[str] = frozenset()

    def with_list(self, lines: Iterable[str]) -> Trust:
        """Return the same approvals with the lines of an approved list added; denials still take precedence."""
        more = Trust(os.path.dirname(self.folder), self._clone)
        more._listed = self._listed | frozenset(lines)
        return more

    def allows(self, spec: str, line: str = "") -> bool:
        """Return whether a specification may run.

        Args:
            spec: Its hash.
            line: The line of an approved list that would allow it (``verify.approved_list``), if any.

        Raises:
            TrustError: Others can write to the folder, or another user owns it.
        """
        self._guard()
        if _exists(self._path(DENY, spec)):
            return False
        return line in self._listed or bool(self._clone and _exists(self._path(ALLOW, spec)))

    def denies(self, spec: str) -> bool:
        """Return whether a specification was denied here."""
        return _exists(self._path(DENY, spec))

    def approve(self, approval: Approval) -> None:
        """Record an approval; it removes a denial of the same specification.

        Raises:
            TrustError: Others can write to the folder, or the clone has no clone-id.
        """
        if not self._clone:
            raise TrustError(
                "nothing can be approved in this clone, because its clone-id is missing",
                hint="make the repository's git directory writable; an empty gitmem/clone-id in it may be removed",
            )
        self._write(ALLOW, approval)
        remove(self._path(DENY, approval.spec))

    def revoke(self, approval: Approval) -> None:
        """Remove an approval, and deny the specification."""
        self._write(DENY, approval)
        remove(self._path(ALLOW, approval.spec))

    def list_all(self) -> list[Approval]:
        """Return this clone's records, by key; unreadable ones are ignored (they approve nothing)."""
        approvals = []
        for path in self._files():
            try:
                with open(path, encoding="utf-8", opener=only_regular) as file:
                    table = parse_json(file.read())
                approvals.append(Approval(**table))
            except (ValueError, TypeError, OSError, RecursionError):
                continue
        return sorted(approvals, key=lambda a: (a.key, a.spec, a.verdict))

    def forget_all(self) -> None:
        """Delete this clone's records, including denials: afterwards no command may run, and none is denied."""
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

    def _path(self, decision: str, spec: str) -> str:
        name = sha256(f"{len(self._clone)}:{self._clone}|{spec}".encode()).hexdigest()
        return os.path.join(self.folder, f"{decision}-{self._short}-{name}.json")

    def _write(self, decision: str, approval: Approval) -> None:
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError as err:
            message = f"cannot store approvals in {self.folder}: {err.strerror}"
            raise TrustError(message, hint="set XDG_STATE_HOME to a folder that you can write to") from err
        self._guard()
        path = self._path(decision, approval.spec)
        remove(path)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(format_json({**fields_of(approval), "verdict": decision}, is_ascii=True))

    def _guard(self) -> None:
        """Raise an error if others can write to the folder, or another user owns it."""
        try:
            info = os.lstat(self.folder)
        except (FileNotFoundError, NotADirectoryError):
            return
        # On a system without such owners and modes (Windows), the folder is never trusted.
        is_ours = hasattr(os, "geteuid") and info.st_uid == os.geteuid()
        if not stat.S_ISDIR(info.st_mode) or not is_ours or info.st_mode & 0o022:
            raise TrustError(
                f"others can write to {self.folder}, so approvals in it do not count",
                hint=f"check its contents, then: {command_of('chmod', '700', str(self.folder))}",
            )


def _exists(path: str) -> bool:
    """Return whether a record exists; errors are not hidden, because the record may be a denial."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def of_clone(git: Git) -> Trust:
    """Return the approvals of a clone; in a read-only repository without a clone-id, none can be given."""
    try:
        clone = clone_id(git.repository.state)
    except OSError:
        clone = ""
    return Trust(state_home(), clone)
