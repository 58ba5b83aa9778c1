"""Names of the packages of a workspace: after ``-p``, ``--filter`` and the like, and in lists of packages."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.claims.commands import list_commands, nx_target
from gitmem.commands.adopt.findings import FALSE, Source
from gitmem.commands.adopt.judge.packages import NAME_KEYS, list_packages
from gitmem.commands.adopt.statements import BULLET, CODE, HEADING, ROW
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.commands.adopt.claims.commands import Command
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.findings import JudgedClaim, Mention
    from gitmem.commands.adopt.kinds.kind import Basis
    from gitmem.commands.adopt.statements import Statement

MEMBER = "package"
# The relation of a package that a command installs, from a registry.
INSTALLED = "installed"
# Names that stand for others.
_EXAMPLE = re.compile(
    r"^:?(?:your|my|some|foo|bar|name|example)\b|(?:^|[:/_-])(?:crate|package|pkg|app|project|workspace|module)[-_]?name$",
    re.I,
)
_NAME = re.compile(r"^@?[A-Za-z][\w.-]*(?:/[\w.-]+)?$")
# The options of each program that take the name of a package. Sources: the manuals of cargo 1.90, npm 11, pnpm 10,
# bun 1, turbo 2, lerna 8, uv 0.9.
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "cargo": ("-p", "--package"),
    "npm": ("-w", "--workspace"),
    "pnpm": ("-F", "--filter"),
    "bun": ("-F", "--filter"),
    "turbo": ("-F", "--filter"),
    "lerna": ("--scope",),
    "uv": ("--package",),
}
# Commands of cargo that also take the names of foreign packages.
_FOREIGN = frozenset(
    {"add", "install", "update", "tree", "remove", "rm", "uninstall", "fetch", "vendor", "pkgid", "info"}
)
# The commands that install packages, each with the kind of manifest that names one.
_INSTALLERS: Mapping[tuple[str, ...], str] = {
    ("cargo", "add"): "cargo",
    ("cargo", "install"): "cargo",
    **dict.fromkeys((("pip", "install"), ("uv", "add"), ("uvx",), ("pipx", "install"), ("poetry", "add")), "uv"),
    **dict.fromkeys(
        ((tool, verb) for tool in ("npm", "pnpm", "yarn", "bun") for verb in ("add", "install", "i")), "npm"
    ),
    **dict.fromkeys((("npx",), ("bunx",), ("pnpm", "dlx")), "npm"),
}
_ONCE = frozenset({("uvx",), ("npx",), ("bunx",), ("pnpm", "dlx"), ("pipx", "install")})
_MODULE = re.compile(r"^(:[\w-]+(?::[\w-]+)*):\w+$")
# A project of Gradle by its path, and what a sentence calls it.
_PROJECT = re.compile(r":[a-z][\w-]*(?::[\w-]+)*")
_CALLED = re.compile(r"\b(?:modules?|(?:Gradle |sub)projects?)\b", re.I)
_HEADING = re.compile(r"\b(?:crates|packages|workspaces|monorepo)\b", re.I)
_COLUMN = re.compile(r"^\W*(?:crate|package|workspace|npm package|rust crate)(?: name)?s?\W*$", re.I)
_ENTRY = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\*\*)?`([^`\s]+)`(?:\*\*)?\s*(?:[:(–—-]|$)")
# A name in bold or code at the start of any list's entry, which has a sign that names of packages have.
_NAMED_ENTRY = re.compile(
    r"^\s*(?:[-*+]|\d+[.)])\s+(?:\*\*`?|`)(@?[a-z][a-z0-9]*(?:[-_/][a-z0-9]+)+)(?:`?\*\*|`)\s*(?:[:(–—-]|$)"
)
_CELL = re.compile(r"^(?:\*\*)?\[?`([^`\s]+)`\]?(?:\([^)]*\))?(?:\*\*)?$")


def member_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the names of packages that a statement says are in the workspace."""
    for command in list_commands(statement):
        for tool, name in members_of(command):
            yield Claim(MEMBER, command.line, name, name, tool=tool)
        for tool, name in _installed(command.words):
            yield Claim(MEMBER, command.line, name, name, relation=INSTALLED, tool=tool, is_certain=False)
    for span in statement.spans if statement.kind not in (CODE, HEADING) else ():
        if span.kind == "code" and _PROJECT.fullmatch(span.text) and not _EXAMPLE.search(span.text):
            yield Claim(
                MEMBER,
                span.line,
                span.text,
                span.text,
                tool="gradle",
                is_certain=_CALLED.search(statement.text) is not None,
            )
    for name in _listed(statement):
        if _NAME.match(name):
            yield Claim(MEMBER, statement.line, name, name, is_certain=False)


def _listed(statement: Statement) -> Iterator[str]:
    """Yield the names at the start of an entry of a list of packages: of a bullet, or in a column of a table."""
    if statement.kind == ROW:
        for head, cell in zip(statement.header, statement.cells, strict=False):
            if _COLUMN.match(head) and (match := _CELL.match(cell)):
                yield match[1]
    elif statement.kind == BULLET:
        is_listed = _HEADING.search(statement.section.rpartition(" › ")[2])
        match = _ENTRY.match(statement.lines[0]) if is_listed else _NAMED_ENTRY.match(statement.lines[0])
        yield from [match[1]] if match else []


def members_of(command: Command) -> Iterator[tuple[str, str]]:
    """Yield the packages that a command names, each with the kind of manifest that names it: ``cargo``, ``npm``, ..."""
    for words in filter(None, (command.runner, command.words)):
        tool = "turbo" if "turbo" in words[1:3] and words[0] in ("npx", "pnpm", "yarn", "bunx") else words[0]
        if tool == "cargo" and not _FOREIGN.isdisjoint(words[1:3]):
            continue
        members = [*_values_of(_OPTIONS.get(tool, ()), words), *_positional(words)]
        if tool.rpartition("/")[2] in ("gradle", "gradlew"):
            modules = filter(None, map(_MODULE.match, words[1:]))
            yield from (("gradle", module[1]) for module in modules if not _EXAMPLE.search(module[1]))
        for name in map(_bare, members):
            if _NAME.match(name) and "." not in name and not _EXAMPLE.search(name):
                yield _kind_of(tool, words), name


def _installed(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the packages that a command installs, which may be the repository's own."""
    for start, tool in _INSTALLERS.items():
        if words[: len(start)] == start:
            # What is run is one package; what is after it are its arguments.
            for word in words[len(start) :][: 1 if start in _ONCE else None]:
                name = re.split(r"(?<=.)[@\[=<>~!]", word.strip("\"'"), maxsplit=1)[0]
                if _NAME.match(name) and "." not in name:
                    yield tool, name


def _kind_of(tool: str, words: Sequence[str]) -> str:
    return tool if tool in ("cargo", "uv") else "nx" if "nx" in words[:2] else "npm"


def _values_of(options: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        if word == "--":
            return
        name, sign, value = word.partition("=")
        if name in options and (sign or at + 1 < len(words)):
            yield (value if sign else words[at + 1]).strip("\"'")


def _positional(words: Sequence[str]) -> Iterator[str]:
    """Yield the package of ``yarn workspace NAME COMMAND``, and the project of ``nx TARGET NAME``."""
    if words[0] == "yarn" and words[1:2] == ("workspace",) and len(words) > 3:
        yield words[2]
    if (named := nx_target(words)) is not None:
        yield named[0]


def _bare(name: str) -> str:
    """Return a filter of pnpm or turbo without its signs for dependencies: ``...@a/b^...``."""
    return re.sub(r"^(?:\.{3})?\^?|\^?(?:\.{3})?$", "", name)


def find_member(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a manifest states that its package has this name."""
    return next(list_packages(code, claim.name, claim.tool), None)


def is_readable(code: Code, claim: Claim) -> bool:
    """Return whether a name may be one of a package here: `:app` is a project only where Gradle has settings."""
    return claim.tool != "gradle" or bool(code.tree.files_named("settings.gradle.kts", "settings.gradle"))


def find_folder(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return the build file of a Gradle project that settings may include by code: of `:a:b`, that in `a/b`."""
    folder = claim.name.strip(":").replace(":", "/")
    found = (code.list_ending_with(f"{folder}/{name}") for name in ("build.gradle.kts", "build.gradle"))
    return next((Source(paths[0]) for paths in found if paths), None) if claim.tool == "gradle" else None


def accuse_no_moved(judge: Callable[[Mention, Basis], JudgedClaim | None]) -> Callable[..., JudgedClaim | None]:
    """Return a judge that does not accuse the installation of a package whose manifest is gone from the repository.

    The registry has it all the same; where the manifest has another name now, the package was renamed.
    """

    def judge_member(mention: Mention, basis: Basis) -> JudgedClaim | None:
        judged = judge(mention, basis)
        if judged is None or judged.source is None or judged.verdict != FALSE:
            return judged
        is_moved = mention.claim.relation == INSTALLED and not basis.head.has(judged.source.path)
        return None if is_moved else judged

    return judge_member


def member_check(claim: Claim, source: Source) -> Mapping[str, Any] | None:
    """Return the check that a manifest has this name; None if only its folder has."""
    keys = NAME_KEYS.get(source.path.rpartition("/")[2])
    if keys is None:
        return {"matches": rf"[\"']:?{re.escape(claim.name.lstrip(':'))}[\"']", "in": escape(source.path)}
    return {"value": f"{source.path}#{'.'.join(keys[0])}", "is": source.actual} if source.line else None
