"""Find the definitions in code: with its language's grammar if installed, otherwise by indentation.

By indentation, a definition extends to the next line that is indented no more, including the closing brace; decorators
and comments directly above belong to it. This works for Python and for languages with braces.
"""

from __future__ import annotations

import re

from gitmem.text.code.span import Span

CLOSES = ("}", ")", "]", "end")
ABOVE = ("@", "#", "//", "/*", "*", "///")
# A line that begins a definition, in any language; the first group is the name.
DEFINES = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\(\w+\))?|unsafe"
    r"|override|inline|extern|virtual|suspend|open|sealed|data)[ \t]+)*"
    r"(?:def|class|function\*?|func(?:[ \t]*\([^()\n]*\))?|fn|fun|struct|enum|trait|impl|interface|type|module|protocol"
    r"|object|record|message|service|(?:const|let|var)(?=[ \t]+\w+[ \t]*=[ \t]*(?:async[ \t]*)?(?:\(|function)))"
    r"[ \t]+([A-Za-z_$][\w$]*)",
    re.MULTILINE,
)


def definitions(text: str, language: str) -> list[Span]:
    """Return the outermost definitions in code, by line.

    Spans do not overlap, and end with a line that is not blank. Code that does not parse is split by indentation.

    Args:
        text: The code, with LF line ends.
        language: Its name in lower case, such as ``python``.
    """
    try:
        # The package tree-sitter is optional (the extra `code`), and takes 15 ms to import.
        from gitmem.text.code.grammar import parse
    except ImportError:
        return by_indentation(text)
    spans = parse(text, language)
    return by_indentation(text) if spans is None else spans


def by_indentation(text: str) -> list[Span]:
    """Return the outermost definitions in code, by line, according to its indentation."""
    lines = text.split("\n")
    spans: list[Span] = []
    at = 0
    while at < len(lines):
        begins = DEFINES.match(lines[at])
        if begins is None:
            at += 1
            continue
        indent, first = _indent(lines[at]), at
        while first > 0 and lines[first - 1].strip().startswith(ABOVE) and _indent(lines[first - 1]) == indent:
            first -= 1
        at += 1
        while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) > indent or _closes(lines[at])):
            is_closed = _indent(lines[at]) <= indent and _closes(lines[at])
            at += 1
            if is_closed:
                break
        end = at
        while not lines[end - 1].strip():
            end -= 1
        spans.append(Span(begins[1], first, end))
    return spans


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _closes(line: str) -> bool:
    return line.strip().startswith(CLOSES)
