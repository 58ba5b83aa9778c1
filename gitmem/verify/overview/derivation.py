"""Derive the answers of built-in checks at the head from their answers at the base, reading only the changed files.

Unchanged files give the same result on both sides, so the answer at the base often determines the answer at the head.
"""

from __future__ import annotations

from gitmem.document.builtin_checks import row_of
from gitmem.model import FAILS, HOLDS
from gitmem.verify.builtin_answers import answer_all, conclude, files_of, look_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.document.answers import BuiltinAnswer, FileFinding
    from gitmem.git import Git
    from gitmem.model import Check
    from gitmem.verify.code_files import Entry
    from gitmem.verify.inputs import CodeTree


def answer_behind(
    git: Git, base: CodeTree, head: CodeTree, before: Mapping[Check, BuiltinAnswer]
) -> dict[Check, BuiltinAnswer]:
    """Return what each check answers at the head, given its answer at the base."""
    files = {
        check: (files_of(base, check), files_of(head, check))
        for check, answer in before.items()
        if row_of(check).probe is not None and answer.outcome in (HOLDS, FAILS)
    }
    changed = {check: set(was) ^ set(now) for check, (was, now) in files.items() if row_of(check).is_about_any}
    seen = look_into(git, changed)
    answers = {}
    for check, (was, now) in files.items():
        answer = before[check] if was == now else None
        if answer is None and check in seen:
            answer = _derive(check, before[check], was, now, seen[check])
        if answer is not None:
            answers[check] = answer
    return answers | answer_all(git, head, [check for check in before if check not in answers])


def _derive(
    check: Check,
    before: BuiltinAnswer,
    was: list[Entry],
    now: list[Entry],
    seen: Mapping[Entry, Sequence[FileFinding]],
) -> BuiltinAnswer | None:
    """Return the answer at the head, or None if unchanged files must be read to find it."""
    same = set(was) & set(now)
    had = [seen.get(entry) for entry in was if entry not in same]
    if None in had:
        return None
    if before.outcome == (HOLDS if row_of(check).is_denial else FAILS):
        return conclude(check, now, dict.fromkeys(same, ()) | dict(seen))  # no file at the base had a match
    if any(had):
        return None
    # The match at the base is in an unchanged file, so the head has it too.
    has = any(seen.get(entry, True) for entry in now if entry not in same)
    return None if has else before
