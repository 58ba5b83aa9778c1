"""The catalog's rows follow the store."""

from __future__ import annotations

from pathlib import Path

from conftest import NOW, git, memory_text, put_files, tip
from support.each import each

from gitmem.index.catalog import Catalog, schema, update
from gitmem.memory import Memory


def live(memory: Memory) -> dict[str, tuple[int, int]]:
    rows = memory.repository.catalog().rows("SELECT path, shadowed, superseded FROM memory ORDER BY path")
    return {path: (shadowed, superseded) for path, shadowed, superseded in rows}


def test_of_two_files_with_one_key_the_first_active_one_counts(memory: Memory) -> None:
    top = memory.repository.git.repository.work_tree
    assert top is not None
    put_files(
        top,
        {
            "archive/facts/a.md": memory_text("retired"),
            "gotchas/a.md": memory_text("second"),
            "learned/a.md": memory_text("third"),
        },
    )

    assert live(memory) == {"archive/facts/a.md": (1, 0), "gotchas/a.md": (0, 0), "learned/a.md": (1, 0)}


def test_the_next_file_counts_when_the_first_one_goes(memory: Memory) -> None:
    top = memory.repository.git.repository.work_tree
    assert top is not None
    put_files(top, {"gotchas/a.md": memory_text("first"), "learned/a.md": memory_text("second")})
    live(memory)

    remove_file(top, "gotchas/a.md")

    assert live(memory) == {"learned/a.md": (0, 0)}


def remove_file(top: Path, path: str) -> None:
    """Delete a file straight from the memory branch, as somebody who pushed that would."""
    stream = f"commit refs/heads/memory\ncommitter M <m@x> {NOW} +0000\ndata 1\nx\nfrom {tip(top)}\nD {path}\n\n"
    git(top, "fast-import", "--quiet", "--date-format=raw", input=stream)


def test_a_memory_is_superseded_by_a_link_from_either_side(memory: Memory) -> None:
    top = memory.repository.git.repository.work_tree
    assert top is not None
    put_files(
        top,
        {
            "learned/old.md": memory_text("old"),
            "learned/new.md": memory_text("new", supersedes="[old]"),
            "learned/older.md": memory_text("older", superseded_by="new"),
        },
    )

    assert {path: superseded for path, (_, superseded) in live(memory).items()} == {
        "learned/old.md": 1,
        "learned/new.md": 0,
        "learned/older.md": 1,
    }


def test_a_memory_comes_back_when_what_superseded_it_is_retired(memory: Memory) -> None:
    top = memory.repository.git.repository.work_tree
    assert top is not None
    put_files(top, {"learned/old.md": memory_text("old"), "learned/new.md": memory_text("new", supersedes="[old]")})
    assert live(memory)["learned/old.md"] == (0, 1)

    memory.forget("new")

    assert live(memory)["learned/old.md"] == (0, 0)


def test_a_memory_cannot_supersede_itself_out_of_search(memory: Memory) -> None:
    top = memory.repository.git.repository.work_tree
    assert top is not None
    put_files(top, {"learned/a.md": memory_text("a", supersedes="[a]")})

    assert live(memory)["learned/a.md"] == (0, 0)


def test_removed_memory_is_no_longer_found_at_its_path(memory: Memory) -> None:
    memory.remember("Über uns: naïve café", key="a")
    catalog = memory.repository.catalog()
    number, path = catalog.row("SELECT id, path FROM memory")

    with catalog.writing():
        assert update.number_at(catalog, path) == number
        update.remove_path(catalog, path)

    assert catalog.row("SELECT count(*) FROM text")[0] == 0
    assert update.number_at(catalog, path) is None


def test_a_write_of_no_fact_leaves_the_statuses_alone(memory: Memory) -> None:
    memory.fact("There is a readme", verify={"exists": "README.md"})
    memory.repository.ground()

    memory.remember("Something else")

    assert memory.repository.catalog().row("SELECT complete FROM ground")[0] == 1


@each("keys", [None, ["k7"]])
def test_settling_keys_costs_a_step_for_each_memory_not_for_each_pair(keys: list[str] | None) -> None:
    few, many = settling_steps(500, keys), settling_steps(4000, keys)

    assert many < 16 * few  # 8 times as many memories; 64 times the steps where each is compared with each


def settling_steps(count: int, keys: list[str] | None) -> int:
    """Return how many steps of SQLite's virtual machine it takes to settle a catalog where one in 40 supersedes."""
    catalog = Catalog(None, schema.create(None))
    rows = ((n, "learned", f"k{n}", "0", "learned", "t", 0, 0, "low", 1.0, 0, "", "", "") for n in range(count))
    catalog.connection.executemany(
        "INSERT INTO memory (id, folder, key, oid, kind, title, created, updated, importance, confidence, archived,"
        " agent, task, superseded_by) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        rows,
    )
    links = ((n, "supersedes", f"k{n - 1}") for n in range(1, count, 40))
    catalog.connection.executemany("INSERT INTO link VALUES (?, ?, ?)", links)
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    catalog.connection.set_progress_handler(step, 10)
    update.settle_keys(catalog, keys)
    catalog.close()
    return max(steps, 1)
