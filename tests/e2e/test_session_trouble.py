"""A session beside a process that holds a lock and never goes on, through real hooks."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import git
from e2e.test_agent_hooks import hook, is_accepted
from support.console import Console

HOLDERS = {
    "the worklog": (
        "import fcntl, glob, os; held = [os.open(path, os.O_RDWR) for path in"
        " glob.glob('.git/gitmem/sessions/**/.lock', recursive=True)]; assert held;"
        " [fcntl.flock(fd, fcntl.LOCK_EX) for fd in held]"
    ),
    "the index": (
        "import sqlite3; db = sqlite3.connect('.git/gitmem/catalog.sqlite', isolation_level=None);"
        " db.execute('BEGIN IMMEDIATE')"
    ),
}


def event(folder: Path, name: str, **values: Any) -> dict[str, Any]:
    about = {"session_id": "s1", "cwd": str(folder), "transcript_path": f"{folder}/none.jsonl", "at": time.monotonic()}
    return {"hook_event_name": name} | about | values


def ran(folder: Path, command: str = "ls") -> dict[str, Any]:
    answer = {"stdout": "done", "stderr": "", "interrupted": False}
    return event(folder, "PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_response=answer)


@pytest.fixture
def service(repo: Path) -> Path:
    console = Console(repo)
    console.ok("init")
    console.ok("remember", "The gateway drops idle connections", "--path", "src/gateway/retry.py")
    hook(repo, "claude-code", event(repo, "SessionStart", source="startup"))
    hook(repo, "claude-code", ran(repo))
    return repo


@pytest.fixture(params=HOLDERS)
def stopped(service: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A process that took a lock and was stopped; the memory has moved meanwhile, so that the index is behind."""
    script = f"{HOLDERS[request.param]}; print('held', flush=True); import time; time.sleep(600)"
    holder = subprocess.Popen([sys.executable, "-c", script], cwd=service, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.send_signal(signal.SIGSTOP)
    moved = git(service, "commit-tree", "memory^{tree}", "-p", "memory", "-m", "moved")
    git(service, "update-ref", "refs/heads/memory", moved)
    yield service, holder
    holder.kill()
    holder.communicate()


def asked(folder: Path) -> dict[str, Any]:
    return event(folder, "UserPromptSubmit", prompt="Why are idle connections dropped by the gateway?")


def test_stopped_process_silences_a_session_soon_and_is_said_once(
    stopped: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    """How many events it takes depends on the machine: what each waits for a CPU does not count."""
    folder, _ = stopped
    marks = folder / ".git/gitmem/hooks"
    said = []
    for number in range(60):
        done = hook(folder, "claude-code", ran(folder) if number % 2 else asked(folder))
        assert is_accepted(done)
        said.append(done.out)
        if list(marks.glob("silent-*")):
            break

    said += [hook(folder, "claude-code", ask(folder)).out for ask in (ran, asked, ran)]

    assert sum("stays silent for the rest of" in one for one in said) == 1
    assert said[-3:] == ["", "", ""]


def test_session_that_is_resumed_gets_another_try(stopped: tuple[Path, subprocess.Popen[bytes]]) -> None:
    folder, holder = stopped
    marks = folder / ".git/gitmem/hooks"
    for _ in range(30):
        hook(folder, "claude-code", ran(folder))
        hook(folder, "claude-code", asked(folder))
        if list(marks.glob("silent-*")):
            break
    assert list(marks.glob("silent-*"))
    holder.kill()
    holder.wait()

    hook(folder, "claude-code", event(folder, "SessionStart", source="resume"))

    assert [*marks.glob("silent-*"), *marks.glob("slow-*")] == []
