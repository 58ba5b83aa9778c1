"""Torture gitmem for hours: faults, kills, Ctrl-C, and clones that work apart: ``make torture``.

    PYTHONPATH=tests python -m torture.run                            everything
    PYTHONPATH=tests python -m torture.run kills merging              some of it
    PYTHONPATH=tests python -m torture.run --minutes 30 --seed 7      as much as fits, in the order of this seed

Each trial is noted in build/torture as it ends, so that a run that is stopped goes on with the next one; --again begins
anew. Ends with a table, and each trial that did not hold, with the command that repeats it. Exit status: 0 all held,
1 one did not, 2 wrong use.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from torture.faults import KINDS, Faults, has_compiler
from torture.interrupts import Interrupts
from torture.kills import Kills
from torture.merging import run_seed
from torture.place import WORKS, Place, scratch
from torture.power import cut, systems

PROJECT = Path(__file__).resolve().parents[2]
NOTES = PROJECT / "build" / "torture"
KILLS, INTERRUPTS, MERGES, OPERATIONS, LOCKLESS, CUTS = 500, 200, 20, 500, 120, 25
Trial = tuple[str, Callable[[], list[str]]]


def main(argv: Sequence[str]) -> int:
    """Run what the command line names and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no trial after this time")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the order, and of everything random")
    parser.add_argument("--only", default="", metavar="TRIAL", help="one trial, as the table names it")
    parser.add_argument("--again", action="store_true", help="forget the trials of earlier runs")
    args = parser.parse_args(argv)
    if unknown := set(args.parts) - set(PARTS):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}; known: {', '.join(PARTS)}")
    if args.again:
        shutil.rmtree(NOTES, ignore_errors=True)
    NOTES.mkdir(parents=True, exist_ok=True)
    print(f"seed {args.seed}; notes in {NOTES}", flush=True)
    stop, names = time.monotonic() + args.minutes * 60, args.parts or list(PARTS)
    with tempfile.TemporaryDirectory() as home:
        _take_settings_out(home)
        for nth, name in enumerate(names):
            share = (stop - time.monotonic()) / (len(names) - nth)
            _run_part(name, args.seed, args.only, time.monotonic() + share)
    return _report(names, args.seed)


def _run_part(name: str, seed: int, only: str, stop: float) -> None:
    """Run the trials of one part that are not noted yet."""
    notes = NOTES / f"{name}-{seed}.jsonl"
    done = {note["trial"] for note in _read(notes)}
    folder = Path(tempfile.mkdtemp(prefix="gitmem-torture-", dir=scratch()))
    try:
        for trial, held in PARTS[name](folder, seed):
            if (only and trial != only) or (not only and trial in done):
                continue
            if time.monotonic() > stop:
                break
            before = _cpu_s()
            wrong = held()
            with notes.open("a") as file:
                file.write(json.dumps({"trial": trial, "wrong": wrong, "cpu_s": round(_cpu_s() - before, 2)}) + "\n")
            if wrong:
                print(f"{name} {trial}: {wrong}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _faults(folder: Path, seed: int) -> Iterator[Trial]:
    if not has_compiler():
        print("no gcc here: the shim cannot be built", file=sys.stderr)
        return
    faults = Faults(folder)
    found = [(w, number, kind) for w in WORKS for kind in KINDS for number in range(1, faults.calls(w, kind) + 1)]
    random.Random(seed).shuffle(found)
    for work, number, kind in found:
        yield f"{work.name}:{number}:{kind}", partial(faults.try_call, work, number, kind)


def _lockless(folder: Path, seed: int) -> Iterator[Trial]:
    if has_compiler():
        faults = Faults(folder)
        for number in range(LOCKLESS):
            yield f"{number}", partial(faults.try_without_locks, seed * 1000 + number)


def _kills(folder: Path, seed: int) -> Iterator[Trial]:
    place = Place(folder)
    place.make()
    kills = Kills(place)
    for number in range(KILLS):
        yield f"{number}", partial(kills.try_one, seed * 1000 + number)


def _interrupts(folder: Path, seed: int) -> Iterator[Trial]:
    place = Place(folder)
    place.make()
    interrupts = Interrupts(place)
    for number in range(INTERRUPTS):
        yield f"{number}", partial(interrupts.try_one, seed * 1000 + number)
    print(f"interrupts: {interrupts.before_us} came before the first line of the program, while Python started")


def _merging(folder: Path, seed: int) -> Iterator[Trial]:
    for number in range(MERGES):
        place = folder / str(number)
        place.mkdir()
        yield f"{number}", partial(run_seed, place, seed * 1000 + number, OPERATIONS)
        shutil.rmtree(place)


def _power(folder: Path, seed: int) -> Iterator[Trial]:
    for number in range(CUTS):
        for system in systems():
            yield f"{system}:{number}", partial(cut, folder, system, seed * 1000 + number)


PARTS: dict[str, Callable[[Path, int], Iterator[Trial]]] = {
    "faults": _faults,
    "kills": _kills,
    "interrupts": _interrupts,
    "lockless": _lockless,
    "merging": _merging,
    "power": _power,
}


def _report(names: Sequence[str], seed: int) -> int:
    """Print the table; return 1 if a trial did not hold."""
    failed = []
    print(f"\n{'part':12} {'trials':>7} {'held':>7} {'CPU':>9}")
    for name in names:
        notes = {note["trial"]: note for note in _read(NOTES / f"{name}-{seed}.jsonl")}
        wrong = {trial: note["wrong"] for trial, note in notes.items() if note["wrong"]}
        cpu_s = sum(note["cpu_s"] for note in notes.values())
        print(f"{name:12} {len(notes):7} {len(notes) - len(wrong):7} {cpu_s:7.0f} s")
        failed += [(name, trial, said) for trial, said in wrong.items()]
    for name, trial, said in failed:
        print(f"\nmake torture ARGS='{name} --seed {seed} --only {trial}'\n  " + "\n  ".join(said))
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    print(f"\ncommit {commit.stdout.strip()}, Python {sys.version.split()[0]}, {os.uname().release}")
    return 1 if failed else 0


def _read(notes: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []  # type: ignore[no-any-return]


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _take_settings_out(home: str) -> None:
    """Take this machine's settings out of what runs in this process: the clones that merge."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "GITMEM_", "XDG_", "CLAUDE"))]:
        del os.environ[name]
    os.environ.update(HOME=home, XDG_STATE_HOME=f"{home}/state", XDG_DATA_HOME=f"{home}/data")
    os.environ.update(GIT_CONFIG_NOSYSTEM="1", GITMEM_PARENTS="off", GITMEM_BACKGROUND="off", GITMEM_VIEW="false")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
