"""Three and more listed stores are searched in one file, with the answers that they give one by one (rows B10, C13)."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from conftest import NOW, git
from support.facts import Clock, commit_later, make_fact, make_memory, put

from gitmem.commands import stores
from gitmem.commands.purge import derived
from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.index import catalog as catalogs
from gitmem.index import shared_update
from gitmem.memory import Memory
from gitmem.model import Hit
from gitmem.recall.query import Query
from gitmem.repository import other_repositories, shared_stores
from gitmem.repository.open_store import OpenStore
from gitmem.repository.shared_stores import folder_of
from gitmem.store.purged import Eraser

WORDS = "gateway token retry deploy cache queue timeout signed schema backup index worker".split()
KINDS = ("gotcha", "decision", "pattern")


def some_time(dice: random.Random) -> str:
    """Return a time that no other memory has: the newest of equals depends on the order of the stores."""
    return f"2026-0{dice.randint(1, 8)}-1{dice.randint(0, 9)}T00:{dice.randint(10, 59)}:{dice.randint(10, 59)}Z"


def some_memories(dice: random.Random, count: int) -> list[dict]:
    """Return files of memories, and facts that hold, fail or rest on others; the same keys in every store."""
    files = [
        make_memory(
            f"m{n}",
            " ".join(dice.sample(WORDS, 4)).capitalize(),
            " ".join(dice.choices(WORDS, k=dice.randint(3, 30))),
            kind=dice.choice(KINDS),
            tags=dice.sample(["auth", "net", "ops"], 2),
            paths=["src/auth/jwt.py"] if dice.random() < 0.3 else [],
            created=some_time(dice),
            **({"requires": [dice.choice(["f0", "f1"])]} if dice.random() < 0.3 else {}),
            **({"supersedes": [f"m{n - 1}"]} if dice.random() < 0.1 else {}),
        )
        for n in range(count)
    ]
    checks = ({"contains": dice.choice(["RS256", "HS256"]), "in": "src/auth/jwt.py"} for _ in range(2))
    return files + [
        make_fact(f"f{n}", check, title=f"The {WORDS[n]} is signed", created=some_time(dice))
        for n, check in enumerate(checks)
    ]


@pytest.fixture(scope="module")
def made(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a repository that lists four others."""
    folder, dice = tmp_path_factory.mktemp("shared"), random.Random(7)
    for name in ("here", "s0", "s1", "s2", "s3"):
        shutil.copytree(template, folder / name, symlinks=True)
        put(folder / name, *some_memories(dice, 12))
    for name in ("s0", "s1"):
        with Memory(folder / name, clock=Clock()) as memory:
            memory.verify()
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "all", symlinks=True)
    for n in range(4):
        git(tmp_path / "all" / "here", "config", "--add", "gitmem.stores", str(tmp_path / "all" / f"s{n}"))
    return tmp_path / "all" / "here"


def ask(here: Path, query: str | Query = "gateway token") -> list[Hit]:
    with Memory(here, clock=Clock()) as memory:
        return [*memory.recall(query).hits]


def by_reference(hits: list[Hit]) -> dict[str, Hit]:
    return {hit.reference: hit for hit in hits}


def rows(here: Path, sql: str = "SELECT count(*) FROM memory") -> list[tuple]:
    with closing(sqlite3.connect(Path(folder_of(f"{here}/.git/gitmem")) / "catalog.sqlite")) as db, db:
        return db.execute(sql).fetchall()


QUERIES = [
    Query(text, limit=100, **how)
    for text in ("gateway token", "which worker signed the schema", "retries of a deploy in the queue", "m3 cache")
    for how in ({}, {"kinds": ("gotcha",)}, {"tags": ("auth",)}, {"strict": True}, {"everything": True})
] + [
    Query("signed gateway token", limit=100, statuses=("failed", "suspect")),
    Query("cache", limit=100, paths=("src/auth",)),
    Query("latest gateway token", limit=100),
    Query("atewa", limit=100),
    Query("signed", limit=100, scopes=("listed",)),
]


def test_answers_are_those_of_the_stores_one_by_one(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(here)
    assert rows(here)[0][0] == 4 * 14
    together = [by_reference(ask(here, query)) for query in QUERIES]
    monkeypatch.setattr(other_repositories, "FEW", 99)
    apart = [by_reference(ask(here, query)) for query in QUERIES]

    for query, one, other in zip(QUERIES, together, apart, strict=True):
        assert {name: replace(hit, score=0.0, factors=()) for name, hit in one.items()} == {
            name: replace(hit, score=0.0, factors=()) for name, hit in other.items()
        }, query
        # Which of equal memories are among the ten whose words are related depends on the order of the stores.
        assert {name: hit.score for name, hit in one.items()} == pytest.approx(
            {name: hit.score for name, hit in other.items()}, rel=0.02
        ), query
    assert {hit.status for hits in apart for hit in hits.values() if hit.store} == {
        "",
        "failed",
        "suspect",
        "verified",
        "unproven",
    }


def test_unchanged_stores_are_not_opened_and_of_a_changed_one_only_what_changed_is_copied(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(here)
    opened: list[str] = []
    catalog = OpenStore.catalog
    monkeypatch.setattr(
        OpenStore, "catalog", lambda self, tip=None: (opened.append(self.store.name), catalog(self, tip))[1]
    )
    copied: list[str] = []
    texts_of = shared_update.texts_of
    monkeypatch.setattr(
        shared_update, "texts_of", lambda at, ids: (copied.append(f"{len(list(ids))}"), texts_of(at, ids))[1]
    )
    ask(here)
    assert set(opened) == {""}

    put(here.parent / "s2", make_memory("new", "A gateway token of its own"))

    assert "s2:new" in [hit.reference for hit in ask(here)]
    assert set(opened) == {"", "s2"}
    assert copied == ["1"]


def test_a_failure_that_is_recorded_there_and_a_reading_count_at_once(here: Path) -> None:
    before = {hit.reference: hit for hit in ask(here, Query("signed gateway", limit=100))}
    with Memory(here.parent / "s3", clock=Clock()) as memory:
        memory.verify()
        memory.show("m1")
    hits = {hit.reference: hit for hit in ask(here, Query("signed gateway m1", limit=100))}

    assert before["s3:f0"].status == "unproven"
    assert hits["s3:f0"].status in ("verified", "failed")
    assert dict(hits["s3:m1"].factors)["access"] > 1


def test_accesses_count_after_local_state_was_deleted(here: Path) -> None:
    s3, factors = here.parent / "s3", []
    for key, now in (("m1", NOW), ("m0", NOW + 1)):
        shutil.rmtree(s3 / ".git" / "gitmem", ignore_errors=True)
        with Memory(s3, clock=Clock(now)) as memory:
            memory.show(key)
        factors.append(dict(by_reference(ask(here, Query("m1", limit=100)))["s3:m1"].factors)["access"])

    assert factors == [pytest.approx(1.1), 1.0]


def test_statuses_are_known_again_when_damaged_code_is_whole_again(here: Path) -> None:
    s1 = here.parent / "s1"
    commit_later(s1, {"other": "text"})
    tree = git(s1, "rev-parse", "HEAD^{tree}")
    path = s1 / ".git" / "objects" / tree[:2] / tree[2:]
    path.rename(s1 / "away")
    statuses = [by_reference(ask(here, Query("signed", limit=100)))["s1:f0"].status]
    (s1 / "away").rename(path)
    statuses.append(by_reference(ask(here, Query("signed", limit=100)))["s1:f0"].status)

    assert statuses[0] == "unproven"
    assert statuses[1] in ("verified", "failed")
    assert rows(here, "SELECT count(*) FROM part") == [(4,)]


def test_what_requires_a_memory_about_the_paths_is_linked_with_them(here: Path) -> None:
    about = {"paths": ["src/auth/jwt.py"]}
    linked = make_memory("linked", "A keyring for two", requires=["about"], **about)
    put(here.parent / "s2", linked, make_memory("about", "Of the same files", **about))
    hits = ask(here, Query("keyring", paths=("src/auth/jwt.py",)))

    assert [(hit.reference, dict(hit.factors)["dependency"] > 1) for hit in hits] == [("s2:linked", True)]


def test_a_store_that_is_no_longer_listed_leaves_the_file(here: Path) -> None:
    ask(here)
    git(here, "config", "--unset", "gitmem.stores", "s3$")
    ask(here)

    assert rows(here, "SELECT path FROM part") == [(str(here.parent / f"s{n}"),) for n in range(3)]
    assert rows(here, "SELECT count(*) FROM fts") == rows(here) == [(3 * 14,)]
    with Memory(here) as memory:
        stores.remove(memory.repository, "s2")
    assert not os.path.exists(f"{folder_of(f'{here}/.git/gitmem')}/catalog.sqlite")


def test_a_purge_in_a_listed_repository_removes_the_file(here: Path) -> None:
    ask(here)
    derived.clean(Git(discover(here.parent / "s0")), Eraser(()), indexes=True)

    assert not os.path.exists(shared_stores.shared_place())


def test_nobody_else_may_read_the_file(here: Path) -> None:
    ask(here)
    folder = Path(folder_of(f"{here}/.git/gitmem"))
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as db, db:
        db.execute("CREATE TABLE more (a)")
        db.commit()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}

    assert len(modes) == 4
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("size", [0, 5000])
def test_damage_heals(here: Path, size: int) -> None:
    expected = ask(here)
    path = Path(folder_of(f"{here}/.git/gitmem")) / "catalog.sqlite"
    content = path.read_bytes()
    path.write_bytes(content[:size] + b"\xff" * (len(content) - size))

    assert ask(here) == expected
    assert ask(here) == expected
    assert rows(here) == [(4 * 14,)]


def test_while_another_process_writes_the_file_each_store_is_asked_by_itself(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(here)
    put(here.parent / "s2", make_memory("new", "A gateway token of its own"))
    monkeypatch.setattr(catalogs, "BUSY_MS", 1)
    writer = sqlite3.connect(Path(folder_of(f"{here}/.git/gitmem")) / "catalog.sqlite", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    hits = ask(here)
    writer.close()

    assert "s2:new" in [hit.reference for hit in hits]
    assert hits == ask(here)


@pytest.mark.parametrize("others", [(0, 1, 2), (0, 1, 2, 3, 4)])
def test_another_process_with_another_list_changes_no_answer(
    here: Path, monkeypatch: pytest.MonkeyPatch, others: tuple[int, ...]
) -> None:
    query = Query("gateway token", limit=100)
    expected = by_reference(ask(here, query)).keys()
    shutil.copytree(here.parent / "s0", here.parent / "s4", symlinks=True)
    follow = shared_stores.SharedStores.follow

    def follow_and_be_overtaken(self: shared_stores.SharedStores, stores: list) -> list:
        left = follow(self, stores)
        with monkeypatch.context() as other:
            other.setattr(shared_stores.SharedStores, "follow", follow)
            other.setenv("GITMEM_STORES", os.pathsep.join(str(here.parent / f"s{n}") for n in others))
            ask(here)
        return left

    monkeypatch.setattr(shared_stores.SharedStores, "follow", follow_and_be_overtaken)

    assert by_reference(ask(here, query)).keys() == expected


def test_a_store_in_another_language_is_asked_by_itself(here: Path) -> None:
    put(here.parent / "s1", {"gitmem.toml": '[recall]\nlanguage = "german"\n'}, make_memory("haus", "Häuser und Token"))

    assert "s1:haus" in [hit.reference for hit in ask(here, "haus token")]
    assert rows(here, "SELECT count(*) FROM part") == [(3,)]


def test_new_stores_are_copied_within_a_time_limit(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ask(here)
    shutil.rmtree(shared_stores.shared_place())
    monkeypatch.setattr(shared_stores, "COPY_S", -1.0)

    assert ask(here) == expected
    assert rows(here) == [(0,)]
