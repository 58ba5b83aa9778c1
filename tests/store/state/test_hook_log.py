"""What failed in hooks: one line each, bounded, without what anybody told; ``doctor`` shows it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support.each import each

from gitmem.config import second_place
from gitmem.errors import BusyError, ConfigError, ProcessError, RefusedError
from gitmem.store.state import hook_log


def raised(err: BaseException) -> BaseException:
    """Return an error as it is caught."""
    try:
        raise err
    except BaseException as caught:  # noqa: BLE001
        return caught


def noted(state: Path, err: BaseException) -> str:
    hook_log.note(str(state), "codex", "tool", raised(err))
    return hook_log.list_failures(state)[-1].what


@each(
    ("err", "expected"),
    [
        (ConfigError("git config: x must be true", file="", key="x"), "ConfigError: git config: x must be true"),
        (BusyError("the lock\nis held"), "BusyError: the lock is held"),
        (ConfigError("token is AKIA" + "Q7ZWNM3LK2PXR5TB", file="", key="x"), "ConfigError: token is [aws-access-key]"),
        (RefusedError("line 3 of it has a secret"), "RefusedError"),
        (ProcessError("git said no", argv=["git", "a path"]), "ProcessError"),
        (ValueError("a prompt"), "ValueError"),
        (PermissionError(13, "Permission denied", "/a/path"), "PermissionError: Permission denied"),
    ],
    ids=["settings", "lock", "secret", "refused", "program", "any", "system"],
)
def test_error_is_described_in_its_own_words_only_where_they_are_ours(
    tmp_path: Path, err: Exception, expected: str
) -> None:
    what = noted(tmp_path, err)

    assert what.startswith(f"codex tool: {expected} (") or "secret" not in expected
    assert "a prompt" not in what
    assert "path" not in what
    assert "AKIA" not in what


def test_place_is_the_innermost_of_ours(tmp_path: Path) -> None:
    from gitmem.git.repository import discover

    try:
        discover("/")
    except Exception as err:  # noqa: BLE001
        hook_log.note(str(tmp_path), "codex", "", err)

    [failure] = hook_log.list_failures(tmp_path)
    assert failure.what.startswith("codex -: OutsideError (gitmem.git.repository:")


def test_log_is_turned_over_and_stays_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_log, "LOG_LIMIT", 1_000)
    for _ in range(60):
        noted(tmp_path, ValueError())

    log = Path(hook_log.path_of(tmp_path))
    sizes = [log.stat().st_size, Path(f"{log}.1").stat().st_size]
    assert max(sizes) < 1_200
    assert len(hook_log.list_failures(tmp_path)) > 10
    assert log.stat().st_mode & 0o77 == 0


def test_failure_that_the_disk_does_not_take_is_noted_in_a_second_place(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    assert hook_log.note("", "codex", "tool", ValueError()), "nothing is expected outside a repository"
    (state / hook_log.FOLDER).write_text("a file is in the way")

    assert hook_log.note(str(state), "codex", "tool", ValueError())
    assert len(hook_log.list_failures(state)) == 1
    hook_log.forget(state)
    assert hook_log.list_failures(state) == []

    second = Path(second_place(state))
    (second / hook_log.FOLDER).rmdir()
    (second / hook_log.FOLDER).write_text("in the way, too")
    assert not hook_log.note(str(state), "codex", "tool", ValueError())


def test_name_with_control_characters_is_made_harmless(tmp_path: Path) -> None:
    hook_log.note(str(tmp_path), "\x1b[31mred\nline", "tool", ValueError())

    assert "\x1b" not in Path(hook_log.path_of(tmp_path)).read_text()
    assert len(hook_log.list_failures(tmp_path)) == 1


def test_doctor_shows_the_failures_of_a_week_in_one_line(memory, run_cli) -> None:
    state = memory.repository.git.repository.state
    noted(Path(state), ConfigError("x must be true", file="", key="x"))
    noted(Path(state), ValueError())

    ran = run_cli("doctor")

    assert "agent-hook-failed" in ran.out
    assert "2 hook calls failed in the last 7 days" in ran.out
    assert "codex tool: ValueError" in ran.out
    assert os.path.join("hooks", "log") in ran.out
    assert ran.status == 1


def test_doctor_deletes_the_log_when_asked(memory, run_cli) -> None:
    noted(Path(memory.repository.git.repository.state), ValueError())

    fixed = run_cli("doctor", "--fix")

    assert "fixed deleted the log of failed hooks: 1 hook call failed" in fixed.out
    assert run_cli("doctor").status == 0


def test_doctor_forgets_after_a_week(memory, run_cli) -> None:
    state = Path(memory.repository.git.repository.state)
    noted(state, ValueError())
    log = Path(hook_log.path_of(state))
    old = time.strftime(hook_log.FORMAT, time.gmtime(time.time() - 8 * 86_400))
    log.write_text(f"{old} {log.read_text().split(' ', 1)[1]}")

    assert "agent-hook-failed" not in run_cli("doctor").out
