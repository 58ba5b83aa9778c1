"""Time 16 workers that post to one board at once, and count what is on it: by the API and by the command.

    python -m benchmarks.boards                    16 workers, 100 entries each
    python -m benchmarks.boards --workers 4 --each 10 --kills 3

Every worker is a process of its own. With ``--kills``, so many of those that use the API are killed with SIGKILL as
they post, and started again from their first entry: each entry must be there once. Exit status: 0 every entry is on
the board once and the goals are reached, 1 not.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.history import run_git
from gitmem.memory import Memory

# The goals of the issue, in seconds, for 16 workers with 100 entries each.
GOALS_S = {"API": 20.0, "command": 120.0}
BY_API = """
import sys
from gitmem import Memory
run, worker, each = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory(".") as memory:
    for n in range(each):
        memory.boards.post(run, f"finding {n} of {worker}: the pool has {n} idle connections", worker=worker)
"""
BY_COMMAND = """
n=0
while [ $n -lt "$3" ]; do
    "$4" -m gitmem board post "$1" "finding $n of $2: the pool has $n idle connections" --worker "$2" || exit 1
    n=$((n + 1))
done
"""


def start(how: str, folder: Path, run: str, worker: str, each: int) -> subprocess.Popen[bytes]:
    """Start one worker."""
    program = [sys.executable, "-c", BY_API] if how == "API" else ["sh", "-c", BY_COMMAND, "sh"]
    argv = [*program, run, worker, str(each), *([] if how == "API" else [sys.executable])]
    return subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL)


@dataclass(frozen=True)
class Figures:
    """What a round took and left.

    Attributes:
        wall_s: Seconds from the first worker's start to the last one's end.
        cpu_s: Seconds of user and system time of all workers and of the git that they started.
        kept: Entries on the board.
        different: How many different ones.
    """

    wall_s: float
    cpu_s: float
    kept: int
    different: int


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(how: str, folder: Path, *, workers: int, each: int, kills: int = 0) -> Figures:
    """Let the workers post, and return what that took and what is on the board."""
    run = f"by-{how.lower()}"
    with Memory(folder) as memory:
        memory.boards.open(run)
    began, used = time.monotonic(), _cpu_s()
    running = {f"w{n}": start(how, folder, run, f"w{n}", each) for n in range(workers)}
    for n in range(kills):
        time.sleep(0.4)
        victim = running[f"w{n % workers}"]
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        running[f"w{n % workers}"] = start(how, folder, run, f"w{n % workers}", each)
    if any(one.wait() for one in running.values()):
        message = "a worker failed"
        raise RuntimeError(message)
    seconds, cpu_s = time.monotonic() - began, _cpu_s() - used
    files = run_git(folder, "ls-tree", "-r", "--name-only", f"refs/gitmem/runs/{run}").split("\n")
    with Memory(folder) as memory:
        texts = [entry.text for entry in memory.boards.show(run).entries if entry.text.startswith("finding")]
    return Figures(seconds, cpu_s, len(files) - 1, len(set(texts)))


def main() -> int:
    """Print the figures; 1 where an entry is missing or a goal is not reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--kills", type=int, default=0)
    args = parser.parse_args()
    is_good = True
    with tempfile.TemporaryDirectory(prefix="gitmem-boards-") as name:
        folder = Path(name)
        run_git(folder, "init", "-q", "-b", "main")
        run_git(folder, "commit", "-q", "--allow-empty", "-m", "project")
        for how, goal_s in GOALS_S.items():
            kills = args.kills if how == "API" else 0
            found = measure(how, folder, workers=args.workers, each=args.each, kills=kills)
            wanted = args.workers * args.each
            is_good &= found.kept == found.different == wanted and found.wall_s <= goal_s
            print(
                f"{how}: {found.kept} of {wanted} kept, {found.different} different,"
                f" {found.wall_s:.1f} s (goal {goal_s:g} s), {found.cpu_s:.1f} s of CPU",
                flush=True,
            )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
