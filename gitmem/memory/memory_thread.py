"""One thread with one opened memory, which answers clients' requests one after another.

SQLite's connections belong to the thread that made them, and a server should not open everything again for each
request. Answers are up to date all the same: before each request it checks the tip, and reopens the memory if
the repository moved, its settings changed or something failed.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gitmem.config import git_config_files, state_home
from gitmem.errors import GitmemError, NoRepositoryError
from gitmem.index.catalog import FILE_NAME
from gitmem.memory import Memory
from gitmem.store.proposal import PROPOSAL_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Answer = TypeVar("Answer")
    _Fingerprint = tuple[tuple[int, ...] | None, ...]

# Exit status 1 (the answer is no) and 2 (wrong request) leave the open memory usable (errors.exit_status).
_ANSWERED = (1, 2)


class MemoryThread:
    """One thread with an opened memory."""

    def __init__(self, start: str, *, clock: Callable[[], float] = time.time) -> None:
        """Set the repository.

        Args:
            start: A folder of the repository, absolute.
            clock: Returns epoch seconds.
        """
        self._start = start
        self._clock = clock
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gitmem")
        self._memory: Memory | None = None
        self._seen: _Fingerprint = ()

    def need(self) -> str:
        """Return the repository's git directory.

        Raises:
            NoRepositoryError: There is no repository.
            ConfigError: A setting is wrong.
        """
        return self._thread.submit(lambda: self._current().repository.git.repository.common).result()

    async def ask(self, work: Callable[[Memory], Answer], *, agent: str) -> tuple[Answer, list[str]]:
        """Run *work* on the memory in this thread; return its result and further notices.

        Args:
            work: Reads or writes.
            agent: The client, by the name it gives itself.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._work, work, agent)

    def close(self) -> None:
        """Close the memory after the requests under way."""
        self._thread.submit(self._drop)
        self._thread.shutdown()

    def _work(self, work: Callable[[Memory], Answer], agent: str) -> tuple[Answer, list[str]]:
        memory = self._current()
        memory.repository.agent = agent
        memory.notices.clear()
        try:
            answer = work(memory)
        except Exception as err:
            if not isinstance(err, GitmemError) or err.exit_status not in _ANSWERED:
                self._memory = None
                memory.__exit__(type(err), err, err.__traceback__)  # reports a damaged index
            raise
        return answer, [*memory.notices]

    def _current(self) -> Memory:
        if self._memory is not None and _fingerprint(self._memory) != self._seen:
            self._drop()
        if self._memory is None:
            self._memory = Memory(self._folder(), clock=self._clock)
            self._seen = _fingerprint(self._memory)
        return self._memory

    def _folder(self) -> str:
        """Return the repository's folder: the original one, or the new location of the current directory."""
        if Path(self._start).is_dir():
            return self._start
        try:
            return str(Path.cwd())  # the current directory under its new name
        except OSError:
            message = f"{self._start} no longer exists: the repository was moved or deleted"
            raise NoRepositoryError(message, hint="start it again in its new location") from None

    def _drop(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()


def _fingerprint(memory: Memory) -> _Fingerprint:
    """Return a value that changes when the repository is replaced, or its settings or index change."""
    repository = memory.repository.git.repository
    files = (repository.common, f"{repository.state}/{FILE_NAME}", f"{repository.state}/{PROPOSAL_FILE}")
    places = tuple(map(_numbers, files))
    # Approvals also decide which settings count.
    settings = (*git_config_files(repository.common), f"{state_home()}/trust")
    return (*places, *(_numbers(path, ("st_mtime_ns", "st_size")) for path in settings))


def _numbers(path: str, more: tuple[str, ...] = ()) -> tuple[int, ...] | None:
    try:
        info = Path(path).stat()
    except OSError:
        return None
    return (info.st_dev, info.st_ino, *(getattr(info, name) for name in more))
