"""What CI does: "CI runs `make lint`", "the job `lint` of `ci.yml`"."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.statements import CODE, HEADING, TREE
from gitmem.document.sources.formats import read_value
from gitmem.errors import FormatError
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

JOB, RUN = "job", "run in CI"
_RUNS = re.compile(
    r"\b(?:CI|[Cc]ontinuous integration|[Tt]he (?:CI )?(?:pipeline|workflow)|GitHub Actions)"
    r"(?: \(?`[\w./-]+\.ya?ml`\)?)? "
    r"(?:also )?(?:runs|executes|calls|checks|enforces|verifies)(?: with)? "
    r"(?P<commands>`[^`]+`(?:(?:,|,? and|,? then) `[^`]+`)*)"
)
_IN_CI = re.compile(r"`(?P<command>[^`]+ [^`]+)` (?:also )?(?:runs|is run|is executed|is enforced) (?:in|on|by) CI\b")
_JOB = re.compile(r"`(?P<before>[\w-]+)` (?:CI )?job\b|\bjobs? (?:called |named )?`(?P<after>[\w-]+)`")
_ABOUT_CI = re.compile(r"\b(?:CI|workflows?|GitHub Actions|pipeline)\b|\.github/workflows|\.ya?ml\b")
_PIPELINE = re.compile(
    r"^\.github/(?:workflows|actions)/.+\.ya?ml$|^\.gitlab-ci\.yml$|^\.circleci/config\.yml$|^azure-pipelines\.yml$"
)
# A reusable workflow; a template or an image's own script.
_ELSEWHERE = re.compile(
    r"uses:[ \t]{0,20}['\"]?[\w-]+/[\w.-]+/\.github/workflows/|^include:|^[ \t]{0,80}(?:-[ \t]{1,20})?template:",
    re.MULTILINE,
)
# What a pipeline may call that runs the command.
_CALLED = re.compile(
    r"(?:^|/)(?:Makefile|justfile|Justfile|Taskfile\.ya?ml|package\.json|tox\.ini|noxfile\.py|mise\.toml|[^/]*\.(?:sh|mk|bash))$|^\.(?:github|ci|circleci|buildkite)/|^(?:ci|script|scripts)/"
)


def job_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the jobs of workflows that a statement names."""
    if statement.kind in (CODE, TREE, HEADING) or not _ABOUT_CI.search(f"{statement.section} {statement.text}"):
        return
    for number, line in enumerate(statement.lines, statement.line):
        for match in _JOB.finditer(line):
            name = match["before"] or match["after"]
            yield Claim(JOB, number, f"job {name}", name, is_certain=False)


def find_job(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a workflow has a job of this name."""
    for path, text in code.texts(_pipelines(code)).items():
        try:
            node = read_value(path, text.encode("utf-8", "surrogateescape"), ("jobs",)) if claim.name in text else None
        except FormatError:
            continue
        for name, job in node.iter_members() if node is not None else ():
            if claim.name in (name, job.at("name").text):
                return Source(path, job.line)
    return None


def job_check(claim: Claim, source: Source) -> Mapping[str, Any]:
    """Return the check that the workflow has a job of this name."""
    name = re.escape(claim.name)
    return {"matches": rf"^\s+(?:name:\s*[\"']?)?{name}[\"']?:?\s*$", "in": escape(source.path)}


def run_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the commands that a statement says CI runs."""
    if statement.kind in (CODE, TREE, HEADING):
        return
    for number, line in enumerate(statement.lines, statement.line):
        commands = [match for found in _RUNS.finditer(line) for match in re.findall(r"`([^`]+)`", found["commands"])]
        for command in (*commands, *(match["command"] for match in _IN_CI.finditer(line))):
            if " " in command and not re.search(r"[<>{}]|\.\.\.|…", command):
                yield Claim(RUN, number, command, command, stated="CI")


def find_run(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a pipeline runs a command, or a script or target that it may call."""
    words = re.compile(r"\s+".join(map(re.escape, claim.name.split())) + r"(?![\w:-])")
    first = claim.name.split()[0]
    for path, text in code.texts([*_pipelines(code), *_called(code)]).items():
        if first in text and (match := words.search(text)):
            return Source(path, text.count("\n", 0, match.start()) + 1)
    return None


def find_similar_run(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where CI may run a command: among other arguments, by a variable, or for another target.

    Without a pipeline here, CI is elsewhere; so it is with one that uses the workflow of another repository.
    """
    pipelines = _pipelines(code)
    first, *rest = map(re.escape, claim.name.split())
    in_order = r"[^\n]{0,200}".join(rf"(?<![\w-]){word}(?![\w-])" for word in rest)
    among = re.compile(rf"(?<![\w-]){first}\s(?:[^\n]{{0,200}}[\s\"'])?(?:\$|{in_order})")
    needed = re.compile(rf"^(?!\.PHONY|[ \t]*#)[^\n]{{0,200}}[\s\"'@]{rest[-1]}(?![\w:-])", re.MULTILINE)
    for path, text in code.texts(pipelines).items():
        if _ELSEWHERE.search(text) or among.search(text):
            return Source(path)
    for path, text in code.texts(_called(code)).items():
        if needed.search(text):
            return Source(path)
    return None if pipelines else Source(".")


def _called(code: Code) -> list[str]:
    return sorted(path for path in code.files if _CALLED.search(path) and not _PIPELINE.search(path))


def _pipelines(code: Code) -> list[str]:
    return sorted(path for path in code.files if _PIPELINE.search(path))
