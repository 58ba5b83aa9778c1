"""The answers of built-in checks, computed from what was found in the files that they read. Pure."""

from __future__ import annotations

from types import MappingProxyType

from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILS, HOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitmem.document.elsewhere import Foundation

# Names of values that must not be repeated, and the minimum length of such a value.
_SECRET_NAMES = tuple(
    """
    password passwd passphrase secret token apikey privatekey credential accesskey
    """.split()
)
_SECRET_CHARS = 8
HIDDEN = "[hidden]"
# How the problem of a file begins whose text is unknown.
NO_TEXT = "cannot be read as text"
# A longer value is truncated in a reason.
SHOWN_LIMIT = 100


@frozen
class FileFinding:
    """Something that a check found in a file.

    Attributes:
        line: Its line, from 1; 0 for the file as a whole.
        value: The file's value there, on one line.
        problem: Why the file cannot be read; it is then the only finding.
        links: Globs of other files that this file includes; such a finding has nothing else.
        key: If the check looks for several things, the one found.
    """

    line: int = 0
    value: str = ""
    problem: str = ""
    links: tuple[str, ...] = ()
    key: str = ""


@frozen
class BuiltinAnswer:
    """The answer of a built-in check.

    Attributes:
        outcome: ``holds``, ``fails`` or ``blocked``.
        because: The reason, with the place: ``pyproject.toml:12 states >=3.10, not >=3.11``.
        where: The place, ``path:line`` or a path; empty if there is none.
        actual: The value found, for a check that compares one; on one line.
    """

    outcome: str
    because: str
    where: str = ""
    actual: str = ""


@frozen
class FoundFiles:
    """The files that a check reads, and the findings in them.

    Attributes:
        paths: All of them, sorted by path.
        findings: The findings by path; a file without an entry could not be read at all.
        matcher: Returns a function that matches paths against a glob (``text.globs``).
        elsewhere: What is known of facts of other repositories, by reference.
    """

    paths: Sequence[str]
    findings: Mapping[str, Sequence[FileFinding]]
    matcher: Callable[[str], Callable[[str], bool]]
    elsewhere: Mapping[str, Foundation] = MappingProxyType({})

    def list_findings(self) -> list[tuple[str, FileFinding]]:
        """Return the findings with their files, by path and in file order."""
        return [
            (path, finding)
            for path in self.paths
            for finding in self.findings.get(path, ())
            if not finding.problem and not finding.links
        ]

    def unread(self) -> list[str]:
        """Return why files could not be read, one text each, by path; may be empty."""
        found = []
        for path in self.paths:
            if path not in self.findings:
                found.append(f"{path} could not be read")
            problems = [finding.problem for finding in self.findings.get(path, ()) if finding.problem]
            found += [
                f"{path} {why}" if why.startswith(NO_TEXT) else f"{path} could not be read: {why}" for why in problems
            ]
        return found

    def with_included(self, root_globs: Sequence[str]) -> FoundFiles:
        """Return the files that match the globs, and those that these include."""
        tests = [self.matcher(glob) for glob in root_globs]
        chosen = {path for path in self.paths if any(test(path) for test in tests)}
        waiting = sorted(chosen)
        while waiting:
            links = [link for finding in self.findings.get(waiting.pop(), ()) for link in finding.links]
            tests = [self.matcher(link) for link in links]
            more = {path for path in self.paths if path not in chosen and any(test(path) for test in tests)}
            chosen |= more
            waiting += sorted(more)
        return FoundFiles([path for path in self.paths if path in chosen], self.findings, self.matcher)

    def list_missing(self, *endings: str) -> list[str]:
        """Return the included files with these endings that are not among the files; sorted."""
        links = {link for path in self.paths for finding in self.findings.get(path, ()) for link in finding.links}
        return sorted(link for link in links if link.endswith(endings) and link not in self.paths)


def place(path: str, finding: FileFinding) -> str:
    """Return the place of a finding: ``path:line``, or the path if the line is unknown."""
    return f"{path}:{finding.line}" if finding.line else path


def blocked_answer(reasons: Sequence[str]) -> BuiltinAnswer:
    """Return the answer for unreadable files."""
    return BuiltinAnswer(BLOCKED, reasons[0] + more(reasons))


def more(items: Sequence[object]) -> str:
    """Return the number of findings besides the named one, as text."""
    return f" and {len(items) - 1} more" if len(items) > 1 else ""


def conceal(key: str, value: str) -> str:
    """Return a value, or ``[hidden]`` if its key marks it as a secret: reasons are committed and pushed."""
    name = "".join(char for char in key.lower() if char.isalnum())
    is_secret = len(value) >= _SECRET_CHARS and any(word in name for word in _SECRET_NAMES)
    return HIDDEN if is_secret else value


def shorten_value(value: str) -> str:
    """Return a value truncated for a reason."""
    return value if len(value) <= SHOWN_LIMIT else f"{value[:SHOWN_LIMIT]}…"


def comparison_answer(where: str, value: str, wanted: str, *, is_as_wanted: bool | None) -> BuiltinAnswer:
    """Return the answer for a compared value; ``is_as_wanted`` is None if the two cannot be compared."""
    stated = f"{where} states {shorten_value(value)}"
    if is_as_wanted is None:
        return BuiltinAnswer(BLOCKED, f"{stated}, which cannot be compared with {wanted}", where, value)
    if is_as_wanted:
        return BuiltinAnswer(HOLDS, stated, where, value)
    return BuiltinAnswer(FAILS, f"{stated}, not {wanted}", where, value)
