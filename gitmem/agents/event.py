"""What happens in a session of a coding agent, in one form for every harness. Pure data.

An adapter of ``gitmem.agents`` makes an event of what its harness tells a hook; everything below knows only events.
Every text comes from outside: paths may lie anywhere, names may be anything, and outputs hold secrets.
"""

from __future__ import annotations

from gitmem.frozen import frozen

# What an event can be. A hook of a harness that is none of these is left alone.
START = "start"
PROMPT = "prompt"
TOOL = "tool"
RESPONSE = "response"
STOP = "stop"
SUBAGENT_START = "subagent-start"
SUBAGENT_STOP = "subagent-stop"
COMPACT = "compact"
END = "end"
NAMES = (START, PROMPT, TOOL, RESPONSE, STOP, SUBAGENT_START, SUBAGENT_STOP, COMPACT, END)

# What a start comes from.
STARTUP = "startup"
RESUME = "resume"
CLEARED = "clear"
COMPACTED = "compact"
SOURCES = (STARTUP, RESUME, CLEARED, COMPACTED)

# What a tool does, as far as it matters here.
SHELL = "shell"
EDIT = "edit"
READ = "read"
OTHER = "other"


@frozen
class Edit:
    """One file that a tool changed.

    Attributes:
        path: As the harness names it: absolute, or relative to the event's folder.
        before: The text that was replaced; empty for a new file, and where the harness does not say.
        after: The text that replaced it; empty where it was removed, and where the harness does not say.
        is_new: Whether the file was created.
        is_gone: Whether it was deleted.
    """

    path: str
    before: str = ""
    after: str = ""
    is_new: bool = False
    is_gone: bool = False


@frozen
class Event:
    """One thing that happened in a session.

    Attributes:
        harness: Which harness tells it, by its name on the command line (``claude-code``).
        name: One of ``NAMES``.
        session: The session's name, or empty where the harness names none.
        folder: Where the agent works, absolute; empty where the harness does not say.
        source: What a start comes from, one of ``SOURCES``; of a compaction, ``manual`` or ``auto``; of an end, why.
        prompt: What the person wrote, or an agent to a sub-agent that it dispatched.
        tool: What kind of tool it was (``SHELL``, ``EDIT``, ``READ`` or ``OTHER``).
        tool_name: The tool as the harness names it.
        call: The harness's name of this one call, or empty.
        command: What the shell ran.
        edits: The files that were changed.
        path: The file that was read, as the harness names it.
        output: What the tool answered.
        failed: Whether the tool failed; None where the harness does not say.
        response: What the agent said last.
        transcript: The file with the session so far, or empty.
        agent: The sub-agent's name where one acts; empty for the main agent.
        agent_type: What kind of sub-agent it is.
        is_again: Whether a stop comes from a hook that kept the agent going.
        hook: The event's name in a payload of Copilot's, empty where the payload does not name it.
    """

    harness: str
    name: str
    session: str = ""
    folder: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    tool_name: str = ""
    call: str = ""
    command: str = ""
    edits: tuple[Edit, ...] = ()
    path: str = ""
    output: str = ""
    failed: bool | None = None
    response: str = ""
    transcript: str = ""
    agent: str = ""
    agent_type: str = ""
    is_again: bool = False
    hook: str = ""
