"""GitLab's code quality report: each finding with what GitLab requires of one."""

from __future__ import annotations

import json

from support.findings import HOSTILE, make_findings

from gitmem.commands.report import render
from gitmem.verify.overview.finding import FactFinding


def test_each_finding_has_a_place_a_severity_and_a_fingerprint_of_its_own() -> None:
    rows = json.loads(
        render("codequality", make_findings(FactFinding("nowhere", "T", "failed", path="facts/nowhere.md")))
    )

    kinds = {row["check_name"].removeprefix("gitmem/"): row["severity"] for row in rows}
    assert (kinds["newly-false"], kinds["suspect"], kinds["still-false"]) == ("major", "minor", "info")
    assert "holds" not in kinds and "newly-true" not in kinds
    assert len({row["fingerprint"] for row in rows}) == len(rows)
    places = {row["description"].split("”")[0]: row["location"] for row in rows}
    assert places["“T"] == {"path": "facts/nowhere.md", "lines": {"begin": 1}}
    assert places["“Plain"] == {"path": "src/Plain.py", "lines": {"begin": 3}}


def test_texts_of_others_are_one_clean_line() -> None:
    text = render("codequality", make_findings(texts=HOSTILE))

    assert "\x1b" not in text and "\u202e" not in text
    assert all("\n" not in row["description"] for row in json.loads(text))
