"""The loop of ``gitmem trust --review``: commands that wait for a person's approval, under the same rules.

A command must be visible completely before it can be approved, as with ``trust``, and approving it requires typing the
beginning of its hash. Agents cannot approve here either.
"""

from __future__ import annotations

from gitmem.cli.browse.loop import Choice, Loop
from gitmem.cli.browse.screen_text import fold_line
from gitmem.cli.output import Output
from gitmem.cli.terminal import need_terminal
from gitmem.cli.trust import IN_CI, describe_approval
from gitmem.errors import UsageError
from gitmem.repository.approvals import approve_command, deny_command, trust_of
from gitmem.verify.approvals.clone import TYPED_DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.memory import Memory
    from gitmem.verify.due import Due


def gather(memory: Memory) -> Sequence[Due]:
    """Return the facts whose commands wait for approval.

    Raises:
        TrustError: No person is at this terminal to approve.
    """
    need_terminal(memory, IN_CI).close()
    trust = trust_of(memory.repository)
    return [due for due in memory.repository.list_waiting() if not trust.allows(due.row.spec)]


def draw(_: Memory, due: Due, out: Output) -> None:
    """Print everything that is approved; long lines are wrapped without adding or removing a character."""
    for line in describe_approval(due):
        for piece in fold_line(line, out.width):
            out.line(piece)


def approve(memory: Memory, due: Due, typed: str) -> str:
    """Approve a command if the beginning of its hash was typed.

    Raises:
        UsageError: Something else was typed.
    """
    if typed.strip().lower() != due.row.spec[:TYPED_DIGITS]:
        raise UsageError(
            "not approved: that is not the beginning of its hash", hint=f"type the first {TYPED_DIGITS} digits"
        )
    need_terminal(memory, IN_CI).close()
    approve_command(memory.repository, due)
    return f"approved the command of {due.row.key}; to revoke it: gitmem untrust {due.row.key}"


def deny(memory: Memory, due: Due, _: str) -> str:
    """Deny a command in this clone."""
    deny_command(memory.repository, due)
    return f"denied the command of {due.row.key}"


APPROVALS = Loop(
    name="commands to approve",
    none="No command waits for approval.",
    gather=gather,
    draw=draw,
    choices=(
        Choice(
            "y",
            "approve",
            "let it run in this clone, after you typed the beginning of its hash",
            approve,
            lambda _: f"Type the first {TYPED_DIGITS} digits of its hash",
        ),
        Choice("d", "deny", "never run it in this clone", deny),
    ),
    command="gitmem trust --review",
    is_whole=True,
)
