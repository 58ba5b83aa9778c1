"""Confirm before accusing: a check that newly fails runs again, and then where it held last (DESIGN, section 5).

What runs a check is handed in: this module only decides what is asked, and what the answers mean.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.model import ERROR, FAILS, HOLDS, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # Runs the check on one commit of the code and returns what that shows, and why.
    Ask = Callable[[str], tuple[str, str]]


@frozen
class Confirmed:
    """What is left of a failure after it was asked again.

    Attributes:
        outcome: ``fails``, or ``error`` where nothing was learnt.
        reason: Why nothing was learnt, on one line.
        verdict: The verdict; None where nothing was learnt.
    """

    outcome: str
    reason: str = ""
    verdict: Verdict | None = None


def confirm(old: Verdict | None, new: Verdict, *, ask: Ask, is_ancestor: Callable[[str], bool]) -> Confirmed:
    """Ask a check that newly fails again, then where it held last: if it fails there too, nothing was learnt.

    Args:
        old: The verdict that counted so far, or None.
        new: The failure.
        ask: Runs the check on one commit.
        is_ancestor: Tells whether a commit is one of the history of the code that is judged.
    """
    outcome, why = ask(new.commit)
    if outcome != FAILS:
        reason = "it failed, then " + ("held" if outcome == HOLDS else f"could not be run: {why}")
        return Confirmed(ERROR, f"flapping: {reason} on the same code")
    if not new.held_commit:
        return Confirmed(FAILS, verdict=new)
    if old is not None and not old.own:
        return Confirmed(FAILS, verdict=replace(new, confirmed=_is_claim_true(new, ask, is_ancestor)))
    if new.held_commit == new.commit:
        return Confirmed(ERROR, "it held on this very commit before: the environment changed")
    outcome, _ = ask(new.held_commit)
    if outcome == FAILS:
        reason = f"it fails at {new.held_commit[:12]} too, where it held: the environment changed"
        return Confirmed(ERROR, reason)
    return Confirmed(FAILS, verdict=replace(new, confirmed=outcome == HOLDS))


def _is_claim_true(new: Verdict, ask: Ask, is_ancestor: Callable[[str], bool]) -> bool:
    """Tell whether a check holds at the commit that somebody else says it held at.

    Only an ancestor of the code that is judged is run, and it can confirm the failure but never excuse it: whoever
    pushes to the memory branch writes that name.
    """
    held = new.held_commit
    return held != new.commit and is_ancestor(held) and ask(held)[0] == HOLDS
