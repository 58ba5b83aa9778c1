"""Blank the parts of source code that are only text: block comments, and strings of several lines. Pure.

What is defined there is not defined: ``TIMEOUT = 30`` in a docstring, a function between ``/*`` and ``*/``. Lines and
offsets stay as they are. Line comments are not blanked: no form of a definition begins with their signs.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Comments and strings of Python (its reference, 2.5 and 2.7): what begins within one of them begins no other. One that
# is not closed is read to its end as well: searched from each quotation mark in it, a long one would take hours.
_PYTHON = re.compile(
    r"#[^\n]*|(\"\"\"|''')(?:[^\\]|\\(?:.|\Z))*?(?:(\1)|\Z)|\"(?:[^\"\\\n]|\\(?:.|\Z))*\"?|'(?:[^'\\\n]|\\(?:.|\Z))*'?",
    re.DOTALL,
)
# The same where comments begin with two slashes: strings in three quotes (Java, Kotlin, Scala, Swift, C#), raw strings
# of Go. No block comments: within a string, their sign may be a glob.
_SLASHES = r"//[^\n]*|\"(?:[^\"\\\n]|\\(?:.|\Z))*\"?|'(?:[^'\\\n]|\\(?:.|\Z))*'?"
_TRIPLE = re.compile(rf'(""")(?:[^\\]|\\(?:.|\Z))*?(?:(\1)|\Z)|{_SLASHES}', re.DOTALL)
_RAW = re.compile(rf"(`)[^`]*(?:(`)|\Z)|{_SLASHES}", re.DOTALL)
# Where a raw string of Rust begins: it ends with as many signs.
_RUST_RAW = re.compile(r"\br(#+)\"")
# Where a here document of a shell, Ruby or PHP begins.
_HERE = re.compile(r"<<<?[~-]?(['\"]?)([A-Za-z_]\w*)\1[^\n]*\n")
# What matters in JavaScript's code, with regular expressions after what no quotient follows; and within a template. A
# quotation mark that is not closed on its line is an apostrophe in text of JSX.
_SCRIPT_CODE = re.compile(
    r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[`{}]|\\."
    r"|(?<=[=(,:;!&|?\[])[ \t]*+/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,500}+/",
    re.DOTALL,
)
_SCRIPT_TEXT = re.compile(r"\\.|`|\$\{", re.DOTALL)
# A statement of SQL that defines something does so in a string, too.
_SQL = re.compile(r"[ \t]*create[ \t]", re.IGNORECASE)
# How only lines of GraphQL schemas begin: TypeScript has no `input`, and no brace right after `type User`.
# Source: the GraphQL specification, October 2021, 3.
_GRAPHQL = re.compile(
    r"[ \t]*(?:extend[ \t]+)?(?:(?:type|input)[ \t]+\w+[ \t]*(?:implements\b|[@{])|(?:scalar|union)[ \t]+\w)"
)
# Only at the beginning of a line: within one, it may be part of a string, such as a glob.
_BLOCK = re.compile(r"^[ \t]*/\*", re.MULTILINE), re.compile(r"\*/")
_DEFINE = re.compile(r"^[ \t]*define\b", re.MULTILINE), re.compile(r"^[ \t]*endef\b", re.MULTILINE)
_NOT_BLANK = re.compile(r"[^\n]")
_WITH_BLOCKS = frozenset(
    "c cc cpp cxx h hh hpp m mm cs java js jsx mjs cjs ts tsx mts cts go rs swift kt kts scala groovy gradle dart php"
    " css scss less sql proto zig v".split()
)
# Languages in which definitions are forms in parentheses.
LISP = frozenset("clj cljs cljc cljd bb el lisp lsp cl scm ss rkt".split())
_LIKE_PYTHON = frozenset("py pyi ex exs jl".split())
_WITH_TRIPLE = frozenset("java kt kts scala swift cs groovy gradle dart".split())
_WITH_HERE = frozenset("sh bash zsh rb rake php".split())
_SCRIPTS = frozenset("js jsx mjs cjs ts tsx mts cts".split())


def without_comments(code: str, extension: str) -> str:
    """Return source code with blanks in place of its block comments and its strings of several lines.

    Args:
        code: The source code.
        extension: The extension of its file, in lower case, such as ``py``; others than those known are left as they
            are.
    """
    if extension in _LIKE_PYTHON:
        return _PYTHON.sub(_blank, code) if '"""' in code or "'''" in code else code
    if extension in _WITH_BLOCKS and "/*" in code:
        code = _without_blocks(code, *_BLOCK)
    if extension in _WITH_TRIPLE and '"""' in code:
        return _TRIPLE.sub(_blank, code)
    if extension == "go" and "`" in code:
        return _RAW.sub(_blank, code)
    if extension in _WITH_HERE and "<<" in code:
        return _without_ends(code, _HERE, lambda match: re.compile(rf"^[ \t]*{match[2]}\b", re.MULTILINE))
    if extension == "rs":
        return _without_ends(code, _RUST_RAW, lambda match: re.compile(f'"{match[1]}'))
    return _without_templates(code) if extension in _SCRIPTS and "`" in code else code


def without_definitions(makefile: str) -> str:
    """Return a Makefile with blanks in place of the variables between ``define`` and ``endef``."""
    return _without_blocks(makefile, *_DEFINE) if "endef" in makefile else makefile


def _blank(match: re.Match[str]) -> str:
    is_closed = match[2] or not match[1]
    return _blanked(match[0]) if is_closed else match[0]


def _blanked(text: str) -> str:
    """Return blanks in place of a text of several lines, but for what SQL and GraphQL define; one line as it is."""
    lines = text.split("\n")
    kept = (line if _SQL.match(line) or _GRAPHQL.match(line) else " " * len(line) for line in lines)
    return "\n".join(kept) if len(lines) > 1 else text


def _without_blocks(code: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Return code without its blocks; one that is not closed is left as it is."""
    parts, start = [], 0
    while (begins := opening.search(code, start)) and (ends := closing.search(code, begins.end())):
        parts += [code[start : begins.start()], _NOT_BLANK.sub(" ", code[begins.start() : ends.end()])]
        start = ends.end()
    return "".join((*parts, code[start:]))


def _without_ends(code: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], re.Pattern[str]]) -> str:
    """Return code without strings whose end depends on their beginning; what is after one without an end stays."""
    parts, start = [], 0
    while (begins := opening.search(code, start)) and (ends := closing(begins).search(code, begins.end())):
        parts += [code[start : begins.end()], _blanked(code[begins.end() : ends.start()])]
        start = ends.start()
    return "".join((*parts, code[start:]))


def _without_templates(code: str) -> str:
    """Return JavaScript without the text of its templates; a tagged one (`gql`, `css`) is other code, and stays.

    Source: ECMAScript, 12.9.6, Template Literal Lexical Components.
    """
    parts, at, copied = list[str](), 0, 0
    # For each template that is open: whether it has a tag, and the braces that are open in its expression.
    templates: list[tuple[bool, int]] = []
    text_start = -1  # where text of the last one begins; -1 in code
    while match := (_SCRIPT_CODE if text_start < 0 else _SCRIPT_TEXT).search(code, at):
        sign, at = match[0], match.end()
        if text_start >= 0 and sign in ("`", "${"):
            if not templates[-1][0]:
                parts += [code[copied:text_start], _blanked(code[text_start : match.start()])]
                copied = match.start()
            text_start = -1
            if sign == "`":
                templates.pop()
        elif text_start < 0 and sign == "`":
            before = code[max(match.start() - 20, 0) : match.start()]
            is_tagged = before[-1:].isidentifier() or before.rstrip().endswith("*/") or code.startswith("#graphql", at)
            templates.append((is_tagged, 0))
            text_start = at
        elif text_start < 0 and templates and sign in ("{", "}"):
            is_tagged, braces = templates[-1]
            templates[-1] = (is_tagged, braces + 1 if sign == "{" else max(braces - 1, 0))
            text_start = at if sign == "}" and not braces else -1
    return "".join((*parts, code[copied:]))
