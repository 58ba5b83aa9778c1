"""Write a new memory file in its usual form, without a YAML library.

The result reads back the same, with the quick reader and with the strict one (a property test checks this).
"""

from __future__ import annotations

from gitmem.document.split import MAX_BYTES, MAX_FRONTMATTER_BYTES
from gitmem.document.yaml.scalars import MAX_DEPTH, is_key, is_name, is_plain, is_plain_inside, is_text, resolve
from gitmem.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# The order in a new file: content, proof, links, value, origin. Other fields follow in
# the given order.
ORDER = tuple(
    """
    schema title kind tags domains paths refs anchors verify refute ttl timeout network env outside independent requires
    produces supersedes superseded_by correction confirmed category confidence importance priority parent state project
    workspace created updated by task claimed attempts closed retired
    """.split()
)
_PLACES = {name: place for place, name in enumerate(ORDER)}

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format(fields: Mapping[str, Any], body: str) -> str:  # noqa: A001 - the pair of `parse`
    """Return the text of a memory file, ending with a newline.

    Args:
        fields: Text, numbers, booleans, None, lists and mappings of these. Known names come first, in ``ORDER``.
        body: Written unchanged; a missing newline at its end is added.

    Raises:
        FormatError: ``bad-key``, ``bad-number``, ``too-deep``, ``not-utf8``, ``nul-character``,
            ``frontmatter-too-large`` or ``too-large``: no file can contain this.
    """
    lines = format_fields(fields)
    text = f"---\n{lines}---\n{end_line(body)}"
    if "\0" in body:
        raise FormatError("a NUL character in the body", code="nul-character")
    if len(_encoded(lines)) > MAX_FRONTMATTER_BYTES:
        raise FormatError(
            "the frontmatter would be too large", code="frontmatter-too-large", hint="move text into the body"
        )
    if len(_encoded(text)) > MAX_BYTES:
        raise FormatError("the memory would be too large", code="too-large", hint="split it into several memories")
    return text


def end_line(body: str) -> str:
    """Return a body whose last line ends with a newline."""
    return body if body.endswith("\n") or not body else body + "\n"


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as err:
        raise FormatError("a lone surrogate", code="not-utf8") from err


def format_fields(fields: Mapping[str, Any]) -> str:
    """Return the lines between the fences, each ending with a newline."""
    names = sorted(fields, key=place_of)
    # An empty frontmatter would not be a mapping.
    return "".join(format_field(name, fields[name]) for name in names) or "{}\n"


def place_of(name: str) -> int:
    """Return a field's position among the others; unknown ones share the last place (sorting keeps their order)."""
    return _PLACES.get(name, len(ORDER))


def format_field(name: str, value: Any, *, on_one_line: bool = False) -> str:
    """Return the lines of one field, each ending with a newline.

    A text of several lines is a block if that is exact, and a list of mappings (a task's attempts) has a line for each,
    which suits merges by line, diffs and the quick reader.
    """
    if isinstance(value, str) and "\n" in value and not on_one_line and _is_block(value):
        header = "|" if value.endswith("\n") else "|-"
        return f"{_name(name)}: {header}\n" + "".join(f"  {line}\n" if line else "\n" for line in _lines(value))
    if isinstance(value, list) and value and not on_one_line and all(isinstance(part, dict) for part in value):
        return f"{_name(name)}:\n" + "".join(f"  - {_inside(part, 2)}\n" for part in value)
    return f"{_name(name)}: {_value(value)}\n"


def _lines(value: str) -> list[str]:
    return value.removesuffix("\n").split("\n")


def _is_block(value: str) -> bool:
    """Return whether a text of several lines reads back exactly from a literal block indented by two.

    Leading space would count as indentation, and empty lines at the end are dropped: such texts are quoted.
    """
    lines = _lines(value)
    return (
        value.replace("\n", "").replace("\t", "").isprintable()
        and lines[0][:1] not in ("", " ", "\t")
        and lines[-1] != ""
        and all(line == "" or line.strip(" \t") for line in lines)
    )


def _name(name: str) -> str:
    if is_name(name):
        return name
    if not is_key(name):
        raise FormatError(f"invalid field name: {name!r}", code="bad-key")
    return _quoted(name)


def _value(value: Any) -> str:
    """Return a value in the form for after ``name:``."""
    if isinstance(value, str):
        return value if is_plain(value) and is_text(value) else _quoted(value)
    return _inside(value, 1)


def _inside(value: Any, depth: int) -> str:
    """Return a value on one line, in the form for inside brackets; *depth* collections are open around it."""
    if isinstance(value, str):
        return value if is_plain_inside(value) and is_text(value) else _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return _number(value)
    if depth == MAX_DEPTH:
        raise FormatError(f"nested more than {MAX_DEPTH} levels deep", code="too-deep")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inside(part, depth + 1) for part in value) + "]"
    pairs = (f"{_name(name)}: {_inside(part, depth + 1)}" for name, part in value.items())
    return "{" + ", ".join(pairs) + "}"


def _number(value: float) -> str:
    text = repr(value)
    if "e" in text:
        # The readers accept at most 24 decimals in a number; numbers that do not fit are refused below.
        text = f"{value:.24f}".rstrip("0")
        text = text + "0" if text.endswith(".") else text
    resolved = resolve(text)
    if type(resolved) is not type(value) or resolved != value:
        raise FormatError(f"the number {value!r} cannot be stored exactly in a memory", code="bad-number")
    return text


def _quoted(text: str) -> str:
    """Return a text in double quotes, with invisible characters escaped (YAML 1.2.2, rules 41-62)."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    if "\0" in text:
        raise FormatError("a NUL character in a field", code="nul-character")
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise FormatError("a lone surrogate in a field", code="not-utf8")
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
