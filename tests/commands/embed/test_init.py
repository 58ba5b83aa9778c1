"""Recall by meaning through a real store and a real, tiny model; and `gitmem embed` over it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from conftest import git
from support.each import each
from support.embedded_store import LOGIN, STORAGE, STORE, TIME, choose, make_model, set_up
from support.facts import Clock, make_memory, put

from gitmem.errors import ConfigError
from gitmem.index.vectors.folders import FOLDER, VectorsLock, folder_of
from gitmem.memory import Memory
from gitmem.recall import ranker
from gitmem.recall.query import Query
from gitmem.repository import query_vectors


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def store(repo: Path, model: str) -> Path:
    set_up(repo, model)
    return repo


def keys(folder: Path, query: str, **asked: object) -> list[str]:
    with Memory(folder, clock=Clock()) as memory:
        return [hit.key for hit in memory.recall(Query(query, **asked)).hits]


def notices(folder: Path, query: str = LOGIN) -> list[str]:
    with Memory(folder, clock=Clock()) as memory:
        memory.recall(Query(query))
        return memory.notices


@pytest.mark.parametrize(("query", "found"), [(LOGIN, "sso"), (STORAGE, "vacuum"), (TIME, "slow-call")])
def test_memory_without_a_word_of_the_query_is_found_by_meaning(store: Path, query: str, found: str) -> None:
    assert keys(store, query)[0] == found
    assert keys(store, query, lexical=True) == []


@each(
    ("asked", "is_found"),
    [
        ({"kinds": ("decision",)}, True),
        ({"kinds": ("gotcha",)}, False),
        ({"tags": ("web",)}, True),
        ({"tags": ("ops",)}, False),
        ({"paths": ("src/web/page.py",)}, True),
        ({"paths": ("ops/cron",)}, False),
        ({"statuses": ("failed",)}, False),
        ({"scopes": ("project",)}, True),
        ({"scopes": ("universal",)}, False),
    ],
)
def test_filters_apply_to_the_search_by_meaning(store: Path, asked: dict, is_found: bool) -> None:
    assert ("sso" in keys(store, LOGIN, **asked)) is is_found


def test_filter_finds_the_one_memory_it_leaves_behind_many_better_ones(
    repo: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranker, "CANDIDATES", 3)
    better = [make_memory(f"n-{n}", f"Login {n}" if n < 20 else f"Table {n}") for n in range(70)]
    put(repo, STORE, *better, make_memory("odd", "A token expires", kind="pattern"))
    choose(repo, model)
    with Memory(repo) as memory:
        memory.vectors.rebuild()

    assert keys(repo, LOGIN, kinds=("pattern",), limit=1) == ["odd"]


def test_retired_memory_is_found_by_meaning_only_with_all(store: Path) -> None:
    with Memory(store, clock=Clock()) as memory:
        memory.forget("sso")

    assert "sso" not in keys(store, LOGIN)
    assert keys(store, LOGIN, everything=True)[0] == "sso"


def test_memories_of_several_scopes_are_found_by_meaning_together(store: Path) -> None:
    git(store, "update-ref", "refs/gitmem/private/ana", "refs/heads/memory")
    git(store, "update-ref", "-d", "refs/heads/memory")
    put(store, make_memory("public-login", "Signin by mail"), make_memory("nothing", "Colours of buttons"))

    with Memory(store, clock=Clock()) as memory:
        hits = memory.recall(Query(LOGIN)).hits

    assert {(hit.key, hit.scope) for hit in hits[:2]} == {("public-login", "project"), ("sso", "private")}
    assert all(dict(hit.sources)["cosine"] > 0.9 for hit in hits[:2])


def test_explained_hit_shows_the_scores_of_words_and_meaning(store: Path) -> None:
    with Memory(store, clock=Clock()) as memory:
        hit = memory.recall(Query("authentication redirects")).hits[0]
        plain = memory.recall(Query("authentication redirects", lexical=True)).hits[0]

    assert hit.key == plain.key == "sso"
    assert [name for name, _ in hit.sources] == ["lexical", "dense", "weight", "cosine"]
    assert (hit.factors[0][0], plain.factors[0][0], plain.sources) == ("relevance", "lexical", ())


def test_edited_text_is_embedded_again_and_edited_tags_are_not(store: Path) -> None:
    keys(store, LOGIN)
    put(store, make_memory("colours", "Buttons need a login", kind="decision"))
    put(store, make_memory("vacuum", "Postgres needs a vacuum", "At night.", tags=["other"]))

    assert set(keys(store, LOGIN)) == {"sso", "colours"}
    with Memory(store) as memory:
        document = memory.vectors.status().document["stores"][0]
        assert (document["with_vectors"], document["missing"]) == (4, 0)
        assert document["vectors"][0]["pieces"] == 5  # and the text that "colours" had
        assert memory.vectors.rebuild().forgotten == 2
        assert memory.vectors.status().document["stores"][0]["vectors"][0]["pieces"] == 4


@pytest.mark.parametrize(
    "setting", ["model2vec:/nowhere/at/all", "http://127.0.0.1:9/v1#model", "nonsense"], ids=["gone", "down", "unknown"]
)
def test_unusable_model_leaves_the_search_by_words_and_one_notice(store: Path, setting: str) -> None:
    choose(store, setting)

    assert keys(store, "vacuum") == ["vacuum"]
    assert len(notices(store)) == 1
    assert notices(store)[0].endswith("this search used words only")


def test_damaged_vectors_are_rebuilt_by_the_next_recall(store: Path, model: str) -> None:
    keys(store, LOGIN)
    folder = next(path for path in (store / ".git/gitmem" / FOLDER).iterdir() if path.is_dir())
    (folder / "index.sqlite").write_bytes(b"x" * 4096)

    assert keys(store, LOGIN)[0] == "sso"
    assert notices(store) == []


def test_damage_found_late_leaves_the_search_by_words_and_one_notice(store: Path) -> None:
    keys(store, LOGIN)
    folder = next(path for path in (store / ".git/gitmem" / FOLDER).iterdir() if path.is_dir())
    with closing(sqlite3.connect(folder / "index.sqlite")) as connection, connection:
        connection.execute("DROP TABLE memory")
    connection.close()

    assert keys(store, "vacuum") == ["vacuum"]
    assert ["the vectors cannot be read" in notice for notice in notices(store, "vacuum")] == [True]


def test_recall_by_words_reports_that_vectors_cannot_be_stored(store: Path) -> None:
    (store / ".git/gitmem" / FOLDER / "lock").mkdir(parents=True)

    assert keys(store, "vacuum") == ["vacuum"]
    assert ["cannot store the vectors:" in notice for notice in notices(store, "vacuum")] == [True]


def test_file_in_place_of_the_vectors_is_removed(store: Path) -> None:
    (store / ".git/gitmem").mkdir(exist_ok=True)
    (store / ".git/gitmem" / FOLDER).write_text("not ours")

    assert keys(store, LOGIN)[0] == "sso"


def test_nothing_is_deleted_or_written_through_a_link(store: Path, tmp_path: Path) -> None:
    kept = [tmp_path / "elsewhere" / name / "file" for name in ("apt", "0123456789abcdef")]
    for path in kept:
        path.parent.mkdir(parents=True)
        path.write_text("somebody's")
    (store / ".git/gitmem").mkdir(exist_ok=True)
    place = store / ".git/gitmem" / FOLDER
    place.symlink_to(tmp_path / "elsewhere")

    with Memory(store) as memory:
        assert memory.vectors.status().document["unused"] == 0
        assert memory.vectors.rebuild().models_removed == 0
    assert not place.is_symlink()
    assert sorted((tmp_path / "elsewhere").rglob("*")) == sorted([*kept, *(path.parent for path in kept)])


def test_folder_with_another_name_is_not_mistaken_for_a_models_folder(store: Path, tmp_path: Path) -> None:
    place = store / ".git/gitmem" / FOLDER
    (place / "mine").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (place / "0123456789abcdef").symlink_to(tmp_path / "elsewhere")

    with Memory(store) as memory:
        assert memory.vectors.rebuild().models_removed == 0
    assert (place / "mine").is_dir()


def test_changed_vector_size_is_reported_and_rebuilt(store: Path) -> None:
    keys(store, LOGIN)
    folder = next(path for path in (store / ".git/gitmem" / FOLDER).iterdir() if path.is_dir())
    with closing(sqlite3.connect(folder / "index.sqlite")) as connection, connection:
        connection.execute("UPDATE meta SET value = '2' WHERE name = 'dimensions'")
    connection.close()
    assert ["the vectors have 2 dimensions, the query 3" in notice for notice in notices(store)] == [True]

    with Memory(store) as memory:
        assert memory.vectors.rebuild().embedded == 4
    assert notices(store) == []


def test_read_only_vectors_are_searched_and_reported(store: Path) -> None:
    keys(store, LOGIN)
    put(store, make_memory("new", "Colours of mail"))
    lock = store / ".git/gitmem" / FOLDER / "lock"
    lock.unlink()
    lock.mkdir()  # which root cannot write to either

    assert keys(store, LOGIN)[0] == "sso"
    assert notices(store) == ["cannot store the vectors: Is a directory"]


def test_recall_leaves_a_long_embedding_to_the_background_and_says_so(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_vectors, "INLINE_S", 0.0)

    assert notices(store) == ["4 memories have no vectors yet and can only be found by words: gitmem embed rebuild"]
    with Memory(store) as memory:
        memory.vectors.embed_missing()
    assert notices(store) == []
    assert keys(store, LOGIN)[0] == "sso"


def test_recall_does_not_wait_for_another_process_that_embeds(store: Path) -> None:
    with VectorsLock(store / ".git/gitmem"):
        assert "4 memories have no vectors yet" in notices(store)[0]


def test_new_model_is_embedded_beside_the_old_one_until_rebuild_removes_it(
    store: Path, model: str, tmp_path: Path
) -> None:
    keys(store, LOGIN)
    choose(store, make_model(tmp_path / "other", scale=2.0))

    assert keys(store, LOGIN)[0] == "sso"
    with Memory(store) as memory:
        assert memory.vectors.status().document["unused"] == 1
        assert memory.vectors.rebuild().models_removed == 1
        assert [model["answers"] for model in memory.vectors.status().document["models"]] == [True]
    assert len([path for path in (store / ".git/gitmem" / FOLDER).iterdir() if path.is_dir()]) == 1


def test_code_may_have_a_model_of_its_own(store: Path, tmp_path: Path) -> None:
    code = "```\nlogin(token)\nlogin(token)\nsignin(token)\n```"
    put(store, make_memory("snippet", "How it is called", code, kind="pattern"))
    setting = make_model(tmp_path / "code", scale=3.0)
    choose(store, setting, "embedCode")

    found = keys(store, LOGIN)

    assert set(found[:2]) == {"sso", "snippet"}
    with Memory(store) as memory:
        document = memory.vectors.status().document
        pieces = {one["model"]: one["pieces"] for one in document["stores"][0]["vectors"]}
    assert [model["for"] for model in document["models"]] == ["prose", "code"]
    assert sorted(pieces.values()) == [1, 4]


def test_store_without_code_is_searched_like_any_other(store: Path, tmp_path: Path) -> None:
    choose(store, make_model(tmp_path / "code", scale=3.0), "embedCode")

    assert keys(store, LOGIN)[0] == "sso"
    assert keys(store, LOGIN)[0] == "sso"  # with the vectors that the first one made


def test_rebuild_embeds_everything_again_on_request(store: Path) -> None:
    with Memory(store) as memory:
        first = memory.vectors.rebuild().embedded
        again = memory.vectors.rebuild().embedded
        assert (first, again, memory.vectors.rebuild(everything=True).embedded) == (4, 0, 4)


def test_rebuild_without_a_model_says_how_to_set_one(repo: Path) -> None:
    put(repo, STORE)
    keys(repo, LOGIN)

    with Memory(repo) as memory, pytest.raises(ConfigError, match="no embedding provider"):
        assert memory.vectors.status().document["configured"] is False
        memory.vectors.rebuild()
    assert not (repo / ".git/gitmem" / FOLDER).exists()


def test_deleting_the_folder_costs_nothing_but_time(store: Path) -> None:
    keys(store, LOGIN)
    shutil.rmtree(store / ".git/gitmem" / FOLDER)

    assert keys(store, LOGIN)[0] == "sso"


def test_recall_at_a_past_time_searches_by_words_and_says_so(store: Path) -> None:
    with Memory(store, clock=Clock()) as memory:
        found = memory.at("memory").recall(Query("vacuum"))
        assert "with --at, recall searches by words only" in memory.notices
    assert all(not hit.sources for hit in found.hits)


def test_folder_is_named_by_the_model_alone(store: Path) -> None:
    with Memory(store) as memory:
        keys(store, LOGIN)
        name = memory.vectors.status().document["models"][0]["model"]
    assert Path(folder_of(str(store / ".git/gitmem"), name)).is_dir()
