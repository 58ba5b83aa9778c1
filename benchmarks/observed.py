"""Measure what observing inputs saves.

    python benchmarks/observed.py [--facts 1000]

Facts with observed inputs, spread over as many files, of which a commit touches one in a hundred: how long it takes to
say what is due, and whether exactly the facts run whose inputs were touched. Exit status: 0, or 1 where another fact
ran, or one that had to did not. What tracing costs a check: ``overhead.py``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.history import run_git
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command
from gitmem.system.environment import search_path
from gitmem.verify.options import Options
from gitmem.verify.run import evidence
from gitmem.verify.sandbox import sandbox

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


def touch(folder: Path, facts: int) -> tuple[float, float, set[str], set[str]]:
    """Prove all facts, touch one file in a hundred, and verify.

    Returns:
        Seconds to say what is due on the new commit, the same once it is known, what ran, and what had to.
    """
    with Memory(folder) as memory:
        for due in memory.repository.commands():
            approve_command(memory.repository, due)
        run = memory.verify(options=Options(), report=lambda *_: None)
        assert all(result.outcome == "holds" for result in run.results) and len(run.results) == facts
    chosen = range(3, facts, 100)
    commit(folder, "main", {place(n): f"value {n}, touched\n" for n in chosen})
    run_git(folder, "reset", "-q", "--hard")
    spent = []
    for _ in range(2):
        with Memory(folder) as memory:
            began = time.perf_counter()
            memory.repository.session(Options(dry_run=True)).list_due()
            spent.append(time.perf_counter() - began)
    with Memory(folder) as memory:
        ran = {result.due.row.key for result in memory.verify(options=Options(), report=lambda *_: None).results}
    return spent[0], spent[1], ran, {f"f{n:04}" for n in chosen}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure observed inputs.")
    parser.add_argument("--facts", type=int, default=1000)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="gitmem-observed-"))
    for name in [name for name in os.environ if name.startswith(("GIT_", "GITMEM_"))]:
        del os.environ[name]
    os.environ.update(XDG_STATE_HOME=str(folder / "state"), GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
    try:
        repo = folder / "repo"
        repo.mkdir()
        make_repository(repo, options.facts)
        path = search_path()
        if not evidence.find_tracer(path, sandbox.probe(path)):
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
