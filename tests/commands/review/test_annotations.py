"""Annotations of GitHub: one command a line, and none of a memory's own."""

from __future__ import annotations

from gitmem.commands.review.annotations import SHOWN, commands
from gitmem.commands.review.model import NOTE, Review, ReviewFinding
from gitmem.text.hazards.instructions import ERROR, WARNING


def messages(*findings: ReviewFinding, notes: tuple[str, ...] = ()) -> list[str]:
    return commands(Review("", "b", ("", ""), "", 0, (), (), (), (0, 0, 0), (), findings, notes)).split("\n")


def test_each_severity_has_its_level_and_place() -> None:
    lines = messages(
        ReviewFinding(ERROR, "secret", "100% bad,\n::error::x", "a", "gotchas/a,b.md", 3, "take it out"),
        ReviewFinding(WARNING, "policy-trust", "changed", path="gitmem.toml"),
        ReviewFinding(NOTE, "verdicts-claimed", "claimed"),
    )

    assert lines == [
        "gitmem review: no memory changed; 1 error, 1 warning, 1 note",
        "::error file=gotchas/a%2Cb.md,line=3,title=a secret::100%25 bad,%0A::error::x (take it out)",
        "::warning file=gitmem.toml,title=policy-trust::changed",
        "::notice title=verdicts-claimed::claimed",
        "",
    ]


def test_what_the_forge_would_drop_is_counted_and_notes_are_no_commands() -> None:
    lines = messages(*(ReviewFinding(ERROR, "secret", str(n)) for n in range(SHOWN + 3)), notes=("::error::x",))

    assert sum(line.startswith("::error") for line in lines) == SHOWN
    assert "gitmem review: 3 more of level error: see the step's summary" in lines
    assert lines[-2] == "gitmem review: : :error::x"
