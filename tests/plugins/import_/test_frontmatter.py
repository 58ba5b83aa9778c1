"""Other people's frontmatter is read as far as possible, and the rest is kept in the body."""

from __future__ import annotations

from typing import Any

from support.each import each

from gitmem.plugins.import_.frontmatter import BY_LINE, IN_BODY, read_front


@each(
    ("frontmatter", "fields", "kept"),
    [
        (
            "name: x\ndescription: Rules (2026-03-20): walrus first",
            {"name": "x", "description": "Rules (2026-03-20): walrus first"},
            "",
        ),
        ("globs: **/*.ts\nalwaysApply: false", {"globs": "**/*.ts", "alwaysApply": False}, ""),
        ("date: {{date}}\ntags:\n  - a\n  - @b", {"date": "{{date}}", "tags": ["a", "@b"]}, ""),
        (
            "who: @ana\nnote: `code`\nup: [[Home]]\nhint: - dash",
            {"who": "@ana", "note": "`code`", "up": [["Home"]], "hint": "- dash"},
            "",
        ),
        (
            "a: *x\nb: &y\nc: !z\nd: [open\ne: > folded\nf: | block\ng: ? q",
            {"a": "*x", "b": "&y", "c": "!z", "d": "[open", "e": "> folded", "f": "| block", "g": "? q"},
            "",
        ),
        ("tags: a\ntags: [b, a]", {"tags": ["a", "b"]}, ""),
        ("title: One\ntitle: Two", {"title": "One"}, "title: Two"),
        ("title: %x\nfree words here\nz: 1", {"title": "%x", "z": 1}, "free words here"),
        (
            "date created: Mon: 1st\nmetadata:\n  type: user",
            {"date created": "Mon: 1st", "metadata": {"type": "user"}},
            "",
        ),
    ],
)
def test_frontmatter_that_is_not_yaml_is_read_line_by_line(frontmatter: str, fields: dict[str, Any], kept: str) -> None:
    front = read_front(f"---\n{frontmatter}\n---\nBody\n")

    assert (front.fields, front.remark) == (fields, BY_LINE)
    assert front.body == (f"{kept}\n\nBody\n" if kept else "Body\n")


@each(
    ("text", "fields", "body", "remark"),
    [
        ("---\ntitle: A\n---\nBody", {"title": "A"}, "Body", ""),
        (
            "---\nversion: 1.10\ntags: [1.0, C#]\n---\n",
            {"version": "1.10", "tags": [1.0, "C#"]},
            "",
            "",
        ),
        ("\ufeff---\r\ntitle: A\r\n---\r\nBody\r\n", {"title": "A"}, "Body\n", ""),
        ("---\n---\nBody", {}, "Body", ""),
        ("---\n# only a comment\n\n---\nBody", {}, "Body", ""),
        ("Body", {}, "Body", ""),
        ("", {}, "", ""),
        ("---\n\nA rule above, no block", {}, "---\n\nA rule above, no block", ""),
        ("---\ntitle: never closed\n\nBody", {}, "---\ntitle: never closed\n\nBody", IN_BODY),
        ("---\n- a\n- b\n---\nBody", {}, "---\n- a\n- b\n---\nBody", IN_BODY),
        (f"---\nlong: {'x' * 9000}\n---\nBody", {}, f"---\nlong: {'x' * 9000}\n---\nBody", IN_BODY),
    ],
)
def test_text_stays_whole_where_no_fields_can_be_read(text: str, fields: dict, body: str, remark: str) -> None:
    front = read_front(text)

    assert (front.fields, front.body, front.remark) == (fields, body, remark)
