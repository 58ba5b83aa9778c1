"""How the facts stand: counts that add up, causes that are named, and a page that is safe to show."""

from __future__ import annotations

import json
import re

import pytest
from conftest import NOW, commit_files, put_files
from hypothesis import given, settings
from hypothesis import strategies as st
from support.facts import Clock, make_fact, make_memory, put, statuses, verify

from gitmem.document.elsewhere import Foundation
from gitmem.document.parse import parse
from gitmem.index.catalog import Catalog, fact_state, state
from gitmem.index.catalog.inserts import Inserts, StoredMemory
from gitmem.index.refresh import empty_catalog
from gitmem.memory import Memory
from gitmem.model import FAILED, FAILS, HOLDS, STATUSES, SUSPECT
from gitmem.policy import builtin
from gitmem.statuses import DEPTH
from gitmem.store.local import LocalState
from gitmem.verify.overview.stock import (
    FACTS_NAMED,
    Stock,
    StockLine,
    describe_statuses,
    markdown,
    status_page,
    take_stock,
)

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}
NONE = {"exists": "nothing"}


def stock(memory) -> Stock:
    return take_stock(
        memory.repository.catalog(), memory.repository.ground(), memory.repository.local, now=memory.repository.now
    )


def test_failure_in_another_repository_counts_after_a_run(memory, repo):
    put(repo, make_fact("ours", {"exists": "README.md"}, requires=["billing:port"]))
    memory.repository.local.keep_elsewhere({"billing:port": Foundation("failed", "")})

    run = verify(memory)
    assert [(line.key, line.status) for line in run.standing.lines] == [("ours", SUSPECT)]
    assert describe_statuses(run.standing) == "1 suspect"


# --- suspects, through the catalog's own links ---------------------------------------------------------------------

KEYS = "abcdef"
LABELS = "xyz"
NEEDS = st.sets(st.sampled_from(KEYS + LABELS), max_size=3)
MEMORIES = st.dictionaries(
    st.sampled_from(KEYS),
    st.tuples(NEEDS, st.sets(st.sampled_from(LABELS), max_size=2), st.sampled_from(["", FAILS, HOLDS])),
)


def catalog_of(memories: dict[str, tuple[set, set, str]]) -> Catalog:
    """Return a catalog of facts ``key: (requires, produces, outcome)`` and one ground with their outcomes."""
    catalog = empty_catalog()
    with catalog.writing():
        inserts = Inserts(catalog)
        for key, (requires, produces, _) in memories.items():
            (text,) = make_fact(key, NONE, requires=sorted(requires), produces=sorted(produces)).values()
            inserts.add_memory(StoredMemory(parse(text, path=f"facts/{key}.md"), key, False), builtin())
        inserts.flush()
        ground = fact_state.open_ground(catalog, "code", 0, NOW)
        rows = dict(catalog.rows("SELECT key, id FROM memory"))
        catalog.connection.executemany(
            "INSERT INTO state (ground, fact, digest, outcome, at, fresh, own, weak, published)"
            " VALUES (?, ?, 'd', ?, ?, 1, 0, 0, 1)",
            [(ground, rows[key], outcome, NOW) for key, (_, _, outcome) in memories.items() if outcome],
        )
    return catalog


def expected_suspects(memories) -> set[str]:
    """Return who rests on a failed fact by at most three links, worked out by walking down from each."""
    failed = {key for key, (_, _, outcome) in memories.items() if outcome == FAILS}

    def rests(key, left):
        if left == 0 or key not in memories:
            return False
        needs = memories[key][0]
        below = {k for k in memories if k != key and (k in needs or needs & memories[k][1])}
        return bool(below & failed) or any(rests(k, left - 1) for k in below)

    return {key for key in memories if key not in failed and rests(key, DEPTH)}


@given(MEMORIES)
def test_suspects_are_those_that_rest_on_a_failure_by_key_or_label_within_three_links(memories):
    catalog = catalog_of(memories)

    chains = state.suspects(catalog, 1)

    assert set(chains) == expected_suspects(memories)
    assert all(memories[chain[-1]][2] == FAILS for chain in chains.values())
    catalog.close()


@settings(max_examples=15)
@given(MEMORIES, st.sampled_from(KEYS))
def test_mending_a_failure_is_as_if_it_had_never_been(memories, key):
    if key not in memories:
        return
    mended = memories | {key: (*memories[key][:2], HOLDS)}
    catalog, from_the_start = catalog_of(memories | {key: (*memories[key][:2], FAILS)}), catalog_of(mended)

    with catalog.writing():
        catalog.connection.execute(
            "UPDATE state SET outcome = 'holds' WHERE fact = (SELECT id FROM memory WHERE key = ?)", (key,)
        )

    assert state.suspects(catalog, 1) == state.suspects(from_the_start, 1)
    catalog.close()
    from_the_start.close()


@settings(max_examples=15)
@given(MEMORIES)
def test_every_memory_is_counted_once(tmp_path_factory, memories):
    catalog = catalog_of(memories)
    local = LocalState(tmp_path_factory.mktemp("state"))

    found = take_stock(catalog, 1, local, now=NOW)

    assert sum(found.statuses.values()) == len(memories)
    assert found.statuses[SUSPECT] == len(expected_suspects(memories))
    assert found.statuses[FAILED] == sum(outcome == FAILS for _, _, outcome in memories.values())
    assert min(found.statuses.values()) >= 0
    catalog.close()


# --- in a repository -----------------------------------------------------------------------------------------------


def test_suspicion_reaches_three_links_with_its_chain_and_goes_when_the_cause_holds_again(memory, repo):
    put(
        repo,
        make_fact("a", RS256, produces=["signing"]),
        make_memory("b", "Rests on the label", requires=["signing"]),
        make_fact("c", {"exists": "README.md"}, requires=["b"]),
        make_memory("d", "Three links away", requires=["c"]),
        make_memory("e", "Four links away", requires=["d"]),
    )
    verify(memory)
    before = statuses(memory)
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    verify(memory)

    broken = statuses(memory)
    chains = {line.key: line.chain for line in stock(memory).lines if line.status == SUSPECT}
    commit_files(repo, {"src/auth/jwt.py": "RS256\n"})
    verify(memory)

    assert before == {"a": "verified", "b": "", "c": "verified", "d": "", "e": ""}
    assert broken == {"a": "failed", "b": "suspect", "c": "suspect", "d": "suspect", "e": ""}
    assert chains == {"b": ("a",), "c": ("b", "a"), "d": ("c", "b", "a")}
    assert statuses(memory) == before


def test_facts_that_require_each_other_are_reported_once_each(memory, repo):
    put(
        repo,
        make_fact("a", NONE, requires=["c"]),
        make_fact("b", RS256, requires=["a"]),
        make_fact("c", RS256, requires=["b"]),
    )

    verify(memory)

    assert statuses(memory) == {"a": "failed", "b": "suspect", "c": "suspect"}


def test_retiring_the_cause_clears_its_suspects(memory, repo):
    put(repo, make_fact("a", NONE), make_memory("b", "Rests on it", requires=["a"]))
    verify(memory)
    suspected = statuses(memory)

    memory.forget("a")

    assert (suspected["b"], statuses(memory)) == ("suspect", {"b": ""})


def test_superseding_the_cause_clears_its_suspects(memory, repo):
    put(repo, make_fact("a", NONE), make_memory("b", "Rests on it", requires=["a"]), make_memory("n", "The new one"))
    verify(memory)

    memory.supersede("a", "n")

    assert statuses(memory) == {"b": "", "n": ""}


def test_label_that_another_fact_produces_too_is_suspect_still(memory, repo):
    put(
        repo,
        make_fact("a", NONE, produces=["label"]),
        make_fact("b", RS256, produces=["label"]),
        make_memory("c", "Rests on the label", requires=["label"]),
    )

    verify(memory)

    assert statuses(memory)["c"] == "suspect"


def test_statuses_of_all_kinds_are_reported_at_once(repo, memory):
    clock = Clock(NOW - 1000)
    put(
        repo,
        make_fact("failed", NONE),
        make_fact("suspect", RS256, requires=["failed"]),
        make_fact("stale", RS256, ttl="90s"),
        make_fact("stale-suspect", RS256, ttl="90s", requires=["failed"]),
        make_fact("failed-suspect", NONE, requires=["failed"]),
        make_fact("unproven-suspect", "make", requires=["failed"]),
        make_fact("verified", RS256),
        make_fact("unproven", "make"),
        make_memory("none", "No check"),
    )
    with Memory(repo, clock=clock) as opened:
        verify(opened)
        clock.now = NOW

        found, shown = stock(opened), statuses(opened)

    assert shown == {key: "" if key == "none" else key.rsplit("-", 1)[-1] for key in shown} | {
        "failed-suspect": "failed"
    }
    assert found.statuses == {"failed": 2, "suspect": 3, "blocked": 0, "unproven": 1, "stale": 1, "verified": 1}
    assert list(found.statuses) == list(STATUSES)
    assert found.kinds == {"fact": 8, "gotcha": 1}


def test_failure_is_reported_with_its_reason_its_author_and_where_it_held_last(memory, repo):
    put(repo, make_fact("a", RS256, title="It signs", by={"who": "Ana", "agent": "dev"}))
    verify(memory)
    good = memory.repository.session().commit
    broke = commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    verify(memory)

    because = "no file of src/auth/*.py contains 'RS256'"
    assert stock(memory).lines == (
        StockLine("a", "It signs", FAILED, because, "Ana / dev", good, culprit=broke, path="facts/a.md"),
    )


def test_reason_of_a_failure_is_that_of_the_verdict_that_counts(memory, repo):
    """A verdict of a former specification that failed otherwise lies beside it until it is written over."""
    put(repo, make_fact("a", {"exists": "former"}))
    verify(memory)
    put(repo, make_fact("a", {"exists": "latter"}))
    former = memory.repository.catalog().row("SELECT because FROM verdict")[0]
    run = verify(memory)

    assert former == "former does not exist"
    assert [line.because for line in run.standing.lines] == ["latter does not exist"]


@pytest.mark.parametrize(
    ("by", "expected"), [("Ana", "Ana"), ({"who": "Ana"}, "Ana"), ({"agent": "dev"}, "dev"), ({}, "")]
)
def test_author_is_described_in_every_form_of_the_field(memory, repo, by, expected):
    put(repo, make_fact("a", NONE, by=by))

    verify(memory)

    assert stock(memory).lines[0].by == expected


# --- the page ------------------------------------------------------------------------------------------------------


def standing(*lines: StockLine, **statuses: int) -> Stock:
    return Stock({"fact": 1}, dict.fromkeys(STATUSES, 0) | statuses, lines)


def test_page_names_two_hundred_and_counts_the_rest():
    lines = [StockLine(f"k{n}", "T", FAILED, "", "") for n in range(FACTS_NAMED + 7)]

    page = status_page(standing(*lines, failed=FACTS_NAMED + 7), {})

    assert page.count("- **k") == FACTS_NAMED
    assert "- … and 7 more: `gitmem list --status failed`" in page
    assert f"| failed | {FACTS_NAMED + 7} |" in page


def test_page_of_nothing_says_so():
    page = status_page(Stock({}, dict.fromkeys(STATUSES, 0), ()), {})

    assert "| no facts yet | 0 |" in page
    assert "0 memories: none." in page


HOSTILE = st.text(st.sampled_from(list("ab \n\t\r*_`[]()<>#|!&-+~\\:/@\x1b\u202e\u200b\u2028")), max_size=30)


@given(HOSTILE)
def test_nothing_of_a_memory_is_alive_on_the_page(text):
    shown = markdown(text)

    assert shown.isprintable()
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>#|!]", shown)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_each_memory_is_one_line_of_the_page_whatever_it_says(title, because, by):
    line = StockLine("key", title, FAILED, because, by)

    page = status_page(standing(line, failed=1), {})

    assert [text for text in page.split("\n") if text.startswith("- ")] == [
        text for text in page.splitlines() if text.startswith("- **key**")
    ]
    assert len(page.split("\n")) == len(
        status_page(standing(StockLine("key", "T", FAILED, "", ""), failed=1), {}).split("\n")
    )


def test_hostile_title_does_not_break_the_page_on_the_branch(memory, repo):
    title = "x](javascript:alert(1)) <script>alert(1)</script> | \u202e # ## `code`"
    put_files(repo, {"facts/a.md": f"---\ntitle: {json.dumps(title)}\nkind: fact\nverify: {{exists: nothing}}\n---\n"})

    page = status_page(verify(memory).standing, {})

    assert "<script>" not in page.replace("\\<script\\>", "")
    assert "\u202e" not in page


def test_statuses_are_counted_as_status_counts_them():
    standing = Stock({}, {"failed": 1, "suspect": 3, "verified": 5}, ())

    assert describe_statuses(standing) == "1 failed, 3 suspect, 5 verified"
    assert describe_statuses(Stock({}, {"suspect": 0}, ())) == ""
