"""Signatures: the parameters of a function, as in ``load(path, strict=False)``. Pure but for reading code."""

from __future__ import annotations

import re
from functools import lru_cache

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.statements import CODE, TREE
from gitmem.document.sources.symbols import find_symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

SIGNATURE = "signature"
_SPAN = re.compile(
    r"^(?:(?:async|def|func|function|fn|fun|export|const|pub)\s+)*([A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*)\((.+)\)"
    r"(?:\s*(?:->|=>|:)\s*[^()]+)?$"
)
_PARAMETER = re.compile(r"^(?:&?mut\s+)?([A-Za-z_]\w*)\??\s*(?::[^=]*)?(?:=.*)?$")
_RECEIVERS = frozenset(
    {"self", "cls", "this", "mut", "true", "false", "null", "None", "True", "False", "nil", "undefined"}
)
# A type alone, as Java and C# tell methods of one name apart.
_TYPE = re.compile(
    r"(?:int|uint|long|short|byte|char|float|double|decimal|bool|boolean|str|string|number|object|any|bytes|void|u?int\d+|"
    r"[iuf]\d+|usize|isize|[A-Z][a-z]\w*)(?:\[\]|\?|<.*>)*"
)
# Parameters that take any name.
_ANY = re.compile(r"\*\*\s*\w|\*\s*\w+\s*[,:)]|\*\w+$|\.\.\.|\bargs\b|\bkwargs\b|\boptions?\b|\bparams\b|\bprops\b")
_WORDS = re.compile(r"[\w \t]*")
_OPENED = re.compile(r"(?:<[^>\n]*>)?\(")
_BODY = re.compile(r"\)?\s*[{:]")
# The most characters of a list of parameters, and the most definitions of a name in one file.
_LONGEST, _MOST = 3000, 20


def signature_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the functions that a statement names with parameters."""
    if statement.kind in (CODE, TREE):
        return
    for span in statement.spans:
        match = _SPAN.match(span.text) if span.kind == "code" else None
        if match is not None and parameters_of(span.text):
            yield Claim(SIGNATURE, span.line, span.text, match[1], is_certain=False)


def parameters_of(text: str) -> list[str]:
    """Return the names of the parameters of a call or signature; none if one of them is not a name."""
    match = _SPAN.match(text)
    parts = [part.strip() for part in _split(match[2])] if match else []
    if any(_TYPE.fullmatch(part) for part in parts):  # `authority(int)` says which of several is meant, not a name
        return []
    names = [_PARAMETER.match(part) for part in parts]
    if any(name is None for name in names):
        # A call with values: only the names of its keywords are parameters.
        names = [_PARAMETER.match(part) for part in parts if re.match(r"^[A-Za-z_]\w*\s*=[^=]", part)]
    return [name[1] for name in names if name is not None and name[1] not in _RECEIVERS]


def find_signature(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a function is defined with these parameters."""
    wanted = parameters_of(claim.token)
    return next((source for source, names in _definitions(code, claim) if _has(names, wanted)), None)


def find_open_signature(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a function of that name takes parameters of any name, or is a class."""
    return next((source for source, names in _definitions(code, claim) if not names or _ANY.search(names)), None)


def find_other_signature(code: Code, claim: Claim, _document: Document) -> Source | None:
    """Return where a function of that name is defined with other parameters."""
    wanted = parameters_of(claim.token)
    # A value of that name has no parameters, so it is not what is called.
    others = [
        definition for definition in _definitions(code, claim) if definition[1] and not _has(definition[1], wanted)
    ]
    # The one that has most of them is the likeliest to be meant.
    return max(others, key=lambda pair: len(_words(pair[1]).intersection(wanted)), default=(None, ""))[0]


def name_of(claim: Claim) -> str:
    """Return the last part of a function's name."""
    return re.split(r"\.|::|#", claim.name)[-1]


def _has(names: str, wanted: list[str]) -> bool:
    return _words(names).issuperset(wanted)


def _words(names: str) -> set[str]:
    return set(re.findall(r"\w+", names))


def _definitions(code: Code, claim: Claim) -> Iterator[tuple[Source, str]]:
    """Yield the definitions of a function, each with its list of parameters; empty for a class."""
    name = name_of(claim)
    for path, text in code.texts(code.files_naming([name])).items():
        for line, names in definitions_in(text, name):
            yield Source(path, line, text.split("\n")[line - 1].strip()), names


@lru_cache(maxsize=5000)
def definitions_in(text: str, name: str) -> tuple[tuple[int, str], ...]:
    """Return the definitions of a function in a text: the line, and the text between its parentheses."""
    definitions: dict[int, str] = {}
    start, at = 0, 0
    while len(definitions) < _MOST:
        line = find_symbol(text[at:].encode("utf-8", "surrogateescape"), name)
        if not line:
            break
        for _ in range(line - 1):
            at = text.index("\n", at) + 1
        written = text[at : at + _LONGEST].partition("\n")[0]
        # Of an assignment, only that of a function has parameters.
        opened = re.search(
            rf"\b{re.escape(name)}\b(?:[^\n(=]{{0,80}}|[^\n(=]{{0,80}}=\s*(?:async\s*)?(?:function\b[^\n(]{{0,40}})?)\(",
            written + "\n",
        )
        start += line
        definitions[start] = _inside(text[at + opened.end() : at + _LONGEST]) if opened else ""
        at = text.find("\n", at) + 1 or len(text)
    # Methods whose parameters are on the next lines.
    for begin in _calls(text, name):
        names = _inside(text[begin : begin + _LONGEST])
        if _BODY.match(text, begin + len(names)):
            definitions.setdefault(text.count("\n", 0, begin) + 1, names)
    return tuple(sorted(definitions.items()))


def _calls(text: str, name: str) -> Iterator[int]:
    """Yield where the parameters begin of each function with a name that only words precede on its line."""
    at = text.find(name)
    while at >= 0:
        before = text[text.rfind("\n", 0, at) + 1 : at]
        is_first = not before or (before[-1] in " \t" and _WORDS.fullmatch(before))
        if is_first and (opened := _OPENED.match(text, at + len(name))):
            yield opened.end()
        at = text.find(name, at + len(name))


def _inside(text: str) -> str:
    """Return a text up to the parenthesis that closes it."""
    depth = 1
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if not depth:
            return text[:at] or " "
    return text


def _split(text: str) -> Iterator[str]:
    """Yield the parts of a list between its commas, not those in brackets."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]
