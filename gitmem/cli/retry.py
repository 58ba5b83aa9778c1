"""Run a command a second time if a damaged index stopped it, after removing all derived data.

One flipped bit in an index can cause any error, in SQLite or in code that reads an impossible row. So every error that
would be reported as a bug removes the indexes of this repository and of the user's own store, and the command runs
again. A bug that has nothing to do with an index occurs again and is then reported.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import os

from gitmem.cli.output import Output
from gitmem.errors import BusyError, DamagedIndexError, GitmemError, UnwritableError
from gitmem.git.repository import discover
from gitmem.store.local import is_busy, is_unwritable
from gitmem.store.state import registration
from gitmem.store.universal import find_universal
from gitmem.system import file_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Not repeated: a person answered their questions, a program talked to them, other machines saw their effects, or they
# append.
NOT_REPEATED = frozenset({"background", "edit", "forge", "mcp", "session", "settle", "trust"})
# Folders that a package of gitmem may come without.
PLUGINS = "gitmem.plugins."
# As an argument, it means standard input, which can be read only once.
STANDARD_INPUT = "-"


def plain(err: Exception) -> Exception:
    """Return SQLite's errors about the machine, and that of a plug-in whose folder was deleted, as gitmem's own.

    They are neither damage nor a bug.
    """
    if isinstance(err, ModuleNotFoundError) and (err.name or "").startswith(PLUGINS):
        name = (err.name or "").removeprefix(PLUGINS).strip("._").partition(".")[0]
        return GitmemError(
            f"this gitmem was installed without its plug-in {name}", hint="install it again, with all of its files"
        )
    if not isinstance(err, sqlite3.OperationalError):
        return err
    if is_busy(err):
        return BusyError("another process is writing the index", hint="run the command again")
    if is_unwritable(err) and "I/O" not in str(err):  # which a cut file can cause as well
        return UnwritableError(f"the index cannot be written: {err}", hint="acknowledged writes are kept")
    return err


def heals(err: Exception, out: Output, arguments: Sequence[str], *, has_written: bool) -> bool:
    """Remove the indexes if the error may come from a damaged one; return whether the command can run again.

    Args:
        err: The error that stopped the command.
        out: The output of the command.
        arguments: The command line, without ``-C DIR``.
        has_written: Whether the command made a commit.
    """
    # An error without a message of gitmem's own may come from a damaged index.
    if isinstance(err, (GitmemError, OSError, EOFError)) and not isinstance(err, DamagedIndexError):
        return False
    # The catalog that raised the error may already have been removed.
    is_removed = _remove_indexes() or isinstance(err, DamagedIndexError)
    if not is_removed or not _is_repeatable(arguments) or out.has_printed or has_written:
        return False
    if isinstance(err, DamagedIndexError):
        out.note("the index was damaged and is being rebuilt")
    return True


def reword(err: Exception, *, is_first: bool, has_written: bool) -> Exception:
    """Return the error to report: the cause if even a new index failed, and no advice to repeat a write.

    Where locks of files do not work, two processes may write an index at once, which looks like damage or a bug.
    """
    if isinstance(err, DamagedIndexError) and not is_first and isinstance(err.__cause__, Exception):
        err = err.__cause__
    if isinstance(err, DamagedIndexError):
        if has_written:
            return GitmemError(
                f"{err.message}; the command had already written to the branch", hint="gitmem list --limit 5"
            )
        return err
    is_known = isinstance(err, (GitmemError, OSError)) and not isinstance(err, FileNotFoundError)
    folder = "" if is_known else _lockless_folder()
    if not folder:
        return err
    what = "it was written; " if has_written else ""
    return UnwritableError(
        f"{what}another command used the index at the same time, because locks do not work in {folder}",
        hint="run one command at a time there, or keep the repository on a file system with locks: gitmem doctor",
    )


def _lockless_folder() -> str:
    """Return the state folder of this repository if locks do not work there; else an empty string."""
    try:
        repository = discover(os.getcwd())  # noqa: PTH109 - where we are
    except (GitmemError, OSError):
        return ""
    return "" if repository is None or file_lock.works(repository.state) else repository.state


def _is_repeatable(arguments: Sequence[str]) -> bool:
    reads_input = any(word == STANDARD_INPUT or word.endswith(f"={STANDARD_INPUT}") for word in arguments)
    return not reads_input and not NOT_REPEATED.intersection(arguments[:1])


def _remove_indexes() -> bool:
    """Remove the indexes of this repository and of the user's own store; return whether there were any."""
    is_removed = False
    for find in (lambda: discover(os.getcwd()), find_universal):  # noqa: PTH109 - where we are
        try:
            repository = find()
            if repository is not None:
                is_removed |= registration.remove_indexes(registration.states_of(repository.common))
        except (GitmemError, OSError):
            continue  # the error that stopped the command is more informative
    return is_removed
