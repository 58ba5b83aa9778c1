"""A note comes out as it came in, and its path leads nowhere but into the exported folder."""

from __future__ import annotations

from support.each import each

from gitmem.document.note import ADDED, HEAD, count_added, embedded_files, file_of_note, head_of, note_path, note_text
from gitmem.model import Document


def make(title: str, body: str, **fields: object) -> Document:
    return Document(key="k", path="docs/k.md", fields={"title": title, "kind": "doc", **fields}, body=body, text="")


@each(
    ("text", "body", "title", "head"),
    [
        ("# Title\n\nText\n", "Text", "Title", None),
        ("# Title\n\n    code()\n    more()\n", "    code()\n    more()", "Title", None),
        ("Text\n", "Text", "note", None),
        ("# note\n\nText\n", "Text", "note", "# note\n\n"),
        ("---\ntags: [a]\n---\n\n# Title\nText\n", "Text", "Title", "---\ntags: [a]\n---\n\n# Title\n"),
        ("Text\n", "Text", "Another", ""),
        ("\ufeff# Title\r\n\r\nText\r\n", "Text", "Title", None),
        ("# Title\n", "", "Title", "# Title\n"),
    ],
)
def test_note_comes_out_as_it_came_in(text: str, body: str, title: str, head: str | None) -> None:
    stored = head_of(text, body, title, "deep/note.md")
    fields = {} if stored is None else {HEAD: stored}

    assert stored == head
    again = note_text(make(title, f"{body}\n" if body else "", **fields), "deep/note.md")
    assert again == text.removeprefix("\ufeff").replace("\r\n", "\n")


def test_head_is_not_stored_if_it_is_large_or_unknown() -> None:
    assert head_of("x" * 4000 + "Text", "Text", "T", "a.md") is None
    assert head_of("Text\n\nmore", "Text and more", "T", "a.md") is None


def test_head_is_stored_where_the_end_of_a_note_is_left_out() -> None:
    assert head_of("---\na: 1\n---\nText\n\n## Drawing\n```\nx\n```\n", "Text", "a", "a.md") == "---\na: 1\n---\n"


def test_space_around_a_name_makes_no_heading() -> None:
    assert head_of("Text\n", "Text", "Two words", "deep/ Two  words .md") is None


@each(
    ("head", "text"),
    [
        ("---\na: 1\n---\n# Old\n\n", "---\na: 1\n---\n# New\n\nText\n"),
        ("---\na: 1\ntitle: Old\n---\n", "---\na: 1\ntitle: New\n---\nText\n"),
        ("---\na: 1\n---\n", "---\na: 1\n---\nText\n"),
    ],
)
def test_title_that_was_changed_is_in_the_note(head: str, text: str) -> None:
    assert note_text(make("New", "Text\n", **{HEAD: head}), "a.md") == text


@each(
    "name",
    [
        "v/../x.md",
        "v/.git/hooks/x.md",
        "/etc/x.md",
        "v//x.md",
        "v/x.sh",
        "v/a\\b.md",
        "../x.md",
        "v/a./x.md",
        "v/a\nb.md",
        "x.md",
        "a\\b/x.md",
        ".../x.sh",
        "",
        7,
        ["v/x.md"],
        "v/" + "x" * 2000 + ".md",
    ],
)
def test_path_that_leads_elsewhere_is_not_used(name: object) -> None:
    assert note_path(make("T", "", imported=name)) == ("", "")


def test_path_is_that_of_the_note() -> None:
    assert note_path(make("T", "", imported="vault/People/Größe & Co.md")) == ("vault", "People/Größe & Co.md")
    assert note_path(make("T", "", imported=".beans/a.md")) == ("beans", "a.md")


@each(
    ("name", "file"),
    [
        ("v/a.md", "v/a.md"),
        ("v/a.md#limits", "v/a.md"),
        ("v/C# a.MD#b.md#c", "v/C# a.MD"),
        ("v/\u0130\u0130.enex#On ferries", "v/\u0130\u0130.enex"),
    ],
)
def test_section_and_note_of_an_export_name_their_file(name: str, file: str) -> None:
    assert file_of_note(name) == file


def test_embedded_files_are_those_that_are_not_notes() -> None:
    body = "![[a b.png|300]] ![x](img/c.jpg) ![[Note]] ![[Other.md]] ![](https://a.org/x.png) [[d.pdf]]"

    assert embedded_files(body) == ["a b.png", "img/c.jpg"]


@each(
    ("text", "note", "body"),
    [
        ("Text", "Text\n\ntasks:\n\n- one\n- two", "Text\n"),
        ("", "Title\n\ntasks:\n\n- one\n- two", ""),
        ("Text", "Text", "Text\n"),
        ("Text", "Text\n\n:tasks: one", "Text\n"),
        ("Text", "Text\n\ntasks first: one\n\ntasks second: two", "Text\n"),
        ("Text", "Text\n\nelsewhere: one", "Text\n\nelsewhere: one\n"),
    ],
)
def test_long_fields_that_are_also_below_the_text_come_out_once(text: str, note: str, body: str) -> None:
    head = "---\ntasks:\n- one\n- two\n---\n# Title\n\n"
    added = count_added(note, text, "Title")
    stored = note.removeprefix("Title").strip("\n") + "\n"

    assert note_text(make("Title", stored, **{HEAD: head, ADDED: added}), "n.md") == head + body


def test_title_without_the_marks_of_links_is_that_of_the_head() -> None:
    head = "# About [the plan](plan.md)\n\n"

    assert note_text(make("About the plan", "Text\n", **{HEAD: head}), "n.md") == head + "Text\n"
