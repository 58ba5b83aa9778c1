"""Anchors: the names that GitHub gives to headings, and which links lead to one."""

from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.kinds.link_anchors import anchor_claims, anchors_in, slug_of
from gitmem.commands.adopt.statements import split


@each(
    ("heading", "slug"),
    [
        ("Fast path", "fast-path"),
        ("What's new in 2.0?", "whats-new-in-20"),
        ("A & B", "a--b"),
        ("The `load_all()` *call*", "the-load_all-call"),
        ("[Linked](x.md) _title_", "linked-title"),
        ("Größe und 中文", "größe-und-中文"),
        ("🚀 Start", "-start"),
        (":rocket: Start", "-start"),
        ("Own name {#own}", "own-name"),
    ],
)
def test_heading_has_the_anchor_that_github_gives_it(heading, slug):
    assert slug_of(heading) == slug


def test_anchors_are_those_of_headings_outside_of_code_and_of_ids():
    text = (
        "# One\n\n```sh\n# Two\n```\n\n## One\n\nThree\n=====\n\n<a name='four'></a>\n\n<h2 id=five>Six</h2>\n\n"
        "## Seven {#eight}\n\n- item\n---\n"
    )

    assert anchors_in(text) == {
        "one": 1, "one-1": 7, "three": 9, "four": 12, "six": 14, "five": 14, "seven": 16, "eight": 16,
    }  # fmt: skip


def test_only_anchors_in_documents_are_claims():
    text = (
        "[a](b.md#c) [d](#e) [f](https://x.org/y.md#z) [g](a.py#L3) [h](b.md#L10) [i](b.md)\n"
        "\n```md\n[j](b.md#k)\n```\n"
    )

    found = [one for statement in split(text) for one in anchor_claims(statement, Document("x.md", "guide", ""))]

    assert [one.token for one in found] == ["b.md#c", "#e"]
