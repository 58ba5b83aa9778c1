"""Read Evernote's exports (``.enex``): each note with its times and tags, and its text as Markdown.

Sources: Evernote's "How Evernote's XML export format works" and its DTDs ``evernote-export4.dtd`` and ``enml2.dtd``
(``en-note``, ``en-todo``, ``en-media``, ``en-crypt``); exports of versions 6 and 10, which write tasks as
``--en-checked`` and blocks of code as ``-en-codeblock`` in ``style``, and links to notes as ``evernote:///view/…``
with the note's title as text.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from html.entities import html5
from xml.parsers import expat

from gitmem.frozen import frozen, replace
from gitmem.plugins.import_.fields import ImportRecord, Unreadable, from_table, without_empty
from gitmem.plugins.import_.times import time_of
from gitmem.system import only_regular
from gitmem.text import count_of, display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.plugins.import_.names import Names

ENEX = (".enex",)
# The most characters of a note with its markup, as of a file that is cut into sections.
CONTENT_LIMIT = 4 << 20
# The elements of a note that are read, by the names of their fields; the note's text has its own limit.
_READ = {
    "title": "title",
    "created": "created",
    "updated": "edited",
    "tag": "tags",
    "author": "author",
    "source-url": "source_url",
    "notebook": "notebook",
    "taskStatus": "status",
    "reminder-time": "reminder",
    "file-name": "attachments",
    "content": "content",
}
_BLOCKS = frozenset(
    "address article blockquote center dd div dl dt en-note h1 h2 h3 h4 h5 h6 li ol p pre section table tr ul".split()
)
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "s": "~~", "del": "~~", "strike": "~~"}
_NOT_SHOWN = frozenset(("style", "script", "title", "head", "en-crypt"))
_FENCE = "```"
# Elements in each other: beyond this, the markup is taken for broken.
MOST_NESTED = 200
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31};)")
_TAG = re.compile(r"<[^<>]*>")
# An empty element without its end, as HTML writes it.
_VOID = re.compile(r"<(br|hr|img|en-media|en-todo)\b([^<>]*)(?<!/)>", re.I)


@frozen
class _Note:
    """A note as the file has it: its fields by name, and how many attachments it has."""

    fields: Mapping[str, Any]
    attachments: int
    line: int


class _Export:
    """Collects the notes of an export while it is parsed."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.notes: list[_Note] = []
        self._parser = parser
        self._fields: dict[str, Any] = {}
        self._attachments = self._line = 0
        self._text: list[str] | None = None
        self._is_in_resource = False
        self._task: dict[str, str] | None = None
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add
        parser.EntityDeclHandler = _refuse_entity

    def _start(self, name: str, _: dict[str, str]) -> None:
        if name == "note":
            self._fields, self._attachments, self._line = {}, 0, self._parser.CurrentLineNumber
        elif name == "resource":
            self._attachments += 1
            self._is_in_resource = True  # it has attributes of the same names
        elif name == "task":
            self._task = {}
        is_own = name in _READ and self._is_in_resource == (name == "file-name")
        self._text = [] if is_own else None

    def _add(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if name == "note":
            self.notes.append(_Note(self._fields, self._attachments, self._line))
        elif name == "resource":
            self._is_in_resource = False
        elif name == "task" and self._task is not None:
            sign = "x" if self._task.get("status") == "completed" else " "
            self._fields.setdefault("tasks", []).append(f"- [{sign}] {self._task.get('title', '')}")
            self._task = None
        elif self._text is not None:
            text, field = "".join(self._text).strip(), _READ[name]
            if self._task is not None:
                self._task.setdefault(field, text)
            elif field in ("tags", "attachments"):
                self._fields.setdefault(field, []).append(text)
            elif text:
                self._fields.setdefault(field, text)
        self._text = None


def _refuse_entity(*_: object) -> None:
    raise ValueError("it declares entities, which no export of Evernote does")


def read_enex(path: str, where: str, kind: str, name: str, names: Names) -> Iterator[ImportRecord | Unreadable]:
    """Yield the memory in each note of an export, or the reason why there is none.

    Args:
        path: The file.
        where: Its name in reports.
        kind: The kind of the memories.
        name: Its name with that of the folder.
        names: The names of the import's notes, to which its own are added: notebooks may have notes of one title.
    """
    parser = expat.ParserCreate()
    export = _Export(parser)
    problem = None
    try:
        with open(path, "rb", opener=only_regular) as file:
            parser.ParseFile(file)
    except OSError as err:
        problem = Unreadable(where, str(err.strerror))
    except expat.ExpatError as err:
        problem = Unreadable(f"{where}:{err.lineno}", f"it is not XML: {expat.ErrorString(err.code)}")
    except ValueError as err:
        problem = Unreadable(where, str(err))
    titles = [str(note.fields.get("title", "")) for note in export.notes]
    numbered = _numbered(titles)
    note_names = [f"{name}#{display(title)}" if title else "" for title in numbered]
    keys = [names.key(own, title) if title else "" for own, title in zip(note_names, numbered, strict=True)]
    often = Counter(titles)
    linked = {title: key for title, key in zip(titles, keys, strict=True) if often[title] == 1}
    for note, own, key in zip(export.notes, note_names, keys, strict=True):
        record = _record(note, f"{where}:{note.line}", kind, key, linked)
        yield replace(record, name=own) if isinstance(record, ImportRecord) and own else record
    if problem is not None:
        yield problem


def _numbered(titles: Sequence[str]) -> list[str]:
    """Return titles with a number after the second and later ones of several, so that no two are equal."""
    counts, used = Counter[str](), set(titles)
    names = []
    for title in titles:
        counts[title] += 1
        name = title
        while title and counts[title] > 1 and (name := f"{title} {counts[title]}") in used:
            counts[title] += 1
        used.add(name)
        names.append(name)
    return names


def _record(note: _Note, where: str, kind: str, key: str, keys: Mapping[str, str]) -> ImportRecord | Unreadable:
    content = str(note.fields.get("content", ""))
    if len(content) > CONTENT_LIMIT:
        return Unreadable(where, f"the note is longer than {CONTENT_LIMIT >> 20} MiB")
    text = _read_text(content)
    refs = [keys[title] for title in text.linked if keys.get(title, key) != key]
    rest = {field: value for field, value in note.fields.items() if field not in ("content", "edited", "tasks")}
    rest |= without_empty(**{name: time_of(note.fields.get(name)) for name in ("edited", "reminder")})
    body = "\n\n".join(filter(None, (text.markdown, "\n".join(note.fields.get("tasks", ())))))
    table = rest | without_empty(key=key, body=body, refs=list(dict.fromkeys(refs)))
    record = from_table(table, where=where, kind=kind)
    remarks = [f"{count_of(note.attachments, 'attachment')} left out"] if note.attachments else []
    remarks += ["encrypted text was left out"] if text.is_encrypted else []
    remarks += ["its markup is broken, so it came as plain text"] if text.is_broken else []
    if isinstance(record, Unreadable):
        return Unreadable(where, "; ".join(["it is empty", *remarks]), is_skipped=True)
    return replace(record, remark="; ".join([*filter(None, (record.remark,)), *remarks]))


@frozen
class _Text:
    """The text of a note.

    Attributes:
        markdown: The text as Markdown.
        linked: The texts of links to other notes.
        is_encrypted: Whether a part of it is encrypted.
        is_broken: Whether its markup could not be read.
    """

    markdown: str
    linked: tuple[str, ...] = ()
    is_encrypted: bool = False
    is_broken: bool = False


def _read_text(content: str) -> _Text:
    """Read the text of a note, which is XHTML with a few elements of Evernote's."""
    plain = _ENTITY.sub(_character_of, content)
    for markup in (plain, _VOID.sub(r"<\1\2/>", plain)):
        parser = expat.ParserCreate()
        text = _TextBuilder(parser)
        try:
            parser.Parse(markup.encode("utf-8", "replace"), True)
        except (expat.ExpatError, ValueError):
            continue
        return _Text(text.markdown(), tuple(text.linked), text.is_encrypted)
    lines = (" ".join(unescape(line).split()) for line in _TAG.sub("\n", content).split("\n"))
    return _Text("\n".join(filter(None, lines)), is_broken=bool(content.strip()))


def _character_of(match: re.Match[str]) -> str:
    """Return the character that a name of HTML stands for; names that XML has stay, and unknown ones become text."""
    character = html5.get(match[1], "")
    return match[0] if character in ("<", ">", "&", '"', "'") else character or f"&amp;{match[1]}"


class _TextBuilder:
    """Turns the text of a note into Markdown while it is parsed.

    Attributes:
        linked: The texts of links to other notes.
        is_encrypted: Whether a part of it is encrypted.
    """

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.linked: list[str] = []
        self.is_encrypted = False
        self._lines: list[str] = []
        self._line: list[str] = []
        # The open elements: how much of the line precedes them, and an address or mark for their end.
        self._open: list[tuple[int, str]] = []
        self._lists: list[tuple[str, bool]] = []
        self._rows: list[int] = []
        self._depth = self._hidden = self._code = 0
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add
        parser.EntityDeclHandler = _refuse_entity

    def markdown(self) -> str:
        """Return the text, without blank lines at its ends or several in a row."""
        self._end_line()
        lines = [line.rstrip() for line in self._lines]
        shown = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
        return "\n".join(shown).strip("\n")

    def _add(self, data: str) -> None:
        """Add text: blanks and line ends count only in code."""
        if self._hidden:
            return
        data = data.replace("\xa0", " ")
        if self._code:
            first, *rest = data.split("\n")
            self._line.append(first)
            for line in rest:
                self._end_line(always=True)
                self._line.append(line)
        elif data.strip():
            lead, trail = (" " if char.isspace() else "" for char in (data[0], data[-1]))
            self._line.append(f"{lead if self._line else ''}{' '.join(data.split())}{trail}")
        elif self._line:
            self._line.append(" ")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise ValueError("too many elements are in each other")
        tag = tag.lower()
        style = attributes.get("style", "").replace(" ", "")
        if tag in _NOT_SHOWN:
            self._hidden += 1
            self.is_encrypted = self.is_encrypted or tag == "en-crypt"
        if self._hidden:
            return
        is_code = tag == "pre" or "-en-codeblock:true" in style
        if tag == "br":
            self._end_line(always=True)
        elif tag == "hr":
            self._end_line()
            self._lines += ["", "---", ""]
        elif tag == "en-todo":
            self._line.append(f"{'' if self._line else '- '}[{'x' if attributes.get('checked') == 'true' else ' '}] ")
        elif tag == "img" and attributes.get("alt"):
            self._line.append(attributes["alt"])
        elif tag in ("td", "th"):
            self._line.append(" | ")
        if tag in _BLOCKS and not (self._rows and tag != "tr"):
            self._begin_block(tag, style)
        self._open.append((len(self._line), _FENCE if is_code else attributes.get("href", "")))
        if is_code:
            self._code += 1
            self._lines.append(_FENCE)

    def _begin_block(self, tag: str, style: str) -> None:
        is_item_open = len(self._line) == 1 and self._line[0].endswith(("- ", ". ", "] "))
        if not is_item_open:
            self._end_line()
        if tag in ("ul", "ol"):
            self._lists.append((tag, "--en-todo:true" in style))
        elif tag == "li":
            kind, is_task = self._lists[-1] if self._lists else ("ul", False)
            box = "[x] " if "--en-checked:true" in style else "[ ] " if is_task or "--en-checked:" in style else ""
            self._line = [f"{'  ' * (len(self._lists) - 1)}{'1. ' if kind == 'ol' else '- '}{box}"]
        elif tag == "table":
            self._lines.append("")
        elif tag == "tr":
            self._rows.append(0)
        elif tag[0] == "h" and tag[1:].isdigit():
            self._lines.append("")
            self._line = [f"{'#' * int(tag[1:])} "]

    def _end(self, tag: str) -> None:
        self._depth -= 1
        tag = tag.lower()
        is_shown = not self._hidden
        self._hidden -= tag in _NOT_SHOWN
        if not is_shown:
            return
        at, value = self._open.pop()
        if value == _FENCE:
            self._code -= 1
            self._end_line()
            self._lines += [_FENCE]
        elif tag == "tr" and self._rows:
            self._end_row()
        elif tag in _BLOCKS and self._rows:
            self._line.append(" ")  # a cell has one line
        elif tag in _BLOCKS:
            self._end_line()
            if tag in ("ul", "ol") and self._lists:
                self._lists.pop()
        elif tag == "a" and value:
            self._wrap(at, "[", f"]({value})")
            if value.startswith(("evernote:", "https://www.evernote.com/shard/")):
                self.linked.append("".join(self._line[at:])[1 : -len(f"]({value})")].strip())
        elif tag in _MARKS and not self._code:
            self._wrap(at, _MARKS[tag], _MARKS[tag])

    def _end_row(self) -> None:
        number = self._rows.pop()
        self._line = [" ".join([*"".join(self._line).split(), "|"])]
        cells = self._line[0].count("|") - 1
        is_first = not (self._lines and self._lines[-1].startswith("|")) and number == 0
        self._end_line()
        if is_first and cells:
            self._lines.append("|" + " --- |" * cells)

    def _wrap(self, at: int, before: str, after: str) -> None:
        """Put signs around the text of an element that is in one line; an empty one has none."""
        text = "".join(self._line[at:])
        if inner := text.strip():
            lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
            self._line[at:] = [f"{lead}{before}{inner}{after}{trail}"]

    def _end_line(self, *, always: bool = False) -> None:
        if self._rows and not always:
            return
        if self._rows:
            self._line.append(" ")
        elif always or "".join(self._line).strip():
            self._lines.append("".join(self._line))
            self._line = []
