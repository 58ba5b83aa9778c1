"""The complete reader: python-frontmatter and PyYAML, limited to a strict and small subset of YAML.

Values are built here from PyYAML's events, not by its constructors: those silently keep the last of two equal keys,
turn ``yes`` into a boolean and ``1:30`` into 90, raise bare ``ValueError`` on dates, and expand aliases without a limit
(measured with PyYAML 6.0.3). Every refusal is a ``FormatError``.
"""

from __future__ import annotations

from gitmem.document.format import format_fields
from gitmem.document.split import split
from gitmem.document.yaml import scalars
from gitmem.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# The line of the frontmatter's first line in the file.
FIRST_LINE = 2

# Line breaks in YAML 1.1 that editors do not show as such: next line, line and paragraph separator, and a lone carriage
# return. They could split a command in two.
_BREAKS = {"\r": "carriage return", "\x85": "next line", "\u2028": "line separator", "\u2029": "paragraph separator"}

# YAML 1.2.2, rule 1 (c-printable), without the line breaks above; a byte order mark is for the file's start only.
_REFUSED = {*map(chr, range(32)), *map(chr, range(127, 160)), "\ufeff", "\ufffe", "\uffff"} - {"\t", "\n"}

_NO_DEFAULT: Any = object()

_TOO_DEEP = f"nested more than {scalars.MAX_DEPTH} levels deep"
# The same from libyaml's scanner, which since 0.2.6 refuses it while looking ahead, before the first event (measured
# with PyYAML 6.0.4).
_LIBYAML_TOO_DEEP = "exceeded maximum nesting depth"


def read(text: str) -> dict[str, Any]:
    """Return the fields of a whole memory file, through python-frontmatter.

    Args:
        text: The file without a byte order mark, with line feeds as its only line breaks.

    Raises:
        FormatError: As for ``load`` and ``split.split``.
    """
    # 25 ms with PyYAML (measured, Python 3.11.7); most files are read without it.
    import frontmatter

    fields, _ = frontmatter.parse(text, handler=handler())
    return fields


def handler() -> Any:
    """Return a handler for python-frontmatter: strict fences, the strict reader, and gitmem's own writer.

    ``frontmatter.load(path, handler=handler())`` reads a memory like gitmem, except for white space around its body,
    which python-frontmatter strips.
    """
    from frontmatter.default_handlers import YAMLHandler

    class Handler(YAMLHandler):
        def split(self, text: str) -> tuple[str, str]:
            parts = split(text)
            return parts.frontmatter, parts.body

        def load(self, fm: str, **kwargs: object) -> Any:
            return load(fm)

        def export(self, metadata: dict[str, object], **kwargs: object) -> str:
            return format_fields(metadata).removesuffix("\n")

    return Handler()


def load(text: str) -> dict[str, Any]:
    """Return the fields of a frontmatter in file order.

    Args:
        text: The lines between the fences, with line feeds as their only line breaks.

    Raises:
        FormatError: The frontmatter is invalid; ``line`` is the line in the file, whose opening fence is line 1.
    """
    fields = build(events(text), text)
    if not isinstance(fields, dict):
        raise FormatError(
            f"the frontmatter is {_called(fields)}, not a mapping",
            code="not-a-mapping",
            line=FIRST_LINE,
            hint="write lines of `name: value`",
        )
    return fields


def _called(value: object) -> str:
    if value is _NO_DEFAULT or value is None:
        return "empty"
    return "a list" if isinstance(value, list) else "a single value"


def events(text: str) -> Iterator[Any]:
    """Yield PyYAML's events for a frontmatter: from libyaml if PyYAML has it, else from its Python parser.

    Raises:
        FormatError: ``line-separator``, ``control-character`` or ``bad-yaml``.
    """
    _check_characters(text)
    import yaml

    # The iterator is advanced inside the `try`, but the caller's handling of an event is outside.
    try:
        yield from yaml.parse(text, Loader=yaml.CSafeLoader if yaml.__with_libyaml__ else bounded_loader())
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        line = FIRST_LINE + mark.line if mark else 0
        if err.problem in (_TOO_DEEP, _LIBYAML_TOO_DEEP):
            raise FormatError(_TOO_DEEP, code="too-deep", line=line) from err
        raise FormatError(f"not valid YAML: {err.problem}", code="bad-yaml", line=line) from err
    except (yaml.YAMLError, ValueError, OverflowError) as err:
        # The last two: PyYAML's Python scanner passes on the errors of `chr` and `int` for an escape or a directive.
        raise FormatError("not valid YAML", code="bad-yaml", line=FIRST_LINE) from err


def _check_characters(text: str) -> None:
    if text.replace("\n", "").replace("\t", "").isprintable():
        return
    for offset, character in enumerate(text):
        line = FIRST_LINE + text.count("\n", 0, offset) if character in _BREAKS or character in _REFUSED else 0
        if character in _BREAKS:
            raise FormatError(
                f"a hidden line break ({_BREAKS[character]}) in the frontmatter", code="line-separator", line=line
            )
        if character in _REFUSED:
            raise FormatError(
                f"a control character (U+{ord(character):04X}) in the frontmatter", code="control-character", line=line
            )


def bounded_loader() -> Any:
    """Return PyYAML's Python loader, changed to refuse deep brackets while it scans.

    It looks 1,024 characters ahead before its first event and visits all open brackets at each step (measured: 1,000
    opening brackets take 1.2 s); libyaml does the same in a millisecond.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        def fetch_flow_collection_start(self, token: Any) -> None:
            if self.flow_level >= scalars.MAX_DEPTH:
                raise yaml.scanner.ScannerError(None, None, _TOO_DEEP, self.get_mark())
            super().fetch_flow_collection_start(token)

    return Loader


def build(stream: Iterator[Any], text: str) -> Any:
    """Return the value in a stream of events, without recursion; ``_NO_DEFAULT`` for an empty stream.

    Raises:
        FormatError: A duplicate key, an anchor, an alias, a tag, a merge key, a key that is not a name, a directive, a
            second document, or nesting past ``scalars.MAX_DEPTH``.
    """
    root: Any = _NO_DEFAULT
    # The open collections, outermost first: each with the key that awaits its value, and its start event.
    frames: list[list[Any]] = []
    for event in stream:
        kind = type(event).__name__
        if kind.startswith(("Stream", "Document")):
            _check_document(kind, event)
            continue
        if kind in ("SequenceEndEvent", "MappingEndEvent"):
            frames.pop()
            continue
        _check_node(kind, event)
        value: Any = _NEW[kind]() if kind in _NEW else _scalar(event)
        if frames:
            _add_value(frames[-1], value, event, text)
        else:
            root = value
        if kind in _NEW:
            if len(frames) == scalars.MAX_DEPTH:
                raise _error(event, _TOO_DEEP, "too-deep")
            frames.append([value, None, event])
    return root


def _add_value(frame: list[Any], value: Any, event: Any, text: str) -> None:
    """Put a value into the innermost collection: as its next element, its next key, or the value of the pending key."""
    collection, key, start = frame
    if isinstance(collection, list):
        collection.append(value)
    elif key is None:
        frame[1] = name = _key(event, start, text)
        if name in collection:
            raise _error(event, f"duplicate key `{name}`", "duplicate-key")
    else:
        collection[key] = value
        frame[1] = None


_NEW: dict[str, Any] = {"SequenceStartEvent": list, "MappingStartEvent": dict}


def _check_document(kind: str, event: Any) -> None:
    if kind == "DocumentStartEvent" and (event.version or event.tags):
        raise _error(event, "YAML directives (`%`) are not allowed in a memory", "directive")
    if kind in ("DocumentStartEvent", "DocumentEndEvent") and event.explicit:
        raise _error(event, "more than one YAML document", "two-documents")


def _check_node(kind: str, event: Any) -> None:
    if kind == "AliasEvent":
        raise _error(event, f"an alias (`*{event.anchor}`): write the value out", "alias")
    if event.anchor is not None:
        raise _error(event, f"an anchor (`&{event.anchor}`): write the value out where it is needed", "anchor")
    if event.tag is not None:
        raise _error(event, f"a tag (`{event.tag}`): write a plain value", "tag")


def _scalar(event: Any) -> Any:
    value: str = event.value
    if not event.style:
        return scalars.resolve(value)
    if "\0" in value:
        raise _error(event, "a NUL character (an escape in quotes)", "nul-character")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise _error(event, "a lone surrogate (an escape in quotes)", "not-utf8")
    return value


# Numbers in YAML 1.1 that are text here; as a key they would differ between gitmem and other readers.
_FLOATS = frozenset((".nan", ".inf", "-.inf", "+.inf"))


def _key(event: Any, mapping: Any, text: str) -> str:
    """Return the text of a key.

    Raises:
        FormatError: ``complex-key``, ``merge-key`` or ``bad-key``.
    """
    if type(event).__name__ != "ScalarEvent" or _is_explicit(event, mapping, text):
        raise _error(event, "a complex key: write `name: value`", "complex-key")
    name: str = event.value
    if not event.style and name == "<<":
        raise _error(event, "a merge key (`<<`): write the values out", "merge-key")
    typed = not event.style and (not isinstance(scalars.resolve(name), str) or name.lower() in _FLOATS)
    if typed or not scalars.is_key(name):
        raise _error(event, "an invalid key: start it with a letter, or quote it", "bad-key")
    return name


def _is_explicit(key: Any, mapping: Any, text: str) -> bool:
    """Return whether a key was written after ``?``, which no event reports."""
    if not mapping.flow_style:
        return bool(key.start_mark.column != mapping.start_mark.column)
    return text[: key.start_mark.index].rstrip().endswith("?")


def _error(event: Any, message: str, code: str) -> FormatError:
    return FormatError(message, code=code, line=FIRST_LINE + event.start_mark.line)
