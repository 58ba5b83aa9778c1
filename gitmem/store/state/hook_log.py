"""The log of failures in agents' hooks, for ``gitmem doctor``.

A line has the time, the client, the event, the type of the error, and its location in gitmem. It has nothing from the
client's payload or the environment; an error's message is included only if it is about this clone's settings.
"""

from __future__ import annotations

import os
import time

from gitmem.config import second_place
from gitmem.errors import BusyError, ConfigError, GitmemError
from gitmem.frozen import frozen
from gitmem.system import append_file, discard, read_file
from gitmem.text import display
from gitmem.text.secrets import redact

# RFC 3339, UTC: sorts as text.
FORMAT = "%Y-%m-%dT%H:%M:%SZ"
FOLDER = "hooks"
NAME = "log"
# At most twice this many bytes are stored: about 1,500 failures.
LOG_LIMIT = 131_072
MESSAGE_LIMIT = 300


class UnusableError(GitmemError):
    """The client's payload cannot be used; the message quotes none of it."""


# Errors whose messages contain nothing from the client.
WORDED = (UnusableError, ConfigError, BusyError)


@frozen
class HookFailure:
    """One failed call.

    Attributes:
        at: RFC 3339, UTC.
        what: Client, event, error and location, in one line.
    """

    at: str
    what: str


def path_of(state_folder: str | os.PathLike[str]) -> str:
    """Return the path of the log."""
    return os.path.join(state_folder, FOLDER, NAME)


def note(state_folder: str, client: str, event: str, err: BaseException) -> bool:
    """Log a failure, in a second place if the repository's disk fails; return whether it was logged.

    Never raises.

    Args:
        state_folder: The repository's state folder; empty if there is no repository (then nothing is logged there).
        client: The calling client.
        event: The event's name; empty if unknown.
        err: The error.
    """
    if not state_folder:
        return True
    at = time.strftime(FORMAT, time.gmtime())
    line = f"{at} {client[:20]} {event or '-'}: {_describe(err)} ({_place(err)})"
    for path in _paths(state_folder):
        try:
            _append(path, display(line).encode("utf-8", "replace") + b"\n")
            return True
        except OSError:
            continue
    return False


def _paths(state_folder: str | os.PathLike[str]) -> tuple[str, str]:
    return path_of(state_folder), path_of(second_place(state_folder))


def _append(path: str, line: bytes) -> None:
    if os.path.exists(path) and os.stat(path).st_size > LOG_LIMIT:
        os.replace(path, f"{path}.1")
    append_file(path, line)


def list_failures(state_folder: str | os.PathLike[str]) -> list[HookFailure]:
    """Return the logged failures, newest last."""
    failures: list[HookFailure] = []
    for path in (name for last in _paths(state_folder) for name in (f"{last}.1", last)):
        lines = read_file(path).decode("utf-8", "replace").splitlines()
        failures += [HookFailure(at, what) for at, _, what in (line.partition(" ") for line in lines) if what]
    return sorted(failures, key=lambda failure: failure.at)


def forget(state_folder: str | os.PathLike[str]) -> None:
    """Delete the log."""
    for path in _paths(state_folder):
        discard(f"{path}.1")
        discard(path)


def _describe(err: BaseException) -> str:
    name = type(err).__name__
    if isinstance(err, OSError) and err.strerror:
        return f"{name}: {err.strerror}"
    if isinstance(err, WORDED):
        return f"{name}: {redact(' '.join(str(err).split()))[:MESSAGE_LIMIT]}"
    return name


def _place(err: BaseException) -> str:
    """Return where in gitmem an error was raised: the innermost module and line."""
    place, trace = "", err.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("gitmem"):
            place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
