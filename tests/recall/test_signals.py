"""Each factor moves the right memory, through a real store, and stands still where it is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import NOW, git, put_files
from support.each import each
from support.facts import DAY, Clock, make_fact, make_memory, put, verify

from gitmem.config import Config
from gitmem.document.times import format_time
from gitmem.memory import Memory
from gitmem.model import FACTORS
from gitmem.policy import builtin
from gitmem.policy.kinds import KINDS
from gitmem.recall.query import Query
from gitmem.recall.scoring import RANKING, RecallRun, ranking_of
from gitmem.recall.work import neighbours

if TYPE_CHECKING:
    from pathlib import Path

OLD = format_time(NOW - 300 * DAY)
# Of two memories the first fits the words a little better.
FIRST, SECOND = "It drops idle connections.", "It drops idle connections, it seems, as nobody knows."


def pair(one: dict | None = None, two: dict | None = None) -> list[dict]:
    """Return the files of `one`, which fits the words better, and of `two`, which the rest speaks for."""
    made = {"one": (FIRST, one or {}), "two": (SECOND, two or {})}
    return [make_memory(key, "The gateway", body, **{"created": OLD, **fields}) for key, (body, fields) in made.items()]


def facts() -> list[dict]:
    """Return a fact that fails, and one that holds."""
    checks = {"one": (FIRST, "nope"), "two": (SECOND, "README.md")}
    return [make_fact(k, {"exists": path}, title="The gateway", body=body) for k, (body, path) in checks.items()]


LINKS = [make_memory("anchor", "About tokens", paths=["src/auth/jwt.py"], requires=["label"], created=OLD)]
# Factor: files, and what is asked for besides the question. What differs is named by the factor alone.
CASES: dict[str, tuple[list[dict], dict]] = {
    "recency": (pair({}, {"created": format_time(NOW)}), {}),
    "access": (pair(), {}),
    "status": (facts(), {}),
    "importance": (pair({}, {"importance": "critical"}), {}),
    "confidence": (pair({"confidence": 0.1}, {}), {}),
    "path": (pair({"paths": ["docs/**"]}, {"paths": ["src/auth/**"]}), {"near": ("src/auth/jwt.py",)}),
    "dependency": ([*pair({"requires": ["x"]}, {"produces": ["label"]}), *LINKS], {"near": ("src/auth/jwt.py",)}),
    "workspace": (pair({"workspace": "docs"}, {"workspace": "src/auth"}), {}),
    "provenance": (pair({"by": {"who": "Ana", "agent": "codex"}}, {"by": {"who": "Ana"}}), {}),
}


def order(repo: Path, **asked) -> tuple[list[str], dict[str, float]]:
    """Return the keys that are found, seen from `src/auth`, and the factors of the second memory."""
    with Memory(repo / "src" / "auth", clock=Clock()) as memory:
        hits = memory.recall(Query(text="gateway drops idle connections", **asked)).hits
    return [hit.key for hit in hits], next(dict(hit.factors) for hit in hits if hit.key == "two")


@pytest.mark.parametrize("factor", CASES)
def test_factor_moves_the_right_memory_until_it_is_switched_off(repo: Path, factor: str) -> None:
    files, asked = CASES[factor]
    put(repo, *files)
    with Memory(repo, clock=Clock()) as memory:
        verify(memory)
        for _ in range(5 * (factor == "access")):
            memory.show("two")

    moved, factors = order(repo, **asked)
    by_call, left = order(repo, without=(factor,), **asked)
    put_files(repo, {"gitmem.toml": f'[recall]\nwithout = ["{factor}"]\n'})
    by_policy, _ = order(repo, **asked)

    assert moved == ["two", "one"]
    assert by_call == by_policy == ["one", "two"]
    assert tuple(factors) == ("lexical", *FACTORS)
    assert tuple(left) == ("lexical", *(name for name in FACTORS if name != factor))


def test_scope_moves_the_right_memory_until_it_is_switched_off(memory: Memory) -> None:
    memory.remember(FIRST, title="The gateway", key="one", scope="private")
    memory.remember(f"{FIRST} Often.", title="The gateway", key="two")
    query = Query(text="gateway drops idle connections")

    near, far = (
        [hit.key for hit in memory.recall(asked).hits] for asked in (query, Query(query.text, without=("scope",)))
    )

    assert (near, far) == (["two", "one"], ["one", "two"])


def test_places_of_this_code_say_nothing_of_what_is_about_other_code(memory: Memory) -> None:
    fields = {"paths": ["src/auth/**"], "workspace": "src/auth"}
    memory.remember(FIRST, title="The gateway", key="one", **fields)
    memory.remember(FIRST, title="The gateway", key="two", scope="universal", **fields)

    hits = memory.recall(Query(text="gateway", near=("src/auth/jwt.py",), here=("x", "x"))).hits

    assert {hit.key: dict(hit.factors)["path"] for hit in hits} == {"one": 1.5, "two": 1.0}


def test_without_any_factor_the_words_alone_count(repo: Path) -> None:
    put(repo, *pair({"confidence": 0.1}, {"importance": "critical", "created": format_time(NOW)}))

    found, factors = order(repo, without=FACTORS)

    assert (found, list(factors)) == (["one", "two"], ["lexical"])


@pytest.mark.parametrize("name", ["", "MEMORY_RECENCY_HALF_LIFE_DAYS"], ids=["policy", "environment"])
def test_a_kinds_own_half_life_goes_before_the_policys_and_behind_the_settings(
    repo: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    policy = (
        '[recall]\nhalf_life_days = 100\n[kinds.gotcha]\nhalf_life = "300d"\n[kinds.session]\nhalf_life = "never"\n'
    )
    put_files(repo, {"gitmem.toml": policy})
    put(
        repo,
        *(
            make_memory(kind, "The gateway", kind=kind, created=OLD, ttl="never")
            for kind in ("gotcha", "discussion", "session")
        ),
    )
    if name:
        monkeypatch.setenv(name, "150")

    with Memory(repo, clock=Clock()) as memory:
        hits = memory.recall(Query(text="gateway")).hits
        values = {hit.kind: dict(hit.factors)["recency"] for hit in hits}

    gotcha, others = (2, 2) if name else (1, 3)
    assert values == pytest.approx(
        {"gotcha": 0.5 + 0.5 * 2**-gotcha, "discussion": 0.5 + 0.5 * 2**-others, "session": 1.0}
    )


def test_a_check_that_failed_makes_nothing_new(memory: Memory, repo: Path) -> None:
    put(repo, *(made for made in facts()))
    with Memory(repo, clock=Clock(NOW + 300 * DAY)) as later:
        verify(later)
        values = {hit.key: dict(hit.factors)["recency"] for hit in later.recall(Query(text="gateway")).hits}

    assert values["two"] == 1.0
    assert values["one"] < 0.7


def test_age_does_not_matter_to_rules() -> None:
    assert {kind for kind, row in KINDS.items() if row.half_life_s is None} == {"principle", "convention", "preference"}


@each(
    ("workspace", "worth"),
    [
        pytest.param("src/auth", 1.2, id="the-folder"),
        pytest.param("src", 1.2, id="one-that-holds-it"),
        pytest.param("src/gateway", 1.1, id="beside-it"),
        pytest.param("docs", 1.0, id="elsewhere"),
        pytest.param("{repo}/src", 1.2, id="absolute"),
        pytest.param("{repo}-two", 1.0, id="another-work-tree"),
        pytest.param("", 1.0, id="empty"),
    ],
)
def test_workspace_is_near_by_its_folders(repo: Path, workspace: object, worth: float) -> None:
    named = workspace.replace("{repo}", str(repo)) if isinstance(workspace, str) else workspace
    put(repo, make_memory("two", "The gateway", created=OLD, workspace=named))

    assert order(repo)[1]["workspace"] == pytest.approx(worth)


def test_neighbours_are_what_requires_and_what_is_required_by_key_and_by_label(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("here", "Here", requires=["needed", "label"], produces=["made"]),
        make_memory("needed", "Needed"),
        make_memory("maker", "Maker", produces=["label"]),
        make_memory("rests", "Rests", requires=["here"]),
        make_memory("rests-on-label", "Rests on the label", requires=["made"]),
        make_memory("apart", "Apart", requires=["other"]),
    )

    found = neighbours(memory.repository.catalog(), ["here", "needed", "maker", "rests", "rests-on-label", "apart"])

    assert found["here"] - {"label"} == {"needed", "maker", "rests", "rests-on-label"}
    assert {key for key in found if "here" in found[key]} == {"needed", "maker", "rests", "rests-on-label"}
    assert found["apart"] - {"other"} == set()


def test_a_memory_that_left_search_links_nothing_with_the_work(memory: Memory, repo: Path) -> None:
    put(repo, *pair({}, {"produces": ["label"]}), *LINKS)
    memory.forget("anchor")

    assert order(repo, near=("src/auth/jwt.py",))[1]["dependency"] == 1.0


def test_a_task_that_is_held_links_what_it_requires(memory: Memory, repo: Path) -> None:
    put(repo, *pair())
    memory.tasks.add("Move the gateway", key="move", requires=["two"])
    memory.tasks.claim("move")
    git(repo, "config", "gitmem.recallWork", "asked")

    plain, working = order(repo), order(repo, work=True)

    assert (plain[1]["dependency"], working[1]["dependency"]) == (1.0, pytest.approx(11 / 6))
    assert next(key for key in working[0] if key != "move") == "two"


def test_defaults_of_the_scorer_are_those_of_the_policy():
    assert ranking_of(RecallRun(builtin(), Config(), 0), Query("x")) == RANKING
