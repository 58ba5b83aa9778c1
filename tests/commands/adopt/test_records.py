"""Decision records in the forms that people write."""

import pytest

from gitmem.commands.adopt.records import read_records

NYGARD = """# 3. Use Postgres

Date: 2024-05-02

## Status

Superseded by [4. Use SQLite](0004-use-sqlite.md)

## Decision

We use Postgres.

## Consequences

More to run.
"""
MADR = """---
status: accepted
date: 2025-01-31
---
# Use SQLite

## Decision Outcome

Chosen option: SQLite.
"""


def test_fields_of_a_record_are_read_in_both_forms():
    found = read_records({"docs/adr/0003-use-postgres.md": NYGARD, "docs/adr/0004-use-sqlite.md": MADR})

    old, new = found.values()
    assert (old.title, old.status, old.date, old.decision) == (
        "Use Postgres",
        "superseded",
        "2024-05-02",
        "We use Postgres.",
    )
    assert old.superseded_by == "docs/adr/0004-use-sqlite.md"
    assert (new.title, new.line, new.status, new.date) == ("Use SQLite", 5, "accepted", "2025-01-31")


def test_record_is_found_by_its_number():
    texts = {"adr/0003-a.md": "# A\n\nStatus: superseded by ADR-4\n", "adr/0004-b.md": "# B\n\nStatus: Accepted\n"}

    assert read_records(texts)["adr/0003-a.md"].superseded_by == "adr/0004-b.md"


@pytest.mark.parametrize(
    "status",
    [
        "Proposed",
        "rejected",
        "Draft",
        "{proposed | accepted}",
        "Not accepted",
        "📝 Draft",
        "**Deprecated**",
        "Superceded",
    ],
)
def test_what_decides_nothing_is_left_out(status):
    assert read_records({"adr/1-a.md": f"# A\n\n* Status: {status}\n"}) == {}


def test_dates_that_do_not_exist_are_left_out():
    assert read_records({"adr/1-a.md": "# A\n\nDate: 2024-13-40\n"})["adr/1-a.md"].date == ""


@pytest.mark.parametrize(
    "status",
    [
        "## Status\n\nSuperceded by [2. Use B](0002-b.md)",
        "## Status\n\n**Superseded** by 0002",
        "* Status: ⛔ superseded by ADR-0002",
        "| Status | Superseded by [2](0002-b.md) |\n|---|---|",
        "| Field | Value |\n|---|---|\n| **Status** | **Superceded by** ADR 2 |",
    ],
)
def test_superseded_record_is_found_as_people_write_it(status):
    texts = {"adr/0001-a.md": f"# 1. A\n\n{status}\n", "adr/0002-b.md": "# 2. B\n\n| Status | ✅ Accepted |\n"}

    old, new = read_records(texts).values()

    assert (old.status, old.superseded_by, new.status) == ("superseded", "adr/0002-b.md", "accepted")
