"""Files are written atomically, and never through a link that leaves the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.commands.install import place as places
from gitmem.commands.install.pieces import FileRefusedError
from gitmem.errors import GitmemError
from gitmem.memory import Memory


def test_link_is_followed_inside_a_project_and_not_out_of_it(memory: Memory, repo: Path) -> None:
    place = places.of_project(memory.repository.git)
    (repo / "AGENTS.md").symlink_to("README.md")
    (repo / ".claude").symlink_to("/tmp")
    (repo / ".codex").symlink_to(".git")

    assert place.find("AGENTS.md") == repo / "README.md"
    for path in (".claude/settings.json", ".codex/hooks.json", "../x"):
        with pytest.raises(FileRefusedError, match="leads out of the project through a link; nothing was written"):
            place.find(path)


def test_links_in_the_home_folder_are_followed_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".claude").symlink_to("dotfiles")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert places.of_person().find(".claude/settings.json") == tmp_path / "dotfiles" / "settings.json"


def test_variable_with_another_client_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "relative")

    assert places.of_person().find(".codex/hooks.json") == tmp_path / "c" / "hooks.json"
    assert places.of_person().find(".claude/settings.json") == Path(os.environ["HOME"], ".claude/settings.json")


def test_writing_keeps_the_mode_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a" / "settings.json"
    umask = os.umask(0o027)
    try:
        places.write(path, "1\n")
    finally:
        os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o600)

    places.write(path, "é\r\n")

    assert path.read_bytes() == "é\r\n".encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(path.parent) == ["settings.json"]


def test_file_that_cannot_be_written_is_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    path.write_text("mine")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(GitmemError, match=r"cannot write .*: No space left"):
        places.write(path, "ours")

    assert path.read_text() == "mine"


def test_read_only_file_and_folder_in_place_of_a_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("mine")
    path.chmod(0o444)

    with pytest.raises(FileRefusedError, match="is read-only, and was not changed: chmod"):
        places.need_writable(path)
    with pytest.raises(FileRefusedError, match="is not writable"):
        places.need_writable(path / "below")


@pytest.mark.parametrize(("content", "why"), [(b"\xff\xfe{", "is not UTF-8"), (b" " * 4_194_305, "is too large")])
def test_unusable_settings_file_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)

    with pytest.raises(FileRefusedError, match=why):
        places.read(path)
    with pytest.raises(FileRefusedError, match="cannot be read: Is a directory"):
        places.read(tmp_path)
    assert places.read(tmp_path / "none") is places.read(path / "none") is None


def test_remove_deletes_empty_folders_up_to_the_root(tmp_path: Path) -> None:
    for name in ("a/b/c/x", "a/y"):
        places.write(tmp_path / name, "")

    places.remove(tmp_path / "a/b/c/x", tmp_path)

    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "y"]
    places.remove(tmp_path / "a/y", tmp_path)
    assert tmp_path.exists()
    places.remove_empty(tmp_path)
    assert not tmp_path.exists()
