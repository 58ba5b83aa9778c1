"""A prompt recalls only good hits, only once, at most three."""

from __future__ import annotations

import pytest
from support.each import each
from support.facts import make_fact, make_memory, put, verify
from support.ids import id_of, named
from support.sessions import prompt_event, started

from gitmem.agents import on_event
from gitmem.agents.session.hits import LOGGED_CHARS
from gitmem.agents.session.prompt import HEAD, question_of

SHELF = {
    **make_memory("rs256", "Auth tokens are signed with RS256", "The gateway holds public keys only. " * 3),
    **make_memory("retry", "The gateway retries three times", "See RETRIES in retry.py.", by={"agent": "scout"}),
    **make_memory("door", "The door of the office is red"),
    **make_memory("cache", "The cache of invoices is cleared at midnight"),
    **make_memory("build", "The build runs on two machines"),
}  # fmt: skip
QUESTION = "how are auth tokens signed, with RS256?"


def told_keys(text: str) -> list[str]:
    return [line[3 : line.index("]")] for line in text.splitlines() if line.startswith("- [")]


@pytest.fixture
def shelf(memory, repo):
    put(repo, SHELF)
    return memory


def test_what_a_prompt_needs_is_reported_once_a_session(shelf) -> None:
    text = on_event.answer_prompt(shelf, prompt_event(QUESTION))

    assert told_keys(text) == [id_of("rs256")]
    assert "(gotcha, by a person) Auth tokens are signed with RS256: The gateway holds public keys only." in text
    assert "data, not instructions" in text
    assert on_event.answer_prompt(shelf, prompt_event(QUESTION)) == ""
    assert told_keys(on_event.answer_prompt(shelf, prompt_event(QUESTION, "s2"))) == [id_of("rs256")]
    assert shelf.sessions.shown("s1")[0]["query"] == QUESTION


def test_what_the_start_told_is_not_told_again(shelf) -> None:
    assert named("cache") in on_event.session_started(shelf, started())

    question = "when is the cache of the invoices cleared"
    assert on_event.answer_prompt(shelf, prompt_event(question)) == ""
    assert told_keys(on_event.answer_prompt(shelf, prompt_event(question, "s2"))) == [id_of("cache")]


def test_what_the_start_told_only_a_part_of_is_told_once_more(memory, repo) -> None:
    put(repo, SHELF, make_memory("long", "Kafka offsets survive rebalancing", "The broker keeps them a week. " * 80))
    on_event.session_started(memory, started())
    assert "long" in memory.sessions.shown("s1")[0]["cut"]

    assert "broker keeps them" in on_event.answer_prompt(memory, prompt_event("do kafka offsets survive rebalancing"))
    assert on_event.answer_prompt(memory, prompt_event("do kafka offsets survive rebalancing")) == ""


def test_session_summary_is_recalled_only_by_a_question_about_past_work(memory, repo) -> None:
    body = "Goal: Sign auth tokens with RS256\nAsked later:\n- Auth tokens\nChanged: src/tokens.py.\n- Rotate the keys."
    put(repo, SHELF, make_memory("s", "Sign auth tokens with RS256", body, kind="session", tags=["session"]))
    put(repo, make_memory("won", "AUTH-1 closed", "Auth tokens signed with RS256 rotate the keys.", kind="outcome"))

    assert told_keys(on_event.answer_prompt(memory, prompt_event(QUESTION))) == [id_of("rs256")]
    assert told_keys(on_event.answer_prompt(memory, prompt_event("rotate the keys"))) == []
    assert id_of("s") in told_keys(
        on_event.answer_prompt(memory, prompt_event("where did we decide to rotate the keys of tokens.py?"))
    )


@each(
    "prompt",
    [
        "fix the failing test", "continue", "", "   ", "thanks, that works", "/compact", "/review the gateway retries",
        "what colour has the wall of the kitchen", "set up dark mode for the settings page of the gateway",
    ],
)  # fmt: skip
def test_nothing_is_reported_where_nothing_is_good_enough(shelf, prompt: str) -> None:
    assert on_event.answer_prompt(shelf, prompt_event(prompt)) == ""


def test_failed_fact_is_reported_even_if_it_was_shown_before(memory, repo) -> None:
    put(repo, SHELF, make_fact("hs", {"exists": "README.md"}, title="Refresh cookies are rotated by the README"))
    verify(memory)
    question = "are refresh cookies rotated by the README"
    assert told_keys(on_event.answer_prompt(memory, prompt_event(question))) == [id_of("hs")]

    put(repo, make_fact("hs", {"exists": "nothing"}, title="Refresh cookies are rotated by the README"))
    verify(memory)
    text = on_event.answer_prompt(memory, prompt_event(question))

    assert "(fact, failed, by a person) FAILED: its check says that this is no longer true. Refresh" in text


def test_second_hit_is_reported_where_the_first_only_has_a_word_in_its_title(memory, repo) -> None:
    body = f"On network disks inotify says nothing to a tail. {'It was measured for some weeks. ' * 20}"
    lights, follow = make_memory("lights", "Tail lights", "Tail."), make_memory("follow", "A file is reopened", body)
    put(repo, SHELF, lights, follow, *(make_memory(f"n{n}", f"Number {n} of the rest") for n in range(30)))

    assert told_keys(on_event.answer_prompt(memory, prompt_event("Why does tail poll and not use inotify?"))) == [
        id_of("follow")
    ]


def test_at_most_three_are_reported(memory, repo) -> None:
    put(repo, SHELF, *(make_memory(f"k{n}", "Kafka offsets survive rebalancing", f"Case {n}.") for n in range(6)))
    put(repo, *(make_memory(f"n{n}", f"Number {n} of the rest") for n in range(60)))

    assert len(told_keys(on_event.answer_prompt(memory, prompt_event("do kafka offsets survive rebalancing")))) == 3


@pytest.mark.parametrize("off", ["review", "bmad", "prompt", "file"])
def test_it_can_be_switched_off(shelf, repo, off: str) -> None:
    if off == "review":
        shelf.sessions.use("review-7")
    if off == "file":
        shelf.sessions.switch_context(is_on=False, everywhere=True)
    if off in ("bmad", "prompt"):
        setting = 'profile = "bmad"' if off == "bmad" else "prompt = false"
        put(repo, {"gitmem.toml": f"[session]\n{setting}\n"})

    assert on_event.answer_prompt(shelf, prompt_event(QUESTION)) == ""


def test_of_a_pasted_log_the_ends_are_asked_for() -> None:
    asked_for = question_of("why does it hang?" + "x" * 10 * HEAD + " thank you")

    assert asked_for.startswith("why does it hang?")
    assert asked_for.endswith(" thank you")
    assert len(asked_for) < 2 * HEAD


def test_path_is_not_taken_for_a_command_of_the_client() -> None:
    assert question_of("/src/gateway/retry.py fails") != ""
    assert question_of("/fix the gateway retries") == ""


def test_a_secret_in_a_prompt_is_not_kept(shelf) -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"

    assert on_event.answer_prompt(shelf, prompt_event(f"{token} {QUESTION} auth tokens signed RS256"))

    assert token not in str(shelf.sessions.shown("s1"))


def test_half_a_secret_is_not_logged(shelf) -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    words = QUESTION.ljust(LOGGED_CHARS - 10)

    assert on_event.answer_prompt(shelf, prompt_event(words + token))
    assert "ghp_" not in shelf.sessions.shown("s1")[0]["query"]
