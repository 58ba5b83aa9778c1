"""The hub's order is that of recall at home, and what a reader may not see changes nothing."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from conftest import NOW
from support.facts import make_fact, make_memory, put
from support.hubs import add_to, followed, synced
from support.postgres import HubDatabase

from gitmem.hub.follower import SearchNode
from gitmem.hub.search import HubQuery, Ranked, count_facets, search
from gitmem.memory import Memory

SUBJECTS = (
    "retry storm gateway port cache token session database migration queue worker deploy rollback timeout".split()
)
OBJECTS = "config file directory service client error message index schema argument function release branch".split()
VERBS = "breaks leaks needs hides repeats blocks replaces loses doubles delays ignores rejects".split()
WORDS = (*SUBJECTS, *OBJECTS, *VERBS, "the", "when", "before", "retry_storm", "src/app/cache.py", "8080", "JWT", "k8s")


def make_store(count: int, seed: int = 1) -> list[dict[str, str]]:
    """Return memories that share words, as those of one service do."""
    dice = random.Random(seed)
    made = []
    for number in range(count):
        title = f"The {dice.choice(SUBJECTS)} {dice.choice(VERBS)} the {dice.choice(OBJECTS)}"
        body = " ".join(dice.choices(WORDS, k=dice.randint(0, 80)))
        fields: dict[str, object] = {
            "created": f"20{dice.randint(20, 26):02}-0{dice.randint(1, 8)}-11T10:00:00Z",
            "tags": dice.sample(SUBJECTS, dice.randint(0, 3)),
            "importance": dice.choice(["low", "medium", "high", "critical"]),
            "confidence": dice.choice([0.3, 0.7, 1]),
        }
        if dice.random() < 0.3:
            fields["by"] = {"who": "ana", "agent": "dev"}
        if dice.random() < 0.2:
            fields["paths"] = ["src/app/cache.py"]
        if dice.random() < 0.05:
            fields["expires"] = "2026-01-01T00:00:00Z"
        if dice.random() < 0.05 and number:
            fields["supersedes"] = [f"m{dice.randrange(number)}"]
        kind = dice.choice(["gotcha", "decision", "pattern", "outcome", "reference"])
        made.append(make_memory(f"m{number}", title, body, kind=kind, **fields))
    return made


def queries(count: int, seed: int = 2) -> list[str]:
    dice = random.Random(seed)
    asked = [" ".join(dice.sample(WORDS, dice.randint(1, 6))) for _ in range(count - 10)]
    return [
        *asked,
        *(
            f"{text} {when}"
            for text, when in zip(
                asked[:10], (*("latest", "2024", "first", "last year", "since 2023") * 2,), strict=True
            )
        ),
    ][:count]


def test_order_is_that_of_recall_at_home(hub: HubDatabase, memory: Memory, repo: Path, tmp_path: Path) -> None:
    memory.fact("The gateway listens on the port in the README", exists="README.md", key="proved")
    put(repo, *make_store(300))
    add_to(hub, repo)
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node:
        wrong = {}
        for text in queries(80):
            home = [hit.key for hit in memory.recall(text).hits]
            there = [one.found.key for one in search(node.engine.view(), node.repositories, HubQuery(text), now=NOW)]
            if home != there:
                wrong[text] = (home, there)

    assert wrong == {}


def keys(node: SearchNode, query: HubQuery, *names: str, now: int = NOW) -> list[str]:
    return [one.found.key for one in ranked(node, query, *names, now=now)]


def ranked(node: SearchNode, query: HubQuery, *names: str, now: int = NOW) -> list[Ranked]:
    """Search as a reader who may see these repositories; all if none is named."""
    seen = {number: one for number, one in node.repositories.items() if not names or one.name in names}
    return search(node.engine.view(), seen, query, now=now)


def test_what_a_reader_may_not_see_changes_no_score(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    for number, name in enumerate(("api", "web", "secret")):
        shutil.copytree(template, tmp_path / name)
        put(tmp_path / name, *make_store(40, seed=number))
    add_to(hub, tmp_path / "api", tmp_path / "web")
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node:
        alone = {text: [(one.found.key, one.score) for one in ranked(node, HubQuery(text))] for text in queries(20)}
        add_to(hub, tmp_path / "secret")
        synced(hub, tmp_path)
        node.catch_up_now()
        hidden = {
            text: [(one.found.key, one.score) for one in ranked(node, HubQuery(text), "api", "web")] for text in alone
        }
        everything = {text: ranked(node, HubQuery(text)) for text in alone}

    assert hidden == alone
    # Whoever may see all there is pays for no filter.
    view, every = node.engine.view(), frozenset(node.repositories)
    assert view._within(every) == []
    assert len(view._within(every - {min(every)})) == 1
    secret = next(number for number, one in node.repositories.items() if one.name == "secret")
    assert any(one.found.repository_id == secret for found in everything.values() for one in found)


def test_repository_that_was_never_synced_spoils_no_search(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    shutil.copytree(template, tmp_path / "api")
    put(tmp_path / "api", *make_store(10))
    add_to(hub, tmp_path / "api", tmp_path / "new")
    synced(hub, tmp_path, "api")
    with followed(hub, tmp_path) as node:
        assert ranked(node, HubQuery("retry storm cache"))
        assert not ranked(node, HubQuery("retry storm cache", repositories=("new",)))
        assert count_facets(node.engine.view(), node.repositories, HubQuery("cache"), now=NOW)["repository"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["api-fact", "api-gotcha", "web-decision"]),
        ({"repositories": ("api",)}, ["api-fact", "api-gotcha"]),
        ({"repositories": ("nothing",)}, []),
        ({"kinds": ("gotcha",)}, ["api-gotcha"]),
        ({"statuses": ("unproven",)}, ["api-fact"]),
        ({"statuses": ("verified",)}, []),
        ({"owners": ("bob",)}, ["web-decision"]),
        ({"languages": ("german",)}, []),
        ({"limit": 1}, ["api-fact"]),
    ],
)
def test_filters(hub: HubDatabase, template: Path, tmp_path: Path, filters: dict, expected: list[str]) -> None:
    for name in ("api", "web"):
        shutil.copytree(template, tmp_path / name)
    fact = make_fact("api-fact", title="Storm storm storm")
    put(tmp_path / "api", fact, make_memory("api-gotcha", "A retry storm of clients"))
    put(tmp_path / "web", make_memory("web-decision", "No storm in any browser of ours", kind="decision", by="bob"))
    add_to(hub, tmp_path / "api", tmp_path / "web")
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node:
        assert sorted(keys(node, HubQuery("storm", **filters))) == expected


def test_expired_verdict_makes_a_fact_stale_at_the_time_of_the_query(
    hub: HubDatabase, memory: Memory, repo: Path, tmp_path: Path
) -> None:
    memory.fact("The port is in the README", exists="README.md", key="port", ttl="2d")
    add_to(hub, repo)
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node:
        found = [[one.status for one in ranked(node, HubQuery("port"), now=NOW + days * 86_400)] for days in (1, 3)]
        stale = [keys(node, HubQuery("port", statuses=("stale",)), now=NOW + days * 86_400) for days in (1, 3)]

    assert found == [["verified"], ["stale"]]
    assert stale == [[], ["port"]]


def facets(node: SearchNode, query: HubQuery, *names: str, now: int = NOW) -> dict[str, dict[str, int]]:
    seen = {number: one for number, one in node.repositories.items() if not names or one.name in names}
    return count_facets(node.engine.view(), seen, query, now=now)


def test_facets_count_what_the_reader_may_see(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    for name in ("api", "web", "secret"):
        shutil.copytree(template, tmp_path / name)
    put(tmp_path / "api", make_fact("api-fact", title="Storm storm"), make_memory("a", "A storm", by="ana"))
    put(tmp_path / "web", make_memory("b", "The storm", kind="decision", by="bob"), make_memory("c", "Unrelated"))
    put(tmp_path / "secret", make_memory("d", "The storm", kind="pattern", by="eve"))
    add_to(hub, *(tmp_path / name for name in ("api", "web", "secret")))
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node:
        found = facets(node, HubQuery("storm"), "api", "web")
        filtered = facets(node, HubQuery("storm", kinds=("gotcha",)), "api", "web")
        named = facets(node, HubQuery("storm", repositories=("secret",)), "api", "web")
        nothing = facets(node, HubQuery("nosuchword"))

    assert found == {
        "repository": {"api": 2, "web": 1},
        "kind": {"decision": 1, "fact": 1, "gotcha": 1},
        "status": {"unproven": 1},
        "owner": {"ana": 1, "bob": 1},
        "language": {"english": 3},
    }
    assert (filtered["repository"], filtered["owner"]) == ({"api": 1}, {"ana": 1})
    assert [*named.values(), *nothing.values()] == [{}] * 10


def test_facets_and_filters_agree_about_expired_verdicts(
    hub: HubDatabase, memory: Memory, repo: Path, tmp_path: Path
) -> None:
    memory.fact("The port is in the README", exists="README.md", key="port", ttl="2d")
    add_to(hub, repo)
    synced(hub, tmp_path)
    with followed(hub, tmp_path) as node:
        for days, status, other in ((1, "verified", "stale"), (3, "stale", "verified")):
            now = NOW + days * 86_400
            assert facets(node, HubQuery("port"), now=now)["status"] == {status: 1}
            assert facets(node, HubQuery("port", statuses=(status,)), now=now)["kind"] == {"fact": 1}
            assert facets(node, HubQuery("port", statuses=(other,)), now=now)["kind"] == {}
            assert keys(node, HubQuery("port", statuses=(other,)), now=now) == []
