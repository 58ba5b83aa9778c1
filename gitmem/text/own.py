"""Tell gitmem's own words from text by others. Pure.

Text is by others unless its type says otherwise; any operation on an ``OwnWords`` or a ``Fenced`` returns a plain str.
"""

from __future__ import annotations

# The longest slug that may be shown outside the fence: the limit of a key.
SLUG_LIMIT = 100
_SLUG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_OPTION = _SLUG | {"="}


class OwnWords(str):
    """Text in gitmem's own words, with nothing from a repository but slugs and numbers."""

    __slots__ = ()


class Fenced(str):
    """Text by others inside its fence."""

    __slots__ = ()


def own(template: str, *values: object) -> str:
    """Fill a literal template: own words if all values are slugs, numbers or own words, else plain text.

    Args:
        template: A literal (a test checks it), with ``{}`` for each value.
        values: What is filled in.
    """
    text = template.format(*values)
    return OwnWords(text) if all(_is_own(value) for value in values) else text


def _is_own(value: object) -> bool:
    return isinstance(value, (OwnWords, int, float)) or (isinstance(value, str) and is_slug(value))


def is_slug(text: str) -> bool:
    """Return whether a text is a slug, a number or a commit: one short word of lower-case letters, digits, ``-_.``."""
    return 0 < len(text) <= SLUG_LIMIT and _SLUG.issuperset(text)


def is_command_line(text: str) -> bool:
    """Return whether a text is a command line of gitmem with slugs, options, and placeholders in capitals only."""
    first, *words = text.split(" ")
    return first == "gitmem" and all(
        _OPTION.issuperset(word) or (word.isascii() and word.isalpha() and word.isupper()) for word in words
    )
