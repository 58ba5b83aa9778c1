"""Memories that only this clone has move to the proposal, also if a process is killed or another one writes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.proposals import AUTH, clone, forge, keys, opened, paths, propose, refs, remember, shared_folder  # noqa: F401 - fixtures
from support.views import files_of

from gitmem.errors import ConflictError, ForeignBranchError, NoRepositoryError, NotFoundError, RefusedError
from gitmem.store.proposal import read_current_proposal


def test_unpushed_commits_move_and_the_memory_branch_equals_the_remote(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily", two="Refresh tokens rotate weekly")
    before = tip(repo)

    done = propose(repo, "auth")

    assert (done.moved, done.pushed, done.added, done.is_new) == (2, True, ("one", "two"), True)
    assert tip(repo, AUTH) == before == tip(hub, AUTH)
    assert tip(repo) == tip(hub) == tip(repo, "refs/remotes/origin/memory")
    assert keys(repo) == ["idle", "one", "two"]
    assert "learned/one.md" not in paths(repo)


def test_proposal_without_unpushed_commits_begins_with_the_next_write(repo: Path, hub: Path) -> None:
    done = propose(repo, "auth")
    assert (done.moved, done.pushed, done.commit, done.link) == (0, False, "", "")
    assert AUTH not in refs(repo)
    assert keys(repo) == ["idle"]

    with opened(repo) as memory:
        memory.remember("Tokens rotate daily", key="one")
        assert memory.notices == ["written to the proposal auth: gitmem propose pushes it"]
        document = memory.status().document
    assert (document["proposal"], document["branch"], document["memories"]) == ("auth", "gitmem/auth", 2)
    assert tip(repo) == tip(hub)
    assert propose(repo).added == ("one",)
    assert git(hub, "merge-base", "memory", "gitmem/auth") == tip(hub)


@pytest.mark.whole_system
def test_all_writes_go_to_the_current_proposal(repo: Path, hub: Path) -> None:
    with opened(repo) as memory:
        memory.view.make()
        memory.capture("Captured before it began", key="before")
        memory.proposals.send("auth")
        memory.capture("Captured while it is current", key="after")
        memory.captures.drain()
        shown = repo / ".memory/learned"
        (shown / "idle.md").write_text((shown / "idle.md").read_text().replace("drops", "closes"))
        memory.view.save()
        assert "learned/after.md" in files_of(repo / ".memory")
        context = memory.context(paths=(), budget_tokens=500).document
        memory.capture("Captured before it was left", key="last")
        memory.proposals.switch("memory")

        assert "learned/after.md" not in files_of(repo / ".memory")
        memory.remember("Written when it was left", key="left")
    assert "new memories go to the proposal auth" in str(context["sections"][0])
    assert "closes" in git(repo, "show", f"{AUTH}:learned/idle.md")
    assert {"learned/before.md", "learned/after.md", "learned/last.md"} <= set(paths(repo, AUTH))
    assert "learned/left.md" in paths(repo)
    assert keys(repo) == ["idle", "left"]


def test_commit_in_the_view_stays_on_its_branch(repo: Path, hub: Path) -> None:
    with opened(repo) as memory:
        memory.view.make()
        memory.proposals.send("auth")
        (repo / ".memory/learned/mine.md").write_text(memory_text("Written in the view"))
        git(repo / ".memory", "add", "-A")
        git(repo / ".memory", "commit", "-q", "-m", "by hand")

        memory.proposals.switch("memory")

    assert "learned/mine.md" in paths(repo, AUTH)
    assert "learned/mine.md" not in paths(repo)
    assert not (repo / ".memory/learned/mine.md").exists()


def test_proposal_of_the_remote_can_be_made_current(repo: Path, hub: Path) -> None:
    other = clone(repo)
    remember(other, theirs="Bob knows about tokens")
    propose(other, "auth")

    with opened(repo) as memory:
        memory.proposals.send("mine", push=False)
        assert memory.proposals.switch("auth") == "gitmem/auth"
        with pytest.raises(NotFoundError, match="no proposal nothing"):
            memory.proposals.switch("nothing")
    assert keys(repo) == ["idle", "theirs"]


def test_second_propose_moves_later_writes_to_memory(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    with opened(repo) as memory:
        memory.proposals.switch("memory")
    remember(repo, two="Keys live in the vault")

    done = propose(repo, "auth")

    assert (done.moved, done.added) == (1, ("one", "two"))
    assert tip(repo) == tip(hub)


@pytest.mark.whole_system
@pytest.mark.parametrize(
    "code", ["b.advance = stop", "b.advance = behind", "from gitmem.git import remotes as r; r.push = stop"]
)
def test_killed_propose_loses_nothing_and_is_finished_later(repo: Path, hub: Path, code: str) -> None:
    remember(repo, one="Tokens rotate daily")
    written = tip(repo)
    script = (
        "import os, signal\nfrom gitmem.commands.propose import begin as b\nreal = b.advance\n"
        "def stop(*a, **k): os.kill(os.getpid(), signal.SIGKILL)\n"
        "def behind(*a, **k): real(*a, **k); stop()\n"
        f"{code}\nfrom gitmem import Memory\nMemory({str(repo)!r}).proposals.send('auth')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert keys(repo) == ["idle", "one"]
    other = clone(repo)

    with opened(other) as memory:
        memory.sync()
    again = propose(repo, "auth")

    assert tip(hub) == tip(repo) == tip(other)
    assert tip(repo, AUTH) == tip(other, AUTH) == tip(hub, AUTH) == written
    assert again.added == ("one",)


def test_stale_lock_does_not_prevent_finishing_a_killed_propose(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    locks = [repo / f".git/refs/heads/{name}.lock" for name in ("memory", "gitmem/auth")]
    script = (
        "import os, signal\nfrom gitmem.git import Git\nreal = Git.run\n"
        "def stop(self, *args, **how):\n"
        "    if '--stdin' not in args: return real(self, *args, **how)\n"
        f"    os.mkdir({str(locks[1].parent)!r})\n"
        f"    for path in {[str(lock) for lock in locks]}: open(path, 'w')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "Git.run = stop\n"
        f"from gitmem import Memory\nMemory({str(repo)!r}).proposals.send('auth')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, [lock.exists() for lock in locks]) == (-signal.SIGKILL, [True, True]), done.stderr

    assert propose(repo).added == ("one",)
    assert tip(repo) == tip(hub)


def test_two_proposes_at_once_in_one_clone_succeed(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    done: list[bool] = []
    threads = [threading.Thread(target=lambda: done.append(propose(repo, "auth").pushed)) for _ in range(2)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert done == [True, True]
    assert (tip(repo), tip(repo, AUTH)) == (tip(hub), tip(hub, AUTH))


def test_concurrent_write_to_memory_is_moved(repo: Path, hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gitmem.commands.propose import begin

    remember(repo, one="Tokens rotate daily")
    real, late = begin.advance, [lambda: put_files(repo, {"learned/late.md": "---\ntitle: Late\nkind: learned\n---\n"})]

    def raced(*args: object, **how: object) -> bool:
        while late:
            late.pop()()
        return real(*args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(begin, "advance", raced)

    assert propose(repo, "auth").added == ("late", "one")
    assert tip(repo) == tip(hub)


def test_invalid_name_of_a_proposal_is_refused(repo: Path, hub: Path) -> None:
    for name in ("memory", "Auth", "a/b"):
        with opened(repo) as memory, pytest.raises(RefusedError, match="invalid name for a proposal"):
            memory.proposals.send(name)


def test_blocking_branch_is_reported(repo: Path, hub: Path) -> None:
    git(repo, "branch", "gitmem")
    with opened(repo) as memory, pytest.raises(ConflictError, match="because there is a branch gitmem"):
        memory.proposals.send("auth")
    git(repo, "branch", "-D", "gitmem")
    git(repo, "config", "gitmem.branch", "gitmem")

    with opened(repo) as memory, pytest.raises(RefusedError, match="the branch gitmem/auth cannot exist next to"):
        memory.proposals.send("auth")


def test_a_branch_of_the_code_never_becomes_a_proposal(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    code = git(repo, "rev-parse", "main")
    git(repo, "branch", "gitmem/mine", "main")
    git(hub, "branch", "gitmem/theirs", "main")

    with opened(repo) as memory:
        for take in (memory.proposals.send, memory.proposals.switch):
            with pytest.raises(ForeignBranchError, match="gitmem/mine is not a memory store"):
                take("mine")
        with pytest.raises(ForeignBranchError, match="gitmem/theirs of origin is not a memory store"):
            memory.proposals.switch("theirs")

    assert keys(repo) == ["idle", "one"]
    assert tip(repo, "refs/heads/gitmem/mine") == code
    assert "refs/heads/gitmem/theirs" not in refs(repo)
    assert propose(repo, "auth").added == ("one",)


def test_proposal_without_a_remote_is_a_local_branch(repo: Path) -> None:
    with pytest.raises(NoRepositoryError, match="no memory yet"):
        propose(repo, "auth")
    with opened(repo) as memory:
        memory.init(offline=True)
        memory.proposals.send("auth")
        memory.remember("Tokens rotate daily", key="one")
        done = memory.proposals.send()

    assert (done.pushed, done.added, done.remote) == (False, ("one",), "")
    assert "learned/one.md" not in paths(repo)


def test_remote_without_a_memory_is_refused(repo: Path, hub: Path) -> None:
    git(hub, "update-ref", "-d", "refs/heads/memory")
    git(repo, "update-ref", "-d", "refs/remotes/origin/memory")

    with pytest.raises(ConflictError, match="no branch memory yet") as document:
        propose(repo, "auth")

    assert document.value.hint == "publish it first: gitmem sync"
    assert read_current_proposal(str(repo / ".git/gitmem"), "memory") is None


def test_a_bare_repository_and_a_linked_worktree_have_the_same_proposal(repo: Path, hub: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", "../linked")
    bare = repo.parent / "bare.git"
    git(repo.parent, "clone", "-q", "--bare", str(hub), str(bare))

    propose(repo, "auth", push=False)
    remember(repo.parent / "linked", one="Tokens rotate daily")
    remember(bare, two="Keys live in the vault")
    git(bare, "fetch", "-q", "origin", "memory:refs/remotes/origin/memory")
    git(bare, "update-ref", "refs/remotes/origin/memory", tip(hub))

    assert propose(repo).added == ("one",)
    assert propose(bare, "vault").added == ("two",)
