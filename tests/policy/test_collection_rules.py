"""The rules of a memory's collection: which kinds it has, who may write to it, its scope and size."""

from __future__ import annotations

import pytest

from gitmem.errors import RefusedError, UsageError
from gitmem.policy import Policy, builtin, collection_rules, load

RULES = """
[collections.code-patterns]
writers = ["capture", "workflow"]
min_tokens = 5
max_tokens = 20
scope = "project"

[kinds.runbook]
collection = "runbooks"

[collections.runbooks]
readers = ["request"]
"""


def own() -> Policy:
    return load(RULES, file="gitmem.toml")


def test_kinds_of_a_collection_are_chosen_by_its_name() -> None:
    assert collection_rules.kinds_of(builtin(), ["discussions"], []) == ("decision", "discussion", "session")
    assert collection_rules.kinds_of(builtin(), ["jira-data", "code_patterns"], []) == ("jira", "code_pattern")
    assert collection_rules.kinds_of(builtin(), ["discussions"], ["decision", "gotcha"]) == ("decision",)
    assert collection_rules.kinds_of(own(), ["runbooks"], []) == ("runbook",)
    assert collection_rules.kind_for(builtin(), "discussions", "") == "discussion"
    assert collection_rules.kind_for(builtin(), "discussions", "decision") == "decision"
    for names, kinds in ((["nothing"], []), (["conventions"], ["gotcha"])):
        with pytest.raises(UsageError):
            collection_rules.kinds_of(builtin(), names, kinds)


def test_writers_scopes_and_sizes_are_enforced() -> None:
    collection_rules.refuse_writer(own(), "code_pattern", "workflow")
    collection_rules.refuse_size(own(), "code_pattern", lambda: 20)
    collection_rules.refuse_scope(own(), "convention", "universal")
    with pytest.raises(RefusedError, match="accepts no code_pattern from remember, only from workflow or capture"):
        collection_rules.refuse_writer(own(), "code_pattern", "remember")
    with pytest.raises(RefusedError, match="kept in the project scope"):
        collection_rules.refuse_scope(own(), "code_pattern", "domain")
    for tokens in (4, 21):
        with pytest.raises(RefusedError, match=f"has {tokens} tokens; one of the collection code-patterns has"):
            collection_rules.refuse_size(own(), "code_pattern", lambda tokens=tokens: tokens)
