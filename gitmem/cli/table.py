"""The table of commands: what each is for, and which module has it. Only the module that is asked for is loaded."""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

# Name: (group, what it does in one line). The module has the command's name; a noun is a package, its verbs are modules
# of it, and the noun alone is what most people want of it.
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("start", "start a memory in this repository, or join the one of its remote"),
    "remember": ("write", "write down what was learnt"),
    "fact": ("write", "write down a fact with the command that proves it"),
    "edit": ("write", "change a memory, by options or in your editor"),
    "supersede": ("write", "let one memory take the place of another"),
    "promote": ("write", "pass a memory on to more readers"),
    "forget": ("write", "retire memories; they stay in the archive"),
    "restore": ("write", "bring back what was forgotten or rotated"),
    "import": ("write", "take memories over from JSONL or Markdown, in one commit"),
    "decide": ("write", "write down what was decided, and why"),
    "post-work": ("write", "write down what was built, with the lines of code"),
    "inject": ("write", "pass a learning on to one worker, or to all"),
    "task": ("work", "what is to be done: add, claim, close, list, ready, tree"),
    "task add": ("work", "write down what should become true"),
    "task claim": ("work", "start an attempt; shows the past ones"),
    "task close": ("work", "close it behind its gate, or end an attempt that failed"),
    "task release": ("work", "give it back"),
    "task list": ("work", "tasks by state, parent, holder"),
    "task show": ("work", "one task, whole, with its attempts"),
    "task ready": ("work", "what can be begun now"),
    "task tree": ("work", "how tasks hang together"),
    "session": ("work", "what an agent works on: status, use, note, evidence, wipe, archive, off, log"),
    "session status": ("work", "the active topic, or another one"),
    "session use": ("work", "name what you work on"),
    "session note": ("work", "add to its specification"),
    "session evidence": ("work", "what was found, and where it can be seen"),
    "session wipe": ("work", "remove it"),
    "session archive": ("work", "put it away, to be read later"),
    "session off": ("work", "tell agents nothing"),
    "session log": ("work", "what a session was shown"),
    "recall": ("read", "find memories for a question"),
    "similar": ("read", "memories about the same as one"),
    "pre-work": ("read", "what matters before a work begins: failures, decisions, patterns"),
    "decisions": ("read", "what was decided: for a question, a role, a story"),
    "context": ("read", "the digest for a session, within a token budget"),
    "show": ("read", "one memory, whole, with its verdict"),
    "list": ("read", "memories by kind, status, tag"),
    "export": ("read", "memories as JSONL or as a folder of Markdown"),
    "log": ("read", "the history of a memory and of its verdicts"),
    "status": ("read", "counts, failures, and what waits for approval"),
    "report": ("read", "a web page of what holds, what failed and why, and all memories"),
    "badge": ("read", "a picture of how the facts stand, for a README"),
    "metrics": ("read", "numbers for Prometheus, as OpenMetrics text"),
    "verify": ("prove", "run the checks that are due and mark what no longer holds"),
    "check": ("prove", "which facts a branch or pull request makes false, before it merges"),
    "review": ("prove", "what a change of the memory means, before it is taken in"),
    "why": ("prove", "find the commit that broke a fact, with the fact's own check"),
    "settle": ("prove", "decide what to do about a failure"),
    "trust": ("prove", "approve commands, list or print approvals"),
    "untrust": ("prove", "take approvals back"),
    "sync": ("share", "bring in what others wrote, merge it by meaning, and send what is here"),
    "propose": ("share", "put a change of memory on a branch for a pull request"),
    "stores": ("share", "other repositories whose memories are read here: list, add, remove"),
    "stores list": ("share", "those that are listed, and what is wrong with one"),
    "stores add": ("share", "list a repository"),
    "stores remove": ("share", "take one off the list"),
    "forge": ("share", "tell GitHub: one comment on a pull request, one issue, a pull request of memory"),
    "forge comment": ("share", "keep one comment on a pull request up to date"),
    "forge issue": ("share", "keep one issue that lists what fails now"),
    "forge pull": ("share", "find or open the pull request of a branch"),
    "mcp": ("share", "serve the memory to agents by the Model Context Protocol"),
    "merge": ("share", "merge the file of one memory: a merge driver for git"),
    "embed": ("care", "find by meaning, too: how the vectors stand, rebuild"),
    "embed status": ("care", "which model embeds, and what has vectors"),
    "embed rebuild": ("care", "embed what has none, and remove what is of no use"),
    "curate": ("care", "find what is said twice, and supersede it"),
    "curate dedupe": ("care", "memories that say nearly the same: propose, or supersede"),
    "view": ("care", "show the memory as files in a folder, .memory/"),
    "save": ("care", "commit what you wrote in that folder"),
    "index": ("care", "bring the search index up to date"),
    "install": ("care", "let coding agents, git, this machine's scheduler or GitHub call gitmem"),
    "uninstall": ("care", "take that away again"),
    "doctor": ("care", "check that the store is well formed, and repair it"),
    "completion": ("care", "print a completion script for your shell"),
}
# What programs call and nobody types: the shims of git's hooks, its diffs, and commands that leave work behind them.
HIDDEN = ("background", "hook", "textconv")
# The events of git and pre-commit that `hook` knows. Any other word is the name of a harness: a misspelled one must not
# end with a status of 2, which stops an agent's turn.
GIT_EVENTS = ("post-commit", "post-rewrite", "post-checkout", "post-merge", "doctor", "index", "check", "learned")
GROUPS = {
    "start": "Start",
    "write": "Write",
    "work": "Tasks and sessions",
    "read": "Read",
    "prove": "Prove",
    "share": "Share",
    "care": "Look after it",
}


def load(name: str) -> ModuleType:
    """Load the module of one command; there, a hyphen is an underscore, and a word of Python has one at its end."""
    return import_module(f"gitmem.cli.{name.replace(' ', '.').replace('-', '_')}{'_' * iskeyword(name)}")


def is_harness(word: str) -> bool:
    """Tell whether a word behind ``hook`` names a harness, or should."""
    return word not in GIT_EVENTS and not word.startswith("-")


def verbs_of(name: str) -> dict[str, str]:
    """Return the verbs of a noun with what they do; empty for a command that has none."""
    return {full[len(name) + 1 :]: about for full, (_, about) in COMMANDS.items() if full.startswith(f"{name} ")}


def top() -> list[str]:
    """Return the commands and nouns, without the verbs of nouns."""
    return [name for name in COMMANDS if " " not in name]


def overview() -> str:
    """Return the text of ``gitmem --help``."""
    lines = [
        "usage: gitmem [-C DIR] COMMAND [ARGUMENTS]",
        "",
        "Git-native memory: what a repository's people and agents know, as files on a branch,",
        "and proof of what still holds.",
    ]
    for group, heading in GROUPS.items():
        lines += ["", f"{heading}:"]
        lines += [f"  {name:<12}{about}" for name, (of, about) in COMMANDS.items() if of == group and " " not in name]
    lines += [
        "",
        "examples:",
        '  gitmem remember "The gateway drops requests without a trace id"',
        '  gitmem fact "Tokens are signed with RS256" --contains RS256 --in src/auth/jwt.py',
        "  gitmem verify",
        "  gitmem recall how are tokens signed",
        "",
        "gitmem COMMAND --help tells more; `git mem COMMAND` does the same.",
        "",
    ]
    return "\n".join(lines)
