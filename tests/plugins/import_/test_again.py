"""Importing notes again brings what changed there, keeps what changed here, and names what moved or is gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.memory import Memory
from gitmem.plugins.import_.run import ImportResult, Sources

TEXT = "The gateway drops idle connections.\n\nThe limit is a minute.\n\nAsk Ana about it."


@pytest.fixture
def vault(tmp_path: Path, memory: Memory) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for name, text in {
        "Gateway": TEXT,
        "Queue": "One queue for each worker, never shared.",
        "Home": "See [[Gateway]].",
    }.items():
        (folder / f"{name}.md").write_text(f"---\ntags: [ops]\n---\n# {name}\n\n{text}\n")
    assert len(run(memory, folder).settled.new) == 3
    return folder


def run(memory: Memory, folder: Path, *, update: bool = True, dry_run: bool = False) -> ImportResult:
    return memory.bulk.import_files(Sources((str(folder),), update=update, dry_run=dry_run))


def change(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


def test_only_what_changed_is_imported(memory: Memory, vault: Path) -> None:
    again = run(memory, vault)
    change(vault / "Gateway.md", "a minute", "two minutes")
    change(vault / "Queue.md", "[ops]", "[ops, workers]")

    done = run(memory, vault)

    assert (again.settled.updated, again.settled.unchanged) == ({}, 3)
    assert (sorted(done.settled.updated), done.settled.unchanged) == (["gateway", "queue"], 1)
    assert memory.show("queue").document["frontmatter"]["tags"] == ["ops", "workers"]


def test_change_here_and_change_there_are_merged(memory: Memory, vault: Path) -> None:
    memory.edit("gateway", body=TEXT.replace("Ask Ana", "Ask Bo"))
    kept = run(memory, vault)
    change(vault / "Gateway.md", "a minute", "two minutes")

    done = run(memory, vault)

    assert (kept.settled.updated, kept.settled.unchanged) == ({}, 3)
    assert list(done.settled.updated) == ["gateway"]
    assert memory.show("gateway").document["body"].strip() == TEXT.replace("Ask Ana", "Ask Bo").replace(
        "a minute", "two minutes"
    )
    assert "conflict" not in memory.show("gateway").document["frontmatter"]


@pytest.mark.parametrize("update", [True, False])
def test_renamed_note_keeps_its_memory(memory: Memory, vault: Path, update: bool) -> None:
    (vault / "Deep").mkdir()
    (vault / "Gateway.md").rename(vault / "Deep" / "The Gateway.md")
    change(vault / "Home.md", "[[Gateway]]", "[[The Gateway]]")

    done = run(memory, vault, update=update)

    assert (done.settled.new, done.settled.gone.kept) == ({}, [])
    assert [reason for _, reason in done.settled.moved.kept] == ["was vault/Gateway.md"]
    assert memory.show("gateway").document["frontmatter"]["imported"] == "vault/Deep/The Gateway.md"


def test_deleted_note_is_named_with_what_retires_its_memory(memory: Memory, vault: Path) -> None:
    (vault / "Queue.md").unlink()

    gone = run(memory, vault, dry_run=True).settled.gone.kept

    assert [(name, "gitmem forget queue" in reason) for name, reason in gone] == [("vault/Queue.md", True)]
    memory.forget("queue", why="gone")
    assert run(memory, vault).settled.gone.kept == []


def test_sections_of_a_note_are_there_until_the_note_is_without_them(memory: Memory, vault: Path) -> None:
    (vault / "Gateway.md").write_text("# Gateway\n\nIt drops.\n\n## Limits\n\nA minute.\n\n## People\n\nAna.\n")
    (vault / "Same.md").write_text((vault / "Gateway.md").read_text())
    sources = Sources((str(vault),), update=True, chunk=True)
    memory.bulk.import_files(sources)

    again = memory.bulk.import_files(sources).settled
    (vault / "Same.md").unlink()
    change(vault / "Gateway.md", "## Limits\n\nA minute.\n\n", "")
    done = memory.bulk.import_files(sources).settled

    assert (again.new, again.updated, again.moved.kept, again.gone.kept) == ({}, {}, [], [])
    assert [name for name, _ in done.gone.kept] == ["vault/Gateway.md#gateway-limits"]


def test_memory_with_an_id_is_updated_and_merged_instead_of_added(memory: Memory, tmp_path: Path) -> None:
    path, one = tmp_path / "mem0.json", "0c5d6a8e-0000-4000-8000-00000000000"
    table = {
        "results": [{"id": f"{one}1", "memory": "Ana prefers tabs to spaces.\n\nIn Go."}, {"id": "7", "memory": "A b"}]
    }
    path.write_text(json.dumps(table))
    (key,) = (key for key in run(memory, path).settled.new if key != "a-b")
    memory.edit(key, body="In Go and C.")
    same = run(memory, path).settled
    table["results"] = [{"id": f"{one}1", "memory": "Ana prefers spaces.\n\nIn Go."}, {"id": "7", "memory": "A c"}]
    path.write_text(json.dumps(table))

    skipped = memory.bulk.import_files(Sources((str(path),), dry_run=True)).settled
    done = run(memory, path).settled

    assert (same.new, same.updated) == ({}, {})
    assert (list(skipped.new), skipped.skipped.total) == (["a-c"], 1)
    assert (list(done.new), list(done.updated)) == (["a-c"], [key])
    assert (memory.show(key).title, memory.show(key).body) == ("Ana prefers spaces", "In Go and C.\n")


def test_another_folder_of_the_same_name_makes_nothing_disappear(memory: Memory, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "vault"
    other.mkdir(parents=True)
    (other / "Alone.md").write_text("Another vault that is named like the first one.\n")

    assert run(memory, other).settled.gone.kept == []


def test_notes_of_another_folder_of_the_same_name_replace_nothing(memory: Memory, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "vault"
    other.mkdir(parents=True)
    (other / "Gateway.md").write_text("Bread rises for four hours in a warm kitchen.\n")

    first, again = run(memory, other), run(memory, other)
    change(vault / "Gateway.md", "a minute", "two minutes")
    done = run(memory, vault)

    assert (len(first.settled.new), first.settled.updated, first.settled.gone.kept) == (1, {}, [])
    assert (again.settled.new, again.settled.unchanged) == ({}, 1)
    assert (list(done.settled.updated), done.settled.unchanged, done.settled.gone.kept) == (["gateway"], 2, [])


def test_path_that_another_person_wrote_is_not_read_outside_of_the_folder(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault.parent / "secret.md").write_text("A text outside of the folder.\n")
    memory.edit("queue", fields={"imported": "vault/../secret.md"})
    read: list[Path] = []
    monkeypatch.setattr(Path, "read_bytes", lambda self, whole=Path.read_bytes: read.append(self) or whole(self))

    run(memory, vault)

    assert [path for path in read if path.name == "secret.md"] == []
