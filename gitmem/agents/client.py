"""The table of one client: its files, tools, folders and habits. Pure data."""

from __future__ import annotations

from gitmem.frozen import frozen

# Timeouts in seconds: slightly more than an event may take (`agents.hook`). Codex allows 3 s for the end of a session
# and warns of more; Claude Code waits 1.5 s there by default.
START_S, PROMPT_S, END_S = 10, 5, 3

# The forms of a hook in a settings file, of a slash command, and of an entry in a list of MCP servers
# (``commands.install.client_files``).
CLAUDE, COPILOT, CURSOR, GEMINI = "claude", "copilot", "cursor", "gemini"
CODEX, OPENCODE, QWEN, AUGGIE, CLINE = "codex", "opencode", "qwen", "auggie", "cline"


@frozen
class ClientEvent:
    """An event of a client for which gitmem is called.

    Attributes:
        event: Its name.
        matcher: The client's filter for events; empty for all.
        timeout_s: How long the client waits.
        is_async: Whether the client need not wait, because there is no answer.
    """

    event: str
    matcher: str = ""
    timeout_s: int = START_S
    is_async: bool = False


@frozen
class Obstacle:
    """A setting of a client that keeps gitmem's hooks from running, or makes it warn.

    Attributes:
        file: The settings file, JSON or TOML.
        names: The path of the setting in it.
        value: The value that matters; None for any.
        message: For the person.
    """

    file: str
    names: tuple[str, ...]
    value: object
    message: str


@frozen
class Moved:
    """A variable that moves a folder of a client.

    Attributes:
        variable: Its name; its value is a folder.
        folder: The moved folder, below the home folder.
        below: Where it is then, below the value.
    """

    variable: str
    folder: str
    below: str = ""


@frozen
class Client:
    """A client, its files and its habits.

    Attributes:
        title: Its name as people write it.
        settings: The file with hooks, or the folder if each is a file, in a project and below the person's home
            folder; empty if there is none.
        hooks: The events for which gitmem is called.
        plugin: The file of our plugin, if it is used instead of hooks.
        skills: The folders of skills.
        commands: The folders of slash commands; empty if there are none.
        instructions: The project file that its agents read.
        documents: Globs of the project's files of instructions that it loads, its main one first: in the folder that
            they are for, at any depth, or only at the root if they begin with a slash.
        fallback: The document that it loads where the project lacks the main one, or that names it; empty for none.
        limit_bytes: The most bytes that it loads of the documents from the root down to a folder; 0 for no known limit.
        limit_characters: The most characters that it loads of one document; 0 for no known limit.
        mcp: The files that list MCP servers; empty if there are none.
        found: The files in a project, and in the home folder, that show that it is used.
        note: Further steps for the person.
        hook_form: The form of a hook in its settings.
        command_form: The form of a slash command.
        server_form: The form of an entry in its list of MCP servers.
        obstacles: Settings that keep hooks from running.
        aliases: Other names that people type, which begin with the same letters.
        variables: The variables that show that its agent runs a command, which begin with the same letters.
        variable_prefix: The beginning of further variables that show it, of which the names change.
        own_settings: How the rest of a name goes on, after the prefix, if the variable is only a setting of a person.
        session_variable: The variable with the session's name.
        programs: The names of its processes, which begin with the same letters. An editor has none: people type in its
            terminals.
        fork_of: The client from which it was made: it runs the same plugin, and sets that one's variables as well.
        runs_hooks_of: The client whose settings it also reads hooks from.
        instructions_setting: The setting that names the files that it reads in place of its instructions: a file, and
            the path of the setting in it.
        other_servers: Another file of a project that lists MCP servers, and the form of its entries.
        documents_on_demand: Globs of a project's files that its agents follow but that it does not load itself:
            commands, skills, sub-agents.
        memories: What can be imported of it, in a project and below the home folder: pairs of a path and what is there.
        note_folders: The folders of a project in which it lets agents write notes.
        agent_notes: Of these, the one with a folder for each sub-agent.
        shells: The tools that run a command, as hooks and transcripts name them.
        editors: The tools that change files.
        readers: The tools that read files, or search a file or folder.
        sessions: The folders below the home folder in which it stores sessions; empty if it has no known format.
        moved_by: The variables that move its folders.
        agents_beside: Whether transcripts of sub-agents are in a folder with the session's name, beside its transcript;
            else they are in ``subagents``, in the folder with the transcript's name.
        starts_at_prompt: Whether the context of a start is put into the answer to the first prompt.
        forgets_start: Whether it forgets the context of a start on compaction, and calls no hook afterwards.
    """

    title: str
    settings: tuple[str, str] = ("", "")
    hooks: tuple[ClientEvent, ...] = ()
    plugin: tuple[str, str] = ("", "")
    skills: tuple[str, str] = (".agents/skills", ".agents/skills")
    commands: tuple[str, str] = ("", "")
    instructions: str = "AGENTS.md"
    documents: tuple[str, ...] = ("AGENTS.md",)
    fallback: str = ""
    limit_bytes: int = 0
    limit_characters: int = 0
    mcp: tuple[str, str] = ("", "")
    found: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    note: str = ""
    hook_form: str = CLAUDE
    command_form: str = ""
    server_form: str = CLAUDE
    obstacles: tuple[Obstacle, ...] = ()
    aliases: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    variable_prefix: str = ""
    own_settings: tuple[str, ...] = ()
    session_variable: str = ""
    programs: tuple[str, ...] = ()
    fork_of: str = ""
    runs_hooks_of: str = ""
    instructions_setting: tuple[str, ...] = ()
    other_servers: tuple[str, str] = ("", "")
    documents_on_demand: tuple[str, ...] = ()
    memories: tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = ((), ())
    note_folders: tuple[str, ...] = ()
    agent_notes: str = ""
    shells: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    moved_by: tuple[Moved, ...] = ()
    agents_beside: bool = False
    starts_at_prompt: bool = False
    forgets_start: bool = False
