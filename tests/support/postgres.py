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


@contextlib.contextmanager
def pooled(postgres: Postgres) -> Iterator[Postgres]:
    """The same server behind pgbouncer in transaction mode, with fewer connections than clients."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pooler-"))
    folder.chmod(0o777)
    settings = {
        "listen_addr": "",
        "unix_socket_dir": str(folder),
        "listen_port": "5432",
        "auth_type": "trust",
        "auth_file": str(folder / "users"),
        "pool_mode": "transaction",
        "default_pool_size": "3",
        "max_client_conn": "100",
    }
    (folder / "users").write_text("".join(f'"{name}" ""\n' for name in ("postgres", OWNER, SERVER)))
    lines = ["[databases]", f"* = host={postgres.socket}", "[pgbouncer]"]
    lines += [f"{name} = {value}" for name, value in settings.items()]
    (folder / "pgbouncer.ini").write_text("\n".join(lines) + "\n")
    with open(folder / "log", "wb") as log:
        argv = [*as_user(), program, str(folder / "pgbouncer.ini")]
        pooler = subprocess.Popen(argv, stdout=log, stderr=log, cwd=folder, env=_environment())
    try:
        _wait(Postgres(str(folder)), pooler, folder / "log")
        yield Postgres(str(folder))
    finally:
        pooler.terminate()
        pooler.wait(60)
        shutil.rmtree(folder)


def find_programs() -> Path | None:
    """Return the folder with PostgreSQL's programs, or None."""
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    folders += [path for place in PLACES for path in sorted(Path("/").glob(place[1:]), reverse=True)]
    return next((one for one in folders if all((one / name).exists() for name in PROGRAMS)), None)


def as_user() -> list[str]:
    """Return the words that start a program as an ordinary user, which ends if this process is killed.

    Without setpriv (util-linux), an ordinary user's goes on after a kill, and root cannot start any.
    """
    if shutil.which("setpriv") is None:
        if not os.getuid():
            pytest.skip("PostgreSQL does not run as root, and setpriv is not installed")
        return []
    user = [] if os.getuid() else ["--reuid=65534", "--regid=65534", "--clear-groups"]
    return ["setpriv", "--pdeathsig=QUIT", *user, "--"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server without durability, on a Unix socket, that ends with the session."""
    folder = make_cluster()
    try:
        with running(folder):
            yield Postgres(str(folder))
    finally:
        shutil.rmtree(folder)


def make_cluster(data: Path | None = None) -> Path:
    """Make the files of a server, in *data* or its own folder; return that. Skip the test without PostgreSQL."""
    pytest.importorskip("psycopg")
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    start = as_user()
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    folder.chmod(0o777)
    if data is not None:
        data.mkdir()
        if not os.getuid():
            os.chown(data, 65534, 65534)
        (folder / "data").symlink_to(data)
    options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "--locale=C.UTF-8"]
    argv = [*start, programs / "initdb", "-D", folder / "data", "-X", folder / "wal", *options]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, cwd=folder, env=_environment())
    return folder


def _environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


@contextlib.contextmanager
def running(folder: Path, *more: str) -> Iterator[None]:
    """Run the server of a folder, with more settings if there are any."""
    settings = (
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "max_connections=60",
        "wal_level=minimal",
        "max_wal_senders=0",
        "shared_buffers=32MB",
    )
    words = [word for one in (*settings, *more) for word in ("-c", one)]
    programs = find_programs()
    assert programs is not None, "make_cluster found them"
    argv = [*as_user(), programs / "postgres", "-D", folder / "data", "-k", folder, "-h", "", *words]
    with open(folder / "log", "ab") as log:
        server = subprocess.Popen(argv, stdout=log, stderr=log, start_new_session=True, cwd=folder, env=_environment())
    try:
        _wait(Postgres(str(folder)), server, folder / "log")
        yield
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait(60)


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
    return make_template(postgres)


def make_template(postgres: Postgres) -> str:
    """Make a database with an empty hub, and the roles of those who use one; return its name."""
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
