"""Memories' texts as HTML: nothing runs, hides, or leads elsewhere than it says."""

from __future__ import annotations

from html.parser import HTMLParser
from time import process_time

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from support.each import each

from gitmem.commands.report.page import markup

TAGS = {"p", "ul", "li", "pre", "code", "strong", "a"}
HOSTILE = (
    *(
        "<script>alert(1)</script>",
        "</script>",
        "<!--",
        "-->",
        "]]>",
        "</details>",
        "<img src=x onerror=alert(1)>",
        '"',
    ),
    *(
        "' onload='x",
        "&lt;",
        "&#x3c;",
        "`",
        "``",
        "```",
        "~~~",
        "**",
        "# ",
        "- ",
        "1. ",
        "    ",
        "\n",
        "\n\n",
        " ",
        "|",
    ),
    *(
        "https://a.example/x?y=1&z",
        "http://a",
        "javascript:alert(1)",
        "[a](javascript:x)",
        "data:text/html,x",
        "jwt",
        "a.b",
    ),
    *("\u2028", "\u202e", "\x1b[31m", "\x00", "\u200b", "é", "漢字", "`jwt`", "<https://a.b>", "http://a.b/`c`"),
)


class Seen(HTMLParser):
    """What a browser would make of it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.odd: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        self.text += data

    def handle_comment(self, data) -> None:
        self.odd.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def seen(html: str) -> Seen:
    parser = Seen()
    parser.feed(str(html))
    parser.close()
    assert not parser.open
    return parser


@given(st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join))
def test_nothing_but_our_tags_comes_out_whatever_goes_in(text: str) -> None:
    found = seen(markup.body(text, frozenset({"jwt"})))

    assert {tag for tag, _ in found.tags} <= TAGS
    assert found.odd == []
    for tag, attributes in found.tags:
        allowed = {"a": {"href", "rel"}, "p": {"class"}}.get(tag, set())
        assert set(attributes) <= allowed
        assert (attributes.get("href") or "#").startswith(("#jwt", "#", "https://", "http://"))
    assert not set("\x00\x1b\u2028\u202e\u200b") & set(found.text)


@given(st.lists(st.sampled_from(HOSTILE), max_size=8).map("".join))
def test_an_attribute_cannot_be_left(text: str) -> None:
    found = seen(Markup('<b title="{}"></b>').format(markup.line(text)))

    assert [(tag, list(attributes)) for tag, attributes in found.tags] == [("b", ["title"])]


@each(
    ("text", "html"),
    [
        ("one\ntwo\n\nthree", "<p>one two</p>\n<p>three</p>"),
        ("- a\n- b\n  more", "<ul><li>a</li>\n<li>b more</li></ul>"),
        ("# Why\ntext", '<p class="h">Why</p>\n<p>text</p>'),
        ("```py\na  < b\n```\nx", "<pre><code>a  &lt; b</code></pre>\n<p>x</p>"),
        ("use `a<b` **now**", "<p>use <code>a&lt;b</code> <strong>now</strong></p>"),
        ("see `jwt`", '<p>see <a href="#jwt"><code>jwt</code></a></p>'),
        ("[x](javascript:alert)", "<p>[x](javascript:alert)</p>"),
        ("a\u202eb", "<p>a\\u{202e}b</p>"),
    ],
)
def test_structure_that_helps_reading_is_kept(text: str, html: str) -> None:
    assert markup.body(text, {"jwt"}) == html


def test_an_address_is_shown_as_it_is_and_tells_no_one_where_one_came_from() -> None:
    found = seen(markup.body("[safe](https://evil.example/?a=1&b=2)."))

    assert found.text == "[safe](https://evil.example/?a=1&b=2)."
    assert found.tags[1] == ("a", {"href": "https://evil.example/?a=1&b=2", "rel": "noopener noreferrer nofollow"})


@each("piece", [" ", "#", "# ", "`", "**", "- ", "http://", "```", "*", "1. ", "|", "\u202e"])
def test_no_text_takes_long(piece: str) -> None:
    began = process_time()

    markup.body("# " + piece * 60_000 + "x")
    markup.body(f"- {piece}\n" * 8_000)

    assert process_time() - began < 2  # a twentieth of it, measured
