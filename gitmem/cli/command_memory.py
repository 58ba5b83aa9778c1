"""The memory that a command opens, and its notices."""

from __future__ import annotations

from gitmem.config import unknown_variables
from gitmem.errors import GitmemError, UnwritableError
from gitmem.git.repository import ignored_git_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from gitmem.cli.output import Output
    from gitmem.git.repository import Repository
    from gitmem.memory import Memory


class CommandMemory:
    """The memory that a command works on: a context manager that prints its notices.

    A command that fails says only what is in the place of the state folder, unless that is its error.
    """

    def __init__(self, memory: Memory, out: Output) -> None:
        self._memory, self._out = memory, out

    def __enter__(self) -> Memory:
        """Return the memory."""
        return self._memory

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Print the notices, and close the memory."""
        if kind is None:
            print_notices(self._memory, self._out)
        elif issubclass(kind, GitmemError) and not issubclass(kind, UnwritableError):
            note_misplaced(self._memory.repository.git.repository, self._out)
        self._memory.__exit__(kind, value, trace)


def open_memory(out: Output) -> CommandMemory:
    """Open the memory of the repository in which the command runs; its notices are printed after the work."""
    return CommandMemory(open_quietly(out), out)


def open_to_read(out: Output) -> CommandMemory:
    """Open the memory as ``open_memory`` does; outside of a repository, the universal store if there is one."""
    from gitmem.store.universal import find_universal

    return CommandMemory(open_quietly(out, fallback=find_universal), out)


def open_to_write(out: Output, scope: str) -> CommandMemory:
    """Open the memory as ``open_memory`` does; outside of a repository, the universal store if that is the scope."""
    from gitmem.store.scopes import UNIVERSAL
    from gitmem.store.universal import make_universal

    return CommandMemory(open_quietly(out, fallback=make_universal) if scope == UNIVERSAL else open_quietly(out), out)


def open_quietly(out: Output, *, fallback: Callable[[], Repository | None] = lambda: None) -> Memory:
    """Return the memory of the repository in which the command runs, without printing its notices."""
    from gitmem.memory import Memory

    memory = Memory(progress=out.progress, fallback=fallback)
    repository = memory.repository
    if repository.ignoring:
        memory.notices.append(repository.ignoring)
    if option := ignored_git_dir(repository.git.repository):
        memory.notices.append(f"GIT_DIR is ignored; to use that repository: gitmem {option} …")
    if repository.config.color != "auto":
        out.set_color(repository.config.color)
    for notice in unknown_variables():
        out.note(notice)
    return memory


def note_misplaced(paths: Repository, out: Output) -> None:
    """Print what to do about a file in the place of the repository's state folder, if there is one."""
    from gitmem.store.state.foreign_files import describe_misplaced

    if misplaced := describe_misplaced(*paths.states):
        out.note(misplaced)


def print_notices(memory: Memory, out: Output) -> None:
    """Print the memory's notices on standard error; a command that prints while the memory is open calls this first."""
    for notice in memory.notices:
        out.note(notice)
    memory.notices.clear()
