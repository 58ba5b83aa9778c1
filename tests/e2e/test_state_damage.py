"""Damage to the files of the state folder, of whatever shape: no command ends as a bug, and no memory is lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import commit_files

from gitmem.agents.hook import serve

SHAPES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "empty": lambda path: path.write_bytes(b""),
    "deep": lambda path: path.write_bytes(b"[" * 100_000),
    "deep table": lambda path: path.write_bytes(b'{"path":' * 50_000),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 8),
    "number": lambda path: path.write_bytes(b"9" * 6000),
    "wrong types": lambda path: path.write_bytes(json.dumps(WRONG).encode()),
    "wrong values": lambda path: path.write_bytes(json.dumps(STRANGE).encode()),
    "huge": lambda path: path.write_bytes(b"x" * 5_000_000),
    "folder": lambda path: (path.mkdir(), (path / "x").write_text("x")),
    "loop": lambda path: path.symlink_to(path.name),
}
NAMES = ("path", "name", "shown", "held", "toward", "asked", "kind", "at", "pid", "host", "commit", "files", "version")
WRONG = {name: [{"x": 1}, None, 5][number % 3] for number, name in enumerate(NAMES)}
STRANGE = dict.fromkeys(NAMES, "../\x00x") | {"held": {"../\0": "zz"}, "toward": ["\0"], "at": "9" * 400, "pid": -1}
READERS = (["status"], ["doctor", "--fix"], ["view"], ["sources"], ["verify"])
COMMANDS = (*READERS, ["recall", "walrus"], ["save"], ["session"])
EVENTS = (
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "why do walrus tides matter?"},
)


@pytest.fixture
def used(repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository whose state folder has every file that commands make."""
    monkeypatch.delenv("GITMEM_VIEW")
    commit_files(repo, {"a.py": "RETRIES = 3\n"})
    for argv in (
        ["init"],
        ["remember", "Walrus tides matter", "--key", "walrus"],
        ["fact", "There are three", "--contains", "RETRIES = 3", "--in", "a.py", "--key", "three"],
        *(
            ["verify"],
            ["recall", "walrus"],
            ["board", "open", "run-1", "--goal", "x"],
            ["session", "use", "t1", "about"],
        ),
        *(["session", "note", "plan"], ["sources", "add", "code", "--path", "src"], ["pull"], ["stats"], ["index"]),
    ):
        assert run_cli(*argv).status == 0, argv
    hook(repo, monkeypatch)
    return repo


def hook(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for event in EVENTS:
        payload = {**event, "session_id": "s1", "cwd": str(repo), "transcript_path": ""}
        read, write = os.pipe()
        os.write(write, json.dumps(payload).encode())
        os.close(write)
        try:
            serve("claude-code", "", fd=read, is_users=False)
        finally:
            os.close(read)


def files_of(state: Path) -> list[str]:
    """Return the files of a state folder, without locks and the segments of Whoosh, which have check sums."""
    found = (str(path.relative_to(state)) for path in sorted(state.rglob("*")) if path.is_file())
    return [name for name in found if not name.endswith((".seg", "lock"))]


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def damage(path: Path, shape: str) -> None:
    remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    SHAPES[shape](path)


@pytest.mark.parametrize("shape", SHAPES)
def test_damaged_state_is_no_bug_and_loses_nothing(
    used: Path, run_cli, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = used / ".git/gitmem"
    # One at a time where a command reads JSON; all at once for the rest, which heals by itself.
    tables = [name for name in files_of(state) if name.endswith(".json")]
    bad = []
    for names in (*([name] for name in tables), files_of(state)):
        for argv in READERS if len(names) == 1 else COMMANDS:
            for name in names:
                damage(state / name, shape)
            done = run_cli(*argv)
            if done.status not in (0, 1, 2, 3):
                bad.append((names, argv, done.err.split("\n")[0]))
        for name in names:
            remove(state / name)
    hook(used, monkeypatch)

    assert bad == []
    assert "view.json" in tables
    assert run_cli("doctor", "--fix").status in (0, 1)
    assert "Walrus tides matter" in run_cli("show", "walrus").out
