"""The searches and answers of built-in checks about files: presence, a text, a regular expression, a checksum. Pure.

Text is bytes in UTF-8. What cannot be read as such proves nothing about its text: not that it contains something, and
not that it lacks it. A binary file is not text, so its bytes are searched as they are.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.document.answers import NO_TEXT, BuiltinAnswer, FileFinding, FoundFiles, blocked_answer, more, place
from gitmem.model import BLOCKED, FAILS, HOLDS
from gitmem.text.globs import escape, is_path_like, is_plain, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.document.check_values import CheckArguments

    # Returns what a check looks for in one file, given its path and content; may be empty.
    Probe = Callable[[str, bytes], Sequence[FileFinding]]
    Conclusion = Callable[[CheckArguments, FoundFiles], BuiltinAnswer]

# How a pointer begins, and its greatest size in bytes (git-lfs, docs/spec.md).
LFS_START, LFS_LIMIT = b"version https://git-lfs.github.com/spec/", 1024
LFS_OID = b"\noid sha256:"
# Bytes by which a file in UTF-16 without a byte order mark is recognised.
SAMPLE = 4096
BOM = b"\xef\xbb\xbf"


def first_fact_command(files: Sequence[str]) -> str:
    """Return the command that records a fact about one of some files, of which there is at least one."""
    import shlex  # it imports re: 6 ms, and recall needs neither

    if "README.md" in files:
        return 'gitmem fact "There is a README" --exists README.md'
    return f"gitmem fact {shlex.quote(f'There is a file {files[0]}')} --exists {shlex.quote(files[0])}"


def path_globs(taken: CheckArguments) -> tuple[str, ...]:
    """Return the glob that names the path of a check, whatever characters are in it."""
    return (escape(taken.text),)


def absent_globs(taken: CheckArguments) -> tuple[str, ...]:
    """Return the glob of a path, and for a text with ``*`` or ``?`` the glob that it would be."""
    exact = escape(taken.text)
    return (exact,) if is_path_like(taken.text) else (exact, taken.text)


def file_globs(taken: CheckArguments) -> tuple[str, ...]:
    """Return the glob of the files that a check searches."""
    return (taken.where,)


def one_file(taken: CheckArguments) -> tuple[str, ...]:
    """Return the glob that names the one file of a check."""
    return (escape(taken.where),)


def files_or(default: tuple[str, ...]) -> Callable[[CheckArguments], tuple[str, ...]]:
    """Return a function for the globs of a check that need not name its files."""
    return lambda taken: (taken.where,) if taken.where else default


def exists(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    """Conclude whether a file or folder exists."""
    if files.paths:
        return BuiltinAnswer(HOLDS, f"{taken.text} exists", taken.text)
    return BuiltinAnswer(FAILS, no_such_file(taken.text))


def absent(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    """Conclude whether no file or folder has this path; undecided for a glob that names only other files."""
    path = taken.text.removesuffix("/")
    if any(one == path or one.startswith(f"{path}/") for one in files.paths) or (
        files.paths and is_path_like(taken.text)
    ):
        return BuiltinAnswer(FAILS, f"{taken.text} exists", taken.text)
    if files.paths:
        named = files.paths[0] + more(files.paths)
        message = f"`absent` takes a path; as a glob, {taken.text} would match {named}: name each file"
        return BuiltinAnswer(BLOCKED, message)
    return BuiltinAnswer(HOLDS, f"{taken.text} does not exist")


def no_such_file(path: str) -> str:
    """Return the reason of a check whose file does not exist, with the repair if a glob was given as its path."""
    if is_path_like(path):
        return f"{path} does not exist"
    return f"no file has the name {path}; this check takes a path: for a glob, use {{contains: TEXT, in: {path}}}"


def contains(taken: CheckArguments) -> Probe:
    """Return a search for a text."""
    sought = taken.text.encode("utf-8", "surrogateescape")
    is_multiline = b"\n" in sought

    def probe(_: str, content: bytes) -> Sequence[FileFinding]:
        offset = content.find(sought)
        if offset < 0 and is_multiline:
            content = _plain_lines(content)
            offset = content.find(sought)
        return _at(content, offset)

    return of_text(probe)


def matches(taken: CheckArguments) -> Probe | None:
    """Return a search for a regular expression; others wrote it, so it must run in linear time."""
    import re2  # 8.5 ms (measured), only for a regular expression

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1  # text is bytes
    try:
        pattern = re2.compile(b"(?m)" + taken.text.encode("utf-8"), options)
    except (re2.error, UnicodeEncodeError):
        return None

    def probe(_: str, content: bytes) -> Sequence[FileFinding]:
        # ``$`` is the end of a line whatever ends it, and ``^`` the start of a file with a byte order mark.
        for text in dict.fromkeys((content, _plain_lines(content))):
            match = pattern.search(text)
            if match is not None:
                return _at(text, match.start())
        return ()

    return of_text(probe)


def is_same(taken: CheckArguments) -> Probe:
    """Return a comparison with a checksum; an LFS pointer states that of the file's content."""
    from hashlib import sha256  # 3 ms (measured), only for such a check

    wanted = taken.text.lower()

    def probe(_: str, content: bytes) -> Sequence[FileFinding]:
        is_pointer = _is_pointer(content) and LFS_OID + wanted.encode("ascii") in content
        return [FileFinding()] if is_pointer or sha256(content).hexdigest() == wanted else ()

    return probe


def of_text(probe: Probe) -> Probe:
    """Return a probe that reports a file that cannot be read as text."""

    def read(path: str, content: bytes) -> Sequence[FileFinding]:
        why = why_no_text(content)
        return [FileFinding(problem=f"{NO_TEXT}: {why}")] if why else probe(path, content)

    return read


@lru_cache(maxsize=1)  # many checks read one file after each other
def why_no_text(content: bytes) -> str:
    """Return why a file proves nothing about its text; empty for text in UTF-8, and for what is not text at all."""
    if _is_pointer(content):
        return "it is a Git LFS pointer"
    if b"\0" in content:
        return "it is UTF-16, not UTF-8" if _is_utf16(content) else ""
    if content.isascii():
        return ""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as err:
        line = content.count(b"\n", 0, err.start) + 1
        return f"line {line} is not UTF-8"
    return ""


def _is_pointer(content: bytes) -> bool:
    return len(content) < LFS_LIMIT and content.startswith(LFS_START) and LFS_OID in content


def _is_utf16(content: bytes) -> bool:
    """Return whether a file with zero bytes is text in UTF-16 or UTF-32, with or without a byte order mark."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return True
    return len(content) % 2 == 0 and any(_is_printable(content[:SAMPLE], codec) for codec in ("utf-16-le", "utf-16-be"))


def _is_printable(sample: bytes, codec: str) -> bool:
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char in "\t\r\n\f" for char in text)


def _plain_lines(content: bytes) -> bytes:
    """Return a text with line feeds alone, and without a byte order mark."""
    return content.removeprefix(BOM).replace(b"\r\n", b"\n")


def _at(content: bytes, offset: int) -> Sequence[FileFinding]:
    return () if offset < 0 else [FileFinding(content.count(b"\n", 0, offset) + 1)]


def _shown(glob: str) -> str:
    """Return a glob as a reason shows it: the path, if it names one."""
    return unescape(glob) if is_plain(glob) else glob


def some_file(holds: str, fails: str, fails_alone: str = "") -> Conclusion:
    """Return the conclusion that a file has something; ``{text}``, ``{where}`` and ``{first}`` are filled in.

    Args:
        holds: What is said if one has it.
        fails: What is said if none has it.
        fails_alone: The same if only one file was named; empty: no other words.
    """

    def conclude(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
        having, unread = files.list_findings(), files.unread()
        if not files.paths:
            return BuiltinAnswer(FAILS, f"no file matches {_shown(taken.where)}")
        if having:
            first = place(*having[0])
            return BuiltinAnswer(HOLDS, holds.format(text=taken.text, first=first), first)
        if unread and not taken.is_everywhere:  # what is too large to be read is data, and defines nothing
            return blocked_answer(unread)
        where = "the code" if taken.is_everywhere and taken.where == "**" else _shown(taken.where)
        because = fails_alone if fails_alone and is_plain(taken.where) else fails
        return BuiltinAnswer(FAILS, because.format(text=taken.text, where=where))

    return conclude


def same(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    """Conclude whether the file has a checksum."""
    if not files.paths:
        return BuiltinAnswer(FAILS, no_such_file(taken.where))
    return some_file("{first} has this SHA-256", "{where} has another SHA-256")(taken, files)


def no_file(taken: CheckArguments, files: FoundFiles) -> BuiltinAnswer:
    """Conclude that no file contains a text."""
    having, unread = files.list_findings(), files.unread()
    if not files.paths:
        return BuiltinAnswer(BLOCKED, f"no file matches {_shown(taken.where)}")
    if having:
        first = place(*having[0])
        return BuiltinAnswer(FAILS, f"{first} contains {taken.text!r}{more(having)}", first)
    if unread:
        return blocked_answer(unread)
    where = _shown(taken.where)
    if is_plain(taken.where):
        return BuiltinAnswer(HOLDS, f"{where} does not contain {taken.text!r}")
    return BuiltinAnswer(HOLDS, f"no file of {where} contains {taken.text!r}")
