"""What hooks of clients do: a function for each thing that happens in an agent's session."""

from __future__ import annotations

from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.memory.memory import Memory


# Gemini CLI puts the context of a start before what the person typed, where a slash command is not seen for one
# (0.61.0), and forgets it when the session is resumed: the first prompt brings it.
AT_FIRST_PROMPT = ("gemini",)
# Forget the context of a start when they compact a session, and start it again for no hook: the next prompt brings it.
# OpenCode builds its system prompt for each request; Claude Code and Codex report a start.
FORGETFUL = ("copilot", "gemini", "pi")


def not_accepted(memory: Memory) -> str:
    """Return what an agent is told in place of memories that nobody accepted: one line, nothing of theirs."""
    from gitmem.index.catalog.counts import count_live
    from gitmem.model import ADOPTED

    count = count_live(memory.repository.catalog(), without=("task", ADOPTED), now=memory.repository.now)
    return (
        f"This repository has a memory of {count} {'entry' if count == 1 else 'entries'}. It is not shown "
        "here, because it has not been accepted in this clone. A person must accept it, not an agent: gitmem "
        "init."
    )


def session_started(memory: Memory, event: Event) -> str:
    """Return what an agent should know as its session starts, or goes on; sessions that never ended are harvested."""
    from gitmem.agents.event import RESUME, STARTUP
    from gitmem.agents.session import log
    from gitmem.agents.transcripts import harvest, ledger

    if event.harness in FORGETFUL and event.source != RESUME:
        log.release(memory.repository, event)
    text = _digest(memory, event)
    if harvest.is_due(memory.repository):
        harvest.start(memory.repository)
    if event.source == STARTUP:
        _commit_captured(memory)
    if memory.repository.config.auto_sync:
        memory.captures.start("sync")
    ledger.enter(memory.repository, event)
    return log.hold(memory.repository, event, text) if event.harness in AT_FIRST_PROMPT else text


def _digest(memory: Memory, event: Event) -> str:
    from gitmem.agents.session.start import Doors, start

    doors = Doors(
        lambda budget, kinds: memory.context(budget_tokens=budget, kinds=kinds, related=True).document, memory.recall
    )
    return start(memory.repository, event, doors)


def prompted(memory: Memory, event: Event) -> str:
    """Return the memories that a prompt needs and that this session was not shown yet; mostly none."""
    from gitmem.agents.session import log
    from gitmem.agents.session.prompt import recall_for
    from gitmem.agents.transcripts import ledger

    ledger.enter(memory.repository, event)
    held = log.release(memory.repository, event) if event.harness in FORGETFUL else ""
    return "\n\n".join(filter(None, (held, recall_for(memory.repository, event, memory.recall))))


def tool_used(memory: Memory, event: Event) -> str:
    """Keep what a tool's use teaches, and what it did for the worklog; return what depends on a file it touched."""
    from gitmem.agents.capture.tools import capture
    from gitmem.agents.event import EDIT, READ
    from gitmem.agents.session.log import keep_written
    from gitmem.agents.session.worklog import record

    try:
        capture(memory.repository, event)
        keep_written(memory.repository, event)
    finally:
        if event.tool != READ:
            record(memory.repository, event)
    if event.prompt:  # to a sub-agent that was dispatched
        from gitmem.agents.session.activity import log

        log(memory.repository, event, event.prompt)
    if event.tool not in (EDIT, READ):
        return ""
    from gitmem.agents.on_file import touched

    return touched(memory.repository, event)


def responded(memory: Memory, event: Event) -> None:
    """Keep what an agent's words say was learned."""
    from gitmem.agents.capture.responses import capture
    from gitmem.agents.transcripts import ledger

    try:
        capture(memory.repository, event)
    finally:
        ledger.enter(memory.repository, event)


def compacting(memory: Memory, event: Event) -> str:
    """Keep what a session was about before its harness forgets most of it, and bring it back with its next prompt."""
    from gitmem.agents.event import COMPACTED, START
    from gitmem.agents.session import log
    from gitmem.agents.session.summary import compacting

    told = compacting(memory.repository, event)
    log.forget(memory.repository, event)
    if event.harness in FORGETFUL:
        log.hold(memory.repository, event, _digest(memory, replace(event, name=START, source=COMPACTED)))
    return told


def session_ended(memory: Memory, event: Event) -> None:
    """Keep what a session was about at its end, and commit what was captured in it."""
    from gitmem.agents.session.summary import ended

    if not ended(memory.repository, event):
        _commit_captured(memory)


def _commit_captured(memory: Memory) -> None:
    """Commit what waits, in the background."""
    from gitmem.store.spool_folders import waiting_in

    if waiting_in(memory.repository.git.repository.state):
        memory.captures.start("spool")


def stopped(memory: Memory, event: Event) -> None:
    """Keep what an agent's words say was learned, and note that it stopped; no summary is made at a stop (C4)."""
    from gitmem.agents.session.stops import stopped

    try:
        _heard(memory, event)
    finally:
        stopped(memory.repository, event)


def _heard(memory: Memory, event: Event) -> None:
    """Keep what an agent said last, at once, and ask for what it said before, where its transcript has more."""
    from gitmem.agents.capture.responses import capture
    from gitmem.agents.transcripts.harvest import look

    try:
        capture(memory.repository, event)
    finally:
        look(memory.repository, event)


def subagent_started(memory: Memory, event: Event) -> str:
    """Return what a sub-agent should know as it starts: what was injected for it, and a digest of its role's size."""
    from gitmem.agents.on_subagent import started
    from gitmem.agents.session.start import Doors

    doors = Doors(
        lambda budget, kinds: memory.context(paths=(), budget_tokens=budget, kinds=kinds).document, memory.recall
    )
    return started(memory.repository, event, doors)


def subagent_stopped(memory: Memory, event: Event) -> str:
    """Keep a sub-agent's words; return what it should still do before it stops, where the policy asks."""
    from gitmem.agents.session.stops import subagent_stopped

    _heard(memory, event)
    return subagent_stopped(memory.repository, event)


def summarize_session(memory: Memory, session: str = "") -> str:
    """Write the summary of a session now (C5), and return its key; empty where there is nothing worth keeping."""
    from gitmem.agents.session.summary import ask_for, key_of

    event = ask_for(memory.repository, session)
    return key_of(event) if key_of(event) in summarize(memory) else ""


def summarize(memory: Memory) -> list[str]:
    """Keep what transcripts have and no hook captured, make the summaries that are due, and return their keys."""
    from gitmem.agents.capture.source import captured_by
    from gitmem.agents.capture.turns import capture
    from gitmem.agents.session.summary import SummaryTools, finish
    from gitmem.commands.capture.quality import says_something

    return finish(memory.repository, SummaryTools(capture, captured_by, says_something))
