"""The HTML page: one file, nothing alive in it, every part reachable."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser

from gitmem.commands.review.model import CheckCommand, FieldChange, MemoryChange, Review, ReviewFinding, Shift, WordRun
from gitmem.commands.review.page import SHOWN, page
from gitmem.frozen import replace
from gitmem.text.hazards.instructions import ERROR

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
COMMAND = CheckCommand("shell", EVIL, EVIL, (EVIL,), EVIL, EVIL)
REVIEW = Review(
    "a" * 40,
    "b" * 40,
    (EVIL, EVIL),
    "c" * 40,
    1,
    ((EVIL, 1),),
    (
        MemoryChange(
            "changed",
            EVIL,
            EVIL,
            EVIL,
            EVIL,
            because=EVIL,
            by=EVIL,
            words=(WordRun("-", EVIL), WordRun("+", EVIL)),
            body=(WordRun("=", EVIL),),
            fields=(FieldChange(EVIL, EVIL, EVIL),),
            command=COMMAND,
        ),
        MemoryChange("unreadable", EVIL, "", EVIL, EVIL, raw=EVIL),
        MemoryChange(
            "added", "b", "fact", "B", "b", command=CheckCommand("builtin", EVIL, "", (), "not needed", "never run")
        ),
    ),
    (FieldChange(EVIL, EVIL, EVIL),),
    (0, 0, 0),
    (Shift(EVIL, EVIL, "verified", "failed", EVIL, (EVIL,), EVIL),),
    (ReviewFinding(ERROR, "secret", EVIL, EVIL, EVIL, 3, EVIL),),
    (EVIL,),
)


class Tags(HTMLParser):
    """Collects the tags of a page, and whether each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.open, self.ids, self.links = set[str](), list[str](), set[str](), set[str]()

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.ids |= {value for name, value in attrs if name == "id"}
        self.links |= {value for name, value in attrs if name == "href"}
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "style")]
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def parsed(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    return tags


def test_nothing_of_a_memory_is_alive_in_the_page() -> None:
    tags = parsed(page(REVIEW))

    assert tags.open == []
    assert not tags.tags & {"script", "img", "iframe", "object", "link", "form", "svg"}
    assert {link.removeprefix("#") for link in tags.links} <= tags.ids


def test_the_policy_of_the_page_allows_its_own_style_and_nothing_else() -> None:
    output = page(REVIEW)

    style = re.search(r"<style>(.*?)</style>", output, re.DOTALL)
    assert style is not None
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert (
        f"content=\"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\""
        in unescape(output)
    )
    assert "prefers-color-scheme:dark" in style[1]
    assert "://" not in output


def test_a_change_without_end_is_counted() -> None:
    changes = tuple(MemoryChange("added", f"k{n}", "note", "T", f"k{n}") for n in range(SHOWN + 7))

    output = page(replace(REVIEW, changes=changes))

    assert output.count("<article>") <= SHOWN + 10
    assert "And 7 more." in output
