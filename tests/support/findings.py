"""Findings of every kind, with what strangers put into them: what the tests of reports share."""

from __future__ import annotations

from conftest import NOW

from gitmem.verify.overview.finding import KINDS, FactFinding, Findings, Spot, in_order

# What a memory, a file name or a check may hold to be taken for something else.
HOSTILE = (
    "x::error::y\n::set-output name=a::b ##[add-mask]z | <img src=//e> [l](j) @ana https://e %0A \x1b[2J\u202e </t>]]>"
)
SECRET = "AKIA" + "Q3EGRMQPZHTYUIOP"


def make_findings(*more: FactFinding, command: str = "check", texts: str = "Plain", number: int = 1) -> Findings:
    """Return findings of every kind, *number* of each, their texts as given."""
    found = [
        FactFinding(
            f"{kind.replace('_', '-')}-{at}",
            texts,
            kind,
            texts,
            texts,
            Spot(".memory/facts/a.md", 4) if at % 2 else None,
            (Spot(f"src/{texts}.py", 3), Spot("gone.py")),
            "facts/a.md",
            chain=("cause",) if kind == "suspect" else (),
            culprit="c" * 40 if kind == "still_false" else "",
            seconds=1.25,
        )
        for kind in KINDS
        for at in range(number)
    ]
    base = "b" * 40 if command == "check" else ""
    return Findings(command, texts, in_order([*found, *more]), "a" * 40, base, NOW, (texts,))
