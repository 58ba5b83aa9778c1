"""Time `gitmem adopt` in a large repository: 5,000 files, 300 statements, 10,000 commits, cold.

    .venv/bin/python -m benchmarks.documented [--files 5000] [--statements 300] [--commits 10000] [--runs 3]

The repository is made with `git fast-import`: commits change, move and remove files of a service written in Python and
TypeScript, and AGENTS.md is written over its whole life. One statement in ten is false in the end, half of these
because a file moved. Each run is one process of the command; times are its CPU seconds and those of its git processes,
beside Y, those of `python -c pass`. The seconds of the culprits were measured in a run inside this process.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from gitmem.commands.adopt import run as steps
from gitmem.commands.adopt.findings import FALSE
from gitmem.git import Git
from gitmem.git.repository import discover

# Commits after which AGENTS.md gets its next statements, so that its lines are of many commits.
WRITTEN_EVERY = 100


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--statements", type=int, default=300)
    parser.add_argument("--commits", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder) / "repo"
        generate(repo, files=args.files, statements=args.statements, commits=args.commits)
        yard, whole = [], []
        for _ in range(args.runs):
            yard.append(_seconds([sys.executable, "-c", "pass"], repo))
            whole.append(_seconds([sys.executable, "-m", "gitmem", "adopt", "--json"], repo))
        cpu, wall = median(one[0] for one in whole), median(one[1] for one in whole)
        y = median(one[0] for one in yard)
        print(f"adopt: {cpu:.2f} s of CPU ({cpu / y:.0f} Y), {wall:.2f} s by the clock; Y is {y * 1000:.0f} ms")
        found, seconds = culprits(repo)
        print(f"culprits of {found} false statements: {seconds:.2f} s of CPU")


def _seconds(argv: list[str], repo: Path) -> tuple[float, float]:
    """Return the CPU seconds of a process with its children, and those by the clock."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(argv, cwd=repo, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start


def culprits(repo: Path) -> tuple[int, float]:
    """Return how many statements are false, and the CPU seconds in which their culprits are found."""
    handle = Git(discover(repo))
    spent = 0.0
    blamed = steps._add_culprits

    def measured(*args):
        nonlocal spent
        start = _cpu()
        try:
            return blamed(*args)
        finally:
            spent += _cpu() - start

    steps._add_culprits = measured
    try:
        adoption = steps.adopt(handle, handle.resolve("HEAD"))
    finally:
        steps._add_culprits = blamed
    return len(adoption.of(FALSE)), spent


def _cpu() -> float:
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def generate(repo: Path, *, files: int, statements: int, commits: int) -> None:
    """Make the repository; the same arguments make the same one."""
    rng = random.Random(15)
    code = {_path(number): _source(number, rng) for number in range(files)}
    numbers = {path: number for number, path in enumerate(code)}
    stated = rng.sample(sorted(code), min(statements, files))
    lines = ["# Guide", "", "- Python 3.10+"]
    writer = _History(repo)
    writer.commit({**code, "pyproject.toml": _PROJECT.format("3.10"), "AGENTS.md": "\n".join(lines) + "\n"}, ())
    wrong = stated[::10]
    # When each of the wrong ones is moved or removed: in the second half, after its line was written.
    fate = {rng.randrange(commits // 2, commits): path for path in wrong}
    waiting = list(stated)
    step = max(1, (commits // 2) // max(1, len(stated) // 3 + 1))
    for at in range(1, commits):
        if at % step == 0 and waiting and at < commits // 2:
            said = [_sentence(path, numbers[path]) for path in waiting[:3]]
            lines, waiting = [*lines, *said], waiting[3:]
            writer.commit({"AGENTS.md": "\n".join(lines) + "\n"}, ())
            continue
        path = fate.get(at, "")
        if path:
            new = {path.replace("/part", "/moved/part"): code[path]} if at % 2 else {}
            code |= new
            writer.commit(new, (path,))
            del code[path]
            continue
        changed = rng.choice(list(code)[:200]) if rng.random() < 0.5 else rng.choice(stated)
        if changed in code:
            code[changed] += f"# change {at}\n"
            writer.commit({changed: code[changed]}, ())
    writer.commit({"pyproject.toml": _PROJECT.format("3.12")}, ())
    writer.close()


_PROJECT = '[project]\nname = "service"\nrequires-python = ">={}"\n'


def _path(number: int) -> str:
    ending = "py" if number % 3 else "ts"
    return f"src/area{number % 40:02}/unit{number % 7}/part{number:05}.{ending}"


def _source(number: int, rng: random.Random) -> str:
    body = "".join(f"    value_{n} = work_{rng.randrange(500)}({n})\n" for n in range(rng.randrange(20, 60)))
    return f"LIMIT_{number} = {number % 100}\n\n\ndef handle_{number}(request, retries=3):\n{body}    return request\n"


def _sentence(path: str, number: int) -> str:
    match number % 4:
        case 0:
            return f"- `{path}` has the handlers of part {number}."
        case 1:
            return f"- `handle_{number}()` in `{path}` answers requests."
        case 2:
            return f"- `LIMIT_{number}` (default: `{number % 100}`) bounds part {number}."
        case _:
            return f"- Never call part {number} twice; see `{path}`."


class _History:
    """Writes commits with `git fast-import`."""

    def __init__(self, repo: Path) -> None:
        subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
        self._repo, self._time = repo, 1_700_000_000
        self._process = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=repo, stdin=subprocess.PIPE)

    def commit(self, files: dict[str, str], gone: tuple[str, ...]) -> None:
        self._time += 600
        out = [f"commit refs/heads/main\ncommitter Ana <ana@example.org> {self._time} +0000\ndata 6\nchange\n"]
        for path, text in files.items():
            out.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
        out += [f"D {path}\n" for path in gone]
        assert self._process.stdin is not None
        self._process.stdin.write("".join(out).encode())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait() == 0, "git fast-import failed"
        subprocess.run(["git", "reset", "-q", "--hard"], cwd=self._repo, check=True)


if __name__ == "__main__":
    main()
