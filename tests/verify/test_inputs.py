"""Digests of inputs: they differ when what is read differs, and only then."""

from __future__ import annotations

import os

import pytest
from conftest import commit_files, git
from hypothesis import example, given
from hypothesis import strategies as st
from support.each import each
from support.facts import commit_raw, tree_of

from gitmem.model import BUILTIN, SHELL, Check
from gitmem.text.globs import matcher
from gitmem.verify.inputs import CodeTree, digest

SHELL_CHECK = Check(SHELL, ("make",))


class FakeTree(CodeTree):
    """A tree of given paths, without a repository."""

    def __init__(self, paths, oid: str = "1" * 40) -> None:
        self.tree = "t" * 40
        self._entries = [("100644", oid, path) for path in sorted(paths)]
        self._paths = sorted(paths)
        self._matched: dict = {}


# No path of a tree begins with a slash.
PATHS = st.lists(
    st.text("ab.-[/", min_size=1, max_size=6).filter(lambda p: "//" not in f"/{p}"), unique=True, max_size=12
)
GLOBS = st.text("ab.-[]!*?/", min_size=1, max_size=7)


@given(PATHS, GLOBS)
@example(["b"], "[b-a]*")
def test_files_found_are_those_that_the_glob_matches_one_by_one(paths, glob):
    found = [path for _, _, path in FakeTree(paths).match(glob)]

    assert found == [path for path in sorted(paths) if matcher(glob)(path)]


@each(
    ("glob", "found"),
    [
        ("src/auth/jwt.py", ["src/auth/jwt.py"]),
        ("src", ["src/auth/jwt.py", "src/gateway/retry.py"]),
        ("src/", ["src/auth/jwt.py", "src/gateway/retry.py"]),
        ("./src/auth", ["src/auth/jwt.py"]),
        ("src/*.py", []),
        ("src/**/*.py", ["src/auth/jwt.py", "src/gateway/retry.py"]),
        ("**/*.py", ["src/auth/jwt.py", "src/gateway/retry.py"]),
        ("*.md", ["README.md"]),
        ("sr", []),
        ("nothing/**", []),
        ("[z-a]*", []),
        ("[!]*", []),
        ("src[/]auth/*", []),
        ("[R-S]EADME.md", ["README.md"]),
    ],
)
def test_glob_finds_files_of_the_commit(repo, glob, found):
    assert [path for _, _, path in tree_of(repo).match(glob)] == found


def test_uncommitted_change_is_not_seen(repo):
    before = digest(tree_of(repo), ["paths", "src"], SHELL_CHECK)

    (repo / "src/auth/jwt.py").write_text("changed\n", encoding="utf-8")

    assert digest(tree_of(repo), ["paths", "src"], SHELL_CHECK) == before


CHANGES = {
    "content": lambda repo: commit_files(repo, {"src/auth/jwt.py": "changed\n"}),
    "new-file": lambda repo: commit_files(repo, {"src/auth/new.py": ""}),
    "deleted-file": lambda repo: (git(repo, "rm", "-q", "src/auth/jwt.py"), git(repo, "commit", "-qm", "x")),
    "renamed-file": lambda repo: (git(repo, "mv", "src/auth/jwt.py", "src/auth/j.py"), git(repo, "commit", "-qm", "x")),
    "mode": lambda repo: (
        git(repo, "update-index", "--chmod=+x", "src/auth/jwt.py"),
        git(repo, "commit", "-qm", "x"),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_of_a_declared_input_changes_the_digest(repo, change):
    before = digest(tree_of(repo), ["paths", "src/auth/**"], SHELL_CHECK)

    CHANGES[change](repo)

    assert digest(tree_of(repo), ["paths", "src/auth/**"], SHELL_CHECK) != before


@pytest.mark.parametrize("change", CHANGES)
def test_change_elsewhere_leaves_the_digest_as_it_is(repo, change):
    before = digest(tree_of(repo), ["paths", "src/gateway", "README.md"], SHELL_CHECK)

    CHANGES[change](repo)

    assert digest(tree_of(repo), ["paths", "src/gateway", "README.md"], SHELL_CHECK) == before


@pytest.mark.parametrize("change", CHANGES)
def test_change_anywhere_changes_the_digest_where_nothing_is_declared(repo, change):
    before = digest(tree_of(repo), ["tree"], SHELL_CHECK)

    CHANGES[change](repo)

    assert digest(tree_of(repo), ["tree"], SHELL_CHECK) != before


def test_same_files_give_the_same_digest_on_another_commit(repo):
    before = digest(tree_of(repo), ["tree"], SHELL_CHECK)

    git(repo, "commit", "-q", "--allow-empty", "-m", "nothing")

    assert digest(tree_of(repo), ["tree"], SHELL_CHECK) == before


def test_order_and_repetition_of_declared_paths_changes_nothing(repo):
    tree = tree_of(repo)

    one = digest(tree, ["paths", "src/auth", "README.md"], SHELL_CHECK)

    assert digest(tree, ["paths", "README.md", "src/**", "src/auth"], SHELL_CHECK) != one
    assert digest(tree, ["paths", "README.md", "src/auth", "src/auth/jwt.py"], SHELL_CHECK) == one


def test_file_that_was_missing_changes_the_digest_when_it_appears(repo):
    before = digest(tree_of(repo), ["paths", "later/**"], SHELL_CHECK)

    commit_files(repo, {"later/on.py": ""})

    assert digest(tree_of(repo), ["paths", "later/**"], SHELL_CHECK) != before


@pytest.mark.parametrize("name", ["exists", "absent"])
def test_presence_alone_is_read_by_exists_and_absent(repo, name):
    check = Check(BUILTIN, (name, "src/auth/jwt.py"))
    before = digest(tree_of(repo), ["builtin"], check)

    commit_files(repo, {"src/auth/jwt.py": "changed\n"})
    changed = digest(tree_of(repo), ["builtin"], check)
    CHANGES["deleted-file"](repo)

    assert changed == before
    assert digest(tree_of(repo), ["builtin"], check) != before


@pytest.mark.parametrize("name", ["contains", "matches", "lacks", "same"])
def test_content_of_the_named_files_alone_is_read_by_the_others(repo, name):
    check = Check(BUILTIN, (name, "x", "src/auth/jwt.py" if name == "same" else "src/auth/*.py"))
    before = digest(tree_of(repo), ["builtin"], check)

    commit_files(repo, {"README.md": "changed\n"})
    elsewhere = digest(tree_of(repo), ["builtin"], check)
    commit_files(repo, {"src/auth/jwt.py": "changed\n"})

    assert elsewhere == before
    assert digest(tree_of(repo), ["builtin"], check) != before


def test_name_that_is_no_utf8_has_a_digest_of_its_own(repo):
    empty = digest(tree_of(repo), ["paths", "odd/**"], SHELL_CHECK)
    commit_raw(repo, {b"odd/\xff": b"x"})
    one = digest(tree_of(repo), ["paths", "odd/**"], SHELL_CHECK)
    commit_raw(repo, {b"odd/\xfe": b"x"})

    assert len({empty, one, digest(tree_of(repo), ["paths", "odd/**"], SHELL_CHECK)}) == 3
    assert os.fsdecode(b"odd/\xff") in [path for _, _, path in tree_of(repo).match("odd")]


@given(st.lists(st.sampled_from(["a", "b", "a b", "a\n1", "100644 1 a"]), unique=True), st.data())
def test_two_sets_of_files_never_share_a_digest(names, data):
    others = data.draw(st.lists(st.sampled_from(["a", "b", "a b", "a\n1", "100644 1 a"]), unique=True))

    same = digest(FakeTree(names), ["paths", "**"], SHELL_CHECK) == digest(
        FakeTree(others), ["paths", "**"], SHELL_CHECK
    )

    assert same == (set(names) == set(others))


def test_submodule_is_an_input_by_its_commit(repo):
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/lib")
    git(repo, "commit", "-qm", "submodule")
    before = digest(tree_of(repo), ["paths", "vendor"], SHELL_CHECK)

    git(repo, "update-index", "--cacheinfo", f"160000,{'2' * 40},vendor/lib")
    git(repo, "commit", "-qm", "another")

    assert digest(tree_of(repo), ["paths", "vendor"], SHELL_CHECK) != before


def link(repo, name, target):
    (repo / name).symlink_to(target)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "link")


@pytest.mark.parametrize("declared", ["current", "current/jwt.py", "current/*.py", "cur*"])
def test_declared_link_makes_the_whole_tree_an_input(repo, declared):
    link(repo, "current", "src/auth")
    before = digest(tree_of(repo), ["paths", declared, "README.md"], SHELL_CHECK)

    CHANGES["content"](repo)

    assert digest(tree_of(repo), ["paths", declared, "README.md"], SHELL_CHECK) != before


def test_link_beside_a_declared_path_changes_nothing(repo):
    link(repo, "current", "src/auth")
    before = digest(tree_of(repo), ["paths", "current-not/**", "README.md"], SHELL_CHECK)

    CHANGES["content"](repo)

    assert digest(tree_of(repo), ["paths", "current-not/**", "README.md"], SHELL_CHECK) == before


def test_way_that_files_are_checked_out_is_an_input_of_commands_and_not_of_builtin_checks(repo):
    builtin = Check(BUILTIN, ("contains", "x", "src/auth/*.py"))

    def digests():
        return [digest(tree_of(repo), *args) for args in ((["paths", "src"], SHELL_CHECK), (["builtin"], builtin))]

    before = digests()
    commit_files(repo, {".gitattributes": "*.py text eol=crlf\n"})
    after = digests()

    assert after[0] != before[0]
    assert after[1] == before[1]
