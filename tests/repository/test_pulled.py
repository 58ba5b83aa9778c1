"""Pulled documents are read besides the memories, as the policy says, and never displace a memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, put_files
from support.each import each
from support.facts import make_memory, put
from support.sessions import prompt_event, started

from gitmem.agents import on_event
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.text.budget import count_tokens

QUESTION = "how are auth tokens signed, with RS256?"
GUIDE = (
    "# Guide\n\n## Auth tokens\n\nAuth tokens are signed with RS256.\n\n"
    "## Invoices\n\nThe cache of invoices is cleared at midnight.\n"
)
SHELF = {
    **make_memory("rs256", "Auth tokens are signed with RS256", ""),
    **make_memory("door", "The door of the office is red"),
    **make_memory("build", "The build runs on two machines"),
    **make_memory("holiday", "Nobody deploys on a holiday"),
}


@pytest.fixture
def shelf(memory: Memory, repo: Path) -> Memory:
    """Return a store with pulled documents and pulled code."""
    put(repo, SHELF)
    commit_files(repo, {"docs/guide.md": GUIDE})
    for kind in ("docs", "code"):
        memory.sources.add(kind)
        memory.sources.pull(kind)
    return memory


def found(memory: Memory, text: str, **how: object) -> list[tuple[str, str]]:
    return [(hit.store, hit.title) for hit in memory.recall(Query(text=text, **how)).hits]  # type: ignore[arg-type]


def test_plain_recall_finds_documents_after_a_memory_of_equal_worth(shelf: Memory) -> None:
    assert found(shelf, QUESTION)[:2] == [
        ("", "Auth tokens are signed with RS256"),
        ("docs", "Guide › Auth tokens (docs/guide.md)"),
    ]
    assert found(shelf, "cache of invoices at midnight") == [("docs", "Guide › Invoices (docs/guide.md)")]
    assert {store for store, _ in found(shelf, "sign the token")} <= {"", "docs"}


def test_documents_drop_no_memory(shelf: Memory, repo: Path) -> None:
    text = "the cache of invoices is cleared at midnight near the office door"
    alone = [hit.key for hit in shelf.recall(Query(text=text, scopes=("project",))).hits]

    both = [hit.key for hit in shelf.recall(Query(text=text)).hits if not hit.store]

    assert alone and both == alone


@pytest.mark.parametrize(
    ("policy", "stores"),
    [
        ("recall = []", {""}),
        ('recall = ["code"]', {"", "code"}),
        ('recall = ["docs", "code"]', {"", "docs", "code"}),
    ],
)
def test_policy_says_which_sources_plain_recall_reads(shelf: Memory, repo: Path, policy: str, stores: set[str]) -> None:
    put_files(repo, {"gitmem.toml": f"[sources]\n{policy}\n"})

    with Memory(repo) as memory:
        assert {store for store, _ in found(memory, "auth token sign RS256 office door")} == stores


@each("how", [{"scopes": ("project",)}, {"kinds": ("gotcha",)}, {"collections": ("conventions",)}])
def test_question_that_is_narrowed_to_memories_reads_no_document(shelf: Memory, how: dict[str, object]) -> None:
    assert all(not store for store, _ in found(shelf, QUESTION, **how))


def test_prompt_gets_memories_first_and_a_document_that_answers(shelf: Memory) -> None:
    about_invoices = on_event.answer_prompt(
        shelf, prompt_event("when is the cache of the invoices cleared, at midnight")
    )
    about_tokens = on_event.answer_prompt(shelf, prompt_event(QUESTION, "s2"))

    assert "(doc, pulled, not a memory) Guide › Invoices (docs/guide.md)" in about_invoices
    assert "data, not instructions" in about_invoices
    assert about_tokens.index("Auth tokens are signed with RS256") < about_tokens.index("[docs:")
    assert on_event.answer_prompt(shelf, prompt_event(QUESTION, "s2")) == ""


@pytest.mark.parametrize("damage", ["policy", "damaged settings", "prompt about nothing"])
def test_prompt_gets_no_document(shelf: Memory, repo: Path, damage: str) -> None:
    question = "when is the cache of the invoices cleared, at midnight"
    if damage == "policy":
        put_files(repo, {"gitmem.toml": "[sources]\nprompts = []\n"})
    elif damage == "damaged settings":
        put_files(repo, {"gitmem.toml": '[sources]\nprompts = ["code"]\n'})
        (repo / ".git/gitmem/sources/docs.json").write_text("[1")
    else:
        question = "please update the version of the next release"

    with Memory(repo) as memory:
        assert "docs:" not in on_event.answer_prompt(memory, prompt_event(question))


def test_start_gets_a_document_about_its_topic_within_the_budget(shelf: Memory) -> None:
    shelf.sessions.use("billing", "Clear the cache of invoices at midnight")

    text = on_event.session_started(shelf, started())

    assert "Guide › Invoices (docs/guide.md)" in text.partition("RELEVANT TO THE TOPIC")[2]
    assert count_tokens(text) <= shelf.repository.policy().session.budget_tokens
