"""Two machines that verify one store at once, each its shard, and push to one bare remote on disk."""

from __future__ import annotations

import shutil
import sys

from benchmarks.measure import BenchmarkError, Command
from benchmarks.stores import STORES, Stores, gitmem

MACHINES = 2
# Starts a verify and a sync for each machine, waits for all of them, and fails when one sync did: facts may fail.
_ALL = """
import subprocess, sys
line = '"$0" verify --shard "$1" --no-sandbox; "$0" sync'
children = [subprocess.Popen(["sh", "-c", line, sys.argv[1], f"{n}/{len(sys.argv[2:])}"], cwd=folder,
                             stdout=subprocess.DEVNULL) for n, folder in enumerate(sys.argv[2:], 1)]
sys.exit(any([child.wait() for child in children]))
"""


def jobs_command(stores: Stores, name: str, size: str) -> Command:
    """Return the verify jobs of all machines; no verdict may be lost."""
    folder = stores.folder / name
    hub, clones = folder / "hub.git", [folder / f"machine-{number}" for number in range(1, MACHINES + 1)]

    def before(_: int) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        stores.run(["git", "clone", "-q", "--bare", str(stores.path(size)), str(hub)], folder)
        for clone in clones:
            stores.run(["git", "clone", "-q", str(hub), str(clone)], folder)

    def after(_: int) -> None:
        said = stores.run(["git", "grep", "-h", "^outcome = ", "memory", "--", "verdicts"], hub)
        found, wanted = said.count(b"\n"), STORES[size][0]
        if found != wanted:
            raise BenchmarkError(f"{hub}: {found} verdicts on the branch, not {wanted}")

    argv = [sys.executable, "-c", _ALL, gitmem(), *map(str, clones)]
    return Command(name, lambda _: argv, folder, before=before, after=after)
