"""Text of others is shown and does nothing; tests/plugins/forge/test_sanitize.py has the hard cases."""

from __future__ import annotations

from support.each import each
from support.findings import SECRET
from support.github_markdown import alive, rendered

from gitmem.verify.overview.notice.inert import code_block, inert


@each(
    "text",
    [
        "@bob #12 1234abcd https://e.x",
        "<img src=x> [l](x) ![i](x)",
        "`a` $x$ ~~s~~ | c",
        "<!-- x --> </details>",
        "&#64;bob",
    ],
)
def test_text_of_others_says_the_same_and_nothing_in_it_lives(text: str) -> None:
    root = rendered(inert(text, 100))

    assert alive(root) == []
    assert root.text_content().replace("\u200b", "").strip() == text


def test_text_is_one_line_cut_and_without_secrets() -> None:
    assert inert("a\n  b", 100) == "a b"
    assert inert("abcdef", 4) == "abc…"
    assert SECRET not in inert(SECRET, 100)


def test_nothing_ends_a_block_of_code_from_inside() -> None:
    root = rendered(code_block("```\n@bob\n````\n\u202e", "sh"))

    assert [one.tag for one in root.iter()] == ["div", "pre", "code"]
    assert "\\u{202e}" in root.text_content()
