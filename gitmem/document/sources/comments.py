"""Blank the parts of source code that are only text: block comments, and strings of several lines. Pure.

What is defined there is not defined: ``TIMEOUT = 30`` in a docstring, a function between ``/*`` and ``*/``. Lines and
offsets stay as they are. Line comments are not blanked: no form of a definition begins with their signs.
"""

from __future__ import annotations

import re

# Comments and strings of Python (its reference, 2.5 and 2.7): what begins within one of them begins no other. One that
# is not closed is read to its end as well: searched from each quotation mark in it, a long one would take hours.
_PYTHON = re.compile(
    r"#[^\n]*|(\"\"\"|''')(?:[^\\]|\\(?:.|\Z))*?(?:(\1)|\Z)|\"(?:[^\"\\\n]|\\(?:.|\Z))*\"?|'(?:[^'\\\n]|\\(?:.|\Z))*'?",
    re.DOTALL,
)
# Only at the beginning of a line: within one, it may be part of a string, such as a glob.
_BLOCK = re.compile(r"^[ \t]*/\*", re.MULTILINE), re.compile(r"\*/")
_DEFINE = re.compile(r"^[ \t]*define\b", re.MULTILINE), re.compile(r"^[ \t]*endef\b", re.MULTILINE)
_NOT_BLANK = re.compile(r"[^\n]")
_WITH_BLOCKS = frozenset(
    "c cc cpp cxx h hh hpp m mm cs java js jsx mjs cjs ts tsx mts cts go rs swift kt kts scala groovy gradle dart php"
    " css scss less sql proto zig v".split()
)


def without_comments(code: str, extension: str) -> str:
    """Return source code with blanks in place of its block comments and its strings of several lines.

    Args:
        code: The source code.
        extension: The extension of its file, in lower case, such as ``py``; others than those known are left as they
            are.
    """
    if extension in ("py", "pyi"):
        return _PYTHON.sub(_blank, code) if '"""' in code or "'''" in code else code
    return _without_blocks(code, *_BLOCK) if extension in _WITH_BLOCKS and "/*" in code else code


def without_definitions(makefile: str) -> str:
    """Return a Makefile with blanks in place of the variables between ``define`` and ``endef``."""
    return _without_blocks(makefile, *_DEFINE) if "endef" in makefile else makefile


def _blank(found: re.Match[str]) -> str:
    text = found[0]
    is_closed = found[2] or not found[1]
    return _NOT_BLANK.sub(" ", text) if "\n" in text and is_closed else text


def _without_blocks(code: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Return code without its blocks; one that is not closed is left as it is."""
    parts, start = [], 0
    while (begins := opening.search(code, start)) and (ends := closing.search(code, begins.end())):
        parts += [code[start : begins.start()], _NOT_BLANK.sub(" ", code[begins.start() : ends.end()])]
        start = ends.end()
    return "".join((*parts, code[start:]))
