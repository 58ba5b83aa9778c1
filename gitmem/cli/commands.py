"""The commands: one table, from which the command line, the help and completions are made."""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


# Name: (group, description in one line). The module has the command's name; a noun is a package with a module for each
# verb, and the noun without a verb does what most users want.
COMMANDS: dict[str, tuple[str, str]] = {
    "adopt": ("start", "check what AGENTS.md, README and other documents say about the code"),
    "init": ("start", "create a memory in this repository, or join its remote's"),
    "remember": ("write", "record something you learned"),
    "fact": ("write", "record a fact with a check that proves it"),
    "edit": ("write", "change a memory, with options or in your editor"),
    "supersede": ("write", "replace one memory by another"),
    "promote": ("write", "share a memory with more readers"),
    "forget": ("write", "retire memories; they stay in the archive"),
    "restore": ("write", "restore memories from the archive"),
    "inject": ("write", "send a learning to one worker, or to all"),
    "task": ("work", "manage tasks: add, claim, close, list, ready, tree"),
    "task add": ("work", "add a task: something that should become true"),
    "task claim": ("work", "start an attempt, and show earlier ones"),
    "task close": ("work", "close a task if its check holds, or end a failed attempt"),
    "task release": ("work", "give up a task that you claimed"),
    "task list": ("work", "list tasks by state, parent or holder"),
    "task show": ("work", "show one task in full, with its attempts"),
    "task ready": ("work", "list tasks that you can start now"),
    "task tree": ("work", "show how tasks depend on each other"),
    "session": ("work", "manage agent sessions: status, use, note, evidence, summarize, wipe, archive, off, log"),
    "session status": ("work", "show the active topic, or another one"),
    "session use": ("work", "set the active topic"),
    "session note": ("work", "add to the topic's specification"),
    "session summarize": ("work", "write the summary of a session now"),
    "session evidence": ("work", "record evidence, with references"),
    "session wipe": ("work", "delete the topic"),
    "session archive": ("work", "archive the topic, to be read later"),
    "session off": ("work", "show agents nothing"),
    "session log": ("work", "show what a session was given"),
    "recall": ("read", "find memories that answer a question"),
    "similar": ("read", "find memories about the same subject"),
    "context": ("read", "print a digest for a session, within a token budget"),
    "browse": ("read", "search, read and decide in a full-screen program"),
    "show": ("read", "show one memory in full, with its verdict"),
    "list": ("read", "list memories by kind, status or tag"),
    "export": ("read", "export memories as JSONL or as a folder of Markdown"),
    "log": ("read", "show the history of a memory and its verdicts"),
    "status": ("read", "show counts, failures, and commands waiting for approval"),
    "report": ("read", "write a web page with all memories: what holds, what failed and why"),
    "badge": ("plumbing", "draw a badge with the state of the facts, for a README"),
    "stats": ("read", "show growth, age, hit rate, and the share of memories in use"),
    "metrics": ("plumbing", "print metrics for Prometheus, as OpenMetrics text"),
    "verify": ("prove", "run the checks that are due, and mark facts that no longer hold"),
    "check": ("prove", "show which facts a branch or pull request makes false"),
    "review": ("prove", "explain a change to the memory, before it is merged"),
    "why": ("prove", "find the commit that broke a fact"),
    "settle": ("prove", "decide what to do about a failure"),
    "trust": ("prove", "approve commands, list or print approvals"),
    "untrust": ("prove", "revoke approvals"),
    "sync": ("share", "fetch the remote's memories, merge them with yours, and push"),
    "propose": ("share", "put a change to the memory on a branch for a pull request"),
    "stores": ("share", "manage other repositories that are read here: list, add, remove"),
    "stores list": ("share", "list them, with any problems"),
    "stores add": ("share", "add a repository"),
    "stores remove": ("share", "remove a repository from the list"),
    "hub": ("share", "manage a hub, which collects the memories of many repositories"),
    "hub init": ("share", "create the hub's tables in PostgreSQL, or bring them up to date"),
    "hub add": ("share", "add repositories, or change who may read them"),
    "hub ask": ("share", "send saved questions to a hub, and show how their answers change"),
    "hub list": ("share", "list its repositories, with any problems"),
    "hub remove": ("share", "remove repositories from the hub"),
    "hub rebuild": ("share", "delete all memories of the hub, and read every repository again"),
    "hub serve": ("share", "serve searches across the hub's repositories over HTTP"),
    "hub status": ("share", "show how much the hub has, and why repositories cannot be read"),
    "hub sync": ("share", "fetch the memory branches that changed, and store what changed"),
    "hub work": ("share", "verify the hub's repositories, as jobs of a queue"),
    "hub verify": ("share", "queue repositories for verification by hub work"),
    "mcp": ("plumbing", "serve the memory to agents over the Model Context Protocol"),
    "merge": ("plumbing", "merge the file of one memory: a merge driver for git"),
    "policy": ("care", "show or change the settings of the store: show, set, edit"),
    "policy show": ("care", "show what it changes, a setting, or every setting"),
    "policy set": ("care", "change one setting"),
    "policy edit": ("care", "change it in your editor"),
    "embed": ("care", "manage vectors, which find memories by meaning: setup, status, rebuild"),
    "embed setup": ("care", "list the embedding models for this machine, or choose one"),
    "embed status": ("care", "show the model, and which memories have vectors"),
    "embed rebuild": ("care", "embed memories that have no vectors, and remove unused ones"),
    "curate": ("care", "clean up the store: near duplicates, unread and expired memories"),
    "curate dedupe": ("care", "list near duplicates, or supersede them with --apply"),
    "curate decay": ("care", "list unread memories, or halve their confidence"),
    "curate contradictions": ("care", "list memories that contradict each other"),
    "curate expired": ("care", "list expired memories, or archive them with --apply"),
    "curate archive": ("care", "list memories to archive, or archive them with --apply"),
    "curate refs": ("care", "list references to lines that moved or changed"),
    "undo": ("care", "undo the last command that changed memories"),
    "purge": ("care", "remove a memory or a secret from the history, for good"),
    "view": ("care", "show the memory as files in a folder, .memory/"),
    "save": ("care", "commit your changes in that folder"),
    "index": ("plumbing", "update the search index"),
    "install": ("care", "connect gitmem to coding agents, git, this machine's scheduler or GitHub"),
    "uninstall": ("care", "remove what install wrote"),
    "doctor": ("care", "check that the store is well formed, and repair it"),
    "completion": ("care", "print or install the completion script of your shell"),
    "help": ("care", "show help on a command or a topic"),
}


# The commands of a first week, shown by `gitmem` alone.
FIRST_WEEK = (
    *("init", "remember", "fact", "recall", "list", "show", "verify", "status", "why", "settle", "trust", "sync"),
)

# Commands that print memories only, whose secrets the catalog has replaced; loading the rules takes 4 ms (measured).
REDACTED = ("list", "recall", "task list", "task ready")

# Commands that programs call: the shims of git's hooks, its diffs, and commands that start background jobs.
HIDDEN = ("background", "complete", "hook", "textconv")

GROUPS = {
    "start": "Start",
    "write": "Write",
    "work": "Tasks, sessions and boards",
    "read": "Read",
    "prove": "Prove",
    "share": "Share",
    "care": "Maintain",
    "plumbing": "Plumbing, for programs and CI",
}


def load_command(name: str) -> ModuleType:
    """Load the module of one command; hyphens become underscores."""
    noun, _, verb = name.partition(" ")
    if not _is_own(name) and (folder := _added(noun).modules.get(noun)):
        module = f"{folder}.{verb.replace('-', '_')}" if verb else folder
    else:
        module = f"gitmem.cli.{name.replace(' ', '.').replace('-', '_')}"
    # ``importlib`` takes 0.9 ms (measured), and every command calls this.
    found: ModuleType = __import__(module, fromlist=("run",))
    return found


def verbs_of(name: str) -> dict[str, str]:
    """Return the verbs of a noun with descriptions; empty for a command without verbs."""
    table = COMMANDS if _is_own(name) else _added(name).commands
    return {full[len(name) + 1 :]: about for full, (_, about) in table.items() if full.startswith(f"{name} ")}


def is_command(name: str) -> bool:
    """Return whether there is such a command, noun or verb of a noun, here or in a plug-in."""
    return _is_own(name) or name in _added(name.partition(" ")[0]).commands


def _is_own(name: str) -> bool:
    return name in COMMANDS or name in HIDDEN


def all_commands() -> dict[str, tuple[str, str]]:
    """Return group and description of all commands and verbs, those of plug-ins after our own."""
    return COMMANDS | _added().commands


def plugin_problems() -> tuple[str, ...]:
    """Return why plug-ins could not be loaded, a sentence each."""
    return _added().problems


@frozen
class _Added:
    commands: dict[str, tuple[str, str]]
    modules: dict[str, str]
    problems: tuple[str, ...]


_plugins: dict[bool, _Added] = {}


def _added(noun: str = "") -> _Added:
    """Return what plug-ins add; only gitmem's own if one has the noun, since finding those of packages takes 25 ms."""
    if noun and noun in _added_by(only_own=True).modules:
        return _added_by(only_own=True)
    return _added_by(only_own=False)


def _added_by(*, only_own: bool) -> _Added:
    if only_own not in _plugins:
        from gitmem.cli.plugins import find_plugins

        plugins = find_plugins(only_own=only_own)
        commands: dict[str, tuple[str, str]] = {}
        modules: dict[str, str] = {}
        for plugin in plugins.modules.values():
            own = {*COMMANDS, *commands}
            commands |= {name: row for name, row in plugin.COMMANDS.items() if name.partition(" ")[0] not in own}
            modules |= {name: path for name, path in plugin.MODULES.items() if name not in own}
        _plugins[only_own] = _Added(commands, modules, plugins.problems)
    return _plugins[only_own]
