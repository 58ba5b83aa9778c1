"""The figures that gitmem promises: their definitions, their goals, and the timings each of them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks import measure
from benchmarks.measure import Figures


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
    Figure("recall-1k", "recall, five words, 1,000 memories", 3, "Y", ("recall-1k",), _against("recall-1k")),
    Figure("recall-10k", "recall, five words, 10,000 memories", 3.5, "Y", ("recall-10k",), _against("recall-10k")),
    Figure(
        "recall-100k", "recall, five words, 100,000 memories", 5, "Y", ("recall-100k",), _against("recall-100k"), True
    ),
    Figure(
        "recall-listed",
        "recall, 1,000 memories and two listed repositories of 1,000, against recall, 1,000 memories",
        1.5,
        "x",
        ("listed-1k", "recall-1k"),
        _against("listed-1k", "recall-1k"),
    ),
    Figure(
        "recall-listed-20",
        "recall, 1,000 memories and 20 listed repositories of 1,000",
        6,
        "Y",
        ("listed20-1k",),
        _against("listed20-1k"),
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
    Figure("remember-10k", "remember, 10,000 memories, fsync on", 6, "Y", ("remember-10k",), _against("remember-10k")),
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
    Figure("verify-idle", "verify, 10,000 facts, nothing due", 6, "Y", ("verify-idle",), _against("verify-idle")),
)


CHECKING = (
    Figure(
        "check-1k",
        "check of a change of 3 files, 1,000 facts with built-in checks, 2,000 code files",
        10,
        "Y",
        ("check-1k",),
        _against("check-1k"),
    ),
    Figure(
        "hook-check",
        "commit hook, three staged files that no fact reads, 1,000 facts with built-in checks",
        5,
        "Y",
        ("hook-check-1k",),
        _against("hook-check-1k"),
    ),
)


REVIEWING = (
    Figure(
        "review-1k",
        "review of 1,000 changed memories, 1,000 memories, 2,000 code files",
        3,
        "s",
        ("review-1k",),
        lambda figures: figures["review-1k"].median_s(),
    ),
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


# What the hooks of a coding agent's client take; what is captured is written behind them.
AGENTS = tuple(
    Figure(f"hook-{what}", f"hook of an agent's client: {about}, 10,000 memories", goal, "Y", (name,), _against(name))
    for what, about, goal, name in (
        ("nothing", "a tool was used and nothing is captured", 2.2, "hook-nothing-10k"),
        ("captured", "a tool was used and something is captured", 6, "hook-captured-10k"),
        ("edit", "a file is edited that facts and gotchas are about", 3.5, "hook-edit-10k"),
        ("failed", "a command failed", 4.5, "hook-failed-10k"),
        ("start", "a session starts", 6, "hook-start-10k"),
        ("prompt", "a prompt, by words", 4.5, "hook-prompt-10k"),
    )
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


# No issue set these goals: they are what was measured, with some room.
LOOKING_BACK = (
    Figure(
        "at-kept",
        "list --at 100 of 1,000 commits back, its index kept, 11,000 memories",
        12,
        "Y",
        ("at-kept",),
        _against("at-kept"),
    ),
    Figure("at-cold", "the same, its index made from the present one", 30, "Y", ("at-cold",), _against("at-cold")),
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


JOBS = (
    Figure(
        "two-jobs",
        "two verify jobs in two clones, 500 facts, pushing to one remote, no verdict lost",
        20,
        "s",
        ("two-jobs",),
        lambda figures: figures["two-jobs"].median_s(),
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
    (CHECKING, 21, 7),
    (REVIEWING, 7, 3),
    (HOOKS, 21, 7),
    (AGENTS, 21, 7),
    (SHARING, 5, 2),
    (SHOWING, 15, 7),
    (LOOKING_BACK, 11, 5),
    (JOBS, 3, 1),
    (BULK, 1, 1),
)


MEANING = (
    Figure(
        "hybrid-100k",
        "recall by meaning beside words, more than by words alone and embedding the question, 100,000 vectors of 384",
        40,
        "ms",
        (),
        lambda _: 0.0,
        True,
    ),
)

WHOOSH = (
    Figure("whoosh-build", "Whoosh index from nothing, 1,000 memories, in process", 2, "s", (), lambda _: 0.0),
    Figure("whoosh-follow", "Whoosh index after one change, 1,000 memories, in process", 50, "ms", (), lambda _: 0.0),
)


OBJECTS = Figure("remember-bytes", "bytes one remember adds, 100,000 memories", 30, "KiB", (), lambda _: 0.0, True)


# What a check costs more than a plain `sh -c` of its command, by the way it is run.
CHECKS = (
    Figure("check-sandboxed", "a check in the sandbox, more than `sh -c`", 25, "ms", (), lambda _: 0.0),
    Figure("check-traced", "a check traced in the sandbox, more than `sh -c`", 45, "ms", (), lambda _: 0.0),
)


def _warm(name: str, what: str, goal: float, *, large: bool = False) -> Figure:
    return Figure(name, f"warm recall in one process, five words, {what}", goal, "ms", (), lambda _: 0.0, large)


# By name: the store, the engine, and which of a hundred questions counts (the median, or the 95th).
WARM: dict[Figure, tuple[str, str, int]] = {
    _warm("warm-10k", "10,000 memories", 5): ("10k", "fts", 50),
    _warm("warm-10k-whoosh", "10,000 memories, by Whoosh", 20): ("10k", "whoosh", 50),
    _warm("warm-100k", "100,000 memories", 25, large=True): ("100k", "fts", 50),
    _warm("warm-100k-p95", "100,000 memories, 95th of 100", 80, large=True): ("100k", "fts", 95),
}
