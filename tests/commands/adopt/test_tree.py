"""The files and folders of a tree by name, listed by git or derived from a later tree."""

from conftest import commit_files, git

from gitmem.commands.adopt.code import Code
from gitmem.git import Git
from gitmem.git.repository import discover


def test_former_tree_that_is_derived_from_the_differences_is_the_one_that_git_lists(repo):
    first = commit_files(
        repo, {"src/a.py": "1", "src/deep/er/b.py": "2", "tool": "3", "same.py": "4", "gone/c.py": "5"}
    )
    git(repo, "rm", "-q", "-r", "gone", "tool", "src/deep")
    second = commit_files(repo, {"tool/run.py": "6", "src/a.py": "7", "new/d.py": "8"})
    handle = Git(discover(repo))

    derived, listed = Code(handle, second).at(first), Code(handle, first)

    assert dict(derived.files) == listed.files and len(derived.files) == len(listed.files)
    assert derived.tree.folders == listed.tree.folders >= {"", "src", "src/deep", "src/deep/er", "gone"}
    folders = {*derived.tree.folders, "new", "none"}
    assert all(derived.tree.count_below(one) == listed.tree.count_below(one) for one in folders)
    assert all(derived.tree.has_folder(one) == listed.tree.has_folder(one) for one in folders)
    names = {path.rpartition("/")[2] for path in (*listed.files, *listed.tree.folders, "new", "run.py", "d.py")}
    assert all(sorted(derived.tree.named(name)) == sorted(listed.tree.named(name)) for name in names)
    assert sorted(path for path, _ in derived.list_other_texts()) == [
        "gone/c.py",
        "src/a.py",
        "src/deep/er/b.py",
        "tool",
    ]


def test_own_files_of_the_past_are_the_unchanged_and_the_former_ones(repo):
    first = commit_files(repo, {"src/a.py": "1", "lib/kept.py": "2", "lib/a.py": "3", "tests/test_a.py": "4"})
    git(repo, "rm", "-q", "src/a.py")
    second = commit_files(repo, {"lib/a.py": "1", "src/a.ts": "5"})
    handle = Git(discover(repo))

    derived, listed = Code(handle, second).at(first).tree, Code(handle, first).tree

    assert derived.list_own_with_stem("a") == listed.list_own_with_stem("a") == ["lib/a.py", "src/a.py"]
    assert derived.list_own_with_part("kept") == listed.list_own_with_part("kept") == ["lib/kept.py"]
    texts = listed.list_own_texts()
    assert derived.list_own_with_text(texts) == listed.list_own_with_text(texts)
    assert [derived.is_own(path) for path in ("src/a.py", "lib/kept.py", "src/a.ts", "tests/test_a.py")] == [
        True,
        True,
        False,
        False,
    ]
