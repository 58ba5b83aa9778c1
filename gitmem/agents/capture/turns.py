"""Capture from transcripts what no hook captured: an agent's messages, and comments written by commands.

A hook may never have run: the agent's program was killed, or exited before its background hooks did.
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents.capture.responses import learn_from
from gitmem.agents.capture.tools import may_comment
from gitmem.agents.transcripts.turns import COMMAND, SAID
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.event import Event
    from gitmem.agents.transcripts.turns import Turn
    from gitmem.repository import OpenRepository


def capture(memory: OpenRepository, event: Event, turns: Iterable[Turn]) -> None:
    """Save the learnings in the turns of a transcript, each text once.

    Args:
        memory: The store.
        event: Where the turns come from: the client, the session, the agent.
        turns: The turns.
    """
    for turn in turns:
        if turn.what == SAID:
            learn_from(memory, event, turn.text)
        elif turn.what == COMMAND and turn.failed is not True and may_comment(turn.text):
            from gitmem.agents.capture.record import keep_comments

            ran = replace(
                event,
                name=happened.TOOL,
                tool=happened.SHELL,
                command=turn.text,
                output=turn.output,
                failed=turn.failed,
            )
            keep_comments(memory, ran, once=True)
