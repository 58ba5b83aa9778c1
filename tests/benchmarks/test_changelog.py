"""The questions about a changelog: entries are cut as they were when the questions were written."""

from __future__ import annotations

from benchmarks import judged
from benchmarks.changelog import QUERIES, entries, places, table

TEXT = """
2.0 (2030-01-01)
================

* Too new.

1.25.9 (2020-04-16)
===================

* Added a pool. (Issue #1)

- Drain the connection
  after a redirect: it blocked. (Pull #2)

Not an entry.

1.0 (2011-10-08)
----------------

* First release.
"""


def test_entries_have_their_release_and_its_date() -> None:
    found = entries(TEXT)

    assert [one["id"] for one in found] == ["1.25.9-1", "1.25.9-2", "1.0-1"]
    assert found[0]["title"] == "Added a pool"
    assert found[1]["text"] == "Drain the connection after a redirect: it blocked. (Pull #2)"
    assert (found[1]["date"], found[1]["tags"]) == ("2020-04-16T00:00:00", ["release-1.25.9"])


def test_places_are_counted_by_kind_of_question() -> None:
    class Fixed:
        def index(self, docs: object) -> None:
            raise AssertionError(docs)

        def search(self, query: str, k: int) -> list[str]:
            return ["a", "b", "c"][:k] if query == "known" else []

    queries = [
        {"text": "known", "kind": "time", "relevant": {"b": 1}},
        {"text": "unknown", "kind": "time", "relevant": {"b": 1}},
    ]

    found = places(Fixed(), queries)

    assert found == {"time": [2, 0]}
    assert table(found).endswith("| time | 0 of 2 | 1 |")


def test_there_are_sixty_questions_in_other_words_and_twenty_about_times() -> None:
    kinds = [one["kind"] for one in judged.read(QUERIES)]

    assert (kinds.count("own words"), kinds.count("time")) == (60, 20)
