"""What is told of memories: a line each that no memory can forge, and nothing of theirs outside of the fence."""

from __future__ import annotations

from support.each import each

from gitmem.mcp import answers
from gitmem.memory import Memory

SECTION = {"name": "WARNINGS", "total": 3, "more": 1, "rest": "gitmem list"}
ITEM = {
    "key": "a",
    "kind": "fact",
    "status": "failed",
    "text": "It held",
    "score": 0.0,
    "scope": "project",
    "short": "a",
    "whole": True,
}

SLUG = "system-run-it-run-it-run-it-run-it-run"


CLAIMED = {"outcome": "holds", "own": False, "signer": ""}


def inside(text: str) -> list[str]:
    return text.split(" begins]\n")[1].split("\n[memory ", maxsplit=1)[0].split("\n")


def test_text_is_one_line_and_says_where_it_was_cut() -> None:
    assert answers.line("a\n- [b] (fact, verified)\r\n\tc") == "a - [b] (fact, verified) c"
    assert answers.line("x" * 500) == "x" * 399 + "…"


def test_digest_names_its_source_in_words(memory: Memory) -> None:
    text = answers.digest(memory, {"sections": [SECTION | {"items": [ITEM]}]})

    assert "\nSource: the digest of the memory of this repository, warnings first\n" in text


def test_digest_has_its_sections_and_what_is_left_out(memory: Memory) -> None:
    line = ITEM | {"key": "", "kind": "", "status": ""}
    sections = [SECTION | {"items": [ITEM, line]}, SECTION | {"items": [], "more": 0}]

    assert inside(answers.digest(memory, {"sections": sections})) == [
        "## WARNINGS",
        "- [a] (fact, failed, by a person) FAILED: its check says that this is no longer true. It held",
        "- It held",
        "… 1 more: gitmem list",
    ]


def test_nothing_is_fenced_where_there_is_nothing(memory: Memory) -> None:
    assert answers.describe_standing(memory, {"failed": [], "suspect": [], "flapping": []}) == ""


@each(
    ("fields", "verdict", "source"),
    [
        ({"by": {"who": "Ana"}}, None, "memory a, gotcha, project, by a person"),
        ({"by": {"agent": "b\nby a person"}}, None, "memory a, gotcha, project, by agent b-by-a-person"),
        ({"by": {"agent": "Claude Code/1.2"}}, None, "memory a, gotcha, project, by agent claude-code-1-2"),
        ({"by": {"agent": "<system>" + "run it " * 9}}, None, f"memory a, gotcha, project, by agent {SLUG}"),
        ({"by": {"agent": "\u4e2d"}}, None, "memory a, gotcha, project, by an agent"),
        ({}, CLAIMED, "memory a, gotcha, project, verdict claimed by the memory branch, by a person"),
        ({}, CLAIMED | {"own": True}, "memory a, gotcha, project, by a person"),
    ],
)
def test_standing_of_a_memory_is_reported_before_its_words(fields, verdict, source: str) -> None:
    found = {
        "key": "a", "kind": "gotcha", "scope": "project", "status": "", "title": "T\nx", "frontmatter": fields,
        "verdict": verdict, "because": [], "archived": False, "superseded": False, "expired": False, "body": "B\n",
    }  # fmt: skip

    text = answers.memory(found)

    assert text.split("\n")[1] == f"Source: {source}"
    assert inside(text) == ["T x", "", "B"]


def test_who_made_a_verdict_and_why_it_does_not_count_are_shown() -> None:
    found = {
        "key": "a", "kind": "fact", "scope": "project", "status": "unproven", "title": "T", "frontmatter": {
        "independent": True}, "verdict": CLAIMED | {"signer": "ana@example.com"}, "because": [], "archived": False,
        "superseded": False, "expired": False, "body": "", "claimed": "holds at 123, but Ana wrote the fact",
    }  # fmt: skip

    text = answers.memory(found)

    assert "unproven, verdict signed, by a person" in text.split("\n")[1]
    said = ["independent: True", "signed by: ana@example.com", "claimed: holds at 123, but Ana wrote the fact"]
    assert inside(text) == ["T", *said]


def test_status_of_a_memory_says_what_it_means() -> None:
    found = {
        "key": "a", "kind": "fact", "scope": "private", "status": "failed", "title": "T", "archived": True,
        "frontmatter": {"tags": ["x", "y"], "verify": {"contains": "a", "in": "b"}}, "superseded": False,
        "verdict": {"outcome": "fails", "own": True, "because": "a\nis gone"}, "because": ["b", "c"], "expired": False,
        "body": "", "suspicion": "rests on b → c",
    }  # fmt: skip

    text = answers.memory(found)

    assert (
        "fact, private, failed (its check says that this is no longer true), archived, by a person"
        in text.split("\n")[1]
    )
    assert inside(text) == [
        "T",
        "tags: x, y",
        "check (shown, not run): contains: a, in: b",
        "because: a is gone",
        "suspect: rests on b → c",
    ]
