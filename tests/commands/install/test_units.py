"""Scheduler files: each format's own programs read back the intended values, for any path."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.commands.install import units
from gitmem.commands.install.units import ScheduledJob
from gitmem.verify.jobs.schedule import HOURS_BY_NAME

ODD = "/home/a b/50% \"x\" 'y' $HOME `id` \\n #\n;é/repo"


def wanted(where: str = "/repo", *, every: str = "6h", hour: int = 1) -> ScheduledJob:
    variables = {"PATH": f"{where}/bin:/usr/bin", "HOME": where}
    return ScheduledJob("gitmem-verify-x-1", ("/usr/bin/printf", "%s|", "-C", where), variables, every, hour, 37)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize("every", HOURS_BY_NAME)
def test_systemd_accepts_the_units(tmp_path: Path, every: str) -> None:
    job = wanted(ODD, every=every)
    (tmp_path / f"{job.name}.service").write_text(units.systemd_service(job), encoding="utf-8")
    (tmp_path / f"{job.name}.timer").write_text(units.systemd_timer(job), encoding="utf-8")

    argv = ["systemd-analyze", "verify", "--man=no", "--user", str(tmp_path / f"{job.name}.timer")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    about_ours = [line for line in done.stderr.split("\n") if job.name in line or str(tmp_path) in line]
    assert about_ours == []


def unescaped(word: str) -> str:
    """Return a word as systemd.syntax(7) and systemd.unit(5) have it read."""
    assert word[0] == word[-1] == '"'
    return word[1:-1].replace("%%", "%").encode("latin-1", "backslashreplace").decode("unicode_escape")


def test_words_are_escaped_for_systemd() -> None:
    text = units.systemd_service(wanted('/a b/50%/$X\n"q"\\'))

    assert 'ExecStart="/usr/bin/printf" "%%s|" "-C" "/a b/50%%/$$X\\n\\"q\\"\\\\"\n' in text
    assert 'Environment="PATH=/a b/50%%/$X\\n\\"q\\"\\\\/bin:/usr/bin" "HOME=/a b/50%%/$X\\n' in text
    assert unescaped('"/50%%\\n\\"q\\"\\\\"') == '/50%\n"q"\\'


CALENDARS = {
    "1h": ("*-*-* *:37:00", "37 * * * *"),
    "6h": ("*-*-* 1/6:37:00", "37 1-23/6 * * *"),
    "daily": ("*-*-* 01:37:00", "37 1 * * *"),
    "weekly": ("Mon *-*-* 01:37:00", "37 1 * * 1"),
}


@pytest.mark.parametrize(("every", "expected"), CALENDARS.items(), ids=CALENDARS)
def test_every_scheduler_gets_the_same_time(every: str, expected: tuple[str, str]) -> None:
    job = wanted(every=every)

    assert f"OnCalendar={expected[0]}\nPersistent=true\n" in units.systemd_timer(job)
    assert f"\n{expected[1]} /bin/sh /s\n" in units.crontab_with("", job, "/s")
    at = plistlib.loads(units.launchd_plist(job).encode())["StartCalendarInterval"]
    assert [(one.get("Hour"), one["Minute"]) for one in at] == {
        "1h": [(None, 37)], "6h": [(1, 37), (7, 37), (13, 37), (19, 37)]
    }.get(every, [(1, 37)])  # fmt: skip


paths = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30)


@settings(max_examples=8)
@given(paths)
def test_shell_reads_the_path_from_the_crontab_line(path: str) -> None:
    line = units.crontab_with("", wanted(), f"/{path}/s.sh").split("\n")[2:-2]

    assert len(line) == 1
    word = line[0].split(" /bin/sh ", 1)[1]
    assert "%" not in word
    done = subprocess.run(["sh", "-c", f"printf '%s.' {word}"], capture_output=True, check=True)
    assert done.stdout.decode() == f"/{path}/s.sh."


def test_script_runs_the_job_with_its_environment(tmp_path: Path) -> None:
    script = tmp_path / "s.sh"
    script.write_text(units.cron_script(wanted(ODD)), encoding="utf-8")

    done = subprocess.run(["sh", str(script)], capture_output=True, check=True, env={"PATH": "/usr/bin:/bin"})

    assert done.stdout.decode() == f"-C|{ODD}|"


@given(st.text(st.sampled_from("a\n#% ")), st.booleans())
def test_removing_our_block_restores_the_crontab(text: str, twice: bool) -> None:
    job = wanted()

    made = units.crontab_with(text, job, "/s")

    assert units.crontab_with(made, wanted(every="daily"), "/s").count("gitmem begin") == 1
    assert units.crontab_without(units.crontab_with(made, job, "/s") if twice else made, job.name) == text
    assert units.crontab_without(made, "gitmem-verify-other-2") == made


def test_plist_contains_the_job() -> None:
    table = plistlib.loads(units.launchd_plist(wanted(ODD.replace("\x01", ""))).encode())

    assert table["ProgramArguments"][-1] == ODD
    assert (table["Label"], table["EnvironmentVariables"]["HOME"]) == ("gitmem-verify-x-1", ODD)
