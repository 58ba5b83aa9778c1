"""A command that failed, files that changed, and the same command passing: a candidate for a gotcha.

The candidate says what failed, how, and what was changed, but not why. Its confidence is therefore low, and it expires
unless a person or an agent adds the cause.
"""

from __future__ import annotations

from gitmem.agents.capture import state
from gitmem.agents.capture.shell import list_commands, program_of
from gitmem.agents.capture.source import place_of
from gitmem.frozen import frozen
from gitmem.text.marker_words import REPAIRED
from gitmem.text.secrets import find_secrets, safe_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

# Failing commands that are remembered per session: the newest ones.
FAILURES_AT_MOST = 5
# The most candidates per session, and the most changed files per candidate: with more, the cause is unclear.
CANDIDATES_AT_MOST = 5
FILES_AT_MOST = 8
COMMAND_LIMIT = 200
TAIL_LINES = 8
TAIL_LIMIT = 800
# Agent Swarm, "file_index 30 days": the time to live of automatic captures about files that change.
TTL = "30d"
CONFIDENCE = 0.3

# Commands that only prepare something, or that fail without anything being wrong (a search without a match).
_PREPARES = frozenset(("cd", "export", "set", "source", ".", "pushd", "popd", "echo", "unset", "ulimit", "umask"))
_LOOKS = frozenset(
    (
        *("grep", "egrep", "fgrep", "rg", "ag", "ls", "cat", "find", "fd", "test", "[", "[[", "diff", "cmp", "which"),
        *("git", "sed", "awk", "head", "tail", "ps", "kill", "pkill", "curl", "wget", "sleep", "pgrep", "stat", "file"),
        *("true", "false", "exit", "read", "jq", "ssh", "scp", "gh", "bd", "beads", "gitmem", "rm", "mkdir", "cp"),
        *("mv", "chmod", "touch", "ln", "wc", "sort", "less", "more", "printf", "type", "pwd", "env", "man", "apt"),
    )
)
# Words of a line that says what failed.
_SAYS = (
    *("error", "fail", "exception", "panic", "assert", "cannot", "can't", "not found", "no such", "undefined"),
    *("denied", "expected", "missing", "invalid"),
)
# How programs and clients name an exit status, before its number.
_STATUSES = tuple(f"{start}exit {name}" for start in ("", "command failed with ") for name in ("code", "status"))


@frozen
class Fix:
    """A command that failed and then passed.

    Attributes:
        command: The command.
        tail: The last lines of its failing output.
        files: The files changed in between, sorted.
    """

    command: str
    tail: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the command and the most informative line of its failure."""
        saying = [line for line in self.tail if _says(line) and not _is_count(line)]
        return f"{self.command} failed: {(saying or self.tail)[-1].strip()}"

    @property
    def body(self) -> str:
        """Return the command, the end of its output and the changed files."""
        lines = "\n".join(f"    {line}" for line in self.tail)
        return (
            f"`{self.command}` failed with\n\n{lines}\n\n{REPAIRED} {', '.join(self.files)}.\n"
            "Captured automatically; the cause is not known yet."
        )


def command_of(line: str) -> str:
    """Return a command line in a normal form, equal for equal checks; empty if it is not a check.

    Command lines with a pipe or ``||`` (which hide the exit status) or a variable (which hides the command) are left
    out.
    """
    lines: list[str] = []
    if line.rstrip().endswith("&"):
        return ""  # It went on in the background and ended later.
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
    """Return the last informative lines of a command's output, without secrets and control characters."""
    lines = [line.rstrip() for line in safe_output(output, TAIL_LIMIT).splitlines()]
    return [line for line in lines if line.strip() and not _is_status(line)][-TAIL_LINES:]


def _says(line: str) -> bool:
    lowered = line.lower()
    return any(word in lowered for word in _SAYS)


def _is_count(line: str) -> bool:
    """Return whether a line begins with a count, without a cause: "1 failed in 0.1s", "===== 2 errors ====="."""
    number, _, rest = line.lstrip("= \t").lower().removeprefix("found ").partition(" ")
    return number.isdecimal() and (rest[:1].isalnum() or rest[:1] == "_")


def _is_status(line: str) -> bool:
    """Return whether a line is only an exit status: "Exit code 1", "Command failed with exit status: 2"."""
    start, _, number = line.strip().lower().rpartition(" ")
    return number.isdecimal() and start.removesuffix(":") in _STATUSES


def remember_failure(event: Event, *, path: str) -> None:
    """Remember that a command failed."""
    command, tail = command_of(event.command), tail_of(event.output)
    if not command or not tail:
        return

    def note(kept: dict[str, Any]) -> None:
        failures = [failure for failure in _failures(kept) if failure["command"] != command]
        # If a command fails again, changes since its first failure count.
        before = [failure for failure in _failures(kept) if failure["command"] == command]
        files = before[0]["files"] if before else []
        kept["failures"] = [*failures, {"command": command, "tail": tail, "files": files}][-FAILURES_AT_MOST:]

    state.change(path, note)


def remember_edit(repository: OpenRepository, event: Event, *, path: str) -> None:
    """Remember what was changed after a command failed."""
    places = [place for place in (place_of(repository, event, edit.path) for edit in event.edits) if place]
    if not places:
        return

    def note(kept: dict[str, Any]) -> None:
        for failure in _failures(kept):
            failure["files"] = list(dict.fromkeys([*failure["files"], *places]))[: FILES_AT_MOST + 1]

    state.change(path, note)


def find_fix(event: Event, *, path: str) -> Fix | None:
    """Return the fix that a passing command shows, and forget its failure; mostly None."""
    command = command_of(event.command)
    fixes: list[Fix] = []

    def note(kept: dict[str, Any]) -> None:
        for failure in [failure for failure in _failures(kept) if failure["command"] == command]:
            kept["failures"].remove(failure)
            count = kept.get("told", 0)
            if 0 < len(failure["files"]) <= FILES_AT_MOST and count < CANDIDATES_AT_MOST:
                kept["told"] = count + 1
                fixes.append(Fix(command, tuple(failure["tail"]), tuple(sorted(failure["files"]))))

    if command:
        state.change(path, note)
    return fixes[0] if fixes else None


def _failures(kept: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """Return the failures in a session's state; none if it is damaged."""
    failures = kept.get("failures")
    is_whole = isinstance(failures, list) and all(
        isinstance(failure, dict)
        and isinstance(failure.get("command"), str)
        and isinstance(failure.get("tail"), list)
        and isinstance(failure.get("files"), list)
        for failure in failures
    )
    if not is_whole:
        kept["failures"] = []
    return list(kept["failures"])
