"""A memory's rows: what the catalog knows of it, and what of it can only be one problem."""

from __future__ import annotations

import json

import pytest
from conftest import NOW, memory_text
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.meaning import meaning_of
from gitmem.document.parse import parse
from gitmem.document.spec import check_of, claim_hash
from gitmem.document.times import format_time
from gitmem.errors import FormatError
from gitmem.index.catalog.rows import Rows, inputs_of, rows_of
from gitmem.model import Document
from gitmem.policy import Policy
from gitmem.policy import load as load_policy

MEMORY = (
    *("kind", "title", "created", "updated", "importance", "confidence", "expires", "agent", "task", "superseded_by"),
    "meaning",
    "imported",
)
FACT = ("spec", "claim", "ttl_s", "form", "words", "inputs", "outside_s")
CREATED = format_time(NOW)
DAY_S = 86_400


def rows(text: str, policy: str = "") -> Rows:
    return rows_of(parse(text, path="facts/a-key.md"), load_policy(policy, file="gitmem.toml"))


def memory_row(**fields: object) -> dict[str, object]:
    return dict(zip(MEMORY, rows(memory_text(**fields)).memory, strict=True))


def fact_row(policy: str = "", **fields: object) -> dict[str, object]:
    fact = rows(memory_text(kind="fact", **fields), policy).fact
    assert fact is not None
    return dict(zip(FACT, fact, strict=True))


def test_a_plain_memory_has_defaults_and_no_fact() -> None:
    found = rows(memory_text("A title"))

    assert dict(zip(MEMORY, found.memory, strict=True)) == {
        "kind": "learned",
        "title": "A title",
        "created": 0,
        "updated": 0,
        "importance": "medium",
        "confidence": 1.0,
        "expires": None,
        "agent": "",
        "task": "",
        "superseded_by": "",
        "meaning": meaning_of(parse(memory_text("A title"), path="a.md")),
        "imported": 0,
    }
    assert (found.fact, found.tags, found.links) == (None, (), ())


def test_its_fields_are_taken_over() -> None:
    found = memory_row(
        created=CREATED, updated=format_time(NOW + 5), importance="high", confidence="0.5",
        by="{who: ana, agent: dev}", task="T-12", superseded_by="b",
    )  # fmt: skip

    assert (found["created"], found["updated"], found["importance"]) == (NOW, NOW + 5, "high")
    assert (found["confidence"], found["agent"], found["task"], found["superseded_by"]) == (0.5, "dev", "T-12", "b")


@each("by", ["ana", "{who: ana}", "{}"])
def test_an_author_without_an_agent_has_none(by: str) -> None:
    assert memory_row(by=by)["agent"] == ""


def test_what_was_never_changed_was_updated_when_it_was_made() -> None:
    assert memory_row(created=CREATED)["updated"] == NOW


@each("updated", ["yesterday", "[]", "{a: b}", "12", "''"])
def test_a_time_of_change_that_is_none_counts_as_the_making(updated: str) -> None:
    assert memory_row(created=CREATED, updated=updated)["updated"] == NOW


@each(
    ("fields", "expires"),
    [
        ({"kind": "session"}, NOW + 3 * DAY_S),
        ({"kind": "session", "ttl": "1d"}, NOW + DAY_S),
        ({"kind": "session", "ttl": "never"}, None),
        ({"kind": "learned"}, None),
        ({"kind": "learned", "ttl": "2w"}, NOW + 14 * DAY_S),
        ({"kind": "runbook"}, None),
        ({"kind": "fact", "verify": "grep x y", "ttl": "1d"}, None),
    ],
)
def test_a_memory_without_a_check_expires_by_its_own_or_its_kinds_time(
    fields: dict[str, str], expires: int | None
) -> None:
    assert memory_row(created=CREATED, **fields)["expires"] == expires


def test_a_memory_of_no_date_never_expires() -> None:
    assert memory_row(kind="session")["expires"] is None


def test_lists_are_searchable_and_stored_once() -> None:
    found = rows(memory_text(tags="[b, a, b]", domains="[d]", paths="['src/**']", refs="['a.py:3', 12]", body="text\n"))

    assert found.tags == ("b", "a")
    assert [json.loads(part) for part in found.text[:2]] == [["b", "a", "b", "d"], ["src/**", "a.py:3", "12"]]
    assert json.loads(found.text[3])["tags"] == ["b", "a", "b"]
    assert found.text[4] == "text\n"


def test_links_are_recognized_by_their_relation() -> None:
    found = rows(memory_text(requires="[a, b, a]", produces="c", supersedes="[d]"))

    assert found.links == (("requires", "a"), ("requires", "b"), ("produces", "c"), ("supersedes", "d"))


# Facts


@each(
    ("fields", "form", "words", "inputs"),
    [
        ({"verify": "grep -q x y"}, "shell", ["grep -q x y"], ["tree"]),
        ({"verify": "[grep, -q, x]"}, "program", ["grep", "-q", "x"], ["tree"]),
        ({"verify": "grep x", "paths": "[src/**, a]"}, "shell", ["grep x"], ["paths", "src/**", "a"]),
        ({"verify": "{contains: x, in: src/**}", "paths": "[a]"}, "builtin", ["contains", "x", "src/**"], ["builtin"]),
    ],
    ids=["shell", "program", "paths", "builtin"],
)
def test_a_fact_is_recognized_by_its_check_and_what_that_reads(
    fields: dict[str, str], form: str, words: list[str], inputs: list[str]
) -> None:
    found = fact_row(**fields)

    assert found["form"] == form
    assert json.loads(str(found["words"])) == words
    assert json.loads(str(found["inputs"])) == inputs


@each(
    ("fields", "policy", "ttl_s"),
    [
        ({}, "", 30 * DAY_S),
        ({"ttl": "2d"}, "", 2 * DAY_S),
        ({"ttl": "never"}, "", None),
        ({}, "[verify]\nttl = '5d'\n", 5 * DAY_S),
        ({}, "[kinds.fact]\nttl = '7d'\n", 7 * DAY_S),
    ],
    ids=["kind", "own", "never", "policy", "policy-of-kind"],
)
def test_a_verdict_counts_for_the_facts_own_or_its_kinds_time(
    fields: dict[str, str], policy: str, ttl_s: int | None
) -> None:
    assert fact_row(policy, verify="grep x y", **fields)["ttl_s"] == ttl_s


@each(
    ("fields", "policy", "ttl_s", "outside_s"),
    [
        ({}, "", 30 * DAY_S, DAY_S),
        ({"outside": "true"}, "", DAY_S, DAY_S),
        ({"outside": "true", "ttl": "2d"}, "", 2 * DAY_S, 2 * DAY_S),
        ({}, "[verify]\noutside_ttl = '2d'\nttl = '1d'\n", DAY_S, DAY_S),
        ({"outside": "true"}, "[verify]\noutside_ttl = '2d'\n", 2 * DAY_S, 2 * DAY_S),
    ],
    ids=["seen", "declared", "own", "shorter-anyway", "policy"],
)
def test_verdict_about_the_world_counts_for_a_day_or_the_facts_own_time(
    fields: dict[str, str], policy: str, ttl_s: int, outside_s: int
) -> None:
    found = fact_row(policy, verify="grep x y", **fields)

    assert (found["ttl_s"], found["outside_s"]) == (ttl_s, outside_s)


def test_a_memory_of_any_kind_with_a_check_is_a_fact() -> None:
    found = rows(memory_text(kind="gotcha", verify="grep x y"))

    assert found.fact is not None
    assert found.fact[2] == Policy.from_dict({}).verify.ttl_s


def test_the_policys_setup_is_part_of_every_specification() -> None:
    plain = fact_row(verify="make test")
    with_setup = fact_row("[verify]\nsetup = 'make deps'\n", verify="make test")

    assert plain["spec"] != with_setup["spec"]
    assert plain["claim"] == with_setup["claim"]


def test_a_claim_is_its_title_and_body() -> None:
    document = parse(memory_text("A title", kind="fact", verify="x", body="why\n"), path="facts/a-key.md")

    assert fact_row(verify="x")["claim"] != claim_hash(document)
    assert rows(document.text).fact[1] == claim_hash(document)  # type: ignore[index]


@given(st.lists(st.text(max_size=5), max_size=3))
def test_declared_inputs_are_never_empty(paths: list[str]) -> None:
    document = Document("a", "facts/a.md", {"verify": "x", "paths": paths}, "", "")
    check = check_of(document)
    assert check is not None

    found = inputs_of(document, check)

    assert found == (["paths", *paths] if paths else ["tree"])


def test_a_memory_for_a_newer_version_is_shown_and_never_checked() -> None:
    assert rows(memory_text(schema="2", kind="fact", verify="grep x y")).fact is None


def test_values_beyond_json_are_kept_as_text() -> None:
    fields = {"title": "t", "odd": {"a": {1, 2}.__class__}}

    found = rows_of(Document("a", "facts/a.md", fields, "", ""), Policy.from_dict({}))

    assert "set" in json.loads(found.text[3])["odd"]["a"]


@each("field", ["ttl: soon", "timeout: 0s", "confidence: 7", "kind: '../x'", "verify: []"])
def test_a_field_that_cannot_be_used_is_one_problem(field: str) -> None:
    with pytest.raises(FormatError):
        rows(f"---\ntitle: t\n{field}\n---\n")


@each(("field", "counts"), [("confidence: ", 1.0), ("confidence: 0", 0.0), ("confidence: 0.0", 0.0)])
def test_confidence_without_a_value_counts_as_absent_and_zero_is_zero(field: str, counts: float) -> None:
    name, value = field.split(": ")

    assert memory_row(**{name: value})["confidence"] == counts


TASK = ("state", "priority", "parent", "who", "agent", "since", "closed", "attempts", "failures", "notes")


def task_row(**fields: object) -> dict[str, object]:
    return dict(zip(TASK, rows(memory_text(kind="task", **fields)).task or (), strict=True))


def test_task_has_a_row_with_defaults_and_no_other_kind_has_one() -> None:
    assert task_row() == dict(zip(TASK, ("open", 2, "", "", "", 0, 0, 0, 0, ""), strict=True))
    assert rows(memory_text(kind="gotcha", state="open")).task is None


def test_task_row_says_who_holds_it_and_what_was_said_of_its_attempts() -> None:
    ended = "[{num: 1, outcome: failed, notes: lost}, {num: 2, outcome: done, notes: won}]"

    held = task_row(state="claimed", priority=0, claimed=f"{{num: 3, who: ana, when: {CREATED}}}", attempts=ended)
    closed = task_row(state="closed", parent="p", claimed="{num: 9, who: ben}", closed="{reason: lost}", attempts=ended)

    assert held == dict(zip(TASK, ("claimed", 0, "", "ana", "", NOW, 0, 2, 1, "lost\nwon"), strict=True))
    assert closed == dict(zip(TASK, ("closed", 2, "p", "", "", 0, 0, 2, 1, "lost\nwon"), strict=True))


def test_task_leaves_search_only_when_it_is_closed_and_its_kind_or_itself_says_when() -> None:
    policy = "[kinds.task]\nttl = '7d'\nexpires = true\n"

    def expires(state: str, policy: str = "", **fields: object) -> object:
        text = memory_text(kind="task", state=state, closed=f"{{when: {CREATED}}}", created=CREATED, **fields)
        return rows(text, policy).memory[MEMORY.index("expires")]

    assert (expires("closed"), expires("open", policy)) == (None, None)
    assert expires("closed", policy, verify="{exists: x}") == NOW + 7 * DAY_S
    assert expires("closed", ttl="1d") == NOW + DAY_S


@each(
    ("field", "word"),
    [
        ("sentence: 7d3f7aa7918a0392", ""),
        ("commit: 4f1d0a7c9b2e8d6f5a3c1b0e9d8f7a6b5c4d3e2f", ""),
        ("build: deadbeef", "deadbeef"),
        ("order: '4012888888881881'", "4012888888881881"),
        ("owner: payments", "payments"),
        ("why: [7d3f7aa7918a0392, a reason]", "a reason"),
    ],
)
def test_hashes_in_unknown_fields_are_not_searched(field: str, word: str) -> None:
    name, _, value = field.partition(": ")

    assert rows(memory_text("A title", **{name: value})).text[-1] == word
