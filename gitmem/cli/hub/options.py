"""The options that the commands of the hub share."""

from __future__ import annotations

from pathlib import Path

from gitmem.config import state_home, variable
from gitmem.document.times import format_time
from gitmem.errors import GitmemError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from gitmem.cli.arguments import ArgumentParser, Arguments

VARIABLE = "GITMEM_HUB_DATABASE"


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
    about = "the folder for data that can be made again ($XDG_STATE_HOME/gitmem/hub)"
    parser.add_argument("--folder", default="", metavar="DIR", help=about)


def folder_of(args: Arguments) -> Path:
    """Return the folder for data that can be made again."""
    return Path(args.folder or f"{state_home()}/hub").absolute()
