"""Log follows a memory and its verdicts through kinds, folders and merges."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import CODE, NOW, commit_files, git, memory_text, put_files, tip
from support.facts import (
    Clock,
    loose_file,
    make_fact,
    make_memory,
    put,
    verdict_file,
    verify,
)

from gitmem.commands import log
from gitmem.memory import Memory
from gitmem.store.commit import pack
from gitmem.store.layout import SPLIT_ABOVE, VERDICT_LIMIT, memory_path, shard

RS256 = {"contains": "RS256", "in": "src/auth/jwt.py"}
EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}


def history(memory: Memory, key: str, *, limit: int = 100) -> list[tuple[str, str, str]]:
    """Return what, outcome and subject of each row of a log."""
    return [(row.what, row.outcome, row.subject) for row in memory.log(key, limit=limit)]


def write_commit(folder: Path, *, subject: str = "s", who: str = "M <m@e>", at: object = NOW) -> str:
    """Write a commit of the memory branch's present tree that no git would make, and return it."""
    tree, parent = git(folder, "rev-parse", "refs/heads/memory^{tree}"), tip(folder)
    text = f"tree {tree}\nparent {parent}\nauthor {who} {at} +0000\ncommitter {who} {at} +0000\n\n{subject}\n"
    made = git(folder, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", input=text)
    git(folder, "update-ref", "refs/heads/memory", made)
    return made


def test_log_has_every_change_and_every_verdict_the_newest_first(memory: Memory, repo: Path) -> None:
    held = git(repo, "rev-parse", "HEAD")
    memory.remember("", title="Tokens are signed", kind="fact", key="a", more={"verify": RS256})
    verify(memory)
    failed = commit_files(repo, EDDSA)
    verify(memory)
    commit_files(repo, CODE)
    verify(memory)
    memory.remember("", title="Tokens are signed with RS256", kind="fact", key="a", more={"verify": RS256})

    rows = memory.log("a", limit=100)

    assert [(row.what, row.outcome, row.code_commit) for row in rows] == [
        ("memory", "", ""),
        ("verdict", "holds", held),  # known of these inputs: the check did not have to run
        ("verdict", "fails", failed),
        ("verdict", "holds", held),
        ("memory", "", ""),
    ]
    assert rows[2].because == "src/auth/jwt.py does not contain 'RS256'"
    assert [row.commit for row in rows] == git(repo, "rev-list", "memory", "-5").split("\n")
    assert {row.at for row in rows} == {"2026-09-21T14:13:20Z"}


def test_log_follows_a_memory_through_edit_archive_and_return(memory: Memory) -> None:
    memory.remember("first", key="a")
    memory.remember("second", key="a", kind="gotcha")
    memory.forget("a", why="gone")
    memory.remember("third", key="a")

    assert [subject for _, _, subject in history(memory, "a")] == [
        "learned: restore a", "memory: forget a", "gotcha: update a", "learned: add a",
    ]  # fmt: skip
    assert history(memory, "a", limit=2) == history(memory, "a")[:2]


def test_log_follows_a_memory_through_all_the_kinds_that_it_was_of(memory: Memory, repo: Path) -> None:
    for kind in ("learned", "gotcha", "recipe", "learned"):
        memory.remember(f"as a {kind}", key="a", kind=kind)
        memory.remember(f"something else, {kind}", key=f"other-{kind}")
    # A folder of a kind that is neither built in nor in the policy, and is gone.
    put_files(repo, {"runbooks/b.md": memory_text("B")})
    moved = "D runbooks/b.md\nM 100644 inline learned/b.md\ndata 17\n---\ntitle: B\n---\n\n"
    head = f"commit refs/heads/memory\ncommitter M <m@e> {NOW} +0000\ndata 5\nmoved\nfrom refs/heads/memory^0\n"
    git(repo, "fast-import", "--quiet", input=head + moved)

    assert [subject for _, _, subject in history(memory, "a")] == [
        "learned: update a", "recipe: update a", "gotcha: update a", "learned: add a",
    ]  # fmt: skip
    assert [subject for _, _, subject in history(memory, "b")] == ["moved", "pushed"]


def test_log_is_the_same_with_filters_of_changed_paths(
    memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("learned", "gotcha"):
        memory.remember(f"as a {kind}", key="b", kind=kind)
    memory.remember("", title="Tokens are signed", kind="fact", key="a", more={"verify": RS256})
    for files in (CODE, EDDSA, CODE):
        commit_files(repo, {**files, "other.py": str(len(files))})
        verify(memory)
    before = memory.log("a", limit=100), memory.log("b", limit=100)
    monkeypatch.setattr(pack, "COMMITS", 1)

    assert pack.count(memory.repository.git, tip(repo))

    assert (memory.log("a", limit=100), memory.log("b", limit=100)) == before
    assert len(before[0]) > 3


def test_log_of_a_memory_that_never_moved_is_that_of_all_its_possible_places(
    memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = ("stays", "moves", "returns", "twice")
    for key in keys:
        memory.remember(f"first of {key}", key=key)
        memory.remember(f"second of {key}", key=key)
    memory.remember("as a gotcha", key="moves", kind="gotcha")
    memory.forget("returns")
    memory.restore("returns")
    put_files(repo, {memory_path("learned", "twice", split=True): memory_text("in both layouts")})
    searched: list[str] = []
    read = log._Walk.read
    monkeypatch.setattr(log._Walk, "read", lambda walk, paths: [searched.append(paths[0]), read(walk, paths)][1])
    memory.log("stays", limit=100)
    assert [path for path in searched if path.endswith(".md")] == ["learned/stays.md"]

    found = {key: memory.log(key, limit=100) for key in keys}
    monkeypatch.setattr(log, "_was_always_there", lambda *_: False)

    assert {key: memory.log(key, limit=100) for key in keys} == found
    assert {key: len(rows) for key, rows in found.items()} == {"stays": 2, "moves": 3, "returns": 4, "twice": 3}


def test_newest_entries_of_a_fact_are_the_first_ones_of_its_whole_log(memory: Memory, repo: Path) -> None:
    memory.remember("", title="Tokens are signed", kind="fact", key="a", more={"verify": RS256})
    for files in (CODE, EDDSA, CODE, EDDSA):
        commit_files(repo, {**files, "other.py": "x"})
        verify(memory)
    memory.remember("", title="Tokens are signed with RS256", kind="fact", key="a", more={"verify": RS256})
    whole = memory.log("a", limit=100)

    assert [row.what for row in whole] == ["memory", *["verdict"] * 4, "memory"]
    for limit in range(1, 6):
        assert memory.log("a", limit=limit) == whole[:limit]
    memory.fact("There is a README", exists="README.md", key="b")  # the memory and its verdict in one commit
    assert [(row.what, row.outcome) for row in memory.log("b", limit=1)] == [("memory", "holds")]


def test_end_of_a_shallow_clone_is_not_taken_for_a_change(memory: Memory, repo: Path) -> None:
    memory.remember("", title="Tokens are signed", kind="fact", key="a", more={"verify": RS256})
    verify(memory)
    memory.remember("something else", key="b")
    memory.remember("something else again", key="c")
    git(repo.parent, "clone", "-q", "--no-single-branch", "--depth=2", f"file://{repo}", "shallow")
    git(repo.parent / "shallow", "branch", "-q", "memory", "origin/memory")

    with Memory(repo.parent / "shallow") as clone:
        assert [row.subject for row in clone.log("c", limit=9)] == ["learned: add c"]
        assert clone.log("a", limit=9) == clone.log("b", limit=9) == []
        assert any("git fetch --unshallow" in notice for notice in clone.repository.notices)
        assert clone.show("a").verdict is not None


def test_retired_memory_has_a_log(memory: Memory) -> None:
    memory.remember("first", key="a")
    memory.forget("a")

    assert [subject for _, _, subject in history(memory, "a")] == ["memory: forget a", "learned: add a"]


def test_log_includes_changes_in_the_archive(memory: Memory, repo: Path) -> None:
    memory.remember("first", key="a")
    memory.forget("a")
    put_files(repo, {"archive/learned/a.md": memory_text("changed there")})
    put_files(repo, {memory_path("learned", "a", split=True, archived=True): memory_text("and there")})

    assert [subject for _, _, subject in history(memory, "a")] == [
        "pushed", "pushed", "memory: forget a", "learned: add a",
    ]  # fmt: skip


def test_log_follows_memory_and_verdicts_through_the_split_of_the_folder(memory: Memory, repo: Path) -> None:
    memory.remember("", title="Tokens are signed", kind="fact", key="a", more={"verify": RS256})
    verify(memory, "a")
    put(repo, *(make_fact(f"f{n}", {"exists": f"src/{n}"}) for n in range(SPLIT_ABOVE - 1)))

    memory.remember("", title="One too many", kind="fact", key="b", more={"verify": {"exists": "README.md"}})

    assert memory.show("a").document["path"] == memory_path("facts", "a", split=True)
    assert [(what, outcome) for what, outcome, _ in history(memory, "a")] == [
        ("memory", ""), ("verdict", "holds"), ("memory", ""),
    ]  # fmt: skip
    assert [subject for _, _, subject in history(memory, "b")] == ["fact: add b"]
    assert memory.show("a").document["status"] == "verified"


def test_log_excludes_keys_with_the_same_beginning(memory: Memory, repo: Path) -> None:
    # Verdicts of both lie in one folder.
    other = next(f"a.{n}" for n in range(10_000) if shard(f"a.{n}") == shard("a"))
    put(repo, make_fact("a", RS256))
    put(repo, make_fact(other, RS256), make_memory("aa", "AA"), make_memory("b.a", "BA"))
    verify(memory, "a")
    verify(memory, other)
    put_files(repo, {".github/a.md": "not a memory", "x/y/z/a.md": "nor this", "a.md": "nor that"})

    assert [(what, outcome) for what, outcome, _ in history(memory, "a")] == [("verdict", "holds"), ("memory", "")]
    assert [(what, outcome) for what, outcome, _ in history(memory, other)] == [("verdict", "holds"), ("memory", "")]


def test_log_shows_changes_from_a_merge(memory: Memory, repo: Path) -> None:
    memory.remember("ours", key="a")
    start = tip(repo)
    git(repo, "update-ref", "refs/heads/other", start)
    put_files(repo, {"learned/a.md": memory_text("theirs")}, ref="refs/heads/other")
    memory.remember("something else", key="b")
    tree = git(repo, "merge-tree", "--write-tree", "memory", "other") if _can_merge(repo) else ""
    if not tree:
        pytest.skip("this git cannot merge without a work tree")
    made = git(repo, "commit-tree", tree, "-p", "memory", "-p", "other", "-m", "merge")
    git(repo, "update-ref", "refs/heads/memory", made)

    assert [subject for _, _, subject in history(memory, "a")] == ["pushed", "learned: add a"]


def _can_merge(folder: Path) -> bool:
    return bool(git(folder, "merge-tree", "--write-tree", "memory", "other", check=False))


MESSAGES = (
    "a\x01b\x02c",
    "\x01" * 9,
    "\x02" * 9,
    "\x1b[2J\x07",
    ":100644 100644 x y M",
    "",
    "ends in a line\n\n:000000",
    "é\u202e",
)


def test_no_commit_message_breaks_the_log(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "First"))
    tree = git(repo, "rev-parse", "memory^{tree}")
    for message in MESSAGES:
        made = git(repo, "commit-tree", tree, "-F", "-", input=message or "\n")
        git(repo, "update-ref", "refs/heads/memory", made)
        put(repo, make_memory("a", "Second"))

        rows = memory.log("a", limit=10)

        assert [row.commit for row in rows] == [tip(repo), made], message
        assert [row.what for row in rows] == ["memory", "memory"]
        assert rows[1].subject == git(repo, "log", "-1", "--format=%s", made)


AUTHORS = ("\x01\x02\x02\x02\x02 <\x02>", "\x1b[31m <m@e>", " <>", "A\x00B <m@e>")
DATES = (0, -1, 4102444800, 10**18, 10**20, "soon")


@pytest.mark.parametrize("strange", [[(who, NOW) for who in AUTHORS], [("M <m@e>", at) for at in DATES]], ids=len)
def test_no_author_or_date_of_a_commit_breaks_the_log(
    memory: Memory, repo: Path, strange: list[tuple[str, object]]
) -> None:
    put(repo, make_memory("a", "First"))
    for number, (who, at) in enumerate(strange):
        put_files(repo, {f"learned/b{number}.md": memory_text("B")})
        write_commit(repo, who=who, at=at)
    put(repo, make_memory("a", "Second"))

    rows = memory.log("a", limit=100)

    assert [row.subject for row in rows] == ["pushed", "pushed"]
    assert memory.show("a").document["title"] == "Second"


def test_commit_with_an_impossible_date_is_an_ordinary_row(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("b", "B"))
    tree = git(repo, "rev-parse", "memory^{tree}")
    for date in (10**13, 10**18, 10**20):
        text = f"tree {tree}\nauthor M\x02 <m> {date} +0000\ncommitter M\x02 <m> {date} +0000\n\nroot\n"
        made = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", input=text)
        git(repo, "update-ref", "refs/heads/memory", made)

        (row,) = memory.log("b", limit=10)

        assert (row.commit, row.subject) == (made, "root")
        assert row.at == "" or row.at.endswith("Z")


def test_verdict_file_that_cannot_be_read_is_a_row_without_an_outcome(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    verify(memory)
    path = loose_file(memory, "a")
    for content in ("not toml [", "x" * (VERDICT_LIMIT + 1), b"\xff\xfe", 'outcome = "holds"\n'):
        put_files(repo, {path: content})

    rows = memory.log("a", limit=10)

    assert [row.outcome for row in rows] == ["", "", "", "", "holds", ""]
    assert [row.what for row in rows] == ["verdict"] * 5 + ["memory"]


def test_deleted_verdict_is_a_row_without_an_outcome(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    verify(memory)
    path = verdict_file(memory, "a")
    stream = (
        f"commit refs/heads/memory\ncommitter M <m@e> {NOW} +0000\ndata 1\nx\nfrom refs/heads/memory^0\nD {path}\n\n"
    )
    git(repo, "fast-import", "--quiet", input=stream)

    assert [row.outcome for row in memory.log("a", limit=10)] == ["", "holds", ""]


SETTINGS = {
    "color.ui": "always", "log.showSignature": "true", "log.date": "relative", "format.pretty": "oneline",
    "i18n.logOutputEncoding": "latin1", "log.follow": "true", "diff.renames": "copies", "log.decorate": "full",
    "diff.orderFile": "/nonexistent", "log.abbrevCommit": "true", "core.abbrev": "5", "diff.noprefix": "true",
    "log.showRoot": "false", "diff.external": "false", "log.mailmap": "true", "core.quotePath": "true",
    "log.diffMerges": "separate", "diff.relative": "true", "core.pager": "false", "log.initialDecorationSet": "all",
}  # fmt: skip


def test_no_setting_of_the_user_changes_the_log(memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repo, make_fact("a", RS256, title="Größe"))
    git(repo, "config", "user.name", "Zoë Größe")
    with Memory(repo, clock=Clock()) as opened:
        opened.remember("", title="Größe und mehr", kind="fact", key="a", more={"verify": RS256})
        verify(opened)
    before = memory.log("a", limit=10)
    assert [row.who for row in before] == ["gitmem", "Zoë Größe", "Mallory"]

    values = {}
    for name, value in SETTINGS.items():
        git(repo, "config", name, value)
        monkeypatch.chdir(repo / "src" / "auth")
        with Memory(clock=Clock()) as opened:
            values[name] = opened.log("a", limit=10)
        git(repo, "config", "--unset", name)

    assert {name: rows for name, rows in values.items() if rows != before} == {}


def test_log_of_a_repository_that_was_moved_is_the_same(memory: Memory, repo: Path, tmp_path: Path) -> None:
    put(repo, make_fact("a", RS256))
    verify(memory)
    before = memory.log("a", limit=10)

    moved = Path(shutil.move(repo, tmp_path / "a folder é\nwith 'everything'"))

    with Memory(moved, clock=Clock()) as opened:
        assert opened.log("a", limit=10) == before
        assert opened.show("a").document["verdict"]["own"] is True


def test_log_prints_no_control_character(run_cli, memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A"))
    tree = git(repo, "rev-parse", "memory^{tree}")
    text = f"tree {tree}\nauthor \x1b[31m\u202e <m> {NOW} +0000\ncommitter M <m> {NOW} +0000\n\n\x1b[2J\x07\u202e\n"
    made = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", input=text)
    git(repo, "update-ref", "refs/heads/memory", made)

    for out in (run_cli("log", "a").out, run_cli("log", "a", "--json").out):
        assert out
        assert not any(char in out for char in "\x1b\x07\u202e")
