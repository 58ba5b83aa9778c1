"""What doctor says of the sandbox: as it was found by running it, with what would mend it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import NOW

from gitmem.config import state_home
from gitmem.verify.sandbox import probe, sandbox

PATH = os.environ["PATH"]
UID_MAP = "the sandbox failed: bwrap: setting up uid map: Permission denied"


def test_each_rung_is_reported_as_it_was_probed(tmp_path):
    rows = dict(probe.describe(PATH, tmp_path / "ground"))

    works = [rung for rung in ("bubblewrap", "landlock") if sandbox.works(rung, PATH)]
    assert {name for name, value in rows.items() if value == "works"} == set(works)
    assert rows["sandbox"] == (
        f"commands run in {works[0]}" if works else "only built-in checks run, unless you use --no-sandbox"
    )
    assert ("overlays" in rows) == ("bubblewrap" in works)


def test_where_nothing_works_it_says_so_and_what_to_install(tmp_path):
    rows = dict(probe.describe(str(tmp_path), tmp_path / "ground"))

    assert rows["sandbox"] == "only built-in checks run, unless you use --no-sandbox"
    assert rows["bubblewrap"] == "not installed: no command of a check runs (install bubblewrap)"


def test_without_bubblewrap_it_says_what_landlock_does_not_do(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "why_not", lambda rung, _path: "" if rung == "landlock" else "no such program")

    rows = dict(probe.describe(str(tmp_path), tmp_path / "ground"))

    assert rows["sandbox"] == "commands run in landlock"
    assert rows["bubblewrap"].startswith("not installed: checks can see which other files and processes exist")
    assert "\n" not in rows["bubblewrap"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1\n", "AppArmor"),
        ("kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0\n", "user.max_user_namespaces="),
    ],
)
def test_a_setting_of_the_kernel_is_named(tmp_path, name, value, said):
    for program in ("bin/bwrap", name):
        (tmp_path / program).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / program).write_text(value)
    (tmp_path / "bin" / "bwrap").chmod(0o755)
    path = str(tmp_path / "bin")

    assert said in probe.remedy("bubblewrap", UID_MAP, path, settings=tmp_path)
    (tmp_path / name).write_text("2\n")
    assert said not in probe.remedy("bubblewrap", UID_MAP, path, settings=tmp_path)


def test_what_works_needs_no_remedy():
    assert [probe.remedy(rung, "", "") for rung in ("bubblewrap", "landlock", "seatbelt")] == ["", "", ""]


@pytest.fixture
def asked() -> list[str]:
    return []


def ask(
    asked: list[str], found: str = "bubblewrap", *, now: int = NOW, path: str = PATH, folder: Path | None = None
) -> str:
    return probe.cached_probe("rung", path, lambda: asked.append(found) or found, now=now, folder=folder)


def test_what_works_is_found_out_once_a_day(asked):
    assert [ask(asked, now=NOW + s) for s in (0, 1, 86_399)] == ["bubblewrap"] * 3
    assert len(asked) == 1

    ask(asked, now=NOW + 86_400)
    ask(asked, now=NOW - 10)

    assert len(asked) == 3


def test_that_nothing_works_is_found_out_each_time(asked):
    for found in ("none", "", "none"):
        ask(asked, found)

    assert asked == ["none", "", "none"]


def test_another_program_user_kernel_or_boot_is_probed_again(asked, tmp_path, monkeypatch):
    for name in ("bwrap", "strace"):
        (tmp_path / name).write_text("1", encoding="ascii")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{PATH}"
    ask(asked, path=path)
    ask(asked, path=path)
    assert len(asked) == 1

    (tmp_path / "bwrap").write_text("22", encoding="ascii")
    ask(asked, path=path)
    ask(asked, path=path, folder=tmp_path)
    monkeypatch.setattr(os, "uname", lambda: ("Linux", "host", "6.99", "1", "x86_64"))
    ask(asked, path=path)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    ask(asked, path=path)

    assert len(asked) == 5


@pytest.mark.parametrize("spoil", ["others", "text", "shape"])
def test_file_that_others_can_write_or_that_is_damaged_says_nothing(asked, spoil, tmp_path):
    ask(asked)
    place = Path(state_home()) / "trust" / probe.FILE_NAME
    assert place.stat().st_mode & 0o777 == 0o600
    if spoil == "others":
        place.parent.chmod(0o777)
    else:
        place.write_text({"text": "{", "shape": '{"a": 1}'}[spoil], encoding="ascii")

    ask(asked)

    assert len(asked) == 2


def test_probes_are_forgotten_where_a_sandbox_failed(asked):
    ask(asked)

    probe.forget()
    probe.forget()
    ask(asked)

    assert len(asked) == 2
