"""Schedule the verify job on this machine: a systemd user timer, a crontab line, or a launchd agent.

The job fetches, verifies what is due, and pushes the results. The installation is recorded in the state folder, so that
``status`` can report an overdue job, and removed byte for byte.
"""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from pathlib import Path

from gitmem import config
from gitmem.commands.install import place as places
from gitmem.commands.install import units
from gitmem.commands.install.place import ADD, BY_HAND, KEEP, REMOVE, UPDATE, InstallStep
from gitmem.commands.install.units import ScheduledJob
from gitmem.errors import GitmemError, ProcessError, UsageError
from gitmem.frozen import fields_of, replace
from gitmem.system import process, read_regular
from gitmem.system.environment import search_path
from gitmem.verify.jobs.schedule import ALIASES, HOURS_BY_NAME, NOTE, Schedule, read_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git import Git

SYSTEMD, CRON, LAUNCHD = "systemd", "cron", "launchd"
KINDS = (SYSTEMD, CRON, LAUNCHD)
SCRIPT, CRONTAB = "schedule.sh", "crontab"
# The environment needed to find approvals, settings and programs; schedulers start jobs with almost none.
VARIABLES = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
# How long a scheduler's own program may take, in seconds.
ANSWERS_S = 20.0


def every_of(word: str) -> str:
    """Return the interval for a word.

    Raises:
        UsageError: There is no such interval.
    """
    schedule_name = ALIASES.get(word, word)
    if schedule_name not in HOURS_BY_NAME:
        raise UsageError(f"invalid value for --every: {word}", hint=f"choose one of {', '.join(HOURS_BY_NAME)}")
    return schedule_name


def job_of(git: Git, every: str) -> ScheduledJob:
    """Return the job of one repository; its name and time are always the same."""
    where = git.repository.top or git.repository.git
    digest = sha256(os.fsencode(git.repository.common_dir.resolve())).digest()
    hours = HOURS_BY_NAME[every]
    minute = 1 + digest[0] % 58
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in git.repository.name)[:40]
    return ScheduledJob(
        f"gitmem-verify-{slug}-{digest.hex()[:8]}",
        (sys.executable, "-P", "-m", "gitmem", "-C", where, "background", "verify"),
        _variables(),
        every,
        1 + digest[1] % 5 if hours >= units.DAY else digest[1] % hours,
        minute + (minute >= 30),
    )


def _variables() -> dict[str, str]:
    variables = {"PATH": search_path(), "HOME": config.home()}
    variables |= {name: config.variable(name) for name in VARIABLES if config.variable(name)}
    agent = config.variable("SSH_AUTH_SOCK")
    # An SSH agent outside the person's own folder below /run ends with the login session.
    return variables | ({"SSH_AUTH_SOCK": agent} if agent.startswith("/run/") else {})


def choose() -> str:
    """Return the scheduler that works here, by trying it.

    Raises:
        GitmemError: None works.
    """
    if sys.platform == "darwin":
        return LAUNCHD
    if _answers("systemctl", "--user", "show-environment"):
        return SYSTEMD
    if read_crontab() is not None:
        return CRON
    raise GitmemError(
        "no scheduler works here: systemd's user manager does not respond, and there is no crontab",
        hint="see what would be written for systemd: gitmem install schedule --print --systemd\nor use your CI: "
        "gitmem install github",
    )


def _run(*argv: str, input: bytes | None = None, check: bool = True) -> process.ProcessResult:
    """Run a scheduler's own program in this process's environment."""
    return process.run([*argv], env=None, input=input, timeout_s=ANSWERS_S, check=check)


def _answers(*argv: str) -> bool:
    try:
        return _run(*argv, check=False).status == 0
    except ProcessError:
        return False


def read_crontab() -> str | None:
    """Return the person's crontab, empty if they have none; None if cron is not installed."""
    try:
        result = _run("crontab", "-l", check=False)
    except ProcessError:
        return None
    if result.status == 0:
        return os.fsdecode(result.stdout)
    # POSIX defines no status for a missing crontab; every cron uses these words.
    return "" if b"no crontab" in result.stderr.lower() else None


def _write_crontab(text: str) -> None:
    if text:
        _run("crontab", "-", input=os.fsencode(text))
    else:
        _run("crontab", "-r")


def files_of(git: Git, kind: str, job: ScheduledJob) -> dict[Path, str]:
    """Return the texts of the files of one kind of schedule, by path."""
    if kind == SYSTEMD:
        base = config.variable("XDG_CONFIG_HOME")
        folder = Path(base if base.startswith("/") else Path(config.home(), ".config"), "systemd", "user")
        return {
            folder / f"{job.name}.service": units.systemd_service(job),
            folder / f"{job.name}.timer": units.systemd_timer(job),
        }
    if kind == CRON:
        return {git.repository.state_dir / SCRIPT: units.cron_script(job)}
    return {Path(config.home(), "Library", "LaunchAgents", f"{job.name}.plist"): units.launchd_plist(job)}


def plan_install(git: Git, *, every: str, kind: str = "") -> tuple[InstallStep, ...]:
    """Return the steps for installing a schedule; a previous one of another kind is removed.

    Args:
        git: The repository.
        every: The interval.
        kind: One of ``KINDS``, or empty for one that works here.

    Raises:
        UsageError: There is no such time.
        GitmemError: Nothing runs jobs here.
    """
    job = job_of(git, every_of(every))
    kind = kind or choose()
    steps = [
        step for other in KINDS if other != kind for name in _names(git, job) for step in _removals(git, other, name)
    ]
    for path, text in files_of(git, kind, job).items():
        before = read_text(path)
        what = ADD if before is None else KEEP if before == text else UPDATE
        steps.append(InstallStep(what, str(path), f"{kind}, {job.every}", before or "", text))
    if kind == CRON:
        table = read_crontab() or ""  # where cron is not installed, the plan can still be printed
        after = units.crontab_with(table, job, str(git.repository.state_dir / SCRIPT))
        what = KEEP if after == table else UPDATE
        steps.append(InstallStep(what, CRONTAB, "your other lines are kept", table, after))
    elif kind == SYSTEMD and not _answers("systemctl", "--user", "show-environment"):
        message = f"systemd's user manager does not respond here: systemctl --user enable --now {job.name}.timer"
        steps.append(InstallStep(BY_HAND, f"{job.name}.timer", message))
    return tuple(steps)


def install(git: Git, *, every: str, kind: str = "", now: int) -> tuple[InstallStep, ...]:
    """Install a schedule and return what was done; doing it again changes nothing.

    Raises:
        UsageError: There is no such time.
        GitmemError: No scheduler works here, or a file cannot be written.
    """
    job = job_of(git, every_of(every))
    kind = kind or choose()
    if kind == CRON and read_crontab() is None:
        hint = "see what would be written: gitmem install schedule --cron --print"
        raise GitmemError("cron is not installed here: there is no program crontab", hint=hint)
    steps = plan_install(git, every=every, kind=kind)
    old = read_note(git.repository.state)
    if any(_removals(git, other, name) for other in KINDS if other != kind for name in _names(git, job)):
        uninstall(git)
    created = list(old.made if old is not None and old.what == kind else ())
    written = files_of(git, kind, job)
    for path, text in written.items():
        created += _write(path, text)
    file = str([*written][-1])
    if kind == SYSTEMD:
        wants = Path(file).parent / "timers.target.wants"
        created = [str(wants), *created] if not wants.exists() else created
    where = git.repository.top or git.repository.git
    is_unchanged = old is not None and (old.what, old.every, old.where) == (kind, job.every, where)
    note = Schedule(
        kind,
        job.every,
        file,
        old.since if old and is_unchanged else now,
        job.name,
        where,
        tuple(dict.fromkeys(created)),
    )
    _write(git.repository.state_dir / NOTE, json.dumps(fields_of(note)) + "\n")
    _start(kind, job, file, steps)
    return steps


def _start(kind: str, job: ScheduledJob, file: str, steps: Iterable[InstallStep]) -> None:
    changed = any(step.what in (ADD, UPDATE) for step in steps)
    if kind == CRON:
        table = next(step for step in steps if step.path == CRONTAB)
        if table.what != KEEP:
            _write_crontab(table.after)
    elif kind == SYSTEMD and not any(step.what == BY_HAND for step in steps):
        if changed:
            _run("systemctl", "--user", "daemon-reload")
        _run("systemctl", "--user", "enable", "--now", f"{job.name}.timer")
    elif kind == LAUNCHD and changed:
        domain = f"gui/{os.getuid()}"
        _run("launchctl", "bootout", f"{domain}/{job.name}", check=False)
        _run("launchctl", "bootstrap", domain, file)


def plan_uninstall(git: Git) -> tuple[InstallStep, ...]:
    """Return the steps for removing the schedule."""
    job = job_of(git, "daily")
    return tuple(step for kind in KINDS for name in _names(git, job) for step in _removals(git, kind, name))


def uninstall(git: Git) -> tuple[InstallStep, ...]:
    """Remove the schedule and everything that was created for it, and return what was done."""
    steps = plan_uninstall(git)
    job = job_of(git, "daily")
    note = read_note(git.repository.state)
    for kind in KINDS:
        for name in _names(git, job):
            _remove(git, kind, name)
    for folder in note.made if note else ():
        try:
            Path(folder).rmdir()
        except OSError:
            continue  # already removed, or replaced by someone else
    (git.repository.state_dir / NOTE).unlink(missing_ok=True)
    return steps


def _names(git: Git, job: ScheduledJob) -> list[ScheduledJob]:
    """Return the job's name, and its name at the repository's previous location."""
    note = read_note(git.repository.state)
    is_moved = note is not None and note.name not in ("", job.name) and not Path(note.where).exists()
    return [job, replace(job, name=note.name)] if note is not None and is_moved else [job]


def _removals(git: Git, kind: str, job: ScheduledJob) -> list[InstallStep]:
    removals = [(path, read_text(path)) for path in files_of(git, kind, job)]
    steps = [InstallStep(REMOVE, str(path), kind, text) for path, text in removals if text is not None]
    if kind == CRON and steps:
        text = read_crontab() or ""
        after = units.crontab_without(text, job.name)
        steps += [InstallStep(UPDATE, CRONTAB, "your other lines are kept", text, after)] if after != text else []
    return steps


def _remove(git: Git, kind: str, job: ScheduledJob) -> None:
    steps = _removals(git, kind, job)
    if not steps:
        return
    if kind == SYSTEMD:
        _answers("systemctl", "--user", "disable", "--now", f"{job.name}.timer")
    elif kind == LAUNCHD:
        _answers("launchctl", "bootout", f"gui/{os.getuid()}/{job.name}")
    for step in steps:
        if step.path == CRONTAB:
            _write_crontab(step.after)
        else:
            Path(step.path).unlink(missing_ok=True)
    if kind == SYSTEMD:
        _answers("systemctl", "--user", "daemon-reload")


def read_text(path: Path) -> str | None:
    """Return the content of a file; None if there is none.

    Raises:
        GitmemError: It cannot be read.
    """
    try:
        return read_regular(path).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as err:
        raise GitmemError(f"{path} cannot be read: {err.strerror}") from err


def _write(path: Path, text: str) -> list[str]:
    """Write a file atomically, and return the folders created for it, the innermost first."""
    missing = [folder for folder in path.parents if not folder.exists()]
    places.write(path, text)
    return [str(folder) for folder in missing]
