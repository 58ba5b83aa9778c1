"""The HTML page: one file, no active content, every part reachable."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser

from gitmem.commands.review.forms import ANNOTATED, CHANGES_SHOWN, html, workflow_commands
from gitmem.commands.review.model import (
    NOTE,
    CheckCommand,
    FieldChange,
    MemoryChange,
    Review,
    ReviewFinding,
    Shift,
    WordRun,
)
from gitmem.frozen import replace
from gitmem.text.hazards.instructions import ERROR, WARNING

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


def test_text_of_a_memory_is_inert_in_the_page() -> None:
    tags = parsed(html(REVIEW))

    assert tags.open == []
    assert not tags.tags & {"script", "img", "iframe", "object", "link", "form", "svg"}
    assert {link.removeprefix("#") for link in tags.links} <= tags.ids


def test_the_policy_of_the_page_allows_its_own_style_and_nothing_else() -> None:
    output = html(REVIEW)

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
    changes = tuple(MemoryChange("added", f"k{n}", "note", "T", f"k{n}") for n in range(CHANGES_SHOWN + 7))

    output = html(replace(REVIEW, changes=changes))

    assert output.count("<article>") <= CHANGES_SHOWN + 10
    assert "And 7 more." in output


def messages(*findings: ReviewFinding, notes: tuple[str, ...] = ()) -> list[str]:
    return workflow_commands(Review("", "b", ("", ""), "", 0, (), (), (), (0, 0, 0), (), findings, notes)).split("\n")


def test_each_severity_has_its_level_and_place() -> None:
    lines = messages(
        ReviewFinding(ERROR, "secret", "100% bad,\n::error::x", "a", "gotchas/a,b.md", 3, "take it out"),
        ReviewFinding(WARNING, "policy-trust", "changed", path="gitmem.toml"),
        ReviewFinding(NOTE, "verdicts-claimed", "claimed"),
    )

    assert lines == [
        "gitmem review: no memory changed; 1 error, 1 warning, 1 note",
        "::error file=gotchas/a%2Cb.md,line=3,title=a secret::100%25 bad,%0A::error::x (take it out)",
        "::warning file=gitmem.toml,title=policy-trust::changed",
        "::notice title=verdicts-claimed::claimed",
        "",
    ]


def test_what_the_forge_would_drop_is_counted_and_notes_are_no_commands() -> None:
    lines = messages(*(ReviewFinding(ERROR, "secret", str(n)) for n in range(ANNOTATED + 3)), notes=("::error::x",))

    assert sum(line.startswith("::error") for line in lines) == ANNOTATED
    assert "gitmem review: 3 more of level error: see the step's summary" in lines
    assert lines[-2] == "gitmem review: : :error::x"
