"""Time pulls against a tracker on this machine, cutting and indexing of code, and recall beside what was pulled.

    python -m benchmarks.sources                   5,000 issues with comments; 2,000 files; 20,000 documents
    python -m benchmarks.sources --issues 500 --files 200 --documents 2000

The tracker is the one of the tests (``tests/support/tracker_server.py``); it runs in this process, so its own work is
in the wall time and not in the CPU time of the pulls. Exit status: 0 the goals are reached, 1 not.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.history import run_git
from gitmem.memory import Memory

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
# A comment for each issue and one more for every second one.
WORDS = ("gateway", "retries", "token", "cache", "schema", "deploy", "index", "worker", "queue", "timeout", "session")
# Seconds, of wall time, and the ratio of recall with and without what was pulled.
GOALS = {"issues": 60.0, "nothing new": 2.0, "files": 40.0, "20 files": 1.0, "recall": 1.1}


def text_of(number: int) -> str:
    """Return some prose that differs by number."""
    return " ".join(WORDS[(number * 7 + n * n) % len(WORDS)] for n in range(60)) + f" case {number}."


def repository(folder: Path) -> Path:
    """Make a repository with one commit."""
    folder.mkdir()
    run_git(folder, "init", "-q", "-b", "main")
    run_git(folder, "config", "user.name", "Ana")
    run_git(folder, "config", "user.email", "ana@example.org")
    (folder / "README.md").write_text("# A service\n", encoding="utf-8")
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    """Commit everything."""
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "change")


def timed(folder: Path, *argv: str) -> tuple[float, float]:
    """Run gitmem and return seconds of wall and CPU time."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-m", "gitmem", *argv], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, cpu


def pulls(folder: Path, issues: int) -> dict[str, float]:
    """Time a first pull and one with nothing new, and count the requests of that."""
    from support.tracker_server import comment, issue, tracking

    found = {}
    with tracking() as tracker:
        os.environ.update(tracker.environment())
        numbers = range(1, issues + 1)
        tracker.lists["issues"] = [issue(n, f"Issue {n}", text_of(n), at=n) for n in numbers]
        asked = [(n, n) for n in numbers] + [(issues + n, n) for n in numbers if n % 2]
        tracker.lists["issues/comments"] = [comment(at, on, text_of(at), at=at) for at, on in asked]
        timed(folder, "sources", "add", "github", "acme/shop", "--api", tracker.address)
        found["issues"] = show(f"pull of {issues:,} issues with {len(asked):,} comments", *timed(folder, "pull"))
        timed(folder, "pull")
        tracker.asked.clear()
        found["nothing new"] = show("nothing new", *timed(folder, "pull"))
        print(f"  {len(tracker.asked)} requests for {len(tracker.lists)} lists")
    return found


def files(folder: Path, number: int) -> dict[str, float]:
    """Time cutting and indexing code, and again after a few edits."""
    for n in range(number):
        path = folder / "src" / f"p{n % 50}" / f"m{n}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        functions = (f'def {WORDS[k]}_{n}(x):\n    """{text_of(n + k)}"""\n    return x + {k}\n' for k in range(8))
        path.write_text("import os\n\n\n" + "\n\n".join(functions), encoding="utf-8")
    commit(folder)
    timed(folder, "sources", "add", "code")
    found = {"files": show(f"cut and index {number:,} files", *timed(folder, "pull", "code"))}
    for n in range(20):
        path = folder / "src" / f"p{n % 50}" / f"m{n}.py"
        path.write_text(path.read_text(encoding="utf-8") + "\n\ndef added(x):\n    return x\n", encoding="utf-8")
    commit(folder)
    return {**found, "20 files": show("20 of them changed", *timed(folder, "pull", "code"))}


def recalls(folder: Path, documents: int) -> dict[str, float]:
    """Compare recall of 1,000 memories with and without pulled documents beside them, by CPU time."""
    with Memory(folder) as memory:
        memory.init(offline=True)
        lines = folder / "memories.jsonl"
        rows = (
            f'{{"key": "m{n}", "kind": "learned", "title": "Memory {n}", "body": "{text_of(n)}"}}' for n in range(1000)
        )
        lines.write_text("\n".join(rows) + "\n", encoding="utf-8")
    timed(folder, "import", str(lines))
    notes = folder.parent / "notes"
    for n in range(documents):
        path = notes / f"n{n % 100}" / f"{n}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {n}\n\n{text_of(n)}\n", encoding="utf-8")
    question = ("recall", "gateway", "retries", "of", "the", "token", "cache")
    before = min(timed(folder, *question)[1] for _ in range(15))
    timed(folder, "sources", "add", "docs", "--path", str(notes))
    show(f"pull of {documents:,} documents", *timed(folder, "pull", "docs"))
    after = min(timed(folder, *question)[1] for _ in range(15))
    print(f"recall: {before * 1000:.1f} ms without, {after * 1000:.1f} ms with them (CPU): {after / before:.2f} x")
    return {"recall": after / before}


def show(what: str, wall: float, cpu: float) -> float:
    """Print a time and return it."""
    print(f"{what}: {wall:.1f} s, CPU {cpu:.1f} s", flush=True)
    return wall


def main() -> int:
    """Time everything; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--issues", type=int, default=5000)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--documents", type=int, default=20_000)
    args = parser.parse_args()
    os.environ["GITMEM_BACKGROUND"] = "off"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            **pulls(repository(folder / "pulls"), args.issues),
            **files(repository(folder / "files"), args.files),
            **recalls(repository(folder / "recalls"), args.documents),
        }
    missed = {what: value for what, value in found.items() if value > GOALS[what]}
    print(f"missed: {missed}" if missed else "all goals are reached")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
