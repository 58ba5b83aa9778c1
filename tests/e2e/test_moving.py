"""What people have in other systems comes in, is found, and goes out again as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.branch import memory_files
from support.systems import SYSTEMS, write_systems

from gitmem.memory import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.recall.query import Query

ALL = Query(everything=True, limit=9999)
# Files that do not come out byte for byte, and why.
EXPLAINED = {
    "Obsidian/Meta/Daily.md": "templates are skipped",
    "Obsidian/Untitled.md": "empty notes are skipped",
    "Obsidian/Sketch.md": "a drawing would be overwritten by its text",
    "Logseq/logseq/bak/pages/x.md": "backups are skipped",
    "Beans/beans-0a1b--fix.md": "an issue is a task",
    "OKF/index.md": "it only lists concepts",
    "OKF/orders.md": "concepts go out with --okf",
}


@pytest.fixture
def moved(memory: Memory, tmp_path: Path) -> Memory:
    done = memory.bulk.import_files(Sources(tuple(write_systems(tmp_path / "from"))))
    assert done.refused.kept == done.unreadable.kept == []
    return memory


def words_in(memory: Memory) -> list[tuple[str, str, str]]:
    """Return key, title and body of every memory."""
    rows = [json.loads(line) for line in memory.bulk.export(ALL)]
    return sorted((row["key"], row["title"], row["body"]) for row in rows)


def test_every_text_of_every_system_can_be_recalled(moved: Memory) -> None:
    words = [(name, word) for name, (_, said) in SYSTEMS.items() for word in said.split()]

    missing = [one for one in words if not moved.recall(Query(one[1], everything=True)).hits]

    assert missing == []


def test_links_tags_paths_and_dates_of_notes_are_kept(moved: Memory) -> None:
    def fields(key: str) -> dict:
        return moved.show(key).document["frontmatter"]

    assert fields("home")["refs"] == ["people-ben"]
    assert fields("home")["tags"] == ["area/home"]
    assert fields("journals-2024-01-27")["refs"] == ["pages-read-write"]
    assert (fields("journals-2024-01-27")["created"], fields("pages-read-write")["title"]) == (
        "2024-01-27T00:00:00Z", "Read/Write",
    )  # fmt: skip
    assert fields("202401271530-on-habits")["refs"] == ["202401271531"]
    assert fields("adr-0001-use-jellyfish")["superseded_by"] == "adr-0002-use-b"
    assert fields("rules-ui")["paths"] == ["**/*.tsx"]
    assert (fields("tea")["refs"], fields("cake")["refs"]) == (["cake"], ["tea"])


def test_notes_go_out_as_they_came_in(moved: Memory, tmp_path: Path) -> None:
    list(moved.bulk.export(ALL, folder=str(tmp_path / "out"), is_notes=True))

    files = {
        f"{name}/{path}": text
        for name, (texts, _) in SYSTEMS.items()
        for path, text in texts.items()
        if path.endswith((".md", ".mdc")) and not path.startswith(".")
    }
    came = {path: (tmp_path / "out" / path) for path in files}
    different = {path for path, to in came.items() if not to.is_file() or to.read_text() != files[path]}
    assert different == set(EXPLAINED)
    assert not came["Obsidian/Sketch.md"].exists()
    assert any("Obsidian/Sketch.md, pic.png" in notice for notice in moved.notices)


@pytest.mark.parametrize("form", ["notes", "okf", "jsonl"])
def test_what_goes_out_comes_in_again(moved: Memory, repo: Path, tmp_path: Path, form: str) -> None:
    to = tmp_path / f"out.{form}"
    if form == "jsonl":
        to.write_text("".join(moved.bulk.export(ALL)))
    else:
        list(moved.bulk.export(ALL, folder=str(to), is_notes=form == "notes", is_okf=form == "okf"))
    if form == "notes":  # the settings of a vault stay where they are
        (to / "Logseq" / "logseq").mkdir()
        (to / "Logseq" / "logseq" / "config.edn").touch()
    (tmp_path / "again").mkdir()
    git(tmp_path / "again", "init", "-q", "-b", "main")
    with Memory(tmp_path / "again") as again:
        sources = sorted(str(one) for one in to.iterdir()) if form == "notes" else [str(to)]
        done = again.bulk.import_files(Sources(tuple(sources)))
        assert done.refused.kept == done.unreadable.kept == []
        assert words_in(again) == [one for one in words_in(moved) if form != "notes" or one[0] != "sketch"]
        if form == "jsonl":
            assert memory_files(tmp_path / "again") == memory_files(repo)


def test_documentation_has_a_row_for_each_system() -> None:
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text()
    rows = page.partition("| system | files |")[2].partition("\n\n")[0].split("\n")[2:]

    assert sorted(row.split("|")[1].strip() for row in rows) == sorted(SYSTEMS)
