"""Fingerprints of texts: they find a text again without containing it.

A fingerprint has the length of the text, a 16-bit checksum that rules out nearly every other text at once, and a salted
scrypt hash that decides. Whoever reads it can test guesses, 65,536 of them per scrypt hash: a weak password can be
guessed from it, a random token cannot.
"""

from __future__ import annotations

import hashlib
import os
import zlib

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A shorter text would be found in unrelated places.
SHORTEST = 6
# 12 ms per hash (measured): RFC 7914, section 2, names the parameters.
_COST, _BLOCK, _LANES, _BYTES = 1 << 12, 8, 1, 16
_SALT = 8


@frozen
class Fingerprint:
    """The fingerprint of one text.

    Attributes:
        length: Its length in bytes.
        salt: Random bytes.
        check: Its 16-bit checksum.
        digest: Its scrypt hash.
    """

    length: int
    salt: bytes
    check: int
    digest: bytes

    def matches(self, text: bytes) -> bool:
        """Return whether this is the fingerprint of a text."""
        return len(text) == self.length and _check(text, self.salt) == self.check and self._is_text(text)

    def _is_text(self, text: bytes) -> bool:
        return _digest(text, self.salt) == self.digest

    def find(self, content: bytes) -> bytes | None:
        """Return the text if a content has it."""
        start, last = zlib.crc32(self.salt), len(content) - self.length
        for at in range(last + 1):
            if zlib.crc32(content[at : at + self.length], start) & 0xFFFF == self.check:
                text = content[at : at + self.length]
                if self._is_text(text):
                    return text
        return None


def fingerprint(text: bytes) -> Fingerprint:
    """Return a new fingerprint of a text."""
    salt = os.urandom(_SALT)
    return Fingerprint(len(text), salt, _check(text, salt), _digest(text, salt))


def format_fingerprint(fingerprint: Fingerprint) -> str:
    """Return a fingerprint as words; ``parse_fingerprint`` undoes it."""
    return f"{fingerprint.length} {fingerprint.salt.hex()} {fingerprint.check:04x} {fingerprint.digest.hex()}"


def parse_fingerprint(words: Sequence[str]) -> Fingerprint | None:
    """Return the fingerprint in four words; None if they are something else."""
    try:
        length, salt, check, digest = words
        fingerprint = Fingerprint(int(length), bytes.fromhex(salt), int(check, 16), bytes.fromhex(digest))
    except ValueError:
        return None
    return (
        fingerprint
        if fingerprint.length >= 1 and len(fingerprint.salt) == _SALT and len(fingerprint.digest) == _BYTES
        else None
    )


def _check(text: bytes, salt: bytes) -> int:
    return zlib.crc32(text, zlib.crc32(salt)) & 0xFFFF


def _digest(text: bytes, salt: bytes) -> bytes:
    return hashlib.scrypt(text, salt=salt, n=_COST, r=_BLOCK, p=_LANES, dklen=_BYTES)
