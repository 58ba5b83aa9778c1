"""Which repositories get a job, and in which order: on the rows that a real sync leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git
from support.facts import make_fact, make_memory, put
from support.hubs import add_to, synced
from support.postgres import HubDatabase, run_sql

from gitmem.errors import NotFoundError
from gitmem.hub.database import connected
from gitmem.hub.registry import Entry, add
from gitmem.hub.work import jobs


def queue(hub: HubDatabase) -> list[tuple[int, int]]:
    """Return the waiting jobs, as pairs of repository and priority, in their order."""
    with connected(hub.url) as connection:
        return connection.execute(
            "SELECT (args->>'number')::int, priority FROM public.procrastinate_jobs WHERE status = 'todo'"
            " AND (scheduled_at IS NULL OR scheduled_at <= now()) ORDER BY priority DESC, id"
        ).fetchall()


def add_due(hub: HubDatabase) -> int:
    with connected(hub.url) as connection:
        return jobs.add_due(connection)


def finish(hub: HubDatabase, *more: str) -> None:
    """Record that the jobs of all repositories were done, as a worker does."""
    run_sql(
        hub.url,
        "DELETE FROM public.procrastinate_jobs",
        "INSERT INTO hub.verification (repository, at, code, memory, tried)"
        " SELECT id, now(), code, commit, code FROM hub.repository"
        " ON CONFLICT (repository) DO UPDATE SET at = now(), code = excluded.code, memory = excluded.memory",
        *more,
    )


@pytest.fixture
def api(hub: HubDatabase, repo: Path, tmp_path: Path) -> Path:
    """A repository of the hub with a fact that nobody verified, and one with a memory alone."""
    put(repo, make_fact("readme", {"exists": "README.md"}))
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(other))
    git(other, "update-ref", "-d", "refs/heads/memory")
    put(other, make_memory("plain", "No fact"))
    add_to(hub, repo, other)
    synced(hub, tmp_path)
    return repo


def test_repository_with_facts_gets_one_job(hub: HubDatabase, api: Path) -> None:
    assert [add_due(hub), add_due(hub)] == [1, 0]
    assert queue(hub) == [(1, jobs.DUE)]


def test_what_is_done_is_not_due_until_something_changes(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    finish(hub)
    synced(hub, tmp_path)
    quiet = add_due(hub)
    commit_files(api, {"new.py": "x = 1\n"}, "a change of the code")
    synced(hub, tmp_path)
    changed = add_due(hub)
    in_order = queue(hub)
    finish(hub)
    put(api, make_fact("license", {"exists": "LICENSE"}))
    synced(hub, tmp_path)

    assert (quiet, changed, in_order) == (0, 1, [(1, jobs.CHANGED)])
    assert add_due(hub) == 1
    assert queue(hub) == [(1, jobs.DUE)]


@pytest.mark.parametrize(
    ("change", "count"),
    [
        # What no verdict settles is tried once a day.
        ("UPDATE hub.verification SET at = now() - interval '2 days'", 1),
        ("UPDATE hub.verification SET at = now() - interval '2 hours'", 0),
        # A time to live that ended since the last job.
        (
            "UPDATE hub.memory SET status = 'verified', fields = jsonb_set(fields, '{proof,until}',"
            " to_jsonb(extract(epoch FROM now() - interval '1 minute')::bigint)) WHERE key = 'readme';"
            "UPDATE hub.verification SET at = now() - interval '1 hour'",
            1,
        ),
        # A failure waits a while, unless the code changes.
        ("UPDATE hub.verification SET at = NULL, problem = 'it broke', problem_at = now()", 0),
        ("UPDATE hub.verification SET at = NULL, problem = 'it broke', problem_at = now(), tried = 'other'", 1),
        ("UPDATE hub.verification SET at = NULL, problem = 'it broke', problem_at = now() - interval '1 hour'", 1),
        ("UPDATE hub.verification SET at = NULL; UPDATE hub.repository SET problem = 'gone'", 0),
        ("UPDATE hub.verification SET at = NULL; UPDATE hub.repository SET code = ''", 0),
        ("UPDATE hub.verification SET at = NULL; UPDATE hub.repository SET removed_at = now()", 0),
    ],
)
def test_what_is_due_by_time(hub: HubDatabase, api: Path, change: str, count: int) -> None:
    finish(hub, *change.split(";"))

    assert add_due(hub) == count


def test_code_comes_before_a_person_and_a_person_before_time(hub: HubDatabase, api: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("second", "third")]
    for folder in folders:
        git(tmp_path, "clone", "-q", "--bare", str(api), str(folder))
    add_to(hub, *folders)
    synced(hub, tmp_path)
    add_due(hub)
    with connected(hub.url) as connection:
        jobs.add_named(connection, ["third"])
        connection.execute("INSERT INTO hub.verification (repository, at, code) SELECT 3, now(), 'old'")
    add_due(hub)

    assert queue(hub) == [(3, jobs.CHANGED), (4, jobs.WANTED), (1, jobs.DUE)]


def test_running_job_gets_no_second_one_until_it_ends(hub: HubDatabase, api: Path) -> None:
    add_due(hub)
    run_sql(hub.url, "UPDATE public.procrastinate_jobs SET status = 'doing'")

    assert add_due(hub) == 0


def test_used_up_budget_waits_until_tomorrow(hub: HubDatabase, api: Path) -> None:
    with connected(hub.url) as connection:
        add(connection, Entry(str(api), name=api.name, budget_s=60))
    run_sql(hub.url, "INSERT INTO hub.spent VALUES (1, (now() AT TIME ZONE 'UTC')::date, 61)")

    assert add_due(hub) == 1
    assert queue(hub) == []


def test_platform_has_a_queue_of_its_own(hub: HubDatabase, api: Path) -> None:
    with connected(hub.url) as connection:
        add(connection, Entry(str(api), name=api.name, platform="gpu"))
        jobs.add_due(connection)
        queues = connection.execute("SELECT queue_name FROM public.procrastinate_jobs").fetchall()

    assert queues == [("verify/gpu",)]
    assert jobs.queues_of(["linux/amd64", "gpu"]) == ["verify", "verify/linux/amd64", "verify/gpu"]


def test_unknown_name_adds_no_job(hub: HubDatabase, api: Path) -> None:
    with connected(hub.url) as connection, pytest.raises(NotFoundError, match="no repository nothing"):
        jobs.add_named(connection, [api.name, "nothing"])

    assert queue(hub) == []
