"""Rows are written in batches, and the last batch too."""

from __future__ import annotations

from conftest import memory_text

from gitmem.document.parse import parse
from gitmem.index.catalog import Catalog, inserts, schema
from gitmem.index.catalog.inserts import Inserts, StoredMemory
from gitmem.model import HOLDS, IndexText, Problem, Verdict
from gitmem.policy import builtin


def empty() -> Catalog:
    return schema.in_memory(lambda _: None)


def stored(key: str, **fields: object) -> StoredMemory:
    return StoredMemory(parse(memory_text(key, **fields), path=f"learned/{key}.md"), "0" * 40, False)


def count(catalog: Catalog, table: str) -> int:
    return catalog.row(f"SELECT count(*) FROM {table}")[0]


def test_nothing_is_lost_between_batches(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(inserts, "BATCH", 3)
    catalog = empty()
    held = Inserts(catalog)

    texts = [held.add_memory(stored(f"m{n}", tags=f"[t{n}]", requires="[x]"), builtin()) for n in range(8)]
    held.flush()

    assert [t.number for t in texts if isinstance(t, IndexText)] == list(range(1, 9))
    assert [count(catalog, t) for t in ("memory", "text", "tag", "link")] == [8, 8, 8, 8]


def test_numbers_go_on_behind_those_that_are_there() -> None:
    catalog = empty()
    first = Inserts(catalog)
    first.add_memory(stored("a"), builtin())
    first.flush()

    second = Inserts(catalog).add_memory(stored("b"), builtin())

    assert isinstance(second, IndexText)
    assert second.number == 2


def test_a_verdict_replaces_the_one_at_its_path() -> None:
    catalog = empty()
    held = Inserts(catalog)
    for at in (1, 2):
        held.add_verdict("verdicts/aa/k.x.toml", Verdict("k", "s", "c", HOLDS, "0" * 40, "d", at))
    held.flush()

    assert catalog.rows("SELECT key, at FROM verdict") == [("k", 2)]


def test_a_field_that_cannot_be_used_is_a_problem_of_its_file_alone() -> None:
    held = Inserts(empty())
    broken = StoredMemory(parse(memory_text("a"), path="learned/a.md"), "0" * 40, False)
    broken.document.fields["ttl"] = "soon"

    found = held.add_memory(broken, builtin())

    assert isinstance(found, Problem)
    assert (found.path, found.key) == ("learned/a.md", "a")
