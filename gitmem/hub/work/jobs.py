"""The queue: which repositories have something to verify, and one waiting job for each of them.

It is Procrastinate's, on tables of the same database. Its library is needed only to take jobs: adding them is one
statement, so that ``hub sync`` costs no more with 10,000 repositories than without a queue.
"""

from __future__ import annotations

from gitmem.errors import NotFoundError
from gitmem.hub.database import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.hub.database import Connection

TASK, QUEUE = "gitmem.verify", "verify"
# Which job is taken first: one whose code changed, then one that a person waits for, then one that is due by time.
CHANGED, WANTED, DUE = 20, 10, 0
# Facts that no verdict settles (a command that nobody approved, a suspicion) are tried again after this time, and a
# repository that failed after the shorter one, unless its code changes first.
AGAIN = "interval '1 day'"
AFTER_FAILURE = "interval '15 minutes'"
# The queue of a repository's platform; without one, every worker takes its jobs.
_QUEUE = f"'{QUEUE}' || CASE r.platform WHEN '' THEN '' ELSE '/' || r.platform END"
_TODAY = "(now() AT TIME ZONE 'UTC')::date"
_INSERT = f"""
INSERT INTO public.procrastinate_jobs AS j (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
SELECT {_QUEUE}, '{TASK}', d.priority, 'gitmem-verify-' || r.id, 'gitmem-verify-' || r.id,
  jsonb_build_object('number', r.id),
  -- What today's budget does not cover waits until tomorrow.
  CASE WHEN r.budget_s <= (SELECT s.seconds FROM hub.spent s WHERE s.repository = r.id AND s.day = {_TODAY})
    THEN ({_TODAY} + 1) AT TIME ZONE 'UTC' END
FROM due d JOIN hub.repository r ON r.id = d.id
ON CONFLICT (queueing_lock) WHERE status = 'todo'
  DO UPDATE SET priority = excluded.priority WHERE j.priority < excluded.priority
RETURNING id
"""
# A task's gate is not a fact, and what a search hides is not judged. `until` and the hub's times are seconds.
_DUE = f"""
WITH facts AS (
  SELECT repository,
    bool_or(status IN ('suspect', 'unproven')) AS is_open,
    max(CASE WHEN to_timestamp((fields->'proof'->>'until')::bigint) < now()
      THEN to_timestamp((fields->'proof'->>'until')::bigint) END) AS ended
  FROM hub.memory
  WHERE NOT deleted AND kind <> 'task' AND fields->>'hidden' = '' AND fields->'proof' <> 'null'
  GROUP BY repository
), due AS (
  SELECT r.id, CASE WHEN r.code <> v.code OR coalesce(e.print, '') <> v.stated THEN {CHANGED} ELSE {DUE} END AS priority
  FROM facts f JOIN hub.repository r ON r.id = f.repository LEFT JOIN hub.verification v ON v.repository = r.id
    LEFT JOIN hub.stated_print e ON e.repository = r.id
  WHERE r.removed_at IS NULL AND r.problem = '' AND r.code <> ''
    AND NOT (coalesce(v.problem, '') <> '' AND v.tried = r.code AND v.problem_at > now() - {AFTER_FAILURE})
    AND (
      v.at IS NULL OR r.code <> v.code OR coalesce(e.print, '') <> v.stated
      OR f.ended > v.at OR f.ended IS NOT NULL AND v.at < now() - {AGAIN}
      -- A sync that began before the last job's push does not know its commit yet.
      OR f.is_open AND (r.commit <> v.memory AND r.synced_at > v.at OR v.at < now() - {AGAIN})
    )
    -- The next call sees what a running job leaves.
    AND NOT EXISTS (
      SELECT FROM public.procrastinate_jobs b WHERE b.lock = 'gitmem-verify-' || r.id AND b.status = 'doing'
    )
)
{_INSERT}
"""
_NAMED_SQL = f"""
WITH due AS (
  SELECT id, {WANTED} AS priority FROM hub.repository WHERE name = ANY (%s) AND removed_at IS NULL
)
{_INSERT}
"""


def add_due(connection: Connection) -> int:
    """Add a job for each repository with something to verify that has none; return how many were added or moved up.

    That is: its code changed since the last job, or a value of another repository with which it compares; it has none
    behind it; a time to live has passed; or a fact is unproven or suspect and the memory changed or a day passed.
    """
    with transaction(connection):
        return connection.execute(_DUE).rowcount


def add_named(connection: Connection, names: Sequence[str]) -> None:
    """Add a job for each of these repositories, whether something is due or not, ahead of those due by time.

    Raises:
        NotFoundError: The hub has no repository of one of the names.
    """
    with transaction(connection):
        listed = "SELECT name FROM hub.repository WHERE name = ANY (%s) AND removed_at IS NULL"
        known = {row[0] for row in connection.execute(listed, (list(names),))}
        if missing := sorted({*names} - known):
            raise NotFoundError(f"the hub has no repository {missing[0]}", hint="gitmem hub list")
        connection.execute(_NAMED_SQL, (list(names),))


def queues_of(platforms: Sequence[str]) -> list[str]:
    """Return the queues from which a worker with these labels takes jobs."""
    return [QUEUE, *(f"{QUEUE}/{label}" for label in platforms)]
