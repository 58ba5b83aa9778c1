"""Every hint of an error names a command that works as it is typed: gitmem's parser accepts it, and it runs."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from conftest import git

from gitmem.cli.commands import is_command, load_command, verbs_of
from gitmem.cli.parser import HelpRequest, parser_of
from gitmem.errors import GitmemError
from gitmem.memory import Memory

PACKAGE = Path(__file__).resolve().parents[2] / "gitmem"
# What a hint has in place of a value, and a value; without one, it is the key of a memory.
VALUES = {
    "CLIENTS": "claude-code",
    "_command": "sync",
    "noun": "task",
    "near[0]": "list",
    "nearest[0]": "codex",
    "SYNONYMS": "list",
    "count": "2",
    "args.plan": "2",
    "branch": "notes",
    "homes": "notes",
    "args.key": "task",
    "task.key": "task",
    "path": "notes.md",
    "PRIVATE": "private",
    "{has}": "private",
    "option": " --user",
    "display(": "notes.md",
    "git)": ".",
    "repository.top": ".",
    "store.entry": "api",
    "everywhere": "--global ",
    "entry.name": "api",
}
WORDS = {
    "KEY": "deploys", "NAME=PATH": "api=../api", "NAME": "auth", "PATH": "folder", "FILE": "notes.md", "DIR": "folder",
    "REV": "HEAD", "WORDS": "deploys", "TEXT": "text", "WHY": "over", "BRANCH": "notes", "COMMAND": "list",
    "CLIENT": "codex", "BASE": "a", "OURS": "b", "THEIRS": "c", "ANOTHER-KEY": "other",
}  # fmt: skip
# Where a sentence goes on after a command.
PROSE = re.compile(
    r" (?:also|and|asks?|deletes?|does|from|in|lists|on|or|pushes|removes?|replaces|retires?|shows?|to|until|with"
    r"|without|works?)\b"
)
# They wait for a client or a change until they are stopped.
SERVERS = {"mcp", "--watch"}


def texts_of(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression can have; a value within one is in braces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (
            str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part)}}}" for part in node.values
        )
        yield "".join(parts)
    elif isinstance(node, ast.IfExp):
        yield from texts_of(node.body)
        yield from texts_of(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from texts_of(value)


def hints() -> Iterator[tuple[str, str]]:
    """Yield every hint of the package, with its place."""
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if "hint" in source else ():
            found = [word.value for word in node.keywords if word.arg == "hint"] if isinstance(node, ast.Call) else []
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "hint" for t in node.targets):
                found.append(node.value)
            for value in found:
                for text in texts_of(value):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", text


def filled(text: str) -> str:
    """Return a hint with values in place of what stands for one."""

    def value(found: re.Match[str]) -> str:
        return next((word for part, word in VALUES.items() if part in found[0]), "deploys")

    text = re.sub(r"install \{[^ ]*name[^ ]*?\}+", "install codex", text)
    text = re.sub(r"\{(?:[^{}]|\{[^{}]*\})*\}", value, text)
    return re.sub(r"\b(?:NAME=PATH|[A-Z]+(?:-[A-Z]+)?)\b", lambda found: WORDS.get(found[0], found[0]), text)


@pytest.fixture(scope="module")
def commands() -> dict[str, str]:
    """Return each command of gitmem that a hint names, with the first place that does."""
    found: dict[str, str] = {}
    for place, text in hints():
        plain = re.sub(r"\"[^\"]*\"|'[^']*'", "text", filled(text)).replace(" …", " text")
        for start in re.finditer(r"(?<![\w/.-])(?<!update )(?<!let )gitmem (?=[a-z-])", plain):
            rest = re.split(r"[;\n?()]|, |: |,$| && | [|>] |…|\.\.\.|\.$", plain[start.end() :])[0]
            command = re.sub(r"\[(\w+)\]", r"\1", PROSE.split(rest)[0].replace("[OPTIONS]", "")).strip()
            found.setdefault(command, place)
    return found


def parse(words: list[str]) -> None:
    """Parse the words behind ``gitmem``, as it does itself; raises where they are wrong use."""
    while words[:1] == ["-C"]:
        words = words[2:]
    if words[0].startswith("--"):
        return
    name, *arguments = words
    assert is_command(name), f"there is no command {name}"
    verbs = verbs_of(name)
    if verbs and arguments and not arguments[0].startswith("-"):
        name, arguments = f"{name} {arguments[0]}", arguments[1:]
    with suppress(HelpRequest):
        parser_of(name, load_command(name)).parse(arguments)


def test_commands_of_all_hints_are_ones_that_gitmem_takes(commands: dict[str, str]) -> None:
    assert len(commands) > 80
    wrong = {}
    for command, place in commands.items():
        try:
            parse(shlex.split(command))
        except (GitmemError, AssertionError) as error:
            wrong[command] = f"{place}: {error}"

    assert wrong == {}


@pytest.mark.whole_system
def test_no_command_of_a_hint_is_a_bug_when_it_is_run(
    commands: dict[str, str], memory: Memory, repo: Path, tmp_path: Path, run_cli, monkeypatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # some install hooks in the person's own settings
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.setenv("GITMEM_BACKGROUND", "off")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO()))  # some read a text from it
    memory.remember("Deploys need the VPN", key="deploys")
    memory.tasks.add("Rotate the keys", key="task")
    memory.close()
    wrong = {}
    for command in commands:
        words = shlex.split(command)
        if SERVERS.isdisjoint(words) and words[:1] != ["-C"]:
            done = run_cli(*words)
            if done.status not in (0, 1, 2, 3) or "unexpected argument" in done.err or "unknown " in done.err:
                wrong[command] = (done.status, done.err)
        git(repo, "checkout", "-q", "-f", "HEAD", check=False)

    assert wrong == {}
