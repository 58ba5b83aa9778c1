"""The wheel alone, in an environment of its own: manual page, completion in real shells, ``uvx`` and ``pipx run``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.completed_store import make_completed_store
from support.terminal import Terminal, environment
from support.wheel import build_wheel

PROJECT = Path(__file__).parents[2]
# What is installed here is there as well, for what the wheel depends on; the packages of the environment come first.
OTHERS = f"import sys; sys.path.append({sysconfig.get_path('purelib')!r})\n"
ADOPTED = "✗ AGENTS.md:1  `make lint` is not defined"

pytestmark = pytest.mark.skipif(find_spec("flit_core") is None, reason="the build back end is not installed here")


def run(*argv: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [*map(str, argv)], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the programs of a fresh environment that has the wheel."""
    folder = tmp_path_factory.mktemp("env")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin/python"
    argv = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-compile",
        wheel,
    )
    run(*argv, cwd=folder)
    (found,) = folder.glob("lib/python*/site-packages")
    (found / "others.pth").write_text(OTHERS)
    return folder / "bin"


def typed_in(home: Path, installed: Path) -> dict[str, str]:
    """Return the environment of a person whose home is empty, with the wheel's programs first."""
    homes = {
        name: str(home / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    }
    path = f"{installed}{os.pathsep}{os.environ['PATH']}"
    return environment(HOME=str(home), PATH=path, TERM="xterm", MANPATH=None, **homes)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_completed_store(tmp_path_factory.mktemp("store"))


def test_programs_run_the_wheel_and_git_mem_help_shows_its_manual_page(installed: Path, tmp_path: Path) -> None:
    env = typed_in(tmp_path, installed)

    where = run(installed / "python", "-c", "import gitmem; print(gitmem.__file__)", cwd=tmp_path, env=env)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert run("git", "mem", "--version", cwd=tmp_path, env=env) == run("gitmem", "--version", cwd=tmp_path, env=env)
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    for words in (("git", "mem", "--help"), ("man", "gitmem")):
        assert run(*words, cwd=tmp_path, env=env).startswith("GIT-MEM(1)")


# By how files end: programs, and the texts that they fill in and write.
IN_WHEEL = {
    ".py",
    ".html",
    ".js",
    ".css",
    ".md",
    ".yml",
    ".yaml",
    ".sh",
    ".ts",
    ".txt",
    ".csv",
    ".sql",
    ".1",
    ".typed",
    ".service",
}


def test_wheel_has_only_what_runs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]

    assert {Path(name).suffix for name in names} <= IN_WHEEL
    assert not [name for name in names if "test" in Path(name).stem.split("_") and name.endswith(".py")]
    assert wheel.stat().st_size < 2_680_000  # nine tenths of it are modules, at 36 % of their size


def test_plain_install_needs_few_packages() -> None:
    lock = (PROJECT / "gitmem/commands/install/locks/jobs.txt").read_text(encoding="utf-8")

    assert len(re.findall(r"^[\w-]+==", lock, re.MULTILINE)) <= 15


# What is typed in each shell: a line that asks for what completes `gitmem show gatew`, and what it prints.
SHELLS = {
    "bash": (
        'source "$XDG_DATA_HOME/bash-completion/completions/gitmem"; COMP_TYPE=9; COMP_WORDS=(gitmem show gatew); '
        'COMP_CWORD=2; _gitmem; printf "%s\\n" "${COMPREPLY[@]}"',
        "gateway\n",
    ),
    "fish": ("complete -C 'gitmem show gatew'", "gateway\tThe gateway has public keys\n"),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_completes_keys_once_the_wheel_has_installed_it(
    installed: Path, store: Path, tmp_path: Path, shell: str
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    env = typed_in(tmp_path, installed)
    line, expected = SHELLS[shell]

    run("gitmem", "completion", shell, "--install", cwd=store, env=env)

    assert run(shell, "-c", line, cwd=store, env=env) == expected


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_keys_once_the_wheel_has_installed_it(installed: Path, store: Path, tmp_path: Path) -> None:
    env = typed_in(tmp_path, installed)
    run("gitmem", "completion", "zsh", "--install", cwd=store, env=env)

    with Terminal(store, "zsh", "-f", "-i", env=env) as terminal:
        terminal.type("fpath=($XDG_DATA_HOME/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; ")
        terminal.type("PS1=; echo rea''dy\n")
        terminal.wait_for("ready")
        terminal.type("gitmem show gatew\t")
        terminal.wait_for("gitmem show gateway")


# Programs that fetch gitmem and run it once, given where it is.
ONCE = {"uvx": ("uvx", "--from"), "pipx": ("pipx", "run", "--spec")}


@pytest.mark.parametrize("program", ONCE)
def test_it_runs_without_being_installed_from_a_wheel_and_from_a_repository(
    wheel: Path, program: str, tmp_path: Path
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: make package")
    if not (PROJECT / ".git").exists():
        pytest.skip("this is no clone: there is no commit to install")
    service = tmp_path / "service"
    service.mkdir()
    git(service, "init", "-q", "-b", "main")
    git(service, "config", "user.name", "Ana")
    git(service, "config", "user.email", "ana@example.org")
    commit_files(service, {"Makefile": "test:\n\ttrue\n", "AGENTS.md": "Run `make test`.\n"})
    commit_files(
        service, {"AGENTS.md": "Run `make test` and `make lint`.\n", "Makefile": "test:\n\ttrue\nlint:\n\ttrue\n"}
    )
    commit_files(service, {"Makefile": "test:\n\ttrue\n"}, "drop lint")
    head = git(PROJECT, "rev-parse", "HEAD")
    env = environment(HOME=os.environ["HOME"], XDG_CACHE_HOME=str(tmp_path / "cache"), PYTHONPATH=None)

    for source in (str(wheel), f"git+file://{PROJECT}@{head}"):
        done = subprocess.run(
            [*ONCE[program], source, "gitmem", "adopt"],
            cwd=service, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ADOPTED in done.stdout, f"{source}: {done.stdout}{done.stderr}"
        assert "1 document: 1 false" in done.stdout
        assert done.returncode == 1
