"""Saving files of the store: each for itself, merged onto the tip, refused with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, memory_text, tip
from support.branch import fields_of, memory_files
from support.facts import for_code
from support.views import push

from gitmem.errors import RefusedError
from gitmem.memory import Memory
from gitmem.model import Document
from gitmem.write.saver import EditedFile, How, Saver

OLD = memory_text("Old", body="one\n\ntwo\n\nthree\n")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def save(memory: Memory, *items: EditedFile, **how: object) -> Saver:
    saver = Saver(
        memory.repository.writer(),
        memory.repository.git,
        memory.repository.catalog_at,
        How(memory.repository.policy(), lambda *_: None, **how),
    )  # type: ignore[arg-type]
    saver.save(items)
    return saver


def blob(repo: Path, text: str) -> str:
    return git(repo, "hash-object", "-w", "--stdin", input=text)


def item(repo: Path, key: str, text: str, base: str = "") -> EditedFile:
    return EditedFile(f"learned/{key}.md", text.encode(), blob(repo, base) if base else "")


def test_several_files_are_one_commit_whose_message_and_trailers_say_so(memory: Memory, repo: Path) -> None:
    push(repo, a=OLD)
    count = int(git(repo, "rev-list", "--count", "memory"))

    saver = save(
        memory, item(repo, "a", OLD.replace("Old", "New"), OLD), item(repo, "b", OLD),
        message="what we learnt\n\nin the retrospective", source="0" * 40,
    )  # fmt: skip

    assert [(c.key, c.is_new) for c in saver.changes] == [("a", False), ("b", True)]
    assert int(git(repo, "rev-list", "--count", "memory")) == count + 1
    assert git(repo, "log", "-1", "--format=%B", "memory").strip() == (
        "what we learnt\n\nin the retrospective\n\nGitmem-Key: a\nGitmem-Key: b\n"
        f"{for_code(repo)}\nGitmem-Source: commit " + "0" * 40
    )


def test_concurrent_change_on_the_branch_is_merged(memory: Memory, repo: Path) -> None:
    push(repo, a=OLD.replace("three", "THREE"))

    saver = save(memory, item(repo, "a", OLD.replace("one", "ONE"), OLD))

    assert (len(saver.changes), saver.refused) == (1, [])
    assert memory_files(repo)["learned/a.md"] == OLD.replace("three", "THREE").replace("one", "ONE")


def test_the_same_changed_in_two_ways_is_refused_unless_the_persons_text_is_to_count(
    memory: Memory, repo: Path
) -> None:
    theirs, mine = OLD.replace("two", "2"), OLD.replace("two", "TWO")
    push(repo, a=theirs)

    refused = save(memory, item(repo, "a", mine, OLD)).refused
    kept = memory_files(repo)["learned/a.md"]
    save(memory, item(repo, "a", mine, OLD), wins=frozenset({"a"}))

    assert "your file was not saved" in refused[0].reason
    assert "gitmem save --mine a" in refused[0].hint
    assert (kept, memory_files(repo)["learned/a.md"]) == (theirs, mine)


def test_a_new_file_does_not_take_the_place_of_a_memory_with_its_key(memory: Memory, repo: Path) -> None:
    memory.remember("known", key="a", kind="gotcha")

    refused = save(memory, item(repo, "a", OLD)).refused

    assert refused[0].reason.startswith("a is another memory there (gotchas/a.md)")
    assert fields_of(repo, "gotchas/a.md")["title"] == "known"


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("learned/x.md", f"---\ntitle: A\n---\nkey {TOKEN}\n", "it seems to contain a secret"),
        ("learned/x.md", "---\ntitle: A\n---\nzero\u200bwidth\n", "U+200B"),
        ("learned/x.md", "---\ntitle: [A\n---\n", "x: line"),
        ("learned/x.md", "---\ntitle: A\nttl: soon\n---\n", "ttl"),
        ("facts/x.md", "---\ntitle: A\nkind: fact\n---\n", "a fact needs a check that proves it"),
        ("learned/My Note.md", "---\ntitle: A\n---\n", "the name is not a key"),
        ("note.md", "---\ntitle: A\n---\n", "a store has no files there"),
        ("archive/learned/x.md", OLD, "files in the archive are created by forgetting a memory"),
        ("STATUS.md", "mine", "gitmem writes this file itself"),
        ("learned/x.md", "x" * 70_000, "70000 bytes"),
        ("gitmem.toml", "nonsense = 1\n", "nonsense"),
        ("learned/x.md", "\udcff", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_saved_says_why_and_keeps_no_other(
    memory: Memory, repo: Path, path: str, text: str, reason: str
) -> None:
    bad = EditedFile(path, text.encode("utf-8", "surrogateescape"), "")

    saver = save(memory, bad, item(repo, "good", OLD))

    assert [c.key for c in saver.changes] == ["good"]
    assert [r.path for r in saver.refused] == [path]
    assert reason in saver.refused[0].reason
    assert TOKEN not in saver.refused[0].reason


def test_a_retired_memory_does_not_come_back_by_a_file(memory: Memory, repo: Path) -> None:
    memory.remember("known", key="a")
    memory.forget("a")

    refused = save(memory, item(repo, "a", OLD)).refused

    assert ("a was retired" in refused[0].reason, refused[0].hint) == (
        True,
        "restore it: gitmem restore a; then gitmem save",
    )
    assert list(memory_files(repo)) == ["archive/learned/a.md"]


def test_another_kind_moves_the_file_and_links_stay_in_both_directions(memory: Memory, repo: Path) -> None:
    push(repo, a=OLD, b=OLD)
    mine = memory_text("Old", kind="gotcha", supersedes="[b]", body="one\n\ntwo\n\nthree\n")

    save(memory, item(repo, "a", mine, OLD), item(repo, "b", OLD.replace("Old", "Mine too"), OLD))

    files = memory_files(repo)
    assert sorted(files) == ["gotchas/a.md", "learned/b.md"]
    assert fields_of(repo, "learned/b.md")["superseded_by"] == "a"
    assert fields_of(repo, "learned/b.md")["title"] == "Mine too"


def test_refusal_of_a_higher_layer_is_reported(memory: Memory, repo: Path) -> None:
    def inspect(document: Document, before: Document | None) -> None:
        raise RefusedError(f"no {document.key}")

    saver = Saver(
        memory.repository.writer(),
        memory.repository.git,
        memory.repository.catalog_at,
        How(memory.repository.policy(), inspect),
    )
    saver.save([item(repo, "a", OLD)])

    assert [r.reason for r in saver.refused] == ["no a"]


def test_the_policy_is_saved_where_it_can_be_read(memory: Memory, repo: Path) -> None:
    base = git(repo, "show", "memory:gitmem.toml") + "\n"
    mine = base + "\n[kinds.riddle]\ndescription = 'what nobody knows'\n"

    saver = save(memory, EditedFile("gitmem.toml", mine.encode(), blob(repo, base)))

    assert ([c.path for c in saver.changes], saver.refused) == (["gitmem.toml"], [])
    assert memory.repository.policy().kind("riddle").description == "what nobody knows"


def test_unchanged_file_makes_no_commit(memory: Memory, repo: Path) -> None:
    push(repo, a=OLD)
    before = tip(repo)

    saver = save(memory, item(repo, "a", OLD, OLD))

    assert (saver.changes, tip(repo)) == ([], before)
    assert saver.accepted == {"learned/a.md": blob(repo, OLD)}
