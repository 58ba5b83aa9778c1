"""`gitmem hub`: a person makes a hub, adds repositories, lists and removes them."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import pytest
from support.facts import make_fact, make_memory, put
from support.postgres import HubDatabase, run_sql

from gitmem.document.times import parse_time
from gitmem.hub.database import connected


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stand outside of any repository: a hub needs none."""
    monkeypatch.chdir(tmp_path)


def test_hub_is_made_and_repositories_come_and_go(run_cli, empty_database: HubDatabase) -> None:
    database = ("--database", empty_database.url)

    before = run_cli("hub", *database)
    made = run_cli("hub", "init", *database)
    empty = run_cli("hub", "list", *database)
    added = run_cli("hub", "add", "https://git.example.org/payments/api.git", "--reader", "alice", *database)
    unread = run_cli("hub", "add", "/srv/git/web.git", *database)
    listed = run_cli("hub", *database)
    as_json = json.loads(run_cli("hub", "list", "--json", *database).out)
    removed = run_cli("hub", "remove", "git/web", *database)
    gone = run_cli("hub", "remove", "git/web", *database)
    dropped = run_cli("hub", "init", "--schema", "0", *database)

    assert (before.status, before.out) == (3, "")
    assert "the database has no hub" in before.err
    assert "gitmem hub init" in before.err
    assert made.status == 0
    assert int(made.out) >= 1
    assert (empty.status, empty.out) == (1, "")
    assert (added.status, added.out, added.err) == (0, "payments/api\n", "")
    assert "it has no readers yet" in unread.err
    assert listed.out.splitlines() == [
        "git/web\t/srv/git/web.git\t0\t\t",
        "payments/api\thttps://git.example.org/payments/api.git\t0\talice\t",
    ]
    assert [one["readers"] for one in as_json["repositories"]] == [[], ["alice"]]
    assert (removed.status, removed.out) == (0, "git/web\n")
    assert gone.status == 1
    assert (dropped.status, dropped.out) == (0, "0\n")


def test_database_comes_from_the_environment(run_cli, hub: HubDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = run_cli("hub")
    monkeypatch.setenv("GITMEM_HUB_DATABASE", hub.url)

    assert missing.status == 2
    assert "this command needs the hub's database" in missing.err
    assert run_cli("hub").status == 1


def test_missing_package_is_named_with_the_command_that_installs_it(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    done = run_cli("hub", "--database", "postgresql:///x")

    assert done.status == 3
    assert "the package psycopg is not installed here" in done.err
    assert "-m pip install " in done.err
    assert "'psycopg[binary" in done.err


def test_name_is_refused_for_several_repositories(run_cli) -> None:
    assert run_cli("hub", "add", "/a", "/b", "--name", "x").status == 2


def test_sync_prints_what_changed_and_what_is_wrong(run_cli, hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    database, folder = ("--database", hub.url), ("--folder", str(tmp_path / "data"))
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("storm", "A retry storm"))
    run_cli("hub", "add", str(api), "--name", "api", "--reader", "everyone", *database)
    run_cli("hub", "add", str(tmp_path / "missing"), "--name", "missing", "--reader", "everyone", *database)

    first = run_cli("hub", "sync", *database, *folder)
    named = run_cli("hub", "sync", "api", *database, *folder)
    listed = run_cli("hub", *database)

    assert (first.status, first.out) == (1, "api\n")
    assert "missing cannot be read: " in first.err
    assert (named.status, named.out) == (0, "")
    assert listed.out.splitlines()[0] == f"api\t{api}\t1\teveryone\t"


def test_sync_and_verify_queue_repositories(run_cli, hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    database = ("--database", hub.url)
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_fact("proved"))
    run_cli("hub", "add", str(api), "--name", "api", "--platform", "gpu", "--budget", "60", *database)

    synced = run_cli("hub", "sync", *database, "--folder", str(tmp_path / "data"))
    asked = run_cli("hub", "verify", "api", *database)
    unknown = run_cli("hub", "verify", "nothing", *database)
    refused = run_cli("hub", "add", str(api), "--name", "api", "--platform", "a b", *database)

    assert "1 repository queued for verification" in synced.err
    assert (asked.status, asked.out) == (0, "api\n")
    assert (unknown.status, refused.status) == (1, 2)
    with connected(hub.url) as connection:
        queued = connection.execute("SELECT queue_name, priority FROM public.procrastinate_jobs").fetchall()
        assert queued == [("verify/gpu", 10)]
        assert connection.execute("SELECT budget_s FROM hub.repository").fetchone() == (60,)

    run_sql(
        hub.url,
        "INSERT INTO hub.verification (repository, problem, problem_at, unapproved) VALUES (1, 'it broke', now(), 2)",
        "INSERT INTO public.procrastinate_workers DEFAULT VALUES",
    )
    status = run_cli("hub", "status", *database)
    as_json = json.loads(run_cli("hub", "status", "--json", *database).out)["queue"]

    assert status.status == 1
    assert "verification: 0 running, 1 waiting since " in status.out
    assert "2 facts not judged, because no list approves their commands" in status.out
    assert "1 repository cannot be verified (api)\n  it broke" in status.out
    assert (as_json["waiting"], as_json["running"], as_json["workers"], as_json["unapproved"]) == (1, 0, 1, 2)
    assert [one["problem"] for one in as_json["failures"]] == ["it broke"]


def test_status_counts_and_rebuild_reads_everything_again(
    run_cli, hub: HubDatabase, template: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")  # the times of the database are then nine hours ahead of UTC
    database, folder = ("--database", hub.url), ("--folder", str(tmp_path / "data"))
    api = Path(shutil.copytree(template, tmp_path / "api"))
    put(api, make_memory("storm", "A retry storm"), make_fact("proved"))
    for name in ("api", "gone", "missing"):
        run_cli("hub", "add", str(tmp_path / name), "--name", name, "--reader", "everyone", *database)
    before = json.loads(run_cli("hub", "status", "--json", *database).out)
    run_cli("hub", "sync", *database, *folder)
    run_cli("hub", "remove", "gone", *database)
    synced = run_cli("hub", "status", *database)
    as_json = json.loads(run_cli("hub", "status", "--json", *database).out)
    run_sql(hub.url, "UPDATE hub.memory SET title = 'damaged' WHERE key = 'storm'")

    rebuilt = run_cli("hub", "rebuild", *database, *folder)

    assert (before["repositories"], before["unread"], before["memories"], before["oldest"]) == (3, 3, 0, None)
    assert synced.status == 1
    assert "2 memories of 2 repositories" in synced.out
    assert "1 repository cannot be read (missing)" in synced.out
    listed = json.loads(run_cli("hub", "list", "--json", *database).out)["repositories"]
    times = [as_json["newest"], *(one["synced_at"] for one in listed if one["synced_at"])]
    assert [at for at in times if abs(parse_time(at) - time.time()) > 3600] == []
    assert len(times) > 1
    assert (as_json["memories"], as_json["statuses"], as_json["unread"]) == (2, {"unproven": 1}, 1)
    assert [(one["repositories"], one["names"]) for one in as_json["causes"]] == [(1, ["missing"])]
    assert (rebuilt.status, rebuilt.out) == (1, "api\n")
    with connected(hub.url) as connection:
        titles = connection.execute("SELECT title FROM hub.memory ORDER BY 1").fetchall()
        assert connection.execute("SELECT count(*) FROM hub.repository").fetchone() == (2,)
    assert titles == [("A retry storm",), ("Fact proved",)]
