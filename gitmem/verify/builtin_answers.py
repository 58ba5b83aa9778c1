"""Answer built-in checks from the commit's objects, without a process per check, a checkout or an approval.

The kinds of checks are in the table ``document.builtin_checks``. If a glob matches no file, the check fails; if the
check denies that something exists, it is an error.
"""

from __future__ import annotations

from types import MappingProxyType

from gitmem.document.answers import BuiltinAnswer, FileFinding, FoundFiles
from gitmem.document.builtin_checks import globs_of, parse_arguments, references_of, row_of
from gitmem.frozen import replace
from gitmem.model import BLOCKED, HOLDS, Check
from gitmem.text import display
from gitmem.text.code.languages import is_prose
from gitmem.text.globs import matcher, normal
from gitmem.text.secrets import redact
from gitmem.verify.code_files import SUBMODULE
from gitmem.verify.trace.reads import LINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.document.elsewhere import Foundation
    from gitmem.document.file_checks import Probe
    from gitmem.git import Git
    from gitmem.verify.code_files import Entry
    from gitmem.verify.inputs import CodeTree

    # What was found in each file that was read.
    Found = Mapping[Entry, Sequence[FileFinding]]

# A larger file is not code, and reading it would use too much memory.
FILE_LIMIT = 32 * 1024 * 1024
# The same for a check that searches the whole code for something that moved.
WIDE_LIMIT = 1024 * 1024
# The most bytes to read for many commits at once: about two seconds' work.
ALL_LIMIT = 256 * 1024 * 1024
# Modes of regular files: a symbolic link's blob is its target, a submodule has none.
FILE_MODES = frozenset({"100644", "100755"})


def answer_all(git: Git, tree: CodeTree, checks: Iterable[Check]) -> dict[Check, BuiltinAnswer]:
    """Answer many checks, reading every file of the code at most once."""
    files = {check: files_of(tree, check) for check in dict.fromkeys(checks)}
    findings = look_into(git, files)
    return {check: _answer(tree, check, entries, findings[check]) for check, entries in files.items()}


def answer_file(check: Check, path: str, content: bytes) -> BuiltinAnswer:
    """Return what a check answers if this is the only file."""
    entry: Entry = ("100644", "", path)
    probe = _probe(check)
    return conclude(check, [entry], {entry: probe(path, content)} if probe is not None else {})


def answer_contents(
    tree: CodeTree, check: Check, files: Sequence[Entry], contents: Mapping[str, bytes]
) -> BuiltinAnswer:
    """Answer one check from the contents of its files, by object name; a file without content counts as unread."""
    probe = _probe(check)
    found = {e: probe(e[2], contents[e[1]]) for e in files if e[1] in contents} if probe is not None else {}
    return _answer(tree, check, files, found)


def look_into(git: Git, files: Mapping[Check, Iterable[Entry]]) -> dict[Check, dict[Entry, Sequence[FileFinding]]]:
    """Return what each check found in its files; files that were not read are left out."""
    found: dict[Check, dict[Entry, Sequence[FileFinding]]] = {check: {} for check in files}
    readers: dict[str, list[tuple[Probe, Entry, dict[Entry, Sequence[FileFinding]]]]] = {}
    limits: dict[str, int] = {}
    for check, entries in files.items():
        probe = _probe(check)
        if probe is None:
            continue
        limit = WIDE_LIMIT if parse_arguments(check.words).is_everywhere else FILE_LIMIT
        for entry in entries:
            readers.setdefault(entry[1], []).append((probe, entry, found[check]))
            limits[entry[1]] = max(limit, limits.get(entry[1], 0))
    if not readers:
        return found
    for oid, content in git.read_blobs(limits, limit=max(limits.values())):
        if content is None or len(content) > limits[oid]:
            continue
        for probe, entry, findings in readers[oid]:
            findings[entry] = probe(entry[2], content)
    return found


def answer_each(git: Git, asked: Sequence[tuple[Check, CodeTree]]) -> list[BuiltinAnswer] | None:
    """Answer one check at many commits, reading each content once; None if that is too much to read.

    The check looks for the same thing at every commit, but in files that may be elsewhere.
    """
    files = [(check, files_of(tree, check)) for check, tree in asked]
    if row_of(asked[0][0]).probe is None:
        return [_answer(tree, check, entries, {}) for (check, entries), (_, tree) in zip(files, asked, strict=True)]
    wanted: dict[Check, dict[Entry, None]] = {}
    for check, entries in files:
        wanted.setdefault(check, {}).update(dict.fromkeys(entries))
    sizes = git.sizes({oid for entries in wanted.values() for _, oid, _ in entries})
    if sum(size for size in sizes.values() if 0 < size <= FILE_LIMIT) > ALL_LIMIT:
        return None
    findings = look_into(git, wanted)
    return [
        _answer(tree, check, entries, findings[check]) for (check, entries), (_, tree) in zip(files, asked, strict=True)
    ]


def files_of(tree: CodeTree, check: Check) -> list[Entry]:
    """Return the files that a check reads, by path; for a check of existence, every entry that its globs match."""
    entries = tree.match_any(globs_of(check.words))
    if row_of(check).probe is None:
        return list(entries)
    is_wide = parse_arguments(check.words).is_everywhere
    return [entry for entry in entries if entry[0] in FILE_MODES and not (is_wide and is_prose(entry[2]))]


def _probe(check: Check) -> Probe | None:
    make = row_of(check).probe
    return make(parse_arguments(check.words)) if make is not None else None


def _answer(tree: CodeTree, check: Check, files: Sequence[Entry], findings: Found) -> BuiltinAnswer:
    """Return what a check answers on a tree; about what is in a submodule or behind a link it cannot say anything."""
    answer = conclude(check, files, findings, known_elsewhere(tree, check))
    why = _why_unseen(tree, check, files) if answer.outcome != HOLDS or not files else ""
    return BuiltinAnswer(BLOCKED, why) if why else answer


def _why_unseen(tree: CodeTree, check: Check, files: Sequence[Entry]) -> str:
    """Return why a glob of a check has none of its files: they are in a submodule, or a link leads to them."""
    read = {entry[2] for entry in files}
    for glob in globs_of(check.words):
        named = tree.match(glob)
        if not read.isdisjoint(entry[2] for entry in named):
            continue
        mode, oid, path = tree.places.blocker(normal(glob)) or next(iter(named), ("", "", ""))
        if mode == SUBMODULE and not named:
            return f"{path} is a submodule, whose files are not in this repository's tree"
        if mode == LINK:
            content = dict(tree.git.read_blobs([oid])).get(oid) or b""
            target = content.decode("utf-8", "replace")
            return f"{path} is a symbolic link to {display(target)}: name the file that it leads to"
    return ""


def known_elsewhere(tree: CodeTree, check: Check) -> Mapping[str, Foundation]:
    """Return what this clone knows of the facts of other repositories with which a check compares."""
    return tree.elsewhere if references_of(check.words) else {}


def conclude(
    check: Check, files: Sequence[Entry], found: Found, elsewhere: Mapping[str, Foundation] = MappingProxyType({})
) -> BuiltinAnswer:
    """Return what a check answers, given what it found in its files; unread files are ignored.

    Args:
        check: The check.
        files: Its files.
        found: What was found in each of them that was read.
        elsewhere: What is known of facts of other repositories.
    """
    row, arguments = row_of(check), parse_arguments(check.words)
    if row.unusable and _probe(check) is None:
        return BuiltinAnswer(BLOCKED, row.unusable.format(text=redact(arguments.text)))
    findings = {entry[2]: found[entry] for entry in files if entry in found}
    answer = row.conclude(arguments, FoundFiles([entry[2] for entry in files], findings, matcher, elsewhere))
    return replace(answer, because=redact(answer.because), actual=redact(answer.actual))
