"""Measure what gitmem promises about speed, as ratios within one run, and print the table of goals.

    python benchmarks/run.py                   every figure (some minutes; needs about 500 MB under TMPDIR)
    python benchmarks/run.py --short           without the store of 100,000, few rounds: under 90 seconds
    python benchmarks/run.py --only recall-10k one figure
    python benchmarks/run.py --dir /tmp/b      keep the stores there and use them again

Exits 0 when everything could be measured, 1 with ``--strict`` when a goal was missed, 2 when something did not run.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks import bulk, codebase, measure
from benchmarks.exchange import Exchange
from benchmarks.measure import BenchmarkError, Command, Figures
from benchmarks.questions import QUESTIONS
from benchmarks.stores import Stores, gitmem, object_bytes, say, versions
from benchmarks.texts import Writer


@dataclass(frozen=True)
class Figure:
    """One row of the table of goals.

    Attributes:
        name: What ``--only`` takes.
        what: What it says, for people.
        goal: At most this.
        unit: Of the goal: ``Y``, ``x``, ``KiB``, ``s``, ``ms`` or ``MB``.
        commands: Names of the commands that must be timed for it, besides Y.
        value: Returns what was measured, from the figures of its group.
        large: Whether it needs the store of 100,000 memories.
    """

    name: str
    what: str
    goal: float
    unit: str
    commands: tuple[str, ...]
    value: Callable[[Mapping[str, Figures]], float]
    large: bool = False


def _against(what: str, base: str = "Y") -> Callable[[Mapping[str, Figures]], float]:
    return lambda figures: measure.ratio(figures, what, base)


# The goals are those of the issue that set them; the groups are measured one after the other, each in one loop.
READING = (
    Figure("recall-1k", "recall, five words, 1,000 memories", 4, "Y", ("recall-1k",), _against("recall-1k")),
    Figure("recall-10k", "recall, five words, 10,000 memories", 4, "Y", ("recall-10k",), _against("recall-10k")),
    Figure(
        "recall-100k", "recall, five words, 100,000 memories", 8, "Y", ("recall-100k",), _against("recall-100k"), True
    ),
    Figure(
        "recall-rg",
        "recall against `rg -il` of the five words, 10,000 files",
        1,
        "x",
        ("recall-10k", "rg-10k"),
        _against("recall-10k", "rg-10k"),
    ),
    Figure(
        "recall-git-grep",
        "recall against `git grep -il` on the branch, 10,000 files",
        0.3,
        "x",
        ("recall-10k", "git-grep-10k"),
        _against("recall-10k", "git-grep-10k"),
    ),
    Figure(
        "recall-memory",
        "peak memory of recall, 100,000 memories",
        35,
        "MB",
        ("recall-100k",),
        lambda figures: figures["recall-100k"].peak_mb(),
        True,
    ),
    Figure("task-ready", "task ready, 5,000 tasks", 5, "Y", ("task-ready",), _against("task-ready")),
)
SYNTAX = (
    Figure(
        "syntax-1k",
        "recall --syntax with a field, a range and a fuzzy word, 1,000 memories",
        14,
        "Y",
        ("syntax-1k",),
        _against("syntax-1k"),
    ),
)
WRITING = (
    Figure("remember-10k", "remember, 10,000 memories, fsync on", 8, "Y", ("remember-10k",), _against("remember-10k")),
    Figure(
        "remember-100k",
        "remember, 100,000 memories against 1,000",
        1.5,
        "x",
        ("remember-1k", "remember-100k"),
        _against("remember-100k", "remember-1k"),
        True,
    ),
)
CATALOG = (
    Figure(
        "catalog-10k",
        "catalog from nothing against `git cat-file --batch`, 10,000 memories",
        7,
        "x",
        ("catalog-10k", "cat-file-10k"),
        _against("catalog-10k", "cat-file-10k"),
    ),
)
PROVING = (
    Figure(
        "verify-all",
        "verify --all, 10,000 facts with built-in checks, 2,000 code files",
        8,
        "s",
        ("verify-all",),
        lambda figures: figures["verify-all"].median_s(),
    ),
)
NOTHING_DUE = (
    Figure("verify-idle", "verify, 10,000 facts, nothing due", 8, "Y", ("verify-idle",), _against("verify-idle")),
)
HOOKS = (
    Figure(
        "checkout-hooks",
        "git checkout with the hooks installed, more than without, 1,000 memories",
        3,
        "Y",
        ("checkout-hooks", "checkout-plain"),
        lambda figures: measure.ratio(figures, "checkout-hooks", "Y") - measure.ratio(figures, "checkout-plain", "Y"),
    ),
)
SHARING = (
    Figure(
        "sync",
        "sync, 1,000 changed memories on each side (half the same), a bare remote on disk, 10,000 memories",
        5,
        "s",
        ("sync-10k",),
        lambda figures: figures["sync-10k"].median_s(),
    ),
)
SHOWING = (
    Figure(
        "view-10k",
        "the view brought along after one write, 10,000 memories, in the background",
        0.1,
        "s",
        ("view-10k",),
        lambda figures: figures["view-10k"].median_s(),
    ),
)
BULK = (
    Figure(
        "import-100k",
        "import of 100,000 memories, secrets checked, catalog included",
        90,
        "s",
        ("import-100k",),
        lambda figures: figures["import-100k"].median_s(),
        True,
    ),
    *(
        Figure(
            f"writers-{how}",
            f"16 processes × 100 writes by {what}, fsync on",
            goal,
            "s",
            (f"writers-{how}",),
            lambda figures, how=how: figures[f"writers-{how}"].median_s(),  # type: ignore[misc]
            True,
        )
        for how, what, goal in (
            ("api", "the Python API", 60),
            ("batch", "batches of it", 60),
            ("command", "the command", 150),
        )
    ),
)
# (figures, rounds, rounds of --short)
GROUPS: tuple[tuple[tuple[Figure, ...], int, int], ...] = (
    (READING, 25, 10),
    (SYNTAX, 15, 7),
    (WRITING, 21, 7),
    (CATALOG, 7, 3),
    (PROVING, 3, 1),
    (NOTHING_DUE, 21, 7),
    (HOOKS, 21, 7),
    (SHARING, 5, 2),
    (SHOWING, 15, 7),
    (BULK, 1, 1),
)
WHOOSH = (
    Figure("whoosh-build", "Whoosh index from nothing, 1,000 memories, in process", 2, "s", (), lambda _: 0.0),
    Figure("whoosh-follow", "Whoosh index after one change, 1,000 memories, in process", 50, "ms", (), lambda _: 0.0),
)
OBJECTS = Figure("remember-bytes", "bytes one remember adds, 100,000 memories", 30, "KiB", (), lambda _: 0.0, True)


def command(name: str, stores: Stores) -> Command:
    """Return the command of this name, making the store it runs in."""
    verb, _, size = name.rpartition("-")
    makers: dict[str, Callable[[Stores, str, str], Command]] = {
        "recall": _recall,
        "syntax": _syntax,
        "rg": _rg,
        "git-grep": _git_grep,
        "remember": _remember,
        "catalog": _catalog,
        "cat-file": _cat_file,
        "verify": _verify,
        "task": _task_ready,
        "checkout": _checkout,
        "sync": _sync,
        "view": _view,
        "import": bulk.import_command,
        "writers": bulk.writers_command,
    }
    return makers[verb](stores, name, size)


def _question(number: int) -> str:
    return QUESTIONS[number % len(QUESTIONS)]


def _recall(stores: Stores, name: str, size: str) -> Command:
    path = stores.path(size)
    return Command(name, lambda n: [gitmem(), "recall", _question(n)], path, says_something=True)


def _syntax(stores: Stores, name: str, size: str) -> Command:
    """Return ``recall --syntax`` of one question's longest word, misspelt; its index is made beforehand."""
    path = stores.path(size)
    stores.run([gitmem(), "index", "--engine", "whoosh"], path)

    def argv(number: int) -> list[str]:
        word = max(_question(number).split(), key=len)
        return [gitmem(), "recall", "--syntax", f"kind:gotcha created:[2000 to] {word[:-1]}~"]

    return Command(name, argv, path, ok=(0, 1))


def _rg(stores: Stores, name: str, size: str) -> Command:
    path = stores.checkout(size)
    return Command(name, lambda n: ["rg", "-il", _question(n).replace(" ", "|"), "."], path, says_something=True)


def _git_grep(stores: Stores, name: str, size: str) -> Command:
    def argv(number: int) -> list[str]:
        words = [part for word in _question(number).split() for part in ("-e", word)]
        return ["git", "grep", "-il", *words, "memory"]

    return Command(name, argv, stores.path(size), says_something=True)


def _remember(stores: Stores, name: str, size: str) -> Command:
    """Return ``remember`` of another text each time, also where the store is used again."""
    began = time.time_ns()

    def argv(number: int) -> list[str]:
        writer = Writer(Random(f"{began}/{number}"), [codebase.code_path(number)[0]])
        writer.begin()
        title, body = writer.title("gotcha"), writer.body("gotcha")
        return [gitmem(), "remember", body, "--title", title, "--kind", "gotcha", "--tag", writer.area]

    return Command(name, argv, stores.path(size), says_something=True)


def _task_ready(stores: Stores, name: str, size: str) -> Command:
    return Command(name, lambda _: [gitmem(), "task", "ready"], stores.path("tasks"), says_something=True)


def _catalog(stores: Stores, name: str, size: str) -> Command:
    path = stores.path(size)

    def forget(_: int) -> None:
        shutil.rmtree(path / ".git" / "gitmem", ignore_errors=True)

    return Command(name, lambda _: [gitmem(), "index"], path, before=forget)


def _cat_file(stores: Stores, name: str, size: str) -> Command:
    blobs = stores.blobs(size)
    argv = ["git", "cat-file", "--batch"]
    return Command(name, lambda _: argv, stores.path(size), stdin=blobs, says_something=True)


def _verify(stores: Stores, name: str, what: str) -> Command:
    """Return ``verify`` over all facts as if for the first time, or when nothing is due. A few facts fail: exit 1."""
    path = stores.path("facts")
    if what == "idle":
        stores.run([gitmem(), "verify"], path, ok=(0, 1))
        return Command(name, lambda _: [gitmem(), "verify"], path, ok=(0, 1))
    tip = stores.first_tip("facts")

    def unprove(_: int) -> None:
        stores.run(["git", "update-ref", "refs/heads/memory", tip], path)
        shutil.rmtree(path / ".git" / "gitmem", ignore_errors=True)
        stores.run([gitmem(), "index"], path)

    def one_commit(_: int) -> None:
        count = int(stores.run(["git", "rev-list", "--count", f"{tip}..memory"], path))
        if count != 1:
            raise BenchmarkError(f"verify --all made {count} commits on the memory branch, not 1")

    return Command(name, lambda _: [gitmem(), "verify", "--all"], path, ok=(0, 1), before=unprove, after=one_commit)


def _checkout(stores: Stores, name: str, what: str) -> Command:
    """Return a checkout with gitmem's hooks or without; what they leave behind git is waited for outside the clock."""
    path = stores.path("1k")

    def prepare(_: int) -> None:
        stores.run([gitmem(), "install" if what == "hooks" else "uninstall", "git-hooks"], path)

    def settle(_: int) -> None:
        folder = path / ".git" / "gitmem" / "background"
        while (folder / "checkout.asked").exists():
            time.sleep(0.01)
        with (folder / "checkout.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)

    argv = ["git", "checkout", "-q", "--detach", "HEAD"]
    after = settle if what == "hooks" else None
    return Command(name, lambda _: argv, path, before=prepare, after=after)


def _sync(stores: Stores, name: str, size: str) -> Command:
    sides = Exchange(stores, size)

    def reset(_: int) -> None:
        sides.reset()

    return Command(name, lambda _: [gitmem(), "sync"], sides.path, before=reset, says_something=True)


def _view(stores: Stores, name: str, size: str) -> Command:
    """Return the process that brings the view along, in a copy of the store: the others have none."""
    path = stores.path(size).with_name(f"view-of-{size}")
    if not path.exists():
        shutil.copytree(stores.path(size), path, symlinks=True)
    stores.run([gitmem(), "view", "shown"], path)
    began = time.time_ns()

    def write(number: int) -> None:
        text = f"What was learnt in round {number} of {began}"
        stores.run(["env", "GITMEM_BACKGROUND=off", gitmem(), "remember", text], path)

    def is_shown(_: int) -> None:
        heads = [stores.run(["git", "-C", str(path / where), "rev-parse", rev], path) for where, rev in
                 (("shown", "HEAD"), (".", "memory"))]  # fmt: skip
        if heads[0] != heads[1] or stores.run(["git", "-C", str(path / "shown"), "status", "--porcelain"], path):
            raise BenchmarkError("the view was not brought along")

    return Command(name, lambda _: [gitmem(), "background", "view"], path, before=write, after=is_shown)


def bytes_added(stores: Stores, *, times: int = 3) -> float:
    """Return the most that one ``remember`` at 100,000 memories added under ``.git/objects``, in KiB."""
    remember = command("remember-100k", stores)
    most = 0
    for number in range(times):
        before = object_bytes(remember.cwd)
        stores.run(list(remember.argv(100_000 + number)), remember.cwd)
        most = max(most, object_bytes(remember.cwd) - before)
    return most / 1024


@dataclass(frozen=True)
class Measured:
    """A figure and what came of it.

    Attributes:
        figure: The row.
        value: What was measured, in the figure's unit.
        by_cpu: The same by CPU time, for ratios against Y; empty for the others.
    """

    figure: Figure
    value: float
    by_cpu: str = ""

    def reached(self) -> bool:
        """Return whether the goal was reached."""
        return self.value <= self.figure.goal


def run(stores: Stores, wanted: Sequence[Figure], *, short: bool) -> tuple[list[Measured], list[dict[str, Figures]]]:
    """Measure the wanted figures; return them, and every command's own figures, by group."""
    results: list[Measured] = []
    groups: list[dict[str, Figures]] = []
    for group, rounds, few in GROUPS:
        chosen = [figure for figure in group if figure in wanted]
        if not chosen:
            continue
        names = dict.fromkeys(name for figure in chosen for name in figure.commands)
        commands = [command(name, stores) for name in names]
        start = measure.python_start(stores.folder)
        warm_up = 0 if chosen[0] in PROVING else 1
        say(f"timing {', '.join(names)}")
        figures = measure.measure([start, *commands], rounds=few if short else rounds, env=stores.env, warm_up=warm_up)
        results += [_measured(figure, figures) for figure in chosen]
        groups.append(figures)
    if chosen := [figure for figure in WHOOSH if figure in wanted]:
        say("timing the Whoosh index")
        script = [sys.executable, str(Path(__file__).with_name("whoosh_index.py")), str(stores.path("1k"))]
        spent = json.loads(stores.run([*script, "3" if short else "9"], stores.folder))
        results += [_spent(figure, spent[figure.name.removeprefix("whoosh-")]) for figure in chosen]
    if OBJECTS in wanted:
        results.append(Measured(OBJECTS, bytes_added(stores)))
    return results, groups


def _measured(figure: Figure, figures: Mapping[str, Figures]) -> Measured:
    by_cpu = measure.cpu_ratio(figures, figure.commands[0]) if figure.unit == "Y" else 0.0
    return Measured(figure, figure.value(figures), f"{by_cpu:.2f} Y" if by_cpu else "")


def _spent(figure: Figure, rounds: Sequence[tuple[float, float]]) -> Measured:
    """Return a figure of seconds by the clock and of CPU."""
    wall, cpu = (statistics.median(one) * (1e3 if figure.unit == "ms" else 1) for one in zip(*rounds, strict=True))
    return Measured(figure, wall, f"{cpu:.2f} {figure.unit}")


def report(results: Sequence[Measured]) -> str:
    """Return the table of goals as Markdown."""
    return measure.table(
        ("name", "what", "at most", "measured", "by CPU", "reached"),
        (
            (
                one.figure.name,
                one.figure.what,
                f"{one.figure.goal:g} {one.figure.unit}",
                f"{one.value:.2f} {one.figure.unit}",
                one.by_cpu,
                "yes" if one.reached() else "NO",
            )
            for one in results
        ),
    )


def inside(stores: Stores, start_s: float, *, short: bool) -> str:
    """Return the table of what operations take inside one process; *start_s* is Y of the same run, in seconds."""
    rows = []
    for size in ("10k",) if short else ("10k", "100k"):
        path = str(stores.path(size))
        say(f"timing operations inside one process, {size}")
        script = [sys.executable, str(Path(__file__).with_name("inside.py")), path, "7" if short else "25"]
        for name, seconds in json.loads(stores.run(script, stores.folder)).items():
            middle = statistics.median(seconds)
            rows.append((name, size, f"{middle * 1e3:.2f}", f"{min(seconds) * 1e3:.2f}", f"{middle / start_s:.2f}"))
    return measure.table(("inside one process", "memories", "median ms", "min ms", "Y"), rows)


def choose(only: Sequence[str], *, short: bool) -> list[Figure]:
    """Return the figures to measure: those named, or all (without the large store for a short run)."""
    figures = [*(figure for group, _, _ in GROUPS for figure in group), *WHOOSH, OBJECTS]
    if not shutil.which("rg"):
        say("ripgrep is not installed: nothing is compared with it")
        figures = [figure for figure in figures if "rg-10k" not in figure.commands]
    if only:
        return [figure for figure in figures if figure.name in only]
    return [figure for figure in figures if not (short and figure.large)]


def main() -> int:
    """Measure what the command line asks for and print it."""
    names = [figure.name for group, _, _ in GROUPS for figure in group]
    names += [figure.name for figure in (*WHOOSH, OBJECTS)]
    parser = argparse.ArgumentParser(description="Measure gitmem against its goals.")
    parser.add_argument("--short", action="store_true", help="1,000 and 10,000 memories only, few rounds")
    parser.add_argument("--only", action="append", default=[], choices=names, help="one figure; may be repeated")
    parser.add_argument("--dir", type=Path, help="where the stores are made and kept; else a folder that is removed")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a goal was missed")
    options = parser.parse_args()
    folder = options.dir or Path(tempfile.mkdtemp(prefix="gitmem-benchmarks-"))
    try:
        stores = Stores(folder.resolve())
        results, groups = run(stores, choose(options.only, short=options.short), short=options.short)
        within = "" if options.only else inside(stores, groups[0]["Y"].median_s(), short=options.short)
    except BenchmarkError as err:
        print(f"benchmarks: {err}", file=sys.stderr)
        return 2
    finally:
        if not options.dir:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{versions(stores.env)}\n\n{report(results)}\n")
    for figures in groups:
        print(f"{measure.timings(figures)}\n")
    print(within)
    return 1 if options.strict and not all(one.reached() for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
