"""A summary by rules: its content, and that two passes merge into one."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.transcripts import SECRET, session

from gitmem.agents.clients import claude_code
from gitmem.agents.session.rule_summary import (
    TOKENS,
    Summary,
    brief,
    clean,
    distil,
    format_summary,
    from_dict,
    merge,
    title_of,
)
from gitmem.agents.transcripts.turns import COMMAND, EDIT, PROMPT, SAID, TODOS, Turn
from gitmem.frozen import fields_of
from gitmem.text.budget import count_tokens
from gitmem.text.secrets import find_secrets


def summary_of(*turns: Turn, with_prompts: bool = True) -> Summary:
    return distil(
        turns,
        place_of=lambda path: path.removeprefix("/w/") if path.startswith("/w/") else "",
        with_prompts=with_prompts,
    )


def whole(*, with_prompts: bool = True) -> Summary:
    lines = session(Path("/w")).splitlines()
    return summary_of(*claude_code.read_turns([json.loads(line) for line in lines]), with_prompts=with_prompts)


def test_a_session_is_told_in_whole_lines() -> None:
    assert format_summary(whole(), "A session of claude-code on branch main.").splitlines() == [
        "Goal: Make the gateway retry requests that time out. It fails in production.",
        "Left open:",
        "- `make deploy` last failed: fatal: no such host staging.example.org.",
        "- Not answered: Should I change the timeout, too?",
        "Asked later:",
        "- also update the README; the key is [secret: github-token]",
        "Decided:",
        "- keep RETRIES at 5",
        "- We decided to use backoff as of v1.2 because the gateway drops bursts.",
        "Changed: README.md, src/gateway/retry.py.",
        "Failed first, then passed:",
        "- `pytest -q tests/test_retry.py` failed (1 failed, 4 passed in 1s) and passes now, after changing retry.py.",
        "Tests:",
        "- `pytest -q tests/test_retry.py` last passed: 5 passed in 0.10s.",
        "Last message: LEARNED: the gateway drops bursts above 50 requests.",
        "A session of claude-code on branch main.",
    ]


def test_a_title_is_what_was_asked_for_first() -> None:
    assert title_of(whole()) == "Make the gateway retry requests that time out. It fails in production"


def test_nothing_that_a_person_wrote_is_repeated_unless_that_is_wanted() -> None:
    found = whole(with_prompts=False)
    output = format_summary(found, "")

    assert title_of(found) == "We decided to use backoff as of v1.2 because the gateway drops bursts"
    assert output.startswith("Left open:\n- `make deploy` last failed")
    assert "Decided:\n- keep RETRIES at 5" in output
    assert "- Not answered: Should I change the timeout, too?" in output
    for prompt in ("Make the gateway", "update the README", "It fails in production"):
        assert prompt not in output + json.dumps(fields_of(found))


@each(
    ("turns", "title"),
    [
        ([Turn(EDIT, files=tuple(f"/w/a/{n}.py" for n in range(5)))], "Changed 4.py, 3.py, 2.py and 2 more"),
        ([Turn(COMMAND, "make it", "x.c: error", failed=True)], "`make it` last failed: x.c: error."),
        ([Turn(TODOS, todos=(("Write the docs", False),))], "To do: Write the docs"),
        ([Turn(EDIT, files=("/elsewhere",))], ""),
    ],
)
def test_title_without_prompts_says_what_was_done(turns: list[Turn], title: str) -> None:
    found = summary_of(Turn(PROMPT, "Do what I say"), *turns, with_prompts=False)

    assert (title_of(found) if found.has_content else "") == title


@each(
    "turns",
    [
        (),
        (Turn(PROMPT, "ok"), Turn(EDIT, files=("/w/a",))),
        (Turn(PROMPT, "/clear"), Turn(SAID, "Done.")),
        (Turn(PROMPT, "What does retry do?"), Turn(SAID, "It tries again.")),
    ],
    ids=["empty", "low value", "command", "one question"],
)
def test_what_no_one_would_miss_has_no_content(turns: tuple[Turn, ...]) -> None:
    assert not summary_of(*turns).has_content


@each(
    ("text", "found"),
    [
        ("Fine. We agreed on two retries.", ("We agreed on two retries.",)),
        ("- Decided to drop v1.0 support", ("Decided to drop v1.0 support",)),
        ("**DECISION:** two retries", ("two retries",)),
        ("Have we decided to retry?", ()),
        ("I was told that they decided to retry.", ()),
        ("```\nDECISION: an example\n```", ()),
        ("We decided to ask: should it retry?", ()),
    ],
)
def test_only_what_is_said_to_be_decided_is(text: str, found: tuple[str, ...]) -> None:
    assert summary_of(Turn(SAID, text)).decisions == found


def test_things_to_do_are_those_of_the_last_list() -> None:
    first, last = Turn(TODOS, todos=(("a", False),)), Turn(TODOS, todos=(("a", True), ("b", False)))

    assert summary_of(first, last).open == ("b",)


def test_unanswered_prompt_is_left_open() -> None:
    assert (
        summary_of(Turn(PROMPT, "Fix it now"), Turn(SAID, "Done."), Turn(PROMPT, "And the docs?")).question
        == "And the docs?"
    )
    assert (
        summary_of(Turn(PROMPT, "Fix it now"), Turn(SAID, "Done?"), Turn(PROMPT, "x"), Turn(COMMAND, "make")).question
        == ""
    )


def test_files_elsewhere_are_counted() -> None:
    found = summary_of(Turn(PROMPT, "Change both"), Turn(EDIT, files=("/etc/x", "/w/a.py")))

    assert "Changed: a.py, 1 outside the work tree." in format_summary(found, "")


def test_the_same_session_seen_twice_is_one() -> None:
    assert merge(merge(Summary(), whole()), whole()) == whole()


def test_what_was_seen_before_a_compaction_stays() -> None:
    later = summary_of(Turn(PROMPT, "Now the docs"), Turn(EDIT, files=("/w/docs.md",)), Turn(SAID, "All done."))

    found = merge(whole(), later)

    assert (found.goal, found.asked[-1]) == (whole().goal, "Now the docs")
    assert found.files == (*whole().files, "docs.md")
    assert (found.question, found.failing, found.fixed) == ("", (), whole().fixed)
    assert merge(whole(), Summary()) == whole()


def test_a_summary_is_kept_as_json_and_what_is_damaged_is_left_out() -> None:
    kept = json.loads(json.dumps(fields_of(whole())))

    assert from_dict(kept) == whole()
    assert from_dict(
        {"goal": 7, "files": ["a", 3], "fixed": [["a"], ["a", "b"], 4], "elsewhere": "x", "other": 1}
    ) == Summary(files=("a",), fixed=(("a", "b"),))


def test_a_long_session_stays_within_its_tokens() -> None:
    sentence = "Please look into the thing number {} that goes wrong every time somebody tries it out over there. "
    turns = [Turn(PROMPT, sentence.format(number) * 5) for number in range(100)]
    turns += [Turn(SAID, f"DECISION: {sentence.format(number) * 9}") for number in range(100)]
    turns += [Turn(EDIT, files=(f"/w/a/very/long/folder/name/file-{number}.py",)) for number in range(1000)]

    text = format_summary(summary_of(*turns), "A session.")

    assert 100 <= count_tokens(text) <= TOKENS
    assert "\nChanged: a/very/long/folder/name/file-999.py," in text
    assert text.endswith("\nA session.")


def test_whole_sentences_are_kept() -> None:
    assert brief("One is short. Two is too long for it.", 20) == "One is short."
    assert brief("A sentence without an end in sight", 20) == "A sentence without…"
    assert clean("a\x1b[31mb\n\tc\u202e", 50) == "ab c\\u{202e}"


WORDS = st.sampled_from(
    ["DECISION:", "We decided to", "x" * 300, f"key {SECRET}", "\n", "?", ".", "`", "```", "\x1b[2J", "\u202e", "a b"]
)
TURNS = st.lists(
    st.builds(
        Turn,
        st.sampled_from([PROMPT, SAID, COMMAND, EDIT]),
        st.lists(WORDS, max_size=5).map(" ".join),
        st.lists(WORDS, max_size=3).map("".join),
        st.sampled_from([True, False, None]),
        st.just(("/w/a\n[x]",)),
    ),
    max_size=5,
)


@given(TURNS)
def test_no_session_gives_a_secret_or_a_hidden_character(turns: list[Turn]) -> None:
    text = format_summary(merge(summary_of(*turns[:2]), summary_of(*turns)), "A session.")

    assert not find_secrets(text)
    assert re.sub(r"\n", "", text).isprintable()
    assert count_tokens(text) <= TOKENS
