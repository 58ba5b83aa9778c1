"""What people install gitmem with, in an empty home, and the command that each gets for a missing package."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import git
from support.terminal import Terminal, environment
from support.wheel import build_wheel

from gitmem.system.origin import DISTRIBUTION

PROJECT = Path(__file__).parents[2]
# How each tool installs a source, and what its command for a missing package begins with.
# What `make install` does with pip is in the README's commands.
TOOLS = {
    "uv tool": ("uv tool install --quiet --force {}", "uv tool install --with "),
    "pipx": ("pipx install --quiet --force {}", f"pipx inject {DISTRIBUTION} "),
    "uv pip": ("uv pip install --quiet --python env {}", "uv pip install --python {python}[.0-9]* "),
}
ENVIRONMENTS = {"uv pip": "uv venv --quiet env"}

pytestmark = [
    pytest.mark.skipif(find_spec("flit_core") is None, reason="the build back end is not installed here"),
    pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="this is no clone: there is no commit to install"),
]


def run(line: str, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(["bash", "-c", line], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what installers take: the folder of a clone, a git URL with a commit, a wheel, and a wheel's URL."""
    folder = tmp_path_factory.mktemp("sources")
    argv = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), "tomlkit"]
    if subprocess.run(argv, capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached from here")
    head = git(PROJECT, "rev-parse", "HEAD")
    git(folder, "clone", "-q", "--shared", "--no-checkout", str(PROJECT), "clone")
    git(folder / "clone", "checkout", "-q", "--detach", head)
    wheel = build_wheel(folder)
    return {
        "path": str(folder / "clone"),
        "git": f"git+file://{PROJECT}@{head}",
        "wheel": str(wheel),
        "url": wheel.as_uri(),
    }


@pytest.fixture(params=TOOLS)
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return one of the tools that is installed here."""
    name: str = request.param
    program = name.split(maxsplit=1)[0]
    if program in ("uv", "pipx") and shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: make package")
    return name


@pytest.fixture
def empty_home(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a person with an empty home, whose own programs are first on the PATH."""
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join([str(home / ".local/bin"), str(home / "env/bin"), os.environ["PATH"]])
    xdg = dict.fromkeys(("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"))
    cache = str(tmp_path_factory.getbasetemp() / "installers")  # each package is downloaded once for all homes
    return environment(
        HOME=str(home), PATH=path, PYTHONPATH=None, VIRTUAL_ENV=None, TERM="xterm-256color", **xdg,
        UV_CACHE_DIR=f"{cache}/uv", PIP_CACHE_DIR=f"{cache}/pip", GITMEM_BACKGROUND="off",
        PIP_NO_COMPILE="1",  # most of what is installed is never imported here
    )  # fmt: skip


@pytest.fixture
def person(tool: str, empty_home: dict[str, str]) -> dict[str, str]:
    """Return that environment, with what a tool needs before it can install."""
    run(ENVIRONMENTS.get(tool, "true"), Path(empty_home["HOME"]), empty_home)
    return empty_home


@pytest.mark.whole_system
def test_readme_leads_from_a_clone_to_a_proven_fact_in_four_commands(
    sources: dict[str, str], empty_home: dict[str, str], tmp_path: Path
) -> None:
    """No installer is needed besides Python's own, and no line has two commands in it."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    (block, *_) = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [line.partition("  #")[0] for line in block.splitlines()]
    assert len(lines) == 4
    assert not re.search(r"[;&|]", "".join(lines))
    subprocess.run(["bash", str(PROJECT / "docs/example/weather.sh"), "weather"], cwd=tmp_path, check=True)
    typed = "\n".join(lines).replace("YOUR/REPOSITORY", shlex.quote(str(tmp_path / "weather")))
    who = {"GIT_AUTHOR_NAME": "Dana", "GIT_AUTHOR_EMAIL": "dana@example.org"}

    # `gitmem adopt` exits with 1 where a statement is false, as it is here.
    printed = run(f"{typed}\ngitmem list --status verified", Path(sources["path"]), {**empty_home, **who})

    assert "✗ AGENTS.md:" in printed
    assert "There is a README" in printed.partition("documents")[2]
    python = re.escape(str(tmp_path / "home/.local/lib/gitmem/bin/python"))
    add_missing_package(tmp_path / "weather", empty_home, f"{python}[.0-9]* -m pip install ")
    run("make uninstall", Path(sources["path"]), empty_home)
    left = [
        path for name in ("bin", "lib", "share/man") for path in (tmp_path / "home/.local" / name).rglob("git*mem*")
    ]
    assert left == []


def add_missing_package(work: Path, env: dict[str, str], command: str) -> None:
    """Fail unless a command that lacks a package says how to install it, as a pattern has it, and that helps."""
    with Terminal(work, "gitmem", "browse", env=env) as terminal:
        assert terminal.finish() == 3
    assert "the package textual is not installed here" in terminal.output
    hint = re.sub(r"\x1b\[[0-9;]*m", "", terminal.output).replace("\r", "").partition("hint: ")[2].strip()
    assert re.match(command, hint), hint
    run(hint, work, env)

    with Terminal(work, "gitmem", "browse", env=env) as terminal:
        terminal.wait_for("There is a README")
        terminal.type("\x03")
        terminal.finish()


def test_page_install_shows_the_commands_that_are_tried_here() -> None:
    page = (PROJECT / "docs/install.md").read_text(encoding="utf-8")

    for name in ("uv tool", "pipx", "pip", "uv pip"):
        assert f"{name} install ." in page


def test_each_tool_installs_it_and_its_command_for_a_missing_package_works(
    sources: dict[str, str], tool: str, person: dict[str, str], tmp_path: Path
) -> None:
    install, command = TOOLS[tool]
    home, work = tmp_path / "home", tmp_path / "work"
    git(tmp_path, "init", "-q", "work")
    (work / "README.md").write_text("# Work\n")
    git(work, "add", ".")
    git(work, "-c", "user.name=Dana", "-c", "user.email=dana@example.org", "commit", "-qm", "one")

    # All sources, one after the other: what gitmem needs is installed with the first one.
    for source, place in sources.items():
        run(install.format(shlex.quote(place)), home, person)
        where = run("command -v gitmem && git mem --version", work, person)
        assert where.startswith(str(home)), source
    who = "git config --global user.name Dana && git config --global user.email dana@example.org"
    run(f'{who} && gitmem fact "There is a README" --exists README.md', work, person)
    assert "There is a README" in run("gitmem list --status verified", work, person)
    add_missing_package(work, person, command.format(python=re.escape(str(home / "env/bin/python"))))
