"""Note files that agents write become memories for a month, rewritten with the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, put_files
from support.agent_work import SECRET, captured_memories, refusals, wrote
from support.each import each

from gitmem.agents import on_event
from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.repository.private import open_private
from gitmem.write.draft import make_draft
from gitmem.write.new_memory import NewMemory

NOTE = "# The API wants a Bearer prefix\n\nWithout it, the answer is a misleading 403 instead of 401.\n"


@pytest.mark.parametrize("path", ["memory/auth.md", "notes/2026/auth.txt", ".claude/memory/auth.md"])
def test_note_file_is_a_memory_with_the_ttl_of_notes(memory: Memory, repo: Path, path: str) -> None:
    on_event.tool_used(memory, wrote(repo, path, NOTE))

    ((key, found),) = captured_memories(memory).items()

    assert key.startswith("auth-")
    assert (found["kind"], found["title"]) == ("note", "The API wants a Bearer prefix")
    assert found["frontmatter"]["refs"] == [path]
    assert memory.repository.policy().kind("note").ttl_s == 30 * 86_400


def test_note_that_is_written_again_is_the_same_memory(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, wrote(repo, "notes/auth.md", NOTE))
    on_event.tool_used(memory, wrote(repo, "notes/auth.md", NOTE.replace("403", "404")))

    ((_, found),) = captured_memories(memory).items()

    assert "404" in found["body"]
    assert "403" not in found["body"]


def test_note_keeps_the_key_that_an_earlier_version_gave_it(memory: Memory, repo: Path) -> None:
    memory.remember("Without it, the answer is 401.", title="Auth", kind="note", key="note-notes-auth-1d5b9b3b")

    on_event.tool_used(memory, wrote(repo, "notes/auth.md", NOTE))

    ((key, found),) = captured_memories(memory).items()
    assert key == "note-notes-auth-1d5b9b3b"
    assert "403" in found["body"]


def test_private_note_keeps_the_key_that_an_earlier_version_gave_it(memory: Memory, repo: Path) -> None:
    note = wrote(repo, "notes/auth.md", NOTE, agent_type="bob")
    store = open_private(memory.repository, agent="bob")
    old = NewMemory("It answers 401.", {}, "Auth", "note", "note-notes-auth-1d5b9b3b")
    draft = make_draft(old, author=memory.repository.author(), policy=store.policy(), now=NOW)
    store.writer().remember(draft, store.policy(), verb="capture")

    on_event.tool_used(memory, note)
    memory.captures.drain()

    assert store.catalog().rows("SELECT key FROM memory") == [("note-notes-auth-1d5b9b3b",)]


def test_notes_of_one_name_in_two_folders_are_two(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, wrote(repo, "notes/a-b.md", NOTE))
    on_event.tool_used(memory, wrote(repo, "notes/a/b.md", "# Something else\n\nThe gateway drops idle connections.\n"))

    assert len(captured_memories(memory)) == 2


@each(
    ("path", "text"),
    [
        ("docs/auth.md", NOTE),
        ("src/notes/auth.md", NOTE),
        ("notes/auth.py", NOTE),
        ("notes/auth.md", "ok"),
        ("notes/auth.md", NOTE * 500),
        ("../notes/auth.md", NOTE),
    ],
    ids=["elsewhere", "deeper", "code", "says-nothing", "long", "outside"],
)
def test_other_files_are_none(memory: Memory, repo: Path, path: str, text: str) -> None:
    on_event.tool_used(memory, wrote(repo, path, text))

    assert captured_memories(memory) == {}


def test_note_with_a_secret_is_refused_with_what_and_where(memory: Memory, repo: Path) -> None:
    on_event.tool_used(memory, wrote(repo, "notes/auth.md", f"# Key\n\nIt is {SECRET}\n"))

    assert captured_memories(memory) == {}
    (stdin,) = refusals(memory)
    assert "note of claude-code" in stdin
    assert "github-token in line 3" in stdin
    assert SECRET not in stdin


def test_policy_may_keep_none_and_a_person_may_name_folders(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_CAPTURE_NOTES", "docs/agents")
    with Memory(repo) as opened:
        opened.init(offline=True)
        on_event.tool_used(opened, wrote(repo, "docs/agents/a.md", NOTE))
        assert len(captured_memories(opened)) == 1
        put_files(repo, {"gitmem.toml": "[capture]\nnotes = false\n"})

        on_event.tool_used(opened, wrote(repo, "notes/b.md", "# Another\n\nThe gateway drops idle connections.\n"))

        assert [shown["title"] for shown in captured_memories(opened).values()] == ["The API wants a Bearer prefix"]


def private_notes(repo: Path, agent: str) -> list[str]:
    """Return the titles of the notes that only this agent reads, once all captures are committed."""
    with Memory(repo) as opened:
        opened.captures.drain()
        store = open_private(opened.repository, agent=agent)
        return [row[0] for row in store.catalog().rows("SELECT title FROM memory")] if store.find_tip() else []


@pytest.mark.parametrize(
    ("path", "worker", "kind", "reader"),
    [
        ("notes/auth.md", "worker-1", "", "worker-1"),
        ("notes/auth.md", "", "reviewer", "reviewer"),
        (".claude/agent-memory/reviewer/MEMORY.md", "", "", "reviewer"),
    ],
    ids=["a named worker", "a sub-agent", "a sub-agent's folder"],
)
def test_note_of_an_agent_is_its_own(
    repo: Path, monkeypatch: pytest.MonkeyPatch, path: str, worker: str, kind: str, reader: str
) -> None:
    if worker:
        monkeypatch.setenv("GITMEM_AGENT", worker)
    with Memory(repo) as opened:
        opened.init(offline=True)
        on_event.tool_used(opened, replace(wrote(repo, path, NOTE), agent_type=kind))
        assert captured_memories(opened) == {}

    assert private_notes(repo, reader) == ["The API wants a Bearer prefix"]
    assert private_notes(repo, "worker-2") == []


def test_collection_of_notes_says_who_reads_them(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_AGENT", "worker-1")
    shared = '[kinds.note]\ncollection = "notes"\n[collections.notes]\nscope = "project"\n'
    with Memory(repo) as opened:
        opened.init(offline=True)
        put_files(repo, {"gitmem.toml": shared})
    with Memory(repo) as opened:
        on_event.tool_used(opened, wrote(repo, "notes/auth.md", NOTE))

        assert len(captured_memories(opened)) == 1
