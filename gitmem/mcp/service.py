"""The two threads behind the tools, each with an opened memory, and how errors are reported to a client."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
import unicodedata

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from gitmem.errors import DamagedIndexError, DuplicateError, FormatError, GitmemError
from gitmem.memory.memory_thread import MemoryThread
from gitmem.store.commit import MADE
from gitmem.store.local import is_busy, is_unwritable
from gitmem.text import display
from gitmem.text.fence import fence_text
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from gitmem.memory import Memory

    Answer = TypeVar("Answer")

# Characters of a client's name; those of the clients have a dozen.
NAME_LIMIT = 60
NAMELESS = "mcp-client"
NOTE_LIMIT, ERROR_LIMIT = 600, 2000


class Service:
    """One thread that reads and one that writes: a query never waits for a write that waits for the lock."""

    def __init__(self, start: str, *, clock: Callable[[], float] = time.time) -> None:
        self._reading = MemoryThread(start, clock=clock)
        self._writing = MemoryThread(start, clock=clock)

    def need(self) -> str:
        """Return the repository's git directory.

        Raises:
            NoRepositoryError: There is no repository.
            ConfigError: A setting is wrong.
        """
        return self._reading.need()

    def close(self) -> None:
        """Close both threads."""
        self._reading.close()
        self._writing.close()

    async def read(
        self, context: Context[Any, Any] | None, work: Callable[[Memory], Answer]
    ) -> tuple[Answer, list[str]]:
        """Run *work* on the reading thread; return its result and notices."""
        return await _ask(self._reading, context, work)

    async def write(
        self, context: Context[Any, Any] | None, work: Callable[[Memory], Answer]
    ) -> tuple[Answer, list[str]]:
        """Run *work* on the writing thread; return its result and notices."""
        return await _ask(self._writing, context, work)


async def _ask(
    thread: MemoryThread, context: Context[Any, Any] | None, work: Callable[[Memory], Answer]
) -> tuple[Answer, list[str]]:
    """Return a thread's answer.

    Raises:
        ToolError: The request failed; the message has the reason and the fix.
    """
    try:
        answer, notes = await _ask_twice(thread, work, agent=agent_of(context))
    except DuplicateError as err:
        # Without the title, which is a memory's text: errors are not fenced.
        message, hint = (
            f"{err.key} already says this, or nearly this",
            f"read it with memory_get; to replace it, set supersedes to [{err.key}]",
        )
        raise ToolError(_words(message, hint)) from None
    except GitmemError as err:
        raise ToolError(_refusal(err)) from None
    except (sqlite3.Error, OSError) as err:
        message = _environment(err)
        if not message:
            raise
        raise ToolError(_words(message, "call it again")) from None
    return answer, [redact(display(note))[:NOTE_LIMIT] for note in notes]


async def _ask_twice(thread: MemoryThread, work: Callable[[Memory], Answer], *, agent: str) -> tuple[Answer, list[str]]:
    """Return a thread's answer; if the index was damaged and nothing was written, try once more."""
    count = len(MADE)
    try:
        return await thread.ask(work, agent=agent)
    except DamagedIndexError:
        if len(MADE) > count:
            raise
        return await thread.ask(work, agent=agent)


def _refusal(err: GitmemError) -> str:
    """Return the reason for a refusal; text from a file of the store is fenced."""
    quoted = err.message if isinstance(err, FormatError) else err.quoted
    own = err.message.removesuffix(quoted).rstrip(": ") or "a file of the store cannot be read"
    why = fence_text(quoted[:ERROR_LIMIT], source="the reason, from a file of the store")
    return "\n".join(filter(None, (_words(own, err.hint if not quoted else "gitmem doctor"), why)))


def _words(message: str, hint: str) -> str:
    text = f"{message}\nhint: {hint}" if hint else message
    return redact(display(text, lines=True))[:ERROR_LIMIT]


def _environment(err: Exception) -> str:
    """Return the reason if the environment caused the error; empty if it is a bug."""
    if isinstance(err, sqlite3.OperationalError):
        if is_busy(err):
            return "another process is writing the index"
        return f"cannot write the index: {err}" if is_unwritable(err) else ""
    if isinstance(err, OSError) and err.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EMFILE):
        return f"{os.fsdecode(err.filename or 'the repository')}: {err.strerror}"
    return ""


def agent_of(context: Context[Any, Any] | None) -> str:
    """Return the name that a client gives itself, made safe to store; never empty, since a client is not a person."""
    try:
        params = context.session.client_params if context is not None else None
    except ValueError:  # outside a request
        params = None
    name = params.client_info.name if params is not None else ""
    clean = display(unicodedata.normalize("NFC", " ".join(name[: 4 * NAME_LIMIT].split())))
    return clean[:NAME_LIMIT].strip() or NAMELESS
