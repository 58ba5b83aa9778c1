"""Casual questions about other changelogs: how entries are cut, and which document an answer stands for."""

from __future__ import annotations

from benchmarks import judged
from benchmarks.changelogs import FILES, QUERIES, entries

TEXT = """
## 1.1

- Retry a publish. It is tried three times. (#12)
- Short
- Close the pool, and all that
  belongs to it

## 1.0

- Read `names` of :class:`Pool` as text
"""


def test_changelog_is_cut_into_its_entries() -> None:
    _, release, item = FILES["httpx"]

    found = entries(TEXT, release, item)

    assert [(each["id"], each["title"]) for each in found] == [
        ("1.1-1", "Retry a publish"),
        ("1.1-3", "Close the pool, and all that belongs to it"),
        ("1.0-1", "Read `names` of Pool as text"),
    ]


def test_each_project_has_its_questions() -> None:
    projects = [query["project"] for query in judged.read(QUERIES)]

    assert {project: projects.count(project) for project in projects} == dict.fromkeys(FILES, 20) | {"click": 60}
