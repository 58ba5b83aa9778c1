"""Catalogs of former states equal rebuilt ones, and only a few are cached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.catalogs import said_anew, said_by

from gitmem.commands.time_travel.catalogs import KEPT_AT_MOST, CatalogContent, catalog_at
from gitmem.index.catalog import Catalog
from gitmem.memory import Memory


@contextmanager
def _at(memory: Memory, *states: str, tree: str = "") -> Iterator[Catalog]:
    with closing(
        catalog_at(
            memory.repository.git, memory.repository.catalog(memory.repository.find_tip()), CatalogContent(states, tree)
        )
    ) as found:
        yield found


def _grown(repo: Path, number: int) -> list[str]:
    """Return the tips after some writes that each add, change and remove something."""
    tips = []
    for nth in range(number):
        files = {f"learned/m{nth}.md": memory_text(f"Number {nth}", body="words\n")}
        files["learned/same.md"] = memory_text("The same", body=f"version {nth}\n")
        tips.append(put_files(repo, files))
    return tips


def test_catalog_led_back_says_what_one_made_from_nothing_says(memory: Memory, repo: Path) -> None:
    tips = _grown(repo, 4)
    policy = put_files(repo, {"gitmem.toml": "[recall]\nrelative-floor = 0.5\n"})
    later = _grown(repo, 6)
    memory.repository.catalog()

    for state in (tips[1], policy, later[2], tips[1]):  # the first needs another policy, the last one is kept
        with _at(memory, state) as found:
            assert said_by(found) == said_anew(repo, state)


def test_what_two_clones_wrote_side_by_side_is_united(memory: Memory, repo: Path) -> None:
    base = put_files(repo, {"learned/old.md": memory_text("Old"), "learned/both.md": memory_text("Both")})
    here = put_files(repo, {"learned/here.md": memory_text("Here"), "learned/both.md": memory_text("Both, here")})
    git(repo, "update-ref", "refs/notes/there", base)
    there = put_files(
        repo,
        {"learned/there.md": memory_text("There"), "learned/both.md": memory_text("Both, there")},
        ref="refs/notes/there",
    )

    with _at(memory, here, there) as found:
        titles = {row[0] for row in found.rows("SELECT title FROM memory")}

    assert titles == {"Old", "Here", "There", "Both, here"}


def test_only_the_last_few_are_kept_and_present_statuses_are_not(memory: Memory, repo: Path) -> None:
    memory.fact("It is there", verify={"exists": "README.md"}, key="f")
    memory.repository.ground()
    tips = [tip(repo), *_grown(repo, KEPT_AT_MOST + 2)]

    for state in tips:
        with _at(memory, state) as found:
            assert found.row("SELECT count(*) FROM state")[0] == 0

    kept = {path.name for path in (repo / ".git/gitmem/at").iterdir()}
    assert kept == {state[:12] for state in tips[-KEPT_AT_MOST:]}


def test_it_lives_in_memory_where_the_disk_cannot_be_written_to(memory: Memory, repo: Path) -> None:
    tips = _grown(repo, 3)
    memory.repository.catalog()
    (repo / ".git/gitmem/at").write_text("in the way")

    with _at(memory, tips[0]) as found:
        assert found.path is None
        assert said_by(found) == said_anew(repo, tips[0])


@pytest.mark.parametrize("broken", ["empty", "gone", "another"])
def test_what_is_kept_and_broken_is_made_again(memory: Memory, repo: Path, broken: str) -> None:
    tips = _grown(repo, 3)
    with _at(memory, tips[0]):
        pass
    kept = repo / ".git/gitmem/at" / tips[0][:12] / "catalog.sqlite"
    if broken == "another":
        with _at(memory, tips[1]):
            pass
        kept.write_bytes((kept.parent.parent / tips[1][:12] / "catalog.sqlite").read_bytes())
    else:
        kept.write_bytes(b"") if broken == "empty" else kept.unlink()

    with _at(memory, tips[0]) as found:
        assert said_by(found) == said_anew(repo, tips[0])


def test_nothing_is_known_in_an_empty_state(memory: Memory, repo: Path) -> None:
    with _at(memory) as found:
        assert found.row("SELECT count(*) FROM memory")[0] == 0
    assert not (repo / ".git/gitmem/at").exists()
