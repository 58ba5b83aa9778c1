"""The files for systemd, cron and launchd, as text, escaped for each format. Pure.

Sources: systemd.syntax(7), systemd.service(5), systemd.unit(5) on specifiers, systemd.time(7); crontab(5);
launchd.plist(5), which was not tried on macOS.
"""

from __future__ import annotations

import plistlib
import shlex

from gitmem.frozen import frozen
from gitmem.verify.jobs.schedule import HOURS_BY_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

WRITTEN = "Written by `gitmem install schedule`, removed by `gitmem uninstall schedule`."
NICE = 10
DAY = 24
# The lines around our part of a crontab; the second form records that we ended the line before.
BEGIN, BEGIN_ENDED, END = "# gitmem begin ", "# gitmem begin (line ended) ", "# gitmem end "


@frozen
class ScheduledJob:
    """A scheduled job.

    Attributes:
        name: Its name: ASCII letters, digits and ``-``.
        argv: The program and its arguments.
        variables: The environment that it needs.
        every: A word of ``HOURS_BY_NAME``.
        hour: The hour: less than the hours between two runs, or at night for a day and more.
        minute: The minute, never the popular full or half hour.
    """

    name: str
    argv: tuple[str, ...]
    variables: Mapping[str, str]
    every: str
    hour: int
    minute: int

    @property
    def hours(self) -> int:
        """Return the hours between two runs."""
        return HOURS_BY_NAME[self.every]


def systemd_service(job: ScheduledJob) -> str:
    """Return the service that the timer starts."""
    environment = " ".join(_systemd(f"{name}={value}") for name, value in job.variables.items())
    # Besides specifiers, systemd replaces variables in a command.
    command = " ".join(_systemd(word).replace("$", "$$") for word in job.argv)
    return (
        f"# {WRITTEN}\n[Unit]\nDescription=gitmem verify ({job.name})\n\n[Service]\nType=oneshot\n"
        f"ExecStart={command}\nEnvironment={environment}\nNice={NICE}\nIOSchedulingClass=idle\n"
    )


def systemd_timer(job: ScheduledJob) -> str:
    """Return the timer; a run missed while the machine was off is made up for."""
    return (
        f"# {WRITTEN}\n[Unit]\nDescription=gitmem verify, {job.every} ({job.name})\n\n[Timer]\n"
        f"OnCalendar={_calendar(job)}\nPersistent=true\nRandomizedDelaySec={min(30, job.hours * 5)}min\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )


def _calendar(job: ScheduledJob) -> str:
    if job.hours >= DAY:
        return f"{'Mon ' if job.hours > DAY else ''}*-*-* {job.hour:02}:{job.minute:02}:00"
    hours = "*" if job.hours == 1 else f"{job.hour}/{job.hours}"
    return f"*-*-* {hours}:{job.minute:02}:00"


# systemd.syntax(7), "Quoting"; a byte that is not text is kept.
_SYSTEMD = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "%": "%%"}


def _systemd(word: str) -> str:
    return '"' + "".join(_SYSTEMD.get(char) or (char if char >= " " else f"\\x{ord(char):02x}") for char in word) + '"'


def cron_script(job: ScheduledJob) -> str:
    """Return the script that cron starts: crontab lines are limited to 1,000 characters, and a PATH may have more."""
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in job.variables.items())
    return f"#!/bin/sh\n# {WRITTEN}\nexport {variables}\nexec nice -n {NICE} {shlex.join(job.argv)}\n"


def crontab_with(text: str, job: ScheduledJob, script: str) -> str:
    """Return a crontab with our block added at the end, or replaced."""
    before = crontab_without(text, job.name)
    begin = BEGIN if before.endswith("\n") or not before else f"\n{BEGIN_ENDED}"
    hours = "*" if job.hours == 1 else str(job.hour) if job.hours >= DAY else f"{job.hour}-23/{job.hours}"
    line = f"{job.minute} {hours} * * {'1' if job.hours > DAY else '*'} /bin/sh {_cron(script)}"
    return f"{before}{begin}{job.name}\n# {WRITTEN}\n{line}\n{END}{job.name}\n"


def crontab_without(text: str, name: str) -> str:
    """Return a crontab without our block, as it was before, byte for byte."""
    end = f"{END}{name}\n"
    for begin in (f"\n{BEGIN_ENDED}{name}\n", f"{BEGIN}{name}\n"):
        start = text.find(begin)
        if start >= 0 and end in text[start:]:
            return text[:start] + text[text.index(end, start) + len(end) :]
    return text


def _cron(path: str) -> str:
    """Return a path as a shell word in a crontab; cron turns ``%`` into a line feed, and has no escape for one."""
    if not any(char in path for char in "%\n\r\\"):
        return shlex.quote(path)
    octal = "".join(char if char.isascii() and (char.isalnum() or char in "/._-") else _octal(char) for char in path)
    return f"\"$(printf '{octal}')\""


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def launchd_plist(job: ScheduledJob) -> str:
    """Return the agent's property list."""
    every: list[dict[str, int]] = [{"Hour": job.hour, "Minute": job.minute}]
    if job.hours == 1:
        every = [{"Minute": job.minute}]
    elif job.hours < DAY:
        every = [{"Hour": hour, "Minute": job.minute} for hour in range(job.hour, DAY, job.hours)]
    elif job.hours > DAY:
        every[0]["Weekday"] = 1
    table = {
        "Label": job.name,
        "ProgramArguments": list(job.argv),
        "EnvironmentVariables": dict(job.variables),
        "StartCalendarInterval": every,
        "Nice": NICE,
        "LowPriorityIO": True,
        "ProcessType": "Background",
    }
    return plistlib.dumps(table, sort_keys=False).decode("utf-8")
