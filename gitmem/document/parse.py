"""Parse a memory file into a ``Document``, or raise one ``FormatError`` that says what is wrong and where."""

from __future__ import annotations

from gitmem.document.fields import check_fields
from gitmem.document.split import decode, split
from gitmem.document.yaml import flat
from gitmem.errors import FormatError
from gitmem.model import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parse(text: bytes | str, *, path: str) -> Document:
    """Return the memory in a file; its key is the stem of *path*.

    Reads and runs nothing. No text makes it slow (at most 50 ms) or raises another error.

    Args:
        text: The file's text: UTF-8, with or without a byte order mark, with either kind of line break.
        path: Its path in the store, or a name for it.

    Raises:
        FormatError: With ``code``, ``path`` and, if known, ``line``.
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
    return Document(key, path, fields, parts.body, exact)


def read_fields(frontmatter: str) -> dict[str, Any]:
    """Return the fields of a frontmatter with any line breaks, in file order: by the quick reader if possible.

    Raises:
        FormatError: As for the strict reader's ``load``.
    """
    lines = unify(frontmatter)
    fields = flat.parse(lines)
    if fields is not None:
        return fields
    # Only here: it imports two packages that take 25 ms (measured, Python 3.11.7).
    from gitmem.document.yaml import strict

    return strict.read(f"---\n{lines}---\n")


def unify(text: str) -> str:
    """Return *text* with Windows line breaks replaced by line feeds; other carriage returns stay."""
    return text.replace("\r\n", "\n") if "\r" in text else text
