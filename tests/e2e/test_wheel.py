"""The wheel alone, in an environment of its own: manual page, completion in real shells, ``uvx`` and ``pipx run``."""

from __future__ import annotations

import json
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


@pytest.mark.whole_system
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
    ".bin",  # merged byte code
}


def test_wheel_has_only_what_runs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]

    assert {Path(name).suffix for name in names} <= IN_WHEEL
    assert not [name for name in names if "test" in Path(name).stem.split("_") and name.endswith(".py")]
    # Most of it are modules, at 36 % of their size; 650 KB are merged byte code.
    assert wheel.stat().st_size < 3_600_000


def moment(name: str, cwd: Path, **fields: object) -> str:
    return json.dumps({"hook_event_name": name, "session_id": "s", "cwd": str(cwd), **fields})


def test_the_merged_code_keeps_annotations_as_text_without_loading_their_module(
    installed: Path, tmp_path: Path
) -> None:
    code = """if True:
        import sys
        from gitmem.__main__ import use_merged_code
        import gitmem
        use_merged_code(gitmem.__path__[0])
        import gitmem.model
        print("__future__" in sys.modules, type(gitmem.model.Hit.__annotations__["key"]).__name__)
    """

    assert run(installed / "python", "-I", "-c", code, cwd=tmp_path, env=typed_in(tmp_path, installed)) == "False str\n"


def test_recall_and_hooks_read_no_byte_code_but_the_merged(
    wheel: Path, installed: Path, store: Path, tmp_path: Path
) -> None:
    env = typed_in(tmp_path, installed)
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env["GITMEM_EMBED"] = "off"  # a model of this environment has modules of its own
    repo = tmp_path / "repo"
    shutil.copytree(store, repo, symlinks=True)
    (package,) = installed.parent.glob("lib/python*/site-packages/gitmem")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(repo / "README.md"), "new_string": "x"}}
    failed = {
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "tool_response": {"stderr": "ValueError: gateway"},
    }
    moments = (
        moment("SessionStart", repo, source="startup"),
        moment("UserPromptSubmit", repo, prompt="which public keys does the gateway have"),
        moment("PostToolUse", repo, **edit),
        moment("PostToolUse", repo, **failed),
    )

    def in_turn() -> None:
        run("gitmem", "recall", "the latest keys of the gateway", cwd=repo, env=env)
        for each in moments:
            argv = ["gitmem", "hook", "claude-code"]
            subprocess.run(argv, cwd=repo, env=env, input=each, capture_output=True, text=True, check=True)

    in_turn()  # makes the index, with modules that are not needed again
    for compiled in package.rglob("*.pyc"):
        compiled.unlink()
    in_turn()

    assert sorted(str(path.relative_to(package)).split(".")[0] for path in package.rglob("*.pyc")) == [
        "__pycache__/__init__",
        "__pycache__/__main__",
    ]
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/RECORD"))
    assert f"gitmem/start.{sys.implementation.cache_tag}.bin,sha256=" in record  # so that installers remove it


def test_changed_source_of_an_installed_module_is_read_and_named_in_a_traceback(
    installed: Path, tmp_path: Path
) -> None:
    env = typed_in(tmp_path, installed)
    (package,) = installed.parent.glob("lib/python*/site-packages/gitmem")
    source = package / "cli/terminal.py"
    text = source.read_text(encoding="utf-8")
    show = f"""if True:
        from gitmem.__main__ import use_merged_code
        use_merged_code({str(package)!r})
        import gitmem.cli.terminal, importlib.resources, inspect
        print(type(gitmem.cli.terminal.__loader__).__name__, gitmem.cli.terminal.__file__)
        print(getattr(gitmem.cli.terminal, "CHANGED", 0), importlib.resources.files("gitmem.cli") / "save.py")
        print(inspect.getsource(gitmem.cli.terminal.agent_sign).splitlines()[0])
        print(gitmem.cli.terminal.agent_sign.__code__.co_filename)
        print(bool(gitmem.Memory.recall.__doc__), gitmem.cli.terminal.agent_sign.__doc__)
    """

    merged = run(installed / "python", "-c", show, cwd=tmp_path, env=env).splitlines()
    source.write_text(text + "CHANGED = 1\n", encoding="utf-8")
    longer = run(installed / "python", "-c", show, cwd=tmp_path, env=env).splitlines()
    source.write_text(text, encoding="utf-8")
    later = source.stat().st_mtime + 3600
    os.utime(source, (later, later))
    touched = run(installed / "python", "-c", show, cwd=tmp_path, env=env).splitlines()

    assert merged[0] == f"MergedLoader {source}"
    assert merged[-3].startswith("def agent_sign(")
    assert merged[-2] == str(source)
    assert merged[-1] == "True None"  # `help()` works for what the documentation describes
    assert (longer[0], longer[1]) == (f"SourceFileLoader {source}", f"1 {package}/cli/save.py")
    assert touched[0] == f"SourceFileLoader {source}"


@pytest.mark.whole_system
def test_damaged_byte_code_is_not_used(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    (file,) = tmp_path.glob("gitmem/start.*.bin")
    good = file.read_bytes()
    show = (
        f"import sys; sys.argv = ['gitmem', '--version']; sys.path.insert(0, {str(tmp_path)!r}); from gitmem.__main__"
    )
    sizes = (0, 3, 4, 8, 9, 100, 8000, len(good) // 2)

    for damaged in (*(good[:size] for size in sizes), good[:4] + bytes(len(good) - 4), good[:9] + b"N" + good[10:]):
        file.write_bytes(damaged)
        printed = run(sys.executable, "-c", f"{show} import script; script()", cwd=tmp_path)
        assert printed.startswith("gitmem "), (len(damaged), printed)

    file.unlink()
    for make in (os.mkfifo, os.mkdir):
        make(file)
        assert run(sys.executable, "-c", f"{show} import script; script()", cwd=tmp_path).startswith("gitmem ")
        if make is os.mkfifo:
            file.unlink()


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


@pytest.mark.whole_system
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
