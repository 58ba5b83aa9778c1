"""The door to PostgreSQL: connections, transactions, and one clear line for each of its errors.

Nothing here needs a session between transactions, so that a pooler in transaction mode works.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress

import psycopg
from psycopg import errors

from gitmem.errors import GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Connection = psycopg.Connection[Any]

# What its libraries log is also an error that reaches a caller, who says it in one line.
for _name in ("psycopg", "psycopg.pool", "procrastinate"):
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False
# The roles in which `serve` reads: for one identity, and for the search index. Neither owns a table.
READER, FOLLOWER = "gitmem_reader", "gitmem_follower"
CONNECT_TIMEOUT_S = 5
# Longer than any statement of the hub takes; a lock that nobody releases must not stop a process forever.
STATEMENT_TIMEOUT_MS = 120_000
# How it refuses a value that it cannot store, and nothing else.
REFUSALS = (
    psycopg.DataError,
    psycopg.IntegrityError,
    errors.ProgramLimitExceeded,
    errors.StatementTooComplex,
)
# What the database says of itself, in words for the person who runs it.
_STATES = {
    errors.DiskFull: ("the disk of the database is full", "free space on it, and run the command again"),
    errors.ReadOnlySqlTransaction: ("the database is read-only", "use the primary's URL, not that of a replica"),
    errors.InsufficientPrivilege: ("the database refuses this role", "use the role that ran: gitmem hub init"),
    errors.InvalidCatalogName: ("the database does not exist", "create it: createdb NAME"),
    errors.UndefinedTable: ("the database has no hub", "gitmem hub init"),
    errors.InvalidSchemaName: ("the database has no hub", "gitmem hub init"),
}


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """Yield a connection to the database; the errors of PostgreSQL become errors of one line.

    Raises:
        GitmemError: The database cannot be reached, or refuses a statement.
    """
    with worded(), connect(url) as connection:
        yield connection


class Connections:
    """Connections to a database that threads use in turn: opening one costs as much as writing 40 memories."""

    def __init__(self, url: str) -> None:
        """Use a database; no connection is opened yet."""
        self._url = url
        self._idle: list[Connection] = []

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Yield a connection, as the function of this name does; one that failed is not used again.

        Raises:
            GitmemError: The database cannot be reached, or refuses a statement.
        """
        with worded():
            connection = self._take()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            self._idle.append(connection)

    def _take(self) -> Connection:
        """Return a connection that works: the server may have closed one that was idle."""
        while self._idle:
            connection = self._idle.pop()
            with suppress(psycopg.Error):
                connection.execute("SELECT")
                return connection
            connection.close()
        return connect(self._url)

    def close(self) -> None:
        """Close the connections that nothing uses."""
        while self._idle:
            self._idle.pop().close()


def connect(url: str) -> Connection:
    """Open a connection in which each statement is a transaction, unless ``connection.transaction()`` begins one.

    Raises:
        psycopg.Error: The URL is wrong, or the database cannot be reached.
    """
    return psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=CONNECT_TIMEOUT_S,
        application_name="gitmem hub",
        prepare_threshold=None,  # a pooler may send the next transaction to another server process
    )


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Run a transaction with a limit on the time of each statement."""
    with connection.transaction():
        connection.execute(f"SET LOCAL statement_timeout = {STATEMENT_TIMEOUT_MS}")
        yield


@contextmanager
def worded() -> Iterator[None]:
    """Turn errors of PostgreSQL into errors of one line; no line contains the URL, which may hold a password."""
    try:
        yield
    except psycopg.Error as err:
        raise in_words(err) from err


def in_words(err: psycopg.Error) -> GitmemError:
    """Return an error of PostgreSQL in one line, with what to do about it."""
    for kind, (message, hint) in _STATES.items():
        if isinstance(err, kind):
            return GitmemError(message, hint=hint)
    reason = " ".join(str(err.diag.message_primary or err).split())
    if isinstance(err, psycopg.ProgrammingError) and err.sqlstate is None:
        return GitmemError("this is not the URL of a database", hint="--database postgresql://USER@HOST/NAME")
    if isinstance(err, psycopg.OperationalError):
        if err.sqlstate is None and "does not exist" in reason and "database" in reason:
            message, hint = _STATES[errors.InvalidCatalogName]
            return GitmemError(message, hint=hint)
        return GitmemError(f"the database cannot be reached: {reason}", hint="start PostgreSQL, or give --database URL")
    return GitmemError(f"the database refuses: {reason}")
