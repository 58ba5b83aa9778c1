"""The loop of ``gitmem settle``: failed facts, and memories that rest on them."""

from __future__ import annotations

from gitmem.cli.browse.loop import Choice, Loop
from gitmem.cli.names import wordings
from gitmem.cli.output import Output
from gitmem.cli.show import print_memory
from gitmem.cli.terminal import is_interactive
from gitmem.model import HOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.memory import Memory


def gather(memory: Memory) -> Sequence[str]:
    """Return the keys of failed facts, then of suspect memories."""
    status = memory.status()
    return [line.key for line in (*status.failed, *status.suspect)]


def draw(memory: Memory, key: str, out: Output) -> None:
    """Print a memory in full; for a suspect one also what to settle first."""
    shown = memory.show(key)
    names = wordings(memory, shown.because, out)
    print_memory(shown.document, out, names)
    if shown.because:
        out.line()
        out.line((f"It rests on {names[shown.because[-1]]}: settle that one first.", "yellow"))


def recheck(memory: Memory, key: str, _: str) -> str:
    """Run the check again, if it is approved."""
    run = memory.verify(key)
    if not run.results:
        return f"{key} has no check of its own"
    (result, *_more) = run.results
    why = result.because or result.reason
    words = "holds" if result.outcome == HOLDS else result.outcome
    return f"{key} {words}" + (f": {why}" if why else "")


def reword(memory: Memory, key: str, title: str) -> str:
    """Give the fact another title."""
    memory.edit(key, fields={"title": title}, body=None, approve=is_interactive())
    return f"reworded {key}: to judge it in these words, check it again"


def retire(memory: Memory, key: str, why: str) -> str:
    """Move the memory to the archive."""
    memory.forget(key, why=why)
    return f"retired {key}; to bring it back: gitmem restore {key}"


def replace(memory: Memory, key: str, by: str) -> str:
    """Supersede the memory by another one."""
    change = memory.supersede(key, by.strip())
    return f"superseded {key} by {change.key}"


def confirm(memory: Memory, key: str, _: str) -> str:
    """Confirm that the memory is true although its foundation was reworded."""
    memory.bulk.confirm(key)
    return f"confirmed {key}"


def follow(memory: Memory, key: str, _: str) -> str:
    """Update the memory's paths to where its files moved."""
    updates = memory.bulk.settle_moved(key, approve=is_interactive())
    if not updates:
        return f"{key} names no files that moved"
    (update, *_more) = updates
    return (
        f"{key} stays as it is: {update.skipped}" if update.skipped else f"re-pointed {key}: {'; '.join(update.shown)}"
    )


FAILURES = Loop(
    name="failures to settle",
    none="Nothing failed, and nothing rests on something that failed.",
    gather=gather,
    draw=draw,
    choices=(
        Choice("c", "check again", "the code was wrong and is fixed: run its check again", recheck, stays=True),
        Choice("w", "reword", "something else is true now: give it another title", reword, lambda _: "New title"),
        Choice(
            "r",
            "retire",
            "nothing in it is true any more: move it to the archive",
            retire,
            lambda _: "Why (Enter for no reason)",
            may_be_empty=True,
        ),
        Choice("s", "supersede", "another memory says what is true", replace, lambda _: "Key of the memory that does"),
        Choice("o", "confirm", "its foundation was reworded, and it is true all the same", confirm),
        Choice("m", "moved", "its files moved: re-point it to where they are", follow, stays=True),
    ),
    command="gitmem settle KEY",
)
