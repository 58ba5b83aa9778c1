"""The errors that a failed operation raises, each with its exit status.

A malformed memory or a failed check is not an error but data (``model.Problem``, ``model.Verdict``).
"""

from __future__ import annotations


class suppress:  # noqa: N801 - the name that Python uses
    """Go on after errors of these kinds, as ``contextlib.suppress`` does, whose module takes 2.5 ms to import."""

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        """Return whether the error that ended the block is one of the kinds."""
        return kind is not None and issubclass(kind, self._kinds)


class GitmemError(Exception):
    """A failed operation: what happened, to which memory, file or ref, and how to repair it.

    Attributes:
        message: One or more lines for people.
        hint: A command or advice that repairs it and never destroys data; or empty.
        quoted: The end of the message, if it is text from a file of the store; for agents it is fenced.
        exit_status: What the command line exits with.
    """

    exit_status = 3

    def __init__(self, message: str, *, hint: str = "", quoted: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.quoted = quoted


class DamagedIndexError(GitmemError):
    """An index was damaged and has been deleted; the next command rebuilds it. Its cause is the original error."""


class NotFoundError(GitmemError):
    """No such memory, ref or file: the answer is no."""

    exit_status = 1


class NoRepositoryError(GitmemError):
    """There is no repository here, or no store in it."""


class OutsideError(NoRepositoryError):
    """No repository holds the folder; it is not one that is broken or that git refuses."""


class ForeignBranchError(NoRepositoryError):
    """A branch has files that do not belong to a store; it is not changed."""


class AmbiguousKeyError(GitmemError):
    """A short key fits several memories.

    Attributes:
        keys: The keys it fits, sorted.
    """

    exit_status = 1

    def __init__(self, message: str, *, keys: list[str], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.keys = keys


class UsageError(GitmemError):
    """The command line was wrong."""

    exit_status = 2


class RefusedError(GitmemError):
    """The input was refused: a secret, a hidden character, a check that proves nothing."""

    exit_status = 2


class DuplicateError(RefusedError):
    """The store already has a memory that says nearly the same; it may be superseded or retired.

    Attributes:
        key: The key of that memory.
        title: Its title.
        likeness: How similar the two are: 1 for the same words, else above the policy's threshold.
        status: ``retired``, ``superseded``, or what its check says; empty for a live memory without one.
    """

    def __init__(self, message: str, *, key: str, title: str, likeness: float, status: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.key = key
        self.title = title
        self.likeness = likeness
        self.status = status


class TaskError(GitmemError):
    """A task is in another state, is claimed by someone else, or its gate fails: the answer is no."""

    exit_status = 1


class RunClosedError(GitmemError):
    """A run is closed, or cannot be closed while its gate fails: the answer is no."""

    exit_status = 1


class FormatError(GitmemError):
    """One text is not a memory.

    Attributes:
        code: The problem's code, as ``doctor`` prints it.
        path: The file inside the store, or empty.
        line: The line in the file, from 1; 0 when unknown.
    """

    exit_status = 2

    def __init__(self, message: str, *, code: str, path: str = "", line: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.path = path
        self.line = line


class ConfigError(GitmemError):
    """A setting is wrong.

    Attributes:
        file: Where it was set: a file, an environment variable, ``git config``.
        key: The setting's name.
    """

    def __init__(self, message: str, *, file: str, key: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.file = file
        self.key = key


class ConflictError(GitmemError):
    """The branch has moved, or another process holds the lock."""


class BusyError(ConflictError):
    """Another process is doing the same work."""


class UnwritableError(GitmemError):
    """The repository cannot be written to: the disk is full or read-only, or the folder is another user's."""


class RemoteError(GitmemError):
    """A remote cannot be reached, or refuses; nothing is lost, since this clone has everything that was written."""


class ForgeError(RemoteError):
    """A forge cannot be reached, or refuses.

    Attributes:
        status: The HTTP status of its answer; 0 if there was none.
    """

    def __init__(self, message: str, *, status: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


class ProtectedError(RemoteError):
    """A branch of a remote is protected and accepts no push."""


class EmbeddingError(GitmemError):
    """An embedding model or endpoint is missing, does not answer, or answers with vectors of different sizes."""


class TrustError(GitmemError):
    """A command has not been approved, or cannot be approved here."""


class ProcessError(GitmemError):
    """A program could not run, or failed.

    Attributes:
        argv: The program and its arguments.
        status: Its exit status; negative for a signal; None if it did not start.
        stderr: The end of what it wrote to standard error.
    """

    def __init__(
        self, message: str, *, argv: list[str], status: int | None = None, stderr: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.argv = argv
        self.status = status
        self.stderr = stderr
