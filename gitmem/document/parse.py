"""One memory file to a ``Document``, or to one ``FormatError`` that says what is wrong with it and where."""

from __future__ import annotations

from gitmem.document import flat
from gitmem.document.fields import check_fields
from gitmem.document.split import decode, split
from gitmem.errors import FormatError
from gitmem.model import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parse(text: bytes | str, *, path: str) -> Document:
    """Return the memory that a file holds; its key is the stem of *path*.

    Reads nothing and runs nothing. No text makes it slow (at most 50 ms) or raises anything else.

    Args:
        text: The file as it is: UTF-8, with or without a byte order mark, with either kind of line break.
        path: Where it is in the store, or a name for it.

    Raises:
        FormatError: With ``code``, ``path`` and, where one is known, ``line``.
    """
    try:
        exact = decode(text)
        parts = split(exact)
        fields = read_fields(parts.frontmatter)
        check_fields(fields, parts.frontmatter)
    except FormatError as err:
        err.path = path
        raise
    key = path.rsplit("/", 1)[-1].removesuffix(".md")
    return Document(key=key, path=path, fields=fields, body=parts.body, text=exact)


def read_fields(frontmatter: str) -> dict[str, Any]:
    """Return the fields of a frontmatter with any line breaks, in file order: by the quick reader if it can.

    Raises:
        FormatError: As the strict reader's ``load``.
    """
    lines = unify(frontmatter)
    fields = flat.parse(lines)
    if fields is not None:
        return fields
    # Only here, as it brings in two packages that take 25 ms to import (measured, Python 3.11.7).
    from gitmem.document import strict

    return strict.read(f"---\n{lines}---\n")


def unify(text: str) -> str:
    """Return *text* with line feeds for the line breaks of Windows; a carriage return of its own stays."""
    return text.replace("\r\n", "\n") if "\r" in text else text
