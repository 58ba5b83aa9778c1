"""``gitmem completion``: scripts that real shells take, for gitmem and for git mem."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.completed_store import make_completed_store
from support.each import each
from support.terminal import Terminal, environment

from gitmem.commands.completion import SHELLS, script

BIN = Path(sys.executable).parent
IS_INSTALLED = pytest.mark.skipif(not (BIN / "gitmem").exists(), reason="the console script is not installed")


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with memories, which is only read."""
    return make_completed_store(tmp_path_factory.mktemp("store"))


def shell_environment() -> dict[str, str]:
    return environment(PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}", TERM="xterm")


# What bash does when TAB is pressed: it sets COMP_WORDS and COMP_CWORD and calls the function (bash(1), Programmable
# Completion). For `git mem`, git's own completion sets `words` and `cword`.
PRESS_TAB = """
source "$1"; shift
COMP_TYPE=$1; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); words=("$@"); cword=$COMP_CWORD
if [ "$1" = git ]; then _git_mem; else _gitmem; fi
printf '%s\\n' "${COMPREPLY[@]}"
"""


@IS_INSTALLED
@needs("bash")
def test_bash_completes_keys_and_lists_their_titles_for_gitmem_and_git_mem(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "gitmem"
    path.write_text(script("bash"))

    def pressed(*words: str, listing: str = "9") -> list[str]:
        argv = ["bash", "--norc", "-c", PRESS_TAB, "bash", str(path), listing, *words]
        done = subprocess.run(argv, cwd=store, env=shell_environment(), capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert pressed("gitmem", "show", "gatew") == ["gateway"]
    assert pressed("git", "-C", ".", "mem", "show", "gatew") == ["gateway"]
    assert pressed("gitmem", "list", "--status", "=", "fa") == ["failed"]
    assert "gateway    (The gateway has public keys)" in pressed("gitmem", "show", "ga", listing="63")


@IS_INSTALLED
@needs("fish")
@pytest.mark.parametrize("line", ["gitmem show gatew", "git mem show gatew"])
def test_fish_completes_keys_with_titles_from_the_installed_files(
    store: Path, tmp_path: Path, run_cli, line: str
) -> None:
    env = {**shell_environment(), "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        assert run_cli("completion", "fish", "--install").status == 0

    done = subprocess.run(
        ["fish", "-c", f"complete -C '{line}'"], cwd=store, env=env, capture_output=True, text=True, check=True
    )

    assert done.stdout == "gateway\tThe gateway has public keys\n"


@IS_INSTALLED
@needs("zsh")
@pytest.mark.parametrize("line", ["gitmem show gatew", "git mem show gatew"])
def test_zsh_completes_keys_from_the_installed_files(store: Path, tmp_path: Path, run_cli, line: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path))
        assert run_cli("completion", "zsh", "--install").status == 0
    folder = tmp_path / "zsh/site-functions"
    start = f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; PS1=; echo rea''dy\n"

    with Terminal(store, "zsh", "-f", "-i", env=shell_environment()) as terminal:
        terminal.type(start)
        terminal.wait_for("ready")
        terminal.type(f"{line}\t")
        terminal.wait_for(line.replace("gatew", "gateway"))


@each("shell", SHELLS)
def test_script_is_printed(run_cli, shell: str) -> None:
    done = run_cli("completion", shell)

    assert (done.status, done.err) == (0, "")
    assert done.out == script(shell)


def test_unknown_shell_is_refused(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/ksh")

    assert run_cli("completion", "ksh").status == 2
    assert "there is no completion for ksh" in run_cli("completion", "--install").err
    assert "choose one of bash, zsh, fish, tcsh" in run_cli("completion").err
