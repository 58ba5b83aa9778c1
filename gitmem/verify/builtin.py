"""Built-in checks, answered from the commit's objects: no process of theirs, no checkout, no approval.

Text is bytes. A glob that matches no file makes ``contains`` and ``matches`` fail and ``lacks`` an error. Regular
expressions come from other people and run on re2, whose time is linear (threat T25).
"""

from __future__ import annotations

from hashlib import sha256

from gitmem.frozen import frozen
from gitmem.model import ERROR, FAILS, HOLDS, Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gitmem.git.binary import Git
    from gitmem.verify.inputs import CodeTree, Entry

    # What looks into a blob, and where it notes by blob whether it found what it looks for.
    Reader = tuple[Callable[[bytes], bool], dict[str, bool]]

# A file larger than this is not code; reading it would cost more memory than an answer is worth.
FILE_LIMIT = 32 * 1024 * 1024
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
    found: dict[Check, dict[str, bool]] = {}
    readers: dict[str, list[Reader]] = {}
    for check in dict.fromkeys(checks):
        if check.words[0] in ("exists", "absent"):
            answers[check] = _presence(tree, check)
            continue
        files = _files(tree, check)
        if not files:
            answers[check] = _nothing_to_read(check)
            continue
        found[check] = {}
        reader = _probe(check), found[check]
        for _, oid, _ in files:
            readers.setdefault(oid, []).append(reader)
    _search(git, readers)
    return answers | {check: _judge(tree, check, having) for check, having in found.items()}


def _files(tree: CodeTree, check: Check) -> list[Entry]:
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
    return Answer(ERROR, f"{text!r} is not a regular expression that can be run in linear time")


def _search(git: Git, readers: dict[str, list[Reader]]) -> None:
    """Note for each check whether a blob has what it looks for; blobs that are not read are left out."""
    sizes = git.sizes(readers)
    wanted = [oid for oid in readers if 0 <= sizes[oid] <= FILE_LIMIT]
    for oid, content in git.read_blobs(wanted):
        if content is None:
            continue
        for probe, having in readers[oid]:
            having[oid] = probe(content)


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


def _judge(tree: CodeTree, check: Check, found: dict[str, bool]) -> Answer:
    name, text, where = check.words
    files = _files(tree, check)
    if name == "matches" and not is_regex(text):
        return _no_regex(text)
    having = [path for _, oid, path in files if found.get(oid)]
    unread = [path for _, oid, path in files if oid not in found]
    if name == "lacks" and having:
        return Answer(FAILS, f"{having[0]} contains {text!r}" + _more(having))
    if name != "lacks" and having:
        return Answer(HOLDS, "")
    if unread:
        return Answer(ERROR, f"{unread[0]} could not be read" + _more(unread))
    if name == "lacks":
        return Answer(HOLDS, "")
    if name == "same":
        return Answer(FAILS, f"{where} has another SHA-256")
    return Answer(FAILS, f"no file of {where} {'matches' if name == 'matches' else 'contains'} {text!r}")


def _more(paths: list[str]) -> str:
    return f" and {len(paths) - 1} more" if len(paths) > 1 else ""
