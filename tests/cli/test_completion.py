"""``gitmem completion``: scripts that their shells take, and that complete for real."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gitmem.cli import table
from gitmem.cli.completion import whole_parser

BASH = shutil.which("bash")
ZSH = shutil.which("zsh")
# What bash does when TAB is pressed: it sets COMP_WORDS and COMP_CWORD and calls the function (bash(1), Programmable
# Completion); -o options of complete are left out.
PRESS_TAB = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
function=$(complete -p gitmem | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
"$function" gitmem "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(script: Path, *words: str) -> set[str]:
    done = subprocess.run(
        ["bash", "--norc", "-c", PRESS_TAB, "bash", str(script), *words], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.fixture
def script(run_cli, tmp_path: Path):
    """Return a function that writes the script of a shell and returns its path."""

    def write(shell: str) -> Path:
        done = run_cli("completion", shell)
        assert (done.status, done.err) == (0, "")
        path = tmp_path / f"gitmem.{shell}"
        path.write_text(done.out)
        return path

    return write


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_bash_takes_the_script_and_completes_commands_options_and_choices(script) -> None:
    path = script("bash")

    subprocess.run(["bash", "-n", str(path)], check=True)
    assert completed(path, "gitmem", "rec") == {"recall"}
    assert completed(path, "gitmem", "") >= set(table.top())
    assert completed(path, "gitmem", "task", "") >= set(table.verbs_of("task"))
    assert completed(path, "gitmem", "task", "close", "--fa") == {"--failed"}
    assert completed(path, "gitmem", "recall", "--st") == {"--status", "--stats", "--store", "--strict"}
    assert completed(path, "gitmem", "completion", "ba") == {"bash"}
    assert completed(path, "gitmem", "remember", "--importance", "c") == {"critical"}


@pytest.mark.skipif(ZSH is None, reason="zsh is not installed")
def test_zsh_takes_the_script(script) -> None:
    subprocess.run(["zsh", "-n", str(script("zsh"))], check=True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_every_command_is_in_the_script(script, shell: str) -> None:
    text = script(shell).read_text()

    assert [name for name in table.COMMANDS if name.split(" ")[-1] not in text] == []


def test_zsh_script_says_what_it_completes(script) -> None:
    assert script("zsh").read_text().startswith("#compdef gitmem\n")


def test_shell_that_is_not_known_is_refused(run_cli) -> None:
    done = run_cli("completion", "fish")

    assert (done.status, done.out) == (2, "")
    assert "bash" in done.err


def test_whole_parser_has_every_command() -> None:
    assert [name for name in table.top() if name not in whole_parser().format_help()] == []
