"""A schedule uses the scheduler that works here; installing twice changes nothing, and removal is complete.

`crontab` and `systemctl` are stand-ins that keep a file and a list of calls: this machine has no cron, and no systemd
that runs for a user. What they are given is real.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NOW
from support.facts import make_fact, put

from gitmem.commands.install import schedule
from gitmem.errors import GitmemError, UsageError
from gitmem.memory import Memory
from gitmem.store.state.background import list_failures
from gitmem.verify.jobs.schedule import Schedule, read_note

_CRONTAB = """#!/bin/sh
case $1 in
  -l) [ -f "$HOME/tab" ] || { echo "no crontab for me" >&2; exit 1; }; cat "$HOME/tab" ;;
  -r) rm "$HOME/tab" ;;
  -) cat > "$HOME/tab" ;;
esac
"""
_SYSTEMCTL = '#!/bin/sh\necho "$@" >> "$HOME/calls"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of somebody whose machine has neither cron nor systemd; ``have`` gives it one."""
    home = tmp_path / "50% home"
    (home / "bin").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (home / "bin" / "git").symlink_to(shutil.which("git"))
    for program in ("sh", "cat", "rm"):
        (home / "bin" / program).symlink_to(shutil.which(program))
    monkeypatch.setenv("PATH", str(home / "bin"))
    return home


def have(home: Path, program: str, text: str) -> None:
    (home / "bin" / program).write_text(text, encoding="utf-8")
    (home / "bin" / program).chmod(0o755)


def everything(folder: Path) -> dict[str, bytes | str]:
    """Return every file and link below a folder, and every folder."""
    return {
        str(path): os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
        if path.name != "calls"
    }


def test_systemd_units_are_written_started_once_and_removed(memory: Memory, repo: Path, home: Path) -> None:
    have(home, "systemctl", _SYSTEMCTL)
    before = everything(home)

    first = schedule.install(memory.repository.git, every="6h", now=memory.repository.now)
    again = schedule.install(memory.repository.git, every="6h", now=memory.repository.now)

    units = home / ".config/systemd/user"
    name = next(units.glob("*.timer")).stem
    assert [step.what for step in first + again] == ["add", "add", "keep", "keep"]
    assert "OnCalendar=*-*-* " in (units / f"{name}.timer").read_text(encoding="utf-8")
    service = (units / f"{name}.service").read_text(encoding="utf-8")
    assert f'"{repo}" "background" "verify"\n' in service
    assert "50%% home" in service
    calls = (home / "calls").read_text(encoding="utf-8").split("\n")
    assert calls.count("--user daemon-reload") == 1
    assert f"--user enable --now {name}.timer" in calls
    assert read_note(str(repo / ".git/gitmem")).every_s == 6 * 3600
    schedule.uninstall(memory.repository.git)
    assert f"--user disable --now {name}.timer" in (home / "calls").read_text(encoding="utf-8")
    assert everything(home) == before
    assert not (repo / ".git/gitmem/schedule.json").exists()
    assert schedule.uninstall(memory.repository.git) == ()


def test_crontab_is_restored_byte_for_byte(memory: Memory, home: Path, repo: Path) -> None:
    have(home, "crontab", _CRONTAB)
    mine = "# mine\n0 5 * * * backup\n"
    (home / "tab").write_text(mine, encoding="utf-8")

    schedule.install(memory.repository.git, every="daily", now=memory.repository.now)
    schedule.install(memory.repository.git, every="daily", now=memory.repository.now)

    tab = (home / "tab").read_text(encoding="utf-8")
    assert tab.startswith(mine)
    assert tab.count("/schedule.sh") == 1
    schedule.uninstall(memory.repository.git)
    assert (home / "tab").read_text(encoding="utf-8") == mine
    assert not (repo / ".git/gitmem/schedule.sh").exists()


def test_schedule_of_another_kind_replaces_the_first(memory: Memory, home: Path) -> None:
    have(home, "crontab", _CRONTAB)
    schedule.install(memory.repository.git, every="daily", now=memory.repository.now)
    have(home, "systemctl", _SYSTEMCTL)

    steps = schedule.install(memory.repository.git, every="daily", now=memory.repository.now)

    assert [step.what for step in steps] == ["remove", "update", "add", "add"]
    assert not (home / "tab").exists()


def test_job_that_cron_starts_verifies_and_leaves_a_line_in_the_log(
    memory: Memory, home: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(home, "crontab", _CRONTAB)
    put(repo, make_fact("a", {"exists": "README.md"}))
    nice = shutil.which("nice", path=os.defpath)
    (home / "bin" / "nice").symlink_to(nice)
    schedule.install(memory.repository.git, every="daily", now=memory.repository.now)
    line = next(line for line in (home / "tab").read_text(encoding="utf-8").split("\n") if "/schedule.sh" in line)

    command = line.split(" ", 5)[5]
    done = subprocess.run(["/bin/sh", "-c", command], env={"HOME": "/"}, capture_output=True, check=False, cwd="/")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "1 due: 1 holds; recorded as " in (repo / ".git/gitmem/background/log").read_text(encoding="utf-8")
    assert list_failures(repo / ".git/gitmem") == []
    with Memory(repo) as later:
        assert later.status().document["jobs"]["last"]["scheduled"]


def test_working_scheduler_is_chosen_or_none(memory: Memory, home: Path) -> None:
    with pytest.raises(GitmemError, match="no scheduler works here: systemd's user manager does not respond, and"):
        schedule.install(memory.repository.git, every="daily", now=memory.repository.now)
    with pytest.raises(UsageError, match="invalid value for --every: 5h"):
        schedule.install(memory.repository.git, every="5h", now=memory.repository.now)
    assert list(home.glob("*")) == [home / "bin"]


def test_units_without_a_user_manager_are_enabled_by_hand(memory: Memory, home: Path, run_cli) -> None:
    ran = run_cli("install", "schedule", "--systemd")

    assert ran.status == 1
    assert "systemctl --user enable --now gitmem-verify-service-" in ran.out


def test_print_shows_everything_and_writes_nothing(memory: Memory, home: Path, repo: Path, run_cli) -> None:
    have(home, "crontab", _CRONTAB)

    ran = run_cli("install", "schedule", "--cron", "--every", "12h", "--print")

    assert ran.status == 0
    assert "+exec nice -n 10 " + sys.executable in ran.out
    assert f"/bin/sh {repo}/.git/gitmem/schedule.sh" in ran.out
    assert not (home / "tab").exists()
    assert not (repo / ".git/gitmem/schedule.sh").exists()


def test_print_for_cron_needs_no_cron_and_an_installation_does(memory: Memory, home: Path, repo: Path, run_cli) -> None:
    printed, installed = (run_cli("install", "schedule", "--cron", *more) for more in (["--print"], []))

    assert (printed.status, installed.status) == (0, 3)
    assert f"/bin/sh {repo}/.git/gitmem/schedule.sh" in printed.out
    assert not (repo / ".git/gitmem/schedule.sh").exists()


def test_units_of_a_moved_repository_are_removed(memory: Memory, repo: Path, home: Path) -> None:
    have(home, "systemctl", _SYSTEMCTL)
    before = everything(home)
    schedule.install(memory.repository.git, every="daily", now=memory.repository.now)
    memory.close()
    moved = repo.rename(repo.parent / "moved")

    with Memory(moved) as other:
        assert other.jobs.schedules() == []
        schedule.uninstall(other.repository.git)

    assert everything(home) == before


def test_option_of_another_target_is_refused(run_cli) -> None:
    assert run_cli("install", "git-hooks", "--every", "daily").status == 2
    assert run_cli("install", "schedule", "--shards", "2").status == 2


def test_schedule_note_names_the_installed_files(memory: Memory, home: Path, repo: Path) -> None:
    have(home, "systemctl", _SYSTEMCTL)
    schedule.install(memory.repository.git, every="24h", now=memory.repository.now)

    note = read_note(str(repo / ".git/gitmem"))
    assert isinstance(note, Schedule)
    assert (note.what, note.every, note.since, note.where) == ("systemd", "daily", NOW, str(repo))
