"""A search node follows the database: through restarts, lost notifications, other databases and damaged folders."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import NOW
from e2e.test_state_damage import damage
from support.facts import make_memory, put
from support.hubs import add_to, followed, synced
from support.postgres import HubDatabase, Postgres, run_sql
from support.processes import wait_until

from gitmem.errors import GitmemError
from gitmem.hub.database import connected
from gitmem.hub.follower import STATE, SearchNode
from gitmem.hub.identity import make_identity
from gitmem.hub.overview import forget_memories
from gitmem.hub.reading import CONNECTIONS, Reading
from gitmem.hub.records import NAME as RECORDS
from gitmem.hub.registry import remove
from gitmem.hub.search import HubQuery, search


@pytest.fixture
def api(hub: HubDatabase, template: Path, tmp_path: Path) -> Path:
    """A repository with two memories that is in the hub."""
    folder = Path(shutil.copytree(template, tmp_path / "api"))
    put(folder, make_memory("gust", "A retry storm"), make_memory("calm", "After the storm"))
    add_to(hub, folder)
    synced(hub, tmp_path)
    return folder


def keys(node: SearchNode, text: str = "storm") -> list[str]:
    return sorted(one.found.key for one in search(node.engine.view(), node.repositories, HubQuery(text), now=NOW))


def test_node_sees_changes_and_tombstones(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    with followed(hub, tmp_path) as node:
        first = keys(node)
        put(api, make_memory("gust", "A hurricane"), make_memory("new", "Another storm"))
        synced(hub, tmp_path)
        changed = node.catch_up_now()
        second = keys(node)
        with connected(hub.url) as connection:
            remove(connection, "api")
        node.catch_up_now()
        third = (keys(node), node.engine.view().memories, node.repositories)

    assert first == ["calm", "gust"]
    assert changed == 2
    assert second == ["calm", "new"]
    assert third == ([], 0, {})


def test_nothing_of_a_memory_that_went_is_left_in_the_records(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    put(api, make_memory("gust", "A storm of xylophones"), make_memory("calm", "After the zeppelin storm"))
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node:
        before, view = (tmp_path / "node" / "tantivy" / RECORDS).read_bytes(), node.engine.view()
        candidates = [one.found for one in search(view, node.repositories, HubQuery("storm"), now=NOW)]
        put(api, make_memory("gust", "A hurricane"))
        synced(hub, tmp_path)
        node.catch_up_now()
        changed = (tmp_path / "node" / "tantivy" / RECORDS).read_bytes()
        with connected(hub.url) as connection:
            remove(connection, "api")
        node.catch_up_now()
        after = (tmp_path / "node" / "tantivy" / RECORDS).read_bytes()
        texts = view.texts(candidates)

    words = (b"xylophon", b"zeppelin", b"hurrican")
    found = [[word in content for word in words] for content in (before, changed, after)]
    assert found == [[True, True, False], [False, True, True], [False, False, False]]
    assert (len(texts), {*texts}) == (2, {None})  # a search that began before leaves them out


def test_node_goes_on_where_it_stopped(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    with followed(hub, tmp_path):
        pass
    put(api, make_memory("new", "Another storm"))
    synced(hub, tmp_path)

    node = SearchNode(hub.serving, tmp_path / "node")
    changed = node.catch_up_now()
    found = keys(node)
    node.close()

    assert changed == 1
    assert found == ["calm", "gust", "new"]


# What may happen to a node's folder or to the database while it is off; each means that all is read again.
CHANGES = {
    "another hub": "UPDATE hub.hub SET generation = gen_random_uuid()",
    "an older backup": "DELETE FROM hub.memory WHERE key = 'gust'",
}


@pytest.mark.parametrize("name", CHANGES)
def test_other_database_empties_the_index(hub: HubDatabase, api: Path, tmp_path: Path, name: str) -> None:
    with followed(hub, tmp_path):
        pass
    run_sql(hub.admin, CHANGES[name])

    with followed(hub, tmp_path) as node:
        found = (keys(node), node.engine.view().memories)

    left = ["calm"] if name == "an older backup" else ["calm", "gust"]
    assert found == (left, len(left))


def problem_of(action: Callable[[], object]) -> str:
    """What an action cannot do; empty if it did it."""
    try:
        action()
    except GitmemError as err:
        return err.message
    return ""


def names_for_bob(reading: Reading) -> list[str]:
    """The repositories that Bob sees, or why he sees none; connections that the database has closed fail once."""
    for _ in range(CONNECTIONS + 1):
        try:
            return [one.name for one in reading.visible(make_identity("bob", ())).repositories.values()]
        except GitmemError as err:
            problem = err.message
        if "cannot be reached" not in problem:
            break
    return [problem]


def test_backup_that_was_restored_empties_the_index_although_its_new_changes_have_the_same_numbers(
    postgres: Postgres, hub: HubDatabase, api: Path, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = hub.url.partition("?")[0].rpartition("/")[2]
    run_sql(postgres.url(), f"CREATE DATABASE {name}_backup TEMPLATE {name}")
    restored = HubDatabase(*(url.replace(f"/{name}?", f"/{name}_backup?") for url in (hub.url, hub.serving, hub.admin)))
    for database, folder in ((hub, "secret"), (restored, "open")):  # the same number in each
        put(Path(shutil.copytree(template, tmp_path / folder)), make_memory(f"{folder}-storm", f"An {folder} storm"))
        add_to(database, tmp_path / folder)
        synced(database, tmp_path)
    monkeypatch.setattr("gitmem.hub.reading.VISIBLE_S", 1e9)
    names = []

    def history() -> tuple[int, str]:
        return node.history()  # of the node at that time

    with followed(hub, tmp_path) as node:
        before, number = keys(node), node.seq
        readings = [Reading(hub.serving, access, history) for access in (str, lambda: node.access)]
        for reading in readings:
            reading.open()
            names.append(names_for_bob(reading))
        run_sql(
            postgres.url(),
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ('{name}', '{name}_backup')",
            f"ALTER DATABASE {name} RENAME TO {name}_before",
            f"ALTER DATABASE {name}_backup RENAME TO {name}",
        )
        early = [names_for_bob(one) for one in readings]  # before the node has looked

    with followed(hub, tmp_path) as node:
        after = (keys(node), node.seq, node.engine.view().memories)
        for reading in readings:
            names.append(names_for_bob(reading))
            reading.close()
    run_sql(postgres.url(), f"DROP DATABASE {name}_before WITH (FORCE)")

    assert before == ["calm", "gust", "secret-storm"]
    assert early == [["the index of this server does not follow this database yet"], ["api", "secret"]]
    assert names == [["api", "secret"]] * 2 + [["api", "open"]] * 2
    assert after == (["calm", "gust", "open-storm"], number, 3)


def die(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["Records.flush", "Records.erase"])
def test_process_that_is_killed_while_it_writes_leaves_no_text_that_should_be_erased(
    hub: HubDatabase, api: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    put(api, make_memory("gust", "A storm of xylophones"))
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node, monkeypatch.context() as patch:
        put(api, make_memory("gust", "A zeppelin storm"))
        synced(hub, tmp_path)
        patch.setattr(f"gitmem.hub.records.{step}", die)
        with pytest.raises(KeyboardInterrupt):
            node.catch_up_now()
        finished = node.seq
    put(api, make_memory("gust", "A storm"))
    synced(hub, tmp_path)
    again = SearchNode(hub.serving, tmp_path / "node")
    at_start, content = again.seq, (tmp_path / "node" / "tantivy" / RECORDS).read_bytes()
    assert (b"xylophon" in content, b"zeppelin" in content, b"After" in content) == (False, False, True)
    changed, found, count = again.catch_up_now(), keys(again), again.engine.view().memories
    again.close()
    content = (tmp_path / "node" / "tantivy" / RECORDS).read_bytes()

    assert (at_start, changed) == (finished, 1)  # what was finished is kept
    assert (found, count) == (["calm", "gust"], 2)
    assert (b"xylophon" in content, b"zeppelin" in content) == (False, False)


@pytest.mark.parametrize("step", ["Records.flush", "Records.erase"])
def test_changes_that_were_half_applied_and_that_a_backup_took_back_leave_nothing(
    hub: HubDatabase, api: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with followed(hub, tmp_path) as node, monkeypatch.context() as patch:
        put(api, make_memory("new", "A zeppelin storm"))
        synced(hub, tmp_path)
        patch.setattr(f"gitmem.hub.records.{step}", die)
        with pytest.raises(KeyboardInterrupt):
            node.catch_up_now()
    run_sql(hub.admin, "DELETE FROM hub.memory WHERE key = 'new'")
    run_sql(hub.admin, "DELETE FROM hub.history WHERE seq > (SELECT max(seq) FROM hub.memory)")
    with followed(hub, tmp_path) as node:
        found = (keys(node), node.engine.view().memories)

    assert found == (["calm", "gust"], 2)


def test_node_stops_between_batches_and_goes_on_there(
    hub: HubDatabase, api: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.hub.follower.BATCH", 1)
    stop, node = threading.Event(), SearchNode(hub.serving, tmp_path / "node")
    write = SearchNode._write_state

    def write_and_stop(self: SearchNode, erased: Sequence[int]) -> None:
        write(self, erased)
        stop.set()  # during the first batch

    with monkeypatch.context() as patch, connected(hub.serving) as connection:
        patch.setattr(SearchNode, "_write_state", write_and_stop)
        first = (node.catch_up(connection, stop), node.engine.view().memories, node.known_access())
    node.close()
    with followed(hub, tmp_path) as again:
        found = keys(again)
        rest = again.seq - node.seq

    assert first == (1, 1, "")  # and is not up to date
    assert (found, rest) == (["calm", "gust"], 1)


def test_node_that_starts_with_mostly_erased_records_makes_the_index_again(
    hub: HubDatabase, api: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, found, file = [], [], tmp_path / "node" / "tantivy" / RECORDS
    with followed(hub, tmp_path) as node:
        found.append(keys(node))
    sizes.append(file.stat().st_size)
    for number in range(3):  # of two records, one is renewed again and again, by one process after another
        put(api, make_memory("gust", f"A storm, the {number}th"))
        synced(hub, tmp_path)
        with followed(hub, tmp_path) as node:
            found.append(keys(node))
        sizes.append(file.stat().st_size)
    for least in (1_000_000, 0):
        monkeypatch.setattr("gitmem.hub.follower.FREE_BYTES", least)
        with followed(hub, tmp_path) as node:
            found.append(keys(node))
        sizes.append(file.stat().st_size)
    with followed(hub, tmp_path) as node:  # it is whole now, and kept
        assert node.seq
        assert node.catch_up_now() == 0

    assert found == [["calm", "gust"]] * 6
    assert sizes[0] < sizes[1] < sizes[2] < sizes[3] == sizes[4]
    assert sizes[5] < sizes[1]


def test_records_of_another_node_are_not_read_and_the_index_is_made_again(
    hub: HubDatabase, template: Path, tmp_path: Path
) -> None:
    for name in ("secret", "silent"):  # records of the same size
        put(Path(shutil.copytree(template, tmp_path / name)), make_memory(name, f"A {name} storm"))
        add_to(hub, tmp_path / name)
        synced(hub, tmp_path, name)
    with followed(hub, tmp_path) as node:
        hits = search(node.engine.view(), node.repositories, HubQuery("storm"), now=NOW)
        first, second = sorted(node.engine.view().places((one.found.repository_id, one.found.path) for one in hits))
    path = tmp_path / "node" / "tantivy" / RECORDS
    content = path.read_bytes()
    path.write_bytes(content[:first] + content[second:] + content[first:second])

    with followed(hub, tmp_path) as node:
        with pytest.raises(GitmemError, match="is damaged"):
            keys(node)
        node.catch_up_now()
        found = keys(node)

    assert 2 * second == first + len(content)
    assert found == ["secret", "silent"]


def test_index_that_follows_no_longer_is_not_searched(
    hub: HubDatabase, api: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("gitmem.hub.follower.monotonic", lambda: clock[0])
    node = SearchNode(hub.serving, tmp_path / "node")
    try:
        with pytest.raises(GitmemError, match="does not follow"):
            node.view()  # what it has may be a year old
        node.catch_up_now()
        clock[0] += 59.0
        node.view()
        clock[0] += 2.0
        with pytest.raises(GitmemError, match="does not follow"):
            node.view()
    finally:
        node.close()


def lose_disk(node: SearchNode, hub: HubDatabase) -> None:
    node._make_again()


def find_damage(node: SearchNode, hub: HubDatabase) -> None:
    node.engine.records.damage.set()


def restore_other(node: SearchNode, hub: HubDatabase) -> None:
    run_sql(hub.admin, CHANGES["another hub"])


@pytest.mark.parametrize("empty", [lose_disk, find_damage, restore_other])
def test_index_that_was_emptied_is_not_searched_until_it_is_complete(
    hub: HubDatabase, api: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty
) -> None:
    monkeypatch.setattr("gitmem.hub.follower.BATCH", 1)
    stop, write, found = threading.Event(), SearchNode._write_state, []

    def write_and_stop(self: SearchNode, erased: Sequence[int]) -> None:
        write(self, erased)
        stop.set()

    with followed(hub, tmp_path) as node, connected(hub.serving) as connection:
        empty(node, hub)
        with monkeypatch.context() as patch:
            patch.setattr(SearchNode, "_write_state", write_and_stop)
            for _ in range(2):  # batches, after which it has all memories but has not seen that
                stop.clear()
                node.catch_up(connection, stop)
                found.append((node.engine.view().memories, problem_of(node.view), node.looked_at))
        node.catch_up(connection)
        last = node.view().memories

    problem = "the index of this server is being made again"
    assert found == [(1, problem, float("-inf")), (2, problem, float("-inf"))]
    assert last == 2


def damage_index(folder: Path) -> None:
    (folder / "tantivy" / "meta.json").write_text("{")


def damage_state(folder: Path) -> None:
    (folder / STATE).write_text("{")


def age_state(folder: Path) -> None:
    text = (folder / STATE).read_text()
    (folder / STATE).write_text(text.replace('"format": ', '"format": 9'))


def lose_state(folder: Path) -> None:
    (folder / STATE).unlink()


@pytest.mark.parametrize("damage", [damage_index, damage_state, age_state, lose_state])
def test_damaged_folder_is_made_again(hub: HubDatabase, api: Path, tmp_path: Path, damage) -> None:
    with followed(hub, tmp_path):
        pass
    damage(tmp_path / "node")

    with followed(hub, tmp_path) as node:
        assert keys(node) == ["calm", "gust"]
        assert node.engine.view().memories == 2


def test_each_damaged_file_of_the_folder_is_made_again(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    folder, kept = tmp_path / "node", tmp_path / "kept"
    with followed(hub, tmp_path):
        pass
    shutil.copytree(folder, kept)
    wrong = {}
    for name in [path.relative_to(kept) for path in kept.rglob("*") if path.is_file()]:
        for shape in ("missing", "empty", "binary", "half", "deep", "folder", "loop"):
            shutil.rmtree(folder)
            shutil.copytree(kept, folder)
            damage(folder / name, shape)
            with followed(hub, tmp_path) as node:
                if keys(node) != ["calm", "gust"]:
                    wrong[name.name, shape] = keys(node)

    assert wrong == {}


def test_change_that_is_applied_twice_changes_nothing(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    with followed(hub, tmp_path) as node:
        node.seq = 0  # as after a crash between the index and the note of it
        again = node.catch_up_now()

        assert again == 2
        assert node.engine.view().memories == 2


def test_folder_in_use_is_refused_and_left_as_it_is(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    with followed(hub, tmp_path):
        for spoil in (None, age_state, lose_state):  # as a server of another version, or while the other one writes
            if spoil is not None:
                spoil(tmp_path / "node")
            with pytest.raises(GitmemError, match="another process uses"):
                SearchNode(hub.serving, tmp_path / "node")
        is_left = (tmp_path / "node" / "tantivy" / RECORDS).exists()

    assert is_left


def test_two_nodes_follow_through_a_lost_connection(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    with followed(hub, tmp_path, "one") as one, followed(hub, tmp_path, "two") as two:
        threads = [threading.Thread(target=node.follow, args=(stop,)) for node in (one, two)]
        for thread in threads:
            thread.start()
        try:
            put(api, make_memory("new", "Another storm"))
            synced(hub, tmp_path)
            first = wait_until(lambda: "new" in keys(one) and "new" in keys(two))
            run_sql(hub.admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hub_server'")
            put(api, make_memory("later", "A later storm"))
            synced(hub, tmp_path)
            second = wait_until(lambda: "later" in keys(one) and "later" in keys(two))
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    assert first
    assert second


def test_rebuilt_hub_is_followed_from_the_start(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    with followed(hub, tmp_path) as node:
        with connected(hub.url) as connection:
            forget_memories(connection)
        node.catch_up_now()
        empty = keys(node)
        synced(hub, tmp_path)
        node.catch_up_now()

        assert empty == []
        assert keys(node) == ["calm", "gust"]
