"""The commits that A..B names, and the messages if they cannot be determined."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git
from support.reviews import commit, reviewed, text

from gitmem.errors import GitmemError, NoRepositoryError


@pytest.fixture
def history(repo: Path) -> dict[str, str]:
    """Return three states of the memory, and one on a branch of its own."""
    names = {}
    for name in ("one", "two", "three"):
        names[name] = commit(repo, {f"gotchas/{name}.md": text(f"Title {name}")})
    git(repo, "branch", "proposal", names["two"])
    git(repo, "checkout", "-q", "proposal")
    (repo / "gotchas").mkdir(exist_ok=True)
    (repo / "gotchas" / "side.md").write_text(text("Title side"))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "side")
    names["side"] = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "main")
    return names


def keys(repo: Path, span: str) -> list[tuple[str, str]]:
    return [(change.what, change.key) for change in reviewed(repo, span).changes]


def test_two_dots_compare_as_they_are_and_three_what_the_second_did(repo: Path, history) -> None:
    assert keys(repo, "memory..proposal") == [("added", "side"), ("deleted", "three")]
    assert keys(repo, "memory...proposal") == [("added", "side")]
    assert "for the changes of proposal only: memory...proposal" in reviewed(repo, "memory..proposal").notes[0]


def test_one_end_alone_is_up_to_the_memory_branch(repo: Path, history) -> None:
    assert keys(repo, history["one"]) == [("added", "three"), ("added", "two")]
    assert keys(repo, f"{history['two']}..") == [("added", "three")]


def test_nothing_typed_is_what_was_not_synced_or_everything(repo: Path, history) -> None:
    assert len(keys(repo, "")) == 3

    git(repo, "update-ref", "refs/remotes/origin/memory", history["two"])

    review = reviewed(repo)
    assert [change.key for change in review.changes] == ["three"]
    assert review.asked == ("origin/memory", "memory")
    assert (review.commits, review.authors) == (1, (("Mallory <m@example.org>", 1),))


@pytest.mark.parametrize("span", ["nowhere..memory", "memory..nowhere", "--output=/tmp/x..memory"])
def test_missing_revision_is_an_error_with_a_hint(repo: Path, history, span: str) -> None:
    with pytest.raises(GitmemError, match="there is no commit") as stdin:
        reviewed(repo, span)

    assert stdin.value.exit_status == 3
    assert "git fetch" in stdin.value.hint


def test_a_repository_without_a_memory_says_so(repo: Path) -> None:
    with pytest.raises(NoRepositoryError, match="no branch memory"):
        reviewed(repo)


def test_a_shallow_clone_compares_two_trees_and_says_what_it_cannot(repo: Path, history, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "clone")
    clone = tmp_path / "clone"
    for name, ref in (("three", "memory"), ("side", "proposal")):
        git(clone, "fetch", "-q", "--depth=1", f"file://{repo}", f"{history[name]}:refs/heads/{ref}")

    assert [c.key for c in reviewed(clone, "memory..proposal").changes] == ["side", "three"]
    with pytest.raises(GitmemError, match="shallow") as stdin:
        reviewed(clone, "memory...proposal")
    assert "fetch-depth: 0" in stdin.value.hint
    with pytest.raises(GitmemError) as stdin:
        reviewed(clone, "memory~1..memory")
    assert "--unshallow" in stdin.value.hint
