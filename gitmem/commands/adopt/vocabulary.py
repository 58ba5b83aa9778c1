"""Find which of many names occur in texts: in one pass through each text, however many the names."""

from __future__ import annotations

import re

# A larger file is data.
FILE_LIMIT = 1024 * 1024

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set
    from typing import Any

    from gitmem.git import Git

_JOINT = re.compile(rb"[^A-Za-z0-9_]")
_LETTERS = frozenset(code for code in range(128) if chr(code).isalnum() or code == 95)
_SPLITTING = bytes(code if code in _LETTERS else 32 for code in range(256))
# With more names, most texts have one.
_MOST_ALTERNATIVES = 400


class Vocabulary:
    """The names that are looked for in texts: whole words, or several words with other characters between them."""

    def __init__(self, names: Iterable[bytes]) -> None:
        self._simple = {name for name in names if not _JOINT.search(name)}
        self._compound = {
            name: frozenset(filter(None, _JOINT.split(name))) for name in names if name not in self._simple
        }
        # The names of several words by their longest one, so that each text is only searched for a few of them.
        self._by_word: dict[bytes, list[bytes]] = {}
        for name, parts in self._compound.items():
            self._by_word.setdefault(max(parts, key=len, default=b""), []).append(name)
        # A pattern for any of the names, and how many names it has.
        self._any: Any = None
        self._size = 0

    def __len__(self) -> int:
        return len(self._simple) + len(self._compound)

    def in_text(self, content: bytes) -> set[bytes]:
        """Return the names in a text."""
        if not self._has_any(content):
            return set()
        # Splitting all of a text into words is faster than searching for some hundred of them (measured: 30 times).
        words = set(content.translate(_SPLITTING).split())
        words.add(b"")  # the word of names that are only signs
        possible = (name for word in self._by_word.keys() & words for name in self._by_word[word])
        return (self._simple & words).union(name for name in possible if self._is_in(content, words, name))

    def _is_in(self, content: bytes, words: set[bytes], name: bytes) -> bool:
        """Return whether a text with these words has a name of several words that is still looked for."""
        parts = self._compound.get(name)
        return parts is not None and parts <= words and _is_whole_in(content, name)

    def _has_any(self, content: bytes) -> bool:
        """Return whether a text may have a name: nine times as fast as splitting it (measured: 3 ns for each byte)."""
        if len(self) > _MOST_ALTERNATIVES:
            return True
        if self._any is None or len(self) * 2 <= self._size:
            import re2  # 8.5 ms (measured), only if documents name something

            options = re2.Options()
            options.encoding, options.max_mem = re2.Options.Encoding.LATIN1, 64 * 1024 * 1024
            either = b"|".join(map(_escape, (*self._simple, *self._compound)))
            self._any, self._size = re2.compile(either, options), len(self)
        return self._any.search(content) is not None

    def discard(self, name: bytes) -> None:
        """Look for a name no longer."""
        self._simple.discard(name)
        self._compound.pop(name, None)


def _escape(name: bytes) -> bytes:
    """Return a name as a pattern of re2: one without other characters only as a whole word."""
    written = b"".join(b"%c" % code if code in _LETTERS else b"\\x%02x" % code for code in name)
    return written if _JOINT.search(name) else rb"\b" + written + rb"\b"


def _is_whole_in(content: bytes, name: bytes) -> bool:
    """Return whether a text has a name that is not part of a longer word; after a sign (`load(`), a word may follow."""
    at = content.find(name)
    while at >= 0:
        before, after = content[max(at - 1, 0) : at], content[at + len(name) : at + len(name) + 1]
        if _LETTERS.isdisjoint(before) and (name[-1] not in _LETTERS or _LETTERS.isdisjoint(after)):
            return True
        at = content.find(name, at + 1)
    return False


class Occurrences:
    """Which texts of a repository have which words: each text is searched once for each word, whatever the commit."""

    def __init__(self, git: Git) -> None:
        self._git = git
        # Every word, in the order in which they were expected, and how many of them each text was searched for.
        self._words: dict[str, None] = {}
        self._searched: dict[str, int] = {}
        self._having: dict[str, set[str]] = {}
        # How many times further words were expected.
        self.rounds = 0

    def expect(self, words: Iterable[str]) -> None:
        """Search for further words: all that are known when the first texts are read are found in one pass."""
        known = len(self._words)
        self._words |= dict.fromkeys(filter(None, words))
        self.rounds += len(self._words) > known

    def read(self, oids: Set[str]) -> None:
        """Search some texts for the words that they were not searched for yet; neither large nor binary texts."""
        behind: dict[int, list[str]] = {}
        for oid in sorted(oids):
            if (done := self._searched.get(oid, 0)) < len(self._words):
                behind.setdefault(done, []).append(oid)
        for done, texts in behind.items():
            self._search(texts, list(self._words)[done:])
            self._searched.update(dict.fromkeys(texts, len(self._words)))

    def _search(self, oids: Sequence[str], words: Iterable[str]) -> None:
        sizes = self._git.sizes(oids)
        names = Vocabulary({word.encode("utf-8", "surrogateescape") for word in words})
        for oid, content in self._git.read_blobs([oid for oid in oids if 0 < sizes[oid] <= FILE_LIMIT]):
            if content is not None and b"\0" not in content[:8000]:
                for word in names.in_text(content):
                    self._having.setdefault(word.decode("utf-8", "surrogateescape"), set()).add(oid)

    def having(self, words: Iterable[str]) -> set[str]:
        """Return the searched texts with one of some expected words, by object name."""
        return {oid for word in words for oid in self._having.get(word, ())}
