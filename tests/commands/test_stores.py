"""Stores of other repositories (rows B10, C13, E7) are searched with ours, named in results and never written to."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from conftest import CODE, commit_files, git, put_files
from support.each import each
from support.facts import Clock, make_fact, make_memory, put
from test_start import imported_while

from gitmem.commands import stores
from gitmem.errors import GitmemError, NoRepositoryError, NotFoundError, RefusedError
from gitmem.git import Git
from gitmem.index.catalog import FORMAT
from gitmem.memory import Memory
from gitmem.recall import ranker
from gitmem.recall.query import Query
from gitmem.repository import other_repositories
from gitmem.store.state import registration
from gitmem.system import file_lock

OURS = make_memory("gw", "The gateway of the service retries")
THEIRS = (
    make_memory("gw", "The gateway of the interface retries"),
    make_memory("drain", "The gateway drains before a deploy"),
    make_fact("signed", {"contains": "RS256", "in": "src/auth/jwt.py"}, title="The gateway wants RS256"),
)


def new(folder: Path, template: Path, *files: dict) -> Path:
    shutil.copytree(template, folder, symlinks=True)
    if files:
        put(folder, *files)
    return folder


def use(repo: Path, *texts: str | Path) -> None:
    git(repo, "config", "--unset-all", "gitmem.stores", check=False)
    for text in texts:
        git(repo, "config", "--add", "gitmem.stores", str(text))


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Path:
    return new(tmp_path / "service", template, OURS)


@pytest.fixture
def api(template: Path, tmp_path: Path, repo: Path) -> Path:
    """Return another repository with memories, listed in ours."""
    use(repo, tmp_path / "api")
    return new(tmp_path / "api", template, *THEIRS)


def opened(repo: Path) -> Memory:
    return Memory(repo, clock=Clock())


def found(repo: Path, query: str = "gateway", **asked) -> tuple[set[str], list[str]]:
    """Return what recall finds, as ``show`` takes it, and what it says besides."""
    with opened(repo) as memory:
        hits = memory.recall(Query(query, **asked)).hits
        return {hit.reference for hit in hits}, memory.notices


BOTH = {"gw", "api:gw", "api:drain", "api:signed"}


def everything(folder: Path) -> dict[str, tuple[int, str]]:
    """Return every file below a folder but gitmem's own local state, with its mode and hash."""
    state = folder / (".git/gitmem" if (folder / ".git").is_dir() else "gitmem")
    files = (path for path in sorted(folder.rglob("*")) if state not in (path, *path.parents))
    return {
        str(path): (path.lstat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path in files
    }


@pytest.mark.usefixtures("api")
def test_recall_finds_memories_of_other_repositories_and_names_their_store(repo: Path) -> None:
    with opened(repo) as memory:
        hits = memory.recall(Query("gateway retries")).hits

    assert [(hit.key, hit.scope, hit.store) for hit in hits[:2]] == [("gw", "project", ""), ("gw", "listed", "api")]
    assert [dict(hit.factors)["scope"] for hit in hits[:2]] == [1.0, 0.8]


def test_words_weigh_the_same_in_two_repositories_as_in_one(repo: Path, template: Path, tmp_path: Path) -> None:
    theirs = (*THEIRS[1:], make_memory("capped", "Retries are capped", "The gateway gives up then."))
    use(repo, new(tmp_path / "other", template, *theirs))

    def lexical() -> dict[str, float]:
        with opened(repo) as memory:
            hits = memory.recall(Query("retries deploy rs256")).hits
            return {hit.key: dict(hit.factors)["lexical"] for hit in hits}

    apart = lexical()
    use(repo)
    put(repo, *theirs)

    assert lexical() == pytest.approx(apart)
    assert len(apart) == 4


def test_of_many_listed_stores_the_best_candidates_of_all_are_ranked(
    repo: Path, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"s{n}" for n in range(4)]
    for name in names:
        new(tmp_path / name, template, *(make_memory(f"m{n}", "The gateway retries", "word " * n) for n in range(4)))
    put(tmp_path / "s3", make_memory("drain", "A deploy waits until the gateway drains", "It takes a minute."))
    use(repo, *(tmp_path / name for name in names))
    monkeypatch.setattr(ranker, "CANDIDATES", 1)
    scored: list[int] = []
    score = ranker.lexical_of
    monkeypatch.setattr(ranker, "lexical_of", lambda *of, **how: (scored.append(len(of[1])), score(*of, **how))[1])
    asked = Query("gateway retries or drains before a deploy", limit=1)

    with opened(repo) as memory:
        pooled = memory.recall(asked).hits
        monkeypatch.setattr(ranker, "LISTED_POOL", len(names))
        each = memory.recall(asked).hits

    assert [hit.reference for hit in (*pooled, *each)] == ["s3:drain", "s3:drain"]
    assert scored == [1 + 2 * 4, 1 + 4 * 4]


def test_git_is_not_asked_about_an_unchanged_repository_that_this_machine_does_not_know(
    repo: Path, api: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(api)
    shutil.copytree(api, tmp_path / "copy", symlinks=True)
    use(repo, tmp_path / "copy")
    for _ in range(2):  # the first one makes the folder of what is cached
        found(repo)
    asked: list[tuple[str, ...]] = []
    run = Git.run
    monkeypatch.setattr(Git, "run", lambda git, *what, **how: (asked.append(what), run(git, *what, **how))[1])

    assert found(repo)[0] == {"gw", "copy:gw", "copy:drain", "copy:signed"}
    assert asked == []


@pytest.mark.usefixtures("api")
@each(
    ("asked", "keys"),
    [
        ({"scopes": ("project",)}, {"gw"}),
        ({"scopes": ("listed",)}, BOTH - {"gw"}),
        ({"stores": ("api",)}, BOTH - {"gw"}),
        ({"stores": ("api",), "scopes": ("project",)}, BOTH),
        ({"stores": ("api",), "kinds": ("fact",)}, {"api:signed"}),
        ({"scopes": ("private",)}, set()),
    ],
    ids=["project", "listed", "store", "both", "kind", "private"],
)
def test_only_selected_stores_are_read(repo: Path, asked: dict, keys: set[str]) -> None:
    assert found(repo, **asked) == (keys, [])


@pytest.mark.usefixtures("api")
def test_recall_without_words_reads_only_a_named_store(repo: Path) -> None:
    assert found(repo, "") == ({"gw"}, [])
    assert found(repo, "", stores=("api",))[0] == BOTH - {"gw"}
    with opened(repo) as memory:
        assert [hit.reference for hit in memory.list(Query(limit=9)).hits] == ["gw"]
        assert {hit.reference for hit in memory.list(Query(limit=9, stores=("api",))).hits} == BOTH - {"gw"}
        assert memory.status().document["memories"] == 1
        assert (
            memory.stores.status("api").document["memories"],
            memory.stores.status("api").document["statuses"]["unproven"],
        ) == (3, 1)
        assert "interface" not in str(memory.context(paths=[], budget_tokens=1000).document)


@pytest.mark.usefixtures("api")
def test_a_memory_of_another_repository_is_shown_by_its_stores_name(repo: Path) -> None:
    with opened(repo) as memory:
        shown = memory.show("api:gw").document

        assert (shown["title"], shown["scope"], shown["store"]) == (
            "The gateway of the interface retries",
            "listed",
            "api",
        )
        assert memory.show("dr", store="api").document["key"] == "drain"
        assert memory.show("gw").document["scope"] == "project"
        with pytest.raises(NotFoundError, match="no listed store is called ipa") as unknown:
            memory.show("ipa:gw")
        with pytest.raises(NotFoundError, match="but the store api has one") as elsewhere:
            memory.show("drain")
        with pytest.raises(NotFoundError, match="no memory nothing"):
            memory.show("api:nothing")
    assert (unknown.value.hint, elsewhere.value.hint) == ("choose one of api", "gitmem show api:drain")


def test_a_memory_of_another_repository_is_not_changed_from_here(repo: Path, api: Path) -> None:
    with opened(repo) as memory:
        for change in (
            memory.forget,
            lambda key: memory.edit(key, fields={"title": "x"}, body=None, approve=False),
        ):
            with pytest.raises(
                RefusedError, match="is a memory of another repository, which is read-only here"
            ) as caught:
                change("api:gw")
            assert caught.value.hint == f"change it there: gitmem -C {api} edit gw"


def test_reading_writes_nothing_there_but_local_state_and_runs_nothing(repo: Path, api: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    put(api, make_fact("hostile", f"touch {ran}", title="The gateway runs this", paths=["README.md"]))
    hook = api / ".git/hooks/reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    git(api, "config", "core.fsmonitor", f"touch {ran}")
    git(api, "config", "core.pager", f"touch {ran}")
    before = everything(api)

    with opened(repo) as memory:
        memory.recall(Query("gateway"))
        memory.recall(Query("gatewya"))
        memory.list(Query(stores=("api",)))
        memory.show("api:hostile")
        memory.stores.status("api")
        memory.stores.list()

    assert everything(api) == before
    assert not ran.exists()


def test_statuses_are_those_of_the_other_repositorys_own_checkout(repo: Path, api: Path) -> None:
    with opened(api) as there:
        there.fact("The gateway caps retries", verify={"contains": "3", "in": "src/gateway/retry.py"}, key="capped")

    def messages(where: Path, typed: str) -> str:
        with opened(where) as memory:
            return memory.show(typed).document["status"]

    assert (messages(api, "capped"), messages(repo, "api:capped")) == ("verified", "verified")
    commit_files(repo, {"src/gateway/retry.py": "RETRIES = 4\n"})
    assert messages(repo, "api:capped") == "verified"
    commit_files(api, {"src/gateway/retry.py": "RETRIES = 4\n"})
    assert (messages(api, "capped"), messages(repo, "api:capped")) == ("stale", "stale")


def test_notice_says_that_statuses_are_unknown_without_checked_out_code(repo: Path, api: Path) -> None:
    git(api, "symbolic-ref", "HEAD", "refs/heads/unborn")

    hits, notices = found(repo)

    assert hits == BOTH
    assert notices == ["api: statuses are unknown: no commit of its code is checked out there"]


def test_memories_in_the_other_repositorys_code_are_read_as_well(repo: Path, api: Path) -> None:
    text = next(iter(make_memory("in-code", "The gateway of the tree").values()))
    commit_files(api, {".memory/gotchas/in-code.md": text})

    assert found(repo)[0] == BOTH | {"api:in-code"}


def bare(api: Path) -> Path:
    git(api, "clone", "-q", "--mirror", ".", "../bare.git")
    return api.parent / "bare.git"


def linked(api: Path) -> Path:
    git(api, "worktree", "add", "-q", "--detach", "../linked")
    return api.parent / "linked"


def fresh(api: Path) -> Path:
    git(api, "clone", "-q", ".", "../fresh")
    return api.parent / "fresh"


def by_link(api: Path) -> Path:
    (api.parent / "link").symlink_to(api)
    return api.parent / "link"


def another_hash(api: Path) -> Path:
    folder = api.parent / "sha256"
    git(api.parent, "init", "-q", "--object-format=sha256", "-b", "main", str(folder))
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    commit_files(folder, CODE)
    put(folder, *THEIRS)
    return folder


@pytest.mark.parametrize("place", [bare, linked, fresh, by_link, another_hash], ids=lambda place: place.__name__)
def test_any_shape_of_repository_can_be_listed(repo: Path, api: Path, place) -> None:
    use(repo, f"api={place(api)}")

    assert found(repo) == (BOTH, [])


def missing(api: Path) -> None:
    shutil.move(api, api.parent / "moved")


def another_around(api: Path) -> None:
    shutil.rmtree(api / ".git")
    git(api.parent, "init", "-q", ".")
    put(api.parent, make_memory("around", "The gateway around"))


def half(api: Path) -> None:
    (api / ".git/HEAD").unlink()
    another = make_memory("around", "The gateway around")
    git(api.parent, "init", "-q", ".")
    put(api.parent, another)


def empty(api: Path) -> None:
    git(api, "update-ref", "-d", "refs/heads/memory")


def broken_ref(api: Path) -> None:
    (api / ".git/refs/heads/memory").write_text("garbage\n")


def no_objects(api: Path) -> None:
    (api / ".git/refs/heads/memory").write_text("1" * 40 + "\n")


def unusable_setting(api: Path) -> None:
    git(api, "config", "gitmem.branch", "a..b")


def newer_format(api: Path) -> None:
    git(api, "config", "core.repositoryFormatVersion", "1")
    git(api, "config", "extensions.fromTheFuture", "true")
    (api / ".git/refs/heads/memory").write_text("ref: refs/heads/main\n")


def pipe(api: Path) -> None:
    ref = api / ".git/refs/heads/memory"
    ref.unlink()
    os.mkfifo(ref)


def silent(api: Path) -> None:
    """Let git itself wait for an object, as for a network disk that is gone."""
    tree = git(api, "rev-parse", "memory^{tree}")
    shutil.rmtree(api / ".git/objects" / tree[:2])
    packs = api / ".git/objects/pack"
    packs.mkdir(exist_ok=True)
    (packs / f"pack-{'0' * 40}.pack").touch()
    os.mkfifo(packs / f"pack-{'0' * 40}.idx")


def a_file(api: Path) -> None:
    shutil.rmtree(api)
    api.write_text("")


FAULTS = (
    (missing, "no such folder"),
    (a_file, "no such folder"),
    (another_around, "no repository in this folder"),
    (half, "api"),
    (empty, "there is no branch memory"),
    (broken_ref, "is broken: it does not point to a commit"),
    (no_objects, "git"),
    (unusable_setting, "must be a name that a branch can have"),
    (newer_format, "format"),
    (pipe, "is not a file, and git would wait for it forever"),
    (silent, "did not answer within"),
)


@pytest.mark.parametrize(("break_it", "why"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_a_store_that_cannot_be_read_is_one_line_and_the_others_answer(
    repo: Path, api: Path, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, break_it, why: str
) -> None:
    new(tmp_path / "third", template, make_memory("ok", "The gateway is well"))
    use(repo, api, tmp_path / "third")
    monkeypatch.setattr(other_repositories, "ANSWER_S", 0.5 if break_it is silent else 30)
    break_it(api)

    with opened(repo) as memory:
        for _ in range(2):
            assert {hit.reference for hit in memory.recall(Query("gateway")).hits} == {"gw", "third:ok"}
        assert len(memory.notices) == 1
        assert memory.notices[0].startswith("the store api cannot be read: ")
        assert why in memory.notices[0]
        assert "\n" not in memory.notices[0]
        with pytest.raises(GitmemError, match=r"."):
            memory.show("api:gw")
        assert [(one.entry.name, bool(one.problem), one.memories) for one in memory.stores.list()] == [
            ("api", True, 0),
            ("third", False, 1),
        ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_repository_of_another_user_is_refused_like_in_git_or_only_read(repo: Path, api: Path) -> None:
    (api / ".git/gitmem").mkdir()
    for path in (api, *api.rglob("*")):
        os.chown(path, 12345, 12345, follow_symlinks=False)

    hits, notices = found(repo)
    assert hits == {"gw"}
    assert "dubious ownership" in notices[0]
    assert f"git config --global --add safe.directory {api}" in notices[0]

    git(repo, "config", "--global", "--add", "safe.directory", str(api))
    try:
        assert found(repo) == (BOTH, [])
        with opened(repo) as memory:
            memory.show("api:gw")
    finally:
        git(repo, "config", "--global", "--unset-all", "safe.directory")
    assert list((api / ".git/gitmem").iterdir()) == []
    assert len(list((repo / ".git/gitmem/listed").iterdir())) == 1


def test_index_of_a_read_only_store_is_written_to_the_own_state_folder(repo: Path, api: Path, monkeypatch) -> None:
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(api) not in str(path) and real(path, mode))

    assert found(repo) == (BOTH, [])

    assert not (api / ".git/gitmem/catalog.sqlite").exists()
    assert list((repo / ".git/gitmem/listed").glob("*/catalog.sqlite"))


def test_index_of_another_version_is_left_unchanged(repo: Path, api: Path) -> None:
    with opened(api) as there:
        there.repository.catalog()
    index = api / ".git/gitmem/catalog.sqlite"
    with closing(sqlite3.connect(index)) as other, other:
        other.execute("UPDATE meta SET value = ? WHERE name = 'format'", (str(FORMAT + 1),))
    other.close()
    with opened(api) as there:  # so that its log is no difference
        pass
    with closing(sqlite3.connect(index)) as other, other:
        before = other.execute("SELECT * FROM meta").fetchall()
    other.close()

    assert found(repo) == (BOTH, [])

    with closing(sqlite3.connect(index)) as other, other:
        assert other.execute("SELECT * FROM meta").fetchall() == before
    other.close()


def test_index_found_damaged_during_a_query_is_rebuilt(repo: Path, api: Path) -> None:
    found(repo)
    damaged = sqlite3.connect(api / ".git/gitmem/catalog.sqlite")
    with damaged:
        damaged.execute("UPDATE fts_data SET block = x'a5a5a5a5' WHERE id > 10")
    damaged.close()

    assert found(repo) == (BOTH, [])
    assert found(repo) == (BOTH, [])


def test_recall_does_not_wait_for_an_index_that_another_process_builds(repo: Path, api: Path) -> None:
    assert registration.register(str(api / ".git/gitmem"))
    held = file_lock.try_lock(api / ".git/gitmem/catalog.lock")
    assert held is not None

    hits, notices = found(repo)
    os.close(held)

    assert (hits, len(notices)) == ({"gw"}, 1)
    assert "another process is building the index of" in notices[0]
    assert found(repo) == (BOTH, [])


@pytest.mark.parametrize("damage", ["whole", "pages"])
def test_a_damaged_index_is_rebuilt_and_nothing_is_missing(repo: Path, api: Path, damage: str) -> None:
    found(repo)
    index = api / ".git/gitmem/catalog.sqlite"
    content = bytearray(index.read_bytes())
    page = int.from_bytes(content[16:18], "big")
    start = 0 if damage == "whole" else page * 3
    content[start:] = b"\xa5" * (len(content) - start)
    for suffix in ("-wal", "-shm"):
        Path(f"{index}{suffix}").unlink(missing_ok=True)
    index.write_bytes(content)

    assert found(repo) == (BOTH, [])


def test_repository_listed_twice_or_read_anyway_is_read_once(repo: Path, api: Path, tmp_path: Path) -> None:
    with opened(repo) as memory:
        memory.remember("The gateway of everybody", key="mine", scope="universal")
    use(repo, repo, linked(repo), api, by_link(api), f"again={api}/.git", tmp_path / "data-home/gitmem/universal")

    with opened(repo) as memory:
        assert sorted(hit.reference for hit in memory.recall(Query("gateway")).hits) == sorted(BOTH | {"mine"})
        assert memory.notices == []
        assert [one.entry.name for one in memory.stores.list() if one.is_here] == ["service", "linked", "universal"]


def test_stores_of_stores_are_not_followed(repo: Path, api: Path, template: Path, tmp_path: Path) -> None:
    third = new(tmp_path / "third", template, make_memory("third", "The gateway of a third"))
    use(api, repo, third)

    assert found(repo) == (BOTH, [])


def test_a_policy_lists_no_stores(repo: Path, api: Path) -> None:
    use(repo)
    put_files(repo, {"gitmem.toml": f'stores = ["{api}"]\n[recall]\nstores = ["{api}"]\n'})

    assert found(repo)[0] == {"gw"}


def test_recall_in_a_repository_without_memories_searches_the_listed_stores(
    api: Path, template: Path, tmp_path: Path
) -> None:
    none = new(tmp_path / "none", template)
    use(none, api)

    assert found(none) == (BOTH - {"gw"}, [])
    shutil.rmtree(api)
    with pytest.raises(NoRepositoryError, match="no memory yet"):
        found(none)


def test_environment_variable_replaces_the_stores_in_git_config(
    repo: Path, api: Path, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = new(tmp_path / "third", template, make_memory("third", "The gateway of a third"))

    monkeypatch.setenv("GITMEM_STORES", os.pathsep.join([f"x={third}", str(api)]))
    assert found(repo)[0] == BOTH | {"x:third"}
    with opened(repo) as memory, pytest.raises(GitmemError, match="the list comes from GITMEM_STORES"):
        memory.stores.add(str(third))
    monkeypatch.setenv("GITMEM_STORES", os.pathsep)
    assert found(repo)[0] == {"gw"}


def test_nothing_missing_from_a_partial_clone_is_fetched(repo: Path, api: Path, tmp_path: Path) -> None:
    git(api, "config", "uploadpack.allowFilter", "true")
    git(api, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{api}", "../partial")
    use(repo, tmp_path / "partial")
    before = everything(tmp_path / "partial")

    hits, notices = found(repo)

    assert hits == {"gw"}
    assert [notice.startswith("the store partial cannot be read: ") for notice in notices] == [True]
    assert everything(tmp_path / "partial") == before


def test_store_is_listed_once_by_any_of_its_folders_and_removed_again(repo: Path, api: Path, tmp_path: Path) -> None:
    use(repo)
    with opened(repo) as memory:
        one, is_new = memory.stores.add(f"front={api / 'src/auth'}")
        assert (one.entry.name, one.entry.path, one.memories, is_new) == ("front", str(api), 3, True)
    with opened(repo) as memory:
        assert memory.stores.add(str(api))[1] is False
    with opened(repo) as memory, pytest.raises(RefusedError, match="is this repository"):
        memory.stores.add(str(repo / "src"))
    with opened(repo) as memory, pytest.raises(NoRepositoryError):
        memory.stores.add(str(tmp_path))
    assert git(repo, "config", "--get-all", "gitmem.stores") == f"front={api}"
    assert found(repo)[0] == {"gw", "front:gw", "front:drain", "front:signed"}

    with opened(repo) as memory, pytest.raises(RefusedError, match="global") as caught:
        memory.stores.remove("front", everywhere=True)
    assert caught.value.hint == "gitmem stores remove front"
    with opened(repo) as memory:
        assert memory.stores.remove("front").path == str(api)
    assert git(repo, "config", "--get-all", "gitmem.stores", check=False) == ""
    with opened(repo) as memory, pytest.raises(NotFoundError):
        memory.stores.remove("front")


def test_a_store_without_memories_is_not_listed(repo: Path, template: Path, tmp_path: Path) -> None:
    none = new(tmp_path / "none", template)

    with opened(repo) as memory, pytest.raises(NoRepositoryError, match="has no memory"):
        memory.stores.add(str(none))

    assert git(repo, "config", "--get-all", stores.SETTING, check=False) == ""


@pytest.mark.usefixtures("api")
def test_recall_loads_modules_for_listed_stores_only_if_some_are_listed(repo: Path, tmp_path: Path) -> None:
    recall = ["-m", "gitmem", "recall", "gateway"]
    needed = {
        "gitmem.repository.other_repositories",
        "gitmem.store.listings",
        "threading",
    }
    imported_while(recall, repo)

    assert needed <= imported_while(recall, repo)
    assert "subprocess" not in imported_while(recall, repo)
    use(repo)
    assert not needed & imported_while(recall, repo)
    assert stat.S_ISDIR((tmp_path / "api").stat().st_mode)
