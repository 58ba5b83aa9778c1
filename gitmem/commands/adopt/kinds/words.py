"""Find words anywhere in the code of one commit, in comments and configuration too."""

from __future__ import annotations

import os

from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.judge.occurrence import SCOPE
from gitmem.document.check_values import OR_IN
from gitmem.text.code.languages import is_prose
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code


def contains_name(claim: Claim, source: Source) -> Mapping[str, str] | None:
    """Return the check that the code contains a claim's name; None if its source spells it otherwise."""
    return {"contains": claim.name, "in": escape(source.path), OR_IN: SCOPE} if claim.name in source.actual else None


def find_word(code: Code, words: Iterable[str]) -> Source | None:
    """Return a file that has one of some words, documents left out; None if none has."""
    return _find(code, "-w", "-F", *(part for word in words for part in ("-e", word)))


def find_line(code: Code, pattern: str) -> Source | None:
    """Return a file with a line that matches an extended regular expression; None if none has."""
    return _find(code, "-E", "-e", pattern)


def _find(code: Code, *argv: str) -> Source | None:
    done = code.git.run("grep", "-l", "-z", "-I", *argv, code.commit, check=False)
    names = (os.fsdecode(part).removeprefix(f"{code.commit}:") for part in done.stdout.split(b"\0") if part)
    return next((Source(path) for path in names if not is_prose(path)), None)
