"""Events in a session of a coding agent, in one form for every client. Pure data.

An adapter in ``gitmem.agents`` turns its client's payload into an event; all other code sees only events. Every text
comes from outside: paths can point anywhere, names can be anything, and outputs may hold secrets.
"""

from __future__ import annotations

from gitmem.frozen import frozen

# The names of events. Other events of a client are ignored.
START = "start"
PROMPT = "prompt"
TOOL = "tool"
RESPONSE = "response"
STOP = "stop"
DISPATCH = "dispatch"
COMMAND = "command"  # a command that is about to run and is hard to undo
SUBAGENT_START = "subagent-start"
SUBAGENT_STOP = "subagent-stop"
COMPACT = "compact"
END = "end"

# The causes of a start.
STARTUP = "startup"
RESUME = "resume"
CLEARED = "clear"
COMPACTED = "compact"
SOURCES = (STARTUP, RESUME, CLEARED, COMPACTED)

# The kinds of tools that matter here.
SHELL = "shell"
EDIT = "edit"
READ = "read"
OTHER = "other"


@frozen
class Edit:
    """One file that a tool changed.

    Attributes:
        path: As the client names it: absolute, or relative to the event's folder.
        before: The replaced text; empty for a new file, or if the client does not report it.
        after: The new text; empty if the text was removed, or if the client does not report it.
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
    """One event in a session.

    Attributes:
        client: The client that reports it, by its name on the command line (``claude-code``).
        name: One of the names above.
        session: The session's name; empty if the client gives none.
        folder: The agent's working directory, absolute; empty if the client does not report it.
        source: The cause of a start, one of ``SOURCES``; of a compaction ``manual`` or ``auto``; of an end why.
        prompt: The prompt, by the person or by an agent that dispatches a sub-agent.
        tool: The kind of tool (``SHELL``, ``EDIT``, ``READ`` or ``OTHER``).
        tool_name: The tool as the client names it.
        command: The shell command.
        edits: The files that were changed.
        path: The file that was read, or the file or folder that was searched, as the client names it.
        paths: The files that a tool read that reads several; globs among them.
        output: The tool's output.
        failed: Whether the tool failed; None if the client does not report it.
        response: The agent's last message.
        transcript: The file with the session so far, or empty.
        agent: The sub-agent's name; empty for the main agent.
        agent_type: The type of the sub-agent, also of one that is about to be dispatched.
        is_again: Whether this is a second stop, after a hook made the agent continue.
        hook: The event's name in a payload of Copilot; empty if the payload does not name it.
    """

    client: str
    name: str
    session: str = ""
    folder: str = ""
    source: str = ""
    prompt: str = ""
    tool: str = ""
    tool_name: str = ""
    command: str = ""
    edits: tuple[Edit, ...] = ()
    path: str = ""
    paths: tuple[str, ...] = ()
    output: str = ""
    failed: bool | None = None
    response: str = ""
    transcript: str = ""
    agent: str = ""
    agent_type: str = ""
    is_again: bool = False
    hook: str = ""
