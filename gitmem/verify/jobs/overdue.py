"""Detect schedules that have stopped running verify jobs.

A job that finds nothing due leaves no trace on the branch, so silence means nothing unless facts are waiting. A fact
has been due since some time; if the branch has a newer verdict, a job ran and passed the fact over (it was not
approved, or could not be run there), so that is not silence either.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text.durations import DAY_S, format_duration
from gitmem.verify.jobs.schedule import FORGE_DAYS, MISSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.verify.jobs.history import JobSigns
    from gitmem.verify.jobs.job import Job
    from gitmem.verify.jobs.schedule import Schedule

# Days without a commit after which status warns that the forge will disable the schedules: two weeks to act.
FORGE_WARN_DAYS = FORGE_DAYS - 14


@frozen
class Silence:
    """A problem with the schedules.

    Attributes:
        message: The problem, on one line.
        seconds: How long there was no sign of a job; 0 if the last job did not finish.
    """

    message: str
    seconds: int


def find_silence(
    schedules: Sequence[Schedule], job: Job | None, signs: JobSigns, *, failure: str, now: int
) -> Silence | None:
    """Return a problem if a schedule has left no sign for too long, or if its last run did not finish.

    Args:
        schedules: The schedules of this repository.
        job: The last verify job of this clone.
        signs: What verify jobs have left in the repository.
        failure: Why the last scheduled job failed, or empty.
        now: Epoch seconds.
    """
    verified = signs.last_verdict_time()
    for schedule in schedules:
        late_s = MISSED * schedule.every_s
        if not schedule.is_forge:
            last = max(job.started if job else 0, schedule.since)
            if now - last > late_s:
                message = (
                    f"no verify job has run here for {format_duration(now - last)}, "
                    f"although one should run {schedule.often}: gitmem status"
                )
                return Silence(message, now - last)
        elif now - verified > late_s:
            since = signs.waits_since(now)
            if (
                since
                and now - since > late_s
                and now - signs.came() > late_s
                and now - signs.commit_time(schedule.file) > late_s
            ):
                # It is unknown when the schedule should first have left a sign, but by now it should have.
                never = "the forge's verify job has never recorded a verdict"
                silent = f"the forge's verify job has recorded no verdict for {format_duration(now - verified)}"
                message = silent if verified else never
                message += f", and facts have been waiting for {format_duration(now - since)}: gitmem sync"
                is_off = now - verified > FORGE_DAYS * DAY_S
                off = f"; forges disable schedules after {FORGE_DAYS} days without a commit" if is_off else ""
                return Silence(message + off, now - max(verified, 0) if verified else now - since)
    return Silence(f"the last scheduled verify job failed: {failure}", 0) if failure else None


def describe_soon_off(schedules: Sequence[Schedule], committed: int, now: int) -> str:
    """Return a warning if a forge is about to disable its schedule; else an empty string.

    Args:
        schedules: The schedules of this repository.
        committed: The time of the newest commit of the repository that is known here, epoch seconds.
        now: Epoch seconds.
    """
    idle_days = (now - committed) // DAY_S
    if not any(schedule.what == "github" for schedule in schedules) or not FORGE_WARN_DAYS <= idle_days < FORGE_DAYS:
        return ""
    left = FORGE_DAYS - idle_days
    return (
        f"no commit for {idle_days} days: after {FORGE_DAYS} days, a forge disables the schedule of a public "
        f"repository ({left} day{'s' * (left != 1)} left)"
    )
