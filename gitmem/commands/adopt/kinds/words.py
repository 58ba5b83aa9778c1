"""Find words anywhere in the code of one commit, including comments and configuration."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.judge.occurrence import SCOPE
from gitmem.document.check_values import OR_IN
from gitmem.text.code.languages import BINARY, BUILDS, PROSE, is_prose
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code


# Documents and pictures are not even read.
_UNREAD = (ending for ending in (*PROSE, *BINARY) if not any(name.endswith(ending) for name in BUILDS))
_NO_PROSE = (".", *(f":(exclude,icase)*{ending}" for ending in _UNREAD))


def contains_name(claim: Claim, source: Source) -> Mapping[str, str] | None:
    """Return the check that the code contains what a claim names; None if its source spells it otherwise."""
    written = next((spelling for spelling in (claim.token, claim.name) if spelling in source.actual), "")
    return {"contains": written, "in": escape(source.path), OR_IN: SCOPE} if written else None


def find_word(code: Code, words: Iterable[str]) -> Source | None:
    """Return a file that has one of some words, documents left out; None if none has."""
    return _find(code, "-w", "-F", *(part for word in words for part in ("-e", word)))


def find_line(code: Code, pattern: str) -> Source | None:
    """Return a file with a line that matches an extended regular expression; None if none has."""
    return _find(code, "-E", "-e", pattern)


def list_with_line(code: Code, pattern: str, *globs: str) -> list[str]:
    """Return the files with a line that matches an extended regular expression, sorted."""
    return _list(code, ("-E", "-e", pattern), globs)


def _find(code: Code, *argv: str) -> Source | None:
    return next((Source(path) for path in _list(code, argv, _NO_PROSE) if not is_prose(path)), None)


@lru_cache(maxsize=1000)  # several documents name the same
def _list(code: Code, argv: tuple[str, ...], globs: tuple[str, ...]) -> list[str]:
    result = code.git.run("grep", "-l", "-z", "-I", *argv, code.commit, "--", *globs, check=False)
    return [os.fsdecode(part).removeprefix(f"{code.commit}:") for part in result.stdout.split(b"\0") if part]


def kebab(name: str) -> str:
    """Return a name as a command line has it: ``dry_run``, ``dryRun`` and ``DryRun`` as ``dry-run``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower().strip("-")
