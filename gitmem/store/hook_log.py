"""The log of failures in agents' hooks, for ``gitmem doctor``.

A line says when, which harness, which event, what kind of error, and where in gitmem it was raised. Nothing of what the
harness told is there, nor of the environment: an error's own words only where they are about this clone's settings.
"""

from __future__ import annotations

import os
import time

from gitmem.config import second_place
from gitmem.errors import BusyError, ConfigError, GitmemError
from gitmem.frozen import frozen
from gitmem.system.file_lock import make_folder, open_private
from gitmem.text.sanitize import display
from gitmem.text.secrets import redact

# RFC 3339, UTC: sorts as text.
FORMAT = "%Y-%m-%dT%H:%M:%SZ"
FOLDER = "hooks"
NAME = "log"
# Twice this many bytes are kept: some 1,500 failures.
LOG_LIMIT = 131_072
MESSAGE_LIMIT = 300


class UnusableError(GitmemError):
    """What a harness told cannot be used; its words repeat nothing of it."""


# Errors whose words hold nothing that a harness told.
WORDED = (UnusableError, ConfigError, BusyError)


@frozen
class HookFailure:
    """One failed call.

    Attributes:
        at: RFC 3339, UTC.
        what: Harness, event, error and place, in one line.
    """

    at: str
    what: str


def path_of(state_folder: str | os.PathLike[str]) -> str:
    """Return where the log is."""
    return os.path.join(state_folder, FOLDER, NAME)


def note(state_folder: str, harness: str, event: str, err: BaseException) -> bool:
    """Note a failure, in a second place where the repository's disk does not take it; tell whether it is noted.

    Never raises.

    Args:
        state_folder: The repository's state folder; empty where there is no repository, where nothing is expected.
        harness: Who called.
        event: What happened, by our name of it; empty where that is not known.
        err: What went wrong.
    """
    if not state_folder:
        return True
    at = time.strftime(FORMAT, time.gmtime())
    line = f"{at} {harness[:20]} {event or '-'}: {_describe(err)} ({_place(err)})"
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
    make_folder(os.path.dirname(path))
    if os.path.exists(path) and os.stat(path).st_size > LOG_LIMIT:
        os.replace(path, f"{path}.1")
    fd = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with os.fdopen(fd, "ab") as file:
        file.write(line)


def list_failures(state_folder: str | os.PathLike[str]) -> list[HookFailure]:
    """Return what failed, the newest last; empty where nothing did."""
    found: list[HookFailure] = []
    for path in (name for last in _paths(state_folder) for name in (f"{last}.1", last)):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read(2 * LOG_LIMIT).splitlines()
        except OSError:
            continue
        found += [HookFailure(at, what) for at, _, what in (line.partition(" ") for line in lines) if what]
    return sorted(found, key=lambda failure: failure.at)


def forget(state_folder: str | os.PathLike[str]) -> None:
    """Delete the log."""
    for path in (name for last in _paths(state_folder) for name in (f"{last}.1", last)):
        try:
            os.unlink(path)
        except OSError:
            continue


def _describe(err: BaseException) -> str:
    name = type(err).__name__
    if isinstance(err, OSError) and err.strerror:
        return f"{name}: {err.strerror}"
    if isinstance(err, WORDED):
        return f"{name}: {redact(' '.join(str(err).split()))[:MESSAGE_LIMIT]}"
    return name


def _place(err: BaseException) -> str:
    """Return the innermost place of gitmem where it was raised: module and line."""
    place, trace = "", err.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("gitmem"):
            place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
