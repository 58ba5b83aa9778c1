"""Repositories come into the database: real remotes, and everything that may be wrong with one of them."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import git, put_files, tip
from support.agent_work import SECRET
from support.facts import make_memory, put
from support.hubs import add_to, synced
from support.postgres import HubDatabase, run_sql

from gitmem.errors import NotFoundError
from gitmem.hub.database import connected
from gitmem.hub.ingest import Synced
from gitmem.hub.registry import list_repositories, remove
from gitmem.memory import Memory


def make_repository(template: Path, folder: Path, *files: dict[str, str]) -> Path:
    """Return a copy of a repository with memories; the hub fetches it as from any other remote."""
    shutil.copytree(template, folder)
    put(folder, *files)
    return folder


def rows(hub: HubDatabase, columns: str = "key, title, text") -> list[tuple]:
    with connected(hub.url) as connection:
        return connection.execute(f"SELECT {columns} FROM hub.memory WHERE NOT deleted ORDER BY key").fetchall()


def test_only_what_changed_is_written(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    first = make_memory("storm", "A retry storm", "Back off."), make_memory("port", "The port is 8080")
    api = make_repository(template, tmp_path / "api", *first)
    add_to(hub, api)

    new = synced(hub, tmp_path)
    old = dict(rows(hub, "key, seq"))
    again = synced(hub, tmp_path)
    put(api, make_memory("port", "The port is 9090"), make_memory("more", "One more"))
    git(
        api,
        "update-ref",
        "refs/heads/memory",
        put_files(api, {"gotchas/storm.md": make_memory("storm", "Gone")["gotchas/storm.md"]}),
    )
    changed = synced(hub, tmp_path)

    assert (new["api"].changed, new["api"].removed, new["api"].problem) == (2, 0, "")
    assert again["api"] == Synced("api")
    assert (changed["api"].changed, changed["api"].removed) == (3, 0)
    assert [row[1] for row in rows(hub)] == ["One more", "The port is 9090", "Gone"]
    assert all(seq > old.get(key, 0) for key, seq in rows(hub, "key, seq"))


def test_mirror_that_followed_changes_equals_one_made_from_nothing_and_has_no_search_index(
    hub: HubDatabase, template: Path, tmp_path: Path
) -> None:
    api = make_repository(
        template, tmp_path / "api", make_memory("storm", "A retry storm"), make_memory("port", "8080")
    )
    add_to(hub, api)
    synced(hub, tmp_path)
    put(api, make_memory("port", "The port is 9090"), make_memory("more", "One more"))
    synced(hub, tmp_path)
    (mirror,) = (tmp_path / "mirrors").glob("*.git")
    (catalog,) = mirror.rglob("catalog.sqlite")
    before = rows(hub, "key, path, fields, digest")
    with contextlib.closing(sqlite3.connect(catalog)) as found:
        tables = {name for (name,) in found.execute("SELECT name FROM sqlite_master")}

    shutil.rmtree(mirror)
    run_sql(hub.url, "UPDATE hub.repository SET commit = ''", "DELETE FROM hub.memory")
    synced(hub, tmp_path)

    assert [row[0] for row in before] == ["more", "port", "storm"]
    assert rows(hub, "key, path, fields, digest") == before
    assert "memory" in tables
    assert not tables & {"fts", "analysed", "term"}


def test_memory_that_is_gone_becomes_a_tombstone(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    api = make_repository(
        template, tmp_path / "api", make_memory("storm", "A retry storm"), make_memory("port", "A port")
    )
    add_to(hub, api)
    synced(hub, tmp_path)
    git(api, "rm", "-q", "--cached", "-r", ".")
    git(api, "read-tree", "memory")
    git(api, "rm", "-q", "--cached", "gotchas/storm.md")
    commit = git(api, "commit-tree", git(api, "write-tree"), "-p", "memory", "-m", "one less")
    git(api, "update-ref", "refs/heads/memory", commit)

    done = synced(hub, tmp_path)

    assert (done["api"].changed, done["api"].removed) == (0, 1)
    assert [row[0] for row in rows(hub)] == ["port"]
    with connected(hub.url) as connection:
        gone = connection.execute("SELECT path, title, text, fields FROM hub.memory WHERE deleted").fetchall()
        assert list_repositories(connection)[0].commit == commit
    assert gone == [("gotchas/storm.md", "", "", {})]


def test_rewritten_branch_leaves_nothing_of_what_was_purged(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    api = make_repository(template, tmp_path / "api", make_memory("kept", "Kept"))
    before = tip(api)
    put(api, make_memory("purged", "Purged", "The words of a purged memory"))
    add_to(hub, api)
    synced(hub, tmp_path)
    purged = tip(api)
    git(api, "update-ref", "refs/heads/memory", before)
    put(api, make_memory("other", "Other"))

    done = synced(hub, tmp_path)

    assert done["api"].problem == ""
    assert [row[0] for row in rows(hub)] == ["kept", "other"]
    mirror = next((tmp_path / "mirrors").iterdir())
    assert git(mirror, "cat-file", "-t", before) == "commit"
    assert git(mirror, "cat-file", "-t", purged, check=False) == ""


def test_problem_of_one_repository_does_not_stop_the_others(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    good = make_repository(template, tmp_path / "good", make_memory("storm", "A retry storm"))
    foreign = tmp_path / "foreign"
    shutil.copytree(template, foreign)
    git(foreign, "branch", "memory")  # the code under the name of the memory branch
    without = tmp_path / "without"
    shutil.copytree(template, without)
    vanished = make_repository(template, tmp_path / "vanished", make_memory("kept", "Known before it vanished"))
    damaged = make_repository(template, tmp_path / "damaged", make_memory("lost", "Its blob is gone"))
    blob = git(damaged, "rev-parse", "memory:gotchas/lost.md").strip()
    (damaged / ".git" / "objects" / blob[:2] / blob[2:]).unlink()  # git's message about it ends with a NUL
    add_to(hub, good, foreign, without, vanished, damaged, tmp_path / "missing")
    synced(hub, tmp_path, "vanished")
    shutil.rmtree(vanished)

    done = synced(hub, tmp_path)

    assert {name: bool(one.problem) for name, one in done.items()} == {
        "good": False,
        "foreign": True,
        "without": True,
        "vanished": True,
        "damaged": True,
        "missing": True,
    }
    assert "is not a memory store" in done["foreign"].problem
    assert "it has no branch memory" in done["without"].problem
    assert all("\n" not in one.problem for one in done.values())
    assert [row[0] for row in rows(hub)] == ["kept", "storm"]
    with connected(hub.url) as connection:
        listed = {one.name: one.problem for one in list_repositories(connection)}
    assert listed == {name: one.problem for name, one in done.items()}

    shutil.copytree(template, vanished)
    put(vanished, make_memory("kept", "It came back"))
    assert synced(hub, tmp_path, "vanished")["vanished"].problem == ""
    assert [row[1] for row in rows(hub)] == ["It came back", "A retry storm"]


HOSTILE = {
    "gotchas/nul.md": '---\ntitle: "A \\0 in a title"\nkind: gotcha\n---\nx\n',
    "gotchas/half.md": '---\ntitle: "Half \\ud83d of a pair"\nkind: gotcha\nother: "\\udc00"\n---\nx\n',
    "gotchas/quote.md": '---\ntitle: "\'; DROP TABLE hub.memory; --"\nkind: gotcha\n---\n\\. \\N \t tab\n',
    "gotchas/large.md": "---\ntitle: Large\nkind: gotcha\n---\n" + "word " * 12_000 + "\n",
    "gotchas/too-large.md": "---\ntitle: Too large\nkind: gotcha\n---\n" + "word " * 20_000 + "\n",
    "gotchas/broken.md": "---\ntitle: [\n---\n",
    "gotchas/bytes.md": b"---\ntitle: Bytes \xff\n---\n",
    "gotchas/\x1b[31m.md": "---\ntitle: An escape in its name\n---\n",
}


def test_hostile_memories_hide_no_others(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    api = make_repository(template, tmp_path / "api", make_memory("good", "A good one"))
    put_files(api, HOSTILE)
    add_to(hub, api)

    done = synced(hub, tmp_path)

    assert done["api"].problem == ""
    found = {key: (title, text) for key, title, text in rows(hub)}
    assert {"good", "quote", "large"} <= set(found)
    assert {"too-large", "broken"}.isdisjoint(found)
    assert found["quote"] == ("'; DROP TABLE hub.memory; --", "\\. \\N \t tab\n")


def test_memory_that_the_database_refuses_stops_no_others(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    first = make_memory("good", "A good one"), make_memory("bad", "Refused"), make_memory("gone", "Soon refused")
    add_to(hub, make_repository(template, tmp_path / "api", *first))
    add_to(hub, make_repository(template, tmp_path / "web", make_memory("other", "Of another repository")))
    run_sql(hub.admin, "ALTER TABLE hub.memory ADD CHECK (title <> 'Refused')")

    new = synced(hub, tmp_path)
    put(tmp_path / "api", make_memory("gone", "Refused"), make_memory("good", "A better one"))
    changed = synced(hub, tmp_path)["api"]
    run_sql(hub.admin, "ALTER TABLE hub.memory DROP CONSTRAINT memory_title_check")
    again = synced(hub, tmp_path)["api"]

    assert {name: (one.changed, bool(one.problem)) for name, one in new.items()} == {
        "api": (2, True),
        "web": (1, False),
    }
    assert "1 memories cannot be stored (gotchas/bad.md): the database refuses" in new["api"].problem
    assert (changed.changed, changed.removed) == (1, 1)
    assert again == Synced("api", changed=2)
    assert [key for (key,) in rows(hub, "key")] == ["bad", "gone", "good", "other"]


# Where a memory may hold a credential: in each place of its file, also written in another way, and in its commands.
HOLDING = (
    f"title: The token {SECRET}\nkind: gotcha\n",
    f"title: A field\nkind: gotcha\nlogin: {SECRET}\n",
    f"title: A list\nkind: gotcha\nlogins: [ana, {SECRET}]\n",
    f"title: A mapping\nkind: gotcha\nlogin: {{who: ana, with: {SECRET}}}\n",
    f'title: Another spelling\nkind: gotcha\nlogin: "\\x67{SECRET[1:]}"\n',
    f"title: A command\nkind: fact\nverify: curl -u ana:{SECRET} http://localhost\n",
    f"title: A program\nkind: fact\nverify: [curl, -u, {SECRET}]\n",
    f"title: A counterexample\nkind: fact\nverify: 'true'\nrefute: echo {SECRET}\n",
    f"title: A text to find\nkind: fact\nverify: {{contains: {SECRET}, in: a.txt}}\n",
)


def test_no_credential_of_a_memory_reaches_the_database(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    texts = {f"gotchas/g{number}.md": f"---\n{head}---\nA body.\n" for number, head in enumerate(HOLDING)}
    texts["gotchas/body.md"] = f"---\ntitle: A body\n---\nUse {SECRET}.\n"
    api = make_repository(template, tmp_path / "api", make_memory("good", "A good one"))
    put_files(api, texts)
    add_to(hub, api)

    synced(hub, tmp_path)

    with connected(hub.url) as connection:
        stored = dict(connection.execute("SELECT path, m::text FROM hub.memory m").fetchall())
    assert {*texts} <= {*stored}
    assert [path for path, row in stored.items() if SECRET in row] == []


def test_statuses_are_those_of_the_published_verdicts(
    hub: HubDatabase, memory: Memory, repo: Path, tmp_path: Path
) -> None:
    memory.fact("There is a README", exists="README.md", key="readme")
    memory.fact("There is a licence", exists="README.md", key="licence", requires=["readme"])
    memory.remember("Read the README first", key="first", requires=["readme"])
    put(repo, make_memory("plain", "No check"))
    add_to(hub, repo)
    synced(hub, tmp_path)
    before = dict(rows(hub, "key, status"))
    (repo / "README.md").rename(repo / "READ.md")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "rename the readme")
    memory.verify()

    synced(hub, tmp_path)

    assert before == {"readme": "verified", "licence": "verified", "first": "", "plain": ""}
    assert dict(rows(hub, "key, status")) == {"readme": "failed", "licence": "failed", "first": "suspect", "plain": ""}


def test_repository_that_is_removed_meanwhile_stays_removed(
    hub: HubDatabase, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_to(hub, make_repository(template, tmp_path / "api", make_memory("storm", "A retry storm")))

    def remove_first(connection, *args):
        remove(connection, "api")
        return write(connection, *args)

    from gitmem.hub import ingest

    write = ingest.write
    monkeypatch.setattr(ingest, "write", remove_first)

    assert synced(hub, tmp_path)["api"].changed == 0
    assert rows(hub) == []


def test_unknown_name_is_refused(hub: HubDatabase, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no repository nothing"):
        synced(hub, tmp_path, "nothing")


def test_mirror_of_a_removed_repository_is_deleted_by_the_next_sync(
    hub: HubDatabase, template: Path, tmp_path: Path
) -> None:
    for name in ("api", "web"):
        put(Path(shutil.copytree(template, tmp_path / name)), make_memory("storm", "A retry storm"))
    add_to(hub, tmp_path / "api", tmp_path / "web")
    synced(hub, tmp_path)
    newer = tmp_path / "mirrors" / "9.git"  # of a repository that another process has just added
    newer.mkdir()
    with connected(hub.url) as connection:
        remove(connection, "api")

    synced(hub, tmp_path, "web")

    assert sorted(path.name for path in (tmp_path / "mirrors").iterdir()) == ["2.git", "9.git"]
