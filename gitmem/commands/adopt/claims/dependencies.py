"""Find mentions of packages, which claim that a manifest lists them. Pure.

Only mentions that turn out to be listed count: a name alone may mean anything.
"""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import DEPENDENCY, Claim
from gitmem.commands.adopt.statements import BULLET, ROW, SENTENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.statements import Statement

_PACKAGE = re.compile(r"^@?[A-Za-z][\w.-]*(?:/[\w.-]+)?$")
# A heading below which words name the project's technologies.
STACK = re.compile(
    r"\b(?:(?:tech(?:nology|nologies)?|stack)\b|dependencies|frameworks?|libraries|built with)|技术栈", re.I
)
# In a sentence, a list of them, or the first word of a line.
_NAME_LIST = re.compile(
    r"[A-Z][\w.]{1,40}(?:(?:, (?:and )?| and | \+ | ?/ ?)[A-Z][\w.]{1,40}){1,30}"
    r"|(?:^|(?<=^\W)|(?<=^\W\W))[A-Z][\w.]{1,40}(?=\W{0,3}(?: -|:| –| —))"
)
_WORD = re.compile(r"(?<![\w./@-])[A-Z][A-Za-z]*(?:\.js|JS)?(?![\w/-])")


def dependency_claims(statement: Statement) -> Iterator[Claim]:
    """Yield the possible package names in a statement: those in code, and capitalized ones below such a heading."""
    if statement.kind not in (BULLET, ROW, SENTENCE):
        return
    seen: set[str] = set()
    spans = [(span.text, span.line) for span in statement.spans if span.kind in ("code", "bold")]
    words = [
        (word, number)
        for number, line in enumerate(statement.lines, statement.line)
        if STACK.search(statement.section)
        for word in _WORD.findall(line if statement.kind != SENTENCE else " ".join(_NAME_LIST.findall(line)))
    ]
    for name, line in (*spans, *words):
        if _PACKAGE.match(name) and len(name) > 2 and name.lower() not in seen:
            seen.add(name.lower())
            yield Claim(DEPENDENCY, line, name, name, is_certain=False)
