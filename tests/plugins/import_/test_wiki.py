"""Notes that link each other keep their links as references, and Claude Code's memory its kinds."""

from __future__ import annotations

import unicodedata

from support.each import each

from gitmem.document.note import HEAD
from gitmem.frozen import replace
from gitmem.plugins.import_.fields import ImportRecord
from gitmem.plugins.import_.names import Names
from gitmem.plugins.import_.vault import Vault
from gitmem.plugins.import_.wiki import (
    Pages,
    auto_memory,
    index_remarks,
    is_only_index,
    link_pages,
    pages_of,
    with_index_remark,
)

PATHS = ("Auth/JWT Tokens.md", "Gateway.md", "README.md", "auth/README.md")
PAGES = pages_of(Names().keys("vault", PATHS), vault=Vault(is_vault=True, name="v"))


@each(
    ("body", "refs", "tags"),
    [
        ("See [[Gateway]] and [[JWT Tokens|tokens]].", ["gateway", "auth-jwt-tokens"], None),
        ("![[Auth/JWT Tokens#Signing]] [[jwt tokens]] [[auth/README]]", ["auth-jwt-tokens", "auth-readme"], None),
        ("| [[Gateway\\|gate]] | ![[JWT Tokens\\|80]] |", ["gateway", "auth-jwt-tokens"], None),
        ("[g](bear://x-callback-url/open-note?id=A-1&title=gateway&header=x)", ["gateway"], None),
        ("[g](obsidian://open?vault=v&file=Auth%2FJWT%20Tokens)", ["auth-jwt-tokens"], None),
        ("[g](obsidian://open?file=Gateway&vault=V)", ["gateway"], None),
        ("[g](obsidian://open?vault=ef6ca3e3b524d22f&file=Gateway)", ["gateway"], None),
        ("[g](obsidian://open?vault=other&file=Gateway)", None, None),
        ("[g](obsidian://open?vault=v)", None, None),
        ("[[Nowhere]] stays. C# and https://a.org/#top are no tags.", None, None),
        ("About #Auth/keys and #retry, not `a`#1.", None, ["auth/keys", "retry"]),
        ("```\n[[Gateway]] #code\n```\ntext #real", None, ["real"]),
        ("> [!info]\n> ```c\n> #include\n> ```\n> text #real", None, ["real"]),
        ("- ```\n  [[Gateway]] #code\n  ```\n- ```x``` #real\n1. ~~~\n   #c\n   ~~~", None, ["real"]),
        ("`#code` and `` `#more` `` are no tags, nor \\#escaped, #fff, #a1b2c3, #ffcc00, #1984, #.", None, None),
        (
            "#über-tag #C++ #F# #v1.0 #标签 #add #Facade #2024-plan #a/b/",
            None,
            ["über-tag", "c++", "f#", "v1.0", "标签", "add", "facade", "2024-plan", "a/b"],
        ),
    ],
)
def test_links_become_references_and_the_text_stays(body: str, refs: list | None, tags: list | None) -> None:
    found = link_pages(ImportRecord("x.md", "x", {"kind": "doc"}, body), PAGES)

    assert (found.fields.get("refs"), found.fields.get("tags"), found.body) == (refs, tags, body)


@each(
    ("fields", "body", "refs", "tags"),
    [
        ({"title": "Retry #net of [[Gateway]]"}, "text", ["gateway"], ["net"]),
        ({"title": "x", "imported_head": "---\ntags: a\n---\n# Retry #net\n\n"}, "text", None, ["net"]),
        ({"title": "x", "imported_head": "---\nup: '#no'\n---\n"}, "text", None, None),
        ({"tags": ["#a", "b", "a"]}, "#b <!-- #no\n--> {{query #no}} #c", None, ["a", "b", "c"]),
    ],
)
def test_heading_has_tags_and_links_and_hidden_text_has_no_tags(fields, body, refs, tags) -> None:
    found = link_pages(ImportRecord("x.md", "x", fields, body), PAGES)

    assert (found.fields.get("refs"), found.fields.get("tags")) == (refs, tags)


def test_words_after_a_hash_are_tags_only_in_a_vault() -> None:
    given = ImportRecord("x.md", "x", {"kind": "doc"}, "Start with #include; see [[Gateway]].")

    assert link_pages(given, pages_of({"Gateway.md": "gateway"})).fields == {"kind": "doc", "refs": ["gateway"]}


LOGSEQ = pages_of(
    {"journals/2024_01_27.md": "day", "pages/Ana Lima.md": "ana", "pages/a___b.md": "ab", "retrieval.md": "retrieval"},
    vault=Vault(is_vault=True, is_logseq=True),
    names={
        "journals/2024_01_27.md": ["jan 27th, 2024"],
        "pages/a___b.md": ["a/b", "65b0f2d4-1111-4222-8333-123456789abc"],
    },
)
FOAM = pages_of(
    {
        "inbox.md": "inbox",
        "house/todo.md": "house",
        "work/a b.md": "ab",
        "work/todo.md": "work",
        "plans/index.md": "plans",
    },
    vault=Vault(is_vault=True, is_foam=True),
)
PLAIN = pages_of(
    {"core.md": "core", "auth/login.md": "login"}, names={"auth/login.md": ["specs/login", "0a" * 16, "x" * 250]}
)


@each(
    ("pages", "body", "refs", "tags"),
    [
        (
            LOGSEQ,
            "- on [[Jan 27th, 2024]], #[[Ana Lima]] #retrieval",
            ["day", "ana", "retrieval"],
            ["ana lima", "retrieval"],
        ),
        (LOGSEQ, "- TODO [#A] see ((65b0f2d4-1111-4222-8333-123456789abc)) in [[A/B]]", ["ab"], None),
        (
            FOAM,
            "[[work/todo]], [[house/todo#Part|it]], [[plans]], [[../inbox]]",
            ["work", "house", "plans", "inbox"],
            None,
        ),
        (
            FOAM,
            "[a](todo.md) [b](<../house/todo.md#x>) [c](a%20b.md) ![d](../inbox.md)",
            ["work", "house", "ab", "inbox"],
            None,
        ),
        (FOAM, "[r][1]\n\n[1]: ../house/todo.md 'T'\n[inbox]: /inbox \"Inbox\"", ["house", "inbox"], None),
        (FOAM, "[x](https://a.org/inbox.md) [y](gone.md) [z](#top) `a[0](inbox.md)`", None, None),
        (PLAIN, "Read `mem:auth/login`; mem:core. Not item:core, nor mem:gone.", ["login", "core"], None),
        (PLAIN, f"[a](https://www.notion.so/Log-in-{'0a' * 16}?pvs=21) [b](https://x.so/{'0a' * 16})", ["login"], None),
        (
            PLAIN,
            "[a](docs/auth/login.md) [b](mdc:.cursor/core.mdc) [c](docs/core.md) [d](../x/auth/login.md)",
            ["login", "core"],
            None,
        ),
        (PLAIN, f"[[{'x' * 250}]]", ["login"], None),
        (PLAIN, "memory://specs/login has it, #not a tag", ["login"], None),
    ],
)
def test_links_of_each_system_become_references(pages: Pages, body: str, refs: list | None, tags: list | None) -> None:
    found = link_pages(ImportRecord("x.md", "x", {"kind": "doc"}, body), pages, "work/x.md")

    assert (found.fields.get("refs"), found.fields.get("tags"), found.body) == (refs, tags, body)


def test_links_in_properties_need_no_quotes() -> None:
    fields = {"up": [["inbox"]], "see": [[["house/todo|todo"]], [["plans"]]], "table": [["a", "b"], ["inbox"]]}

    found = link_pages(ImportRecord("x.md", "x", fields, "text"), FOAM)

    assert found.fields["refs"] == ["inbox", "house", "plans"]


def test_links_in_properties_become_references() -> None:
    fields = {"title": "[[inbox]]", "up": "[[house/todo]]", "see": ["[[plans]]", 3]}
    given = ImportRecord("x.md", "x", {**fields, "imported_head": "---\nup: x\n---\n"}, "text")

    assert link_pages(given, FOAM).fields["refs"] == ["house", "plans"]


def test_list_items_of_basic_memory_have_tags() -> None:
    body = "# A\n- [decision] Use FTS5 #sqlite (in May)\n- [ ] later #task\n- loose #item\n\nprose #none"

    def tags(permalink: str) -> object:
        return link_pages(ImportRecord("x.md", "x", {"permalink": permalink}, body), PLAIN).fields.get("tags")

    assert tags("specs/search") == ["sqlite", "item"]
    assert tags("/about/") is None  # a page of Jekyll


def test_types_of_auto_memory_become_kinds() -> None:
    given = {"name": "user_role", "description": "Ana leads the ledger", "type": "user"}

    assert auto_memory(given) == given | {"kind": "preference", "title": "Ana leads the ledger"}
    nested = auto_memory({"name": "deploys", "metadata": {"type": "project"}})
    assert (nested["kind"], nested["title"]) == ("codebase_knowledge", "deploys")
    assert auto_memory({}) == {}


def test_index_with_only_links_is_skipped() -> None:
    index = "# Memory\n\n- [Gateway](Gateway.md) — its timeouts"

    assert is_only_index(index, PAGES)
    assert not is_only_index(index + "\n- deploys need a VPN", PAGES)
    assert not is_only_index("- [Elsewhere](other.md) — not in the folder", PAGES)


@each(
    "line",
    [
        "- [Gateway](Gateway.md) — pebble is the short name",
        "* **[Gateway](./Gateway.md)**: pebble is the short name",
        "- [[gateway]] - pebble is the short  name",
        "- [JWT](<Auth/JWT Tokens.md>) – pebble is the short name",
        "- [JWT](Auth/JWT%20Tokens.md#signing) pebble is the short name",
    ],
)
def test_text_behind_a_link_of_an_index_is_about_the_linked_note(line: str) -> None:
    remarks = index_remarks(f"# Memory\n{line}\n- [Elsewhere](x.md) — not here", PAGES)

    assert list(remarks.values()) == ["pebble is the short name"]
    assert not is_only_index(line, replace(PAGES, lost=remarks.keys()))


def test_remark_is_added_to_a_note_that_does_not_say_it() -> None:
    assert with_index_remark({"description": "Rules"}, "Text", "pebble") == {"description": "Rules", "index": "pebble"}
    assert with_index_remark({"description": "A pebble"}, "Text", "pebble") == {"description": "A pebble"}
    assert with_index_remark({}, "A\npebble", "A pebble") == {}


def test_note_is_found_by_its_other_names() -> None:
    names = {"Auth/JWT Tokens.md": ["tokens", "gateway", "auth/jwt"]}
    pages = pages_of({"Auth/JWT Tokens.md": "jwt", "Gateway.md": "gateway"}, names=names)

    assert [pages.find(name) for name in ("Tokens", "auth/jwt", "Gateway", "none")] == ["jwt", "jwt", "gateway", ""]


@each(("name", "link"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_link_to_a_note_whose_name_has_another_unicode_form_is_found(name: str, link: str) -> None:
    pages = pages_of({unicodedata.normalize(name, "Größe.md"): "size"})  # type: ignore[arg-type]

    assert pages.find(unicodedata.normalize(link, "Größe")) == "size"  # type: ignore[arg-type]


@each(
    ("fields", "body", "refs"),
    [
        ({}, "[[Concepts|pkg.core.concepts]] and [[dev.concepts]]", ["pkg.core.concepts", "dev.concepts"]),
        ({}, "[[See|dendron://docs.site/pkg.core.concepts#links]]", ["pkg.core.concepts"]),
        ({}, "![[dendron://docs/dev.concepts#a:#*]] [[dev.concepts|Nowhere]]", ["dev.concepts"]),
        ({}, "[[Help|topic.markdown]] and [[dev.concepts.md]]", ["topic.markdown", "dev.concepts"]),
        ({"tags": ["ops"]}, "about #retry", ["tags.ops", "tags.retry"]),
        ({}, "Ask #team.night.", ["tags.team.night"]),
    ],
)
def test_link_of_dendron_leads_to_the_page_behind_what_it_shows(fields: dict, body: str, refs: list) -> None:
    paths = ("topic.md", "topic.markdown.md", "pkg.core.concepts.md", "dev.concepts.md", "tags.ops.md", "tags.retry.md")
    paths = (*paths, "tags.team.night.md")
    pages = pages_of(Names().keys("vault", paths), vault=Vault(is_vault=True, is_dendron=True))

    assert link_pages(ImportRecord("x.md", "x", fields, body), pages).fields.get("refs") == refs


@each(
    ("body", "tags"),
    [
        ("#kitchen/bread #Long Tag#\n\nFeed at 8.", ["kitchen/bread", "long tag"]),
        ("Feed at 8.\n\n---\n#weekend", ["weekend"]),
        ("Feed\n#middle\nat 8.", None),
        ("#include <x>\n\nuses #c", None),
        ("#12\n#!sh", None),
        ("#ffcc00", None),
        ("```\n#a\n```\nFeed at 8.", None),
        ("Built with:\n\n#define A 1\n#endif", None),
        ("Feed at 8:\n\n    #port = 1\n    #debug", None),
    ],
)
def test_first_and_last_line_below_a_heading_have_tags_if_they_have_nothing_else(body: str, tags: list | None) -> None:
    pages = pages_of({"Bread.md": "bread"})
    found = ImportRecord("x", "bread", {"title": "Bread", HEAD: "# Bread\n"}, body)
    bare = ImportRecord("x", "bread", {"title": "Bread"}, body)

    assert link_pages(found, pages, "Bread.md").fields.get("tags") == tags
    assert "tags" not in link_pages(bare, pages, "Bread.md").fields
