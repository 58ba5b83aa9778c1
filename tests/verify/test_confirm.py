"""Confirming a failure: what is asked where, and what the answers mean; how it is run is in test_judge."""

from __future__ import annotations

import pytest

from gitmem.frozen import replace
from gitmem.model import Verdict
from gitmem.verify.confirm import confirm

GOOD, BAD, ASIDE = "a" * 40, "b" * 40, "c" * 40
FAILURE = Verdict("k", "s", "c", "fails", BAD, "files:1", 100, because="exit 1", held_commit=GOOD, held_at=50)
HELD = replace(FAILURE, outcome="holds", commit=GOOD, because="", own=True)


def asked(answers: dict[str, str], *, old: Verdict | None = HELD, held: str = GOOD) -> tuple[object, list[str]]:
    """Return what confirming comes to where the check answers so at each commit, and which commits were asked."""
    seen: list[str] = []

    def ask(commit: str) -> tuple[str, str]:
        seen.append(commit)
        return answers[commit], ""

    failure = replace(FAILURE, held_commit=held)
    return confirm(old, failure, ask=ask, is_ancestor=lambda commit: commit != ASIDE), seen


@pytest.mark.parametrize(
    ("answers", "outcome", "confirmed"),
    [
        ({BAD: "fails", GOOD: "holds"}, "fails", True),
        ({BAD: "fails", GOOD: "error"}, "fails", False),
        ({BAD: "fails", GOOD: "fails"}, "error", None),
        ({BAD: "holds"}, "error", None),
        ({BAD: "error"}, "error", None),
    ],
    ids=["of-the-code", "cannot-be-asked-there", "of-the-environment", "flapping", "not-run-again"],
)
def test_failure_is_asked_again_and_where_it_held(answers, outcome, confirmed):
    found, seen = asked(answers)

    assert (found.outcome, found.verdict and found.verdict.confirmed, seen) == (outcome, confirmed, list(answers))


@pytest.mark.parametrize(
    ("held", "answers", "confirmed"),
    [(GOOD, {BAD: "fails", GOOD: "fails"}, False), (ASIDE, {BAD: "fails"}, False), (BAD, {BAD: "fails"}, False)],
    ids=["fails-there", "not-of-this-history", "this-commit"],
)
def test_what_somebody_else_says_excuses_no_failure(held, answers, confirmed):
    found, seen = asked(answers, old=replace(HELD, own=False), held=held)

    assert (found.outcome, found.verdict.confirmed, seen) == ("fails", confirmed, list(answers))
