"""Workflow commands: parsed as the runner parses them; no text of a memory becomes one."""

from __future__ import annotations

import re

from support.findings import HOSTILE, make_findings

from gitmem.commands.report import clean
from gitmem.commands.report.github import SHOWN, commands
from gitmem.verify.overview.finding import FactFinding, Spot


def read(line: str):
    """Read a line as the runner does (ActionCommand.cs): command, properties, text; or None where it is none."""
    if "##[" in line:
        return "legacy", {}, line
    found = re.fullmatch(r"\s*::([\w-]+)(?: ([^:]*))?::(.*)", line)
    if found is None:
        return None
    pairs = [pair.partition("=") for pair in (found[2] or "").split(",")]
    return found[1], {name: _plain(value) for name, _, value in pairs}, _plain(found[3])


def _plain(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_only_what_needs_someone_is_annotated_at_the_fact_and_at_the_code():
    findings = make_findings(number=2)

    lines = [read(line) for line in commands(findings).splitlines()]

    shown = [(found[0], found[1].get("file"), found[1].get("line"), found[1]["title"]) for found in lines if found]
    assert shown[:3] == [
        ("error", "src/Plain.py", "3", "newly-false-0 becomes false"),
        ("error", ".memory/facts/a.md", "4", "newly-false-1 becomes false"),
        ("error", "src/Plain.py", "3", "newly-false-1 becomes false"),
    ]
    assert [found[0] for found in shown] == ["error"] * 9 + ["warning"] * 10
    assert lines.count(None) == 2


def test_nothing_of_a_stranger_becomes_a_command_or_a_property():
    findings = make_findings(FactFinding("odd", "T", "failed", places=(Spot("a,line=1:b%0A\n::c.py"),)), texts=HOSTILE)

    lines = [read(line) for line in commands(clean(findings)).splitlines()]

    found = [one for one in lines if one]
    assert {one[0] for one in found} == {"error", "warning"}
    assert {frozenset(one[1]) for one in found} <= {frozenset(("file", "line", "title")), frozenset(("file", "title"))}
    assert "a,line=1:b%0A\\x0a::c.py" in {one[1]["file"] for one in found}
    assert all("::set-output" in one[2] for one in found if one[1]["title"] != "odd does not hold")


def test_no_more_is_annotated_than_the_forge_shows_and_the_rest_is_counted():
    lines = commands(make_findings(number=9)).splitlines()

    assert sum(line.startswith("::error ") for line in lines) == SHOWN
    assert "gitmem check: 29 more of level error: see the step's summary" in lines


def test_finding_without_a_place_has_none():
    text = commands(make_findings(FactFinding("nowhere", "T", "failed", "why")))

    assert "::error title=nowhere does not hold::“T” does not hold: why. To decide" in text
