"""Damage to what gitmem keeps in the home folder, and state that cannot be written: no bug, and no memory is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import NOW, commit_files
from e2e.test_state_damage import COMMANDS, HELD, SHAPES, damage, files_of, hook, remove

from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command

WRITERS = (["remember", "Seals like ice", "--key", "seal"], ["remember", "It is everywhere", "--scope", "universal"])


@pytest.fixture
def person(repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the home of a person with memories of all projects, an approval, and a registered clone."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    for name in ("state", "data"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / "person" / name))
    commit_files(repo, {"a.py": "RETRIES = 3\n"})
    for argv in (
        ["init"],
        ["remember", "Walrus tides matter", "--key", "walrus"],
        ["remember", "A walrus is everywhere", "--key", "everywhere", "--scope", "universal"],
        ["fact", "It is said", "--verify", "grep -q RETRIES a.py", "--unproven", "--key", "said"],
    ):
        assert run_cli(*argv).status == 0, argv
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        [said] = memory.repository.commands(memory.repository.need(["said"]))
        approve_command(memory.repository, said)
    assert run_cli("verify").status in (0, 3)  # without a sandbox, it is skipped
    hook(repo, monkeypatch)
    return tmp_path / "person"


@pytest.mark.whole_system
def test_damaged_files_of_the_home_are_no_bug_and_hide_nothing(person: Path, run_cli) -> None:
    names = [name for name in files_of(person) if "/.git/" not in name or "/.git/gitmem/" in name]
    held = {name: (person / name).read_bytes() for name in names}
    bad = []
    for number, shape in enumerate(SHAPES):
        HELD.clear()
        # Each command meets every fifth shape, and each shape a fifth of the commands, which read files alike.
        for argv in (*COMMANDS, *WRITERS, ["trust", "--list"])[number % 5 :: 5]:
            for name in names:
                damage(person / name, shape)
            done = run_cli(*argv)
            if done.status not in (0, 1, 2, 3) or (argv[0] == "recall" and "Walrus tides" not in done.out):
                bad.append((shape, argv, done.out, done.err.split("\n")[0]))
        for name in names:
            remove(person / name)
            (person / name).parent.mkdir(parents=True, exist_ok=True)
            (person / name).write_bytes(held[name])

    assert bad == []
    assert {Path(name).parent.name for name in names} >= {"clones", "trust", "gitmem"}
    assert "A walrus is everywhere" in run_cli("show", "everywhere", "--scope", "universal").out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
@pytest.mark.parametrize("closed", ["files", "folders"])
def test_state_that_cannot_be_written_hides_nothing_and_is_named(
    person: Path, repo: Path, run_cli, closed: str
) -> None:
    places = [path for top in (repo / ".git/gitmem", person) for path in (top, *top.rglob("*"))]
    chosen = [path for path in places if path.is_dir() == (closed == "folders") and not path.is_symlink()]
    modes = {path: path.stat().st_mode for path in chosen}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        done = {" ".join(argv): run_cli(*argv) for argv in (*COMMANDS, *WRITERS, ["trust", "--list"])}
    finally:
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)

    assert {name: one.err for name, one in done.items() if one.status not in (0, 1, 2, 3)} == {}
    assert "Walrus tides" in done["recall walrus"].out
    written = done["remember Seals like ice --key seal"]
    assert run_cli("show", "seal").status == (0 if written.status == 0 else 1)
    assert written.status == 0 or "gitmem: error: " in written.err
