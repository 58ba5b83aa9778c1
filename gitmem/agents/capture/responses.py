"""Find ``LEARNED:`` and ``DECISION:`` lines in an agent's answers, outside code and quotations.

The same line arrives at a stop, at the end of the session and in the transcript; its key makes it one memory.
"""

from __future__ import annotations

from gitmem.text.marker_words import may_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.capture.trail import Trail
    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository


def learn_from(repository: OpenRepository, event: Event, text: str, before: Trail | None = None) -> None:
    """Save the learnings in a text by an agent: a response, or a turn of a transcript.

    A learning that is already known, or was retired, is skipped.

    Args:
        repository: The store.
        event: Where it comes from: the client, the session, the agent.
        text: The text.
        before: What was touched before it was said; the trail of the session's turn if not given.

    Raises:
        OSError: It cannot be saved: the disk is full or read-only.
    """
    if not may_mark(text):
        return
    from gitmem.agents.capture.record import Keeper, keep_marked

    keeper = Keeper(repository, event)
    keep_marked(keeper, text, {}, is_comment=False, once=True, before=before)
    keeper.end()
