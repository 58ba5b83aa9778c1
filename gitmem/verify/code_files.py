"""The files of the code, by path and by glob. Pure; imports nothing slow, because commits wait for it."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from gitmem.text.globs import first_wildcard, fixed_prefix, is_plain, matcher, normal, unescape, without_sets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Mode, object name and path.
Entry = tuple[str, str, str]
# The mode of a submodule: a commit of another repository (gitformat-index(5)).
SUBMODULE = "160000"


class CodeFiles:
    """A list of files that can be matched with globs."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = sorted(entries, key=lambda e: e[2])
        self._paths = [path for _, _, path in self._entries]
        self._matched: dict[str, tuple[Entry, ...]] = {}

    @property
    def entries(self) -> Sequence[Entry]:
        """Return mode, object name and path of every file, by path."""
        return self._entries

    @cached_property
    def attributes(self) -> tuple[Entry, ...]:
        """Return the files that determine how others are checked out: line endings, ``ident`` (gitattributes(5))."""
        return tuple(entry for entry in self._entries if entry[2].rpartition("/")[2] == ".gitattributes")

    def match(self, glob: str) -> tuple[Entry, ...]:
        """Return mode, object name and path of every file that *glob* names, by path; may be empty."""
        entries = self._matched.get(glob)
        if entries is None:
            entries = self._matched[glob] = self._match(glob)
        return entries

    def match_any(self, globs: Sequence[str]) -> tuple[Entry, ...]:
        """Return every file that any of the globs names, by path; may be empty."""
        if len(globs) == 1:
            return self.match(globs[0])
        return tuple(sorted({entry for glob in globs for entry in self.match(glob)}, key=lambda e: e[2]))

    def _match(self, glob: str) -> tuple[Entry, ...]:
        """Return the files that a glob names: what exists exactly is itself, then sets count as text, then as sets."""
        pattern = normal(glob)
        is_path = is_plain(pattern)
        if is_path or pattern[first_wildcard(pattern)] == "[":
            for path in dict.fromkeys((pattern, unescape(pattern)) if is_path else (pattern,)):
                if entries := self._at_or_below(path):
                    return entries
        if is_path and pattern.isascii():
            return ()
        as_text = without_sets(pattern)
        return (self._search(as_text) if as_text != pattern else ()) or self._search(pattern)

    def _at_or_below(self, path: str) -> tuple[Entry, ...]:
        first = bisect_left(self._paths, path)
        itself = self._entries[first : first + 1] if self._paths[first : first + 1] == [path] else []
        start, end = (bisect_left(self._paths, path + char) for char in ("/", "0"))  # "0" follows "/"
        return (*itself, *self._entries[start:end])

    def _search(self, glob: str) -> tuple[Entry, ...]:
        prefix = fixed_prefix(glob) if glob.isascii() else ""
        first = bisect_left(self._paths, prefix)
        if first == len(self._paths) or not self._paths[first].startswith(prefix):
            return ()  # return before compiling a pattern, which costs more than the rest
        matches = matcher(glob)
        entries = []
        for at in range(first, len(self._paths)):
            if not self._paths[at].startswith(prefix):
                break
            if matches(self._paths[at]):
                entries.append(self._entries[at])
        return tuple(entries)
