"""Use gitmem as a person does: the installed console script, typed in a shell, in processes of its own."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import select
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Ran, git
from support.fork_server import run_forked

from gitmem import cli
from gitmem.git import repository

SCRIPTS = Path(sysconfig.get_path("scripts"))
GITMEM = SCRIPTS / "gitmem"
# A command that hangs fails its own test instead of the whole run; the slowest here takes two seconds.
TIMEOUT_S = 180.0
# Variables that an interpreter, or the loader below it, reads when it starts.
OF_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "TZ")
# With these, a command runs in a process that ends with it: what it starts goes on, or programs are found elsewhere.
OF_A_PROCESS = {"GITMEM_BACKGROUND", "PATH"}


def environment(**changes: str | None) -> dict[str, str]:
    """Return the environment of a person who installed gitmem; a change to None takes a variable away."""
    env = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ.get('PATH', os.defpath)}", **changes}
    return {name: value for name, value in env.items() if value is not None}


def start(
    argv: list[str], cwd: Path | bytes, *, env: dict[str, str] | None = None, **options: object
) -> subprocess.Popen[bytes]:
    """Start a program without a terminal, in a session of its own."""
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(argv, cwd=cwd, env=env or environment(), start_new_session=True, **given)  # type: ignore[call-overload]


def run(
    argv: list[str],
    cwd: Path | bytes,
    *,
    env: dict[str, str] | None = None,
    input: str | None = None,
    **options: object,
) -> Ran:
    """Run a program without a terminal and return what it did."""
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    with start(argv, cwd, env=env, stdin=stdin, **options) as child:
        try:
            out, err = child.communicate(None if input is None else input.encode(), timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    return Ran(child.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def run_inside(argv: list[str], cwd: Path | bytes, env: dict[str, str]) -> Ran:
    """Run one command of gitmem in this process, with a folder and an environment of its own."""
    kept, here = dict(os.environ), os.getcwd()
    outputs = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2)]
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    try:
        with contextlib.redirect_stdout(outputs[0]), contextlib.redirect_stderr(outputs[1]):
            status = cli.main(argv)
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(kept)
        repository._named = ""  # what -C named
    return Ran(status, *(output.buffer.getvalue().decode("utf-8", "replace") for output in outputs))  # type: ignore[attr-defined]


def fork(argv: list[str], cwd: Path | bytes, env: dict[str, str], *, input: str | None = None, inside: int = 0) -> Ran:
    """Run one command of gitmem, forked from a process that has it loaded; below the namespaces of another process."""
    given = (input or "").encode()
    status, out, err = run_forked(argv, os.fspath(cwd), env, timeout=TIMEOUT_S, stdin=given, inside=inside)
    return Ran(status, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


# Makes the terminal that is its standard input its own, as a login does (tty_ioctl(4)), and becomes the given program.
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


def on_terminal(argv: list[str], cwd: Path, answer: Callable[[str], str | None]) -> tuple[int, str]:
    """Run a program on a terminal of its own and return its status and what it printed.

    Args:
        argv: The program, by its whole path, and its arguments.
        cwd: Where it runs.
        answer: Given all that was printed so far, returns what to type now, or None.
    """
    ours, theirs = os.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    child = start([sys.executable, "-c", TAKE_TERMINAL, *argv], cwd, env=environment(TERM="xterm"), **ends)
    os.close(theirs)
    said = b""
    try:
        while select.select([ours], [], [], TIMEOUT_S)[0]:
            more = os.read(ours, 4096)
            said += more
            typed = answer(said.decode("utf-8", "replace"))
            if typed is not None:
                os.write(ours, typed.encode())
    except OSError:
        pass  # Linux says EIO once nobody has the other end open any more (pty(7))
    finally:
        os.close(ours)
        status = child.wait(TIMEOUT_S)
    return status, said.decode("utf-8", "replace")


class Console:
    """A person's shell in one folder.

    Attributes:
        folder: Where commands run.
        is_inside: Whether they run in this process, for a quarter of the CPU; False where each must be a process: that
            ends, holds a lock, or starts others.
        env: What is changed in their environment.
    """

    def __init__(self, folder: Path, *, is_inside: bool = True, **env: str | None) -> None:
        self.folder = folder
        self.is_inside = is_inside
        self.env = env

    def __call__(self, *args: str, cwd: Path | bytes | None = None, input: str | None = None, **env: str | None) -> Ran:
        """Run one command of gitmem: here, forked from a process that has it loaded, or by its script."""
        changes = {**self.env, **env}
        where = cwd or self.folder
        if any(name.startswith(OF_THE_START) for name in changes):
            return run([str(GITMEM), *args], where, env=environment(**changes), input=input)
        if input is None and self.is_inside and not OF_A_PROCESS & changes.keys():
            return run_inside([*args], where, environment(**changes))
        return fork([*args], where, environment(**changes), input=input)

    def ok(self, *args: str, **options) -> str:
        """Run one command of gitmem that must do its work, and return what it printed."""
        done = self(*args, **options)
        assert done.status == 0, f"gitmem {' '.join(args)}: {done}"
        return done.out.rstrip("\n")

    def json(self, *args: str, allowed: int = 1, **options):
        """Run one command of gitmem and return the JSON document that it printed; one other exit status may be."""
        done = self(*args, "--json", **options)
        assert done.status in (0, allowed), f"gitmem {' '.join(args)}: {done}"
        return json.loads(done.out)

    def type(self, lines: str, *, input: str | None = None, **env: str | None) -> Ran:
        """Type lines into a shell that stops at the first one that fails."""
        argv = ["bash", "-e", "-u", "-o", "pipefail", "-c", lines]
        return run(argv, self.folder, env=environment(**{**self.env, **env}), input=input)

    def listed(self, *args: str, **options) -> list[str]:
        """Return the keys that ``gitmem list`` shows, sorted."""
        return sorted(memory["key"] for memory in self.json("list", *args, **options)["memories"])


def fsck(folder: Path) -> None:
    """Fail where git finds anything wrong with a repository."""
    done = run(["git", "fsck", "--full", "--strict", "--no-dangling"], folder)

    assert (done.status, done.err.strip()) == (0, ""), done


def keys_on_branch(folder: Path, ref: str = "refs/heads/memory") -> list[str]:
    """Return the keys of the memories on the branch, straight from git, sorted."""
    listed = git(folder, "ls-tree", "-r", "-z", "--name-only", ref).split("\0")
    places = (path.split("/") for path in listed if path.endswith(".md") and "/" in path)
    return sorted(parts[-1].removesuffix(".md") for parts in places)


def is_linear(folder: Path, ref: str = "refs/heads/memory") -> bool:
    """Return whether every commit of a branch but the first has exactly one parent."""
    counts = [len(line.split()) - 1 for line in git(folder, "rev-list", "--parents", ref).splitlines()]
    return counts == [1] * (len(counts) - 1) + [0]


# What gitmem may write in a repository: its own state, new objects, and the memory branch with its log.
OURS = ("gitmem/", "objects/", "refs/heads/memory", "logs/refs/heads/memory", "refs/gitmem/")
# The same of one linked work tree: what its HEAD has of the second home.
OF_A_WORK_TREE = re.compile(r"common/worktrees/[^/]+/gitmem(/|$)")


def snapshot(folder: Path, *, apart_from: tuple[str, ...] = ()) -> dict[str, str]:
    """Return everything in a folder by path: mode, and content by its hash or the link's target; no times."""
    found = {}
    for top, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(top, name)
            inside = os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")
            if inside.startswith(apart_from):
                continue
            status = path.lstat()
            if path.is_symlink():
                content = os.fsdecode(os.readlink(path))
            else:
                content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            found[inside] = f"{status.st_mode:o} {content}"
    return found


def untouched(folder: Path) -> dict[str, str]:
    """Return all of a repository that gitmem may never change, by path: work tree, index, HEAD, config, hooks, refs."""
    git_dir = Path(git(folder, "rev-parse", "--absolute-git-dir"))
    common = Path(git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    # What is ours is not even looked at: a process behind a command may take a file of it away meanwhile.
    found = {f"common/{path}": kept for path, kept in snapshot(common, apart_from=OURS).items()}
    found = {path: kept for path, kept in found.items() if not OF_A_WORK_TREE.match(path)}
    if git_dir != common:
        inside = snapshot(git_dir, apart_from=("gitmem",)).items()
        found |= {f"git/{path}": kept for path, kept in inside}
    top = git(folder, "rev-parse", "--show-toplevel", check=False)
    if top:
        skipped = (".git/",) if (Path(top) / ".git").is_dir() else ()
        found |= {f"top/{path}": kept for path, kept in snapshot(Path(top), apart_from=skipped).items()}
    empty_folders = {"common/refs", "common/refs/heads", "common/logs", "common/logs/refs", "common/logs/refs/heads"}
    found = {
        path: kept for path, kept in found.items() if path not in {*empty_folders, "common/gitmem", "common/objects"}
    }
    refs = git(folder, "for-each-ref", "--format=%(refname) %(objectname) %(symref)")
    found["refs"] = "\n".join(line for line in refs.splitlines() if not line.startswith("refs/heads/memory "))
    return found


def wait_until(condition: Callable[[], object]) -> bool:
    """Wait until a condition holds; tell whether it came to."""
    end = time.monotonic() + 120
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(condition())


def at_rest(state: Path) -> bool:
    """Return whether no process behind git is at work or on its way any more."""
    folder = state / "background"
    return folder.exists() and not any(list(folder.glob(f"*.{name}")) for name in ("asked", "doing", "started"))


def namespaces_work() -> bool:
    """Return whether a user and mount namespace can be made here, and a tmpfs mounted in it, by doing it."""
    script = 'd=$(mktemp -d) && mount -t tmpfs none "$d" && touch "$d/x" && umount "$d"; s=$?; rmdir "$d"; exit $s'
    try:
        return run(["unshare", "-Urm", "sh", "-c", script], Path("/")).status == 0
    except OSError:
        return False


needs_namespaces = pytest.mark.skipif(
    not namespaces_work(), reason="no user and mount namespaces here (unshare -Urm with a tmpfs)"
)
