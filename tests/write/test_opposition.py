"""A new title is compared only with near ones, and what it contradicts is found among many."""

from __future__ import annotations

from conftest import memory_text
from support.catalogs import catalog_of
from support.each import each

from gitmem.write.opposition import find_contradicted

FILES = {
    "decisions/a.md": memory_text("Sessions are stored in Redis"),
    "decisions/b.md": memory_text("The API listens on port 8080"),
    **{f"learned/n{n}.md": memory_text(f"Part number {n} of the API is tested by hand") for n in range(40)},
}


@each(
    ("title", "keys"),
    [
        ("Sessions are stored in Memcached", ["a"]),
        ("The API listens on port 9000", ["b"]),
        ("The API logs to stdout", []),
        ("Sessions are stored in Redis", []),
        ("用", []),
    ],
)
def test_contradicted_memories_are_found(title: str, keys: list[str]) -> None:
    assert find_contradicted(catalog_of(FILES), title, fields={"kind": "learned"}) == keys


def test_superseded_ones_and_plans_are_left_out() -> None:
    title, catalog = "Sessions are stored in Memcached", catalog_of(FILES)

    assert find_contradicted(catalog, title, fields={"kind": "learned", "supersedes": ["a"]}) == []
    assert find_contradicted(catalog, title, fields={"kind": "task"}) == []
