"""Every node of a Jira document becomes Markdown, and text in unknown nodes is not lost."""

from __future__ import annotations

from typing import Any

from support.each import each
from support.tracker_server import paragraph

from gitmem.plugins.pull.adf import markdown_of


def node(kind: str, *content: dict[str, Any], **attrs: object) -> dict[str, Any]:
    return {"type": kind, "content": list(content), "attrs": attrs}


def text(words: str, *marks: str, href: str = "") -> dict[str, Any]:
    made = [{"type": mark, "attrs": {"href": href}} if mark == "link" else {"type": mark} for mark in marks]
    return {"type": "text", "text": words, "marks": made}


def inline(*content: dict[str, Any]) -> dict[str, Any]:
    return node("paragraph", *content)


ROWS = node(
    "table",
    node("tableRow", node("tableHeader", paragraph("a|b")), node("tableHeader", paragraph("c"))),
    node("tableRow", node("tableCell", paragraph("1"))),
)


@each(
    ("block", "expected"),
    [
        (node("heading", text("Why"), level=2), "## Why"),
        (inline(text("a "), text("b", "strong", "em"), text(" c")), "a _**b**_ c"),
        (inline(text("see "), text("docs", "link", href="https://x.example")), "see [docs](https://x.example)"),
        (inline(text(" x ", "code")), " `x` ".strip("\n")),
        (node("codeBlock", text("a = 1"), language="python"), "```python\na = 1\n```"),
        (node("bulletList", node("listItem", paragraph("a"), node("bulletList", node("listItem", paragraph("b"))))),
         "- a\n  - b"),
        (node("orderedList", node("listItem", paragraph("a")), node("listItem", paragraph("b")), order=3),
         "3. a\n4. b"),
        (node("taskList", node("taskItem", text("done"), state="DONE"), node("taskItem", text("open"))),
         "- [x] done\n- [ ] open"),
        (node("panel", paragraph("Mind it."), panelType="warning"), "> **Warning**\n>\n> Mind it."),
        (node("blockquote", paragraph("said")), "> said"),
        (ROWS, "| a\\|b | c |\n| --- | --- |\n| 1 |  |"),
        (inline(node("mention", text="@ana"), text(" "), node("status", text="BLOCKED")), "@ana BLOCKED"),
        (inline(node("date", timestamp="1780000000000")), "2026-05-28"),
        (inline(text("a"), node("hardBreak"), text("b")), "a\nb"),
        (node("mediaSingle", node("media", alt="shot.png")), "[attachment: shot.png]"),
        (node("newfangled", paragraph("still here")), "still here"),
        (node("rule"), "---"),
    ],
)  # fmt: skip
def test_node_becomes_markdown(block: dict[str, Any], expected: str) -> None:
    assert markdown_of({"type": "doc", "content": [block]}) == expected


def test_value_that_is_no_document_gives_its_text_or_nothing() -> None:
    deep: dict[str, Any] = paragraph("bottom")
    for _ in range(5_000):
        deep = node("blockquote", deep)

    assert markdown_of("plain") == "plain"
    assert markdown_of(None) == markdown_of([1]) == markdown_of({"content": 3}) == ""
    assert "bottom" not in markdown_of(deep)  # and no stack runs out
