"""What a search node's index finds is the same however it was written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.hub.engine import Filter, Found, TantivyEngine

NOW, LIMIT = 1_800_000_000, 10
# Zipf: a few words are in most memories.
WORDS = [f"word{number}" for number in range(60) for _ in range(60 // (number + 1))]


def make_memories(count: int, shown: int) -> list[Found]:
    """Return memories of three repositories with words in titles, tags and bodies of any length; some are alike.

    The more are *shown*, the fewer are hidden or have expired.
    """
    dice = random.Random(1)
    made = []
    for number in range(1, count + 1):
        title, tags, body = (" ".join(dice.choices(WORDS, k=dice.randint(0, most))) for most in (9, 3, 120))
        fields = {"owner": "", "expires": dice.choice([0] * shown + [NOW - 1, NOW + 1])}
        fields |= {"hidden": dice.choice([""] * shown + ["old"])}
        terms = (title, tags, dice.choice(WORDS), "", body)
        path = f"notes/m{number}.md"
        made.append(Found(number, number % 3, path, path, "note", "", "english", terms, fields | {"proof": None}))
    return made


@pytest.fixture(scope="module", params=[1, 9], ids=["mostly hidden", "mostly shown"])
def written(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[list[Found], TantivyEngine, TantivyEngine]]:
    """Return 600 memories, and two indexes of the last 400: one was written at once, the other in many steps."""
    memories = make_memories(600, request.param)
    folder = tmp_path_factory.mktemp("written")
    fresh, rewritten = TantivyEngine(folder / "fresh"), TantivyEngine(folder / "rewritten")
    fresh.apply(memories[200:], [])
    # Long ones that are deleted again: Tantivy counts them until it merges its segments.
    rewritten.apply(memories[:200], [])
    for start in range(200, 600, 37):
        rewritten.apply(memories[start : start + 37], [])
    rewritten.apply(memories[300:350], [(one.repository_id, one.path) for one in memories[:200]])
    yield memories, fresh, rewritten
    fresh.close()
    rewritten.close()


# A view keeps the filter of these repositories: each case has others.
@pytest.mark.parametrize(
    ("repositories", "few"), [(None, 100), (frozenset({0}), 0), (frozenset({0, 2}), 100), (frozenset({1, 2}), 0)]
)
def test_candidates_are_the_same_however_the_index_was_written(
    written: tuple[list[Found], TantivyEngine, TantivyEngine],
    tmp_path: Path,
    repositories: frozenset[int] | None,
    few: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gitmem.hub.engine.FEW_VALUES", few)
    memories, fresh, rewritten = written
    alone = TantivyEngine(tmp_path / "alone")
    only, dice = Filter(repositories, NOW), random.Random(2)

    def is_seen(one: Found) -> bool:
        return repositories is None or one.repository_id in repositories

    alone.apply([one for one in memories[200:] if is_seen(one)], [])
    for _ in range(20):
        terms = sorted({*dice.choices(WORDS, k=3)})
        found = [view.candidates(terms, only, limit=LIMIT) for view in (fresh.view(), rewritten.view())]
        assert found[0] == found[1]
        # Nothing depends on what the reader may not see.
        assert alone.view().candidates(terms, only, limit=LIMIT) == found[0]
        stats = fresh.view().frequencies(terms, repositories)
        assert stats == alone.view().frequencies(terms, repositories)
        assert stats == rewritten.view().frequencies(terms, repositories)
        assert stats.frequency == {
            term: df
            for term in terms
            if (df := sum(term in " ".join(one.terms).split() for one in memories[200:] if is_seen(one)))
        }
        assert [
            one.fields["hidden"] for one in found[0] if 0 < one.fields["expires"] <= NOW or one.fields["hidden"]
        ] == []
        # The best of all are those of as many as there are.
        assert fresh.view().candidates(terms, only, limit=600)[:LIMIT] == found[0]
    alone.close()


def test_readers_cannot_make_a_view_grow_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.hub.engine.MOST_COUNTS", 2)
    monkeypatch.setattr("gitmem.hub.engine.MOST_FILTERS", 2)
    engine = TantivyEngine(tmp_path / "index")
    engine.apply(make_memories(30, 9), [])
    view = engine.view()

    first, *_, again = [
        view.frequencies(["word0", "word1", "word2"], frozenset({number % 3, number}))
        for number in (0, 1, 2, 3, 4, 5, 0)
    ]

    assert again == first
    view.candidates(["word0"], Filter(None, NOW), limit=LIMIT)
    held = (view._counts, view._sums, view._hides, view._filters, view._places)
    assert max(map(len, held)) <= 2
    engine.close()


def test_memories_are_found_behind_any_number_of_better_ones_that_are_hidden(tmp_path: Path) -> None:
    engine = TantivyEngine(tmp_path)
    fields = {"owner": "", "expires": 0, "proof": None}
    engine.apply(
        [
            Found(number, 1, f"{number}.md", "k", "note", "", "english", ("", "", "", "", body), fields | rest)
            for number in range(1, 1000)
            for body, rest in [
                ("rare " * 9, {"hidden": "old"}) if number <= 400 else ("rare and much else", {"hidden": ""})
            ]
        ],
        [],
    )
    found = engine.view().candidates(["rare"], Filter(None, NOW), limit=LIMIT)
    assert [one.fields["hidden"] for one in found] == [""] * LIMIT
    engine.close()
