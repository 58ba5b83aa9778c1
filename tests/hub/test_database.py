"""The door to PostgreSQL: its errors in one line, the order of changes, and what each role can see."""

from __future__ import annotations

import psycopg
import pytest
from support.postgres import HubDatabase, Postgres, run_sql

from gitmem.errors import GitmemError
from gitmem.hub import registry
from gitmem.hub.database import FOLLOWER, READER, Connections, connect, connected, in_words, transaction

ROW = (
    "INSERT INTO hub.memory (repository, path, key, kind, status, owner, language, title, fields, text, blob, digest)"
    " VALUES (%s, %s, %s, 'gotcha', '', '', 'english', 'A title', '{}', 'A text', '', '')"
)


def put(connection, repository: int, key: str) -> None:
    connection.execute(ROW, (repository, f"memories/{key}.md", key))


def add(connection, name: str, *readers: str) -> int:
    registry.add(connection, registry.Entry(f"/srv/{name}.git", name=name, readers=readers))
    return connection.execute("SELECT id FROM hub.repository WHERE name = %s", (name,)).fetchone()[0]


def visible(connection, role: str, identity: str) -> tuple[list[str], list[str]]:
    """Return the repositories and the keys that a role sees for an identity."""
    with transaction(connection):
        connection.execute(f"SET LOCAL ROLE {role}")
        connection.execute("SELECT set_config('gitmem.identity', %s, true)", (identity,))
        names = connection.execute("SELECT name FROM hub.repository ORDER BY 1").fetchall()
        keys = connection.execute("SELECT key FROM hub.memory ORDER BY 1").fetchall()
    return [name for (name,) in names], [key for (key,) in keys]


def test_reader_sees_what_its_principals_may_read_and_nothing_else(hub: HubDatabase) -> None:
    with connected(hub.url) as connection:
        for name, readers in (("api", ("alice", "ops")), ("web", ("bob",)), ("open", ("everyone",)), ("none", ())):
            put(connection, add(connection, name, *readers), f"{name}-key")

    with connected(hub.serving) as connection:
        assert visible(connection, READER, "") == ([], [])
        assert visible(connection, READER, "alice") == (["api"], ["api-key"])
        assert visible(connection, READER, "ops\neveryone") == (["api", "open"], ["api-key", "open-key"])
        assert visible(connection, READER, "ali\nce") == ([], [])
        assert visible(connection, FOLLOWER, "alice")[1] == ["api-key", "none-key", "open-key", "web-key"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM hub.memory",
        "SELECT * FROM hub.reader",
        "SELECT * FROM hub.audit",
        f"SET LOCAL ROLE {READER}; SELECT * FROM hub.audit",
        f"SET LOCAL ROLE {READER}; UPDATE hub.memory SET title = ''",
        f"SET LOCAL ROLE {READER}; INSERT INTO hub.reader VALUES (1, 'mallory')",
        f"SET LOCAL ROLE {READER}; ALTER TABLE hub.memory DISABLE ROW LEVEL SECURITY",
        f"SET LOCAL ROLE {READER}; DELETE FROM hub.audit",
        f"SET LOCAL ROLE {FOLLOWER}; SELECT * FROM hub.reader",
        f"SET LOCAL ROLE {FOLLOWER}; DELETE FROM hub.memory",
    ],
)
def test_role_that_serves_cannot_read_past_the_rules_or_write(hub: HubDatabase, statement: str) -> None:
    with connected(hub.url) as connection:
        put(connection, add(connection, "api", "alice"), "a-key")

    with connect(hub.serving) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(statement)


def test_removed_repository_is_seen_by_no_reader_and_leaves_no_text(hub: HubDatabase) -> None:
    with connected(hub.url) as connection:
        put(connection, add(connection, "api", "alice"), "a-key")
        registry.remove(connection, "api")
        rows = connection.execute("SELECT deleted, key, title, text, fields FROM hub.memory").fetchall()

    assert rows == [(True, "", "", "", {})]
    with connected(hub.serving) as connection:
        assert visible(connection, READER, "alice") == ([], [])


def test_number_is_seen_only_after_every_smaller_one(hub: HubDatabase) -> None:
    with connected(hub.url) as first, connected(hub.url) as second, connected(hub.url) as follower:
        number = add(first, "api")
        first.execute("BEGIN")
        put(first, number, "slow")
        second.execute("BEGIN")
        second.execute("SET LOCAL lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):  # else its larger number could be seen first
            put(second, number, "quick")
        second.execute("ROLLBACK")
        assert follower.execute("SELECT seq FROM hub.memory").fetchall() == []
        first.execute("COMMIT")
        put(second, number, "quick")

        assert follower.execute("SELECT key FROM hub.memory ORDER BY seq").fetchall() == [("slow",), ("quick",)]


def test_each_change_gets_a_new_number_and_is_announced(hub: HubDatabase) -> None:
    with connected(hub.url) as writer, connected(hub.serving) as follower:
        follower.execute("LISTEN gitmem_hub_change")
        number = add(writer, "api")
        put(writer, number, "one")
        before = writer.execute("SELECT seq FROM hub.memory").fetchone()
        writer.execute("UPDATE hub.memory SET title = 'Another', seq = 0")
        after = writer.execute("SELECT seq FROM hub.memory").fetchone()

        assert after > before
        assert [one.channel for one in follower.notifies(timeout=5, stop_after=2)] == ["gitmem_hub_change"] * 2


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://nobody-knows@/none?host={socket}", "cannot be reached"),
        ("postgresql://postgres@/none?host={socket}", "does not exist"),
        ("postgresql://postgres:secret@127.0.0.1:1/x", "cannot be reached"),
        ("postgresql://postgres:secret@[", "not the URL"),
        ("http://postgres:secret@host/x", "not the URL"),
    ],
)
def test_database_that_cannot_be_reached_is_one_line_without_the_password(
    postgres: Postgres, url: str, says: str
) -> None:
    with pytest.raises(GitmemError, match=says) as caught, connected(url.format(socket=postgres.socket)):
        pass

    assert "\n" not in caught.value.message
    assert "secret" not in caught.value.message + caught.value.hint


def test_read_only_database_is_named(hub: HubDatabase) -> None:
    with connect(hub.url) as connection:
        connection.execute("SET default_transaction_read_only = on")
        with pytest.raises(psycopg.Error) as caught:
            registry.add(connection, registry.Entry("/srv/api.git"))

    assert in_words(caught.value).message == "the database is read-only"


def test_statement_that_hangs_ends(hub: HubDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.hub.database.STATEMENT_TIMEOUT_MS", 20)

    with (
        pytest.raises(GitmemError, match="statement timeout"),
        connected(hub.url) as connection,
        transaction(connection),
    ):
        connection.execute("SELECT pg_sleep(30)")


def test_database_without_a_hub_says_so(empty_database: HubDatabase) -> None:
    run_sql(empty_database.url, "SELECT 1")

    with pytest.raises(GitmemError, match="has no hub"), connected(empty_database.url) as connection:
        connection.execute("SELECT * FROM hub.memory")


def test_connections_are_used_again_unless_they_failed_or_the_server_closed_them(hub: HubDatabase) -> None:
    def process(connection) -> int:
        return connection.execute("SELECT pg_backend_pid()").fetchone()[0]

    connections = Connections(hub.url)
    with connections.connected() as one, connections.connected() as other:
        first, second = process(one), process(other)
    with connections.connected() as one:
        again = process(one)
    with pytest.raises(GitmemError, match="the database refuses"), connections.connected() as one:
        one.execute("SELECT 1 / 0")
    with connections.connected() as one:
        remaining = process(one)
    run_sql(hub.admin, f"SELECT pg_terminate_backend({remaining})")
    with connections.connected() as one:
        new = process(one)
    connections.close()

    assert again == first != second
    assert remaining == second
    assert new not in (first, second)
    assert one.closed
