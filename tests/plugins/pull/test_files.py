"""Code is split at definitions and documents at headings; edits, renames and deletions are followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import NotFoundError
from gitmem.memory import Memory
from gitmem.plugins.pull.branch import SourceBranch
from gitmem.plugins.pull.documents import PulledDocument
from gitmem.plugins.pull.files import LINES_AT_MOST, code_chunks
from gitmem.recall.query import Query

GUIDE = "# Guide\n\nIntro.\n\n## Install\n\nUse uv.\n\n```sh\n# not a heading\n```\n\n## Run\n\nmake run\n"


def keys(memory: Memory, source: str) -> list[str]:
    return sorted(hit.key.rpartition(":")[2] for hit in memory.list(Query(sources=(source,), limit=10_000)).hits)


def titles(memory: Memory, source: str) -> list[str]:
    return sorted(hit.title for hit in memory.list(Query(sources=(source,), limit=10_000)).hits)


def test_edited_renamed_and_deleted_files_are_followed(memory: Memory, repo: Path) -> None:
    memory.sources.add("code")
    first = memory.sources.pull("code")
    assert titles(memory, "code") == [
        "sign (src/auth/jwt.py)",
        "top of the file (src/auth/jwt.py)",
        "top of the file (src/gateway/retry.py)",
    ]
    git(repo, "mv", "src/gateway/retry.py", "src/retry.py")
    commit_files(repo, {"src/auth/jwt.py": "def check(token):\n    return True\n"})

    second, third = memory.sources.pull("code"), memory.sources.pull("code")

    assert titles(memory, "code") == ["check (src/auth/jwt.py)", "top of the file (src/retry.py)"]
    assert (first.changed, second.changed, second.deleted) == (3, 2, 3)
    assert (third.changed, third.commit) == (0, second.commit)


@pytest.mark.parametrize("is_full", [False, True], ids=["edited", "full"])
def test_parts_that_an_earlier_version_pulled_keep_their_keys(memory: Memory, repo: Path, *, is_full: bool) -> None:
    commit_files(repo, {"docs/guide.md": GUIDE + "\n## Run\n\nmake again\n"})
    source = memory.sources.add("docs", paths=["docs"])
    memory.sources.pull("docs")
    branch = SourceBranch(memory.repository, source)
    old = [
        "docs-docs-guide-md-guide-dbc2cc35",
        "docs-docs-guide-md-guide-install-6ebe83e5",
        "docs-docs-guide-md-guide-run-1f71c371",
        "docs-docs-guide-md-guide-run-1f71c371.2",
    ]
    branch.manifest["files"]["docs/guide.md"][1:] = old
    branch.write([PulledDocument(key, "doc", "Guide", "Old.", {}) for key in old], gone=list(branch.paths()))
    assert keys(memory, "docs") == sorted(old)
    commit_files(repo, {"docs/guide.md": GUIDE + "\n## Run\n\nmake twice\n\n## Stop\n\nCtrl-C\n"})

    memory.sources.pull("docs", full=is_full)

    assert keys(memory, "docs") == sorted([*old, "guide-stop-docs-guide-md-057f92cb"])
    assert "Guide › Run (docs/guide.md)" in titles(memory, "docs")


def test_documents_are_split_at_headings(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"docs/guide.md": GUIDE})
    memory.sources.add("docs", paths=["docs"])

    memory.sources.pull("docs")

    assert titles(memory, "docs") == [
        "Guide (docs/guide.md)",
        "Guide › Install (docs/guide.md)",
        "Guide › Run (docs/guide.md)",
    ]
    (hit,) = memory.recall(Query(text="uv install", sources=("docs",), limit=1)).hits
    assert hit.title == "Guide › Install (docs/guide.md)"


def test_documents_outside_of_the_repository_are_read_from_their_folder(memory: Memory, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nFirst.\n", encoding="utf-8")
    (notes / "b.txt").write_text("Second.\n", encoding="utf-8")
    (notes / "link.md").symlink_to("/etc/hostname")
    (notes / "raw.md").write_bytes(b"\xff\xfe\x00")
    memory.sources.add("docs", name="notes", paths=[str(notes)])
    memory.sources.pull("notes")
    assert titles(memory, "notes") == ["A (a.md)", "b.txt"]
    (notes / "b.txt").unlink()

    assert memory.sources.pull("notes").deleted == 1
    (notes / "a.md").unlink()
    notes.joinpath("raw.md").unlink()
    notes.joinpath("link.md").unlink()
    notes.rmdir()
    broken = memory.sources.pull("notes")

    assert isinstance(broken.error, NotFoundError)
    assert titles(memory, "notes") == ["A (a.md)"]  # a disk that is not mounted deletes nothing


def test_long_class_is_split_into_its_methods() -> None:
    methods = "".join(f"    def m{n}(self):\n" + "        step()\n" * 30 + "\n" for n in range(6))
    text = f"import os\n\n\nclass Big:\n    limit = 3\n\n{methods}\n\nrun()\n"

    found = code_chunks(text, "big.py")

    assert [chunk.name for chunk in found] == ["", "Big", "Big", *[f"Big.m{n}" for n in range(6)], ""]
    lines = text.split("\n")
    assert all(lines[chunk.first - 1 : chunk.last] for chunk in found)
    assert lines[found[3].first - 1].strip() == "def m0(self):"


@given(
    st.lists(
        st.sampled_from(["def f():", "    x = 1", "class A:", "", "    def g(self):", "}", "# c", "y = 2"]),
        max_size=400,
    )
)
def test_every_line_of_code_is_in_one_chunk(lines: list[str]) -> None:
    chunks = code_chunks("\n".join(lines), "a.py")

    covered = [number for chunk in chunks for number in range(chunk.first, chunk.last + 1)]
    written = [number for number, line in enumerate(lines, start=1) if line.strip()]
    assert sorted(set(covered)) == sorted(covered)
    assert set(written) <= set(covered)
    assert all(chunk.last - chunk.first < LINES_AT_MOST for chunk in chunks)


@pytest.mark.parametrize("name", ["node_modules/x/README.md", ".memory/facts/a.md"])
def test_documents_of_dependencies_are_left_out(memory: Memory, repo: Path, name: str) -> None:
    commit_files(repo, {name: "# Theirs\n"})
    memory.sources.add("docs")

    memory.sources.pull("docs")

    assert titles(memory, "docs") == ["A service (README.md)"]
