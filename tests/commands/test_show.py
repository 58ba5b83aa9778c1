"""Show prints one memory in full with the verdict that counts here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files
from support.facts import (
    DAY,
    Clock,
    approve_all,
    make_fact,
    make_memory,
    put,
    result_of,
    verify,
)

from gitmem.errors import AmbiguousKeyError, NotFoundError
from gitmem.memory import Memory
from gitmem.recall.query import Query

RS256 = {"contains": "RS256", "in": "src/auth/jwt.py"}
EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}


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
            "by": "", "signer": "",
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
    assert message["because"] == "src/auth/jwt.py does not contain 'RS256'"


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
    assert there["verdict"]["because"] == "src/auth/jwt.py does not contain 'RS256'"
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
