"""Find ``LEARNED:`` and ``DECISION:`` lines in an agent's answers (E13), outside code and quotations.

The same line is printed at a stop, at a session's end and in the transcript: it is kept once, by its key.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.repository.repository import OpenRepository

MARKS = ("LEARN", "earned", "earning", "earnt", "DECISION")


def capture(memory: OpenRepository, event: Event) -> None:
    """Keep what the response of an event says was learned.

    Raises:
        OSError: It cannot be kept: the disk is full or read-only.
    """
    learn_from(memory, event, event.response)


def learn_from(memory: OpenRepository, event: Event, text: str) -> None:
    """Keep what a text of an agent's says was learned: a response, or a turn of a transcript.

    A learning that is known already, or was retired, is left alone.

    Args:
        memory: The store.
        event: Who says it: the harness, the session, the agent.
        text: The text.
    """
    if not any(mark in text for mark in MARKS):
        return
    from gitmem.agents.capture.record import Keeper, keep_marked

    keeper = Keeper(memory, event)
    keep_marked(keeper, text, {}, is_comment=False, once=True)
    keeper.end()
