"""Decision records in the forms that people write."""

from time import process_time

from support.each import each

from gitmem.document.decisions import read_records

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


def test_fields_of_a_record_are_read_in_both_forms() -> None:
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


def test_record_is_found_by_its_number() -> None:
    texts = {"adr/0003-a.md": "# A\n\nStatus: superseded by ADR-4\n", "adr/0004-b.md": "# B\n\nStatus: Accepted\n"}

    assert read_records(texts)["adr/0003-a.md"].superseded_by == "adr/0004-b.md"


@each(
    ("stated", "status", "is_open"),
    [
        ("Status: Proposed", "proposed", True),
        ("* Status: rejected", "rejected", True),
        ("* **Status**: 📝 Draft", "draft", True),
        ("## Status\n\nNot accepted", "not accepted", True),
        ("## Status\n\n<!-- proposed | accepted -->\n\n**Rejected** on 2024-01-02", "rejected", True),
        ("## 1. Status\n\n![Proposed](https://img.shields.io/badge/status-proposed)", "proposed", True),
        ("| Status | ⏳ Pending |\n|---|---|", "pending", True),
        ("Status\n------\n\nWork in progress", "work in progress", True),
        ("## Status\n\n**Deprecated**", "deprecated", False),
        ("## Status: ⛔ Deprecated (see the wiki)", "deprecated", False),
        ("## Status\n\n~~Accepted~~ Superceded", "superseded", False),
        ("Status: Accepted, superseded by ADR-99", "accepted", False),
    ],
)
def test_what_decides_nothing_today_is_not_current(stated: str, status: str, is_open: bool) -> None:
    (record,) = read_records({"adr/1-a.md": f"# A\n\n{stated}\n\nText\n"}).values()

    assert (record.status, record.is_open, record.is_current) == (status, is_open, False)


@each(
    "stated",
    [
        "Status: Accepted 2024-05-02",
        "* Status: ✅ accepted <!-- optional -->",
        "Status: Partially superseded by ADR 1",
        "## Status\n\nSuperseded in part by ADR 1",
        "## Status\n\nAccepted\n\nAmended by [3. C](0003-c.md)",
        "",
    ],
)
def test_what_was_accepted_or_has_no_status_is_current(stated: str) -> None:
    assert read_records({"adr/1-a.md": f"# A\n\n{stated}\n"})["adr/1-a.md"].is_current


def test_partly_superseded_record_has_no_successor() -> None:
    texts = {"adr/ADR 1 - A.md": "# A\n\nStatus: Partially superseded by ADR 2\n", "adr/ADR 2 - B.md": "# B\n"}

    assert read_records(texts)["adr/ADR 1 - A.md"].superseded_by == ""
    whole = {**texts, "adr/ADR 1 - A.md": "# A\n\nStatus: Superseded by ADR 2\n"}
    assert read_records(whole)["adr/ADR 1 - A.md"].superseded_by == "adr/ADR 2 - B.md"


def test_template_is_no_record() -> None:
    assert read_records({"adr/0000-t.md": "# {short title}\n\n* Status: {proposed | accepted}\n"}) == {}


def test_title_is_not_a_comment_of_the_frontmatter() -> None:
    text = "---\n# These are optional elements.\nstatus: accepted\n---\n\n# Use A\n"

    assert read_records({"adr/1-a.md": text})["adr/1-a.md"].title == "Use A"


@each(
    ("old", "new"),
    [
        ("## Status\n\nAccepted\n\nSuperceded by [2. Use B](0002-b.md)", ""),
        ("## Status\n\nAccepted", "## Status\n\nAccepted\n\nSupercedes [1. Use A](0001-a.md)"),
        ("", "## Links\n\n- Supersedes [ADR-0001](0001-a.md)"),
        ("superseded_by: 0002-b", ""),
        ("", "supersedes: [ADR-1]"),
        ("", "Status: Accepted, supersedes ADR 1"),
    ],
)
def test_either_record_may_say_which_one_supersedes_the_other(old: str, new: str) -> None:
    found = read_records({"adr/0001-a.md": f"# A\n\n{old}\n", "adr/0002-b.md": f"# B\n\n{new}\n"})

    first, second = found.values()
    assert (first.superseded_by, first.status, first.is_current) == ("adr/0002-b.md", "superseded", False)
    assert (second.superseded_by, second.is_current) == ("", True)


@each("new", ["Status: Proposed\n\nSupersedes [1](0001-a.md)", "This replaced what was\nsuperseded by 1 other."])
def test_drafts_and_prose_supersede_nothing(new: str) -> None:
    found = read_records({"adr/0001-a.md": "# A\n\nStatus: Accepted\n", "adr/0002-b.md": f"# B\n\n{new}\n"})

    assert found["adr/0001-a.md"].is_current
    assert found["adr/0002-b.md"].superseded_by == ""


@each(
    "part",
    ["#", "<!--", "# a" + " " * 99 + "b", "[](", "![", "status:" + " " * 99 + "x", "Supersedes [", "~~", ",", "- "],
)
def test_long_line_is_read_in_linear_time(part: str) -> None:
    long = part * (60_000 // len(part))
    spaces = " " * 60_000

    start = process_time()
    read_records(
        {"adr/1-a.md": f"# a{spaces}b\n\nStatus: a{spaces}b\n\nSuperseded by {long}x\n\n## Status{long}x\n\n{long}"}
    )

    assert process_time() - start < 1


def test_dates_that_do_not_exist_are_left_out() -> None:
    assert read_records({"adr/1-a.md": "# A\n\nDate: 2024-13-40\n"})["adr/1-a.md"].date == ""


@each(
    "status",
    [
        "## Status\n\nSuperceded by [2. Use B](0002-b.md)",
        "## Status\n\n**Superseded** by 0002",
        "* Status: ⛔ superseded by ADR-0002",
        "| Status | Superseded by [2](0002-b.md) |\n|---|---|",
        "| Field | Value |\n|---|---|\n| **Status** | **Superceded by** ADR 2 |",
    ],
)
def test_superseded_record_is_found_as_people_write_it(status: str) -> None:
    texts = {"adr/0001-a.md": f"# 1. A\n\n{status}\n", "adr/0002-b.md": "# 2. B\n\n| Status | ✅ Accepted |\n"}

    old, new = read_records(texts).values()

    assert (old.status, old.superseded_by, new.status) == ("superseded", "adr/0002-b.md", "accepted")
