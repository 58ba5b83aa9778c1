"""The schema of the database: numbered migrations as SQL files, each with a way up and a way down.

All steps of one run are one transaction under an advisory lock, so several machines may start at once, and a step that
fails leaves the schema as it was.
"""

from __future__ import annotations

from pathlib import Path

from psycopg import sql

from gitmem.errors import GitmemError
from gitmem.hub.database import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.hub.database import Connection

FOLDER = Path(__file__).parent / "migrations"
# The letters "gitm" as a number: any constant that other programs in the database do not lock.
LOCK = 0x6769746D
_INCLUDE = "-- include procrastinate\n"
# Every role may read the version: a server, which owns nothing, refuses the wrong one.
_VERSIONS = """
CREATE TABLE IF NOT EXISTS public.gitmem_hub_schema (version integer PRIMARY KEY, at timestamptz NOT NULL);
GRANT SELECT ON public.gitmem_hub_schema TO PUBLIC
"""


def newest() -> int:
    """Return the version of the schema that this program uses."""
    return max(_steps(".up.sql"))


def version_of(connection: Connection) -> int:
    """Return the version of the database's schema; 0 if it has none."""
    table = connection.execute("SELECT to_regclass('public.gitmem_hub_schema')").fetchone()
    if table is None or table[0] is None:
        return 0
    row = connection.execute("SELECT coalesce(max(version), 0) FROM public.gitmem_hub_schema").fetchone()
    return int(row[0]) if row else 0


def require(connection: Connection) -> None:
    """Raise an error unless the database has the schema that this program uses.

    Raises:
        GitmemError: The schema is missing, older or newer.
    """
    version, wanted = version_of(connection), newest()
    if version == 0:
        raise GitmemError("the database has no hub", hint="gitmem hub init")
    if version < wanted:
        message = f"the database has version {version} of the schema, and this gitmem needs {wanted}"
        raise GitmemError(message, hint="gitmem hub init")
    _refuse_newer(version, wanted)


def migrate(connection: Connection, to: int | None = None) -> tuple[int, int]:
    """Bring the schema to a version, up or down, and return the version before and after.

    Args:
        connection: A connection of the role that owns the tables, or will.
        to: The version; None for the newest.

    Raises:
        GitmemError: The database's schema is newer than this program, or there is no such version.
    """
    ups, downs = _steps(".up.sql"), _steps(".down.sql")
    wanted = max(ups) if to is None else to
    if wanted not in (0, *ups):
        raise GitmemError(f"there is no version {wanted} of the schema", hint=f"choose one from 0 to {max(ups)}")
    with transaction(connection):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        connection.execute(_VERSIONS)
        found = version_of(connection)
        _refuse_newer(found, max(ups))
        for version in range(found + 1, wanted + 1):
            connection.execute(_text(ups[version]))
            connection.execute("INSERT INTO public.gitmem_hub_schema VALUES (%s, now())", (version,))
        for version in range(found, wanted, -1):
            connection.execute(_text(downs[version]))
            connection.execute("DELETE FROM public.gitmem_hub_schema WHERE version = %s", (version,))
    return found, wanted


def _refuse_newer(found: int, wanted: int) -> None:
    if found > wanted:
        message = f"the database has version {found} of the schema, and this gitmem knows up to {wanted}"
        raise GitmemError(message, hint="install the version that last changed this database")


def _steps(end: str) -> dict[int, Path]:
    """Return the files of one direction by version."""
    return {int(path.name.split("_")[0]): path for path in sorted(FOLDER.glob(f"*{end}"))}


def _text(path: Path) -> sql.SQL:
    """Return the statements of a step, with those of the queue's library where the step includes them.

    Raises:
        GitmemError: The library is not installed.
    """
    text = path.read_text(encoding="utf-8")
    if _INCLUDE in text:
        try:
            from procrastinate.schema import SchemaManager
        except ModuleNotFoundError as err:
            if err.name != "procrastinate":
                raise
            from gitmem.system.origin import extra_hint

            raise GitmemError("the package procrastinate is not installed here", hint=extra_hint("hub")) from err
        # It expects its tables in `public`, wherever this role creates others.
        text = text.replace(_INCLUDE, f"SET LOCAL search_path = public;\n{SchemaManager.get_schema()}")
    return sql.SQL(text)
