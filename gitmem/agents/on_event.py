"""The actions of client hooks: one function for each kind of event in an agent's session."""

from __future__ import annotations

from gitmem.agents.clients import find_table
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.memory import Memory


def not_accepted(memory: Memory) -> str:
    """Return a one-line notice for the agent about memories that have not been accepted; none of their text."""
    from gitmem.index.catalog.state import count_live
    from gitmem.model import ADOPTED

    count = count_live(memory.repository.catalog(), without=("task", ADOPTED), now=memory.repository.now)
    return (
        f"This repository has a memory of {count} {'entry' if count == 1 else 'entries'}. It is not shown "
        "here, because it has not been accepted in this clone. A person must accept it, not an agent: gitmem "
        "init."
    )


def session_started(memory: Memory, event: Event) -> str:
    """Return context for a session that starts or resumes; harvest sessions that never ended."""
    from gitmem.agents.event import RESUME
    from gitmem.agents.moments.cues import write_cues
    from gitmem.agents.session import log
    from gitmem.agents.session.start import start
    from gitmem.agents.transcripts import harvest, ledger

    if forgets_start(event) and event.source != RESUME:
        log.release(memory.repository, event)
    text = start(memory, event)
    if memory.repository.has_store():
        write_cues(memory.repository)
    if harvest.is_due(memory.repository):
        harvest.start(memory.repository)
    _commit_overdue(memory)
    if memory.repository.config.auto_sync:
        memory.captures.start("sync")
    ledger.enter(memory.repository, event)
    return log.hold(memory.repository, event, text) if _starts_at_prompt(event) else text


def answer_prompt(memory: Memory, event: Event) -> str:
    """Return the memories that match a prompt and that this session has not been shown yet; mostly none."""
    from gitmem.agents.capture import trail
    from gitmem.agents.capture.corrections import offer_for
    from gitmem.agents.session import log
    from gitmem.agents.session.prompt import recall_for
    from gitmem.agents.transcripts import ledger

    ledger.enter(memory.repository, event)
    trail.leave(memory.repository, event)
    held = log.release(memory.repository, event) if forgets_start(event) else ""
    parts = [held, recall_for(memory.repository, event, memory.recall), _behind(memory, event)]
    parts.append(offer_for(memory.repository, event))
    return "\n\n".join(filter(None, parts))


def _behind(memory: Memory, event: Event) -> str:
    """Return a line if the newest memories could not be searched; once a session."""
    behind = memory.repository.behind
    if not behind:
        return ""
    from gitmem.agents import trouble

    is_new = trouble.note(memory.repository.git.repository.state, event.session, trouble.BEHIND)
    return trouble.NOT_THE_TIP.format(behind) if is_new else ""


def tool_used(memory: Memory, event: Event) -> str:
    """Capture from a tool's use and add it to the worklog; return the memories that help now; mostly none."""
    from gitmem.agents.capture.tools import capture
    from gitmem.agents.event import READ, SHELL
    from gitmem.agents.session.log import log_own_writes
    from gitmem.agents.session.worklog import record

    reads, edits = _touched(memory, event)
    has_failed = _has_failed(event, is_read=bool(reads))
    try:
        capture(memory.repository, event)
        if log_own_writes(memory.repository, event):
            from gitmem.agents.moments.cues import write_cues

            write_cues(memory.repository)
    finally:
        if reads or edits or has_failed:
            from gitmem.agents.capture import trail

            files = [place for place in reads if not place.endswith("/")]
            trail.leave(memory.repository, event, files, edits, has_failed=has_failed)
        if event.tool != READ:
            record(memory.repository, event)
    if event.prompt:  # a prompt for a dispatched sub-agent
        from gitmem.agents.session.activity import log

        log(memory.repository, event, event.prompt)
    if event.tool == SHELL and (has_failed or _may_have_failed(event)):
        from gitmem.agents.moments.failure import recall_failure

        if text := recall_failure(memory.repository, event, memory.recall):
            return text
    if event.tool == SHELL and not _was_announced(event) and (text := command_announced(memory, event)):
        return text
    if event.tool == SHELL and not reads and not edits and (has_failed or _may_have_failed(event)):
        from gitmem.agents.moments.touched import named_in

        reads, event = named_in(memory.repository, event), replace(event, failed=None)
    if not reads and not edits:
        return ""
    from gitmem.agents.moments.file import list_file_memories

    return list_file_memories(memory.repository, event, reads, edits)


def _was_announced(event: Event) -> bool:
    """Return whether the client has a hook before commands, which has shown the warnings about this one."""
    table = find_table(event.client)
    before = [hook.matcher for hook in table.hooks if hook.event == "PreToolUse"] if table else []
    return table is not None and any(set(table.shells) <= set(matcher.split("|")) for matcher in before)


def _has_failed(event: Event, *, is_read: bool) -> bool:
    """Return whether a tool failed, judging by a command's output if its client does not say; a file's says nothing."""
    from gitmem.agents.event import SHELL

    if event.failed is not None or event.tool != SHELL or is_read:
        return event.failed is True
    from gitmem.agents.moments.output import may_have_failed

    return may_have_failed(event.output, event.command)


def _may_have_failed(event: Event) -> bool:
    """Return whether a command that succeeded may hide that what it ran did not."""
    from gitmem.agents.moments.output import hides_status, may_have_failed

    return event.failed is False and hides_status(event.command) and may_have_failed(event.output, event.command)


def _touched(memory: Memory, event: Event) -> tuple[list[str], list[str]]:
    """Return the files that a tool read and changed; most commands touch none, and load nothing to find that out."""
    from gitmem.agents.event import EDIT, READ, SHELL

    if event.tool == SHELL:
        from gitmem.agents.moments.shell_files import may_touch_files

        if not may_touch_files(event.command):
            return [], []
    elif event.tool not in (EDIT, READ):
        return [], []
    from gitmem.agents.moments.touched import touched_by

    return touched_by(memory.repository, event)


def save_words(memory: Memory, event: Event) -> None:
    """Save what an event says although the memory cannot be read; never fails."""
    from gitmem.agents.capture.record import keep_comments
    from gitmem.agents.capture.responses import learn_from
    from gitmem.agents.capture.tools import may_comment
    from gitmem.agents.event import SHELL
    from gitmem.agents.transcripts import ledger
    from gitmem.errors import GitmemError, suppress

    with suppress(GitmemError, OSError, ValueError):
        ledger.enter(memory.repository, event)
    with suppress(GitmemError, OSError, ValueError):
        learn_from(memory.repository, event, event.response)
    with suppress(GitmemError, OSError, ValueError):
        if event.tool == SHELL and event.failed is not True and may_comment(event.command):
            keep_comments(memory.repository, event)


def save_learnings(memory: Memory, event: Event) -> None:
    """Save the learnings in an agent's message."""
    from gitmem.agents.capture.responses import learn_from
    from gitmem.agents.transcripts import ledger
    from gitmem.text.marker_words import may_mark

    try:
        learn_from(memory.repository, event, event.response)
        if may_mark(event.response):
            from gitmem.agents.capture import trail

            trail.leave(memory.repository, event)
    finally:
        ledger.enter(memory.repository, event)


def save_before_compaction(memory: Memory, event: Event) -> None:
    """Save what a session was about before its client compacts it; the next prompt brings the context back."""
    from gitmem.agents.event import COMPACTED, START
    from gitmem.agents.session import log
    from gitmem.agents.session.start import start
    from gitmem.agents.session.summary import request_summary

    request_summary(memory.repository, event)
    log.forget(memory.repository, event)
    if forgets_start(event):
        log.hold(memory.repository, event, start(memory, replace(event, name=START, source=COMPACTED)))


def session_ended(memory: Memory, event: Event) -> None:
    """Save what a session was about at its end, and commit its captures, unless it was resumed and ends again."""
    from gitmem.agents.capture.state import commits_at_end
    from gitmem.agents.session.summary import request_summary
    from gitmem.store.state.plain_files import waiting_captures

    if request_summary(memory.repository, event) or not waiting_captures(memory.repository.git.repository.state):
        return
    if commits_at_end(memory.repository, event.session):
        memory.captures.start("spool")


def _commit_overdue(memory: Memory) -> None:
    """Commit pending captures in the background if one has waited too long: its session never ended, or goes on."""
    from gitmem.store.state.plain_files import has_overdue_captures

    if has_overdue_captures(memory.repository.git.repository.state):
        memory.captures.start("spool")


def end_turn(memory: Memory, event: Event) -> None:
    """Save the learnings in an agent's last message, and log the stop; no summary is made at a stop."""
    from gitmem.agents.session import activity

    try:
        _save_response(memory, event)
    finally:
        activity.log(memory.repository, event, event.response)


def _save_response(memory: Memory, event: Event) -> None:
    """Save an agent's last message at once, and request a harvest if its transcript has more."""
    from gitmem.agents.capture.responses import learn_from
    from gitmem.agents.transcripts.harvest import look_for_learnings

    try:
        learn_from(memory.repository, event, event.response)
    finally:
        look_for_learnings(memory.repository, event)


def subagent_dispatched(memory: Memory, event: Event) -> None:
    """Remember the task of a sub-agent that is about to start: its start does not name it."""
    from gitmem.agents.moments.subagent import remember_task

    remember_task(memory.repository, event)


def command_announced(memory: Memory, event: Event) -> str:
    """Return the memories that warn about a command that is about to run, or has just run; mostly none."""
    from gitmem.agents.moments.cues import cued_phrases
    from gitmem.agents.moments.recipes import with_recipes
    from gitmem.agents.moments.risk import find_risk

    repository, line = memory.repository, with_recipes(event.folder, event.command)
    branch = repository.git.read_head()[0].removeprefix("refs/heads/") if "git " in line else ""
    if not (risk := find_risk(line, cued_phrases(event.folder, line), branch)):
        return ""
    from gitmem.agents.moments.failure import recall_warning

    return recall_warning(repository, event, memory.recall, risk)


def subagent_started(memory: Memory, event: Event) -> str:
    """Return context for a sub-agent that starts: memories injected for it, warnings, and what its task is about."""
    from gitmem.agents.moments.subagent import take_task
    from gitmem.agents.session.start import start_subagent

    return start_subagent(memory, replace(event, prompt=take_task(memory.repository, event)))


def subagent_stopped(memory: Memory, event: Event) -> str:
    """Capture from a sub-agent's message; return what it should finish before it stops, if the policy asks."""
    from gitmem.agents.session.stops import subagent_stopped

    _save_response(memory, event)
    return subagent_stopped(memory.repository, event)


def summarize_session(memory: Memory, session: str = "") -> str:
    """Write the summary of a session now, and return its key; empty if there is nothing worth saving."""
    from gitmem.agents.session.summary import ask_for, key_of

    event = ask_for(memory.repository, session)
    written = summarize(memory)
    key = key_of(memory.repository, event)
    return key if key in written else ""


def summarize(memory: Memory) -> list[str]:
    """Capture from transcripts what no hook captured, write the summaries that are due, and return their keys."""
    from gitmem.agents.session.summary import finish

    return finish(memory.repository)


def forgets_start(event: Event) -> bool:
    """Return whether the client forgets the context of a start on compaction, so that the next prompt delivers it."""
    table = find_table(event.client)
    return table is not None and table.forgets_start


def _starts_at_prompt(event: Event) -> bool:
    table = find_table(event.client)
    return table is not None and table.starts_at_prompt
