"""Clones that share a remote converge: nothing is lost or forced, whatever is interrupted."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, git, memory_text, put_files, tip
from support.standing_folder import fill, fill_anew, stand

from gitmem.commands.sync import exchange
from gitmem.commands.sync.summary import SyncResult
from gitmem.errors import ConflictError, NoRepositoryError, NotFoundError, RemoteError
from gitmem.git import remotes
from gitmem.memory import Memory
from gitmem.memory.captures import Captures
from gitmem.policy.template import default_toml
from gitmem.recall.query import Query

MEMORY = "refs/heads/memory"
IDLE = memory_text("The gateway drops idle connections", body="After a minute.\n", kind="gotcha", tags="[net]")


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "sync"), template)


@pytest.fixture
def hub(repo: Path) -> Path:
    folder = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(folder))
    git(repo, "remote", "add", "origin", str(folder))
    return folder


@pytest.fixture
def clones(repo: Path, hub: Path) -> tuple[Path, Path]:
    """Return two clones that have the same store, of which the remote knows."""
    other = repo.parent / "other"
    fill(repo.parent, "clones", lambda: clone_to(repo, other))
    return repo, other


def clone_to(repo: Path, other: Path) -> None:
    put_files(repo, {"gitmem.toml": "", "STATUS.md": "s", "gotchas/idle.md": IDLE})
    with opened(repo) as memory:
        memory.sync()
    shutil.copytree(repo, other, symlinks=True)
    git(other, "config", "user.name", "Bob")


def opened(folder: Path) -> Memory:
    return Memory(folder, clock=lambda: float(NOW))


def run(folder: Path, **how: Any) -> SyncResult:
    with opened(folder) as memory:
        return memory.sync(**how)


def keys(folder: Path) -> list[str]:
    with opened(folder) as memory:
        return sorted(hit.key for hit in memory.list(Query(limit=100, everything=True)).hits)


def learn(folder: Path, key: str) -> None:
    put_files(folder, {f"learned/{key}.md": memory_text(key)})


def test_two_clones_past_the_limit_of_rotation_come_to_the_same_memories(clones: tuple[Path, Path]) -> None:
    one, other = clones
    policy = {"gitmem.toml": "[rotation]\nlimit = 6\nmove = 3\n"}
    put_files(one, policy | {f"learned/old{n}.md": memory_text(f"Old {n}") for n in range(6)})
    run(one)
    run(other)
    for folder, words in ((one, ("Apples", "Pears", "Plums")), (other, ("Iron", "Copper", "Zinc", "Lead"))):
        with opened(folder) as memory:
            for word in words:
                memory.remember(f"{word} are sold here", key=word.lower())

    for folder in (one, other, one, other):
        run(folder)

    assert tip(one) == tip(other)
    with opened(one) as memory:
        archived = [hit.key for hit in memory.list(Query(limit=100, everything=True)).hits if hit.gone]
        assert sorted(archived) == [f"old{n}" for n in range(6)]
        assert not memory.doctor().problems
    live = git(one, "ls-tree", "-r", "--name-only", "memory", "learned/")
    assert len(live.splitlines()) == 7


def test_sync_says_what_the_next_write_will_rotate(clones: tuple[Path, Path]) -> None:
    one, other = clones
    put_files(
        one, {"gitmem.toml": "[rotation]\nlimit = 3\n", **{f"learned/a{n}.md": memory_text(f"A {n}") for n in range(5)}}
    )
    run(one)

    with opened(other) as memory:
        memory.sync()
        assert "5 live memories of kind learned; the limit is 3: the next write of this kind" in memory.notices[0]


def test_the_first_sync_publishes_and_another_clone_joins(repo: Path, hub: Path, memory: Memory) -> None:
    memory.remember("The gateway drops idle connections", key="idle")
    git(repo, "update-ref", "refs/gitmem/private/agent", tip(repo))

    done = memory.sync()

    assert (done.merged, done.pushed, done.fetched) == ("nothing", True, "")
    assert git(hub, "for-each-ref", "--format=%(refname)") == MEMORY
    git(repo, "push", "-q", "origin", "main")
    git(repo.parent, "clone", "-q", "-b", "main", str(hub), "other")
    other = run(repo.parent / "other")
    assert (other.merged, other.added, other.pushed) == ("joined", ("idle",), True)
    assert keys(repo.parent / "other") == ["idle"]


def test_memory_that_was_retired_before_the_remote_had_it_is_not_counted(repo: Path, hub: Path, memory: Memory) -> None:
    for key in ("idle", "wrong"):
        memory.remember(f"The gateway is {key}", key=key)
    memory.forget("wrong")
    git(repo, "push", "-q", "origin", "main")

    assert memory.sync().sent == 1
    git(repo.parent, "clone", "-q", "-b", "main", str(hub), "other")
    other = run(repo.parent / "other")
    assert (other.added, other.changed, other.retired) == (("idle",), (), ())
    memory.forget("idle")
    assert memory.sync().sent == 1
    other = run(repo.parent / "other")
    assert (other.added, other.changed, other.retired) == ((), (), ("idle",))


def test_two_clones_reach_the_same_commit(clones: tuple[Path, Path], hub: Path) -> None:
    one, other = clones
    with opened(one) as memory:
        memory.edit("idle", fields={"tags": ["net", "gateway"]}, body=None, approve=False)
        memory.remember("Only here", key="mine")
    with opened(other) as memory:
        memory.edit("idle", fields={"ttl": "30d"}, body=None, approve=False)
        memory.remember("Only there", key="theirs")

    done = [run(other), run(one), run(other)]

    assert [d.merged for d in done] == ["nothing", "merged", "forward"]
    assert (done[1].added, done[1].changed, done[1].conflicts) == (("theirs",), ("idle",), ())
    assert tip(one) == tip(other) == tip(hub) == done[2].commit
    assert keys(one) == keys(other) == ["idle", "mine", "theirs"]
    with opened(one) as memory:
        fields = memory.show("idle").document["frontmatter"]
    assert (fields["tags"], fields["ttl"]) == (["net", "gateway"], "30d")
    parents = git(one, "log", "-1", "--format=%P|%an|%s", "memory").split("|")
    assert len(parents[0].split()) == 2
    assert parents[1:] == ["Ana", "sync: merge the memory of origin"]
    assert "unable" not in git(one, "fsck", "--strict", "--no-dangling")


def test_one_sentence_changed_twice_is_reported_until_it_is_settled(clones: tuple[Path, Path]) -> None:
    one, other = clones
    for folder, said in ((one, "After two minutes.\n"), (other, "After ten.\n")):
        with opened(folder) as memory:
            memory.edit("idle", fields={}, body=said, approve=False)
    run(one)

    done = run(other)

    assert [(c.key, c.fields) for c in done.conflicts] == [("idle", ("body",))]
    with opened(other) as memory:
        shown = memory.show("idle").document
        assert "After two minutes." in shown["body"] and "After ten." in shown["body"]
        assert "Ana wrote:" in shown["body"] and "Bob wrote:" in shown["body"]
        assert memory.status().document["to_settle"] == ["idle"]
        problem = next(p for p in memory.doctor(fix=False).problems if p.code == "to-settle")
        assert problem.key == "idle"
        assert problem.message.startswith("the text holds two versions (by ")

        memory.edit("idle", fields={}, body="After ten minutes.", approve=False)

        assert memory.status().document["to_settle"] == []
    run(other)
    assert run(one).conflicts == ()


def test_conflict_is_reported_with_the_author_of_each_side(clones: tuple[Path, Path]) -> None:
    one, other = clones
    for folder, title in ((one, "By Ana"), (other, "By Bob")):
        with opened(folder) as memory:
            memory.edit("idle", fields={"title": title}, body=None, approve=False)
    run(one)
    run(other)

    with opened(other) as memory:
        [entry] = memory.show("idle").document["frontmatter"]["conflict"]

    assert entry == {"field": "title", "other": f"By {entry['by']}", "by": entry["by"]}


def test_push_that_lost_a_race_is_repeated_on_the_new_tip(
    clones: tuple[Path, Path], hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = clones
    learn(one, "mine")
    real, rushed = remotes.push, []

    def late(*args: Any, **how: Any) -> bool:
        if len(rushed) < 2:
            rushed.append(put_files(hub, {f"learned/rush-{len(rushed)}.md": memory_text("rush")}))
        return real(*args, **how)

    monkeypatch.setattr(remotes, "push", late)

    done = run(one)

    assert done.pushed and done.added == ("rush-0", "rush-1")
    assert tip(hub) == tip(one)
    assert all(git(hub, "merge-base", "--is-ancestor", rush, tip(hub)) == "" for rush in rushed)


def test_write_during_the_merge_is_included(clones: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = clones
    learn(other, "theirs")
    run(other)
    learn(one, "mine")
    real = exchange.merge

    def slow(*args: Any, **how: Any) -> Any:
        if "meanwhile" not in git(one, "ls-tree", "-r", "--name-only", "memory"):
            learn(one, "meanwhile")
        return real(*args, **how)

    monkeypatch.setattr(exchange, "merge", slow)

    assert run(one).pushed
    assert keys(one) == ["idle", "meanwhile", "mine", "theirs"]


@pytest.mark.parametrize("how", ["rewritten", "rolled-back", "removed"])
def test_a_remote_whose_history_was_rewritten_is_refused(clones: tuple[Path, Path], hub: Path, how: str) -> None:
    one, _ = clones
    learn(one, "mine")
    run(one)
    before = tip(one)
    if how == "removed":
        git(hub, "update-ref", "-d", MEMORY)
    else:
        git(hub, "update-ref", MEMORY, f"{before}~1")
        if how == "rewritten":
            put_files(hub, {"learned/other.md": memory_text("other")})
    there = git(hub, "for-each-ref")

    with pytest.raises(ConflictError, match=r"rewritten|since the last sync; nothing was changed here") as caught:
        run(one)

    assert tip(one) == before
    assert git(hub, "for-each-ref") == there
    assert "--accept-rewritten" in caught.value.hint and "force" not in caught.value.hint
    run(one, accept_rewritten=True, dry_run=True)
    assert git(one, "for-each-ref", "refs/gitmem/rescue") == ""
    assert run(one, accept_rewritten=True).pushed
    assert set(keys(one)) >= {"idle", "mine"}
    assert git(one, "rev-parse", f"refs/gitmem/rescue/origin/memory-{before[:12]}") == before
    assert run(one).merged == "nothing"


@pytest.mark.parametrize("how", ["filtered", "mirrored", "unrelated"])
def test_clones_whose_history_was_replaced_lose_nothing_when_they_meet_again(
    clones: tuple[Path, Path], hub: Path, how: str
) -> None:
    one, other = clones
    put_files(one, {"gitmem.toml": default_toml()})  # names the format, which proves a store without the root commit
    run(one)
    run(other)
    learn(other, "theirs")
    if how == "filtered":  # every commit of the branch gets another author, as git filter-repo --mailmap does
        stream = re.sub(r"(?m)^(author|committer) [^<\n]*", r"\1 Anonymous ", git(other, "fast-export", "memory"))
        git(other, "fast-import", "--quiet", "--force", input=f"{stream}\n\n")
    elif how == "unrelated":  # all of it in one new commit without parents
        git(other, "update-ref", MEMORY, git(other, "commit-tree", f"{MEMORY}^{{tree}}", "-m", "squashed"))
    learn(one, "mine")
    run(one)
    git(other, "push", "-q", "--mirror", "origin")

    with pytest.raises(ConflictError, match="rewritten"):
        run(one)
    assert run(one, accept_rewritten=True).pushed
    run(other, accept_rewritten=True)

    assert keys(one) == keys(other) == ["idle", "mine", "theirs"]
    assert git(one, "rev-parse", f"{MEMORY}^{{tree}}") == git(other, "rev-parse", f"{MEMORY}^{{tree}}")


def test_unreachable_remote_changes_nothing(clones: tuple[Path, Path], hub: Path) -> None:
    one, _ = clones
    learn(one, "mine")
    hub.rename(hub.parent / "away")
    before = tip(one)

    with pytest.raises(RemoteError, match="could not be fetched from") as caught:
        run(one)

    assert caught.value.exit_status == 3
    assert tip(one) == before
    (hub.parent / "away").rename(hub)
    assert run(one).pushed


def test_dry_run_of_a_sync_changes_nothing(clones: tuple[Path, Path], hub: Path) -> None:
    one, other = clones
    learn(other, "theirs")
    run(other)
    learn(one, "mine")
    before, there = tip(one), tip(hub)

    done = run(one, dry_run=True)

    assert (done.merged, done.added, done.pushed) == ("merged", ("theirs",), False)
    assert (tip(one), tip(hub)) == (before, there)
    assert run(one, push=False).added == ("theirs",)
    assert tip(hub) == there


def test_sync_without_a_remote_or_a_memory_is_an_error(repo: Path, hub: Path) -> None:
    with pytest.raises(NoRepositoryError, match="in this clone or at origin"):
        run(repo)
    with pytest.raises(NotFoundError, match="there is no remote upstream"):
        run(repo, remote="upstream")
    git(repo, "remote", "rename", "origin", "elsewhere")
    with pytest.raises(NoRepositoryError, match="in this clone or at elsewhere"):
        run(repo)
    git(repo, "remote", "remove", "elsewhere")
    with pytest.raises(NoRepositoryError, match="there is no remote origin"):
        run(repo)


def test_a_sync_killed_in_the_middle_is_finished_by_the_next(clones: tuple[Path, Path], hub: Path) -> None:
    one, other = clones
    learn(other, "theirs")
    run(other)
    learn(one, "mine")
    stops = {
        "fetched": "from gitmem.commands.sync import exchange as m; m.merge = stop",
        "merged": "from gitmem.git import remotes as m; m.push = stop",
    }
    for code in stops.values():
        script = (
            "import os, signal\ndef stop(*a, **k): os.kill(os.getpid(), signal.SIGKILL)\n"
            f"{code}\nfrom gitmem import Memory\nMemory({str(one)!r}).sync()"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        tracking = one / ".git/refs/remotes/origin/memory.lock"
        tracking.touch()  # what a killed fetch leaves

    assert run(one).pushed

    assert keys(one) == ["idle", "mine", "theirs"]
    assert tip(one) == tip(hub)


def test_two_syncs_at_once_in_one_clone_succeed(clones: tuple[Path, Path], hub: Path) -> None:
    one, other = clones
    learn(other, "theirs")
    run(other)
    learn(one, "mine")
    done: list[SyncResult] = []
    threads = [threading.Thread(target=lambda: done.append(run(one))) for _ in range(2)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [d.pushed for d in done] == [True, True]
    assert sorted(d.merged for d in done) == ["merged", "nothing"]
    assert tip(one) == tip(hub)


# Of two pages, the merge keeps one: it must be rebuilt in one of the two orders.
@pytest.mark.parametrize("here", ["has-retry", "has-jwt"])
def test_verdicts_of_both_sides_count_and_the_page_is_rebuilt(repo: Path, hub: Path, memory: Memory, here: str) -> None:
    from gitmem.verify.options import Options

    for key, path in (("has-retry", "src/gateway/retry.py"), ("has-jwt", "src/auth/jwt.py")):
        memory.fact(key, verify={"exists": path}, key=key)
    memory.sync()
    other = Path(shutil.copytree(repo, repo.parent / "other", symlinks=True))
    gone_in = {"has-retry": repo, "has-jwt": other} if here == "has-retry" else {"has-jwt": repo, "has-retry": other}
    for key, path in (("has-retry", "src/gateway/retry.py"), ("has-jwt", "src/auth/jwt.py")):
        folder, gone = gone_in[key], path
        (folder / gone).unlink()
        git(folder, "commit", "-qam", "gone")
        with opened(folder) as opened_memory:
            opened_memory.verify(options=Options(), report=lambda *_: None)
    run(other)

    done = run(repo)

    assert done.verdicts >= 1
    page = git(repo, "show", "memory:STATUS.md")
    assert [page.count(f"**{key}**") for key in gone_in] == [1, 0]
    assert tip(repo) == tip(hub)


def test_the_users_repository_is_not_touched(clones: tuple[Path, Path]) -> None:
    one, other = clones
    learn(other, "theirs")
    run(other)
    learn(one, "mine")
    (one / "README.md").write_text("dirty\n")
    (one / "new.txt").write_text("staged\n")
    git(one, "add", "new.txt")

    def state() -> list[str]:
        kept = [(one / ".git" / name).read_bytes().hex() for name in ("HEAD", "index", "config")]
        return [*kept, git(one, "for-each-ref", "refs/heads/main", "refs/tags"), (one / "README.md").read_text()]

    before = state()
    run(one)

    assert state() == before
    assert not (one / ".git/FETCH_HEAD").exists()


def test_a_branch_that_is_checked_out_is_not_moved(clones: tuple[Path, Path]) -> None:
    one, other = clones
    learn(other, "theirs")
    run(other)
    git(one, "worktree", "add", "-q", "../shown", "memory")
    before = tip(one)

    with pytest.raises(ConflictError, match="checked out"):
        run(one)

    assert tip(one) == before


def test_sync_runs_no_received_command(clones: tuple[Path, Path], tmp_path: Path) -> None:
    one, other = clones
    marker = tmp_path / "ran"
    put_files(
        other,
        {"facts/evil.md": memory_text("E", kind="fact", verify=f"touch {marker}"), ".gitattributes": "* filter=x\n"},
    )
    run(other)
    git(one, "config", "filter.x.smudge", f"touch {marker}")
    learn(one, "mine")

    assert run(one).added == ("evil",)
    assert not marker.exists()


def test_a_shallow_clone_fetches_the_history_that_it_lacks(clones: tuple[Path, Path], hub: Path) -> None:
    one, other = clones
    git(one, "push", "-q", "origin", "main")
    git(one.parent, "clone", "-q", "--depth=1", "--no-single-branch", "-b", "main", f"file://{hub}", "shallow")
    shallow = one.parent / "shallow"
    run(shallow)
    learn(shallow, "mine")
    for key in ("a", "b", "c"):
        learn(other, key)
    run(other)
    git(shallow, "fetch", "-q", "--depth=1", "origin", "+memory:refs/remotes/origin/memory")

    done = run(shallow)

    assert (done.merged, done.added, done.conflicts) == ("merged", ("a", "b", "c"), ())
    assert git(shallow, "rev-list", "--count", "main") == "1"


def test_repositories_with_sha256_names_sync_alike(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "--object-format=sha256", "hub.git")
    folders = []
    for name in ("Ana", "Bob"):
        folder = tmp_path / name
        git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", name)
        git(folder, "config", "user.name", name)
        git(folder, "config", "user.email", "x@example.org")
        git(folder, "commit", "-q", "--allow-empty", "-m", "x")
        git(folder, "remote", "add", "origin", "../hub.git")
        with opened(folder) as memory:
            memory.init(offline=True)
            memory.remember("The gateway drops idle connections", key="idle")
            memory.edit("idle", fields={"tags": [name.lower()]}, body=None, approve=False)
        folders.append(folder)

    done = [run(folders[0]), run(folders[1]), run(folders[0])]

    assert [d.merged for d in done] == ["nothing", "merged", "forward"]
    with opened(folders[0]) as memory:
        assert memory.show("idle").document["frontmatter"]["tags"] == ["ana", "bob"]
    assert len(done[2].commit) == 64


def test_captures_are_committed_and_pushed(
    clones: tuple[Path, Path], hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Captures, "start", lambda *_: None)  # nobody but the sync writes it
    with opened(clones[0]) as memory:
        memory.capture("The gateway drops requests without a trace id", key="trace")

        assert memory.sync().pushed

    assert "learned/trace.md" in git(hub, "ls-tree", "-r", "--name-only", "memory")
