"""A note's properties, names and dates are read, and templates and drawings are told from text."""

from __future__ import annotations

from typing import Any

from support.each import each

from gitmem.plugins.import_.notes import (
    created_of,
    is_of_notion,
    is_template,
    names_of,
    properties_of_notion,
    read_properties,
    title_of,
    why_unreadable,
    without_drawing,
)


def test_properties_of_a_page_become_fields() -> None:
    body = (
        "title:: Read/Write\ntags:: [[deep work]], #focus, plain\nalias:: rw\nicon:: 📖\n\n- first:: no property\n- b"
    )

    assert read_properties(body) == (
        {"title": "Read/Write", "tags": ["deep work", "focus", "plain"], "aliases": ["rw"], "icon": "📖"},
        "- first:: no property\n- b",
    )
    assert read_properties("- tags:: a\n  public:: true\n- text")[0] == {"tags": ["a"], "public": "true"}
    assert read_properties("- text\n  a:: b") == ({}, "- text\n  a:: b")


@each(
    ("path", "created", "title"),
    [
        ("journals/2024_01_27.md", "2024-01-27", "2024-01-27"),
        ("Daily/2024-01-27 Sat.md", "2024-01-27", "2024-01-27 Sat"),
        ("202401271530 On habits.md", "2024-01-27T15:30:00Z", "On habits"),
        ("20240127153001.md", "2024-01-27T15:30:01Z", "20240127153001"),
        ("v2.2024-13-01.md", "", "v2.2024-13-01"),
        ("1234567890123456.md", "", "1234567890123456"),
        ("pages/a___b%3A c.md", "", "a/b: c"),
        ("Größe.md", "", "Größe"),
    ],
)
def test_name_of_a_file_gives_a_date_and_a_title(path: str, created: str, title: str) -> None:
    assert (created_of(path), title_of(path, is_logseq=path.startswith(("journals", "pages")))) == (created, title)


@each(
    ("fields", "path", "names"),
    [
        ({"aliases": ["Ben", "B. N."]}, "People/Benjamin.md", ["ben", "b. n.", "benjamin"]),
        ({"alias": "Ben, Benny", "permalink": "people/ben"}, "b.md", ["ben", "benny", "people/ben", "b"]),
        ({"id": 202401271530}, "x.md", ["202401271530", "x"]),
        ({}, "202401271530 On habits.md", ["202401271530", "202401271530 on habits"]),
        ({}, "On habits 20240127153012.md", ["20240127153012", "on habits 20240127153012"]),
        ({}, f"Wiki/Deploys {'0a' * 16}.md", ["0a" * 16, f"deploys {'0a' * 16}"]),
        ({"title": "A/B"}, "a___b.md", ["a/b"]),
    ],
)
def test_note_is_linked_by_its_other_names(fields: dict[str, Any], path: str, names: list[str]) -> None:
    assert names_of(fields, path) == names


@each(
    ("path", "day", "name"),
    [
        ("journals/2024_01_27.md", "MMM do, yyyy", "jan 27th, 2024"),
        ("journals/2024_03_01.md", "EEEE, MMMM do, yyyy", "friday, march 1st, 2024"),
        ("journals/2024_03_12.md", "E, dd/MM/yy", "tue, 12/03/24"),
        ("journals/2024-03-22.md", "do MMM yyyy", "22nd mar 2024"),
    ],
)
def test_day_of_logseq_is_linked_by_the_name_that_its_settings_give_it(path: str, day: str, name: str) -> None:
    assert name in names_of({}, path, "", day)
    assert path[9:19].replace("_", "-") in names_of({}, path, "", day)


def test_blocks_of_logseq_are_names_and_odd_days_are_not() -> None:
    text = "- goal\n  id:: 65b0f2d4-1111-4222-8333-123456789abc\n- id:: no"

    assert names_of({}, "pages/a.md", text) == ["a", "65b0f2d4-1111-4222-8333-123456789abc"]
    assert names_of({}, "a.md", "# A\n\n@ID:20240127153012\nSee 20240127153013.") == ["20240127153012", "a"]
    assert names_of({}, "journals/2024_02_31.md", "", "MMM do, yyyy") == ["2024_02_31", "2024-02-31"]


def test_template_is_told_by_its_folder_or_its_placeholders() -> None:
    assert is_template("text", "Meta/Tpl/Daily.md", ("Meta/Tpl",))
    assert is_template("# {{title}}", "Templates/Daily.md", ())
    assert is_template("<% tp.date.now() %>", "03 templates/x.md", ())
    assert not is_template("How templates of C++ work", "Templates/C++.md", ())
    assert not is_template("# {{title}} is replaced", "Guide.md", ("", "/"))


def test_drawing_is_left_out_and_its_text_kept() -> None:
    body = "# Text Elements\nwalrus ^a1\n\n%%\n## Drawing\n```compressed-json\nN4KAk\n\nARAL\n```\n%%"

    assert without_drawing({"excalidraw-plugin": "parsed"}, body) == "# Text Elements\nwalrus ^a1"
    assert without_drawing({}, body) == body


def test_page_of_notion_has_properties_below_its_heading() -> None:
    head = "Owner: Ana\nCreated: January 27, 2024 10:15 AM\nTags: deploy, ops\n\nTags: none of these\n"

    for body in (f"# Deploys\n\n{head}", head):
        assert properties_of_notion(body) == ("2024-01-27T10:15:00Z", ["deploy", "ops"])
    assert properties_of_notion("Plain text.\nTags: a") == (None, [])
    assert is_of_notion(f"Wiki/Deploys {'0a' * 16}.md")
    assert title_of("b/On tides.textbundle/text.md", is_logseq=False) == "On tides"
    assert title_of(f"Deploys {'0a' * 16}.md", is_logseq=False) == "Deploys"
    assert not is_of_notion(f"{'0a' * 16}.md")


def test_encrypted_note_is_named_and_one_that_begins_with_a_lock_is_read() -> None:
    sealed = "q83vEjRWeJASNFZ4kBI0VniQ=="

    for text in (
        "# A\n\n-----BEGIN PGP MESSAGE-----\n",
        f"%%\U0001f510 {sealed} \U0001f510%%",
        f"\U0001f510\u03b2 {sealed}",
    ):
        assert why_unreadable(text) == "it is encrypted"
    for text in ("a", "\U0001f510 Where our keys are", "# A\n\n%%\U0001f510 a comment%%"):
        assert why_unreadable(text) == ""
