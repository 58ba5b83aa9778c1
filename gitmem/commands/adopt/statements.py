"""A document's statements: its bullets, sentences, table rows, commands in code blocks, entries of trees. Pure.

Markdown is read line by line, because every claim needs its line number. The block structure follows CommonMark 0.31 as
far as it determines what is code: fences (section 4.5), front matter and HTML comments.
"""

from __future__ import annotations

import re
from functools import cached_property

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BULLET, SENTENCE, ROW, CODE, TREE, HEADING = "bullet", "sentence", "row", "code", "tree", "heading"
# The language of a block with a drawing of parts or types.
DRAWING = "drawing"
_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*([\w+#.-]*)")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)((?:.|\n(?!\s*\n))+?)(?<!`)\1(?!`)")
# Literal text of AsciiDoc within code: `+src/a.py+`.
_LITERAL = re.compile(r"\A\+([^+]+)\+\Z")
_LINK = re.compile(r"(?<!!)\[([^\]]{0,300})\]\(\s{0,20}<?([^)\s>]{1,300})>?(?:\s{1,20}\"[^\"]{0,400}\")?\s{0,20}\)")
_BOLD = re.compile(r"\*\*([^*`\[\]]+?)\*\*")
_TREE = re.compile(r"^([\s│|]*)(?:[├└]|\+--|\|--|`--)[─\-–\s]*")
_BARS = ("│", "|")
_TREE_MARKS = re.compile(r"[\s│|├└─\-–+`]*")
# The corner or the side of a box: a drawing of parts and arrows, not of folders.
_BOX = re.compile(r"[┌┐┘╔╗╝╭╮╯]|\+[-=]{3,}+\+")
_TYPE = re.compile(r"[A-Z][a-z0-9]+[A-Z]\w*$")
_ENTRY = re.compile(r"^(\S+?)/?(?:\s+(?:[#←(<→–—-]|//).*|\s{2,}.*|\s*)$")
# The start of an import whose names may be on the next lines, and the most lines of one.
_IMPORT = re.compile(r"^\s*(?:from [\w.]+ import|import|export|(?:pub )?use)\b")
LONGEST_IMPORT = 60
# How a line begins that is a remark.
_REMARKS = ("#", "//", "--")
SHELLS = frozenset({"", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "powershell", "ps1"})
# Blocks that may also show what a command printed: the lines without a prompt, below one with it.
_TRANSCRIPTS = frozenset({"", "console", "shell-session", "terminal", "text", "txt"})
PROMPT = re.compile(r"^\s*(?:\[[^\]]*\]|\([^)]*\)|[\w.-]+@[^\s$]+|~)?\s?[$❯]\s+(?=\S)")
# What comes before the tree of something that a command makes, not of this repository.
_MADE = re.compile(
    r"\b(?:creates?|generates?|scaffolds?|produces?|bootstraps?|sets up|will (?:look|be)|should (?:look|have)|"
    r"(?:is|are|be|gets?) (?:created|generated)|generated|scaffolded)\b"
    r"[^.]*\b(?:projects?|structures?|layouts?|director(?:y|ies)|folders?|files|apps?|applications?|the following|"
    r"like|trees?|this)\b|生成的?.*(?:结构|目录|项目)",
    re.I,
)
_END = re.compile(r"(?<=[.!?。！？])\s+(?=[A-Z`*\[\"'])")


@frozen
class Span:
    """A marked part of a statement: ``code``, ``link`` (its target) or ``bold``."""

    kind: str
    text: str
    line: int


@frozen
class Statement:
    """One statement.

    Attributes:
        kind: ``bullet``, ``sentence``, ``row``, ``code``, ``tree`` or ``heading``.
        line: Its first line, from 1.
        lines: Its lines, as written.
        section: The headings above it, joined.
        language: The language of a code block.
        header: The cells of a table's first row.
        path: The path of an entry in a folder tree, from the tree's root, including the root's name if it has one.
        remark: The remark above a line of a code block, in the same paragraph.
    """

    kind: str
    line: int
    lines: tuple[str, ...]
    section: str = ""
    language: str = ""
    header: tuple[str, ...] = ()
    path: str = ""
    remark: str = ""

    @cached_property
    def text(self) -> str:
        """Return its text as one line."""
        return " ".join(line.strip() for line in self.lines).strip()

    @property
    def last(self) -> int:
        """Return its last line."""
        return self.line + len(self.lines) - 1

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Return the marked parts, by line; one may go on in the next line (CommonMark 0.31, section 6.1)."""
        if self.kind in (BULLET, SENTENCE) and len(self.lines) > 1:
            return tuple(_spans("\n".join(self.lines), self.line))
        return tuple(span for at, line in enumerate(self.lines) for span in _spans(line, self.line + at))

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Return the cells of a table row."""
        return cells_of(self.lines[0])


def _is_comment(line: str) -> bool:
    """Return whether a line is a comment and nothing else, which ends a paragraph or item (CommonMark 0.31, 4.6)."""
    return line.lstrip().startswith("<!--") and line.rstrip().endswith("-->")


def is_rule(line: str) -> bool:
    """Return whether a line is the rule below a table's first row."""
    return "--" in line and not line.strip(" \t:|-")


def cells_of(line: str) -> tuple[str, ...]:
    """Return the cells of a table row; a bar in code is escaped or between backticks."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    held = _CODE.sub(lambda match: match[0].replace("|", "\0"), inner.replace("\\|", "\0"))
    return tuple(cell.strip().replace("\0", "|") for cell in held.split("|"))


def _spans(text: str, first: int) -> list[Span]:
    """Return the marked parts of a text whose first line has this number, by the line in which each begins."""
    spans = []
    for kind, pattern, group in (("code", _CODE, 2), ("link", _LINK, 2), ("bold", _BOLD, 1)):
        for hit in pattern.finditer(text):
            words = " ".join(filter(None, map(str.strip, hit[group].split("\n"))))
            words = _LITERAL.sub(r"\1", words) if kind == "code" else words
            spans.append(Span(kind, words, first + text.count("\n", 0, hit.start(group))))
    return sorted(spans, key=lambda span: span.line)


def split(text: str) -> list[Statement]:
    """Return the statements of a document, in order."""
    return list(_Splitter(text.split("\n")).statements())


class _Splitter:
    """Reads a document line by line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = [line.rstrip("\r") for line in lines]
        self._headings: list[str] = []

    def statements(self) -> Iterator[Statement]:
        at = self._front_matter()
        while at < len(self._lines):
            line = self._lines[at]
            if fence := _FENCE.match(line):
                end = self._end_of_fence(at, fence[1])
                yield from self._block(at + 1, end, fence[2].lower())
                at = end + 1
            elif "<!--" in line and "-->" not in line:
                at = next((n for n in range(at, len(self._lines)) if "-->" in self._lines[n]), len(self._lines)) + 1
            elif _is_comment(line):
                yield self._make(SENTENCE, at, at + 1)
                at += 1
            elif heading := _HEADING.match(line):
                del self._headings[len(heading[1]) - 1 :]
                self._headings += [""] * (len(heading[1]) - 1 - len(self._headings)) + [heading[2]]
                yield self._make(HEADING, at, at + 1)
                at += 1
            elif line.lstrip().startswith("|"):
                end = self._while(at, lambda other: other.lstrip().startswith("|"))
                yield from self._table(at, end)
                at = end
            elif not line.strip():
                at += 1
            else:
                end = self._while(at + 1, lambda other: not self._begins(other))
                if _BULLET.match(line):
                    yield self._make(BULLET, at, end)
                else:
                    yield from self._sentences(at, end)
                at = end

    def _front_matter(self) -> int:
        if self._lines[:1] != ["---"]:
            return 0
        return next((at + 1 for at in range(1, len(self._lines)) if self._lines[at] == "---"), 0)

    def _begins(self, line: str) -> bool:
        return (
            not line.strip()
            or _is_comment(line)
            or bool(_FENCE.match(line) or _HEADING.match(line) or _BULLET.match(line) or line.lstrip().startswith("|"))
        )

    def _while(self, at: int, has: Callable[[str], bool]) -> int:
        while at < len(self._lines) and has(self._lines[at]):
            at += 1
        return at

    def _end_of_fence(self, at: int, mark: str) -> int:
        closing = re.compile(rf"^\s*{re.escape(mark[0])}{{{len(mark)},}}\s*$")
        return next((n for n in range(at + 1, len(self._lines)) if closing.match(self._lines[n])), len(self._lines))

    def _make(self, kind: str, at: int, end: int, **more: object) -> Statement:
        section = " › ".join(filter(None, self._headings))
        return Statement(kind, at + 1, tuple(self._lines[at:end]), section=section, **more)  # type: ignore[arg-type]

    def _sentences(self, at: int, end: int) -> Iterator[Statement]:
        """Yield a paragraph's sentences; a sentence at the start of a line begins a new statement."""
        start = at
        for number in range(at + 1, end):
            before = self._lines[number - 1].rstrip()
            if before.endswith((".", "!", "?", ":", "  ", "\\")):
                yield self._make(SENTENCE, start, number)
                start = number
        yield self._make(SENTENCE, start, end)

    def _table(self, at: int, end: int) -> Iterator[Statement]:
        has_header = at + 1 < end and is_rule(self._lines[at + 1])
        header = cells_of(self._lines[at]) if has_header else ()
        for number in range(at + 2 if has_header else at, end):
            if not is_rule(self._lines[number]):
                yield self._make(ROW, number, number + 1, header=header)

    def _block(self, at: int, end: int, language: str) -> Iterator[Statement]:
        inside = self._lines[at:end]
        if sum(bool(_TREE.match(line)) for line in inside) >= 2:
            is_tree = not (self._is_made(at - 1) or any(_BOX.search(line) for line in inside))
            entries = list(self._tree(at, end)) if is_tree else []
            if entries and not _are_types(entries):
                yield from entries
            else:
                yield from (
                    self._make(CODE, number, number + 1, language=DRAWING)
                    for number in range(at, end)
                    if not self._is_made(at - 1) and self._lines[number].strip()
                )
        elif language in ("", "text", "txt", "plaintext") and _is_listing(inside):
            yield from self._listing(at, end)
        elif language in SHELLS or language in ("text", "txt"):
            number, remark, is_typed = at, "", True
            while number < end:
                last = number + 1
                while last < end and self._lines[last - 1].endswith("\\"):
                    last += 1
                line = self._lines[number].strip()
                remark = line if line.startswith("#") or not line else remark
                has_prompt = PROMPT.match(line) is not None
                is_typed = is_typed and not (has_prompt and language in _TRANSCRIPTS)
                if line and (is_typed or has_prompt or line.startswith("#")):
                    yield self._make(CODE, number, last, language=language, remark=remark)
                number = last
        else:
            number, remark = at, ""
            while number < end:
                last = self._end_of_import(number, end)
                line = self._lines[number].strip()
                remark = line if line.startswith(_REMARKS) or not line else remark
                if line:
                    yield self._make(CODE, number, last, language=language, remark=remark)
                number = last

    def _end_of_import(self, at: int, end: int) -> int:
        """Return the line after an import that begins in a line, which may go on to its closing bracket."""
        depth = 0
        for number in range(at, min(end, at + LONGEST_IMPORT)) if _IMPORT.match(self._lines[at]) else ():
            line = self._lines[number]
            depth += line.count("(") + line.count("{") - line.count(")") - line.count("}")
            if depth <= 0:
                return number + 1
        return at + 1

    def _is_made(self, fence: int) -> bool:
        """Return whether the paragraph before a code block says that it shows what a command makes."""
        end = fence
        while end and not self._lines[end - 1].strip():
            end -= 1
        start = end
        while start and self._lines[start - 1].strip() and not _HEADING.match(self._lines[start - 1]):
            start -= 1
        return _MADE.search(" ".join(self._lines[start:end])) is not None

    def _tree(self, at: int, end: int) -> Iterator[Statement]:
        """Yield the entries of a tree drawn with lines."""
        above: list[tuple[int, str]] = []
        for number in range(at, end):
            line = self._lines[number]
            drawn = _TREE.match(line)
            if not drawn and line.lstrip()[:1] in _BARS:  # a gap, or more of the remark above
                continue
            rest = line[drawn.end() :] if drawn else line.strip()
            entry = _ENTRY.match(rest)
            if entry is None:
                continue
            depth = drawn.end() if drawn else indentation_of(line)
            _drop_deeper(above, depth)
            name = entry[1].strip("/")
            above.append((depth, "" if name == "." else name))
            path = "/".join(filter(None, (name for _, name in above)))
            if path and (drawn or not any(mark in rest for mark in "$<>=:")):
                yield self._make(TREE, number, number + 1, path=path)

    def _listing(self, at: int, end: int) -> Iterator[Statement]:
        """Yield the entries of a listing: a path at the start of each line, folders by indentation."""
        above: list[tuple[int, str]] = []
        for number in range(at, end):
            line = self._lines[number]
            entry = _ENTRY.match(line.strip())
            if entry is None:
                continue
            depth = indentation_of(line)
            _drop_deeper(above, depth)
            name = entry[1].strip("/")
            path = "/".join([*(part for _, part in above), name])
            if line.strip()[len(entry[1]) : len(entry[1]) + 1] == "/" or entry[1].endswith("/"):
                above.append((depth, name))
            yield self._make(TREE, number, number + 1, path=path)


def _are_types(entries: list[Statement]) -> bool:
    """Return whether the entries of a tree are names of types, which inherit or contain each other, and no files."""
    names = [statement.path.rpartition("/")[2] for statement in entries]
    # An entry of dots stands for others of its kind.
    is_path = any(
        ("." in name and name.strip(".…")) or f"{name}/" in entry.lines[0]
        for name, entry in zip(names, entries, strict=True)
    )
    return not is_path and 2 * sum(bool(_TYPE.match(name)) for name in names) > len(names)


def _drop_deeper(above: list[tuple[int, str]], depth: int) -> None:
    """Remove the folders that an entry at this depth is not in."""
    while above and above[-1][0] >= depth:
        above.pop()


def indentation_of(line: str) -> int:
    """Return the number of spaces before a line's text."""
    return len(line) - len(line.lstrip())


def depth_in_tree(line: str) -> int:
    """Return the number of characters before the name of an entry in a tree: blanks and lines."""
    match = _TREE_MARKS.match(line)
    assert match is not None, "the pattern also matches nothing"
    return match.end()


def _is_listing(lines: list[str]) -> bool:
    """Return whether a code block lists files, with or without remarks."""
    written = [line.strip() for line in lines if line.strip()]
    names = [
        line for line in written if re.match(r"^\.?[\w@.\-\[\]]+(/[\w@.\-\[\]]+)*/?(\s+[-#←(–—]\s*.*|\s{2,}.*)?$", line)
    ]
    like = [line for line in names if re.match(r"^\S*(/|\.\w+)(\s|$)|^[.\w-]+\s+-\s", line)]
    return len(written) >= 2 and len(names) == len(written) and 2 * len(like) >= len(written)
