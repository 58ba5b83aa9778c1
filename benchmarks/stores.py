"""The repositories that the figures are measured in, made when a figure first asks for them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks import generate
from benchmarks.measure import BenchmarkError

# The name of a store: how many memories, and the kinds in it.
STORES: dict[str, tuple[int, dict[str, float]]] = {
    "1k": (1_000, generate.MIX),
    "10k": (10_000, generate.MIX),
    "100k": (100_000, generate.MIX),
    "facts": (10_000, generate.FACTS_ONLY),
    "facts-1k": (1_000, generate.FACTS_ONLY),
    "jobs": (500, generate.FACTS_ONLY),
    "tasks": (5_000, generate.TASKS_ONLY),
}
CODE_FILES = 2_000


def gitmem() -> str:
    """Return the path of this virtual environment's own ``gitmem``."""
    return str(Path(sys.executable).parent / "gitmem")


class Stores:
    """Make stores under one folder and find them again: a folder that has one already keeps it.

    Attributes:
        env: The environment of everything that is measured: an empty home, and no setting of this person.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = self._environment()
        # Memories of today's year, so that as many are past their TTL as in a store in use; the same all day.
        self.end = int(time.time()) // 86400 * 86400

    def _environment(self) -> dict[str, str]:
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        # PYTHONDONTWRITEBYTECODE alone would have every module compiled at every start: +25 ms on a recall of 52 ms.
        kept = {k: v for k, v in generate.environment().items() if not k.startswith(("GITMEM_", "XDG_", "PYTHON"))}
        return {**kept, "HOME": str(home), "TMPDIR": os.environ.get("TMPDIR", "/tmp")}

    def path(self, name: str) -> Path:
        """Return the repository of this store, with gitmem set up and its catalog warm.

        Raises:
            BenchmarkError: ``gitmem`` could not be set up there.
        """
        folder = self.folder / name
        done = self.folder / f"{name}.made"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            count, mix = STORES[name]
            say(f"making {name}: {count} memories, {CODE_FILES} code files")
            # In a process of its own: a large one here would show in every peak (Figures.peak_kib).
            flags = ["--facts"] if mix is generate.FACTS_ONLY else ["--tasks"] if mix is generate.TASKS_ONLY else []
            generator = [sys.executable, generate.__file__, str(folder), "--memories", str(count)]
            generator += ["--files", str(CODE_FILES), "--end", str(self.end), *flags]
            self.run(generator, self.folder)
            self.run([gitmem(), "init", "--no-view"], folder)
            self.run([gitmem(), "index"], folder)
            done.write_bytes(self.run(["git", "rev-parse", "memory"], folder))
        return folder

    def first_tip(self, name: str) -> str:
        """Return the commit of the memory branch as it was made, before anything was measured there."""
        self.path(name)
        return (self.folder / f"{name}.made").read_text().strip()

    def checkout(self, name: str) -> Path:
        """Return a folder with the files of this store's memory branch, as a person would grep them."""
        folder = self.folder / f"{name}-files"
        if not folder.exists():
            folder.mkdir()
            archive = self.folder / "archive.tar"
            self.run(["git", "archive", "-o", str(archive), "memory"], self.path(name))
            self.run(["tar", "-xf", str(archive), "-C", str(folder)], self.folder)
            archive.unlink()
        return folder

    def blobs(self, name: str) -> Path:
        """Return a file that names every blob of this store's memory branch, a line each."""
        listed = self.folder / f"{name}-blobs"
        if not listed.exists():
            tree = self.run(["git", "ls-tree", "-r", "-z", "memory"], self.path(name))
            listed.write_bytes(b"".join(row.split()[2] + b"\n" for row in tree.split(b"\0") if row))
        return listed

    def run(self, argv: list[str], cwd: Path, *, ok: tuple[int, ...] = (0,)) -> bytes:
        """Run a program that is not timed, and return what it wrote.

        Raises:
            BenchmarkError: It ended with another status than those that count as done.
        """
        done = subprocess.run(argv, cwd=cwd, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode not in ok:
            said = (done.stdout + done.stderr)[-2000:].decode(errors="replace")
            raise BenchmarkError(f"{argv} in {cwd} ended with {done.returncode}\n{said}")
        return done.stdout


def object_bytes(repository: Path) -> int:
    """Return the apparent size of everything under ``.git/objects``, in bytes."""
    files = (repository / ".git" / "objects").rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def say(text: str) -> None:
    """Tell the person who waits what goes on; stdout is for the tables."""
    print(text, file=sys.stderr, flush=True)


def versions(env: Mapping[str, str]) -> str:
    """Return one line on what was measured where."""
    git = subprocess.run(["git", "--version"], env=dict(env), capture_output=True, text=True, check=True)
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"Python {sys.version.split()[0]}, {git.stdout.strip()}, SQLite {sqlite3.sqlite_version}, "
        f"{os.uname().sysname} {os.uname().release}, {os.cpu_count()} cores, load {load}"
    )
