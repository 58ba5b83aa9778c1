"""A real PostgreSQL server for the session's tests, and a database with a hub for each test."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

# Where Debian, Ubuntu and Fedora put the programs; `postgres` refuses to run as root.
PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
PROGRAMS = ("initdb", "postgres")
OWNER, SERVER = "hub_owner", "hub_server"
NUMBERS = itertools.count()


@dataclass(frozen=True)
class Postgres:
    """A server that runs: the folder of its socket."""

    socket: str

    def url(self, name: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@/{name}?host={self.socket}"


@dataclass(frozen=True)
class HubDatabase:
    """A database with a hub: its URL for the role that owns the tables, and for the one that serves."""

    url: str
    serving: str
    admin: str


def find_programs() -> Path | None:
    """Return the folder with PostgreSQL's programs, or None."""
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    folders += [path for place in PLACES for path in sorted(Path("/").glob(place[1:]), reverse=True)]
    return next((one for one in folders if all((one / name).exists() for name in PROGRAMS)), None)


def as_user() -> list[str]:
    """Return the words with which a program starts as an ordinary user."""
    return [] if os.getuid() else ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server without durability, on a Unix socket, that ends with the session."""
    pytest.importorskip("psycopg")
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    folder.chmod(0o777)
    data, run = folder / "data", {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}}
    options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "--locale=C.UTF-8"]
    subprocess.run(
        [*as_user(), programs / "initdb", "-D", data, *options], check=True, stdout=subprocess.DEVNULL, **run
    )
    settings = (
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "max_connections=60",
        "wal_level=minimal",
    )
    words = [word for one in (*settings, "max_wal_senders=0", "shared_buffers=32MB") for word in ("-c", one)]
    argv = [*as_user(), programs / "postgres", "-D", data, "-k", folder, "-h", "", *words]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(argv, stdout=log, stderr=log, start_new_session=True, **run)
    try:
        found = Postgres(str(folder))
        _wait(found, server, folder / "log")
        yield found
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait(60)
        shutil.rmtree(folder)


def _wait(found: Postgres, server: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg
    from support.processes import wait_until

    def answers() -> bool:
        assert server.poll() is None, log.read_text()
        try:
            psycopg.connect(found.url()).close()
        except psycopg.OperationalError:
            return False
        return True

    assert wait_until(answers), log.read_text()


def run_sql(url: str, *statements: str) -> None:
    """Run statements, each in its own transaction."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for one in statements:
            connection.execute(one)


@pytest.fixture(scope="session")
def hub_template(postgres: Postgres) -> str:
    """The name of a database with an empty hub, and the roles of those who use one."""
    from gitmem.hub.database import connected
    from gitmem.hub.schema import migrate

    run_sql(
        postgres.url(),
        f"CREATE ROLE {OWNER} LOGIN CREATEROLE CREATEDB",
        f"CREATE DATABASE hub_template OWNER {OWNER}",
    )
    with connected(postgres.url("hub_template", OWNER)) as connection:
        migrate(connection)
    run_sql(postgres.url(), f"CREATE ROLE {SERVER} LOGIN NOINHERIT IN ROLE gitmem_reader, gitmem_follower")
    return "hub_template"


@contextlib.contextmanager
def new_hub(postgres: Postgres, hub_template: str) -> Iterator[HubDatabase]:
    """A database with an empty hub, as long as the context lasts."""
    name = f"hub_{next(NUMBERS)}"
    run_sql(postgres.url(), f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE {hub_template}")
    yield HubDatabase(postgres.url(name, OWNER), postgres.url(name, SERVER), postgres.url(name))
    run_sql(postgres.url(), f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def hub(postgres: Postgres, hub_template: str) -> Iterator[HubDatabase]:
    """A database with an empty hub."""
    with new_hub(postgres, hub_template) as found:
        yield found


@pytest.fixture
def empty_database(postgres: Postgres) -> Iterator[HubDatabase]:
    """A database without a hub."""
    name = f"empty_{next(NUMBERS)}"
    run_sql(postgres.url(), f"CREATE DATABASE {name}")
    yield HubDatabase(postgres.url(name), postgres.url(name), postgres.url(name))
    run_sql(postgres.url(), f"DROP DATABASE {name} WITH (FORCE)")
