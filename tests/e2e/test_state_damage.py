"""Damage to the files of the state folder, of whatever shape: no command ends as a bug, and no memory is lost."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import commit_files
from support.standing_folder import fill, fill_anew, stand

from gitmem.agents.hook import serve
from gitmem.store.state.clone import is_registered
from gitmem.store.state.inventory import INVENTORY, is_known

PROJECT = Path(__file__).parents[2]
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
    "link": lambda path: path.symlink_to("/etc/passwd"),
    "NUL bytes": lambda path: path.write_bytes(b"\0" * 4096),
    "newer": lambda path: path.write_bytes(b'{"version": 99, "format": 99, "schema": 99}\n'),
    "half": lambda path: path.write_bytes(HELD[path][: len(HELD[path]) // 2]),
    "zeroed page": lambda path: path.write_bytes(_over(HELD[path], bytes(4096))),
    "random page": lambda path: path.write_bytes(_over(HELD[path], random.Random(path.name).randbytes(4096))),
    "other version": lambda path: path.write_bytes(HELD[path][:18] + b"\7\7" + HELD[path][20:]),
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "unreadable": lambda path: (path.write_bytes(HELD[path]), path.chmod(0)),
}
# What a table of JSON may have in it; the other shapes are of a file, whatever it holds.
OF_JSON = {"empty", "deep", "deep table", "binary", "number", "wrong types", "wrong values", "folder", "newer"}
# What the files had before they were damaged.
HELD: dict[Path, bytes] = {}
NAMES = ("path", "name", "shown", "held", "toward", "asked", "kind", "at", "pid", "host", "commit", "files", "version")
WRONG = {name: [{"x": 1}, None, 5][number % 3] for number, name in enumerate(NAMES)}
STRANGE = dict.fromkeys(NAMES, "../\x00x") | {"held": {"../\0": "zz"}, "toward": ["\0"], "at": "9" * 400, "pid": -1}
READERS = (["status"], ["doctor", "--fix"], ["view"], ["sources"], ["verify"])
COMMANDS = (*READERS, ["recall", "walrus"], ["save"], ["session"])
EVENTS = (
    {"hook_event_name": "SessionStart", "source": "startup"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "why do walrus tides matter?"},
)


def _over(content: bytes, page: bytes) -> bytes:
    """Return a file's content with a page in its middle overwritten: in a database, never the first one."""
    at = max(len(content) // 2 // 4096, 1) * 4096 if len(content) > 8192 else len(content) // 2
    return (content[:at] + page + content[at + 4096 :])[: len(content)]


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "damage"), template)


@pytest.fixture
def used(repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository whose state folder has every file that commands make."""
    monkeypatch.delenv("GITMEM_VIEW")
    fill(repo.parent, "used", lambda: use(repo, run_cli, monkeypatch))
    assert is_registered(str(repo / ".git/gitmem")), "an unknown clone loses what is damaged here"
    return repo


def use(repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
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
    if path.is_file() and not path.is_symlink() and path not in HELD:
        HELD[path] = path.read_bytes()
    HELD.setdefault(path, b"")
    remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    SHAPES[shape](path)


@pytest.mark.parametrize("shape", SHAPES)
def test_damaged_state_is_no_bug_and_loses_nothing(
    used: Path, run_cli, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = used / ".git/gitmem"
    HELD.clear()
    # One at a time where a command reads JSON; all at once for the rest, which heals by itself. Each file and shape
    # meets every third reader, and each shape half of the commands: other shapes of a file meet the others.
    tables = [name for name in files_of(state) if name.endswith(".json")]
    bad, turn = [], list(SHAPES).index(shape)
    for number, names in enumerate((*([name] for name in tables if shape in OF_JSON), files_of(state))):
        for argv in READERS[(turn + number) % 3 :: 3] if len(names) == 1 else COMMANDS[turn % 2 :: 2]:
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


def test_every_file_of_the_state_folder_is_in_the_inventory_and_in_the_documentation(used: Path) -> None:
    state = used / ".git/gitmem"
    found = [str(path.relative_to(state)) for path in state.rglob("*") if path.is_file()]

    assert len(found) > 20
    assert [path for path in found if not is_known(path)] == []
    page = (PROJECT / "docs/how-it-works.md").read_text()
    assert [one.path for one in INVENTORY if f"| `gitmem/{one.path}` | {one.content} |" not in page] == []


def test_a_folder_in_the_place_of_a_file_is_named_and_the_hint_moves_it_away(used: Path, run_cli) -> None:
    damage(used / ".git/gitmem/view.json", "folder")

    done = run_cli("view")

    assert (done.status, "view.json: Is a directory" in done.err) == (3, True)
    assert ".new" not in done.err
    moved = done.err.split("run the command again: ")[1]
    subprocess.run(moved, shell=True, check=True)
    assert run_cli("view").status == 0


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_no_command_reads_gigabytes_of_a_state_file_that_grew(used: Path, run_cli, monkeypatch) -> None:
    state = used / ".git/gitmem"
    for name in files_of(state):
        if "sqlite" not in name:
            os.truncate(state / name, 3 << 30)
    monkeypatch.chdir(used)

    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + (1 << 30), limit[1]))
    try:
        ended = [run_cli(*argv).status for argv in (*COMMANDS, ["remember", "More", "--key", "more"])]
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)

    assert set(ended) <= {0, 1, 2, 3}
    assert run_cli("show", "more").status == 0


def _address_space() -> int:
    """Return how much address space this process has, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
