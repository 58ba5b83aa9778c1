"""Find claims that a command can be run: that a script, target or task is defined. Pure."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import COMMAND, Claim
from gitmem.commands.adopt.statements import CODE, SHELLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.statements import Statement

_TARGET = re.compile(r"^[A-Za-z_][\w:.\-/@]*$")
# The package managers' own commands. Source: the commands of npm 11, pnpm 11, yarn 4 and bun 1.
_OWN = frozenset({
    "install", "i", "ci", "add", "remove", "rm", "uninstall", "update", "up", "upgrade", "exec", "x", "dlx",
    "create", "init", "link", "unlink", "list", "ls", "ll", "outdated", "audit", "publish", "pack", "config",
    "cache", "why", "version", "login", "logout", "whoami", "view", "info", "dedupe", "prune", "rebuild", "import",
    "patch", "store", "env", "self-update", "root", "bin", "approve-builds", "workspace", "workspaces", "set",
    "plugin", "deploy", "fetch", "help", "setup", "pm", "changeset", "licenses", "query", "explain", "search",
    "repl", "node", "tsx", "tsc", "vitest", "jest", "eslint", "prettier", "turbo", "nx", "playwright", "biome",
    "wrangler", "prisma", "changeset-cli", "catalog",
})  # fmt: skip
_JS = frozenset({"npm", "pnpm", "yarn", "bun"})
_IMPLIED = frozenset({"test", "start", "stop", "restart", "t"})
_RUNNERS = {"make": "make", "gmake": "make", "just": "just", "task": "task", "poe": "poe", "tox": "tox", "nox": "nox",
            "mise": "mise", "invoke": "invoke", "inv": "invoke", "rake": "rake", "deno": "deno"}  # fmt: skip
# Options whose value is the next word.
_TAKES = frozenset({
    "-C", "--dir", "--filter", "-F", "--prefix", "-w", "--workspace", "--cwd", "-f", "--file", "-e", "-s", "--session",
    "--env", "-j", "--project", "-p", "--package", "--directory", "-d", "-t", "--taskfile", "--justfile",
})  # fmt: skip
# Tools whose `run` starts a command in an environment, and options of `run` whose value is the next word.
_ENVIRONMENTS = frozenset({"uv", "poetry", "pdm", "hatch", "rye", "pixi"})
_RUN_TAKES = frozenset({"--with", "--extra", "--group", "--python"})


def command_claims(statement: Statement) -> Iterator[Claim]:
    """Yield the scripts and targets that a statement presents as commands."""
    if statement.kind == CODE and statement.language in SHELLS:
        text = " ".join(line.rstrip("\\").strip() for line in statement.lines)
        yield from _line(re.sub(r"^(\$|>|%|PS>)\s+", "", text), statement.line)
    for span in statement.spans if statement.kind != CODE else ():
        if span.kind == "code" and " " in span.text:
            yield from _line(span.text, span.line)


def _line(text: str, line: int) -> Iterator[Claim]:
    text = re.sub(r"(^|\s)#\s.*$", "", text)
    for part in re.split(r"&&|\|\||;|\|", text):
        words = part.strip().strip("()").split()
        while words and (
            re.match(r"^[A-Z_][A-Z0-9_]*=", words[0]) or words[0] in ("sudo", "time", "nice", "env", "exec", "corepack")
        ):
            words.pop(0)
        if words[:1] and words[0] in _ENVIRONMENTS and words[1:2] == ["run"]:
            words = words[2:]
            while words and words[0].startswith("-"):
                words = words[2:] if words[0] in _TAKES | _RUN_TAKES else words[1:]
        if words:
            yield from _command(words, line)


def _command(words: list[str], line: int) -> Iterator[Claim]:
    tool = words[0].rpartition("/")[2] if words[0].startswith(".venv") else words[0]
    folder, rest = "", []
    at = 1
    while at < len(words):
        word = words[at]
        if word in _TAKES and at + 1 < len(words):
            folder = words[at + 1] if word in ("-C", "--dir", "--cwd", "--prefix", "--directory") else folder
            at += 2
            continue
        if word == "--":
            break
        if not word.startswith("-") and not re.match(r"^\w+=", word):
            rest.append(word)
        at += 1
    if tool in _JS:
        yield from _script(tool, rest, folder, line)
    elif tool in _RUNNERS:
        kind = _RUNNERS[tool]
        if kind == "deno":
            rest = rest[1:] if rest[:1] == ["task"] else []
        if kind == "mise":
            rest = rest[1:] if rest[:1] in (["run"], ["r"]) else []
        if kind in ("tox", "nox"):
            option = next(
                (words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-e", "-s", "--session")), ""
            )
            rest = [option] if option else []
        targets = rest if kind == "make" else rest[:1]
        for target in targets:
            if _TARGET.match(target) or re.match(r"^[\w.\-/]+$", target):
                yield Claim(COMMAND, line, f"{tool} {target}", target.rstrip("."), tool=kind, places=(folder,))


def _script(tool: str, rest: list[str], folder: str, line: int) -> Iterator[Claim]:
    has_run = rest[:1] in (["run"], ["run-script"])
    name = rest[1] if has_run and len(rest) > 1 else rest[0] if rest and not has_run else ""
    if not name or not _TARGET.match(name):
        return
    if name == "workspace" and len(rest) > 2:
        name = rest[2]
    is_own = name in _OWN or name.startswith("@")
    if not has_run and ((tool == "npm" and name not in _IMPLIED) or (tool == "bun" and name not in ("dev", "start"))):
        return
    shown = f"{tool} {'run ' if has_run else ''}{name}"
    yield Claim(COMMAND, line, shown, name, tool="script", is_certain=has_run or not is_own, places=(folder,))
