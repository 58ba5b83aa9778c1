"""Count false alarms: facts whose checks fail at random beside steady ones, verified at every commit.

    python benchmarks/alarms.py [--commits 50] [--rounds 1]

Twelve facts fail at random in 2, 10 and 30 % of their runs; 36 are steady, and some of these are broken by commits in
between. A third of these runs at every commit, and is known to be steady by the time; the others run once before they
break: the answer of a third of them follows from what they read, the last third runs an interpreter, which
shows nothing. An alarm is what `gitmem verify` reports as newly failed; it is false where no commit broke the fact.
The runs of each broken check are counted from the commit that breaks it; a slow check that breaks is timed against its
own time. Exit status: 0, or 1 where an alarm was false or a break was not reported at its commit.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.observed import commit, run_git
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command
from gitmem.verify.options import Options

RATES = (2, 10, 30)
PER_RATE = 4
STEADY = 36
# A commit in so many breaks a steady fact; and how long the slow check takes, in seconds.
BREAK_EVERY = 5
SLOW_S = 8.0
OPTIONS = Options(no_sandbox=True)
# What is known of a steady check before it breaks.
KNOWN = ("ran once, a tool that reads files", "ran at every commit", "ran once, an interpreter")


@dataclass
class Count:
    """What came of a walk.

    Attributes:
        false_alarms: Facts that were reported as failed though nothing broke them, with the commit's number.
        missed: Breaks that were not reported at their commit.
        marked: How often a fact was marked as flapping.
        beginnings: Facts of which a commit was named since which they were unsteady, though they always were.
        runs: How often the check of each break ran until it was reported, by what was known of it.
        slow_ratio: Seconds that verifying the broken slow check took, by its own time.
    """

    false_alarms: list[tuple[int, str]] = field(default_factory=list)
    missed: list[tuple[int, str]] = field(default_factory=list)
    marked: int = 0
    beginnings: list[str] = field(default_factory=list)
    runs: dict[str, list[int]] = field(default_factory=lambda: {what: [] for what in KNOWN})
    slow_ratio: float = 0.0


def facts(folder: Path) -> dict[str, str]:
    """Return the facts by key, as commands."""
    coin = "grep -q . n && test $(($(od -An -N2 -tu2 /dev/urandom) % 100)) -ge {}"
    found = {f"coin-{rate:02}-{n}": coin.format(rate) for rate in RATES for n in range(PER_RATE)}
    for n in range(STEADY):
        also = "grep -q . n && " if n % 3 == 1 else ""
        look = "perl -ne 'exit !/holds/'" if n % 3 == 2 else "grep -q holds"
        found[f"steady-{n:02}"] = f"echo run >>{folder}/{n:02}.runs; {also}{look} s/{n:02}"
    return found


def make(repo: Path, commands: dict[str, str]) -> None:
    """Make the code, with the facts on the memory branch."""
    run_git(repo, "init", "-q", "-b", "main")
    for name, value in (("user.name", "B"), ("user.email", "b@localhost")):
        run_git(repo, "config", name, value)
    commit(repo, "main", {f"s/{n:02}": "holds\n" for n in range(STEADY)} | {"slow": "holds\n", "n": "0\n"})
    run_git(repo, "reset", "-q", "--hard")
    with Memory(repo) as memory:
        memory.init(offline=True)
    texts = {
        f"facts/{key}.md": f"---\ntitle: Fact {key}\nkind: fact\nverify: {command}\n---\n"
        for key, command in commands.items()
    }
    commit(repo, "memory", texts)


def approve(repo: Path) -> None:
    """Approve every command."""
    with Memory(repo) as memory:
        for due in memory.repository.commands():
            approve_command(memory.repository, due)


def walk(folder: Path, commits: int) -> Count:
    """Verify at every commit and count."""
    repo, count = folder / "repo", Count()
    repo.mkdir()
    make(repo, facts(folder))
    approve(repo)
    began = time.time()
    with Memory(repo, clock=lambda: began) as memory:
        memory.verify(options=OPTIONS)
    for number in range(1, commits + 1):
        broken = number // BREAK_EVERY - 1 if number % BREAK_EVERY == 0 else -1
        files = {"n": f"{number}\n"} | ({f"s/{broken:02}": "broken\n"} if broken >= 0 else {})
        commit(repo, "main", files)
        run_git(repo, "reset", "-q", "--hard")
        place = folder / f"{broken:02}.runs"
        place.unlink(missing_ok=True)
        # A minute after the commit before, as people commit: verdicts of one second cannot be told apart.
        now = began + 60 * number
        with Memory(repo, clock=lambda now=now: now) as memory:
            results = memory.verify(options=OPTIONS).results
        alarms = {r.due.row.key for r in results if r.outcome == "fails" and r.is_news}
        expected = {f"steady-{broken:02}"} if broken >= 0 else set()
        count.false_alarms += [(number, key) for key in sorted(alarms - expected)]
        count.missed += [(number, key) for key in sorted(expected - alarms)]
        count.marked += sum(r.is_marked for r in results)
        count.beginnings += [r.due.row.key for r in results if r.is_marked and r.verdict and r.verdict.culprit]
        if broken >= 0:
            count.runs[KNOWN[broken % 3]].append(place.read_text().count("run"))
    return count


def time_slow(folder: Path) -> float:
    """Return how long verifying takes whose one check breaks, by the check's own time."""
    repo = folder / "slow"
    repo.mkdir()
    make(repo, {"slow": f"sleep {SLOW_S}; grep -q holds slow"})
    approve(repo)
    with Memory(repo) as memory:
        memory.verify(options=OPTIONS)
    commit(repo, "main", {"slow": "broken\n"})
    run_git(repo, "reset", "-q", "--hard")
    began = time.perf_counter()
    with Memory(repo) as memory:
        (result,) = memory.verify(options=OPTIONS).results
    assert result.outcome == "fails"
    return (time.perf_counter() - began) / SLOW_S


def main() -> int:
    """Walk, time and print."""
    parser = argparse.ArgumentParser(description="Count false alarms of facts that fail at random.")
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith(("GIT_", "GITMEM_"))]:
        del os.environ[name]
    bad = 0
    for number in range(options.rounds):
        folder = Path(tempfile.mkdtemp(prefix="gitmem-alarms-"))
        os.environ.update(XDG_STATE_HOME=str(folder / "state"), GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
        try:
            count = walk(folder, options.commits)
            count.slow_ratio = time_slow(folder) if number == 0 else 0.0
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        bad += len(count.false_alarms) + len(count.missed)
        print(f"{len(count.false_alarms)} false alarms {count.false_alarms}, {len(count.missed)} breaks missed")
        print(f"{count.marked} marks; {len(count.beginnings)} of them name a commit {count.beginnings}")
        for what, runs in count.runs.items():
            if runs:
                print(
                    f"runs of a check that breaks ({what}): {max(runs)} at most, {sum(runs) / len(runs):.1f} on average"
                )
        if count.slow_ratio:
            print(f"a check of {SLOW_S:g} s that breaks: {count.slow_ratio:.1f} times its own time", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
