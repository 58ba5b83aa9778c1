"""A folder of Markdown: our own layout byte for byte, any other as far as possible; links are not followed."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from conftest import memory_text

from gitmem.memory import Memory
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.folder import ImportContext, list_files, read_folder
from gitmem.plugins.import_.names import Names
from gitmem.plugins.import_.run import Sources


def read(folder: Path) -> dict[str, ImportRecord | Unreadable]:
    found = read_folder(str(folder), list_files(str(folder)), ImportContext(Names(), "doc"), name="vault")
    return {one.where.removeprefix("vault/"): one for _, one in found}


def put(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def test_folder_of_a_store_is_read_byte_for_byte_with_its_archive(tmp_path: Path) -> None:
    odd = "---\r\n# why\r\ntitle: 'A'   # odd\r\n---\r\nbody"
    retired = memory_text("Old", retired="{why: gone}")
    put(tmp_path, {"gitmem.toml": "", "STATUS.md": "# page", "notes/a.md": odd, "archive/facts/b.md": retired})

    found = read(tmp_path)

    a, b = found["notes/a.md"], found["archive/facts/b.md"]
    assert isinstance(a, ImportRecord)
    assert isinstance(b, ImportRecord)
    assert sorted(found) == ["archive/facts/b.md", "notes/a.md"]
    assert (a.text, a.key, a.folder, a.archived) == (odd, "a", "notes", False)
    assert (b.text, b.folder, b.archived) == (retired, "facts", True)


def test_title_of_a_foreign_file_comes_from_frontmatter_heading_or_name(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "guide/README.md": "\ufeff# How to deploy\r\n\r\nBy hand.\r\n",
            "ops/README.md": "no heading",
            "Meeting Notes.md": "---\ntitle: Meeting\ndate: 2024-01-27\ntags: a, b\naliases: [x]\n---\n# Own\ntext\n",
            ".obsidian/x.md": "hidden",
            ".trash/old.md": "hidden",
            "ops/.draft.md": "hidden",
            "ops/.DS_Store": "no note",
            "data.txt": "not Markdown",
        },
    )

    found = read(tmp_path)

    made = {
        where: (one.key, one.fields.get("title"), one.body)
        for where, one in found.items()
        if isinstance(one, ImportRecord)
    }
    assert {where: one.reason for where, one in found.items() if isinstance(one, Unreadable) and one.is_other} == {
        ".trash": "names that begin with a dot are not read",
        "data.txt": "files of this kind are not read",
        "ops/.draft.md": "names that begin with a dot are not read",
    }
    assert made == {
        "guide/README.md": ("guide-readme", "How to deploy", "By hand."),
        "ops/README.md": ("ops-readme", "ops", "no heading"),
        "Meeting Notes.md": ("meeting-notes", "Meeting", "# Own\ntext"),
    }
    notes = found["Meeting Notes.md"]
    assert isinstance(notes, ImportRecord)
    assert (notes.fields["tags"], notes.fields["created"]) == (["a", "b"], "2024-01-27T00:00:00Z")
    assert notes.fields["aliases"] == ["x"]


def test_file_with_a_kind_is_a_memory_in_any_folder(tmp_path: Path) -> None:
    text = memory_text("A", kind="gotcha")

    found = read(put(tmp_path, {"deep/er/a-key.md": text}))["deep/er/a-key.md"]

    assert isinstance(found, ImportRecord)
    assert (found.key, found.text, found.folder) == ("a-key", text, "")


def test_links_and_binary_files_are_reported_with_the_reason(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("the secret")
    vault = put(
        tmp_path / "vault",
        {
            "large.md": b"x" * 70_000,
            "nul.md": b"a\0b",
            "bytes.md": b"\xff\xfe",
            "empty.md": "",
            "latin.md": b"---\na: \xff\n---\n",
        },
    )
    (vault / "link.md").symlink_to(secret)
    (vault / "loop").symlink_to(vault)

    found = read(vault)

    assert all(isinstance(one, Unreadable) for one in found.values())
    assert {where.split(":")[0] for where in found} == {
        "large.md", "nul.md", "bytes.md", "empty.md", "latin.md", "link.md", "loop"
    }  # fmt: skip
    assert "the secret" not in str(found)


def test_name_that_is_not_utf_8_is_accepted(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.md")).write_text("odd name")

    (found,) = read(tmp_path).values()

    assert isinstance(found, ImportRecord)
    assert (found.body, found.key[:5], found.name) == ("odd name", "note-", f"{tmp_path.name}/\\377.md")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipe_socket_device_and_loop_in_a_folder_are_named_and_stop_nothing(memory: Memory, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    os.mkfifo(notes / "index.md")
    os.mkfifo(notes / "a-pipe.md")
    (notes / "zero.md").symlink_to("/dev/zero")
    (notes / "loop.md").symlink_to("loop.md")
    (notes / "self").symlink_to(".")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(os.path.relpath(notes / "socket.md"))
    with (notes / "big.md").open("wb") as file:
        file.truncate(2**32)
    (notes / "good.md").write_text("# Walrus tides\n\nThey matter\n")

    done = memory.bulk.import_files(Sources((str(notes),)))

    assert done.unreadable.total == 6
    assert memory.status().document["memories"] == 1


def test_issues_in_a_dolt_database_are_named_with_the_command_that_exports_them(tmp_path: Path) -> None:
    put(tmp_path, {"dolt/x": "", "metadata.json": '{"database": "dolt"}'})

    found, *_ = read(tmp_path).values()

    assert isinstance(found, Unreadable)
    assert found.reason.startswith("its issues are in a Dolt database: bd export -o vault/issues.jsonl")
    more = read(put(tmp_path, {"issues.jsonl": ""})).values()
    assert all(isinstance(one, Unreadable) and one.is_other for one in more)


def test_files_of_agents_are_read_with_what_their_names_and_fields_say(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "rules/ui.mdc": "---\ndescription: Buttons\nglobs: **/*.tsx,*.css\nalwaysApply: false\n---\n- Use tokens\n",
            "beans-0a1b--fix-login.md": "---\n# x\ntitle: Fix login\nstatus: todo\ntype: bug\n---\nIt loops.\n",
            "notes/tea.md": "---\ntitle: Tea\ntype: note\npermalink: notes/tea\n---\n- [fact] steep 3 minutes\n",
            "memory.json": '{"type": "entity", "name": "Ana", "entityType": "person", "observations": ["likes Go"]}\n',
        },
    )

    found = {one.key: one for one in read(tmp_path).values() if isinstance(one, ImportRecord)}

    kinds = {key: (one.fields["kind"], one.fields["title"]) for key, one in found.items()}
    assert kinds == {
        "rules-ui": ("convention", "Buttons"),
        "beans-0a1b": ("task", "Fix login"),
        "notes-tea": ("doc", "Tea"),
        "ana": ("learned", "Ana"),
    }
    assert found["rules-ui"].fields["paths"] == ["**/*.tsx", "*.css"]


def test_conversations_in_an_unpacked_export_are_read(tmp_path: Path) -> None:
    chat = '{"title": "Ports", "chat_messages": [{"sender": "human", "text": "Our port is 3000"}]}'
    put(tmp_path, {"conversations.json": f"[{chat}]", "user.json": "{}"})

    found = read(tmp_path)

    record, other = sorted(found.items())[0][1], found["user.json"]
    assert isinstance(record, ImportRecord), found
    assert (record.fields["kind"], record.fields["title"]) == ("session", "Ports")
    assert isinstance(other, Unreadable)
