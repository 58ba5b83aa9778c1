"""Programs that a script or target runs, where a document says so beside it: "`npm test` (tsc)", `make lint  # ruff`.

A program is looked for in the lines that define the target. Where these run other targets, or only programs that are
not known here and may run it by their own settings (`nodemon`, `react-scripts`), nothing is said.
"""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.claims.commands import command_claims
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.judge.targets import find_target
from gitmem.commands.adopt.statements import CODE, ROW, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

RECIPE = "recipe"
# Programs with names that mean nothing else.
_PROGRAMS = re.compile(
    r"\b(?:tsc|vitest|jest|mocha|eslint|prettier|biome|oxlint|webpack|vite|rollup|esbuild|tsup|cypress|playwright|"
    r"tsx|pytest|ruff|isort|mypy|pyright|flake8|pylint|clippy|rustfmt|gofmt|golangci-lint|maturin|mkdocs|"
    r"vitepress|docusaurus|phpstan|phpunit|rubocop|rspec|ktlint|detekt|swiftlint)\b"
)
# Further programs that a line may run instead of one of these.
_OTHERS = re.compile(r"\b(?:node --test|go test|unittest|black|swc|karma|ava|parcel|xo)\b")
# What runs something that these lines do not show.
_ELSEWHERE = re.compile(
    r"\b(?:npm|pnpm|yarn|bun|make|just|task|turbo|nx|lerna|tox|nox|poe|hatch|composer|rake|pre-commit|run-[sp]|"
    r"npm-run-all|concurrently|wireit|nodemon|lint-staged|lefthook|trunk|docker|podman|gradlew?|mvnw?|bazel)\b|\$[({]|\.(?:sh|js|mjs|cjs|ts|py)\b"
)
# Programs that are a part of others, or whose work others do.
_PART_OF = {
    "rollup": ("vite", "tsup"), "esbuild": ("vite", "tsup", "vitest", "tsx"), "vite": ("vitest", "vitepress"),
    "isort": ("ruff",), "flake8": ("ruff",), "pylint": ("ruff",), "gofmt": ("golangci-lint",),
    "webpack": ("docusaurus",), "phpunit": ("pest",), "tsc": ("tsup",),
}  # fmt: skip
# The most lines of one target.
MOST_LINES = 30


def recipe_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the programs that a statement says a command runs."""
    commands = list(command_claims(statement)) if statement.kind != TREE else []
    for claim in commands if len({command.token for command in commands}) == 1 else ():
        for program in dict.fromkeys(_PROGRAMS.findall(_remark(statement, claim.name))):
            if program != claim.name:
                token = f"{claim.token} runs {program}"
                yield Claim(
                    RECIPE,
                    claim.line,
                    token,
                    claim.name,
                    program,
                    is_certain=False,
                    places=claim.places,
                    tool=claim.tool,
                )


def _remark(statement: Statement, name: str) -> str:
    """Return what a statement says of a command beside it: in parentheses, in the next cell, or after a sign."""
    if statement.kind == CODE:
        return statement.text.partition(" # ")[2]
    if statement.kind == ROW:
        return " ".join(statement.cells[1:2]) if name in statement.cells[0] else ""
    match = re.search(rf"{re.escape(name)}`\s?\(([^)]*)\)", statement.text)
    return match[1] if match else ""


def find_recipe(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where the lines of a target name the program."""
    source = _find_lines(code, claim, document)
    return source if source is not None and _runs(source.actual, claim) else None


def _runs(lines: str, claim: Claim) -> bool:
    return re.search(rf"\b{re.escape(claim.stated)}\b", lines) is not None


def find_other_recipe(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the lines of a target that run something else, and nothing that they do not show."""
    source = _find_lines(code, claim, document)
    body = source.actual.partition(":")[2].strip() if source is not None else ""
    programs = {*_PROGRAMS.findall(body), *_OTHERS.findall(body)}
    is_hidden = _ELSEWHERE.search(body) or not programs.isdisjoint(_PART_OF.get(claim.stated, ()))
    return source if programs and not is_hidden and not _runs(body, claim) else None


def _find_lines(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return where a target is defined, with its lines as one text."""
    source = find_target(code, claim, document)
    if source is None or not source.line:
        return None
    first, *more = code.text(source.path).split("\n")[source.line - 1 :][:MOST_LINES]
    lines = [first.strip()]
    for line in more if claim.tool != "script" else ():
        if not line.startswith(("\t", "  ")):
            break
        lines.append(line.strip())
    return Source(source.path, source.line, " ".join(lines).rstrip(","))
