"""Detect checks that became weaker, disappeared, or no longer match their claim."""

from __future__ import annotations

import json
import re

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.commands.review.changes import line_of
from gitmem.document.builtin_checks import globs_of, parse_arguments, row_of
from gitmem.document.check_values import EXACTLY, OR_IN
from gitmem.document.fields import IMPORTANCE, parse_ttl
from gitmem.document.spec import check_of, format_check
from gitmem.frozen import frozen
from gitmem.model import BUILTIN, SHELL, Check
from gitmem.text.similarity import wording_of
from gitmem.verify.trivial import suggest_builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitmem.commands.review.changes import ChangedMemory
    from gitmem.commands.review.checks import CodeAnswers
    from gitmem.document.builtin_checks import BuiltinCheck
    from gitmem.document.check_values import CheckArguments
    from gitmem.index.catalog import Catalog
    from gitmem.model import Document
    from gitmem.policy import Policy

# A check that matches in this many files, and this many times more than before, looks for a common word.
COMMON, TIMES = 3, 3
# Separators in a shell command between parts that are each required.
_PARTS = re.compile(r"&&|;|\n")


@frozen
class Succession:
    """A memory with its previous check, or that of the memory which it supersedes.

    Attributes:
        changed: The memory.
        before: The check before.
        after: Its check now, or None.
        superseded: The key of the memory that it supersedes; empty for its own check.
    """

    changed: ChangedMemory
    before: Check
    after: Check | None
    superseded: str = ""


def list_successions(memories: Iterable[ChangedMemory], before: Catalog) -> list[Succession]:
    """Return the changed memories that had a check, or supersede a memory with one, by key."""
    successions = []
    for memory in memories:
        old, new = memory.old, memory.new
        if new is None or (memory.after and memory.after.is_archived):
            continue
        was = check_of(old) if old is not None else None
        if was is not None:
            successions.append(Succession(memory, was, check_of(new)))
        known = old.strings("supersedes") if old is not None else ()
        for key in new.strings("supersedes"):
            check = _stored_check(before, key) if key not in known else None
            if check is not None:
                successions.append(Succession(memory, check, check_of(new), key))
    return successions


def _stored_check(catalog: Catalog, key: str) -> Check | None:
    row = catalog.row(
        "SELECT f.form, f.words FROM fact f JOIN memory m ON m.id = f.id WHERE m.key = ? AND m.shadowed = 0"
        " AND m.archived = 0",
        (key,),
    )
    return Check(row[0], tuple(json.loads(row[1]))) if row else None


def checks_of(successions: Iterable[Succession]) -> Iterator[Check]:
    """Yield their built-in checks, before and now."""
    for succession in successions:
        yield from (
            check for check in (succession.before, succession.after) if check is not None and check.form == BUILTIN
        )


def look_at_checks(successions: Iterable[Succession], answers: CodeAnswers) -> Iterator[f.ReviewFinding]:
    """Yield checks that are gone or became weaker."""
    for succession in successions:
        shown = sanitize.line(format_check(succession.before))
        whose = f"it supersedes {succession.superseded}, whose check" if succession.superseded else "its check"
        if succession.after is None:
            message = f"{whose} is gone, and nothing proves it now; it was: {shown}"
            yield _finding(f.WARNING, "check-removed", message, succession.changed)
        elif why := why_weaker(succession.before, succession.after, answers):
            message = f"{whose} said more than the new one: {why}; it was: {shown}"
            yield _finding(f.WARNING, "check-weaker", message, succession.changed)


def look_at_fields(changed: ChangedMemory, policy: Policy) -> Iterator[f.ReviewFinding]:
    """Yield changes of the fields around a claim and its check, under a policy."""
    old, new = changed.old, changed.new
    if old is None or new is None or old.key != new.key:
        return
    if gone := [key for key in old.strings("requires") if key not in new.strings("requires")]:
        message = f"it no longer requires {', '.join(gone)}: it stays as it is when that fails"
        yield _finding(f.WARNING, "requires-dropped", message, changed)
    was, now = (_rank_of(document.fields.get("importance")) for document in (old, new))
    if now < was:
        message = f"its importance is raised to {new.fields['importance']}: it is shown before others"
        yield _finding(f.NOTE, "importance-raised", message, changed)
    check = check_of(new)
    if check is None or check_of(old) != check:
        return
    for message in _list_why_seldom(old, new, policy):
        yield _finding(f.WARNING, "check-weaker", message, changed)
    if old.title != new.title:
        is_contrary = wording_of(old.title).is_contrary(wording_of(new.title))
        message = f"it claims something else, and its check is the same: {sanitize.line(format_check(check))}"
        yield _finding(f.WARNING if is_contrary else f.NOTE, "claim-changed", message, changed)


def look_at_claim(changed: ChangedMemory) -> Iterator[f.ReviewFinding]:
    """Yield a finding if a new check, or the check of a new claim, only tests for a file that the claim never names."""
    old, new = changed.old, changed.new
    check = check_of(new) if new is not None else None
    if new is None or check is None or check.form != BUILTIN or row_of(check).probe is not None:
        return
    if old is not None and (check_of(old), old.title, old.body) == (check, new.title, new.body):
        return
    claim = f"{new.title}\n{new.body}".casefold()
    names = {part.partition(".")[0] or part for part in check.words[1].casefold().split("/")}
    if not any(name.strip("*_-") in claim for name in names if name.strip("*_-")):
        message = f"its check only asks about {check.words[1]}, which its claim does not name"
        yield _finding(f.WARNING, "check-unrelated", message, changed)


def _rank_of(importance: object) -> int:
    return IMPORTANCE.index(importance) if importance in IMPORTANCE else IMPORTANCE.index("medium")


def _list_why_seldom(old: Document, new: Document, policy: Policy) -> Iterator[str]:
    """Yield why a check runs less often, or on fewer inputs, than before."""
    was, now = (_ttl_s(document, policy) for document in (old, new))
    if was is not None and (now is None or now > was):
        shown = [document.fields.get("ttl") or "the policy's" for document in (new, old)]
        yield f"its check runs less often: ttl {shown[0]}, was {shown[1]}"
    if gone := [glob for glob in old.strings("paths") if new.strings("paths") and glob not in new.strings("paths")]:
        yield f"its check no longer runs when {', '.join(gone)} changes"
    if not old.strings("paths") and new.strings("paths"):
        yield f"its check runs only when {', '.join(new.strings('paths'))} changes"
    if old.fields.get("refute") and not new.fields.get("refute"):
        yield "its counterexample is gone"


def _ttl_s(document: Document, policy: Policy) -> int | None:
    """Return after how long a verdict is too old, like the catalog; None for never."""
    own, kind = document.fields.get("ttl"), policy.kind(document.kind)
    return parse_ttl(str(own)) if own else (kind.ttl_s if kind.needs_verify else policy.verify.ttl_s)


def _finding(severity: str, code: str, message: str, changed: ChangedMemory) -> f.ReviewFinding:
    side = changed.side
    line = line_of(side.text, "verify") if code.startswith(("check", "claim")) else 0
    return f.ReviewFinding(severity, code, sanitize.line(message), changed.key, side.file.path, line)


def why_weaker(old: Check, new: Check, answers: CodeAnswers) -> str:
    """Return why a check is certainly weaker than the one before; else an empty string."""
    if old == new:
        return ""
    if new.form == BUILTIN:
        if old.form != BUILTIN:
            is_same = bool(suggest_builtin(old))
            return "" if is_same else f"it runs nothing, and only asks {format_check(new)}"
        return _why_builtin(old, new, answers)
    if (old.form, new.form) == (SHELL, SHELL):
        parts = [{part.strip() for part in _PARTS.split(check.words[0]) if part.strip()} for check in (old, new)]
        gone = sorted(parts[0] - parts[1])
        if gone and parts[1] < parts[0]:
            return f"it no longer runs {', '.join(gone)}"
    return ""


def _why_builtin(old: Check, new: Check, answers: CodeAnswers) -> str:
    was, now = row_of(old), row_of(new)
    if now.probe is None and was.probe is not None:
        return f"it only asks whether {new.words[1]} is there"
    before, after = answers.find(old), answers.find(new)
    if was.name == now.name:
        files = [answer.files if answer is not None else None for answer in (before, after)]
        looks = _compare_files(globs_of(old.words), globs_of(new.words), files[0], files[1])
        arguments = parse_arguments(old.words), parse_arguments(new.words)
        if why := _why_arguments(was, *arguments, *looks) or _why_scope(*arguments):
            return why
    if before and after and after.having >= COMMON and after.having >= TIMES * before.having:
        return f"it holds in {after.having} files, the one before in {before.having}"
    return ""


def _why_scope(was: CheckArguments, now: CheckArguments) -> str:
    """Return why a check holds in more files than before, once its own have lost what it looks for."""
    if was.is_exact and not now.is_exact:
        return "it follows renamed files"
    scope = now.more.get(OR_IN, "")
    is_wider = scope and scope not in (was.more.get(OR_IN, ""), was.where)
    return f"any code file of {scope} may have it once {now.where} has not" if is_wider else ""


def _compare_files(
    old: Sequence[str], new: Sequence[str], before: frozenset[str] | None, after: frozenset[str] | None
) -> tuple[bool, bool]:
    """Return whether a check searches fewer files than before, and whether it searches more."""
    if old == new:
        return False, False
    if before and after and before != after:
        return after < before, before < after
    return new[0].startswith(old[0].partition("*")[0]) and "*" in old[0], old[0].startswith(new[0].partition("*")[0])


def _why_arguments(row: BuiltinCheck, was: CheckArguments, now: CheckArguments, is_less: bool, is_more: bool) -> str:
    """Return why a built-in check's new arguments ask for less, given whether it searches less or more files."""
    if row.is_about_any:
        return _why_denial(was, now, is_less=is_less) if row.is_denial else _why_text(was, now, is_more=is_more)
    if row.choices:
        return _why_value(was, now) if was.text == now.text else ""
    gone = [f"{name} {was.more[name]}" for name in ("at", "in") if name in was.more and name not in now.more]
    return f"it no longer asks {' and '.join(gone)}" if gone else ""


def _why_text(was: CheckArguments, now: CheckArguments, *, is_more: bool) -> str:
    if now.text != was.text and now.text in was.text:
        return f"it looks for {now.text!r}, a part of {was.text!r}"
    return f"any file of {now.where} may have it" if is_more and now.text == was.text else ""


def _why_denial(was: CheckArguments, now: CheckArguments, *, is_less: bool) -> str:
    if now.text != was.text and was.text in now.text:
        return f"it forbids {now.text!r} alone"
    return f"it looks into {now.where} alone" if is_less and now.text == was.text else ""


def _why_value(was: CheckArguments, now: CheckArguments) -> str:
    ways = [next((name for name in taken.more if name != EXACTLY), "") for taken in (was, now)]
    if ways[0] == "is" and ways[1] != "is":
        return f"it accepts other values: {ways[1]} {now.more[ways[1]]}"
    if ways == ["at-least", "at-least"]:
        from gitmem.document.sources.versions import is_at_least  # affects packaging

        old, new = was.more["at-least"], now.more["at-least"]
        return f"it accepts {new}" if is_at_least(old, new) and old != new else ""
    return ""
