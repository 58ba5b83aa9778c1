"""Measure what observing inputs costs, and what it saves.

    python benchmarks/observed.py [--facts 1000] [--rounds 40]

Two things, each in a repository made for it: what a check costs over a plain ``sh -c`` of its command, in the sandbox
and traced in the sandbox, every way once a round; and facts with observed inputs spread over as many files, of which a
commit touches one in a hundred: how long it takes to say what is due, and whether exactly the facts run whose inputs
were touched. Exit status: 0, or 1 where another fact ran, or one that had to did not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.history import run_git
from gitmem.app import Memory
from gitmem.config import search_path
from gitmem.verify import evidence, sandbox
from gitmem.verify.ground import Grounds
from gitmem.verify.session import Options

COMMAND = "grep -q 7 data/00/0007.txt"
WARM_UP = 3
PER_FOLDER = 20


def place(number: int) -> str:
    """Return the file that a fact reads."""
    return f"data/{number // PER_FOLDER:02}/{number:04}.txt"


def make_repository(folder: Path, facts: int) -> None:
    """Make code of one file for each fact, and the facts on the memory branch."""
    run_git(folder, "init", "-q", "-b", "main")
    for name, value in (("user.name", "B"), ("user.email", "b@localhost")):
        run_git(folder, "config", name, value)
    commit(folder, "main", {place(n): f"value {n}\n" for n in range(facts)})
    run_git(folder, "reset", "-q", "--hard")
    with Memory(folder) as memory:
        memory.init(offline=True)
    texts = {
        f"facts/f{n:04}.md": f"---\ntitle: Fact {n}\nkind: fact\nverify: grep -q {n} {place(n)}\n---\n"
        for n in range(facts)
    }
    commit(folder, "memory", texts)


def commit(folder: Path, branch: str, files: dict[str, str]) -> None:
    """Put files on top of a branch, in one commit."""
    parts = [f"commit refs/heads/{branch}\ncommitter B <b@localhost> now\ndata 1\nx\n"]
    if (
        subprocess.run(
            ["git", "rev-parse", "-q", "--verify", branch], cwd=folder, capture_output=True, check=False
        ).returncode
        == 0
    ):
        parts.append(f"from refs/heads/{branch}^0\n")
    parts += [f"M 100644 inline {path}\ndata {len(text)}\n{text}\n" for path, text in files.items()]
    run_git(folder, "fast-import", "--quiet", "--date-format=now", input="".join(parts).encode())


def overhead(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each way to run one command, a value a round."""
    path = search_path()
    rung = sandbox.probe(path)
    strace = evidence.find_tracer(path, rung)
    argv = ["sh", "-c", COMMAND]
    found: dict[str, list[float]] = {}
    with Memory(folder) as memory:
        git = memory.git
        head = git.read_head()[1] or ""
        overlay = rung == sandbox.BUBBLEWRAP and sandbox.probe_overlay(path, git.repository.state_dir / "ground")
        with Grounds(git, overlay=overlay) as grounds:

            def check(tracer: str) -> None:
                with grounds.take(head) as ground:
                    ran = sandbox.run_check(
                        argv, ground=ground, rung=rung, network=False, timeout_s=60, path=path, strace=tracer
                    )
                if ran.status != 0 or (tracer and ran.trace is None):
                    raise SystemExit(f"observed: the check ended with {ran.status}: {ran.problem or ran.output}")

            ways: dict[str, Callable[[], object]] = {
                "plain": lambda: subprocess.run(argv, cwd=folder, check=True, stdin=subprocess.DEVNULL),
                "sandboxed": lambda: check(""),
            }
            if strace:
                ways["traced"] = lambda: check(strace)
            for number in range(-WARM_UP, rounds):
                for name, way in ways.items():
                    began = time.perf_counter()
                    way()
                    if number >= 0:
                        found.setdefault(name, []).append(time.perf_counter() - began)
    return found


def touch(folder: Path, facts: int) -> tuple[float, float, set[str], set[str]]:
    """Prove all facts, touch one file in a hundred, and verify.

    Returns:
        Seconds to say what is due on the new commit, the same once it is known, what ran, and what had to.
    """
    with Memory(folder) as memory:
        for due in memory.commands():
            memory.approve(due)
        run = memory.verify(Options(), told=lambda *_: None)
        assert all(result.outcome == "holds" for result in run.results) and len(run.results) == facts
    chosen = range(3, facts, 100)
    commit(folder, "main", {place(n): f"value {n}, touched\n" for n in chosen})
    run_git(folder, "reset", "-q", "--hard")
    spent = []
    for _ in range(2):
        with Memory(folder) as memory:
            began = time.perf_counter()
            memory.session(Options(dry_run=True)).list_due()
            spent.append(time.perf_counter() - began)
    with Memory(folder) as memory:
        ran = {result.due.row.key for result in memory.verify(Options(), told=lambda *_: None).results}
    return spent[0], spent[1], ran, {f"f{n:04}" for n in chosen}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure observed inputs.")
    parser.add_argument("--facts", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="gitmem-observed-"))
    for name in [name for name in os.environ if name.startswith(("GIT_", "GITMEM_"))]:
        del os.environ[name]
    os.environ.update(XDG_STATE_HOME=str(folder / "state"), GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
    try:
        repo = folder / "repo"
        repo.mkdir()
        make_repository(repo, options.facts)
        spent = overhead(repo, options.rounds)
        for name in ("sandboxed", "traced"):
            if name in spent:
                more, least = ((of(spent[name]) - of(spent["plain"])) * 1e3 for of in (statistics.median, min))
                print(f"{name}: {more:.1f} ms more than a plain sh -c by the median, {least:.1f} ms by the least")
        if "traced" not in spent:
            print("strace is not installed or does not work here: nothing is observed")
            return 0
        first, again, ran, wanted = touch(repo, options.facts)
        print(f"{options.facts} facts, {len(wanted)} files touched: {len(ran)} facts ran, {len(wanted - ran)} missed")
        print(f"what is due: {first * 1e3:.0f} ms on a new commit, {again * 1e3:.0f} ms once it is known")
        return 0 if ran == wanted else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
