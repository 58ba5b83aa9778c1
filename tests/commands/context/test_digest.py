"""The digest: warnings first and counted, relevance by B5's weights, and never over the budget."""

from __future__ import annotations

import json
import re

import pytest
from conftest import NOW, commit_files, put_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.digests import days_ago, keys, old, sections, texts
from support.facts import DAY, Clock, approve_all, make_fact, make_memory, put, verify

from gitmem.commands.context.digest import LATEST
from gitmem.commands.context.relevance import NEWEST
from gitmem.commands.context.sections import FRAME_TOKENS
from gitmem.document.times import format_time
from gitmem.memory import Memory
from gitmem.text.budget import count_tokens

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}
NONE = {"exists": "nothing"}
# The same as a command, which is not answered before it is shown.
GREP = "grep -rq RS256 src/auth"


# --- warnings ------------------------------------------------------------------------------------------------------


@pytest.fixture
def warned(memory, repo):
    """A store with one of each warning, and a clock that has made one fact stale."""
    put(
        repo,
        make_fact("z-failed", NONE, title="It failed"),
        make_fact("a-stale", GREP, title="It was so", ttl="2d"),
        make_fact("m-suspect", RS256, title="It rests on it", requires=["z-failed"], ttl="never"),
        make_memory("b-rests", "So does this", requires=["m-suspect"]),
        make_fact("fine", {"exists": "README.md"}, title="It is fine", ttl="never"),
    )
    with Memory(repo, clock=Clock()) as opened:
        approve_all(opened)
        verify(opened)
    with Memory(repo, clock=Clock(NOW + 3 * DAY)) as later:
        yield later


def test_warnings_come_first_failed_suspect_stale_with_what_each_is_about(warned):
    first = warned.context(paths=(), budget_tokens=0).document["sections"][0]

    assert first["name"] == "WARNINGS"
    assert [(item["key"], item["status"], item["text"]) for item in first["items"]] == [
        ("z-failed", "failed", "It failed — nothing does not exist"),
        ("b-rests", "suspect", "So does this — rests on m-suspect → z-failed, which failed"),
        ("m-suspect", "suspect", "It rests on it — rests on z-failed, which failed"),
        ("a-stale", "stale", "It was so — its time to live has passed; verified 3d ago"),
    ]
    assert (first["total"], first["more"]) == (4, 0)


def test_suspect_is_shown_with_its_references(memory, repo):
    put(
        repo,
        make_fact("failed", NONE),
        make_memory("rests", "It rests on it", requires=["failed"], refs=["src/auth/jwt.py:1"]),
        make_fact("stale", RS256, requires=["failed"], refs=["README.md"]),
    )
    verify(memory)
    commit_files(repo, {"src/auth/jwt.py": "RS256, otherwise\n"})

    found = {item["key"]: (item["status"], item["refs"]) for item in sections(memory)["WARNINGS"]["items"]}

    assert found["rests"] == ("suspect", ["src/auth/jwt.py:1"])
    assert found["stale"] == ("suspect", ["README.md"])


def test_memory_with_a_warning_is_in_no_other_section(warned):
    found = sections(warned)

    assert (keys(found["RELEVANT FACTS"]), keys(found["RECENT WORK"])) == ([], ["fine"])


def test_fact_whose_inputs_changed_is_a_warning_until_it_is_run_again(memory, repo):
    put(repo, make_fact("a", GREP, paths=["src/auth/*.py"]), make_fact("cheap", RS256))
    approve_all(memory)
    verify(memory)
    commit_files(repo, {"src/auth/jwt.py": "RS256, otherwise\n"})
    before = sections(memory)["WARNINGS"]

    verify(memory)

    assert [(item["status"], item["text"].split(";")[0]) for item in before["items"]] == [
        ("stale", "Fact a — src/auth/*.py has changed")
    ]
    assert keys(sections(memory)["WARNINGS"]) == []


def test_all_warnings_are_counted_and_the_most_important_shown(memory, repo):
    put(
        repo,
        *(make_fact(f"f{n:03}", {"exists": f"none{n}"}, title=f"Claim number {n} about this code") for n in range(120)),
        make_memory("suspect", "Rests on one", requires=["f000"]),
    )
    verify(memory)

    found = sections(memory, budget=600)["WARNINGS"]

    shown = len(found["items"])
    assert found["total"] == 121
    assert (shown > 3, found["more"]) == (True, 121 - shown)
    assert keys(found) == [f"f{n:03}" for n in range(shown)]
    assert found["rest"] == "gitmem list --status failed,suspect,blocked,stale"


def test_one_warning_is_shown_however_small_the_budget(memory, repo):
    put(repo, make_fact("a", NONE), make_fact("b", NONE))
    verify(memory)

    found = sections(memory, budget=1)

    assert keys(found["WARNINGS"]) == ["a"]
    assert found["WARNINGS"]["more"] == 1


def test_lines_about_the_store_are_shown_beside_any_number_of_warnings(memory, repo):
    put(repo, *(make_fact(f"f{n:03}", NONE) for n in range(100)), make_fact("waits", "make"))
    put_files(repo, {"facts/broken.md": "no frontmatter"})
    verify(memory)

    found = sections(memory, budget=500)["WARNINGS"]

    assert "1 command waits for approval: gitmem trust --review" in texts(found)
    assert "1 file of the store cannot be read: gitmem doctor" in texts(found)
    assert found["total"] == 102
    assert (found["more"], [item["number"] for item in found["items"]]) == (0, [100, 1, 1])


def test_facts_that_fail_for_one_reason_are_one_warning(memory, repo):
    put(
        repo,
        *(make_fact(f"f{n}", NONE) for n in range(9)),
        *(make_fact(f"s{n}", RS256, requires=["f1"]) for n in range(4)),
    )
    verify(memory)

    each = " (each: gitmem status --each)"
    assert texts(sections(memory)["WARNINGS"]) == [
        f"9 facts failed — nothing does not exist: f0, f1, f2, f3, f4, f5, f6, f7, f8{each}",
        f"4 memories that rest on them: s0, s1, s2, s3{each}",
    ]


def test_suspect_that_left_search_is_not_a_warning(memory, repo):
    put(repo, make_fact("f", NONE), old("gone", kind="session", requires=["f"]), old("here", requires=["f"]))
    verify(memory)

    assert keys(sections(memory)["WARNINGS"]) == ["f", "here"]


def test_failing_gate_of_an_open_task_is_not_a_warning(memory, repo):
    put(repo, make_fact("t", NONE, kind="task"))
    verify(memory, "t")

    assert keys(sections(memory)["WARNINGS"]) == []


def test_store_that_was_never_verified_says_so(memory, repo):
    put(repo, make_fact("a", RS256))

    assert "no fact has been verified yet: gitmem verify" in texts(sections(memory)["WARNINGS"])


def test_job_that_could_judge_nothing_is_not_when_the_store_was_verified(memory, repo, run_cli):
    put(repo, make_fact("a", "test -f README.md && true"))
    run_cli("verify")

    found = json.loads(run_cli("context", "--json").out)

    assert "no fact has been verified yet: gitmem verify" in texts(sections(memory)["WARNINGS"])
    assert found["verified"] is None


# --- what there is to tell ------------------------------------------------------------------------------------------


def test_unproven_fact_is_shown_as_such(memory, repo):
    put(repo, make_fact("a", "make", created=days_ago(50)))

    assert [(i["key"], i["status"]) for i in sections(memory)["RECENT WORK"]["items"]] == [("a", "unproven")]


@pytest.mark.parametrize("gone", ["expired", "archived", "superseded"])
def test_memory_that_left_search_is_not_in_the_digest(memory, repo, gone):
    put(
        repo,
        old("gone", kind="note", days=31) if gone == "expired" else old("gone", days=1),
        make_memory("new", "The new one", kind="learned", created=days_ago(1)),
    )
    if gone == "archived":
        memory.forget("gone")
    if gone == "superseded":
        memory.supersede("gone", "new")

    found = sections(memory)

    assert [keys(section) for section in found.values()].count(["new"]) == 1
    assert not any("gone" in keys(section) for section in found.values())
    assert sum(section["total"] for section in found.values()) == 1


# --- recent work ---------------------------------------------------------------------------------------------------


def test_recent_work_is_of_the_last_seven_days_the_newest_first(memory, repo):
    kinds = {"kind": "outcome"}
    put(repo, *(make_memory(f"d{n}", f"Done {n}", created=days_ago(n), **kinds) for n in (1, 3, 6, 8)))

    found = sections(memory)["RECENT WORK"]

    assert keys(found) == ["d1", "d3", "d6"]
    assert texts(found)[0] == "Done 1 (1d ago)"


def test_recent_memory_without_a_time_has_no_age(memory, repo):
    path, text = next(iter(make_memory("odd", "Without a time", kind="outcome", created=days_ago(1)).items()))
    put(repo, {path: re.sub(r"(?m)^created: .*\n", "", text)})

    assert texts(sections(memory)["RECENT WORK"]) == ["Without a time"]


def test_memory_that_is_relevant_is_not_shown_again_as_recent(memory, repo):
    put(repo, make_memory("new", "New and relevant", created=days_ago(1), paths=["src/**"]))

    found = sections(memory, paths=["src"])

    assert (keys(found["RELEVANT FACTS"]), keys(found["RECENT WORK"])) == (["new"], [])


# --- the budget ----------------------------------------------------------------------------------------------------

WORDS = st.text(st.sampled_from(list("abc déx 猫\u202e\n`|[")), max_size=1200)
SOME = st.lists(st.tuples(st.sampled_from(["failed", "suspect", "fine", "plain", "recent"]), WORDS, WORDS), max_size=25)


def files_of(some, now: int) -> dict:
    made = make_fact("cause", NONE)
    for n, (what, words, body) in enumerate(some):
        key, title = f"k{n:02}-{'long-' * (n % 5)}end", words or "t"
        if what in ("failed", "fine"):
            made |= make_fact(key, NONE if what == "failed" else {"exists": "README.md"}, title=title, body=body)
        elif what == "suspect":
            made |= make_memory(key, title, body, requires=["cause"])
        else:
            kind = "outcome" if what == "recent" else "gotcha"
            made |= make_memory(key, title, body, kind=kind, created=format_time(now - DAY))
    return made


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SOME)
def test_digest_as_it_is_printed_never_exceeds_the_budget(repo, memory, run_cli, some):
    budgets = (0, 300, 700, 1500)
    with Memory(repo) as opened:
        put_files(repo, files_of(some, opened.repository.now))
        verify(opened, everything=True)
        digests = [opened.context(paths=(), budget_tokens=budget).document for budget in budgets]

    for budget, found in zip(budgets, digests, strict=True):
        assert_fits(found, budget, run_cli("context", *(("--budget", str(budget)) if budget else ())).out)


def assert_fits(found, budget, printed):
    is_one_warning = len(found["sections"][0]["items"]) == 1 and not any(s["items"] for s in found["sections"][1:])
    assert found["tokens"] <= (budget or 4000) or is_one_warning
    assert count_tokens(printed) <= found["tokens"]
    for section in found["sections"]:
        assert section["more"] == section["total"] - sum(item["number"] for item in section["items"]) >= 0
    assert found["more"] == sum(section["more"] for section in found["sections"])


def test_larger_budget_shows_all_that_a_smaller_one_did(memory, repo):
    put(repo, *(old(f"m{n}", days=n, title=f"What was learnt on day {n}", paths=["src/**"]) for n in range(60)))

    small, large = (keys(sections(memory, paths=["src"], budget=most)["RELEVANT FACTS"]) for most in (500, 1500))

    assert 0 < len(small) < len(large)
    assert large[: len(small)] == small


def test_digest_is_cut_from_the_bottom(memory, repo):
    put(
        repo,
        *(old(f"m{n}", days=20, title=f"What was learnt, number {n}", paths=["src/**"]) for n in range(10)),
        *(make_memory(f"r{n:02}", "Done", kind="outcome", created=days_ago(1)) for n in range(40)),
    )

    found = sections(memory, paths=["src"], budget=600)

    assert (found["RELEVANT FACTS"]["more"], found["RECENT WORK"]["more"] > 10) == (0, True)


def test_recent_work_is_the_newest_few_and_the_others_are_counted(memory, repo):
    put(repo, *(make_memory(f"r{n:02}", "Done", kind="outcome", created=days_ago(1)) for n in range(60)))

    found = sections(memory)["RECENT WORK"]

    assert (len(found["items"]), found["more"]) == (LATEST, 60 - LATEST)


def test_memories_that_are_too_many_to_look_at_are_counted_all_the_same(memory, repo):
    put(
        repo,
        *(old(f"m{n}", paths=["src/**"]) for n in range(NEWEST + 50)),
        *(make_memory(f"r{n}", "Done", kind="outcome", created=days_ago(1)) for n in range(LATEST + 30)),
    )

    found = sections(memory, paths=["src"], budget=600)

    assert (found["RELEVANT FACTS"]["total"], found["RECENT WORK"]["total"]) == (NEWEST + 50, LATEST + 30)


def test_the_newest_few_are_shown_whatever_their_age(memory, repo):
    put(repo, *(old(f"m{n}", days=100 + n) for n in range(9)))

    found = sections(memory)["RECENT WORK"]

    assert (keys(found), found["more"]) == (["m0", "m1", "m2", "m3", "m4"], 0)


def test_budget_is_that_of_the_policy_where_none_is_asked_for(memory, repo):
    put(repo, *(old(f"m{n}", title=f"What was learnt, number {n}", paths=["src/**"]) for n in range(60)))
    put_files(repo, {"gitmem.toml": "[context]\nbudget_tokens = 400\n"})

    with Memory(repo, clock=lambda: float(NOW)) as opened:
        assert opened.context(paths=["src"], budget_tokens=0).document["tokens"] <= 400
        assert opened.context(paths=["src"], budget_tokens=900).document["tokens"] > 400


def test_digest_of_an_empty_store_is_empty(memory):
    found = memory.context(paths=(), budget_tokens=0).document

    assert [section["total"] for section in found["sections"]] == [0, 0, 0, 0]
    assert (found["tokens"], found["more"]) == (FRAME_TOKENS, 0)


def test_reading_the_digest_runs_no_command(memory, repo, tmp_path):
    marker = tmp_path / "it-ran"
    put(repo, make_fact("a", f"touch {marker}"))
    approve_all(memory)

    sections(memory)

    assert not marker.exists()
