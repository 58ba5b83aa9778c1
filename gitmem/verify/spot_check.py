"""Spot checks: answer the checks of facts whose code has changed just before an agent is shown them.

Only built-in checks that read few small files are answered, for at most 50 ms of CPU together; the others stay stale.
Nothing is written: ``verify`` makes verdicts.
"""

from __future__ import annotations

import os
import time

from gitmem.document.builtin_checks import globs_of, is_followed, parse_arguments, row_of
from gitmem.document.check_values import OR_IN
from gitmem.errors import GitmemError, suppress
from gitmem.model import ADOPTED, BUILTIN, FAILS, HOLDS, Check
from gitmem.text import display, parse_json
from gitmem.text.globs import fixed_prefix, is_plain, normal, unescape
from gitmem.verify.builtin_answers import answer_contents, files_of
from gitmem.verify.inputs import CodeTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.document.answers import BuiltinAnswer
    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.index.catalog.state import StaleCheck
    from gitmem.verify.code_files import Entry

# No check is begun after this much CPU time, in seconds. One takes less than 10 ms within the limits below.
BEGIN_WITHIN_S = 0.04
# The most checks, files of one check and bytes of one file; structured files take a hundred times as long to read.
CHECKS_AT_MOST, FILES_AT_MOST, TEXT_BYTES, STRUCTURED_BYTES = 64, 16, 256 * 1024, 12 * 1024
# Limits on the listing of files, in bytes and seconds: a few thousand files.
LIST_BOUNDS = (256 * 1024, 0.3)
# Characters of a reason.
REASON_CHARS = 200


def answer_stale(
    git: Git, commit: str, stale: Sequence[StaleCheck], *, since: float
) -> dict[StaleCheck, tuple[str, str]]:
    """Return the outcome of each check that could be answered at a commit, with the reason of a failure.

    Args:
        git: The repository.
        commit: The commit.
        stale: Built-in checks, the most important first.
        since: From when the limit counts, as CPU time of this process.
    """
    spent = _Spent(since)
    checks = {
        stale_check: Check(BUILTIN, tuple(parse_json(stale_check.words))) for stale_check in stale[:CHECKS_AT_MOST]
    }
    with suppress(GitmemError):  # the code cannot be read, or is too large to be listed
        tree = CodeTree(git, commit, _list_entries(git, commit, checks.values()))
        files = {check: files_of(tree, check) for check in checks.values()}
        return _answer_each(git, tree, checks, files, spent)
    return {}


def without_restated(
    git: Git, commit: str, catalog: Catalog, answers: dict[StaleCheck, tuple[str, str]]
) -> dict[StaleCheck, tuple[str, str]]:
    """Return the answers without failures of adopted facts whose lines of their documents changed as well.

    The documents may no longer say so, which only ``verify`` finds out: until then they are stale.
    """
    failed = [stale.key for stale, (outcome, _) in answers.items() if outcome == FAILS]
    fields = "SELECT m.key, t.fields FROM memory m JOIN text t ON t.id = m.id WHERE m.shadowed = 0 AND m.kind ="
    rows = list(catalog.each(f"{fields} '{ADOPTED}' AND m.key IN ({{}})", failed)) if failed else []
    if not rows:
        return answers
    from gitmem.verify.references import CHANGED, anchors_in, reference_states  # only for failures

    anchors = {key: anchors_in(parse_json(text)) for key, text in rows}
    documents = sorted({anchor.ref.path for each in anchors.values() for anchor in each})
    tree = CodeTree(git, commit, git.list_paths(commit, *documents) if documents else ())
    restated = {
        key
        for key, each in anchors.items()
        if any(state.state == CHANGED for state in reference_states(git, tree, each, has_diff=False))
    }
    return {stale: answer for stale, answer in answers.items() if answer[0] != FAILS or stale.key not in restated}


class _Spent:
    """The CPU time of this process since some time, and of the programs that it has run from now on."""

    def __init__(self, since: float) -> None:
        self._since = since + _children_s()

    def is_too_much(self) -> bool:
        """Return whether no further check may begin."""
        return time.process_time() + _children_s() - self._since > BEGIN_WITHIN_S


def _children_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _list_entries(git: Git, commit: str, checks: Iterable[Check]) -> list[Entry]:
    """Return the files that checks may read; the whole tree only if a pattern may match anywhere."""
    globs = [normal(glob) for check in checks for glob in globs_of(check.words)]
    places = {unescape(glob) if is_plain(glob) else fixed_prefix(glob).rpartition("/")[0] for glob in globs}
    is_wide = "" in places or not all(map(str.isascii, places))
    return git.list_paths(commit, *(() if is_wide else sorted(places)), bounds=LIST_BOUNDS)


def _answer_each(
    git: Git, tree: CodeTree, checks: dict[StaleCheck, Check], files: dict[Check, list[Entry]], spent: _Spent
) -> dict[StaleCheck, tuple[str, str]]:
    read = [check for check in files if row_of(check).probe is not None and len(files[check]) <= FILES_AT_MOST]
    blobs = dict.fromkeys(oid for check in read for _, oid, _ in files[check])
    contents: dict[str, bytes] = {}
    for oid, content in git.read_blobs(blobs, limit=TEXT_BYTES) if blobs else ():
        if content is not None:
            contents[oid] = content
        if spent.is_too_much():
            break
    outcomes = {}
    for stale, check in checks.items():
        if spent.is_too_much():
            break
        if _is_cheap(check, files[check], contents):
            answer = answer_contents(tree, check, files[check], contents)
            if answer.outcome == HOLDS or (answer.outcome == FAILS and _is_final(check, files[check])):
                outcomes[stale] = (answer.outcome, _reason(answer))
    return outcomes


def _is_cheap(check: Check, files: Sequence[Entry], contents: dict[str, bytes]) -> bool:
    """Return whether all files of a check were read and are small enough for its kind."""
    if row_of(check).probe is None:
        return True
    limit = TEXT_BYTES if row_of(check).is_about_any else STRUCTURED_BYTES
    return len(files) <= FILES_AT_MOST and all(oid in contents and len(contents[oid]) <= limit for _, oid, _ in files)


def _is_final(check: Check, files: Sequence[Entry]) -> bool:
    """Return whether a failure needs no search for what moved: that reads history, or the whole code (``moves``)."""
    return not is_followed(check.words) or (bool(files) and OR_IN not in parse_arguments(check.words).more)


def _reason(answer: BuiltinAnswer) -> str:
    return display(answer.because)[:REASON_CHARS] if answer.outcome == FAILS else ""
