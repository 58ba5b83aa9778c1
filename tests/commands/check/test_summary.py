"""A checked change in words."""

from __future__ import annotations

from support.each import each

from gitmem.commands.check.change import ChangeSpan
from gitmem.commands.check.run import CheckResult
from gitmem.commands.check.summary import notes, summary
from gitmem.verify.overview.finding import KINDS, FactFinding

SPAN = ChangeSpan("b" * 40, "a" * 40, "main", "compared with where it left")


def checked(*kinds: str, **fields) -> CheckResult:
    findings = tuple(FactFinding(f"k{n}", "T", kind) for n, kind in enumerate(kinds))
    return CheckResult(SPAN, **{"files": 1, "facts": 9, "findings": findings} | fields)


@each(
    ("kinds", "expected"),
    [
        ((), "touches 0 of 9 facts"),
        (("newly_false",), "touches 1 of 9 facts: 1 becomes false"),
        (
            tuple(kind for kind in KINDS if kind != "failed" for _ in range(2)),
            "touches 16 of 9 facts: 2 become false, 2 have wrong verdicts, 2 are silenced by the change,"
            " 2 are suspect, 2 are documented with old paths, 2 could not be checked, 2 are unsteady,"
            " 2 were false before and still are, 2 fail for a cause outside the repository, 2 become true,"
            " 2 are retired by the change, 2 hold",
        ),
    ],
)
def test_summary_counts_every_kind(kinds, expected):
    assert summary(checked(*kinds)) == f"1 changed file since bbbbbbbbbbbb {expected}"


def test_summary_without_a_change_says_so():
    assert summary(CheckResult(ChangeSpan("a" * 40, "a" * 40, "main"))) == "nothing to check"


def test_notes_name_some_keys_and_count_all():
    found = notes(checked(whole=tuple("abcdefg"), brought=("n",), removed=("r",), hidden=("h",)))

    assert [line.rpartition(": ")[2] for line in found[1:]] == ["h", "n", "r", "a, b, c, d, e and 2 more"]
    assert (found[0], found[4][:10]) == ("compared with where it left", "7 facts ar")
