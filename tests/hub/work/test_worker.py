"""Workers as real processes: they take jobs, die at the worst moments, and lose and double nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.each import each
from support.facts import make_fact, put
from support.hubs import add_to, synced
from support.postgres import HubDatabase, run_sql
from support.processes import wait_until

from gitmem.hub.database import connected
from gitmem.hub.work import jobs

pytest.importorskip("procrastinate")
# Long enough for a beat on a machine that runs much else, and longer than a check, so that beats matter.
DEAD_S, CHECK_S = 3, 4


def until(claim: Callable[[], object]) -> bool:
    return wait_until(claim, 240)


@contextmanager
def worker(hub: HubDatabase, folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-m", "gitmem", "hub", "work", "--dead-after", str(DEAD_S), "--folder", str(folder)]
    with subprocess.Popen(
        [*argv, "--database", hub.url, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ask(hub: HubDatabase, query: str) -> list[tuple]:
    with connected(hub.url) as connection:
        return connection.execute(query).fetchall()


def queue(hub: HubDatabase) -> list[tuple[str, int]]:
    return ask(hub, "SELECT status::text, attempts FROM public.procrastinate_jobs ORDER BY id")


@pytest.fixture
def remote(hub: HubDatabase, repo: Path, tmp_path: Path, run_cli) -> Path:
    """A bare repository of the hub with one fact, whose approved command takes longer than a beat may stay away."""
    put(repo, make_fact("slow", f"sleep {CHECK_S} && test -e README.md"))
    commit_files(repo, {".github/gitmem-approved": run_cli("trust", "--print", cwd=repo).out}, "approve")
    folder = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(folder))
    add_to(hub, folder)
    synced(hub, tmp_path)
    return folder


def one_verdict(remote: Path, before: str) -> bool:
    """Return whether exactly one commit came to the memory branch, and it has the verdict."""
    commits = git(remote, "rev-list", f"{before}..memory").splitlines()
    paths = git(remote, "ls-tree", "-r", "--name-only", "memory").splitlines()
    text = "".join(git(remote, "show", f"memory:{path}") for path in paths if path.startswith("verdicts/"))
    return len(commits) == 1 and text.count("holds") == 1


def test_worker_verifies_what_is_due_and_ends(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    before = tip(remote)
    with worker(hub, tmp_path / "a", "--once", "--platform", "gpu") as process:
        out, err = process.communicate(timeout=240)

    assert (process.returncode, err) == (0, "")
    assert out.startswith("verified remote.git: 1 fact judged, 0 failed; pushed ")
    assert one_verdict(remote, before)
    assert queue(hub) == []
    assert ask(hub, "SELECT count(*) FROM public.procrastinate_workers") == [(0,)]


def test_worker_ends_its_job_before_it_obeys_a_signal(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    before = tip(remote)
    with worker(hub, tmp_path / "a") as process:
        assert until(lambda: ask(hub, "SELECT 1 FROM hub.verification") != [])
        process.terminate()
        process.wait(240)

    assert process.returncode == 0
    assert one_verdict(remote, before)


@pytest.mark.parametrize("folder", ["a", "b"])
def test_job_of_a_worker_that_was_killed_in_a_check_runs_again_once(
    hub: HubDatabase, remote: Path, tmp_path: Path, folder: str
) -> None:
    before = tip(remote)
    with worker(hub, tmp_path / "a") as first:
        assert until((tmp_path / "a" / "work" / "1" / "work" / "README.md").exists)
        first.kill()
        first.wait()
    assert queue(hub) == [("doing", 0)]
    with worker(hub, tmp_path / folder) as second:
        assert until(lambda: queue(hub) == [])
        second.terminate()
        out, _ = second.communicate(timeout=240)

    assert out.count("verified remote.git") == 1
    assert one_verdict(remote, before)


def test_worker_that_was_killed_in_a_push_doubles_nothing(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    before, begun = tip(remote), tmp_path / "begun"
    hook = remote / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\ntouch '{begun}'\nsleep 1\n")
    hook.chmod(0o755)
    with worker(hub, tmp_path / "a") as first:
        assert until(begun.exists)
        first.kill()
        first.wait()
    with worker(hub, tmp_path / "b") as second:
        assert until(lambda: queue(hub) == [])
        second.terminate()
        second.communicate(timeout=240)

    assert one_verdict(remote, before)
    assert ask(hub, "SELECT problem, memory FROM hub.verification") == [("", tip(remote))]


def test_paused_worker_does_not_push_what_another_took_over(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    before = tip(remote)
    with worker(hub, tmp_path / "a", "--once") as paused:
        assert until((tmp_path / "a" / "work" / "1" / "work" / "README.md").exists)
        os.kill(paused.pid, signal.SIGSTOP)
        with worker(hub, tmp_path / "b") as second:
            assert until(lambda: queue(hub) == [])
            second.terminate()
            second.communicate(timeout=240)
        os.kill(paused.pid, signal.SIGCONT)
        paused.communicate(timeout=240)

    assert one_verdict(remote, before)


def dead_job(hub: HubDatabase, attempts: int, *more: str) -> None:
    """Leave a job behind, as a worker does that stopped beating a minute ago."""
    with connected(hub.url) as connection:
        jobs.add_due(connection)
    run_sql(
        hub.url,
        "INSERT INTO public.procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 minute')",
        f"UPDATE public.procrastinate_jobs SET status = 'doing', attempts = {attempts}, worker_id = 1",
        "INSERT INTO hub.verification (repository) VALUES (1)",
        *more,
    )


@each(
    ("attempts", "more", "left", "problem"),
    [
        (0, "", [("todo", 1)], ""),
        (0, "DELETE FROM public.procrastinate_workers", [("todo", 1)], ""),
        (0, "UPDATE public.procrastinate_workers SET last_heartbeat = now()", [("doing", 0)], ""),
        (1, "", [], "two workers died while they verified it"),
        # A second job waits for the same repository: the library's own retry would violate its lock.
        (
            0,
            "INSERT INTO public.procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args)"
            " SELECT queue_name, task_name, lock, queueing_lock, args FROM public.procrastinate_jobs",
            [("todo", 0)],
            "",
        ),
    ],
)
def test_what_becomes_of_the_job_of_a_dead_worker(
    hub: HubDatabase, remote: Path, attempts: int, more: str, left: list[tuple[str, int]], problem: str
) -> None:
    from gitmem.hub.work.worker import revive

    tables = "public.procrastinate_jobs, public.procrastinate_workers, hub.verification"
    run_sql(hub.url, f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
    dead_job(hub, attempts, *([more] if more else []))

    revive(hub.url, 30)

    assert queue(hub) == left
    assert ask(hub, "SELECT problem FROM hub.verification") == [(problem,)]
