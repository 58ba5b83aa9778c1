"""Import decisions: new, known and forgotten memories, and the paths of new files."""

from __future__ import annotations

from conftest import memory_text
from hypothesis import given
from hypothesis import strategies as st
from support.catalogs import catalog_of

from gitmem.document.parse import parse
from gitmem.index.catalog.update import add_problem
from gitmem.model import Problem
from gitmem.policy import builtin
from gitmem.store import layout
from gitmem.text.similarity import near_pairs, text_to_compare, wording_of
from gitmem.write.bulk import ImportPlan, _with_same_numerals, changes_of, settle
from gitmem.write.incoming import Incoming, incoming_exact

SAID = "The gateway drops every request that carries no trace id and answers with a 502"
JANUARY, JUNE = "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z"


def ours(key: str, title: str = SAID, *, archived: bool = False, body: str = "", **fields: object) -> Incoming:
    document = parse(memory_text(title, body=body, **fields), path=f"{key}.md")
    return incoming_exact(document, f"{key}.md", folder="", archived=archived, policy=builtin())


def other(key: str, title: str = SAID, *, where: str = "x:1") -> Incoming:
    """Return a memory whose key was made from its text."""
    one = ours(key, title)
    return Incoming(where, key, False, False, one.kind, one.title, one.body, one.text, 0)


def plan_import(files: dict[str, str], *incoming: Incoming, update: bool = False) -> ImportPlan:
    return settle(catalog_of(files), incoming, update=update, threshold=0.85)


def summary(settled: ImportPlan) -> tuple[list[str], list[str], int, int]:
    return sorted(settled.new), sorted(settled.updated), settled.unchanged, settled.skipped.total


def test_what_the_store_has_is_unchanged_under_its_key_or_in_its_words() -> None:
    files = {"learned/a.md": memory_text(SAID, created=JANUARY)}

    settled = plan_import(files, ours("a", created=JANUARY), ours("a2", "Another"), other("the-gateway"))

    assert summary(settled) == (["a2"], [], 2, 0)


def test_later_text_of_a_key_counts_and_an_older_one_is_left_out_unless_asked() -> None:
    files = {"learned/a.md": memory_text("March", created="2026-03-01T00:00:00Z")}
    older, later = ours("a", "January", created=JANUARY), ours("a", "June", created=JUNE)

    assert summary(plan_import(files, later)) == ([], ["a"], 0, 0)
    assert summary(plan_import(files, older)) == ([], [], 0, 1)
    assert summary(plan_import(files, older, update=True)) == ([], ["a"], 0, 0)


def test_of_one_key_in_the_sources_the_latest_counts_whatever_the_order() -> None:
    june, january, also_june = (ours("a", t, created=c) for t, c in (("One", JUNE), ("Two", JANUARY), ("Three", JUNE)))

    settled = plan_import({}, june, january, also_june)

    assert (settled.new["a"].title, settled.merged.total) == ("Three", 2)


def test_what_was_forgotten_stays_forgotten_under_its_key_and_in_its_words() -> None:
    files = {"archive/learned/a.md": memory_text(SAID, retired="{when: 2026-01-01T00:00:00Z, why: it is wrong}")}

    settled = plan_import(files, ours("a", "Something new", created=JUNE), ours("b"), other("the-gateway"))

    assert summary(settled) == ([], [], 0, 3)
    assert settled.skipped.kept[1] == (
        "b.md",
        "it says the same thing as a, which was forgotten on 2026-01-01T00:00:00Z because: it is wrong"
        " (gitmem restore a)",
    )


def test_rotated_memory_is_not_a_tombstone() -> None:
    files = {"archive/learned/a.md": memory_text(SAID, created=JANUARY, retired="{why: rotated}")}

    assert summary(plan_import(files, ours("a", created=JANUARY))) == ([], [], 1, 0)
    assert summary(plan_import(files, ours("a", "Later", created=JUNE))) == ([], ["a"], 0, 0)


def test_retired_memory_of_an_export_neither_retires_nor_comes_twice() -> None:
    files = {"learned/live.md": memory_text("Live"), "archive/learned/gone.md": memory_text("Gone", retired="{}")}

    settled = plan_import(files, *(ours(key, "T", archived=True) for key in ("live", "gone", "new")))

    assert summary(settled) == (["new"], [], 1, 1)


def test_memory_of_a_newer_version_and_one_that_cannot_be_read_are_left_alone() -> None:
    catalog = catalog_of({"learned/newer.md": memory_text("Newer", schema=2)})
    add_problem(catalog, Problem("no-frontmatter", "learned/bad.md", "the first line is not `---`", key="bad"))

    settled = settle(
        catalog, [ours(key, "Mine", created=JUNE) for key in ("newer", "bad")], update=True, threshold=0.85
    )

    assert summary(settled) == ([], [], 0, 2)
    assert ["newer version" in reason for _, reason in settled.skipped.kept] == [True, False]


def test_same_words_count_once_nearly_the_same_once_and_others_get_a_key_of_their_own() -> None:
    near = SAID.replace("drops", "drops those")
    texts = [SAID, SAID, near, "The gateway keeps idle connections"]

    settled = plan_import({}, *(other("the-gateway", text) for text in texts))

    assert (settled.merged.total, settled.near.total) == (1, 1)
    first, second = settled.new
    assert first == "the-gateway"
    assert second.startswith("the-gateway-")
    assert settled.new[second].title == texts[3]


def test_folder_is_split_at_once_and_what_lies_there_moves_along() -> None:
    files = {f"learned/old{n}.md": memory_text(f"Old {n}") for n in range(3)}
    catalog = catalog_of(files)
    settled = settle(
        catalog, [ours(f"k{n}", f"T {n}") for n in range(layout.SPLIT_ABOVE)], update=False, threshold=0.85
    )

    changes = changes_of(catalog, settled, builtin())

    assert len(changes.files) == layout.SPLIT_ABOVE
    assert {old for old, _ in changes.moves} == set(files)
    places = [layout.place_of(path) for path in [*changes.files, *(new for _, new in changes.moves)]]
    assert all(isinstance(place, layout.StorePath) and place.split for place in places)


def test_update_that_changes_the_kind_moves_the_file() -> None:
    files = {"learned/a.md": memory_text("Old", created=JANUARY), "gotchas/b.md": memory_text("Old", created=JANUARY)}
    catalog = catalog_of(files)
    settled = settle(catalog, [ours("a", "New", kind="gotcha", created=JUNE)], update=False, threshold=0.85)

    changes = changes_of(catalog, settled, builtin())

    assert (list(changes.files), changes.deletes) == (["gotchas/a.md"], ["learned/a.md"])


SAYINGS = st.lists(
    st.sampled_from(["drops", "requests", "1,000", "1000", "two", "2", "3", "never", "at 5"]), min_size=1
)


@given(st.lists(SAYINGS.map(" ".join), max_size=12))
def test_texts_with_numerals_of_their_own_are_in_no_near_pair(texts):
    every = [(text, other(f"k{number}", f"It {text}")) for number, text in enumerate(texts)]

    def pairs(some: list[tuple[str, Incoming]]) -> list[tuple[str, str, float]]:
        wordings = [wording_of(text_to_compare(one.title, one.body)) for _, one in some]
        return [(some[a][1].key, some[b][1].key, like) for a, b, like in near_pairs(wordings, 0.75)]

    assert pairs(_with_same_numerals(every)) == pairs(every)
