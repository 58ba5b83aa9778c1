"""Measure what a check costs over a plain ``sh -c`` of the same command, in each way of running one.

    python benchmarks/overhead.py REPO [ROUNDS]     prints seconds as JSON: {way: [one for each round]}

A check takes the whole path of ``gitmem verify``: the judge, a ground of HEAD, the strongest sandbox that works here.
Every round runs each way once, so that a busy moment of the machine hits all alike; the first rounds, which make the
scratch clone and start the starter, do not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.index.catalog.fact_state import FactRow
from gitmem.model import HOLDS, SHELL, Check, Document, Spec, Verdict
from gitmem.system.environment import search_path
from gitmem.verify.approvals.clone import of_clone
from gitmem.verify.due import Due
from gitmem.verify.ground.ground import Grounds
from gitmem.verify.inputs import CodeTree
from gitmem.verify.run.evidence import find_tracer
from gitmem.verify.run.judge import Judge, Means
from gitmem.verify.sandbox import sandbox

# What is run: a shell that looks a file up, as most checks begin.
COMMAND = "test -e ."
WARM_UP = 3

Way = Callable[[], None]


def plain(repo: Path) -> None:
    """Run the command as anybody would."""
    argv = ["sh", "-c", COMMAND]
    subprocess.run(
        argv, cwd=repo, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True
    )


def judged(judge: Judge) -> None:
    """Run the command as a check whose fact held before."""
    spec = Spec(Check(SHELL, (COMMAND,)), interpreter="sh", timeout_s=60)
    held = Verdict("k", "s", "c", HOLDS, "", "", 0)
    row = FactRow(0, "k", "s", "c", SHELL, "", '["tree"]', None)
    due = Due(row, Document("k", "", {}, "", ""), spec, "", held, "asked")
    result = judge.judge(due)
    if result.outcome != HOLDS:
        raise SystemExit(f"overhead: {result.outcome}: {result.reason or result.because}")


def measure(repo: Path, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each way, a value a round; those that do not work here are missing."""
    git, path = Git(discover(repo)), search_path()
    head = git.run("rev-parse", "HEAD").stdout.decode().strip()
    rung = sandbox.probe(path)
    overlay = rung == sandbox.BUBBLEWRAP and sandbox.probe_overlay(path, git.repository.state_dir / "ground")
    found: dict[str, list[float]] = {}
    with Grounds(git, overlay=overlay) as grounds:

        def judge(on: str, strace: str = "") -> Judge:
            means = Means(of_clone(git), 0, on, path, strace=strace)
            return Judge(grounds, CodeTree(git, head), means)

        ways: dict[str, Way] = {"plain": lambda: plain(repo)}
        if rung != sandbox.NONE:
            confined = judge(rung)
            ways["sandboxed"] = lambda: judged(confined)
            if strace := find_tracer(path, rung):
                traced = judge(rung, strace)
                ways["traced"] = lambda: judged(traced)
        for number in range(-WARM_UP, rounds):
            for name, way in ways.items():
                start = time.perf_counter()
                way()
                if number >= 0:
                    found.setdefault(name, []).append(time.perf_counter() - start)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30)))
