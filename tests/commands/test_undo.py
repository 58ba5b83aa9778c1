"""Undo reverts the last command in a new commit, and leaves alone what changed since."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.facts import make_memory, put

from gitmem.errors import ConflictError, NotFoundError, RefusedError
from gitmem.memory import Memory


def tree(repo: Path) -> str:
    return git(repo, "rev-parse", "memory^{tree}")


@pytest.mark.parametrize(
    "command",
    [
        lambda memory: memory.remember("The queue is bounded"),
        lambda memory: memory.edit("a", fields={"title": "Deploys need a VPN"}),
        lambda memory: memory.forget("a", why="no longer"),
        lambda memory: memory.supersede("a", "b"),
        lambda memory: memory.bulk.curate("decay", apply=True),
        lambda memory: memory.tasks.add("Write it down", verify=None),
    ],
)
def test_undo_restores_the_state_before_a_command_in_a_new_commit(memory: Memory, repo: Path, command) -> None:
    old = "2025-01-01T00:00:00Z"
    put(repo, make_memory("a", "Deploys need the VPN", created=old), make_memory("b", "Use the tunnel", created=old))
    before = tree(repo)
    command(memory)
    last = tip(repo)
    assert tree(repo) != before

    done = memory.bulk.undo()

    assert (tree(repo), done.undone, git(repo, "rev-parse", "memory^")) == (before, last, last)
    assert git(repo, "show", "-s", "--format=%s", "memory").startswith("undo: ")
    assert {hit.key for hit in memory.list().hits} == {"a", "b"}


def test_repeated_undo_goes_back_until_nothing_is_left(memory: Memory, repo: Path) -> None:
    start = tree(repo)
    for text in ("The queue is bounded", "Deploys need the VPN"):
        memory.remember(text)

    undone = [memory.bulk.undo().keys[0] for _ in range(2)]

    assert undone == ["deploys-need-the-vpn", "the-queue-is-bounded"]
    assert tree(repo) == start
    with pytest.raises(NotFoundError, match="nothing to undo"):
        memory.bulk.undo()
    memory.remember("A third one")
    assert memory.bulk.undo().keys == ("a-third-one",)


def test_undo_refuses_memories_that_changed_again(memory: Memory, repo: Path) -> None:
    memory.remember("The queue is bounded", key="queue")
    last = tip(repo)
    changed = git(repo, "rev-parse", put_files(repo, {"learned/queue.md": memory_text("Another")}) + "^{tree}")
    # A commit that is passed over, as one that undid another command would be.
    message = f"undo: nothing\n\nGitmem-Undoes: {'0' * 40}\n"
    git(repo, "update-ref", "refs/heads/memory", git(repo, "commit-tree", changed, "-p", last, input=message))

    with pytest.raises(ConflictError, match="changed again since: queue"):
        memory.bulk.undo()


def test_undone_memory_that_was_pushed_is_archived_and_stays_archived(memory: Memory, repo: Path, tmp_path) -> None:
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "remote.git"))
    memory.remember("The queue is bounded", key="queue")
    memory.sync()

    done = memory.bulk.undo()

    assert done.archived == ("queue",)
    assert "archive/learned/queue.md" in git(repo, "ls-tree", "-r", "--name-only", "memory")
    memory.sync()
    assert tuple(memory.list().hits) == ()


@pytest.fixture
def clones(repo: Path, tmp_path: Path, run_cli) -> tuple[Path, Path]:
    """Return two clones of one remote, of two people with one name."""
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(repo, "push", "-q", "origin", "HEAD:refs/heads/main")
    assert (run_cli("init").status, run_cli("sync").status) == (0, 0)
    git(tmp_path, "clone", "-q", "-b", "main", "remote.git", "other")
    git(tmp_path / "other", "config", "user.name", "Ana")
    git(tmp_path / "other", "config", "user.email", "ana.b@example.org")
    assert run_cli("init", cwd=tmp_path / "other").status == 0
    return repo, tmp_path / "other"


@pytest.mark.parametrize("who_merges", [0, 1])
def test_merges_and_what_others_did_are_passed_over(clones: tuple[Path, Path], run_cli, who_merges: int) -> None:
    texts = ("The queue is bounded", "Deploys need the VPN")
    for one, text in zip(clones, texts, strict=True):
        (one / ".mailmap").write_text("Ana <ana@example.org> <ana.b@example.org>\n")
        assert run_cli("remember", text, cwd=one).status == 0
    for at in (1 - who_merges, who_merges, 1 - who_merges):
        assert run_cli("sync", cwd=clones[at]).status == 0

    for one, text in zip(clones, texts, strict=True):
        done = run_cli("undo", cwd=one)
        assert (done.status, text.lower().replace(" ", "-") in done.out + done.err) == (0, True), done
        assert run_cli("undo", "--dry-run", cwd=one).status == 2


def test_own_change_below_what_was_fetched_is_undone(clones: tuple[Path, Path], run_cli) -> None:
    mine, theirs = clones
    for one in clones:
        assert run_cli("remember", f"A thing of {one.name} to keep", "--key", one.name, cwd=one).status == 0
        assert (run_cli("sync", cwd=one).status, run_cli("sync", cwd=mine).status) == (0, 0)

    done = run_cli("undo", "--json", cwd=mine)

    assert (done.status, mine.name in done.out, theirs.name in done.out) == (0, True, False)


def test_what_another_person_did_is_undone_before_it_was_shared_only(memory: Memory, repo: Path) -> None:
    memory.remember("The queue is bounded")
    by_bo = ("-c", "user.name=Bo", "-c", "user.email=bo@example.org", "commit-tree", "memory^{tree}")
    theirs = git(repo, *by_bo, "-p", "memory^", "-m", "learned: add the-queue-is-bounded")
    git(repo, "update-ref", "refs/heads/memory", theirs)
    git(repo, "update-ref", "refs/remotes/origin/memory", theirs)

    with pytest.raises(RefusedError, match=f"by Bo <bo@example.org> .{theirs[:12]}, .*, and was fetched"):
        memory.bulk.undo()

    git(repo, "update-ref", "-d", "refs/remotes/origin/memory")
    assert memory.bulk.undo().undone == theirs


@pytest.mark.parametrize(
    "who", [("user.name=Bo", "user.email=bo@new.org"), ("user.name=B", "user.email=Bo@Example.org")]
)
def test_what_the_same_person_did_under_another_address_is_undone(who: tuple[str, str], repo: Path, run_cli) -> None:
    git(repo, "config", "user.name", "Bo")
    git(repo, "config", "user.email", "bo@example.org")
    for command in (("init",), ("remember", "The queue is bounded")):
        assert run_cli(*command).status == 0
    git(repo, "update-ref", "refs/remotes/origin/memory", "memory")
    for setting in who:
        git(repo, "config", *setting.split("="))

    assert run_cli("undo").status == 0
