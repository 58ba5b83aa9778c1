"""Find claims that a name occurs in the code: a function, class, setting, option or environment variable. Pure."""

from __future__ import annotations

import re

from gitmem.commands.adopt.claims.claim import SYMBOL, Claim
from gitmem.commands.adopt.statements import CODE, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.statements import Statement

_SYMBOL = re.compile(r"^@?[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:<[\w, .]+>)?(?:\(.*\))?!?$")
_OPTION = re.compile(r"^--[a-z][\w-]+$")
_CODED = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]")
_WORDS = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?![\w/-])")


def symbol_claims(statement: Statement) -> Iterator[Claim]:
    """Yield the names that a statement says are in the code."""
    if statement.kind == TREE:
        return
    if statement.kind == CODE:
        for number, line in enumerate(statement.lines, statement.line):
            if (setting := re.match(r"^\s*(?:export\s+)?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=", line)) is not None:
                yield Claim(SYMBOL, number, setting[1], setting[1], is_certain=False)
        return
    seen = set()
    for span in statement.spans:
        if span.kind != "code" or span.text in seen:
            continue
        seen.add(span.text)
        text = span.text.rstrip(":;,")
        if _OPTION.match(text):
            yield Claim(SYMBOL, span.line, text, text[2:], is_certain=False)
        elif _SYMBOL.match(text) and len(text) > 2:
            bare = re.sub(r"<.*>|\(.*\)|[!@$]", "", text)
            last = re.split(r"\.|::|#|->", bare)[-1]
            is_file = re.search(r"\.(?:py|tsx?|jsx?|go|rs|md|json|toml|ya?ml|sh|css|html|txt|lock)$", bare)
            if len(last) > 2 and not is_file:
                is_coded = _CODED.search(last) is not None and len(last) > 5
                yield Claim(SYMBOL, span.line, text, last, is_certain=is_coded)
        elif " " in text or "(" in text or "=" in text:
            for word in _WORDS.findall(text):
                if _CODED.search(word) and len(word) > 5 and word not in seen:
                    seen.add(word)
                    yield Claim(SYMBOL, span.line, word, word, is_certain=False)
