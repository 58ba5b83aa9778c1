"""Marked lines that say nothing are recognized; short ones that say something are not."""

from __future__ import annotations

from support.each import each

from gitmem.commands.capture.placeholder import is_placeholder


@each(
    "text",
    [
        "nothing new today.",
        "none",
        "N/A",
        "The tests pass now.",
        "All tests are green",
        "no new learnings in this session",
        "no decisions were made.",
        "I fixed the bug.",
        "everything works as expected",
        "one sentence that a later session needs",
        "<what you learned>",
        "[describe the insight here]",
        "…",
        "---",
        "nichts Neues.",
        "Alle Tests sind jetzt grün.",
        "nada nuevo",
        "rien de nouveau",
        "无",
        "没有新的内容",
        "所有测试都通过了",
        "特になし",
    ],
)
def test_line_that_says_nothing_is_a_placeholder(text: str) -> None:
    assert is_placeholder(text)


@each(
    "text",
    [
        "The tests need port 8099",
        "tests pass only in UTC",
        "No default exports",
        "`make test` passes with Go 1.22",
        "TTL=5",
        "the build fails now without node",
        "Keine Umlaute in Schlüsseln",
        "测试必须用 UTC",
        "テストの前に Redis を起動する",
        "nada de mocks",
    ],
)
def test_short_line_with_content_is_none(text: str) -> None:
    assert not is_placeholder(text)
