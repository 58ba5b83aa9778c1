"""Subcommands of the repository's own programs, as parsers define them. Pure but for reading code."""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import SUBCOMMAND, Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.kinds.words import find_line, kebab
from gitmem.commands.adopt.statements import CODE, SHELLS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

_LAUNCHERS = re.compile(
    r"^(?:(?:uv|poetry|pdm|hatch|rye|pixi) run|uvx|pipx run|npx(?: -y)?|pnpm(?: exec| dlx)?|yarn(?: dlx)?"
    r"|bunx?|sudo|time)\s+"
)
_COMMAND = re.compile(r"^(?:\./|python3? -m )?([A-Za-z][\w.-]*)\s+([a-z][\w-]+)(?=\s|$)")
# Commands that Laravel and Symfony run by one program, and the namespaces of the commands of Laravel and its packages.
# Source: `php artisan list`, Laravel 12.
_CONSOLE = re.compile(
    r"^(?:(?:\./)?(?:vendor/bin/)?sail )?(?:php )?(?:\./)?(artisan|bin/console)\s+([a-z][\w-]*:[a-z][\w:.-]*)(?=\s|$)"
)
_FRAMEWORK = frozenset({
    "auth", "boost", "breeze", "cache", "channel", "clockwork", "completion", "config", "db", "debug", "debugbar",
    "doctrine", "env", "event", "filament", "horizon", "ide-helper", "install", "key", "lang", "lint", "livewire",
    "make", "mcp", "migrate", "model", "nova", "octane", "optimize", "package", "passport", "permission", "pulse",
    "queue", "reverb", "route", "router", "sail", "sanctum", "schedule", "schema", "scout", "secrets", "storage",
    "stub", "telescope", "test", "translation", "vendor", "view",
})  # fmt: skip
# Calls that name a subcommand with their first literal: argparse, click, typer, commander, yargs, cac, clap, Symfony,
# Laravel.
_SUBCOMMAND_CALL = re.compile(
    r"(?:add_parser|\.(?:command|group)|add_typer\([^()\n]*\bname\s*=|add_command\([^()\n]*\bname\s*=|Command::new"
    r"|with_name|new Command|\bcommand:|\bUse:|setName|\$signature\s*=|AsCommand|Artisan::command)"
    r"\s*\(?\s*(?:name\s*[=:]\s*)?[\"'`]([a-z][\w:.-]*)"
)
# One of these is in every text that the pattern matches: they are found much faster.
_CALLS = (
    *("add_parser", ".command", ".group", "add_typer(", "add_command(", "Command::new", "with_name", "new Command"),
    *("command:", "Use:", "setName", "$signature", "AsCommand", "Artisan::command"),
)
_ALIASES = re.compile(r"\b[Aa]lias(?:es)?\b\s*[=:(]\s*[\[({&]*\s*((?:[\"'`][\w-]+[\"'`]\s*,?\s*)+)")
# Commands that are named by their function, or by a variant of an enumeration.
_DECORATOR = re.compile(r"@[\w.]+\.(?:command|group)\((?!\s*(?:name\s*=\s*)?[\"'])")
_FUNCTION = re.compile(r"^[ \t]*(?:async )?def (\w+)", re.M)
# The most characters of a decorator and those below it.
_DECORATION = 4000
_ENUM = re.compile(
    r"derive\([^)]{0,200}\bSubcommand\b[^)]{0,200}\)\]\s{0,80}(?:#\[[^\]]{0,300}\]\s{0,80}){0,20}"
    r"(?:pub(?:\([^)]{0,80}\))?\s{1,20})?enum\s{1,20}\w{1,80}\s{0,80}\{"
)
_VARIANT = re.compile(
    r"(?:^|[,{])\s{0,80}(?:(?:///?[^\n]*+|#\[[^\]]{0,300}+\])\s{0,80}+){0,40}+([A-Z]\w{0,80})(?=\s{0,80}(?:[,({]|$))",
    re.M,
)
_HOMES = ("pyproject.toml", "setup.cfg", "setup.py", "package.json", "Cargo.toml")


def subcommand_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the commands of two words in a statement, which may be a program's subcommand."""
    if statement.kind == TREE or (statement.kind == CODE and statement.language not in SHELLS):
        return
    if statement.kind == CODE:
        lines = [
            (re.sub(r"^\s*(?:\$|>|%)\s+", "", line).strip(), statement.line + at)
            for at, line in enumerate(statement.lines)
        ]
    else:
        lines = [(span.text, span.line) for span in statement.spans if span.kind == "code" and " " in span.text]
    for line, number in lines:
        if console := _CONSOLE.match(line):
            yield Claim(SUBCOMMAND, number, console[0], console[2], tool=console[1])
            continue
        match = _COMMAND.match(_LAUNCHERS.sub("", line))
        if match is not None and match[2] not in ("help", "version", "is", "and", "or", "to"):
            yield Claim(SUBCOMMAND, number, match[0], match[2], tool=match[1].replace(".", "-"), is_certain=False)


def find_subcommand(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a parser defines a subcommand."""
    for path, text in code.texts(code.files_naming(spellings(claim))).items():
        if line := subcommands_in(path, text).get(claim.name, 0):
            return Source(path, line, text.split("\n")[line - 1].strip())
    return None


def find_literal(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where the code has a subcommand's name as a string, a file or a function, and may define it otherwise."""
    if ":" in claim.name:  # only the name of a command looks so: code that has it anywhere may define it
        return next(map(Source, code.files_naming([claim.name])), None)
    files = sorted(path for name in spellings(claim) for path in code.tree.list_own_with_stem(name))
    quoted = "|".join(spellings(claim))
    defined = (
        rf"[\"'`:]({quoted})[\"'` ]|(def|func|fn|function|class|struct) +([A-Za-z_]*_)?({quoted})(_?[cC]o?mm?a?n?d)?\b"
    )
    return Source(files[0]) if files else find_line(code, defined)


def spellings(claim: Claim) -> list[str]:
    """Return the names in code that a subcommand may have."""
    if ":" in claim.name:
        return [claim.name]
    first, *rest = claim.name.split("-")
    pascal = "".join(part.capitalize() for part in (first, *rest))
    snake = claim.name.replace("-", "_")
    every = [claim.name, snake, pascal, first + pascal[len(first) :], f"{snake}_command", f"{snake}_cmd", f"{snake}_"]
    return list(dict.fromkeys(every))


@lru_cache(maxsize=4000)
def subcommands_in(path: str, text: str) -> Mapping[str, int]:
    """Return the subcommands that a file defines, each with its line."""
    subcommands: dict[str, int] = {}
    for name, at in _definitions(path.rpartition(".")[2], text):
        subcommands.setdefault(name, text.count("\n", 0, at) + 1)
    return subcommands


def _definitions(suffix: str, text: str) -> Iterator[tuple[str, int]]:
    if any(call in text for call in _CALLS):
        yield from ((match[1], match.start(1)) for match in _SUBCOMMAND_CALL.finditer(text))
    for match in _ALIASES.finditer(text) if "lias" in text else ():
        yield from ((name, match.start()) for name in re.findall(r"[\w-]+", match[1]))
    if suffix == "py":
        decorated = (_FUNCTION.search(text, at.end(), at.end() + _DECORATION) for at in _DECORATOR.finditer(text))
        for match in filter(None, decorated):
            # Click drops such an ending since 8.2, typer does not.
            plain = match[1].strip("_")
            yield from (
                (kebab(name), match.start(1)) for name in {plain, re.sub(r"_(?:command|cmd|group)$", "", plain)}
            )
    elif suffix == "rs":
        for match in _ENUM.finditer(text):
            body = _block(text, match.end())
            yield from ((kebab(name[1]), match.end() + name.start(1)) for name in _VARIANT.finditer("{" + body))


def _block(text: str, at: int) -> str:
    """Return the text of a block, without the blocks within it, from behind its brace."""
    depth, chars = 1, []
    for char in text[at : at + 20000]:
        depth -= char in "})"
        if not depth:
            break
        chars.append(char if depth == 1 or char == "\n" else " ")
        depth += char in "{("
    return "".join(chars)


def is_own(code: Code, claim: Claim) -> bool:
    """Return whether the repository has the program of a claim: a script, a binary, a crate or a folder of ``cmd``.

    A framework's program counts if the repository defines commands in the namespace of the claim.
    """
    space, sign, _ = claim.name.partition(":")
    return _has_space(code, space) if sign and _CONSOLE.match(claim.token) else _is_own(code, claim.tool)


@lru_cache(maxsize=100)
def _has_space(code: Code, space: str) -> bool:
    """Return whether the repository defines commands in a namespace: `app` for `app:sync`."""
    defined = rf"([$]signature *=|AsCommand|Artisan::command|setName).*[\"']{re.escape(space)}:"
    return space not in _FRAMEWORK and find_line(code, defined) is not None


@lru_cache(maxsize=1000)
def _is_own(code: Code, program: str) -> bool:
    names = {program, program.replace("-", "_"), program.replace("_", "-")}
    if any(code.tree.has_folder(f"cmd/{name}") or code.list_ending_with(f"cmd/{name}/main.go") for name in names):
        return True
    either = "|".join(map(re.escape, names))
    own = re.compile(
        rf"^\s*[\"']?(?:{either})[\"']?\s*=\s*[\"'][\w.]+:\w+|^\s*name\s*=\s*\"(?:{either})\"|\"(?:{either})\"\s*:\s*\"[^\"]+\.[cm]?[jt]s\""
        rf"|\"name\"\s*:\s*\"(?:@[^/\"]+/)?(?:{either})\"|[\"'](?:{either})\s*=\s*[\w.]+:\w+",
        re.M,
    )
    if any(own.search(text) for text in code.texts(code.tree.files_named(*_HOMES)).values()):
        return True
    modules = code.texts(code.tree.files_named("go.mod"))
    return any(re.search(rf"^module \S*/(?:{either})\s*$", text, re.M) for text in modules.values())
