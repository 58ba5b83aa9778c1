"""A page of Markdown: whole tables, dead markup, a bounded size."""

from __future__ import annotations

import re

from support.findings import HOSTILE, make_findings

from gitmem.commands.report import cleaned
from gitmem.commands.report.markdown import SIZE_LIMIT, cell, page
from gitmem.frozen import replace
from gitmem.verify.overview.finding import Finding, Findings


def test_page_lists_what_needs_reading_in_tables():
    assert page(make_findings(texts="Plain")).split("\n")[:8] == [
        "## gitmem check",
        "",
        "Plain",
        "",
        "`bbbbbbbbbbbb` → `aaaaaaaaaaaa`",
        "",
        "### Becomes false (1)",
        "",
    ]
    assert (
        "| `still-false-0` | Plain | Plain; broken by cccccccccccc; written by Plain | src/Plain.py:3<br>gone.py |"
        in page(make_findings(texts="Plain"))
    )
    assert "1 more hold." in page(make_findings())


def test_text_of_a_stranger_stays_in_its_cell():
    text = page(cleaned(make_findings(texts=HOSTILE)))

    rows = [line for line in text.split("\n") if line.startswith("| `")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert not re.search(r"(?<!\\)<(?!br>)", text)
    assert "@ana" not in text and "https://" not in text and "](j" not in text.replace("\\]", "")


def test_facts_that_are_silenced_without_touching_what_they_read_have_a_heading():
    found = cleaned(replace(make_findings(), untouched=(("gone", "removes it in <b>|@ana"),)))

    head = "### Silenced, although the change touches nothing that they read (1)\n\n"
    assert f"{head}- `gone`: the change removes it in \\<b\\>\\|@&#8203;ana\n\n" in page(found)
    tight = page(replace(found, findings=(), untouched=found.untouched * 9), limit=350)
    assert "that they read (9)" in tight and "- …\n" in tight


def test_cell_keeps_what_it_says():
    assert cell("a & b|c") == "a &amp; b\\|c"


def test_page_stays_below_the_size_a_forge_takes_and_counts_what_does_not_fit():
    findings = tuple(Finding(f"k{n}", "é" * 400, "failed", "w" * 400) for n in range(3000))

    text = page(Findings("verify", "S", findings, "a" * 40, "", 0))

    assert len(text.encode()) <= SIZE_LIMIT
    shown = text.count("| `k")
    assert f"| … | and {3000 - shown} more | | |" in text and shown > 500
