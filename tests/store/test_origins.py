"""Which commits introduced the texts of a store."""

from __future__ import annotations

import pytest
from conftest import NOW, NUMBERS, git

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import FAILS, HOLDS, Verdict
from gitmem.store.layout import bucket_path
from gitmem.store.origins import MEMORY, find_origins, list_touched_paths
from gitmem.store.verdicts import format_verdict
from gitmem.store.verdicts.buckets import join_bucket

SPEC = "5" * 64
NAME = ("a", SPEC[:16])
BUCKET = bucket_path("a")
PATH = "facts/a.md"


def verdict(at: int, outcome: str = HOLDS) -> bytes:
    made = Verdict("a", SPEC, "c" * 64, outcome, "1" * 40, "2" * 64, NOW + at)
    return join_bucket({NAME: format_verdict(made).encode()})


def commit(repo, files: dict[str, bytes | str], *parents: str) -> str:
    """Make a commit of exactly these files, and return it."""
    oids = {path: git(repo, "hash-object", "-w", "--stdin", input=content) for path, content in files.items()}
    behind = [word for parent in parents for word in ("-p", parent)]
    # All are made at the same time: the number tells equal ones apart.
    return git(repo, "commit-tree", make_tree(repo, oids), *behind, "-m", f"number {next(NUMBERS)}")


def make_tree(repo, oids: dict[str, str]) -> str:
    folders: dict[str, dict[str, str]] = {}
    lines = []
    for path, oid in oids.items():
        head, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(head, {})[rest] = oid
        else:
            lines.append(f"100644 blob {oid}\t{path}")
    lines += [f"040000 tree {make_tree(repo, inner)}\t{name}" for name, inner in folders.items()]
    return git(repo, "mktree", input="".join(f"{line}\n" for line in lines))


def origin(repo, tip: str, path: str = BUCKET) -> tuple[str, ...]:
    name = NAME if path == BUCKET else MEMORY
    found = find_origins(Git(discover(repo)), tip, [(path, name)]).by_place
    return found[path, name].commits if found else ()


def test_text_comes_from_the_commit_that_last_changed_it(repo):
    first = commit(repo, {PATH: "one\n", BUCKET: verdict(0)})
    other = commit(repo, {PATH: "one\n", BUCKET: verdict(0), "facts/b.md": "b\n"}, first)
    second = commit(repo, {PATH: "two\n", BUCKET: verdict(0), "facts/b.md": "b\n"}, other)

    assert origin(repo, second) == (first,)
    assert origin(repo, second, PATH) == (second,)
    assert origin(repo, second, "facts/b.md") == (other,)
    assert origin(repo, second, "facts/c.md") == ()


def test_verdict_comes_from_the_commit_that_changed_it_and_not_from_a_later_change_of_its_bucket(repo):
    first = commit(repo, {BUCKET: verdict(0)})
    text = verdict(0) + b"\n" + verdict(1).replace(b"[a.", b"[az.")  # of no fact of this bucket: left out
    second = commit(repo, {BUCKET: text}, first)

    assert origin(repo, second) == (first,)


def test_text_restored_by_a_later_commit_comes_from_that_commit(repo):
    first = commit(repo, {PATH: "one\n", BUCKET: verdict(0)})
    second = commit(repo, {PATH: "two\n", BUCKET: verdict(9, FAILS)}, first)
    again = commit(repo, {PATH: "one\n", BUCKET: verdict(0)}, second)

    assert (origin(repo, again), origin(repo, again, PATH)) == ((again,), (again,))


def test_memory_moved_unchanged_keeps_its_origin(repo):
    first = commit(repo, {PATH: "one\n"})
    moved = commit(repo, {"facts/ca/a.md": "one\n"}, first)
    renamed = commit(repo, {"facts/ca/b.md": "one\n"}, moved)

    assert origin(repo, moved, "facts/ca/a.md") == (first,)
    assert origin(repo, renamed, "facts/ca/b.md") == (renamed,)


MERGES = {
    # name: at the base, on each side, in the merge, and whose commit it is: 0 base, 1 left, 2 right, 3 merge
    "only the left side changed it": (0, 1, 0, 1, 1),
    "only the right side changed it": (0, 0, 1, 1, 2),
    "both changed it, the later one is kept": (0, 1, 2, 2, 2),
    "neither changed it": (0, 0, 0, 0, 0),
    "the left side added it": (None, 1, None, 1, 1),
    "the merge restores the older one": (0, 0, 1, 0, 3),
    "the merge keeps the earlier of two": (0, 1, 2, 1, 3),
    "the merge restores what the right side deleted": (0, 0, None, 0, 3),
    "the merge writes another one": (0, 1, 2, 3, 3),
}


@pytest.mark.parametrize("case", MERGES)
def test_merge_introduces_what_no_merge_by_meaning_keeps(repo, case):
    *values, whose = MERGES[case]

    def files(nth: int) -> dict[str, bytes | str]:
        value = values[nth]
        return {f"notes/n{nth}.md": f"{nth}\n"} | ({} if value is None else {BUCKET: verdict(value)})

    base = commit(repo, files(0))
    left, right = commit(repo, files(1), base), commit(repo, files(2), base)
    merge = commit(repo, files(3), left, right)

    assert origin(repo, merge) == ((base, left, right, merge)[whose],)


def test_merge_of_two_texts_of_a_memory_is_its_origin(repo):
    base = commit(repo, {PATH: "one\n"})
    left, right = commit(repo, {PATH: "two\n"}, base), commit(repo, {PATH: "three\n"}, base)

    for text in ("two\n", "two\nthree\n"):
        merge = commit(repo, {PATH: text}, left, right)
        assert origin(repo, merge, PATH) == (merge,)


def test_text_introduced_on_two_sides_has_both_origins(repo):
    base = commit(repo, {"notes/n.md": "n\n"})
    left = commit(repo, {"notes/n.md": "l\n", PATH: "one\n"}, base)
    right = commit(repo, {"notes/n.md": "r\n", PATH: "one\n"}, base)
    merge = commit(repo, {"notes/n.md": "r\n", PATH: "one\n"}, left, right)

    assert origin(repo, merge, PATH) == tuple(sorted((left, right)))


def test_commit_is_no_older_than_its_history(repo):
    first = commit(repo, {PATH: "one\n"})
    tree = git(repo, "rev-parse", f"{first}^{{tree}}")
    late = Git(discover(repo)).run(
        "commit-tree", tree, "-p", first, "-m", "late", more={"GIT_COMMITTER_DATE": f"{NOW + 500} +0000",
        "GIT_AUTHOR_DATE": f"{NOW + 500} +0000", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@x",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@x"},
    ).stdout.decode().strip()  # fmt: skip
    last = commit(repo, {PATH: "two\n"}, late)

    assert find_origins(Git(discover(repo)), last, [(PATH, MEMORY)]).since == {last: NOW + 500}


def test_touched_paths_include_those_that_changed_and_changed_back(repo):
    first = commit(repo, {PATH: "one\n", "facts/b.md": "b\n"})
    second = commit(repo, {PATH: "two\n", "facts/b.md": "b\n"}, first)
    again = commit(repo, {PATH: "one\n", "facts/b.md": "b\n"}, second)
    hub = Git(discover(repo))

    assert list_touched_paths(hub, first, again) == {PATH}
    assert list_touched_paths(hub, first, first) == set()
    assert list_touched_paths(hub, again, first) is None
