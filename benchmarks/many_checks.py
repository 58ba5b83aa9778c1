"""Measure the CPU time of the first verify of 150 shell checks against that of the same commands in a shell.

    python -m benchmarks.many_checks [--checks N] [--rounds N]

Prints one line for each sandbox: the ratio of the medians, and both in seconds. CPU time includes all processes that
were waited for, so a busy machine changes it less than the time on the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks.history import run_git

CHECKS, ROUNDS = 150, 3
GITMEM = (sys.executable, "-m", "gitmem")


def cpu_s(argv: Sequence[str], folder: Path, env: Mapping[str, str]) -> float:
    """Run a program and return the CPU seconds of it and its descendants.

    Raises:
        CalledProcessError: It failed.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def make_project(folder: Path, count: int, env: Mapping[str, str]) -> None:
    """Make a repository with files, a fact about each with a shell check, all approved by a list, and no verdicts."""
    (folder / "src").mkdir(parents=True)
    run_git(folder, "init", "-q", "-b", "main")
    for name, value in {"user.name": "Many", "user.email": "many@localhost"}.items():
        run_git(folder, "config", name, value)
    facts, lines = [], []
    for number in range(count):
        (folder / "src" / f"{number}.txt").write_text(f"line {number}\n", encoding="ascii")
        command = f"grep -q 'line {number}' src/{number}.txt"
        facts.append({"kind": "fact", "key": f"fact-{number}", "title": f"File {number} says so", "verify": command})
        lines.append(f'sh -c "{command}"\n')
    (folder / "plain.sh").write_text("set -e\n" + "".join(lines), encoding="ascii")
    (folder / "facts.jsonl").write_text("".join(f"{json.dumps(fact)}\n" for fact in facts), encoding="ascii")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "project")
    for words in (("init", "--no-view", "--offline"), ("import", "facts.jsonl")):
        cpu_s((*GITMEM, *words), folder, env)
    listed = subprocess.run((*GITMEM, "trust", "--print"), cwd=folder, env=env, check=True, capture_output=True)
    (folder / ".github").mkdir()
    (folder / ".github" / "gitmem-approved").write_bytes(listed.stdout)
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "approve")


def main(argv: Sequence[str]) -> int:
    """Measure each sandbox, print the ratios, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checks", type=int, default=CHECKS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="gitmem-many-") as made:
        top = Path(made)
        top.chmod(0o755)
        missing = top / "bin" / "bwrap"
        missing.parent.mkdir()
        missing.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
        missing.chmod(0o755)
        base = {**os.environ, "GITMEM_BACKGROUND": "off", "XDG_STATE_HOME": str(top / "state")}
        make_project(top / "project", args.checks, base)
        for sandbox in ("bubblewrap", "landlock"):
            path = base["PATH"] if sandbox == "bubblewrap" else f"{missing.parent}:{base['PATH']}"
            env, ours, plain = {**base, "PATH": path}, [], []
            for number in range(args.rounds):
                project = top / f"{sandbox}-{number}"
                shutil.copytree(top / "project", project, symlinks=True)
                plain.append(cpu_s(("sh", "plain.sh"), project, env))
                verify = (*GITMEM, "verify", "--offline", "--approved", ".github/gitmem-approved")
                ours.append(cpu_s(verify, project, env))
            ratio = median(ours) / median(plain)
            print(f"{sandbox}: {ratio:.1f} x ({median(ours):.2f} s, plain {median(plain):.2f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
