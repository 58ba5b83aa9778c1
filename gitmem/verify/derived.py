"""Built-in checks behind a change, derived from what they answered before it: only changed files are read.

What did not change says the same on both sides, so that the answer before often tells what it says.
"""

from __future__ import annotations

from gitmem.document.builtin_checks import row_of
from gitmem.model import FAILS, HOLDS
from gitmem.verify.builtin import BuiltinAnswer, answer_all, conclude, files_of, look_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.git.binary import Git
    from gitmem.model import Check
    from gitmem.verify.files import Entry
    from gitmem.verify.inputs import CodeTree


def answer_behind(
    git: Git, base: CodeTree, head: CodeTree, before: Mapping[Check, BuiltinAnswer]
) -> dict[Check, BuiltinAnswer]:
    """Return what each check answers on the head, given its answer on the base."""
    files = {
        check: (files_of(base, check), files_of(head, check))
        for check, answer in before.items()
        if row_of(check).probe is not None and answer.outcome in (HOLDS, FAILS)
    }
    changed = {check: set(was) ^ set(now) for check, (was, now) in files.items()}
    seen = look_into(git, changed)
    answers = {}
    for check, (was, now) in files.items():
        answer = _derive(check, before[check], was, now, seen[check])
        if answer is not None:
            answers[check] = answer
    return answers | answer_all(git, head, [check for check in before if check not in answers])


def _derive(
    check: Check, before: BuiltinAnswer, was: list[Entry], now: list[Entry], seen: Mapping[str, bool]
) -> BuiltinAnswer | None:
    """Return the answer on the head, or None where what did not change must be read."""
    same = set(was) & set(now)
    is_denial = row_of(check).is_denial
    had = [seen.get(oid) for mode, oid, path in was if (mode, oid, path) not in same]
    has = [seen.get(oid) for mode, oid, path in now if (mode, oid, path) not in same]
    if None in had:
        return None
    if before.outcome == (HOLDS if is_denial else FAILS):
        rest = False  # no file had it
    elif not any(had):
        rest = True  # so it was one of those that did not change
    else:
        return None
    if rest and is_denial and not any(has):
        return before
    found = {oid: rest for _, oid, _ in same} | dict(seen)
    return conclude(check, now, found)
