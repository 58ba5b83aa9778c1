"""A worker: takes jobs from the queue, several at once, and revives those whose worker died.

Each worker beats in the database, and a job of one that stopped beating goes back to the queue, once: if its second
worker also dies, it fails. A worker that was only paused learns before it pushes that its job is no longer its own.
Source: Procrastinate's documentation, "Retry stalled jobs"; its own retry breaks on a second job with the same lock.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path

import psycopg
from procrastinate import App, JobContext, PsycopgConnector, exceptions
from procrastinate.worker import Worker

from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.hub.database import CONNECT_TIMEOUT_S, connected, in_words, transaction
from gitmem.hub.work import jobs
from gitmem.hub.work.verification import Job, Verified, verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Beats until a worker counts as dead.
BEATS = 3
# How often each worker looks for what became due, and how long it waits for a database that went away.
LOOK_S, RECONNECT_S = 60.0, 5.0
# Notifications wake a worker; behind a pooler in transaction mode they do not arrive, and this is how often it looks.
POLL_S = 2.0
# A job that did not begin is tried again after this time, by any worker.
POSTPONE_S = 60
_REVIVE = """
WITH dead AS (
  SELECT j.id, j.attempts > 0 OR EXISTS (
      SELECT FROM public.procrastinate_jobs o WHERE o.queueing_lock = j.queueing_lock AND o.status = 'todo'
    ) AS is_over, j.attempts > 0 AS is_second, (j.args->>'number')::int AS repository
  FROM public.procrastinate_jobs j LEFT JOIN public.procrastinate_workers w ON w.id = j.worker_id
  WHERE j.status = 'doing' AND j.task_name = %(task)s
    AND (w.id IS NULL OR w.last_heartbeat < now() - make_interval(secs => %(dead_s)s))
  FOR UPDATE OF j SKIP LOCKED
), failed AS (
  UPDATE hub.verification v SET problem_at = now(), problem = 'two workers died while they verified it'
  FROM dead d WHERE d.is_second AND v.repository = d.repository
), over AS (
  DELETE FROM public.procrastinate_jobs j USING dead d WHERE j.id = d.id AND d.is_over
)
UPDATE public.procrastinate_jobs j SET status = 'todo', attempts = attempts + 1, worker_id = NULL,
  abort_requested = false, scheduled_at = NULL
FROM dead d WHERE j.id = d.id AND NOT d.is_over
"""
_OURS = """
SELECT EXISTS (SELECT FROM public.procrastinate_jobs WHERE id = %s AND status = 'doing' AND worker_id = %s)
"""
_POSTPONE = f"""
INSERT INTO public.procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
SELECT queue_name, task_name, priority, lock, queueing_lock, args, now() + interval '{POSTPONE_S} seconds'
FROM public.procrastinate_jobs WHERE id = %s
ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING
"""


@frozen
class Plan:
    """How a worker works.

    Attributes:
        url: The database, for the role that owns the tables.
        folder: The folder of the clones.
        jobs: How many repositories it verifies at once.
        platforms: Its labels.
        is_once: Whether it ends when nothing is left to do.
        limit_s: The most seconds that a job may take.
        dead_s: Seconds without a beat after which a worker counts as dead.
    """

    url: str
    folder: Path
    jobs: int = 2
    platforms: tuple[str, ...] = ()
    is_once: bool = False
    limit_s: float = 1800
    dead_s: float = 30


def revive(url: str, dead_s: float) -> int:
    """Put the jobs of dead workers back into the queue, each once; return how many.

    Raises:
        GitmemError: The database cannot be reached.
    """
    with connected(url) as connection, transaction(connection):
        return connection.execute(_REVIVE, {"task": jobs.TASK, "dead_s": dead_s}).rowcount


def work(plan: Plan, *, report: Callable[[Verified], None], note: Callable[[str], None]) -> None:
    """Take jobs until a signal arrives, or until none is left; a job that runs is finished first.

    Args:
        plan: How to work.
        report: Called with what each job did, from any thread.
        note: Called with a message about the worker itself.

    Raises:
        GitmemError: The database cannot be reached at the start.
    """
    _look(plan)
    asyncio.run(_Shift(plan, report, note).run())


def _look(plan: Plan) -> None:
    """Add jobs for what became due, and revive dead workers' jobs.

    In this order: a revived job is taken at once, and its repository would seem due until the new owner is known.
    """
    with connected(plan.url) as connection:
        jobs.add_due(connection)
    revive(plan.url, plan.dead_s)


class _Shift:
    """The time from a worker's start to its end, over restarts of the database."""

    def __init__(self, plan: Plan, report: Callable[[Verified], None], note: Callable[[str], None]) -> None:
        self._plan, self._report, self._note = plan, report, note
        self._ended = asyncio.Event()
        self._worker: Worker | None = None

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self._end)
        while not self._ended.is_set():
            try:
                await self._turn()
                if self._plan.is_once:
                    return
                problem = ""
            except (psycopg.Error, exceptions.ConnectorException, GitmemError) as err:
                cause = err.__cause__ if isinstance(err, exceptions.ConnectorException) else err
                problem = in_words(cause).message if isinstance(cause, psycopg.Error) else str(cause)
                if self._plan.is_once:
                    raise GitmemError(problem) from err
            if self._ended.is_set():
                return
            self._note(f"{problem or 'the connection was lost'}; trying again")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), RECONNECT_S)

    def _end(self) -> None:
        self._ended.set()
        if self._worker is not None:
            self._worker.stop()  # type: ignore[no-untyped-call]

    async def _turn(self) -> None:
        """Work until the end, or until the connection to the database is lost."""
        plan = self._plan
        options = {"connect_timeout": CONNECT_TIMEOUT_S, "prepare_threshold": None, "application_name": "gitmem hub"}
        # The pool's own 30 s, twice, would pass before a worker says that the database went away.
        connector = PsycopgConnector(
            conninfo=plan.url, kwargs=options, min_size=1, max_size=plan.jobs + 3, timeout=CONNECT_TIMEOUT_S
        )
        app = App(connector=connector)
        app.task(name=jobs.TASK, pass_context=True)(self._job)
        async with app.open_async():
            self._worker = Worker(
                app,
                queues=jobs.queues_of(plan.platforms),
                concurrency=plan.jobs,
                wait=not plan.is_once,
                fetch_job_polling_interval=POLL_S,
                delete_jobs="always",
                install_signal_handlers=False,
                update_heartbeat_interval=plan.dead_s / BEATS,
                stalled_worker_timeout=plan.dead_s,
            )
            beside = [asyncio.create_task(job) for job in (self._look_again(), self._beat(app, self._worker))]
            try:
                await self._worker.run()  # type: ignore[no-untyped-call]
            finally:
                self._worker = None
                for task in beside:
                    task.cancel()

    async def _beat(self, app: App, worker: Worker) -> None:
        """Beat until the last job ends: Procrastinate 3.10 stops its own beats before it waits for running jobs."""
        while True:
            await asyncio.sleep(self._plan.dead_s / BEATS)
            if worker.worker_id is not None:
                with suppress(exceptions.ConnectorException):
                    await app.job_manager.update_heartbeat(worker.worker_id)

    async def _look_again(self) -> None:
        """Look again and again; a look that fails is left to the next one, since the worker itself notices."""
        while True:
            await asyncio.sleep(min(LOOK_S, self._plan.dead_s))
            with suppress(GitmemError):
                await asyncio.to_thread(_look, self._plan)

    def _job(self, context: JobContext, number: int) -> None:
        """Verify one repository, in a thread of its own."""
        plan, job, worker = self._plan, context.job.id, context.job.worker_id

        def is_ours() -> bool:
            with connected(plan.url) as connection:
                row = connection.execute(_OURS, (job, worker)).fetchone()
                return bool(row and row[0])

        verified = verify(plan.url, plan.folder, Job(number, plan.limit_s, is_ours))
        if verified.is_postponed:
            with connected(plan.url) as connection:
                connection.execute(_POSTPONE, (job,))
        elif verified.name:
            self._report(verified)
