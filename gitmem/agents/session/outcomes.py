"""The outcomes of a session's commands: which failed and then passed, which tests ran last and how. Pure."""

from __future__ import annotations

import re

from gitmem.agents.transcripts.turns import COMMAND, EDIT
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.agents.transcripts.turns import Turn

# Commands that fail without anything being wrong (a search without a match), and commands that only look. Of git, a
# rejected push does leave something to do.
LOOKS = frozenset(
    (
        *("grep", "egrep", "fgrep", "rg", "ag", "ls", "cat", "find", "fd", "test", "[", "[[", "diff", "cmp", "which"),
        *("sed", "awk", "head", "tail", "ps", "kill", "pkill", "pgrep", "sleep", "stat", "file", "true", "false", "wc"),
        *("echo", "printf", "pwd", "env", "man", "jq", "type", "read", "exit", "apply_patch", "gitmem", "timeout"),
    )
)
# Commands that run tests, as the manuals of each ecosystem write them.
_TESTS = re.compile(
    r"(?<![\w./-])(?:(?:[\w./-]{0,80}/)?(?:pytest|py\.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|playwright)"
    r"(?![\w.-])|python[\d.]* -m (?:pytest|unittest)|(?:npm|pnpm|yarn|bun)(?: run)? (?:run )?test|go test"
    r"|cargo (?:test|nextest)|(?:make|just|task) (?:check|test)s?"
    r"|mvn\b.{0,80}\b(?:test|verify)|(?:\./)?gradlew?\b.{0,80}\btest"
    r"|dotnet test|mix test|swift test|bazel test|deno test|rake test|bin/rails test|manage\.py test)"
)
_CHANGES_FOLDER = re.compile(r"\A\s*cd [^&;|\n]{1,300}?(?:&&|;)\s*")
# Filters that people add to see the end of an output; they hide the exit status.
_SHORTENED = re.compile(r"\s*(?:2>&1)?\s*\|\s*(?:tail|head|tee)\b[^|&;]{0,200}\Z")
_QUIET = re.compile(r"\s*2>&1\s*\Z")
_COUNTS = re.compile(r"[^\n]{0,100}\b\d{1,9} (?:passed|failed|failing|passing|tests?|errors?|ok)\b[^\n]{0,100}", re.I)
_SOME_FAILED = re.compile(r"\b[1-9]\d{0,8} (?:failed|failing|failures?|errors?)\b|^FAILED\b|^--- FAIL|^FAIL\b", re.M)
_SAYS = re.compile(r"error|fail|exception|panic|assert|cannot|can't|not found|no such|undefined|denied|invalid", re.I)
_FILES_AT_MOST = 3


@frozen
class CommandResult:
    """The result of one command over a session.

    Attributes:
        command: The command, without a leading ``cd`` and without filters of its output.
        failures: How often it failed.
        failed: Whether its last run failed.
        why: The most informative line of its last failure, or empty.
        between: The files changed between its last failure and the run that passed.
        counts: The test counts in its output, or empty.
        is_test: Whether it runs tests.
        was_fixed: Whether it failed and passed later.
    """

    command: str
    failures: int = 0
    failed: bool = False
    why: str = ""
    between: tuple[str, ...] = ()
    counts: str = ""
    is_test: bool = False
    was_fixed: bool = False


def follow(turns: Sequence[Turn]) -> list[CommandResult]:
    """Return the result of each command, ordered by its last run; commands that only look are left out."""
    results: dict[str, CommandResult] = {}
    changed: dict[str, list[str]] = {}
    for turn in turns:
        if turn.what == EDIT and not turn.failed:
            for files in changed.values():
                files += [name for name in turn.files if name not in files]
        if turn.what != COMMAND or turn.failed is None or not (command := plain(turn.text)):
            continue
        before = results.pop(command, CommandResult(command, is_test=is_test(command)))
        failed = turn.failed or (before.is_test and bool(_SOME_FAILED.search(turn.output)))
        results[command] = _next(before, turn.output, changed.pop(command, []), failed=failed)
        if failed:
            changed[command] = []
    return list(results.values())


def _next(before: CommandResult, output: str, changed: list[str], *, failed: bool) -> CommandResult:
    fixes = before.failed and not failed
    return CommandResult(
        before.command,
        failures=before.failures + failed,
        failed=failed,
        why=reason(output) if failed else before.why,
        between=tuple(changed[:_FILES_AT_MOST]) if fixes else before.between,
        counts=_last(_COUNTS, output) if before.is_test else "",
        is_test=before.is_test,
        was_fixed=before.was_fixed or fixes,
    )


def plain(command: str) -> str:
    """Return a command in a normal form, so that equal commands are equal texts; empty for one that only looks."""
    line = command.strip().split("\n", 1)[0]
    line = _CHANGES_FOLDER.sub("", line)
    line = " ".join(_QUIET.sub("", _SHORTENED.sub("", line)).split())
    words = [word for word in line.split() if "=" not in word.split("/")[0]] or [""]
    looks = words[0] in LOOKS or (words[0] == "git" and words[1:2] != ["push"])
    return "" if looks or len(line) < 3 else line


def is_test(command: str) -> bool:
    """Return whether a command runs tests."""
    return _TESTS.search(command) is not None


def reason(output: str) -> str:
    """Return the last line of an output that names an error; else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    lines = [line for line in lines if not re.fullmatch(r"(?:Process exited with code|Exit code:?) ?-?\d+", line, re.I)]
    return next((line for line in reversed(lines) if _SAYS.search(line)), lines[-1] if lines else "")


def _last(pattern: re.Pattern[str], text: str) -> str:
    matches = pattern.findall(text)
    return matches[-1].strip(" =\t") if matches else ""
