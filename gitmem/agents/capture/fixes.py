"""A command that failed, files that changed, and the same command passing: a candidate for a gotcha.

It says what failed, how, and what was changed; why, somebody has still to say: its confidence is low, and it goes away
on its own unless somebody does.
"""

from __future__ import annotations

import re

from gitmem.agents.capture import state
from gitmem.agents.capture.comments import program_of
from gitmem.agents.capture.shell import list_commands
from gitmem.agents.capture.source import place_of
from gitmem.frozen import frozen
from gitmem.text.secrets import find_secrets, safe_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.repository.repository import OpenRepository

# A session that fails at more things at once fails at one: the newest ones are kept.
FAILURES_AT_MOST = 5
# Candidates of one session; and the files of one: after more changes nothing says which of them it was.
CANDIDATES_AT_MOST = 5
FILES_AT_MOST = 8
COMMAND_LIMIT = 200
TAIL_LINES = 8
TAIL_LIMIT = 800
# D5, "file_index 30 days": what is captured unprompted of files that change.
TTL = "30d"
CONFIDENCE = 0.3

# What only prepares, and what fails without anything being wrong: nothing was found, nothing is there.
_PREPARES = frozenset(("cd", "export", "set", "source", ".", "pushd", "popd", "echo", "unset", "ulimit", "umask"))
_LOOKS = frozenset(
    (
        *("grep", "egrep", "fgrep", "rg", "ag", "ls", "cat", "find", "fd", "test", "[", "[[", "diff", "cmp", "which"),
        *("git", "sed", "awk", "head", "tail", "ps", "kill", "pkill", "curl", "wget", "sleep", "pgrep", "stat", "file"),
        *("true", "false", "exit", "read", "jq", "ssh", "scp", "gh", "bd", "beads", "gitmem", "rm", "mkdir", "cp"),
        *("mv", "chmod", "touch", "ln", "wc", "sort", "less", "more", "printf", "type", "pwd", "env", "man", "apt"),
    )
)
_SAYS = re.compile(
    r"error|fail|exception|panic|assert|cannot|can't|not found|no such|undefined|denied|expected|missing|invalid",
    re.IGNORECASE,
)
# "1 failed in 0.1s", "===== 2 errors =====": how many, and not what.
_SUMMARY = re.compile(r"[=\s]*(?:found )?\d+ \w+")
_STATUS = re.compile(r"(?:Command failed with )?exit (?:code|status):? \d+", re.IGNORECASE)


@frozen
class Fix:
    """What failed and then passed.

    Attributes:
        command: The command.
        tail: The last lines of how it failed.
        files: What was changed in between, sorted.
    """

    command: str
    tail: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the command and the line that says most of why it failed."""
        saying = [line for line in self.tail if _SAYS.search(line) and not _SUMMARY.match(line)]
        return f"{self.command} failed: {(saying or self.tail)[-1].strip()}"

    @property
    def body(self) -> str:
        """Return all of it."""
        lines = "\n".join(f"    {line}" for line in self.tail)
        return (
            f"`{self.command}` failed with\n\n{lines}\n\nand passed after changes of {', '.join(self.files)}.\n"
            "Captured automatically; the cause is not known yet."
        )


def command_of(line: str) -> str:
    """Return what a command line checks, in a form in which the same command is the same text; empty for no check.

    A pipe or ``||`` hides how a command ended, a variable which command it is: nothing is told of these.
    """
    lines: list[str] = []
    if line.rstrip().endswith("&"):
        return ""  # it went on behind, and ended later
    for command in list_commands(line):
        name, words = program_of(command.words)
        if command.joined in ("|", "||", "&") or (command.joined == ";" and lines):
            return ""
        if name in _PREPARES:
            continue
        if not name or name in _LOOKS or not all(word.is_known for word in words):
            return ""
        lines.append(" ".join([name, *(word.text for word in words)]))
    text = " && ".join(lines)
    is_plain = text.isprintable() and "`" not in text and len(text) <= COMMAND_LIMIT
    return text if is_plain and not find_secrets(text) else ""


def tail_of(output: str) -> list[str]:
    """Return the last lines of what a command printed that say something, without secrets and control characters."""
    lines = [line.rstrip() for line in safe_output(output, TAIL_LIMIT).splitlines()]
    return [line for line in lines if line.strip() and not _STATUS.fullmatch(line.strip())][-TAIL_LINES:]


def failed(event: Event, *, path: str) -> None:
    """Remember that a command failed."""
    command, tail = command_of(event.command), tail_of(event.output)
    if not command or not tail:
        return

    def note(kept: dict[str, Any]) -> None:
        failures = [one for one in _failures(kept) if one["command"] != command]
        # A command that fails again goes on failing: what was changed since the first time counts.
        before = [one for one in _failures(kept) if one["command"] == command]
        files = before[0]["files"] if before else []
        kept["failures"] = [*failures, {"command": command, "tail": tail, "files": files}][-FAILURES_AT_MOST:]

    state.change(path, note)


def edited(memory: OpenRepository, event: Event, *, path: str) -> None:
    """Remember what was changed after a command failed."""
    places = [place for place in (place_of(memory, event, edit.path) for edit in event.edits) if place]
    if not places:
        return

    def note(kept: dict[str, Any]) -> None:
        for failure in _failures(kept):
            failure["files"] = list(dict.fromkeys([*failure["files"], *places]))[: FILES_AT_MOST + 1]

    state.change(path, note)


def passed(event: Event, *, path: str) -> Fix | None:
    """Return what the passing of a command shows to have been repaired, and forget its failure; mostly None."""
    command = command_of(event.command)
    found: list[Fix] = []

    def note(kept: dict[str, Any]) -> None:
        for failure in [one for one in _failures(kept) if one["command"] == command]:
            kept["failures"].remove(failure)
            count = kept.get("told", 0)
            if 0 < len(failure["files"]) <= FILES_AT_MOST and count < CANDIDATES_AT_MOST:
                kept["told"] = count + 1
                found.append(Fix(command, tuple(failure["tail"]), tuple(sorted(failure["files"]))))

    if command:
        state.change(path, note)
    return found[0] if found else None


def _failures(kept: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """Return the failures of a session's state; none where it was damaged."""
    found = kept.get("failures")
    is_whole = isinstance(found, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("command"), str)
        and isinstance(one.get("tail"), list)
        and isinstance(one.get("files"), list)
        for one in found
    )
    if not is_whole:
        kept["failures"] = []
    return list(kept["failures"])
