"""Two states of a store become one: each memory once, wherever it lay; the same whichever side is which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, git, memory_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.document.parse import parse
from gitmem.git import Git
from gitmem.git.objects import Objects, PathEntry, open_objects
from gitmem.git.repository import discover
from gitmem.model import Verdict
from gitmem.store import layout
from gitmem.store.merge.trees import Conflict, MergeResult, StoreState, merge, plan_of
from gitmem.store.verdicts import format_verdict

Tree = dict[str, str]


class Stores:
    """Commits of stores, and what comes of merging them."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.objects: Objects = open_objects(Git(discover(repo)))

    def commit(self, files: Tree, *parents: str, modes: Tree | None = None) -> str:
        """Write a commit of exactly these files and return it."""
        stream = [f"commit refs/scratch\nmark :1\ncommitter Ana <a@b> {NOW} +0000\ndata 1\nx\n".encode()]
        stream += [b"from " + parents[0].encode() + b"\n"] if parents else []
        stream += [b"merge " + parent.encode() + b"\n" for parent in parents[1:]]
        stream.append(b"deleteall\n")
        for path, text in files.items():
            mode = (modes or {}).get(path, "100644")
            stream.append(f"M {mode} inline {path}\ndata {len(text.encode())}\n{text}\n".encode())
        stream.append(b"\nget-mark :1\n")
        ref = f"refs/scratch/{len(files)}-{abs(hash((*files.items(), *parents)))}"
        stream[0] = stream[0].replace(b"refs/scratch", ref.encode())
        return git(self.repo, "fast-import", "--quiet", "--force", "--date-format=raw", input=b"".join(stream))

    def merged(self, one: str, other: str) -> MergeResult:
        """Merge and return what it came to, told of the first side."""
        return merge(self.objects, one, other, who=lambda commit, _: f"Ana {commit[:4]}")

    def files(self, one: str, other: str) -> Tree:
        """Merge both ways round and return the files of the one result."""
        found = [self.materialised(a, self.merged(a, b)) for a, b in ((one, other), (other, one))]
        assert found[0] == found[1]
        return found[0]

    def materialised(self, ours: str, merged: MergeResult) -> Tree:
        """Return all files of a result."""
        entries = {path: now for path, (_, now) in self.objects.diff(None, ours).items()}
        entries |= merged.state.overlay
        oids = {path: entry.oid for path, entry in entries.items() if entry is not None}
        there = self.objects.read(oids.values(), limit=10**6) | dict(merged.state.contents)
        return {path: there[oid].decode() for path, oid in sorted(oids.items())}


@pytest.fixture
def stores(repo: Path) -> Stores:
    return Stores(repo)


def text(title: str = "A title", **how: Any) -> str:
    return memory_text(title, **{"body": "One.\n\nTwo.\n", **how})


A = "gotchas/a.md"
GONE = "archive/gotchas/a.md"


def test_changes_of_both_sides_are_merged(stores: Stores) -> None:
    base = stores.commit({A: text(), "gotchas/b.md": text("B")})
    one = stores.commit({A: text("Better"), "gotchas/b.md": text("B"), "gotchas/c.md": text("C")}, base)
    other = stores.commit({A: text(), "gotchas/b.md": text("B2"), "learned/d.md": text("D")}, base)

    assert stores.files(one, other) == {
        A: text("Better"),
        "gotchas/b.md": text("B2"),
        "gotchas/c.md": text("C"),
        "learned/d.md": text("D"),
    }


def test_memory_missing_on_one_side_is_kept(stores: Stores) -> None:
    base = stores.commit({A: text(), "gotchas/b.md": text("B")})

    assert stores.files(
        stores.commit({}, base), stores.commit({A: text("Second"), "gotchas/b.md": text("B")}, base)
    ) == {
        A: text("Second"),
        "gotchas/b.md": text("B"),
    }


RETIRED = text(retired="{when: 2026-11-22T00:00:00Z}")


@pytest.mark.parametrize("based", [True, False], ids=["base", "unrelated"])
def test_a_retired_memory_stays_retired(stores: Stores, based: bool) -> None:
    base = [stores.commit({A: text()})] if based else []

    found = stores.files(
        stores.commit({GONE: RETIRED}, *base), stores.commit({A: text(), "learned/b.md": text()}, *base)
    )

    assert found == {GONE: RETIRED, "learned/b.md": text()}


def test_a_memory_retired_here_and_changed_there_is_in_the_archive_with_the_change(stores: Stores) -> None:
    base = stores.commit({A: text()})
    one, other = stores.commit({GONE: RETIRED}, base), stores.commit({A: text("Changed")}, base)

    found = stores.files(one, other)

    assert list(found) == [GONE]
    fields = parse(found[GONE], path=GONE).fields
    assert fields["title"] == "Changed"
    assert fields["conflict"] == [{"field": "retired", "by": f"Ana {other[:4]}"}]
    assert [c.fields for c in stores.merged(one, other).conflicts] == [("retired",)]


@pytest.mark.parametrize("is_same_text", [False, True])
def test_a_rotated_memory_is_live_only_if_the_other_side_changed_it(stores: Stores, is_same_text: bool) -> None:
    base = stores.commit({A: text()})
    one = stores.commit({GONE: text(retired="{when: 2026-01-01T00:00:00Z, why: rotated}")}, base)
    other = stores.commit({A: text("Better")}, base)
    same = stores.commit({GONE: text(retired="{when: 2026-01-02T00:00:00Z, why: rotated}")}, base)

    files = stores.files(one, same if is_same_text else other)

    assert files == (
        {GONE: text(retired="{when: 2026-01-02T00:00:00Z, why: rotated}")} if is_same_text else {A: text("Better")}
    )


def test_what_a_person_forgot_stays_so_if_the_other_side_rotated_it_later(stores: Stores) -> None:
    base = stores.commit({A: text()})
    one = stores.commit({GONE: text(retired="{when: 2026-01-01T00:00:00Z, why: wrong}")}, base)
    other = stores.commit({GONE: text(retired="{when: 2026-02-01T00:00:00Z, why: rotated}")}, base)

    assert stores.files(one, other) == {GONE: text(retired="{when: 2026-01-01T00:00:00Z, why: wrong}")}


def test_a_memory_restored_here_is_live(stores: Stores) -> None:
    base = stores.commit({GONE: RETIRED})
    other = stores.commit({GONE: RETIRED.replace("One", "1")}, base)

    found = stores.files(stores.commit({A: text()}, base), other)

    assert found == {A: text().replace("One", "1")}


def test_a_folder_that_one_side_split_is_split_for_what_the_other_added(stores: Stores) -> None:
    base = stores.commit({A: text(), "gotchas/b.md": text("B")})
    split = {layout.memory_path("gotchas", k, split=True): t for k, t in (("a", text()), ("b", text("B")))}

    found = stores.files(
        stores.commit(split, base),
        stores.commit({A: text("Second"), "gotchas/b.md": text("B"), "gotchas/new.md": text("N")}, base),
    )

    places = {key: layout.memory_path("gotchas", key, split=True) for key in ("a", "b", "new")}
    assert found == {places["a"]: text("Second"), places["b"]: text("B"), places["new"]: text("N")}


def test_a_key_that_both_made_for_two_kinds_is_one_memory(stores: Stores) -> None:
    base = stores.commit({})
    one = stores.commit({"gotchas/x.md": text("T", kind="gotcha", created="2026-01-01T00:00:00Z")}, base)
    other = stores.commit({"learned/x.md": text("T", created="2026-02-01T00:00:00Z")}, base)

    found = stores.files(one, other)

    assert list(found) == ["learned/x.md"]
    assert parse(found["learned/x.md"], path="learned/x.md").kind == "learned"


def test_the_later_verdict_counts_and_one_taken_away_is_gone(stores: Stores) -> None:
    def verdict(outcome: str, at: int) -> str:
        made = Verdict(key="f", spec="a" * 64, claim="c", outcome=outcome, commit="1" * 40, inputs="", at=at)
        return format_verdict(made)

    path, gone = layout.verdict_path("f", "a" * 64), layout.verdict_path("f", "b" * 64)
    base = stores.commit({path: verdict("holds", 1), gone: verdict("holds", 1)})
    one = stores.commit({path: verdict("fails", NOW), gone: verdict("holds", 1)}, base)
    other = stores.commit({path: verdict("holds", NOW - 60)}, base)

    assert stores.files(one, other) == {path: verdict("fails", NOW)}


def test_unreadable_file_is_kept_unchanged(stores: Stores) -> None:
    base = stores.commit({A: "no memory"})
    odd = {A: "still none", "Strange Name.md": "x", "gotchas/deep/er/x": "y", "gotchas/link.md": "/etc/passwd"}
    one = stores.commit(odd, base, modes={"gotchas/link.md": "120000"})

    found = stores.files(one, stores.commit({A: "no memory", "learned/b.md": text()}, base))

    assert found == odd | {"learned/b.md": text()}


def test_a_link_never_takes_the_place_of_a_memory(stores: Stores) -> None:
    base = stores.commit({A: text()})
    one = stores.commit({A: "/etc/passwd"}, base, modes={A: "120000"})

    assert stores.files(one, stores.commit({A: text(), "learned/b.md": text()}, base))[A] == text()


@pytest.mark.parametrize("odd", ["gotchas", "gotchas/a.md/x", "learned"])
def test_a_strange_entry_never_takes_the_place_of_memories(stores: Stores, odd: str) -> None:
    base = stores.commit({"facts/f.md": text("F")})
    one = stores.commit({"facts/f.md": text("F"), odd: "in the way"}, base)
    other = stores.commit({"facts/f.md": text("F"), A: text(), "learned/b.md": text("B")}, base)

    merged = stores.merged(other, one)

    assert odd not in merged.state.overlay


def test_a_memory_of_unreadable_size_loses_to_one_that_can_be_read(stores: Stores) -> None:
    base = stores.commit({A: text()})

    found = stores.files(stores.commit({A: "x" * 70_000}, base), stores.commit({A: text("Second")}, base))

    assert found == {A: text("Second")}


def test_histories_without_a_common_root_unite(stores: Stores) -> None:
    found = stores.files(
        stores.commit({A: text(tags="[x]")}), stores.commit({A: text(tags="[y]"), "learned/b.md": text()})
    )

    assert parse(found[A], path=A).fields["tags"] == ["x", "y"]
    assert "conflict" not in parse(found[A], path=A).fields


def test_histories_that_were_merged_into_each_other_merge_on_what_both_made(stores: Stores) -> None:
    """Both sides merged the same two commits, so neither of these is what a removal is told from."""
    root = stores.commit({A: text(tags="[a]")})
    left = stores.commit({A: text(tags="[a, l]")}, root)
    right = stores.commit({A: text(tags="[a, r]")}, root)
    both = stores.files(left, right)
    assert parse(both[A], path=A).fields["tags"] == ["a", "l", "r"]
    one = stores.commit({A: both[A].replace("[a, l, r]", "[a, l]")}, left, right)
    other = stores.commit({A: both[A].replace("Two", "2")}, right, left)

    found = stores.files(one, other)

    assert parse(found[A], path=A).fields["tags"] == ["a", "l"]
    assert "2." in found[A]


def test_two_different_workflows_leave_one_and_say_so(stores: Stores) -> None:
    path = ".github/workflows/x.yml"
    base = stores.commit({path: "a", "STATUS.md": "s"})
    one, other = stores.commit({path: "b", "STATUS.md": "t"}, base), stores.commit({path: "c", "STATUS.md": "u"}, base)

    stores.files(one, other)

    assert [(c.path, c.fields) for c in stores.merged(one, other).conflicts] == [(path, ("file",))]


def test_sha256_merges_by_the_binary_with_names_of_its_own(repo: Path) -> None:
    git(repo, "init", "-q", "--object-format=sha256", "other")
    stores = Stores(repo / "other")
    base = stores.commit({A: text()})

    merged = stores.merged(stores.commit({A: text("First")}, base), stores.commit({A: text(tags="[x]")}, base))

    oid, content = next(iter(merged.state.contents.items()))
    assert git(repo / "other", "hash-object", "--stdin", input=content) == oid
    assert parse(content, path=A).fields["title"] == "First"


KEYS = st.sampled_from(["a", "b", "c"])
PLACES = st.sampled_from(["gotchas/{}.md", "learned/{}.md", "archive/gotchas/{}.md"])
STATES = st.dictionaries(
    KEYS,
    st.tuples(PLACES, st.sampled_from(["T1", "T2"]), st.lists(st.sampled_from("xyz"), unique=True, max_size=2),
              st.sampled_from(["One.\n", "One.\nTwo.\n", "1.\n", ""]))
)  # fmt: skip


def state(drawn: dict[str, Any]) -> Tree:
    return {
        place.format(key): text(title, tags=f"[{', '.join(tags)}]", body=body)
        for key, (place, title, tags, body) in drawn.items()
    }


@pytest.mark.whole_system
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STATES, STATES, STATES, STATES)
def test_three_clones_come_to_the_same_memories(stores: Stores, base: Any, one: Any, two: Any, three: Any) -> None:
    root = stores.commit(state(base))
    a, b, c = (stores.commit(state(drawn), root) for drawn in (one, two, three))

    ab = stores.commit(stores.files(a, b), a, b)
    abc = stores.files(ab, c)

    # Nothing is lost on the way: every key of any clone is there once, and merging again changes nothing.
    keys = [path.rsplit("/", 1)[1] for path in abc]
    assert sorted(keys) == sorted(
        {f"{key}.md" for drawn in (base, one, two, three) for key in drawn if key in (*one, *two, *three)}
    )
    last = stores.commit(abc, ab, c)
    assert stores.merged(last, ab).state.overlay == {}
    assert stores.files(last, stores.commit(abc, c, ab)) == abc


def test_merge_commit_has_the_overlay_and_names_the_conflicts() -> None:
    overlay = {"a.md": PathEntry("100644", "1" * 40), "b.md": PathEntry("100644", "2" * 40), "c.md": None}
    state = StoreState("0" * 40, overlay, {"1" * 40: b"new"})

    planned = plan_of(MergeResult(state, (Conflict("a", "a.md", ("title",)),)), "9" * 40, "sync: merge")

    assert (planned.subject, planned.merged) == ("sync: merge, 1 to settle", "9" * 40)
    assert planned.writes == (("a.md", b"new"),)
    assert planned.entries == (("b.md", "100644", "2" * 40),)
    assert planned.deletes == ("c.md",)
    assert planned.trailers == (("Gitmem-Conflict", "a"),)
