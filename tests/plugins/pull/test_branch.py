"""Documents and progress are in one commit, and unchanged ones are not written again."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git

from gitmem.memory import Memory
from gitmem.plugins.pull.branch import SourceBranch
from gitmem.plugins.pull.documents import PulledDocument
from gitmem.plugins.pull.source import make_source

SOURCE = make_source("code", "")


def document(number: int, body: str = "text") -> PulledDocument:
    return PulledDocument(f"issue-{number}", "github_issue", f"Issue {number}", body, {})


@pytest.fixture(params=["sha1", "sha256"])
def opened(request: pytest.FixtureRequest, tmp_path: Path):  # type: ignore[no-untyped-def]
    git(tmp_path, "init", "-q", f"--object-format={request.param}", "made")
    git(tmp_path / "made", "config", "user.name", "Ana")
    git(tmp_path / "made", "config", "user.email", "ana@example.org")
    with Memory(tmp_path / "made") as memory:
        yield memory


def test_unchanged_documents_make_no_commit(opened: Memory) -> None:
    branch = SourceBranch(opened.repository, SOURCE)
    branch.manifest["cursors"] = {"issues": "1"}
    branch.write([document(1), document(2)])
    first = branch.tip

    again = SourceBranch(opened.repository, SOURCE)

    assert again.manifest == {"cursors": {"issues": "1"}}
    assert again.write([document(1), document(2)]) == 0
    assert again.tip == first
    assert again.write([document(1, "new")], gone=[document(2).path]) == 2
    assert [path.rpartition("/")[2] for path in again.paths()] == ["issue-1.md"]


def test_document_written_and_deleted_in_one_batch_exists(opened: Memory) -> None:
    branch = SourceBranch(opened.repository, SOURCE)
    branch.write([document(1)])

    branch.write([document(1, "moved")], gone=[document(1).path])

    assert branch.count == 1
