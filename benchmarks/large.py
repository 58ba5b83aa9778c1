"""Show what gets slow as a store grows: the same commands on stores of several sizes, each with a fresh clone's cost.

    .venv/bin/python -m benchmarks.large /var/tmp/large 10000 100000 1000000

Each store is made once and kept in the folder. A figure is the CPU time of a command and its children, the least of
three runs (of one if it takes more than five seconds), as a multiple of Y, the time of ``python -c pass`` measured
in between; the peak is that of the command's own process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks import generate
from benchmarks.stores import Stores, gitmem, object_bytes, say

FILES = 2_000
# Above this, once is enough.
LONG_S = 5.0
COMMANDS: dict[str, tuple[str, ...]] = {
    "recall, rare words": ("recall", "lock timeout in the exports publisher"),
    "recall, one word that is everywhere": ("recall", "cache"),
    "list --limit 10": ("list", "--limit", "10"),
    "context": ("context",),
    "status": ("status",),
    "remember": ("remember", "The exports publisher needs two locks", "--kind", "gotcha"),
    "recall after it": ("recall", "exports publisher two locks"),
    "doctor": ("doctor",),
}


def measure(stores: Stores, argv: list[str], cwd: Path) -> tuple[float, float]:
    """Return the CPU seconds of a program with its children, and its peak in MB."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(argv, cwd=cwd, env=stores.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            out.seek(0)
            raise SystemExit(f"{argv} ended with {child.returncode}: {out.read()[-500:].decode(errors='replace')}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def least(stores: Stores, argv: list[str], cwd: Path) -> tuple[float, float]:
    """Return the least CPU seconds of three runs, and the peak of the first."""
    seconds, peak = measure(stores, argv, cwd)
    runs = 0 if seconds > LONG_S else 2
    return min([seconds, *(measure(stores, argv, cwd)[0] for _ in range(runs))]), peak


def figures(stores: Stores, count: int) -> Iterable[tuple[str, str]]:
    """Yield what is measured in a store of this size, and its figure."""
    folder = stores.folder / f"large-{count}"
    if not (folder / ".made").exists():
        say(f"making {folder.name}: {count} memories")
        generator = [sys.executable, generate.__file__, str(folder), "--memories", str(count), "--files", str(FILES)]
        stores.run(generator, stores.folder)
        (folder / ".made").touch()
    state = folder / ".git" / "gitmem"
    subprocess.run(["rm", "-rf", str(state)], check=True)
    stores.run([gitmem(), "init", "--no-view"], folder)
    (state / "catalog.sqlite").unlink(missing_ok=True)
    yield "objects", f"{object_bytes(folder) / 1e6:.0f} MB"
    for name, argv in {"first command after a clone": COMMANDS["recall, rare words"], **COMMANDS}.items():
        say(f"{count}: {name}")
        yard = least(stores, [sys.executable, "-c", "pass"], folder)[0]
        once = name.startswith("first") or argv[0] == "remember"
        seconds, peak = (measure if once else least)(stores, [gitmem(), *argv], folder)
        figure = f"{seconds:.0f} s" if seconds > LONG_S else f"{1000 * seconds:.0f} ms"
        yield name, f"{figure} = {seconds / yard:.3g} Y, {peak:.0f} MB"
        if name.startswith("first"):
            yield "the index", f"{(state / 'catalog.sqlite').stat().st_size / 1e6:.0f} MB"


def main() -> int:
    """Measure the sizes of the command line and print a table."""
    parser = argparse.ArgumentParser(description="Measure the same commands on stores of several sizes.")
    parser.add_argument("folder", type=Path, help="where the stores are made and kept")
    parser.add_argument("sizes", type=int, nargs="+", help="numbers of memories")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    stores = Stores(options.folder)
    columns = {size: dict(figures(stores, size)) for size in options.sizes}
    print("| memories |", " | ".join(f"{size:,}" for size in columns), "|")
    print("|---" * (len(columns) + 1) + "|")
    for name in next(iter(columns.values())):
        print("|", name, "|", " | ".join(column[name] for column in columns.values()), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
