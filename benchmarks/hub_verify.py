"""Measure how long a hub's workers take to verify many repositories while some are killed, and what is lost.

    .venv/bin/python -m benchmarks.hub_verify [--repositories N] [--every SECONDS] [--write]

Each repository has 20 facts without a verdict: 18 with checks that gitmem answers itself, and two approved commands.
Two workers judge them and push the verdicts; the one that works is killed with SIGKILL again and again, and started
again. A fact without a verdict about the newest code is lost; a further verdict about it is double. The time is that
of 10,000 repositories on two cores that do nothing else, by the CPU seconds of all that the workers start.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path

from benchmarks.hub_kills import GITMEM, Trial, run, until
from benchmarks.record import record
from gitmem.frozen import frozen
from gitmem.hub import ingest
from gitmem.memory import Memory

FACTS, COMMANDS, ALL, CORES = 20, 2, 10_000, 2


@frozen
class Found:
    """What the workers did.

    Attributes:
        repositories: How many repositories they verified.
        kills: How many workers were killed.
        lost: Facts without a verdict about the newest code.
        double: Further verdicts about the same code.
        cpu_s: CPU seconds of the workers and of what they started.
        waited_s: Seconds by the clock.
    """

    repositories: int
    kills: int
    lost: int
    double: int
    cpu_s: float
    waited_s: float

    @property
    def hours(self) -> float:
        """Return how long all repositories take at this rate."""
        return self.cpu_s / self.repositories * ALL / CORES / 3600


class Verifying(Trial):
    """A hub whose repositories have many facts that nothing has judged yet."""

    repositories = 1

    def _make_remotes(self) -> list[Path]:
        """Make bare repositories with facts and approved commands."""
        local = self.scratch / "local"
        run("git", "init", "-q", "-b", "main", str(local))
        for name, value in (("user.name", "Ana"), ("user.email", "ana@example.org")):
            run("git", "-C", str(local), "config", name, value)
        (local / "config.py").write_text("".join(f"PORT_{number} = {number}\n" for number in range(FACTS)))
        run("git", "add", ".", cwd=local)
        run("git", "commit", "-qm", "the service", cwd=local)
        with Memory(local) as memory:
            memory.init(offline=True)
            for number in range(FACTS):
                title, key, line = f"Port {number} is {number}", f"port-{number}", f"PORT_{number} = {number}"
                if number < COMMANDS:
                    memory.fact(title, verify=f"grep -q '{line}$' config.py", key=key, unproven=True)
                else:
                    memory.fact(title, contains=line, within="config.py", key=key, unproven=True)
        (local / ".github").mkdir()
        (local / ".github" / "gitmem-approved").write_text(run(*GITMEM, "trust", "--print", cwd=local, check=False))
        run("git", "add", ".github", cwd=local)
        run("git", "commit", "-qm", "approve", cwd=local)
        remotes = [self.scratch / "git" / f"r{number}.git" for number in range(self.repositories)]
        for remote in remotes:
            run("git", "clone", "-q", "--bare", str(local), str(remote))
        return remotes

    def start(self, name: str) -> None:
        """Start a worker; this run needs no servers, and no sync beside the one before the work."""
        if name.startswith("worker"):
            super().start(name)

    def count(self) -> tuple[int, int]:
        """Return how many facts have no verdict about the newest code, and how many verdicts are double."""
        lost = double = 0
        for remote in self.remotes:
            tip = run("git", "-C", str(remote), "rev-parse", "main").strip()
            verdicts = {one for step in _steps(remote) for one in _verdicts(remote, step) if one[1] == tip}
            times = Counter(key for key, _, _ in verdicts)
            lost, double = lost + FACTS - len(times), double + sum(times.values()) - len(times)
        return lost, double


def _steps(remote: Path) -> list[str]:
    return run("git", "-C", str(remote), "log", "--format=%H", "memory", "--", "verdicts").split()


def _verdicts(remote: Path, commit: str) -> set[tuple[str, str, str]]:
    """Return the fact, the commit of the code and the time of each verdict in a commit of the memory branch."""
    paths = run("git", "-C", str(remote), "ls-tree", "-r", "--name-only", commit, "verdicts").split()
    texts = [run("git", "-C", str(remote), "show", f"{commit}:{path}") for path in paths]
    return {
        (key, str(verdict["commit"]), str(verdict["at"]))
        for text in texts
        for key, verdicts in tomllib.loads(text).items()
        for verdict in verdicts.values()
    }


def measure(scratch: Path, repositories: int, every_s: float) -> Found:
    """Let the workers verify all repositories while one of them is killed now and then."""
    Verifying.repositories = repositories
    trial, kills = Verifying(scratch, random.Random(1)), 0
    try:
        list(ingest.sync(trial.owner, scratch / "mirrors"))
        for name in [*trial.processes]:
            trial.kill(name)  # a worker looks for what is due when it starts
        start, killed, used = time.monotonic(), time.monotonic(), _cpu_s(trial)
        until(lambda: not trial.is_quiet())
        while not trial.is_quiet():
            time.sleep(1)
            if time.monotonic() - killed >= every_s:
                trial.kill(trial.choose("worker"))
                kills, killed = kills + 1, time.monotonic()
        waited = time.monotonic() - start
        used = _cpu_s(trial) - used
        lost, double = trial.count()
    finally:
        trial.close()
    return Found(repositories, kills, lost, double, used, waited)


def _cpu_s(trial: Trial) -> float:
    """Return the CPU seconds of the workers, killed ones included, and of what they started and waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = ended.ru_utime + ended.ru_stime
    for process in trial.processes.values():
        words = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()  # proc(5): from the third on
        total += sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=100)
    parser.add_argument("--every", type=float, default=60, help="seconds between two kills")
    parser.add_argument("--write", action="store_true", help="record the figures")
    args = parser.parse_args()
    os.environ.update(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
    with tempfile.TemporaryDirectory(prefix="hub-verify-") as scratch:
        found = measure(Path(scratch), args.repositories, args.every)
    print(
        f"{found.repositories} repositories in {found.waited_s:.0f} s, {found.cpu_s:.0f} s of CPU; {found.kills} kills:"
        f" {found.lost} lost, {found.double} double; {ALL:,} take {found.hours:.1f} hours"
    )
    if args.write:
        wrong = {"measured": found.lost + found.double, "of": found.repositories * FACTS}
        record("hub", {"hub-verify": {"measured": round(found.hours, 1)}, "hub-verify-wrong": wrong})


if __name__ == "__main__":
    main()
