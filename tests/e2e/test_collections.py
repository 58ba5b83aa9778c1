"""Collections in one repository: writers, readers, where they are kept, and the routing of prompts (C1, C13)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import put_files
from support.facts import Clock, make_memory, put
from support.ids import named
from support.sessions import prompt_event, started

from gitmem.agents import on_event
from gitmem.errors import RefusedError, UsageError
from gitmem.memory import Memory
from gitmem.plugins.workflow.pre_work import Work
from gitmem.plugins.workflow.step import WorkflowStep
from gitmem.recall.query import Query

RULES = """
[session]
prompt = true
gate = 0
coverage = 0

[recall.dense]
turn_floor = 0

[collections.discussions]
readers = ["start", "request"]

[collections.code-patterns]
readers = ["work", "prompt", "request"]
writers = ["capture", "workflow"]
prompt_words = ["how do"]
prompt_paths = true
scope = "project"

[collections.conventions]
readers = ["work", "prompt"]
prompt_words = ["best practice"]
scope = "universal"
"""
SHELF = {
    **make_memory("built", "Ledger tokens are signed by one helper", kind="code_pattern", refs=["src/auth/jwt.py:4"]),
    **make_memory("rule", "Ledger tokens carry no names", kind="convention"),
    **make_memory("chosen", "Ledger tokens use RS256 since the gateway has public keys", kind="decision"),
    **make_memory("trap", "Ledger tokens expire while the import runs"),
}


@pytest.fixture(scope="module")
def memory(template: Path, tmp_path_factory: pytest.TempPathFactory):
    top = tmp_path_factory.mktemp("collections")
    repo = Path(shutil.copytree(template, top / "service"))
    with pytest.MonkeyPatch.context() as patch, Memory(repo, clock=Clock()) as opened:
        patch.setenv("XDG_DATA_HOME", str(top / "data-home"))
        patch.setenv("XDG_STATE_HOME", str(top / "state-home"))
        opened.init(offline=True)
        put_files(repo, {"gitmem.toml": RULES})
        put(repo, SHELF)
        yield opened


def keys(found) -> set[str]:
    return {hit.key for hit in found.hits}


def shown(text: str) -> set[str]:
    return {key for key in ("built", "rule", "chosen", "trap") if named(key) in text}


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("the ledger tokens are broken", {"trap"}),
        ("how do ledger tokens get signed", {"trap", "built"}),
        ("ledger tokens in src/auth/jwt.py", {"built"}),
        ("best practice for ledger tokens", {"trap", "rule"}),
    ],
)
def test_prompt_is_routed_by_its_type(memory: Memory, prompt: str, found: set[str]) -> None:
    assert shown(on_event.answer_prompt(memory, prompt_event(prompt, session=prompt))) == found


def test_each_reader_gets_its_collections(memory: Memory) -> None:
    work = memory.workflow.pre_work(Work("ledger tokens", WorkflowStep()))
    architect = memory.workflow.pre_work(Work("ledger tokens", WorkflowStep(role="architect")))

    assert shown(on_event.session_started(memory, started("start"))) == {"chosen", "trap"}
    sections = memory.context().document["sections"]
    assert {item["key"] for section in sections for item in section["items"]} == {"chosen", "trap"}
    assert shown(work.text) == {"built", "rule", "trap"}
    assert shown(architect.text) == {"built", "rule", "trap", "chosen"}  # a role reads what its row names
    assert keys(memory.recall("ledger tokens")) == {"built", "chosen", "trap"}


def test_named_collection_is_read_by_everybody_who_names_it(memory: Memory) -> None:
    assert keys(memory.recall("ledger tokens", collections=["conventions"])) == {"rule"}
    assert keys(memory.list(collections=["discussions"])) == {"chosen"}
    assert keys(memory.list(Query(collections=("conventions", "code-patterns"), limit=9))) == {"rule", "built"}
    with pytest.raises(UsageError, match="unknown collection"):
        memory.recall("ledger", collections=["convention"])


def test_collection_decides_kind_writer_and_scope(memory: Memory) -> None:
    done = memory.remember("Retries need jitter in every service", collection="conventions")

    assert memory.show(done.key, scope="universal").document["kind"] == "convention"
    assert any("kept in the universal scope" in notice for notice in memory.notices)
    assert keys(memory.recall("retries jitter", collections=["conventions"])) == {done.key}
    at_home = memory.remember("Our ledger rounds half even", kind="convention", scope="project")
    assert memory.show(at_home.key).document["scope"] == "project"
    with pytest.raises(RefusedError, match="accepts no code_pattern from remember"):
        memory.remember("A helper", collection="code-patterns", refs=["src/auth/jwt.py:4"])
    step = WorkflowStep(role="dev")
    text = "One helper signs every token of the ledger. " * 8
    assert memory.workflow.post_work(text, step, refs=["src/auth/jwt.py:4"]).is_written


@pytest.mark.parametrize(
    "how",
    [
        {"text": "Tokens are signed in src/auth/jwt.py:4-5", "kind": "convention"},
        {"text": "Tokens are signed at one place", "kind": "convention", "refs": ["src/auth/jwt.py:4"]},
        {"text": "Tokens are signed at one place", "kind": "code_pattern", "scope": "universal"},
    ],
)
def test_code_of_the_project_is_refused_where_other_projects_read(memory: Memory, how: dict) -> None:
    with pytest.raises(RefusedError, match="read by other projects"):
        memory.remember(**how)


def test_promotion_does_not_carry_code_to_other_projects(memory: Memory) -> None:
    with pytest.raises(RefusedError, match="read by other projects"):
        memory.promote("built", to="universal")
