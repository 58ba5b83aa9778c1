"""Count the commits that a team's verify runs leave on the memory branch: five people and a CI, in real clones.

    python -m benchmarks.team                              25 commits of code, 5 people, 300 facts
    python -m benchmarks.team --commits 10 --facts 100

For each commit of code, its author commits, verifies, synchronizes and pushes; the CI pulls, verifies and synchronizes;
two of the others pull and verify too, as people do who begin to work. Each commit touches a file that some facts read;
every fifth one breaks a fact, and the next one mends it. Exit status: 0 at most 1.4 commits for one of code, 1 more.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.history import run_git
from gitmem.memory import Memory
from gitmem.model import FAILED
from gitmem.verify.options import Options

# The most commits on the memory branch for each one of code.
MOST = 35 / 25
FILES = 20


class Team:
    """Clones of one bare repository; the last one is the CI's."""

    def __init__(self, folder: Path, people: int, facts: int) -> None:
        self._clock = time.time()
        self._remote = folder / "remote.git"
        run_git(folder, "init", "-q", "--bare", "-b", "main", str(self._remote))
        self.clones = [folder / f"clone-{number}" for number in range(people + 1)]
        first = self._clone(self.clones[0])
        for number in range(FILES):
            place = first / "src" / f"f{number}.py"
            place.parent.mkdir(exist_ok=True)
            place.write_text("".join(f"value_{n} = {n}\n" for n in range(number, facts, FILES)), encoding="utf-8")
        self.commit(0, "project")
        with self.open(0) as memory:
            memory.init(offline=True)
            for n in range(facts):
                memory.fact(f"value {n} is there", key=f"value-{n}", contains=f"value_{n} = {n}\n", within=_place(n))
            memory.sync()
        for clone in self.clones[1:]:
            self._clone(clone)
        for number in range(1, people + 1):
            with self.open(number) as memory:
                memory.init()

    def open(self, number: int) -> Memory:
        """Return the memory of one clone; each time is two minutes later than the one before."""
        self._clock += 120
        return Memory(self.clones[number], clock=lambda: self._clock)

    def commit(self, number: int, subject: str) -> None:
        """Commit and push what is in a work tree."""
        run_git(self.clones[number], "add", "-A")
        run_git(self.clones[number], "commit", "-q", "-m", subject)
        run_git(self.clones[number], "push", "-q", "origin", "HEAD:main")

    def work(self, number: int, *, pulls: bool = True) -> int:
        """Pull, verify and synchronize, as a person or the CI does; return how many facts fail."""
        if pulls:
            run_git(self.clones[number], "pull", "-q", "--ff-only", "origin", "main")
        with self.open(number) as memory:
            run = memory.verify(options=Options(), report=lambda *_: None)
            memory.sync()
        return sum(line.status == FAILED for line in run.standing.lines)

    def count(self) -> int:
        """Return how many commits the memory branch has on the remote."""
        return int(run_git(self._remote, "rev-list", "--count", "memory"))

    def _clone(self, clone: Path) -> Path:
        run_git(clone.parent, "clone", "-q", str(self._remote), str(clone))
        for name, value in {"user.name": clone.name, "user.email": f"{clone.name}@localhost"}.items():
            run_git(clone, "config", name, value)
        run_git(clone, "checkout", "-q", "-B", "main")
        return clone


def _place(fact: int) -> str:
    return f"src/f{fact % FILES}.py"


def simulate(folder: Path, *, people: int, commits: int, facts: int) -> tuple[int, int]:
    """Return the commits on the memory branch that so many of code led to, and breaks that a clone did not see."""
    team = Team(folder, people, facts)
    team.work(0)
    began, missed, broken = team.count(), 0, -1
    for number in range(commits):
        author = number % people
        run_git(team.clones[author], "pull", "-q", "--ff-only", "origin", "main")
        place = team.clones[author] / "src" / f"f{number % FILES}.py"
        place.write_text(f"{place.read_text(encoding='utf-8')}# {number}\n", encoding="utf-8")
        if broken >= 0:
            place = team.clones[author] / _place(broken)
            text = place.read_text(encoding="utf-8")
            place.write_text(text.replace(f"value_{broken} = -1\n", f"value_{broken} = {broken}\n"), encoding="utf-8")
            broken = -1
        elif number % 5 == 0:
            broken = number
            place = team.clones[author] / _place(broken)
            text = place.read_text(encoding="utf-8")
            place.write_text(text.replace(f"value_{broken} = {broken}\n", f"value_{broken} = -1\n"), encoding="utf-8")
        team.commit(author, f"change {number}")
        failing = [team.work(author, pulls=False), team.work(people)]
        failing += [team.work((author + other) % people) for other in (1, 2)]
        missed += sum(one != (broken >= 0) for one in failing)
    return team.count() - began, missed


def main(argv: Sequence[str]) -> int:
    """Simulate, print what came of it, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=5, metavar="N")
    parser.add_argument("--commits", type=int, default=25, metavar="N")
    parser.add_argument("--facts", type=int, default=300, metavar="N")
    args = parser.parse_args(argv)
    os.environ["GITMEM_BACKGROUND"] = "off"
    with tempfile.TemporaryDirectory(prefix="gitmem-team-") as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        made, missed = simulate(Path(folder), people=args.people, commits=args.commits, facts=args.facts)
    print(f"{args.commits} commits of code: {made} on the memory branch; {missed} times a clone saw the wrong failures")
    return int(missed > 0 or made > MOST * args.commits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
