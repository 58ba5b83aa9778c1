"""Capture from transcripts what no hook captured: an agent's messages, and comments written by commands.

A hook may never have run: the agent's program was killed, or exited before its background hooks did.
"""

from __future__ import annotations

from gitmem.agents import event as happened
from gitmem.agents.capture import trail
from gitmem.agents.capture.responses import learn_from
from gitmem.agents.capture.source import place_of
from gitmem.agents.capture.tools import may_comment
from gitmem.agents.moments.shell_files import may_touch_files, touched_files
from gitmem.agents.transcripts.turns import COMMAND, PROMPT, SAID
from gitmem.frozen import replace
from gitmem.text.marker_words import may_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.agents.event import Event
    from gitmem.agents.transcripts.turns import Turn
    from gitmem.repository import OpenRepository


def capture(repository: OpenRepository, event: Event, turns: Iterable[Turn]) -> None:
    """Save the learnings in the turns of a transcript, each text once.

    Args:
        repository: The store.
        event: Where the turns come from: the client, the session, the agent.
        turns: The turns.
    """
    before: list[Turn] = []  # since the last prompt
    known = list(turns)
    current = max((at for at, turn in enumerate(known) if turn.what == PROMPT), default=0)
    for at, turn in enumerate(known):
        if turn.what == PROMPT:
            before = []
        elif turn.what == SAID and may_mark(turn.text):
            learn_from(repository, event, turn.text, trail_before(repository, event, before, is_current=at > current))
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
            keep_comments(repository, ran, once=True)
        before.append(turn)


def trail_before(repository: OpenRepository, event: Event, turns: Sequence[Turn], *, is_current: bool) -> trail.Trail:
    """Return what was touched, and what failed, before something was said: hooks do not report when that was.

    Args:
        repository: The store.
        event: Where the turns come from.
        turns: The turns between the prompt and what was said.
        is_current: Whether it was the last prompt, of which hooks know more: what was read.
    """
    noted = trail.trail_of(repository, event.session)
    earlier = trail.trail_of_lines([line for turn in turns for line in _lines_of(repository, event, turn)])
    touched = tuple(dict.fromkeys((*noted.touched, *earlier.touched)))
    if is_current and not earlier.changed and not earlier.read:
        return replace(earlier, touched=touched, read=noted.read, changed=noted.changed)
    return replace(earlier, touched=touched)


def _lines_of(repository: OpenRepository, event: Event, turn: Turn) -> list[str]:
    if turn.what == SAID:
        return [trail.SAID] if may_mark(turn.text) else []
    if turn.what == COMMAND and turn.failed:
        return [trail.failed_line(turn.text, turn.output)]
    reads: Sequence[str] = ()
    edits: Sequence[str] = () if turn.failed else turn.files
    if turn.what == COMMAND and may_touch_files(turn.text):
        touched = touched_files(turn.text)
        reads, edits = touched.reads, touched.edits
    places = [[place for path in paths if (place := place_of(repository, event, path))] for paths in (reads, edits)]
    return trail.file_lines(*places)
