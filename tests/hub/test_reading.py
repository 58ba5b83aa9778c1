"""Readers share what is alike for all of them, for seconds, and never what only some of them may read."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from support.facts import make_memory, put
from support.hubs import add_to, synced
from support.postgres import HubDatabase, run_sql

from gitmem.errors import GitmemError
from gitmem.hub import links
from gitmem.hub.database import FOLLOWER, READER, connected
from gitmem.hub.follower import ACCESS, POLL_S
from gitmem.hub.identity import make_identity
from gitmem.hub.reading import Reading

BOB, DORA, EVE = (make_identity(name, ()) for name in ("bob", "dora", "eve"))
ALICE = make_identity("alice", ("payments",))


@pytest.fixture
def hub_with_suspicion(hub: HubDatabase, template: Path, tmp_path: Path) -> HubDatabase:
    """A memory that everyone may read rests on a failed one that only the payments team may read."""
    for name, memory in (
        ("api", make_memory("port", "The port")),
        ("web", make_memory("client", "The client", requires=["api:port"])),
    ):
        put(Path(shutil.copytree(template, tmp_path / name)), memory)
    add_to(hub, tmp_path / "api", readers=("@payments",))
    add_to(hub, tmp_path / "web")
    synced(hub, tmp_path)
    run_sql(hub.admin, "UPDATE hub.memory SET status = 'failed' WHERE key = 'port'")
    return hub


@pytest.fixture
def reading(hub_with_suspicion: HubDatabase) -> Iterator[Reading]:
    made = Reading(hub_with_suspicion.serving)
    made.open()
    yield made
    made.close()


def count_looks(monkeypatch: pytest.MonkeyPatch, before: Callable[[], object] = lambda: None) -> list[int]:
    """Return a list that grows with each look for suspicion, before which something may happen."""
    looks: list[int] = []

    def find(connection):  # type: ignore[no-untyped-def]
        looks.append(1)
        before()
        return links.find_suspicions(connection)

    monkeypatch.setattr("gitmem.hub.reading.find_suspicions", find)
    return looks


def test_readers_of_the_same_repositories_share_one_look_for_suspicion(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = count_looks(monkeypatch)

    found = [reading.visible(one) for one in (BOB, ALICE, DORA, ALICE, EVE)]

    assert [len(one.suspicions) for one in found] == [0, 1, 0, 1, 0]
    assert [len(one.repositories) for one in found] == [1, 2, 1, 2, 1]
    assert len(looks) == 2


def test_access_that_is_granted_during_a_look_is_not_shared(
    reading: Reading, hub_with_suspicion: HubDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def grant() -> None:
        add_to(hub_with_suspicion, tmp_path / "api", readers=("@payments", "bob"))

    count_looks(monkeypatch, grant)

    assert not reading.visible(BOB).suspicions
    assert not reading.visible(DORA).suspicions


def test_what_is_shared_is_believed_no_longer_than_what_is_not(
    reading: Reading, hub_with_suspicion: HubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("gitmem.hub.reading.monotonic", lambda: clock[0])
    carol = make_identity("carol", ("payments",))
    assert reading.visible(ALICE).suspicions
    run_sql(hub_with_suspicion.admin, "UPDATE hub.memory SET status = 'verified' WHERE key = 'port'")
    clock[0] = 9.0
    shared = reading.visible(carol).suspicions
    clock[0] = 10.5

    assert shared
    assert not reading.visible(carol).suspicions


def test_rights_that_are_taken_back_at_once_are_not_remembered(hub_with_suspicion: HubDatabase) -> None:
    with connected(hub_with_suspicion.url) as connection:
        seen = connection.execute(ACCESS).fetchone()[0]  # by a node that looks before and after, or at another replica
    reading = Reading(hub_with_suspicion.serving, lambda: seen)
    reading.open()
    try:
        run_sql(hub_with_suspicion.admin, "INSERT INTO hub.reader SELECT id, 'bob' FROM hub.repository")
        during = len(reading.visible(BOB).repositories)
        run_sql(hub_with_suspicion.admin, "DELETE FROM hub.reader WHERE principal = 'bob'")
        after = len(reading.visible(BOB).repositories)
    finally:
        reading.close()

    assert (during, after) == (2, 1)


# Changes, and whether the fingerprint of who may read what is another one after each.
MARKED = [
    ("INSERT INTO hub.reader SELECT id, 'bob' FROM hub.repository", True),
    ("DELETE FROM hub.reader WHERE principal = 'bob'", True),  # as it was before: still another one
    ("UPDATE hub.reader SET principal = 'dora' WHERE principal = 'everyone'", True),
    ("UPDATE hub.repository SET removed_at = now() WHERE name = 'web'", True),
    ("UPDATE hub.repository SET removed_at = NULL", True),
    ("INSERT INTO hub.repository (name, url, branch) VALUES ('new', '/new', 'memory')", True),
    ("DELETE FROM hub.repository WHERE name = 'new'", True),
    ("TRUNCATE hub.reader", True),
    ("UPDATE hub.hub SET generation = gen_random_uuid()", True),
    ("UPDATE hub.repository SET synced_at = now(), commit = ''", False),
    ("UPDATE hub.memory SET status = 'stale'", False),
]


def test_each_change_of_rights_is_another_fingerprint_which_only_changes_make(
    hub_with_suspicion: HubDatabase,
) -> None:
    found = []
    with connected(hub_with_suspicion.admin) as connection:

        def look() -> str:
            return str(connection.execute(ACCESS).fetchone()[0])

        seen = {look()}
        for statement, _ in MARKED:
            connection.execute(statement)
            found.append((statement, look() not in seen))
            seen.add(look())
    for role in (READER, FOLLOWER):
        for statement in (
            "UPDATE hub.access SET mark = mark",
            "DELETE FROM hub.access",
            "CREATE TEMP TABLE mine ();"
            " CREATE TRIGGER own AFTER INSERT ON mine FOR EACH STATEMENT EXECUTE FUNCTION hub.mark_access()",
        ):
            with connected(hub_with_suspicion.serving) as connection:
                connection.execute(f"SET ROLE {role}")
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)

    assert found == MARKED


def test_rights_are_believed_for_a_minute_while_the_fingerprint_is_known_and_the_same(
    hub_with_suspicion: HubDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, access = [0.0], ["one"]
    monkeypatch.setattr("gitmem.hub.reading.monotonic", lambda: clock[0])
    monkeypatch.setattr("gitmem.hub.reading.VISIBLE_S", 1e9)
    reading = Reading(hub_with_suspicion.serving, lambda: access[0])
    reading.open()

    def counts(fingerprint: str, after: float = 0.0) -> int:
        clock[0], access[0] = clock[0] + after, fingerprint
        monkeypatch.setattr("gitmem.hub.reading.ACCESS", f"SELECT '{fingerprint}'")
        return len(reading.visible(ALICE).repositories)

    try:
        first = counts("one")
        add_to(hub_with_suspicion, tmp_path / "api", readers=("dora",))
        found = [counts("one", 59.0), counts("one", 2.0)]
        add_to(hub_with_suspicion, tmp_path / "api", readers=("@payments",))
        found += [counts("one"), counts("two"), counts("two")]
        add_to(hub_with_suspicion, tmp_path / "api", readers=("dora",))
        found += [counts("two"), counts("")]  # not known: what was believed a moment ago counts no longer
        add_to(hub_with_suspicion, tmp_path / "api", readers=("@payments",))
        found += [counts(""), counts("")]
    finally:
        reading.close()

    assert [first, *found] == [2, 2, 1, 1, 2, 2, 2, 1, 2, 2]


@pytest.mark.parametrize(
    ("arrives", "mark", "waits", "problem"),
    [
        (True, "00000000-0000-0000-0000-000000000001", 1, ""),
        (True, "00000000-0000-0000-0000-000000000002", 1, "does not follow this database yet"),
        (False, "00000000-0000-0000-0000-000000000001", 1, "does not follow this database yet"),
        (None, "00000000-0000-0000-0000-000000000001", 0, ""),
        (None, "00000000-0000-0000-0000-000000000002", 0, "does not follow this database yet"),
    ],
    ids=["arrives", "another arrives", "never", "there", "another is there"],
)
def test_replica_without_the_last_change_of_the_index_is_asked_once_more(
    hub: HubDatabase, monkeypatch: pytest.MonkeyPatch, arrives: bool | None, mark: str, waits: int, problem: str
) -> None:
    waited: list[float] = []
    arrive = "INSERT INTO hub.history VALUES (1000, '00000000-0000-0000-0000-000000000001')"

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if arrives:
            run_sql(hub.admin, arrive)

    monkeypatch.setattr("gitmem.hub.reading.sleep", wait)
    if arrives is None:
        run_sql(hub.admin, arrive)
    looks = count_looks(monkeypatch)
    reading = Reading(hub.serving, history=lambda: (1000, mark))
    reading.open()
    try:
        with pytest.raises(GitmemError, match=problem) if problem else contextlib.nullcontext():
            reading.visible(BOB)
    finally:
        reading.close()

    assert (waited, len(looks)) == ([POLL_S] * waits, int(not problem))
