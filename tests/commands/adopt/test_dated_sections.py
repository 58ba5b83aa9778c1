"""Closed work and decision records: what they say of their own day is no claim about the code."""

from conftest import commit_files, git
from support.each import each

from gitmem.commands.adopt.dated_sections import is_closed, split_current
from gitmem.commands.adopt.documents import document_of
from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover

BOXES = "# Login\n\n- [x] Add `src/a.py`\n- [x] Test it\n- [x] Ship it\n"


@each(
    ("path", "text"),
    [
        ("docs/epics/login/README.md", "# Login\n\nStatus: Done\n"),
        ("docs/stories/1.1.login.md", "# Story 1.1\n\n## Status\n\nDone\n"),
        ("_bmad-output/implementation-artifacts/1-1-login.md", "# Story\n\nStatus: done\n"),
        ("specs/login/AGENTS.md", "# Login\n\n**Status**: ✅ Complete\n"),
        ("rfcs/0001-login/README.md", "# RFC\n\n| Status | Implemented |\n|---|---|\n"),
        ("plans/login/README.md", "---\nstatus: shipped\n---\n# Login\n"),
        ("docs/epics/login/README.md", BOXES),
    ],
)
def test_work_is_closed_by_its_status_or_by_its_boxes(path, text):
    assert is_closed(path, text)


@each(
    ("path", "text"),
    [
        ("README.md", "# Service\n\nStatus: Done\n"),
        ("src/login/README.md", BOXES),
        ("docs/epics/login/README.md", "# Login\n\nStatus: In progress\n"),
        ("docs/epics/login/README.md", "# Login\n\nStatus: partially done\n"),
        ("docs/epics/login/README.md", "# Login\n\nStatus: Done (3 of 5)\n"),
        ("docs/epics/login/README.md", BOXES + "- [ ] Write about it\n"),
        ("docs/epics/login/README.md", "# Login\n\nStatus: In progress\n\n- [x] a\n- [x] b\n- [x] c\n"),
        ("docs/epics/login/README.md", "# Login\n\n- [x] Add `src/a.py`\n"),
    ],
)
def test_other_documents_and_open_work_are_not_closed(path, text):
    assert not is_closed(path, text)


RECORD = """# 1. Use httpx

## Status

{status}

## Context

`src/old.py` uses `requests`.

## Decision

We add `src/net.py` and delete `src/old.py`.
All requests must go through `src/net.py`.
We use `httpx` for them.

## Consequences

`src/old.py` is gone soon.
"""


@each(
    ("status", "lines"),
    [("Accepted", [14, 15]), ("Proposed", []), ("Superseded by 0002", []), ("Deprecated", []), ("Rejected", [])],
)
def test_record_claims_only_what_binds_in_its_decision_while_it_is_in_force(status, lines):
    kept, _ = split_current(document_of("docs/adr/0001-use-httpx.md"), RECORD.format(status=status))

    assert [one.line for one in kept] == lines


def test_alarms_are_about_rules_of_records_and_open_work_only(repo):
    files = {
        "docs/adr/0001-use-httpx.md": RECORD.format(status="Accepted"),
        "docs/epics/login/README.md": "# Login\n\nStatus: Open\n\n- `src/old.py` has the login\n",
        "docs/epics/logout/README.md": "# Logout\n\nStatus: Done\n\n- `src/old.py` has the logout\n",
        "src/net.py": "",
        "src/old.py": "",
    }
    commit_files(repo, files)
    git(repo, "rm", "-q", "src/old.py", "src/net.py")
    commit_files(repo, {}, "remove both")
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"))

    assert [(one.document.path, one.claim.line) for one in adoption.of(FALSE)] == [
        ("docs/adr/0001-use-httpx.md", 14),
        ("docs/epics/login/README.md", 5),
    ]
    assert adoption.notes == ["left out, because the work that they describe is done: docs/epics/logout/README.md"]
    named = adopt(handle, handle.resolve("HEAD"), ["docs/epics/logout/README.md"])
    assert len(named.of(FALSE)) == 1
