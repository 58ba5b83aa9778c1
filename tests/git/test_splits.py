"""Which file took over a part of a deleted one: the one of its kind that has it since the commit that deleted it."""

import pytest
from conftest import commit_files, git

from gitmem.git import Git
from gitmem.git.renames import Renames
from gitmem.git.repository import discover
from gitmem.git.splits import Splits


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({"src/one.py": "wanted\n", "src/two.py": "other\n", "a.md": "wanted\n"}, "src/one.py"),
        ({"src/gateway/retry.py": "wanted\n"}, "src/gateway/retry.py"),  # it was there, without the thing
        ({"src/one.py": "wanted\n", "src/two.py": "wanted\n"}, ""),
        ({"src/one.py": "wanted\n", "src/new/big.py": "wanted\n"}, "src/new/big.py"),
        ({"src/had.py": "wanted\nmore\n"}, ""),
        ({"src/one.py": "wanted\n", **{f"many/{n}.py": f"{n}\n" for n in range(400)}}, ""),
    ],
)
def test_part_is_the_one_file_that_has_the_thing_since_then(repo, files, part):
    since = commit_files(repo, {"src/big.py": "wanted\nother\n" * 9, "src/had.py": "wanted\n"})
    (repo / "src/big.py").unlink()
    commit_files(repo, files, "split")
    commit_files(repo, {"src/late.py": "wanted\n"})
    hub = Git(discover(repo))
    renames = Renames(hub, hub.resolve("HEAD"), {entry[2] for entry in hub.list_paths("HEAD")})

    found = Splits(hub, renames).find("src/big.py", since, lambda _, content: b"wanted" in content)

    assert found == part


def test_file_that_was_not_deleted_has_no_parts(repo):
    hub = Git(discover(repo))
    renames = Renames(hub, hub.resolve("HEAD"), ())

    assert Splits(hub, renames).find("README.md", git(repo, "rev-parse", "HEAD"), lambda *_: True) == ""
