"""What a memory refers to is shown wherever an agent or a program gets the memory."""

from __future__ import annotations

import json

import pytest
from conftest import commit_files
from support.agent_work import edited
from support.facts import make_fact, make_memory, put, verify
from support.ids import id_of
from support.mcp_client import call_one
from support.sessions import started

from gitmem.agents import on_event
from gitmem.memory import Memory
from gitmem.recall.query import Query

TRAP, BROKEN = ["src/gateway/retry.py:1", "https://example.org/7"], ["AGENTS.md:2"]


@pytest.fixture
def store(memory: Memory, repo) -> Memory:
    put(
        repo,
        make_memory("trap", "Bursts are dropped at the gateway", refs=TRAP, paths=["src/gateway/**"]),
        make_fact("broken", {"exists": "nothing"}, title="The gateway has nothing", refs=BROKEN),
    )
    verify(memory)
    return memory


@pytest.mark.parametrize(
    ("words", "lists"),
    [
        (("recall", "gateway"), ["hits"]),
        (("recall", "--recent", "9"), ["hits"]),
        (("recall", "--syntax", "gateway*"), ["hits"]),
        (("similar", "broken"), ["hits"]),
        (("list",), ["memories"]),
        (("status",), ["failed"]),
        (("context",), ["sections", "items"]),
    ],
)
def test_json_of_every_command_that_shows_memories_has_their_references(store, run_cli, words, lists):
    rows = [json.loads(run_cli(*words, "--json").out)]
    for name in lists:
        rows = [row for table in rows for row in table[name]]

    shown = {row["key"]: row["refs"] for row in rows if row["key"]}
    assert shown
    assert shown == {key: refs for key, refs in (("trap", TRAP), ("broken", BROKEN)) if key in shown}


def test_python_has_the_references_of_hits_and_of_lists(store):
    for hits in (store.recall("gateway").hits, store.recall(Query(limit=9)).hits, store.list().hits):
        assert {hit.key: list(hit.refs) for hit in hits} == {"trap": TRAP, "broken": BROKEN}


def test_what_an_agent_reads_names_the_lines(store, repo, run_cli):
    answers = {
        name: call_one(repo, name, **given).text
        for name, given in (
            ("memory_search", {"query": "gateway"}),
            ("memory_get", {"key": "trap"}),
            ("context", {}),
            ("facts_status", {}),
        )
    }
    answers["facts_status list"] = call_one(repo, "facts_status", status=["failed"]).text
    # The hook first: it does not repeat what the start of its session showed.
    answers["hook"] = on_event.tool_used(store, edited(repo, "src/gateway/retry.py"))
    answers["start"] = on_event.session_started(store, started())
    answers["context command"] = run_cli("context").out
    expected = {
        "memory_search": (TRAP[0], BROKEN[0]),
        "memory_get": (TRAP[0], TRAP[1]),
        "context": (TRAP[0], BROKEN[0]),
        "facts_status": (BROKEN[0],),
        "facts_status list": (BROKEN[0],),
        "start": (TRAP[0], BROKEN[0]),
        "hook": (TRAP[0],),
        "context command": (TRAP[0], BROKEN[0]),
    }

    missing = {name: ref for name, refs in expected.items() for ref in refs if ref not in answers[name]}

    assert missing == {}


def test_edit_hook_names_a_fact_only_for_the_file_that_its_check_reads_first(memory, repo):
    check = {"contains": "RETRIES", "in": "src/gateway/retry.py", "or-in": "**"}
    commit_files(repo, {"src/other.py": "x = 1\n"})
    put(repo, make_fact("follows", check, title="RETRIES is set"))

    shown = {path: on_event.tool_used(memory, edited(repo, path)) for path in ("src/other.py", "src/gateway/retry.py")}

    assert shown["src/other.py"] == ""
    assert f"fact {id_of('follows')} reads" in shown["src/gateway/retry.py"]
