"""State between two hooks: small, one writer at a time, for any session name."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from subprocess import Popen

import pytest
from conftest import put_files
from support.each import each

from gitmem.agents.capture import state
from gitmem.memory import Memory
from gitmem.policy.settings import CaptureSettings


@each("session", ["../../x", "a/b", "x" * 5000, "\ud800", "ß", "."])
def test_session_of_any_name_has_a_file_of_its_own_in_one_folder(memory: Memory, session: str) -> None:
    path = state.session_file(memory.repository, session)

    state.change(path, lambda kept: kept.update(a=1))

    assert Path(path).parent == Path(memory.repository.git.repository.state, "capture", "sessions")
    assert path != state.session_file(memory.repository, session + "y")
    assert state.is_kept(path)


def test_table_that_is_emptied_is_nothing_kept(memory: Memory) -> None:
    path = state.session_file(memory.repository, "s1")
    state.change(path, lambda kept: kept.update(a=1))

    state.change(path, lambda kept: kept.clear())

    assert not state.is_kept(path)


@pytest.mark.parametrize("content", [b"{", b"[]", b"[" * 30_000, b"\xff", b"x" * 200_000])
def test_damaged_state_is_started_again(memory: Memory, content: bytes) -> None:
    path = Path(state.session_file(memory.repository, "s1"))
    path.parent.mkdir(parents=True)
    path.write_bytes(content)

    state.change(str(path), lambda kept: kept.update(a=len(kept)))

    assert path.read_text() == '{"a": 0}'


def test_many_processes_lose_nothing(memory: Memory, tmp_path: Path) -> None:
    path = state.session_file(memory.repository, "s1")
    script = (
        "import sys\nfrom gitmem.agents.capture import state\n"
        "for n in range(50): state.change(sys.argv[1], lambda kept: kept.update(n=kept.get('n', 0) + 1))"
    )

    running = [Popen([sys.executable, "-c", script, path]) for _ in range(3)]

    assert [one.wait() for one in running] == [0, 0, 0]
    assert Path(path).read_text() == '{"n": 150}'


def test_sessions_that_are_over_are_swept(memory: Memory) -> None:
    paths = [state.session_file(memory.repository, f"s{n}") for n in range(3)]
    for path in paths[:2]:
        state.change(path, lambda kept: kept.update(a=1))
    os.utime(paths[0], (time.time() - state.QUIET_S - 60,) * 2)

    state.change(paths[2], lambda kept: kept.update(a=1))

    assert [state.is_kept(path) for path in paths] == [False, True, True]


def test_policy_is_read_once_for_each_commit(memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state.rules_of(memory.repository) == CaptureSettings()
    put_files(repo, {"gitmem.toml": '[capture]\nedits = "patterns"\nnotes = false\nexempt = ["a", "b"]\n'})
    wanted = CaptureSettings("patterns", notes=False, exempt=("a", "b"))
    assert state.rules_of(memory.repository) == wanted

    with Memory(repo) as later:
        monkeypatch.setattr(later.repository, "policy", lambda: pytest.fail("read again"))
        assert state.rules_of(later.repository) == wanted


def test_damaged_rules_are_read_again(memory: Memory) -> None:
    state.rules_of(memory.repository)
    path = Path(memory.repository.git.repository.state, "capture", "rules.json")
    path.write_text(path.read_text().replace('"fixes"', '"odd"'))

    assert state.rules_of(memory.repository) == CaptureSettings()
