"""Joplin's own exports: each note with its notebook, tags, times and links, from a folder and from an archive."""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path

import pytest
from support.each import each

from gitmem.plugins.import_ import joplin
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.files import read_sources
from gitmem.plugins.import_.folder import ImportContext
from gitmem.plugins.import_.joplin import read_item
from gitmem.plugins.import_.names import Names

A, B, C, OPS, WORK, PROD = (sign * 32 for sign in "abc123")
NOTE = "markup_language: 1\nencryption_applied: 0\ndeleted_time: 0\ntype_: 1"
TIMES = "created_time: 2024-05-03T10:00:00.000Z\nuser_created_time: 2024-05-01T10:00:00.000Z"
ITEMS = {
    A: f"Redis eviction\n\nWe use LRU, see [other](:/{B}) and ![](:/{PROD}).\nkey: value\n\nid: {A}\nparent_id: {OPS}\n"
    f"{TIMES}\nuser_updated_time: 2024-05-02T10:00:00.000Z\nsource_url: https://redis.io\n{NOTE}",
    B: f"Rotate\n\n\nid: {B}\nparent_id: gone\n{TIMES}\nis_todo: 1\ntodo_completed: 1714557600000\n{NOTE}",
    C: f"Old\n\nText\n\nid: {C}\ndeleted_time: 1714557600000\ntype_: 1",
    OPS: f"Ops\n\nid: {OPS}\nparent_id: {WORK}\ntype_: 2",
    WORK: f"Work\n\nid: {WORK}\nparent_id: {OPS}\ntype_: 2",  # in itself
    PROD: f"prod\n\nid: {PROD}\ntype_: 5",
    "d" * 32: f"id: {'d' * 32}\nnote_id: {A}\ntag_id: {PROD}\ntype_: 6",
    "e" * 32: f"Sealed\n\nid: {'e' * 32}\nencryption_cipher_text: JED01\nencryption_applied: 1\ntype_: 1",
}


def read(source: Path) -> dict[str, ImportRecord | Unreadable]:
    found = read_sources([str(source)], ImportContext(Names(), "doc"), stdin=None, progress_of=None)
    return {one.where.replace("#", "/").rpartition("/")[2].removesuffix(".md"): one for one in found}


def raw(folder: Path) -> Path:
    (folder / "raw" / "resources").mkdir(parents=True)
    for name, text in ITEMS.items():
        (folder / "raw" / f"{name}.md").write_text(text, encoding="utf-8")
    return folder / "raw"


def jex(folder: Path) -> Path:
    with tarfile.open(folder / "all.jex", "w") as archive:
        for name, text in {**ITEMS, "../evil": "x", "resources/a": "png"}.items():
            member = tarfile.TarInfo(f"{name}.md")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo(f"{'f' * 32}.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return folder / "all.jex"


@each("export", (raw, jex))
def test_note_comes_with_its_notebook_tags_times_and_links(tmp_path_factory, export):
    found = read(export(tmp_path_factory.mktemp("joplin")))

    note, todo = found[A], found[B]
    assert isinstance(note, ImportRecord)
    assert isinstance(todo, ImportRecord)
    assert note.key == "redis-eviction"
    assert note.body == f"We use LRU, see [other](:/{B}) and ![](:/{PROD}).\nkey: value"
    assert note.fields == {
        "kind": "doc",
        "title": "Redis eviction",
        "tags": ["prod"],
        "refs": ["rotate"],
        "created": "2024-05-01T10:00:00Z",
        "edited": "2024-05-02T10:00:00Z",
        "notebook": note.fields["notebook"],
        "source_url": "https://redis.io",
        "id": A,
    }
    assert str(note.fields["notebook"]).endswith("Ops/Work/Ops")
    assert (todo.body, todo.fields["todo"]) == ("Rotate", "done")
    others = {name: one.reason for name, one in found.items() if isinstance(one, Unreadable)}
    assert others == {C: "it was deleted where it comes from", "e" * 32: "it is encrypted"}


def test_note_that_is_longer_than_a_memory_has_its_notebook(tmp_path):
    folder = raw(tmp_path)
    (folder / f"{A}.md").write_text(ITEMS[A].replace("key: value", "words " * 20_000), encoding="utf-8")
    shared = ImportContext(Names(), "doc", limit=1 << 20)

    notes = read_sources([str(folder)], shared, stdin=None, progress_of=None)

    (note,) = [one for one in notes if isinstance(one, ImportRecord) and one.fields.get("id") == A]
    assert note.key == "redis-eviction"
    assert note.fields["tags"] == ["prod"]


def test_one_item_is_read_without_the_others(tmp_path):
    (note,) = read(raw(tmp_path) / f"{A}.md").values()

    assert isinstance(note, ImportRecord)
    assert (note.key, note.fields["title"], "refs" in note.fields) == (A, "Redis eviction", False)


@each("export", (raw, jex))
def test_note_without_a_title_has_its_text(tmp_path_factory, export):
    with_text = {A: f"\n\nWe use LRU\n\nid: {A}\n{NOTE}"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "ITEMS", with_text)
        found = read(export(tmp_path_factory.mktemp("untitled")))

    note = found[A]
    assert isinstance(note, ImportRecord)
    assert ("title" in note.fields, note.body) == (False, "We use LRU")


@each(
    "text",
    [
        "# How to\n\nSet type_: 1",
        f"Set\nid: {A}\ntype_: 1",  # without a blank line
        "T\n\nid: 7\ntype_: 1",
        f"T\n\nid: {A}\ntype_: x",
    ],
)
def test_other_text_is_no_item(text):
    assert read_item(text) is None


def test_file_that_is_no_archive_is_named(tmp_path):
    path = tmp_path / "a.jex"
    path.write_bytes(b"no archive" * 100)

    (problem,) = read(path).values()

    assert isinstance(problem, Unreadable)
    assert problem.reason == "it is not an archive of Joplin (JEX)"


def test_two_exports_of_the_same_notes_have_their_own_keys_and_may_have_other_line_ends(tmp_path):
    raw(tmp_path)
    raw(tmp_path / "more")
    for path in (tmp_path / "more" / "raw").glob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    found = read_sources([str(tmp_path)], ImportContext(Names(), "doc"), stdin=None, progress_of=None)

    notes = [one for one in found if isinstance(one, ImportRecord) and one.fields.get("id") == A]
    assert len({one.key for one in notes}) == 2
    assert [(one.body.count("\r"), one.fields["tags"], one.fields["notebook"]) for one in notes] == [
        (0, ["prod"], notes[0].fields["notebook"])
    ] * 2


def header(kind: bytes, size: int) -> bytes:
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


@each(
    "content",
    [
        (header(tarfile.GNUTYPE_LONGNAME, 2) + b"a\0".ljust(512, b"\0")) * 1_500,
        header(tarfile.GNUTYPE_LONGNAME, 1 << 50),
        header(tarfile.XHDTYPE, 1 << 50),
    ],
)
def test_archive_with_hostile_headers_is_named_and_the_others_come(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "a.jex").write_bytes(content)
    (folder / "b.md").write_text("# Ports\n\n5000\n", encoding="ascii")

    found = read(folder)

    problem = found["a.jex"]
    assert isinstance(problem, Unreadable)
    assert problem.reason == "it is not an archive of Joplin (JEX)"
    assert isinstance(found["b"], ImportRecord)


def test_members_of_an_archive_beyond_the_most_are_named_once(tmp_path, monkeypatch):
    monkeypatch.setattr(joplin, "MOST_ITEMS", 2)

    found = read(jex(tmp_path))

    problems = {name: one.reason for name, one in found.items() if isinstance(one, Unreadable)}
    assert problems == {"all.jex": "only its first 2 members are read"}
    assert found.keys() == {A, B, "all.jex"}


def test_sparse_member_that_is_larger_than_the_archive_is_not_read(tmp_path):
    with tarfile.open(tmp_path / "a.jex", "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo(f"{A}.md")
        member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": "60000", "GNU.sparse.numblocks": "1"}
        archive.addfile(member)

    assert [one.reason for one in read(tmp_path / "a.jex").values() if isinstance(one, Unreadable)] == [
        "it has no memories"
    ]
    with tarfile.open(tmp_path / "a.jex") as archive:
        assert [(one.size, one.issparse()) for one in archive] == [(60000, True)]


def test_a_task_has_the_time_when_it_is_due(tmp_path: Path) -> None:
    (tmp_path / f"{A}.md").write_text(f"Boiler\n\nText\n\nid: {A}\nis_todo: 1\ntodo_due: 1700000000000\n{NOTE}")

    (found,) = read(tmp_path).values()

    assert isinstance(found, ImportRecord)
    assert (found.fields["todo"], found.fields["due"]) == ("open", "2023-11-14T22:13:20Z")
