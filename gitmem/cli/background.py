"""Do work that a command or a hook left behind; it is started by them and logs what fails.

One process does a job at a time; a request that comes meanwhile is taken over by it.
"""

from __future__ import annotations

import os
from contextlib import ExitStack

from gitmem.agents.moments.cues import write_cues
from gitmem.agents.on_event import summarize
from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.output import Output
from gitmem.cli.verify import summary
from gitmem.commands.sync.quiet import sync_quietly
from gitmem.document.times import format_time
from gitmem.memory import Memory
from gitmem.store.state import background
from gitmem.system import only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = ("gitmem background index",)


def _commit_captures(memory: Memory) -> None:
    """Commit the captures that wait, so that hooks warn about the commands that they name."""
    if memory.captures.drain():
        write_cues(memory.repository)


def _verify(memory: Memory) -> None:
    """Verify due facts for the schedule, and write the result to the log."""
    from pathlib import Path  # 2.5 ms (measured); jobs started by hooks do not need it

    run = memory.jobs.run_scheduled()
    log = Path(memory.repository.git.repository.state, background.FOLDER, background.LOG)
    with open(log, "a", encoding="utf-8", opener=only_regular) as file:
        message = "another verify job is running" if run is None else summary(run)
        Output(color="never", stdout=file).line(f"{format_time(memory.repository.now)} verify: {message}")


# The action of each job in one work tree. A job that git commands make due is also in AFTER_GIT.
WORKS: dict[str, Callable[[Memory], object]] = {
    "index": lambda memory: memory.index.follow(),
    "spool": _commit_captures,
    "summary": summarize,
    "sync": lambda memory: sync_quietly(memory.repository),
    "view": lambda memory: memory.view.follow(),
    "verify": _verify,
    "embed": lambda memory: memory.vectors.embed_missing(),
    # After a checkout, also if no query has used it yet, so that the first one does not wait.
    "whoosh": lambda memory: memory.index.follow(is_ahead=True),
}
# The actions of `checkout`, in order, which a checkout, a merge or a rebase makes due.
AFTER_GIT = ("spool", "index", "view", "whoosh")
NAMES = (*WORKS, "checkout")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``background``."""
    parser.add_argument("what", choices=NAMES, help="the work")


def run(args: Arguments, out: Output) -> int:
    """Do a job in every work tree that requests it; do nothing without a store."""
    os.nice(5)  # a user is working in the foreground
    with Memory() as memory:
        repository = memory.repository.git.repository
    place = repository.top or repository.git
    if args.what != "checkout":
        do(repository.state, place, args.what)
        return 0
    for turn in background.turns(repository.state, place, args.what):
        with ExitStack() as works:  # each one runs, even if an earlier one fails
            for what in reversed(AFTER_GIT):
                works.callback(do, repository.state, turn.where, what)
    return 0


def do(state_folder: str, place: str, what: str) -> None:
    """Do one action in every work tree that requests it."""
    for turn in background.turns(state_folder, place, what):
        with turn, Memory(turn.where) as memory:
            if memory.repository.find_tip() is not None:
                WORKS[what](memory)
