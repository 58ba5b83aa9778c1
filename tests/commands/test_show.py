"""Show prints one memory in full with the verdict that counts here; log follows memory and verdicts when they move."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import CODE, NOW, commit_files, git, memory_text, put_files, tip
from support.facts import (
    DAY,
    Clock,
    approve_all,
    loose_file,
    make_fact,
    make_memory,
    put,
    result_of,
    verdict_file,
    verify,
)

from gitmem.errors import AmbiguousKeyError, NotFoundError
from gitmem.memory import Memory
from gitmem.recall import Query
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


# Show


def test_memory_is_shown_in_full_with_unknown_fields(memory: Memory, repo: Path) -> None:
    body = "First line.\n\n    indented\n\n\n- Größe 東京\n\nlast\n\n"
    put(repo, make_memory("a", "A title", body, tags=["x", "event loop"], colour={"deep": [1, None, True]}))

    found = memory.show("a").document

    assert found["body"] == body
    assert (found["key"], found["kind"], found["title"], found["status"]) == ("a", "gotcha", "A title", "")
    assert found["frontmatter"]["colour"] == {"deep": [1, None, True]}
    assert found["frontmatter"]["tags"] == ["x", "event loop"]
    assert found["path"] == "gotchas/a.md"
    assert git(repo, "cat-file", "blob", found["blob"]) == git(repo, "show", "memory:gotchas/a.md")
    assert (found["verdict"], found["because"]) == (None, [])
    assert not (found["archived"] or found["superseded"] or found["expired"])


def test_shown_verdict_has_commit_and_time(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    assert memory.show("a").document["verdict"] is None
    assert memory.show("a").document["status"] == "unproven"

    verify(memory)

    found = memory.show("a").document
    assert found["status"] == "verified"
    assert found["verdict"] | {"seconds": 0} == {
        "outcome": "holds", "commit": git(repo, "rev-parse", "HEAD"), "at": "2026-09-21T14:13:20Z",
        "because": "src/auth/jwt.py:1 contains 'RS256'",
        "culprit": "", "culprit_after": "", "sandbox": "builtin", "seconds": 0,
        "held_commit": git(repo, "rev-parse", "HEAD"),
        "held_at": "2026-09-21T14:13:20Z", "confirmed": True, "weak": False, "own": True, "fresh": True,
        "reads": "", "tools": "",
        "environment": "", "undeclared": [], "outside": "", "moved": [],
        "expires_at": "2026-10-21T14:13:20Z", "held_last": "", "elsewhere": "",
    }  # fmt: skip


def test_verdict_of_a_failure_names_the_commit_where_it_last_held(repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    held, clock = git(repo, "rev-parse", "HEAD"), Clock()
    with Memory(repo, clock=clock) as memory:
        verify(memory)
        failed = commit_files(repo, EDDSA)
        clock.now += DAY
        verify(memory)
        found = memory.show("a").document

    assert found["status"] == "failed"
    message = found["verdict"]
    assert (message["outcome"], message["commit"], message["held_commit"]) == ("fails", failed, held)
    assert (message["held_at"], message["at"]) == ("2026-09-21T14:13:20Z", "2026-09-22T14:13:20Z")
    assert message["because"] == "no file of src/auth/jwt.py contains 'RS256'"


def test_verdict_of_other_inputs_is_shown_as_not_fresh(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    verify(memory)

    commit_files(repo, EDDSA)

    found = memory.show("a").document
    assert (found["status"], found["verdict"]["outcome"], found["verdict"]["fresh"]) == ("stale", "holds", False)


def test_each_branch_of_the_code_shows_its_own_verdict(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    verify(memory)
    git(repo, "checkout", "-q", "-b", "eddsa")
    commit_files(repo, EDDSA)
    verify(memory)

    there = memory.show("a").document
    git(repo, "checkout", "-q", "main")
    here = memory.show("a").document

    assert (there["status"], there["verdict"]["outcome"]) == ("failed", "fails")
    assert there["verdict"]["because"] == "no file of src/auth/jwt.py contains 'RS256'"
    assert (here["status"], here["verdict"]["outcome"]) == ("verified", "holds")


def test_verdict_from_the_branch_is_shown_as_a_claim(memory: Memory, repo: Path, tmp_path: Path) -> None:
    put(repo, make_fact("a", RS256))
    verify(memory)
    git(tmp_path, "clone", "-q", str(repo), "clone")

    with Memory(tmp_path / "clone", clock=Clock()) as clone:
        found = clone.show("a").document

    assert (found["status"], found["verdict"]["own"]) == ("verified", False)
    assert memory.show("a").document["verdict"]["own"] is True


def test_changed_command_leaves_no_verdict_to_show(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    verify(memory)

    put(repo, make_fact("a", {"contains": "sign", "in": "src/auth/jwt.py"}))

    found = memory.show("a").document
    assert (found["status"], found["verdict"]) == ("unproven", None)


def test_blocked_run_is_shown_beside_the_last_verdict(repo: Path) -> None:
    tool = repo.parent / "tool"
    tool.touch()
    put(repo, make_fact("a", f"test -f {tool} || exit 127"))
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        approve_all(memory)
        verify(memory)
        tool.unlink()
        commit_files(repo, {"new.txt": "x\n"})
        clock.now += 60
        run = verify(memory)
        found = memory.show("a").document

    assert result_of(run, "a").outcome == "blocked"
    assert (found["status"], found["verdict"]["outcome"]) == ("blocked", "holds")
    assert found["verdict"]["attempt_at"] == "2026-09-21T14:14:20Z"
    assert "127" in found["verdict"]["attempt"]


def test_first_run_that_is_blocked_is_shown_without_a_verdict(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", "exit 126"))
    approve_all(memory)
    verify(memory)

    found = memory.show("a").document

    assert (found["status"], found["verdict"]["outcome"]) == ("blocked", "")
    assert "126" in found["verdict"]["attempt"]


def test_suspect_shows_its_chain_to_the_failed_fact_through_keys_and_labels(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("root", {"exists": "nope"}, produces=["tokens"]),
        make_memory("near", "Near", requires=["tokens"]),
        make_fact("middle", {"exists": "README.md"}, requires=["near"]),
        make_memory("far", "Far", requires=["middle"]),
        make_memory("too-far", "Too far", requires=["far"]),
    )
    verify(memory)

    assert memory.show("root").document["because"] == []
    assert memory.show("near").document["because"] == ["root"]
    assert memory.show("far").document["because"] == ["middle", "near", "root"]
    assert [memory.show(key).document["status"] for key in ("root", "near", "middle", "far", "too-far")] == [
        "failed", "suspect", "suspect", "suspect", "",
    ]  # fmt: skip


def test_archived_memory_is_shown_by_its_whole_key_with_who_retired_it(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("auth-old", RS256, body="the text\n"), make_memory("auth-new", "New"))
    verify(memory)

    memory.forget("auth-old", why="the gateway is gone")

    found = memory.show("auth-old").document
    assert found["archived"]
    assert found["path"] == "archive/facts/auth-old.md"
    assert found["body"] == "the text\n"
    assert found["frontmatter"]["retired"]["why"] == "the gateway is gone"
    assert memory.show("auth-").document["key"] == "auth-new"


def test_live_file_is_shown_before_a_retired_one_with_its_key(memory: Memory, repo: Path) -> None:
    put_files(repo, {"archive/gotchas/a.md": memory_text("Old"), "notes/a.md": memory_text("New", kind="note")})

    found = memory.show("a").document

    assert (found["title"], found["archived"], found["path"]) == ("New", False, "notes/a.md")


def test_expired_memory_is_shown_by_its_key(repo: Path) -> None:
    put(repo, make_memory("a", "A", kind="session", created="2026-01-01T00:00:00Z"))

    with Memory(repo, clock=Clock()) as memory:
        assert memory.recall(Query()).hits == ()
        assert memory.show("a").document["expired"]


@pytest.mark.parametrize(
    ("typed", "error"), [("auth-", AmbiguousKeyError), ("nope", NotFoundError), ("", NotFoundError)]
)
def test_key_of_no_memory_or_of_several_is_an_error(memory: Memory, repo: Path, typed: str, error: type) -> None:
    put(repo, make_memory("auth-a", "A"), make_memory("auth-b", "B"))

    with pytest.raises(error):
        memory.show(typed)


def test_file_that_cannot_be_read_is_named_with_its_problem(memory: Memory, repo: Path) -> None:
    put_files(repo, {"gotchas/a.md": "---\ntitle: [\n---\n", "gotchas/a-longer.md": memory_text("fine")})

    with pytest.raises(NotFoundError) as caught:
        memory.show("a")

    assert "gotchas/a.md" in caught.value.message
    assert caught.value.hint == "gitmem doctor"
    assert memory.show("a-l").document["title"] == "fine"


def test_showing_writes_nothing_to_the_branch_or_the_work_tree(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", RS256))
    before = git(repo, "for-each-ref"), git(repo, "status", "--porcelain")

    memory.show("a")
    memory.log("a", limit=10)

    assert (git(repo, "for-each-ref"), git(repo, "status", "--porcelain")) == before


# Log


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
    assert rows[2].because == "no file of src/auth/jwt.py contains 'RS256'"
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


@pytest.mark.parametrize(
    "subject",
    [
        "a\x01b\x02c",
        "\x01" * 9,
        "\x02" * 9,
        "\x1b[2J\x07",
        ":100644 100644 x y M",
        "",
        "ends in a line\n\n:000000",
        "é\u202e",
    ],
    ids=repr,
)
def test_no_commit_message_breaks_the_log(memory: Memory, repo: Path, subject: str) -> None:
    put(repo, make_memory("a", "First"))
    tree = git(repo, "rev-parse", "memory^{tree}")
    git(repo, "update-ref", "refs/heads/memory", "HEAD", tip(repo))
    made = git(repo, "commit-tree", tree, "-F", "-", input=subject or "\n")
    git(repo, "update-ref", "refs/heads/memory", made)
    put(repo, make_memory("a", "Second"))

    rows = memory.log("a", limit=10)

    assert [row.commit for row in rows] == [tip(repo), made]
    assert [row.what for row in rows] == ["memory", "memory"]
    assert rows[1].subject == git(repo, "log", "-1", "--format=%s", made)


@pytest.mark.parametrize("who", ["\x01\x02\x02\x02\x02 <\x02>", "\x1b[31m <m@e>", " <>", "A\x00B <m@e>"], ids=repr)
@pytest.mark.parametrize("at", [0, -1, 4102444800, 10**18, 10**20, "soon"])
def test_no_author_or_date_of_a_commit_breaks_the_log(memory: Memory, repo: Path, who: str, at: object) -> None:
    put(repo, make_memory("a", "First"))
    put_files(repo, {"learned/b.md": memory_text("B")})
    first = write_commit(repo, who=who, at=at)
    put(repo, make_memory("a", "Second"))
    git(repo, "replace", "-d", "HEAD", check=False)

    rows = memory.log("a", limit=10)

    assert len(rows) == 2
    assert first not in [row.commit for row in rows]
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


# The commands


def test_show_prints_no_control_character(run_cli, memory: Memory, repo: Path) -> None:
    put_files(
        repo,
        {"learned/a.md": memory_text(r'"\e[31mred\u202E\e]0;x\a"', body="\x1b[2Jbody\r\u200b\n", tags=r'["\e[1m"]')},
    )

    text, document = run_cli("show", "a"), run_cli("show", "a", "--json")

    assert text.status == document.status == 0
    for out in (text.out, document.out):
        assert not any(char in out for char in "\x1b\x07\r\u202e\u200b")
    assert json.loads(document.out)["body"] == "\x1b[2Jbody\r\u200b\n"
    assert r"\x1b[2Jbody\x0d\u{200b}" in text.out


def test_log_prints_no_control_character(run_cli, memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A"))
    tree = git(repo, "rev-parse", "memory^{tree}")
    text = f"tree {tree}\nauthor \x1b[31m\u202e <m> {NOW} +0000\ncommitter M <m> {NOW} +0000\n\n\x1b[2J\x07\u202e\n"
    made = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", input=text)
    git(repo, "update-ref", "refs/heads/memory", made)

    for out in (run_cli("log", "a").out, run_cli("log", "a", "--json").out):
        assert out
        assert not any(char in out for char in "\x1b\x07\u202e")
