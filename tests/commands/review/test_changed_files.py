"""The files of a change that are read, and the limit on their number."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support.reviews import TOKEN, changed, of, text

from gitmem.commands.review import changed_files


@pytest.mark.parametrize(("name", "value"), [("MOST_FILES", 3), ("MOST_BYTES", 400)])
def test_more_than_anybody_reviews_is_an_error_and_the_first_files_are_looked_at(
    repo: Path, monkeypatch, name, value
) -> None:
    monkeypatch.setattr(changed_files, name, value)
    many = {f"gotchas/k{n}.md": text(f"Title number {n} of them", TOKEN if n == 0 else "") for n in range(8)}

    review = changed(repo, {"gotchas/a.md": text("A")}, many)

    message = of(review, "not-looked-at")
    assert [f.severity for f in message] == ["error"]
    assert message[0].message.startswith(f"{8 - len(review.changes)} more changed files")
    assert [f.key for f in of(review, "secret")] == ["k0"]
    assert review.notes == ("statuses, duplicates and links were not checked",)


def test_a_large_file_is_refused_by_its_size(repo: Path) -> None:
    large = {"gotchas/large.md": "x" * 1_000_000, "other.bin": b"\0" * 1_000_000}
    begun = time.process_time()

    review = changed(repo, {"gotchas/a.md": text("A")}, large)

    assert {(f.code, f.path) for f in review.findings} == {
        ("too-large", "gotchas/large.md"), ("unknown-file", "other.bin"),
    }  # fmt: skip
    assert time.process_time() - begun < 2


def test_name_that_is_not_text_is_shown_with_its_bytes(repo: Path) -> None:
    strange = {'"gotchas/\\033[2J\\377.md"': text("B"), '".github/workflows/\\033[2J.yml"': "on: push\n"}

    review = changed(repo, {"gotchas/a.md": text("A")}, strange)

    assert [f.path for f in of(review, "unknown-file")] == ["gotchas/\\x1b[2J\\xff.md"]
    assert [f.path for f in of(review, "workflow-file")] == [".github/workflows/\\x1b[2J.yml"]


@pytest.mark.whole_system
def test_long_chains_of_requires_end(repo: Path) -> None:
    chain = {f"gotchas/k{n}.md": text(f"Link {n} of it", requires=f"[k{(n + 1) % 150}]") for n in range(150)}
    begun = time.process_time()

    review = changed(repo, {"gotchas/a.md": text("A")}, chain)

    assert len(review.changes) == 150
    assert time.process_time() - begun < 3
