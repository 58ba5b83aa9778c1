"""Find what encloses a line of code: classes, functions, mappings and calls, by indentation. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from gitmem.frozen import frozen

# What a line is in: nothing, a class or structure, the parameters or the body of a function, a mapping, or the
# arguments of a call.
TOP, CLASS, PARAMETERS, BODY, MAPPING, CALL = "top", "class", "parameters", "body", "mapping", "call"
# The most lines read upwards, and headers found: the rest counts as the top of the file.
MOST_LINES = 600
MOST_LEVELS = 8
_NO_SCOPE = -1

_CLASS = re.compile(
    r"\b(?:class|struct|interface|enum|trait|impl|object|record|protocol|extension|namespace|module|mod)\b"
    r"(?:\s*<[^>]*>)?\s+(?:[\w:<>]+\s+for\s+)?(?P<name>[A-Za-z_$][\w$]*)"
    r"|\btype\s+(?P<type>[A-Za-z_$][\w$]*)(?:<[^=]*>)?\s*(?:struct\b|=)"
)
_FUNCTION = re.compile(
    r"\b(?:def|fn|func|fun|function\*?|sub)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$]*)"
    r"|\b(?:const|let|var)\s+(?P<arrow>[A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|(?:<[^>]*>)?\(\s*\{?\s*$|.*=>\s*[{(]?\s*$)"
    r"|^\s*(?:(?:public|private|protected|static|async|override|export|default|get|set|final|virtual)\s+)*"
    r"(?P<method>constructor|[A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?::\s*[^={]+)?\{\s*$"
    r"|^\s*(?:(?:public|private|protected|static)\s+)*(?P<open>constructor)\s*\(\s*\{?\s*$"
)
_LAMBDA = re.compile(r"(?:=>|\bfunc(?:tion)?\b[^{]*|\|[^|]*\|)\s*[{(]?\s*$")
_CONTROL = re.compile(
    r"^[\s)}\]]*(?:if|else|elif|for|while|switch|match|case|try|catch|except|finally|with|do|when|loop|unless|guard)\b"
)
_MAPPING = re.compile(
    r"(?P<name>[A-Za-z_$@][\w$.@/-]{0,100})[\"'`]?\]?\s{0,20}(?::\s{0,20}[^={}()]{1,200})?(?::=|=|:)\s{0,20}"
    r"(?:&|\*|const\s){0,5}\s{0,20}"
    r"(?:(?:dict|Object\.freeze|defineConfig|OrderedDict|map\[\w+\][\w{}]+|HashMap)\s{0,20})?[\[{(|>]{0,10}\s{0,20}$"
)
_ANONYMOUS = re.compile(r"^\s*(?:return|export\s+default|module\.exports\s*=)\s*\(?\{\s*$")
_CALLED = re.compile(r"(?P<name>[A-Za-z_$][\w$.:]{0,100}?)!?\s{0,20}(?:<[^()]{0,200}>)?(?:\([^()]{0,400}|\{)\s{0,20}$")
_SECTION = re.compile(r"^\[+([\w.\-\" ]+)\]+\s*$")
_BRACKET = re.compile(r"^\s*[)\]}{]")
_REMARKS = ("#", "//", "*", "/*", "--")


@frozen
class Scope:
    """What encloses a line.

    Attributes:
        kind: ``top``, ``class``, ``parameters``, ``body``, ``mapping`` or ``call``.
        names: The names of everything around it, outermost first.
    """

    kind: str
    names: tuple[str, ...]


def scope_of(text: str, start: int) -> Scope:
    """Return what encloses the line that starts at a position."""
    read = [_read(line, is_past=is_past) for line, is_past in _headers(text, start)]
    kind = next((kind for kind, _ in read if kind), TOP)
    return Scope(kind, tuple(name for _, name in reversed(read) if name))


def _headers(text: str, start: int) -> list[tuple[str, bool]]:
    """Return the lines that enclose a line, innermost first, each with whether its brackets were closed before."""
    starts, depths = _lines_of(text)
    here = bisect_right(starts, start) - 1
    end = text.find("\n", start)
    indent = _indentation(text[start : end if end >= 0 else len(text)])
    headers: list[tuple[str, bool]] = []
    is_past = False
    if not indent and not _has_sections(text):
        return headers
    for at in range(here - 1, max(here - 1 - MOST_LINES, -1), -1):
        depth = depths[at]
        if depth >= indent and depth > 0:  # most lines
            continue
        if depth == _NO_SCOPE:
            continue
        line = text[starts[at] : starts[at + 1] - 1]
        if not depth and not headers and (section := _SECTION.match(line)):
            return [(f"{section[1]} = {{", False)]
        if depth >= indent:
            continue
        if _BRACKET.match(line):  # `) -> None:`, `} else {`: the header is above, as deep
            indent, is_past = depth + 1, True
            continue
        headers.append((line, is_past))
        indent, is_past = depth, False
        if len(headers) >= MOST_LEVELS or not indent:
            break
    return headers


@lru_cache(maxsize=64)
def _has_sections(text: str) -> bool:
    return text.startswith("[") or "\n[" in text


@lru_cache(maxsize=64)
def _lines_of(text: str) -> tuple[list[int], list[int]]:
    """Return where each line of a text starts, and its indentation; ``_NO_SCOPE`` for blank lines and remarks."""
    starts, depths, at = [], [], 0
    for line in text.split("\n"):
        starts.append(at)
        at += len(line) + 1
        bare = line.lstrip()
        depths.append(_NO_SCOPE if not bare or bare.startswith(_REMARKS) else len(line) - len(bare))
    return starts, depths


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _read(line: str, *, is_past: bool) -> tuple[str, str]:
    """Return what a header begins, with its name; nothing for a condition or a loop, which is part of its function."""
    line = line.rstrip()
    if _CONTROL.match(line):
        return BODY, ""
    if match := _FUNCTION.search(line):
        name = next(filter(None, match.groups()), "")
        is_open = line.count("(") > line.count(")") and not is_past
        return PARAMETERS if is_open else BODY, name
    if match := _CLASS.search(line):
        return CLASS, match["name"] or match["type"]
    if _LAMBDA.search(line):
        return BODY, ""
    if _ANONYMOUS.match(line):
        return MAPPING, ""
    if match := _MAPPING.search(line):
        return MAPPING, match["name"]
    if match := _CALLED.search(line):
        return CALL, match["name"].rpartition(".")[2]
    return BODY if line.endswith(("{", ":")) else "", ""
