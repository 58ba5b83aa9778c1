"""The loop of ``gitmem curate dedupe``: memories that are nearly equal."""

from __future__ import annotations

from gitmem.cli.browse.loop import Choice, Loop
from gitmem.cli.output import Output
from gitmem.cli.show import print_memory
from gitmem.errors import ConflictError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.curate.dedupe import DuplicateGroup
    from gitmem.memory import Memory


def gather(memory: Memory) -> Sequence[DuplicateGroup]:
    """Return the groups, most similar first."""
    memory.repository.tip()
    return memory.bulk.dedupe().groups


def draw(memory: Memory, group: DuplicateGroup, out: Output) -> None:
    """Print the memory to keep, and then each one that it would replace."""
    out.line(("This one stays", "bold"), f" ({group.why}):")
    print_memory(memory.show(group.kept.key).document, out)
    for member in group.others:
        out.line()
        out.line(("It replaces", "bold"), f" ({member.likeness:.0%} the same):")
        print_memory(memory.show(member.key).document, out)


def merge(memory: Memory, group: DuplicateGroup, _: str) -> str:
    """Supersede the other memories of a group, in one commit.

    Raises:
        ConflictError: One of them has changed since.
    """
    report = memory.bulk.merge_group(group)
    if report.changed:
        raise ConflictError("one of these changed in the meantime; nothing was done", hint="leave with q and come back")
    return f"{group.kept.key} supersedes {', '.join(member.key for member in group.others)}"


DUPLICATES = Loop(
    name="duplicates to merge",
    none="There are no near duplicates.",
    gather=gather,
    draw=draw,
    choices=(Choice("y", "merge", "keep the first, which supersedes the others", merge),),
    command="gitmem curate dedupe --apply",
    is_slow=True,
)
