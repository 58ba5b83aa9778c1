"""Completion is installed in the right files of each shell and removed again; other files are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

FILES = {
    "bash": ["data/bash-completion/completions/gitmem", "data/bash-completion/completions/git-mem"],
    "zsh": ["data/zsh/site-functions/_gitmem", "data/zsh/site-functions/_git-mem"],
    "fish": ["config/fish/conf.d/gitmem.fish"],
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home/data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/config"))
    monkeypatch.delenv("BASH_COMPLETION_USER_DIR", raising=False)
    return tmp_path / "home"


@pytest.mark.parametrize("shell", FILES)
def test_install_writes_the_files_of_the_shell_and_uninstall_removes_them(
    run_cli, home: Path, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    paths = [str(home / name) for name in FILES[shell]]

    done = run_cli("completion", "--install")
    again = run_cli("completion", "--install")
    gone = run_cli("uninstall", "completion")

    assert done.out.splitlines() == [f"wrote  {path}" for path in paths]
    assert again.out.splitlines() == [f"exists {path}" for path in paths]
    assert [line.split() for line in gone.out.splitlines()] == [["remove", path] for path in paths]
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert run_cli("uninstall", "completion").out == "no completion is installed\n"


def test_file_of_someone_else_is_neither_overwritten_nor_removed(run_cli, home: Path) -> None:
    path = home / FILES["zsh"][0]
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n")

    done = run_cli("completion", "zsh", "--install")
    run_cli("uninstall", "completion")

    assert done.status != 0
    assert "gitmem did not write it" in done.err
    assert path.read_text() == "# mine\n"
