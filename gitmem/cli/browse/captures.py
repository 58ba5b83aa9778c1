"""The loop of ``gitmem doctor --captured``: texts that agents recorded and gitmem refused."""

from __future__ import annotations

from gitmem.cli.browse.loop import Choice, Loop, ask_yes, need_yes
from gitmem.cli.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.doctor.refusals import RefusedText
    from gitmem.memory import Memory


def gather(memory: Memory) -> Sequence[RefusedText]:
    """Return the refused texts, oldest first."""
    return memory.captures.list_refused()


def draw(_: Memory, refused: RefusedText, out: Output) -> None:
    """Print a text and the reason for refusing it."""
    out.line((refused.name, "key"), f"  {refused.kind or 'text not kept'}")
    out.line(("refused: ", "dim"), (refused.why, "yellow"))
    if refused.text:
        out.line()
        out.text(refused.text)


def accept(memory: Memory, refused: RefusedText, _: str) -> str:
    """Make a memory of a text."""
    memory.captures.accept(refused.name)
    return f"made a memory of {refused.name}"


def drop(memory: Memory, refused: RefusedText, typed: str) -> str:
    """Delete a text."""
    need_yes(typed)
    memory.captures.drop(refused.name)
    return f"deleted {refused.name}"


CAPTURED = Loop(
    name="captured texts that were refused",
    none="There is no captured text to decide on.",
    gather=gather,
    draw=draw,
    choices=(
        Choice("y", "accept", "make a memory of it as it is shown", accept),
        Choice(
            "d",
            "delete",
            "delete it; this cannot be undone",
            drop,
            ask_yes("Delete this text? It cannot be undone."),
        ),
    ),
    command="gitmem doctor --captured",
)
