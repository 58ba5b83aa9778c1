"""Services that would also run for the memory branch are listed, with the way to exclude it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.commands.install.ci_others import SERVICES, list_notes


def write(top: Path, path: str, text: str) -> None:
    (top / path).parent.mkdir(parents=True, exist_ok=True)
    (top / path).write_text(text, encoding="utf-8")


def test_each_service_is_named_by_its_file(tmp_path: Path) -> None:
    for path in SERVICES:
        write(tmp_path, path, "")

    notes = list_notes(tmp_path, "notes")

    assert [note.partition(": ")[0] for note in notes] == list(SERVICES)
    assert '[ "$VERCEL_GIT_COMMIT_REF" = "notes" ]' in notes[0]
    assert all("{" not in note for note in notes)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("on: pull_request_target\n", True),
        ("on: [push, pull_request_target]\n", True),
        ("on:\n  pull_request_target:\n    types: [opened]\n", True),
        ("on:\n  pull_request_target:\n  push:\n    branches: [main]\n", True),
        ("on:\n  pull_request_target:\n    branches: [main]\n", False),
        ("on:\n  pull_request_target:\n    branches-ignore: [memory]\n", False),
        ("on:\n  push:\n  pull_request: # not pull_request_target\n", False),
        ("on: {pull_request_target: [\n", False),
        ("- pull_request_target\n", False),
    ],
)
def test_workflow_for_pull_requests_to_any_branch_is_reported(tmp_path: Path, text: str, is_told: bool) -> None:
    write(tmp_path, ".github/workflows/label.yml", text)

    assert len(list_notes(tmp_path, "memory")) == is_told


def test_no_notes_without_other_services(tmp_path: Path) -> None:
    assert list_notes(tmp_path, "memory") == []
