"""Who wrote a line of a document, in real histories."""

import pytest
from conftest import commit_files, git

from gitmem.commands.adopt.mainline import Mainline
from gitmem.commands.adopt.writers import Writers
from gitmem.git import Git
from gitmem.git.repository import discover

TEXT = "# Guide\n\nA first line of the guide.\nA second line of the guide.\n"


def writer(repo, path, number):
    handle, head = Git(discover(repo)), git(repo, "rev-parse", "HEAD")
    return Writers(handle, head, Mainline(handle, head), [path]).find(path, number)


def test_line_belongs_to_the_commit_that_wrote_it_also_if_it_is_indented_or_moved_later(repo):
    first = commit_files(repo, {"A.md": TEXT})
    second = commit_files(repo, {"A.md": TEXT + "A third one.\n"})
    commit_files(repo, {"A.md": "Before.\n" + TEXT.replace("A first", "  A first") + "A third one.\n"})
    commit_files(repo, {"A.md": "A third one.\n" + TEXT})

    assert writer(repo, "A.md", 1) == (second, "A.md")
    assert writer(repo, "A.md", 4) == (first, "A.md")


def test_line_that_was_removed_for_a_while_belongs_to_the_commit_that_brought_it_back(repo):
    commit_files(repo, {"A.md": TEXT})
    commit_files(repo, {"A.md": "# Guide\n"})
    last = commit_files(repo, {"A.md": TEXT})

    assert writer(repo, "A.md", 3) == (last, "A.md")


def test_document_is_followed_through_its_renames(repo):
    first = commit_files(repo, {"docs/A.md": TEXT, "other.md": "x\n"})
    git(repo, "mv", "docs/A.md", "B.md")
    git(repo, "commit", "-qm", "rename")
    renamed = commit_files(repo, {"B.md": TEXT + "New.\n"})

    assert writer(repo, "B.md", 4) == (first, "docs/A.md")
    assert writer(repo, "B.md", 5) == (renamed, "B.md")


@pytest.mark.parametrize("is_new", [True, False], ids=["the branch wrote the document", "the branch added a line"])
def test_line_of_a_merged_branch_belongs_to_the_commit_on_it(repo, is_new):
    commit_files(repo, {"x": "1"} if is_new else {"A.md": "# Guide\n"})
    git(repo, "checkout", "-q", "-b", "side")
    wrote = commit_files(repo, {"A.md": TEXT})
    commit_files(repo, {"A.md": TEXT + "More.\n"})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"y": "1"})
    git(repo, "merge", "-q", "--no-ff", "--no-edit", "side")

    assert writer(repo, "A.md", 3) == (wrote, "A.md")
