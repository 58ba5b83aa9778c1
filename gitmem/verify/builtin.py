"""Built-in checks, answered from the commit's objects: no process of theirs, no checkout, no approval.

Text is bytes. A glob that matches no file makes ``contains`` and ``matches`` fail and ``lacks`` an error. Regular
expressions come from other people and run on re2, whose time is linear (threat T25).
"""

from __future__ import annotations

from hashlib import sha256

from gitmem.frozen import frozen
from gitmem.model import ERROR, FAILS, HOLDS, Check
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.git.binary import Git
    from gitmem.verify.files import Entry
    from gitmem.verify.inputs import CodeTree

# A file larger than this is not code; reading it would cost more memory than an answer is worth.
FILE_LIMIT = 32 * 1024 * 1024
# What is read of many commits at once: two seconds' worth.
ALL_LIMIT = 256 * 1024 * 1024
# What they read is which files there are, and none of their content.
PRESENCE = ("exists", "absent")
# Modes whose blob is content of a file: a symbolic link's blob is its target, a submodule has none.
FILE_MODES = frozenset({"100644", "100755"})


@frozen
class Answer:
    """What a built-in check answers: ``holds``, ``fails`` or ``error``, and why."""

    outcome: str
    because: str


def answer_all(git: Git, tree: CodeTree, checks: Iterable[Check]) -> dict[Check, Answer]:
    """Answer many checks, reading every file of the code at most once."""
    answers: dict[Check, Answer] = {}
    files: dict[Check, Sequence[Entry]] = {}
    for check in dict.fromkeys(checks):
        if check.words[0] in PRESENCE:
            answers[check] = _presence(tree, check)
        else:
            files[check] = files_of(tree, check)
    found = look_into(git, files)
    return answers | {check: conclude(check, entries, found[check]) for check, entries in files.items()}


def look_into(git: Git, files: Mapping[Check, Iterable[Entry]]) -> dict[Check, dict[str, bool]]:
    """Return for each check and blob whether that has what the check looks for; blobs not read are left out."""
    found: dict[Check, dict[str, bool]] = {check: {} for check in files}
    readers: dict[str, list[tuple[Callable[[bytes], bool], dict[str, bool]]]] = {}
    for check, entries in files.items():
        reader = _probe(check), found[check]
        for _, oid, _ in entries:
            readers.setdefault(oid, []).append(reader)
    sizes = git.sizes(readers)
    wanted = [oid for oid in readers if 0 <= sizes[oid] <= FILE_LIMIT]
    for oid, content in git.read_blobs(wanted):
        if content is None:
            continue
        for probe, having in readers[oid]:
            having[oid] = probe(content)
    return found


def answer_each(git: Git, check: Check, trees: Sequence[CodeTree]) -> list[Answer] | None:
    """Answer one check at many commits, reading every content of a file once; None where that is too much at once."""
    if check.words[0] in PRESENCE:
        return [_presence(tree, check) for tree in trees]
    files = [files_of(tree, check) for tree in trees]
    contents = {entry[1]: entry for entries in files for entry in entries}
    if sum(size for size in git.sizes(contents).values() if 0 < size <= FILE_LIMIT) > ALL_LIMIT:
        return None
    found = look_into(git, {check: contents.values()})[check]
    return [conclude(check, entries, found) for entries in files]


def files_of(tree: CodeTree, check: Check) -> list[Entry]:
    """Return the files that a check looks into."""
    return [entry for entry in tree.matched(check.words[2]) if entry[0] in FILE_MODES]


def _presence(tree: CodeTree, check: Check) -> Answer:
    name, path = check.words[:2]
    there = bool(tree.matched(path))
    if (name == "exists") == there:
        return Answer(HOLDS, "")
    return Answer(FAILS, f"{path} {'exists' if there else 'does not exist'}")


def _nothing_to_read(check: Check) -> Answer:
    if check.words[0] == "matches" and not is_regex(check.words[1]):
        return _no_regex(check.words[1])
    why = f"no file matches {check.words[2]}"
    return Answer(ERROR if check.words[0] == "lacks" else FAILS, why)


def _no_regex(text: str) -> Answer:
    return Answer(ERROR, f"{redact(text)!r} is not a regular expression that can be run in linear time")


def _probe(check: Check) -> Callable[[bytes], bool]:
    name, text = check.words[:2]
    if name == "same":
        return lambda content: sha256(content).hexdigest() == text.lower()
    if name != "matches":
        sought = text.encode("utf-8", "surrogateescape")
        return lambda content: sought in content
    pattern = _compiled(text)
    return _never if pattern is None else lambda content: pattern.search(content) is not None


def _never(_: bytes) -> bool:
    return False


def _compiled(text: str) -> Any:
    """Return the pattern, or None where re2 does not take it."""
    import re2  # 8.5 ms (measured), and only where a regular expression is asked

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1  # text is bytes
    try:
        return re2.compile(b"(?m)" + text.encode("utf-8"), options)
    except (re2.error, UnicodeEncodeError):
        return None


def is_regex(text: str) -> bool:
    """Tell whether *text* is a regular expression that re2 takes."""
    return _compiled(text) is not None


def conclude(check: Check, files: Sequence[Entry], found: Mapping[str, bool]) -> Answer:
    """Return what a check answers, given which blobs of its files have what it looks for; unread ones are left out."""
    if not files:
        return _nothing_to_read(check)
    name, text, where = check.words
    if name == "matches" and not is_regex(text):
        return _no_regex(text)
    having = [path for _, oid, path in files if found.get(oid)]
    unread = [path for _, oid, path in files if oid not in found]
    if name == "lacks" and having:
        return Answer(FAILS, f"{having[0]} contains {redact(text)!r}" + _more(having))
    if name != "lacks" and having:
        return Answer(HOLDS, "")
    if unread:
        return Answer(ERROR, f"{unread[0]} could not be read" + _more(unread))
    if name == "lacks":
        return Answer(HOLDS, "")
    if name == "same":
        return Answer(FAILS, f"{where} has another SHA-256")
    return Answer(FAILS, f"no file of {where} {'matches' if name == 'matches' else 'contains'} {redact(text)!r}")


def _more(paths: list[str]) -> str:
    return f" and {len(paths) - 1} more" if len(paths) > 1 else ""
