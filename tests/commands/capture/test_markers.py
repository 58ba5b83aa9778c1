"""Marked learnings in a text, and text that only looks like one."""

from __future__ import annotations

from support.each import each

from gitmem.commands.capture.markers import Marker, find_marked

LEARNT = "Retries must be idempotent"


def texts(text: str, *, is_comment: bool = False) -> list[str]:
    return [one.text for one in find_marked(text, is_comment=is_comment)]


@each(
    "text",
    [
        f"LEARNED: {LEARNT}",
        f"LEARNING: {LEARNT}",
        f"Learned: {LEARNT}",
        f"💡 Learned: {LEARNT}",
        f"- ⚠️ **Gotcha:** {LEARNT}",
        f"[LEARNED] {LEARNT}",
        f"LEARNED (the pool): {LEARNT}",
        f"`LEARNED: {LEARNT}`",
        f"**Key takeaways**\n\n- {LEARNT}",
        f"- **LEARNED:** {LEARNT}",
        f"**LEARNED**: {LEARNT}",
        f"1. LEARNED: {LEARNT}",
        f"All done. LEARNED: {LEARNT}",
        f"DECISION: {LEARNT}",
        f"Done.\r\n\r\nLEARNED: {LEARNT}\r\n",
        "LEARNED: Retries must\n  be idempotent\nThe rest is talk.",
        f"LEARNED: {LEARNT}\nLEARNED: {LEARNT}",
        f"learned: {LEARNT}",
        f"**Decision:** {LEARNT}",
        f"**Decision: {LEARNT}**",
        f"LEARNED — {LEARNT}",
        f"LEARNED:\n- {LEARNT}",
        f"LEARNED:\n\n* {LEARNT}\n\nThe rest is talk.",
        f"**Learned**\n- [x] {LEARNT}",
        f"## Learned\n\n- {LEARNT}\n\n## Next\n\n- push",
        "### 💡 Key learnings:\n1. Retries must\n   be idempotent\n\n---\n- push",
        f"## 3. What I learned\n\n{LEARNT}\n\n# Other\n\ntalk",
        f"LEARNED:\n{LEARNT}\n\nThe rest is talk.",
        f"GELERNT: {LEARNT}",
        f"## Entscheidungen\n\n- {LEARNT}",
        f"APRENDIDO: {LEARNT}",
        f"**Décision :** {LEARNT}",
        f"学び：{LEARNT}",
        f"完成了。\n\n经验：{LEARNT}",
        f"好了。经验：{LEARNT}",
    ],
)
def test_line_of_an_agents_words_says_what_was_learnt(text: str) -> None:
    assert texts(text) == [LEARNT]


@each(
    "text",
    [
        "```\nLEARNED: in a fence\n```",
        "~~~text\nLEARNED: in a fence\n```\nLEARNED: still\n~~~",
        "> LEARNED: what somebody else said",
        "Write `LEARNED: what` into a comment",
        "I looked for LEARNED: lines",
        "he learned: nothing",
        "LEARNED:",
        "LEARNED: <what you learnt>",
        "LEARNED: ...",
        "FACT: not in an answer",
        "The decision: modules load late",
        "We learned: a lot",
        "**Learned** to swim",
        "[learned](docs/learned.md) is a page of ours",
        "`gitmem learned: x` is the old name",
        "## What I learned about the request\n\nYou want a button.",
        "## Learned\n\nNothing new.\n\n## Next\n\n- push",
        "LEARNED:\n\nThis is talk after an empty line.",
        "LEARNED:\n> - somebody else's list",
        "LEARNED: the tests pass now",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert texts(text) == []


def test_items_of_a_list_are_learnings_of_their_own_with_what_is_below_them() -> None:
    text = "LEARNED:\n- one\n  - its reason\n- two\n  goes on\n\n- three\nTalk.\n- no"

    assert texts(text) == ["one its reason", "two goes on", "three"]


def test_paragraphs_below_a_heading_are_learnings_of_their_own() -> None:
    assert texts("## Gelernt\n\neins\nzwei\n\ndrei\n\n## Offen\n\nvier") == ["eins zwei", "drei"]


def test_comment_that_begins_with_a_mark_is_learnt_to_its_end() -> None:
    text = "LEARNED: one\n\nits reason\n\nDECISION: two\nFACT: three\n"

    assert find_marked(text, is_comment=True) == [
        Marker("learned", "one\n\nits reason"),
        Marker("decision", "two"),
        Marker("fact", "three"),
    ]


def test_further_down_in_a_comment_it_is_the_paragraph() -> None:
    assert texts("Looks good.\n\nLEARNED: one\ntwo\n\ncc @ana", is_comment=True) == ["one\ntwo"]


def test_a_fence_inside_what_is_learnt_belongs_to_it() -> None:
    text = "LEARNED: run\n```\nmake LEARNED: no\n```\nfirst"

    assert texts(text, is_comment=True) == ["run\n```\nmake LEARNED: no\n```\nfirst"]


def test_text_is_bounded() -> None:
    assert [len(text) for text in texts("LEARNED: " + "x" * 90_000)] == [4_000]
