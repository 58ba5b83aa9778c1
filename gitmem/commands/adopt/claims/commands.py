"""Find the commands in a statement, and claims that they can be run: that a script, target or task is defined. Pure."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import COMMAND, Claim
from gitmem.commands.adopt.statements import CODE, PROMPT, SHELLS
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
# The scripts that npm runs without `run`, and their short names. Source: the commands of npm 11 and pnpm 11.
_IMPLIED = frozenset({"test", "start", "stop", "restart"})
_SHORT = {"t": "test", "tst": "test"}
_RUNNERS = {"make": "make", "gmake": "make", "just": "just", "task": "task", "poe": "poe", "tox": "tox", "nox": "nox",
            "mise": "mise", "invoke": "invoke", "inv": "invoke", "rake": "rake", "deno": "deno",
            "turbo": "turbo", "cargo": "cargo", "composer": "composer", "mix": "mix", "pio": "pio",
            "platformio": "pio"}  # fmt: skip
_OF_PYTHON = re.compile(r"(?:py|pypy|cpython)[\d.]*t?")
# What precedes the name of a target, where something does.
_SUBCOMMANDS = {"deno": ("task",), "mise": ("run", "r"), "turbo": ("run",), "composer": ("run", "run-script")}
# Runners whose other commands are their own, or of plugins and gems; only `run` makes a target of them for certain.
_LOOSE = frozenset({"turbo", "cargo", "composer", "mix", "rake", "entry", "nx"})
# A file that `bun run` runs, as `node` does.
_CODE_FILE = re.compile(r"\.[cm]?[jt]sx?$")
_RUN = (["run"], ["run-script"])
# The commands of cargo 1.90 and composer 2.8.
_COMMANDS = {
    "cargo": frozenset({
        "add", "b", "bench", "build", "c", "check", "clean", "clippy", "d", "doc", "fetch", "fix", "fmt",
        "generate-lockfile", "info", "init", "install", "locate-project", "login", "metadata", "miri", "new",
        "owner", "package", "pkgid", "publish", "r", "remove", "report", "run", "rustc", "rustdoc", "search", "t",
        "test", "tree", "uninstall", "update", "vendor", "version", "yank",
    }),
    "composer": frozenset({
        "about", "archive", "audit", "browse", "bump", "check-platform-reqs", "clear-cache", "config",
        "create-project", "depends", "diagnose", "dump-autoload", "exec", "fund", "global", "help", "init",
        "install", "licenses", "list", "outdated", "prohibits", "reinstall", "remove", "require", "search",
        "self-update", "show", "status", "suggests", "update", "validate",
    }),
}  # fmt: skip
# Commands of nx that take no name of a project. Source: `nx --help`, 22.
_NX_OWN = frozenset({
    "affected", "run-many", "graph", "migrate", "generate", "g", "reset", "show", "init", "add", "sync",
    "format:check", "format:write", "release", "repair", "report", "list", "connect", "watch",
})  # fmt: skip
# Options whose value is the next word.
_TAKES = frozenset({
    "-C", "--dir", "--filter", "-F", "--prefix", "-w", "--workspace", "--cwd", "-f", "--file", "-e", "-s", "--session",
    "--env", "-j", "--project", "-p", "--package", "--directory", "-d", "-t", "--taskfile", "--justfile",
})  # fmt: skip
# Tools whose `run` starts a command in an environment, and options of `run` whose value is the next word.
_ENVIRONMENTS = frozenset({"uv", "poetry", "pdm", "hatch", "rye", "pixi"})
_RUN_TAKES = frozenset({"--with", "--extra", "--group", "--only-group", "--python"})
# A folder in a sentence, and what may be between it and the command that is run in it.
_FOLDER = re.compile(
    r"\b(?:from|in|inside|within) (?:the )?`(?:\./)?(?P<folder>[\w.@-]{1,80}(?:/[\w.@-]{1,80}){0,9})"
    r"(?:/`|`(?= (?:directory|folder)\b))",
    re.I,
)
_AFTER = re.compile(r",? \(?(?:run )?")
_BEFORE_COMMAND = re.compile(r"(?: directory| folder)?[,:]? (?:you can )?(?:run|execute|use|call)(?: with)?:? ")
# Words that may precede a command.
_PREFIXES = frozenset({"sudo", "time", "nice", "env", "exec", "corepack"})


@frozen
class Command:
    """A command that a statement shows.

    Attributes:
        words: Its words, without the environment, `sudo` and the like before it.
        line: Its line, from 1.
        folder: Where it runs after `cd`, relative to where the reader is; empty without one.
        runner: The words before it that run it in an environment, such as `uv run --package web`; empty without.
    """

    words: tuple[str, ...]
    line: int
    folder: str = ""
    runner: tuple[str, ...] = ()


def command_claims(statement: Statement) -> Iterator[Claim]:
    """Yield the scripts and targets that a statement presents as commands."""
    for command in list_commands(statement):
        yield from _command(command)


@lru_cache(maxsize=8)  # ten kinds of claims read the commands of each statement
def list_commands(statement: Statement) -> Sequence[Command]:
    """Return the commands in a code block for a shell, and those in code spans of more than one word."""
    return tuple(_commands(statement))


def _commands(statement: Statement) -> Iterator[Command]:
    if statement.kind == CODE and statement.language in SHELLS:
        text = " ".join(line.rstrip("\\").strip() for line in statement.lines)
        yield from _line(re.sub(r"^(?:>|%|PS>)\s+", "", PROMPT.sub("", text)), statement.line)
    for span in statement.spans if statement.kind != CODE else ():
        if span.kind == "code" and " " in span.text:
            yield from _line(span.text, span.line, _folder_of(span.text, statement.text))


def _folder_of(command: str, text: str) -> str:
    """Return the folder that a sentence says to run a command in: "`bun run sync` (from `web/app/`)"; else empty."""
    start = text.find(f"`{command}`")
    end = start + len(command) + 2
    for match in _FOLDER.finditer(text) if start >= 0 else ():
        after, before = text[end : match.start()], text[match.end() : start]
        if (end <= match.start() and _AFTER.fullmatch(after)) or (
            match.end() <= start and _BEFORE_COMMAND.fullmatch(before)
        ):
            return str(match["folder"])
    return ""


def _line(text: str, line: int, folder: str = "") -> Iterator[Command]:
    text = re.sub(r"(^|\s)#\s.*$", "", text)
    for part in re.split(r"&&|\|\||;|\||\s/\s", text):
        words = part.strip().strip("()").split()
        while words and (re.match(r"^[A-Z_][A-Z0-9_]*=", words[0]) or words[0] in _PREFIXES):
            words.pop(0)
        runner: list[str] = []
        if words[:1] and words[0] in _ENVIRONMENTS and words[1:2] == ["run"]:
            at = 2
            while at < len(words) and words[at].startswith("-"):
                at += 2 if words[at] in _TAKES | _RUN_TAKES else 1
            runner, words = words[:at], words[at:]
        if len(words) == 2 and words[0] in ("cd", "pushd"):
            folder = posixpath.normpath(posixpath.join(folder, words[1].strip("\"'")))
        elif words:
            yield Command(tuple(words), line, folder, tuple(runner))


def _command(command: Command) -> Iterator[Claim]:
    words = command.words
    tool = words[0].rpartition("/")[2] if words[0].startswith(".venv") else words[0]
    folder, rest = _arguments(command)
    if tool in _JS:
        yield from _script(tool, rest, (folder, *_member(words)), command.line)
        return
    if (named := nx_target(words)) is not None:
        project, target = named
        token = " ".join(words[-2:])
        yield Claim(COMMAND, command.line, token, target, is_certain=False, tool="nx", places=(folder, project))
        return
    kind, shown = _RUNNERS.get(tool, ""), tool
    if not kind and command.runner:  # `uv run NAME`
        kind, shown, rest = "entry", " ".join(command.runner[:2]), [tool]
    is_certain = kind not in _LOOSE or (kind in _SUBCOMMANDS and rest[:1] in _RUN)
    for target in _targets(kind, rest, words):
        if _TARGET.match(target) or re.match(r"^[\w.\-/]+$", target):
            name = target.rstrip(".")
            yield Claim(
                COMMAND, command.line, f"{shown} {target}", name, is_certain=is_certain, tool=kind, places=(folder,)
            )


def _arguments(command: Command) -> tuple[str, list[str]]:
    """Return the folder that a command is run in, and its words that are neither options nor their values."""
    words, folder = command.words, command.folder
    rest = []
    at = 1
    while at < len(words) and words[at] != "--":
        word = words[at]
        if word in _TAKES and at + 1 < len(words):
            if word in ("-C", "--dir", "--cwd", "--prefix", "--directory"):
                folder = posixpath.normpath(posixpath.join(folder, words[at + 1]))
            at += 1
        elif not word.startswith("-") and not re.match(r"^\w+=", word):
            rest.append(word)
        at += 1
    return folder, rest


def nx_target(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the project and target of ``nx TARGET PROJECT`` or ``nx run PROJECT:TARGET``; None without them."""
    at = next((at for at, word in enumerate(words[:2]) if word == "nx"), -1)
    rest = [word for word in words[at + 1 :] if not word.startswith("-")] if at >= 0 else []
    if len(rest) != 2 or len(rest) != len(words) - at - 1:
        return None
    if rest[0] == "run":
        project, _, target = rest[1].partition(":")
        return (project, target.partition(":")[0]) if target else None
    return (rest[1], rest[0]) if rest[0] not in _NX_OWN else None


def _targets(kind: str, rest: list[str], words: Sequence[str]) -> list[str]:
    """Return the targets in the arguments of a runner."""
    if kind in ("tox", "nox"):
        named = next(iter(option_values(words, "-e", "-s", "--session")), "")
        # tox makes an environment for each Python by itself.
        return [part for part in named.split(",") if part and not (kind == "tox" and _OF_PYTHON.fullmatch(part))]
    if kind == "pio":  # an environment for each `-e`; without one, all
        return option_values(words, "-e", "--environment")
    if kind in ("", "make"):
        return rest if kind else []
    first = rest[0] if rest else ""
    if first in _SUBCOMMANDS.get(kind, ()):
        return rest[1:] if kind == "turbo" else rest[1:2]
    is_own = kind in ("deno", "mise") or first in _COMMANDS.get(kind, ()) or first.startswith("+")
    is_file = kind == "entry" and "." in first
    return [] if is_own or is_file else rest[:1]


def option_values(words: Sequence[str], *options: str) -> list[str]:
    """Return the values of options, in each form: ``-e A``, ``-eA``, ``--session A`` and ``--session=A``."""
    found: list[str] = []
    for at, word in enumerate(words[1:], 1):
        name, sign, value = word.partition("=")
        if word in options:
            found += words[at + 1 : at + 2]
        elif sign and name in options and name.startswith("--"):
            found.append(value)
        elif word[:2] in options and word[1:2] != "-":
            found.append(word[2:])
    return found


def _member(words: Sequence[str]) -> list[str]:
    """Return the package that a script is run in: of `--filter NAME`, `-w NAME` or `yarn workspace NAME`."""
    named = [
        value if sign else words[at + 1]
        for at, (option, sign, value) in enumerate(word.partition("=") for word in words)
        if option in ("--filter", "-F", "-w", "--workspace") and (sign or at + 1 < len(words))
    ]
    if words[0] == "pnpm":  # `pnpm -w` is the root of the workspace
        named = [] if "-w" in words else named
    if words[:2] == ("yarn", "workspace"):
        named = list(words[2:3])
    return named if len(named) == 1 and re.match(r"^@?[A-Za-z][\w.-]*(?:/[\w.-]+)?$", named[0]) else []


def _script(tool: str, rest: list[str], places: tuple[str, ...], line: int) -> Iterator[Claim]:
    has_run = rest[:1] in (["run"], ["run-script"])
    name = rest[1] if has_run and len(rest) > 1 else rest[0] if rest and not has_run else ""
    if not name or not _TARGET.match(name) or (tool == "bun" and _CODE_FILE.search(name)):
        return
    if name == "workspace" and len(rest) > 2:
        name = rest[2]
        if not _TARGET.match(name):
            return
    shown = f"{tool} {'run ' if has_run else ''}{name}"
    if tool in ("npm", "pnpm") and not has_run:
        name = _SHORT.get(name, name)
    if not has_run and not _is_bare(tool, name):
        return
    is_own = name in _OWN or name.startswith("@")
    yield Claim(COMMAND, line, shown, name, tool="script", is_certain=has_run or not is_own, places=places)


def _is_bare(tool: str, name: str) -> bool:
    """Return whether a package manager runs a script without `run`."""
    return name in _IMPLIED if tool == "npm" else name in ("dev", "start") if tool == "bun" else True


def spell_script(command: str, name: str) -> str:
    """Return how the command of a script names another script: with `run` where its tool needs that."""
    tool, *more = command.split()
    has_run = len(more) > 1
    needs_run = not _is_bare(tool, name) or (tool != "npm" and name in _OWN)
    return name if has_run or not needs_run else f"run {name}"
