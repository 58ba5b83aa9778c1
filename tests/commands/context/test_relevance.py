"""What is relevant to the work at hand, by B5's weights."""

from __future__ import annotations

import json

import pytest
from conftest import commit_files, git, put_files
from hypothesis import given
from hypothesis import strategies as st
from support.digests import days_ago, keys, old, sections
from support.facts import Clock, make_memory, put

from gitmem.commands.context.relevance import NEWEST, nearness_to
from gitmem.memory import Memory
from gitmem.recall.work import path_overlap


def scores(memory, *paths) -> dict[str, float]:
    return {item["key"]: item["score"] for item in sections(memory, paths=paths)["RELEVANT FACTS"]["items"]}


def test_path_overlap_counts_three_times(memory, repo):
    here = {"near": ["src/auth/**"], "part": ["src/auth/old/a/**"], "half": ["src/gateway/**"], "far": ["docs/**"]}
    put(repo, *(old(key, kind="observation", days=2000, paths=paths) for key, paths in here.items()))

    # What shares only half of its folders with a place, or none, does not relate to it.
    assert scores(memory, "src/auth/jwt.py") == {"near": 3.0, "part": 2.0}


def test_memory_linked_to_what_is_worked_on_counts_five_times(memory, repo):
    put(
        repo,
        old("here", paths=["src/auth/jwt.py"], requires=["needed", "label"], produces=["made"], days=2000),
        old("needed", days=2000),
        old("produces", produces=["label"], days=2000),
        old("rests", requires=["here"], days=2000),
        old("rests-on-label", requires=["made"], days=2000),
        old("apart", days=2000),
    )

    assert {key: round(score, 2) for key, score in scores(memory, "src/auth/jwt.py").items()} == {
        "needed": 5.0, "produces": 5.0, "rests": 5.0, "rests-on-label": 5.0, "here": 3.0,
    }  # fmt: skip


def test_memory_linked_to_what_is_worked_on_is_found_behind_any_number_of_newer_ones(memory, repo):
    made = [make_memory(f"n{n}", f"New {n}", created=days_ago(0)) for n in range(NEWEST + 10)]
    links = {"anchor": {"paths": ["src/auth/**"], "requires": ["needed"]}, "rests": {"requires": ["anchor"]}}
    put(repo, *made, *(old(key, **links.get(key, {})) for key in ("anchor", "needed", "rests", "other")))

    relevant = sections(memory, paths=["src/auth/jwt.py"])["RELEVANT FACTS"]

    assert (keys(relevant), relevant["total"]) == (["needed", "rests", "anchor"], 3)


def test_memory_that_refers_to_lines_of_a_file_is_about_that_file(memory, repo):
    lines = {"a": {"refs": ["src/auth/jwt.py:3-5"]}, "b": {"refs": ["src/auth/key.py:1"]}, "c": {"requires": ["a"]}}
    put(repo, *(old(key, days=2000, **fields) for key, fields in lines.items()))

    found = sections(memory, paths=["src/auth/jwt.py"])["RELEVANT FACTS"]

    assert keys(found) == ["c", "a", "b"]
    assert [round(item["score"]) for item in found["items"]] == [5, 3, 2]


def test_recency_counts_once_and_halves_in_the_half_life_of_the_kind(memory, repo):
    days = {"now": 0, "fortnight": 14, "month": 28, "ancient": 2000}
    here = {"paths": ["src/auth/**"]}
    put(
        repo,
        *(old(key, days=age, kind="observation", **here) for key, age in days.items()),
        old("lasting", days=180, **here),
        old("rule", days=2000, kind="principle", **here),  # rules do not age
    )

    assert {key: score - 3.0 for key, score in scores(memory, "src/auth/jwt.py").items()} == {
        "now": 1.0, "rule": 1.0, "fortnight": 0.5, "lasting": 0.5, "month": 0.25, "ancient": 0.0,
    }  # fmt: skip


def test_points_are_those_of_the_policy(memory, repo):
    put_files(repo, {"gitmem.toml": "[recall.points]\npath = 0\ndependency = 7\n"})
    put(
        repo,
        old("near", kind="observation", days=2000, paths=["src/auth/**"]),
        old("linked", kind="observation", days=2000, requires=["near"]),
    )

    with Memory(repo, clock=Clock()) as opened:
        assert scores(opened, "src/auth/jwt.py") == {"linked": 7.0, "near": 0.0}


def test_link_moves_a_memory_before_a_path_and_what_nothing_relates_to_is_not_relevant(memory, repo):
    put(
        repo,
        old("linked", requires=["here"]),
        old("here", paths=["src/auth/jwt.py"]),
        old("new", days=0),
        old("old"),
    )

    assert list(scores(memory, "src/auth/jwt.py")) == ["linked", "here"]


def test_words_of_the_claimed_task_make_a_memory_relevant(memory, repo):
    put(
        repo,
        *(old(f"mail-{n}", f"Mail rule number {n} of the team", kind="convention", days=0) for n in range(3)),
        old("login", "Users log in with a password and a second factor", kind="gotcha"),
    )
    memory.tasks.add("Password and second factor for users", key="task")
    memory.tasks.claim("task")

    found = sections(memory)

    assert keys(found["RELEVANT FACTS"]) == ["login"]
    assert keys(found["RECENT WORK"]) == ["mail-0", "mail-1", "mail-2"]


def test_changed_file_of_the_work_tree_is_what_is_worked_on(memory, repo):
    put(repo, old("auth", paths=["src/auth/**"]), old("gateway", paths=["src/gateway/**"], days=99))
    before = list(scores(memory))

    (repo / "src/auth/jwt.py").write_text("changed\n", encoding="utf-8")

    assert (before, list(scores(memory))) == ([], ["auth"])


def test_files_of_the_branch_are_what_is_worked_on(memory, repo):
    put(repo, old("auth", paths=["src/auth/**"]), old("gateway", paths=["src/gateway/**"], days=99))
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"src/auth/jwt.py": "changed\n"})

    assert list(scores(memory)) == ["auth"]


def test_memory_about_the_path_is_found_behind_any_number_of_newer_ones(memory, repo):
    put(repo, old("about", paths=["src/auth/**"]), *(old(f"m{n}", days=1) for n in range(NEWEST + 20)))

    assert next(iter(scores(memory, "src/auth/jwt.py"))) == "about"


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c*", "d"]), max_size=4).map("/".join), max_size=4),
    st.lists(st.lists(st.sampled_from(["a", "b", "d"]), min_size=1, max_size=4).map("/".join), max_size=4),
)
def test_nearness_of_many_is_the_overlap_of_each(paths, working):
    assert min(1.0, nearness_to(working)(json.dumps(paths))) == pytest.approx(path_overlap(paths, working))


def test_more_specific_paths_come_first_however_old(memory, repo):
    paths = {"file": ["src/auth/jwt.py"], "folder": ["src/auth/**"], "all": ["src/**"]}
    put(repo, *(old(key, days=9 - 3 * n, paths=paths[key]) for n, key in enumerate(paths)))

    assert list(scores(memory, "src/auth/jwt.py")) == ["file", "folder", "all"]


def test_nearness_knows_lines_and_escapes():
    near = nearness_to(["src/a.py", 'q"x/b'])

    assert near(json.dumps(["src/a.py:3-9"])) >= 1.0
    assert near(json.dumps(['q"x/b'])) >= 1.0
    assert near("[]") == 0.0


def test_only_wanted_kinds_are_relevant(memory, repo):
    here = {"paths": ["src/auth/**"]}
    put(repo, old("new", days=1, **here), old("rule", days=900, kind="recipe", **here), old("apart", kind="recipe"))

    found = memory.context(["src/auth/jwt.py"], kinds=("recipe",)).document["sections"][2]

    assert keys(found) == ["rule"]
