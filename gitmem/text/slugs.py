"""Slugs: names made of a title. Pure."""

from __future__ import annotations

from gitmem.text.tokens import GAPS, fold

_SLUG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
# What every ASCII character becomes.
_ASCII = "".join(char if char in _SLUG else " " for char in map(chr, range(128)))
# The most characters of a key that is made from a text.
KEY_TEXT = 40


def slug(text: str, *, limit: int = 60) -> str:
    """Return a lower-case ASCII slug of the first *limit* characters, cut at the end of a word.

    Accents are transliterated (NFKD) and apostrophes left out; every other run of characters becomes one hyphen.

    Returns:
        At most *limit* (>= 1) characters of ``[a-z0-9]([a-z0-9-]*[a-z0-9])?``; empty if there is no such character (a
        title in Chinese): the caller then needs another name.
    """
    head = " ".join(text[: 10 * limit].split())
    cut = head[:limit]
    if head[limit : limit + 1].isalnum():
        words = GAPS.fill(cut, with_emoji=False).replace(".", " ").replace("/", " ").rpartition(" ")[0].rstrip()
        cut = cut[: len(words)] or cut
    plain = fold(cut).replace("'", "").replace("’", "").lower()  # "don't" is one word
    words = plain.translate(_ASCII) if plain.isascii() else "".join(char if char in _SLUG else " " for char in plain)
    return "-".join(words.split())[:limit].rstrip("-")


def hashed_slug(text: str, digest: str, *, otherwise: str) -> str:
    """Return the key of something that is recognised again by a hash of its name: a slug of a text, and the hash.

    Args:
        text: What people read: the title, or a name.
        digest: The hash of what identifies it, in hex.
        otherwise: The first word if the text has no slug, such as the kind.

    Returns:
        At most ``KEY_TEXT`` characters; it begins with the same words as a longer slug of the text.
    """
    return f"{slug(text, limit=KEY_TEXT - len(digest) - 1) or otherwise.replace('_', '-')}-{digest}"
