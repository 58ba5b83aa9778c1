"""Detect schedules that have stopped running verify jobs.

A job that finds nothing due leaves no sign on the branch, so that its silence means nothing while nothing waits. What
waits was due since some moment; where the branch has a verdict from after that moment, a job ran and passed it over
(nobody approved it, it could not be run there), which is not silence either.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text.durations import DAY_S, lasted
from gitmem.verify.jobs.schedule import FORGE_DAYS, MISSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.verify.jobs.job import Job
    from gitmem.verify.jobs.schedule import Schedule

# Days without a commit after which status warns that the forge will disable the schedules: two weeks to act.
FORGE_WARN_DAYS = FORGE_DAYS - 14


@frozen
class Silence:
    """What is wrong with the schedules.

    Attributes:
        message: It, on one line.
        seconds: For how long there was no sign; 0 where the last job did not get to its end.
    """

    message: str
    seconds: int


def find_silence(
    schedules: Sequence[Schedule],
    job: Job | None,
    *,
    failure: str,
    verified: int,
    waits_since: Callable[[], int],
    came: Callable[[], int],
    installed: Callable[[str], int],
    now: int,
) -> Silence | None:
    """Return what is wrong where a schedule left no sign for too long, or its last run did not get to its end.

    Args:
        schedules: What should run.
        job: The last verify job of this clone.
        failure: What the last scheduled job failed of, or empty.
        verified: When the branch's newest verdict was made, epoch seconds.
        waits_since: Tells since when the oldest thing waits that no job passed over; 0 where nothing waits.
        came: Tells when the newest verdict was recorded that was fetched and not merged yet, epoch seconds, or 0.
        installed: Tells when a forge got a schedule's file, epoch seconds; before that it could not run it.
        now: Epoch seconds.
    """
    for one in schedules:
        late_s = MISSED * one.every_s
        if not one.is_forge:
            last = max(job.started if job else 0, one.since)
            if now - last > late_s:
                message = (
                    f"no verify job has run here for {lasted(now - last)}, although one should run {one.often}: "
                    "gitmem status"
                )
                return Silence(message, now - last)
        elif now - verified > late_s:
            since = waits_since()
            if since and now - since > late_s and now - came() > late_s and now - installed(one.file) > late_s:
                # Nobody knows when it would have left one; since then, it should have.
                never = "the forge's verify job has never recorded a verdict"
                silent = f"the forge's verify job has recorded no verdict for {lasted(now - verified)}"
                message = silent if verified else never
                message += f", and facts have been waiting for {lasted(now - since)}: gitmem sync"
                is_off = now - verified > FORGE_DAYS * DAY_S
                off = f"; forges disable schedules after {FORGE_DAYS} days without a commit" if is_off else ""
                return Silence(message + off, now - max(verified, 0) if verified else now - since)
    return Silence(f"the last scheduled verify job failed: {failure}", 0) if failure else None


def describe_soon_off(schedules: Sequence[Schedule], committed: int, now: int) -> str:
    """Return one line where a forge is about to switch its schedule off, or an empty one.

    Args:
        schedules: What should run.
        committed: When the newest commit of the repository was made that is known here, epoch seconds.
        now: Epoch seconds.
    """
    idle_days = (now - committed) // DAY_S
    if not any(one.what == "github" for one in schedules) or not FORGE_WARN_DAYS <= idle_days < FORGE_DAYS:
        return ""
    left = FORGE_DAYS - idle_days
    return (
        f"no commit for {idle_days} days: after {FORGE_DAYS} days, a forge disables the schedule of a public "
        f"repository ({left} day{'s' * (left != 1)} left)"
    )
