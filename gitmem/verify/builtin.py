"""Built-in checks, answered from the commit's objects: no process of theirs, no checkout, no approval.

What there is to ask is in the table ``document.builtin_checks``. A glob that matches no file makes a check fail, and is
an error where the check denies that something is there.
"""

from __future__ import annotations

from gitmem.document.builtin_checks import glob_of, row_of
from gitmem.frozen import frozen
from gitmem.model import BLOCKED, FAILS, HOLDS, Check
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.git.binary import Git
    from gitmem.verify.files import Entry
    from gitmem.verify.inputs import CodeTree

# A file larger than this is not code; reading it would cost more memory than an answer is worth.
FILE_LIMIT = 32 * 1024 * 1024
# What is read of many commits at once: two seconds' worth.
ALL_LIMIT = 256 * 1024 * 1024
# Modes whose blob is content of a file: a symbolic link's blob is its target, a submodule has none.
FILE_MODES = frozenset({"100644", "100755"})


@frozen
class BuiltinAnswer:
    """What a built-in check answers: ``holds``, ``fails`` or ``blocked``, and why."""

    outcome: str
    because: str


def answer_all(git: Git, tree: CodeTree, checks: Iterable[Check]) -> dict[Check, BuiltinAnswer]:
    """Answer many checks, reading every file of the code at most once."""
    answers: dict[Check, BuiltinAnswer] = {}
    files: dict[Check, Sequence[Entry]] = {}
    for check in dict.fromkeys(checks):
        if row_of(check).probe is None:
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


def answer_each(git: Git, asked: Sequence[tuple[Check, CodeTree]]) -> list[BuiltinAnswer] | None:
    """Answer one check at many commits, reading every content of a file once; None where that is too much at once.

    The check looks for the same everywhere, in files that may be elsewhere at each commit.
    """
    check = asked[0][0]
    if row_of(check).probe is None:
        return [_presence(tree, check) for check, tree in asked]
    files = [files_of(tree, check) for check, tree in asked]
    contents = {entry[1]: entry for entries in files for entry in entries}
    if sum(size for size in git.sizes(contents).values() if 0 < size <= FILE_LIMIT) > ALL_LIMIT:
        return None
    found = look_into(git, {check: contents.values()})[check]
    return [conclude(check, entries, found) for (check, _), entries in zip(asked, files, strict=True)]


def files_of(tree: CodeTree, check: Check) -> list[Entry]:
    """Return the files that a check looks into."""
    return [entry for entry in tree.matched(glob_of(check.words)) if entry[0] in FILE_MODES]


def _presence(tree: CodeTree, check: Check) -> BuiltinAnswer:
    row, path = row_of(check), glob_of(check.words)
    if bool(tree.matched(path)) != row.is_denial:
        return BuiltinAnswer(HOLDS, "")
    return BuiltinAnswer(FAILS, row.failure.format(text=path))


def _probe(check: Check) -> Callable[[bytes], bool]:
    row = row_of(check)
    return (row.probe(check.words[1]) if row.probe else None) or _never


def _never(_: bytes) -> bool:
    return False


def conclude(check: Check, files: Sequence[Entry], found: Mapping[str, bool]) -> BuiltinAnswer:
    """Return what a check answers, given which blobs of its files have what it looks for; unread ones are left out."""
    row = row_of(check)
    if row.unusable and _probe(check) is _never:
        return BuiltinAnswer(BLOCKED, row.unusable.format(text=redact(check.words[1])))
    if not files:
        return BuiltinAnswer(BLOCKED if row.is_denial else FAILS, f"no file matches {glob_of(check.words)}")
    having = [path for _, oid, path in files if found.get(oid)]
    unread = [path for _, oid, path in files if oid not in found]
    if unread and not having:
        return BuiltinAnswer(BLOCKED, f"{unread[0]} could not be read" + _more(unread))
    if bool(having) != row.is_denial:
        return BuiltinAnswer(HOLDS, "")
    names = {"text": redact(check.words[1]), "where": glob_of(check.words), "first": having[0] if having else ""}
    return BuiltinAnswer(FAILS, row.failure.format(**names) + _more(having))


def _more(paths: list[str]) -> str:
    return f" and {len(paths) - 1} more" if len(paths) > 1 else ""
