"""The recorded schedules of verify jobs.

They are read from files only, without asking the machine's schedulers, so that ``context`` stays fast.
"""

from __future__ import annotations

import os

from gitmem.frozen import fields_of, frozen
from gitmem.system import only_regular
from gitmem.text import parse_json
from gitmem.text.durations import HOUR_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

NOTE = "schedule.json"
WORKFLOW = ".github/workflows/gitmem.yml"
FORMER_WORKFLOW = ".github/workflows/gitmem-verify.yml"
# Workflow files by forge.
WORKFLOWS = {
    "github": WORKFLOW,
    "forgejo": ".forgejo/workflows/gitmem.yml",
    "gitea": ".gitea/workflows/gitmem.yml",
}
# The first line of our workflows begins with this, followed by the interval and the command that made it.
WORKFLOW_MARK = "# gitmem-verify every "
# Hours between two runs by interval name: intervals that systemd, cron, launchd and a forge's cron all support.
HOURS_BY_NAME = {"1h": 1, "2h": 2, "3h": 3, "4h": 4, "6h": 6, "8h": 8, "12h": 12, "daily": 24, "weekly": 168}
ALIASES = {"hourly": "1h", "24h": "daily", "1d": "daily", "7d": "weekly", "168h": "weekly"}
# A schedule is silent if this many runs in a row left no sign.
MISSED = 3
# Forges disable schedules in repositories without activity for this many days (GitHub: 60).
FORGE_DAYS = 60
FORGES = ("gitlab", *WORKFLOWS)


@frozen
class Schedule:
    """An installed schedule.

    Attributes:
        what: ``systemd``, ``cron``, ``launchd``, or a forge of ``WORKFLOWS``.
        every: Its interval, a key of ``HOURS_BY_NAME``.
        file: The file that defines it.
        since: When it was installed, epoch seconds; 0 if unknown.
        name: Its name in the scheduler.
        where: The folder whose facts its job judges.
        made: Folders that were created for it, the innermost first.
    """

    what: str
    every: str
    file: str
    since: int = 0
    name: str = ""
    where: str = ""
    made: tuple[str, ...] = ()

    @property
    def often(self) -> str:
        """Return its interval in words."""
        return self.every if self.every.endswith("ly") else f"every {self.every}"

    @property
    def every_s(self) -> int:
        """Return the seconds between two runs."""
        return HOURS_BY_NAME[self.every] * HOUR_S

    @property
    def is_forge(self) -> bool:
        """Return whether a forge runs it; its runs are then visible only on the branch."""
        return self.what in FORGES


def read_note(state: str) -> Schedule | None:
    """Return the schedule that was installed on this machine; None if there is none or its record is damaged."""
    try:
        with open(os.path.join(state, NOTE), encoding="utf-8", opener=only_regular) as file:
            table = parse_json(file.read(20_000))
        schedule = Schedule(**{**table, "made": tuple(map(str, table.get("made", ())))})
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    plain = all(type(value) is type(getattr(Schedule("", "", ""), name)) for name, value in fields_of(schedule).items())
    return schedule if plain and schedule.every in HOURS_BY_NAME else None


def list_schedules(state: str, top: str) -> list[Schedule]:
    """Return the schedules of this repository: on this machine, and on the forge by the work tree's workflow file.

    Args:
        state: The repository's state folder.
        top: The work tree, or an empty string.
    """
    note = read_note(state)
    schedules = (
        [note] if note is not None and os.path.isdir(note.where) and os.path.samefile(note.where, top or state) else []
    )
    for forge, path in (*WORKFLOWS.items(), ("github", FORMER_WORKFLOW)):
        try:
            with open(os.path.join(top, path), encoding="utf-8", errors="replace", opener=only_regular) as file:
                mark, is_ours, rest = file.readline(200).partition(WORKFLOW_MARK)
        except OSError:
            continue
        every = rest.split(" ", 1)[0].rstrip(";\n") if is_ours and not mark else ""
        if every in HOURS_BY_NAME:
            return [*schedules, Schedule(forge, every, path)]
    return schedules


def as_table(schedules: Sequence[Schedule]) -> list[dict[str, Any]]:
    """Return schedules as the documented JSON."""
    return [
        {"what": schedule.what, "every": schedule.every, "often": schedule.often, "file": schedule.file}
        for schedule in schedules
    ]
