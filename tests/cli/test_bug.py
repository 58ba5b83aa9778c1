"""A bug leaves a report that can be handed on: versions, the traceback, and no secret."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from gitmem import __version__
from gitmem.cli import status
from gitmem.cli.bug import write_report
from gitmem.config import state_home

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def raised(message: str) -> Exception:
    try:
        raise RuntimeError(message)
    except RuntimeError as err:
        return err


def reports() -> list[Path]:
    return sorted((Path(state_home()) / "log").glob("bug-*.txt"))


def test_report_has_versions_arguments_and_the_traceback() -> None:
    hint = write_report(raised("boom"), ["recall", "how"])

    text = reports()[0].read_text()
    assert f"gitmem {__version__}, Python 3." in text
    assert "arguments: ['recall', 'how']" in text
    assert "RuntimeError: boom" in text
    assert f"the traceback is in {reports()[0]}" in hint


def test_report_has_no_secret_and_no_control_character() -> None:
    write_report(raised(f"boom {TOKEN} \x1b[2J"), ["remember", f"it is {TOKEN}"])

    text = reports()[0].read_text()
    assert TOKEN not in text
    assert "[secret: github-token]" in text
    assert "\x1b" not in text


def test_report_is_for_its_owner_only() -> None:
    write_report(raised("boom"), [])

    assert stat.S_IMODE(reports()[0].parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(reports()[0].stat().st_mode) & 0o077 == 0


def test_each_bug_has_a_report_of_its_own() -> None:
    for _ in range(3):
        write_report(raised("boom"), [])

    assert len(reports()) == 3


def test_last_place_is_reported_if_no_report_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))

    hint = write_report(raised("boom"), [])

    assert "test_bug.py" in hint
    assert "Python 3." in hint


def test_bug_exits_with_70_and_names_its_report(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise KeyError(f"{TOKEN} \x1b[2J")

    monkeypatch.setattr(status, "run", broken)

    done = run_cli("status")

    assert (done.status, done.out) == (70, "")
    assert done.err.startswith("gitmem: error: this is a bug in gitmem: KeyError: ")
    assert str(reports()[0]) in done.err
    assert TOKEN not in done.err + reports()[0].read_text()
    assert "\x1b" not in done.err
