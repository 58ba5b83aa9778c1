"""The errors that a failed operation raises, each with its exit status.

A malformed memory or a failed check is not an error but data (``model.Problem``, ``model.Verdict``).
"""

from __future__ import annotations


class suppress:  # noqa: N801 - the name that everybody knows
    """Go on after errors of these kinds, as ``contextlib.suppress`` does, whose module takes 2.5 ms to import."""

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        """Return whether the error that ended the block is one of the kinds."""
        return kind is not None and issubclass(kind, self._kinds)


class GitmemError(Exception):
    """A failed operation: what happened, to which memory, file or ref, and a hint that repairs it.

    Attributes:
        message: One or more lines for people, without a trailing full stop being required.
        hint: A command or an advice that repairs it and never destroys data; empty when there is none.
        quoted: The end of the message that a file of the store says, others' words: for an agent it is fenced.
        exit_status: What the command line exits with (DESIGN, section 6).
    """

    exit_status = 3

    def __init__(self, message: str, *, hint: str = "", quoted: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.quoted = quoted


class DamagedIndexError(GitmemError):
    """An index was damaged and is thrown away; the next try rebuild it. Its cause is what SQLite or Python said."""


class NotFoundError(GitmemError):
    """No such memory, ref or file: the answer is no."""

    exit_status = 1


class NoRepositoryError(GitmemError):
    """There is no repository here, or no store in it."""


class ForeignBranchError(NoRepositoryError):
    """A branch holds something other than memories, or has files that belong to no store; it is left alone."""


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
    """The store says this, or nearly this, already: in a memory that is live, superseded or retired.

    Attributes:
        key: That memory.
        title: Its title.
        likeness: How much the two say the same: 1 for the same words, else above the policy's threshold.
        status: ``retired``, ``superseded``, or what its check says; empty for a live memory without one.
    """

    def __init__(self, message: str, *, key: str, title: str, likeness: float, status: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.key = key
        self.title = title
        self.likeness = likeness
        self.status = status


class TaskError(GitmemError):
    """A task is not in the state for this, somebody else holds it, or its gate says no: the answer is no."""

    exit_status = 1


class RunClosedError(GitmemError):
    """A run is over, or cannot be closed while its gate is: the answer is no."""

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
    """The branch moved under us, or somebody else holds the lock."""


class BusyError(ConflictError):
    """Another process does this very work now."""


class UnwritableError(GitmemError):
    """The repository cannot be written to: a full or read-only disk, or somebody else's folder."""


class RemoteError(GitmemError):
    """A remote cannot be reached, or refuses; nothing is lost, what was written is in this clone."""


class ForgeError(RemoteError):
    """A forge cannot be reached, or refuses.

    Attributes:
        status: The HTTP status that it answered with; 0 where it did not.
    """

    def __init__(self, message: str, *, status: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


class ProtectedError(RemoteError):
    """A branch of a remote is protected: it was reached, and takes no push to that one."""


class EmbeddingError(GitmemError):
    """An embedding model or endpoint is not there, does not answer, or not with vectors of one size."""


class TrustError(GitmemError):
    """A command that nobody has approved, or an approval that cannot be given here."""


class ProcessError(GitmemError):
    """A program could not run, or git said no.

    Attributes:
        argv: What was run.
        status: Its exit status; negative for a signal; None when it never started.
        stderr: The end of what it wrote to standard error.
    """

    def __init__(
        self, message: str, *, argv: list[str], status: int | None = None, stderr: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.argv = argv
        self.status = status
        self.stderr = stderr
