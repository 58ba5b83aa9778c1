"""The options that the commands of the hub share."""

from __future__ import annotations

import threading
from pathlib import Path
from time import time

from gitmem.config import state_home, variable
from gitmem.document.times import format_time
from gitmem.errors import GitmemError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from gitmem.cli.arguments import ArgumentParser, Arguments
    from gitmem.cli.output import Output

VARIABLE = "GITMEM_HUB_DATABASE"
# Characters of a text in a log.
LOGGED = 500


def add_database(parser: ArgumentParser) -> None:
    """Add ``--database``."""
    about = f"the hub's database: postgresql://USER@HOST/NAME ({VARIABLE}); a password belongs in ~/.pgpass"
    parser.add_argument("--database", default="", metavar="URL", help=about)


def utc(at: datetime | None) -> str | None:
    """Format a time of the database, which is one of its own time zone."""
    return format_time(int(at.timestamp())) if at else None


def database_of(args: Arguments) -> str:
    """Return the URL of the database.

    Raises:
        UsageError: None is given.
        GitmemError: The packages of the hub are not installed.
    """
    try:
        import psycopg  # noqa: F401 - the room below needs it
    except ModuleNotFoundError as err:
        if err.name != "psycopg":
            raise
        from gitmem.system.origin import extra_hint

        raise GitmemError("the package psycopg is not installed here", hint=extra_hint("hub")) from err
    url: str = args.database or variable(VARIABLE)
    if not url:
        raise UsageError("this command needs the hub's database", hint="--database postgresql://USER@HOST/NAME")
    return url


def add_folder(parser: ArgumentParser) -> None:
    """Add ``--folder``."""
    about = "the folder for data that can be rebuilt ($XDG_STATE_HOME/gitmem/hub)"
    parser.add_argument("--folder", default="", metavar="DIR", help=about)


def folder_of(args: Arguments) -> Path:
    """Return the folder for data that can be rebuilt."""
    return Path(args.folder or f"{state_home()}/hub").absolute()


def add_log(parser: ArgumentParser) -> None:
    """Add ``--log-json``."""
    about = "write what happens to standard error as JSON, one event on a line, without tokens and queries"
    parser.add_argument("--log-json", action="store_true", help=about)


class Log:
    """What happens in a program that runs for long: notes for people, or events as JSON.

    Attributes:
        is_json: Whether it is JSON.
    """

    def __init__(self, out: Output, *, is_json: bool) -> None:
        """Print to standard error; threads may share the log."""
        self._out, self.is_json = out, is_json
        self._lock = threading.Lock()

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        """Print an event, if the log is JSON."""
        if self.is_json:
            cut = {name: value[:LOGGED] if isinstance(value, str) else value for name, value in fields.items()}
            with self._lock:
                self._out.event({"at": format_time(int(time())), "event": name, **cut})

    def note(self, text: str) -> None:
        """Print a note in either form."""
        if self.is_json:
            self.event("note", {"text": text})
        else:
            with self._lock:
                self._out.note(text)
