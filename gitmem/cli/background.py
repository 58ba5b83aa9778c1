"""Do work that a command or a hook left behind; it is started by them and logs what fails.

One process does a job at a time; a request that comes meanwhile is taken over by it.
"""

from __future__ import annotations

import os
from contextlib import ExitStack

from gitmem.agents.on_event import summarize
from gitmem.cli.output import Output
from gitmem.cli.verify import summary
from gitmem.commands.sync.quiet import sync_quietly
from gitmem.document.times import format_time
from gitmem.memory.memory import Memory
from gitmem.store import background

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

EXAMPLES = ("gitmem background index",)


def _index(memory: Memory, *, is_ahead: bool = False) -> None:
    """Bring the catalog up to the tip, and the statuses to HEAD; then the Whoosh index, where it is used."""
    from gitmem.commands.recall import refresh_whoosh

    memory.repository.ground()
    refresh_whoosh(memory.repository, memory.repository.progress_of("indexing memories"), is_ahead=is_ahead)


def _verify(memory: Memory) -> None:
    """Judge what is due, as the schedule asks, and say in the log what came of it."""
    from pathlib import Path  # 2.5 ms (measured), and the works behind hooks never ask

    run = memory.jobs.run_scheduled()
    log = Path(memory.repository.git.repository.state, background.FOLDER, background.LOG)
    with log.open("a", encoding="utf-8") as file:
        message = "another verify job is running" if run is None else summary(run)
        Output(color="never", stdout=file).line(f"{format_time(memory.repository.now)} verify: {message}")


# What each work does at one place. A work that a git command makes due is in AFTER_GIT as well.
WORKS: dict[str, Callable[[Memory], object]] = {
    "index": _index,
    "spool": lambda memory: memory.captures.drain(),
    "summary": summarize,
    "sync": lambda memory: sync_quietly(memory.repository),
    "view": lambda memory: memory.view.follow(),
    "verify": _verify,
    "embed": lambda memory: memory.vectors.embed_missing(),
    # Behind a checkout also where no question has needed it yet: then the first one does not wait.
    "whoosh": lambda memory: _index(memory, is_ahead=True),
}
# What `checkout` does, one after another: what a checkout, a merge or a rebase makes due.
AFTER_GIT = ("spool", "index", "view", "whoosh")
NAMES = (*WORKS, "checkout")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what background takes."""
    parser.add_argument("what", choices=NAMES, help="the work")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do a job wherever it is wanted; silent where there is no store."""
    os.nice(5)  # somebody is at work in front of us
    with Memory() as memory:
        repository = memory.repository.git.repository
    place = repository.top or repository.git
    if args.what != "checkout":
        do(repository.state, place, args.what)
        return 0
    for turn in background.turns(repository.state, place, args.what):
        with ExitStack() as works:  # each is done, also where one before it fails
            for what in reversed(AFTER_GIT):
                works.callback(do, repository.state, turn.where, what)
    return 0


def do(state_folder: str, place: str, what: str) -> None:
    """Do one work wherever it is wanted."""
    for turn in background.turns(state_folder, place, what):
        with turn, Memory(turn.where) as memory:
            if memory.repository.find_tip() is not None:
                WORKS[what](memory)
