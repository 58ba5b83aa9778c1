"""A purged text is nowhere in the repository afterwards, whatever interrupts the purge, and no clone brings it back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import NOW, git, memory_text, put_files
from support.standing_folder import fill, fill_anew, stand

from gitmem.agents.moments.cues import write_cues
from gitmem.commands.purge import publish as publishing
from gitmem.commands.purge import run as module
from gitmem.errors import ConflictError, NotFoundError, RefusedError, UsageError
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.write.new_memory import NewMemory

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = ("Zanzibar pool", "quagga connections")
STEPS = ("write_rewriting", "move_refs", "forget_reflogs", "drop_objects")
SECRET = "-".join(("kalamazoo", "7731", "xq"))
OCTOPUS = memory_text(WORDS[0] + " keeps sockets", body=f"It leaks {WORDS[1]} at night.\n")


def opened(folder: Path) -> Memory:
    return Memory(folder, clock=lambda: float(NOW))


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "purge"), template)


@pytest.fixture
def store(repo: Path) -> Path:
    """Return a repository in which the text is in every place that gitmem has."""
    fill(repo.parent, "store", lambda: stock(repo))
    return repo


def stock(repo: Path) -> None:
    put_files(repo, {"gitmem.toml": "", "learned/octopus.md": OCTOPUS, "learned/plain.md": memory_text("Plain walrus")})
    put_files(repo, {"learned/token.md": memory_text("The staging token", body=f'It is "{SECRET}".\n')})
    with opened(repo) as memory:
        memory.view.make()
        memory.edit("octopus", body=f"Reworded: {WORDS[1]} leak by day.")
        memory.forget("octopus", why="done")
        memory.restore("octopus")
        memory.index.refresh(rebuild=True, engine="whoosh")
        memory.recall("zanzibar")
    git(repo, "update-ref", "refs/gitmem/rescue/origin/memory-1", "memory~2")
    git(repo, "update-ref", "refs/gitmem/private/dev", "memory~1")
    git(repo, "update-ref", "refs/gitmem/sources/code", "memory")


def all_texts(folder: Path) -> list[tuple[str, bytes]]:
    """Return every file below .git, loose objects unpacked, and every object of the packs."""
    found = []
    for path in (folder / ".git").rglob("*"):
        if path.is_file():
            raw = path.read_bytes()
            found.append((str(path), raw))
            if path.parent.parent.name == "objects" and len(path.parent.name) == 2:
                found.append((str(path), zlib.decompress(raw)))
    dump = ("cat-file", "--batch-all-objects", "--batch", "--unordered")
    packed = subprocess.run(["git", "-C", str(folder), *dump], capture_output=True, check=True)
    return [*found, ("packs", packed.stdout)]


def places_of(folder: Path, *texts: str) -> list[str]:
    return sorted({name for name, raw in all_texts(folder) for text in texts if text.encode() in raw})


def share(repo: Path) -> tuple[Path, Path]:
    """Return the store's hub, and a clone that changed the memory to purge and wrote another one."""
    hub = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(hub))
    git(repo, "remote", "add", "origin", str(hub))
    with opened(repo) as memory:
        memory.sync()
    other = repo.parent / "other"
    git(repo.parent, "init", "-q", "-b", "main", str(other))
    git(other, "remote", "add", "origin", str(hub))
    with opened(other) as memory:
        memory.init()
        memory.edit("octopus", body=f"Bob says: {WORDS[1]}.")
        memory.remember("Ibexes climb dams", key="ibex")
    return hub, other


def keys(folder: Path) -> list[str]:
    with opened(folder) as memory:
        return sorted(hit.key for hit in memory.list(Query(limit=100, everything=True)).hits)


@pytest.mark.whole_system
@pytest.mark.parametrize("packed", [False, True])
def test_purged_memory_is_in_no_file_of_the_repository(store: Path, packed: bool) -> None:
    if packed:
        git(store, "gc", "-q")
    assert places_of(store, *WORDS)

    with opened(store) as memory:
        done = memory.purges.purge("octopus")

    assert places_of(store, *WORDS) == []
    assert done.left == ()
    assert {"refs/heads/memory", "refs/gitmem/rescue/origin/memory-1", "refs/gitmem/sources/code"} <= set(done.refs)
    assert keys(store) == ["plain", "token"]
    assert not list((store / ".memory").rglob("octopus.md"))
    git(store, "fsck", "--full", "--strict")


def test_words_of_a_purged_memory_are_not_kept_for_warnings(repo: Path) -> None:
    put_files(repo, {"gitmem.toml": "", "learned/octopus.md": OCTOPUS})
    with opened(repo) as memory:
        write_cues(memory.repository)
        assert [name for name, raw in all_texts(repo) if b"zanzibar" in raw.lower() and "cautions" in name]
        memory.purges.purge("octopus")

    assert [name for name, raw in all_texts(repo) if b"zanzibar" in raw.lower() and "cautions" in name] == []


@pytest.mark.whole_system
def test_purged_secret_is_replaced_wherever_and_however_it_is_written(store: Path) -> None:
    secret = SECRET + '"\\é'
    put_files(
        store, {"learned/quoted.md": memory_text("Quoted", body=f"raw {secret}, https://x/?t={SECRET}%22%5C%C3%A9\n")}
    )
    with opened(store) as memory:
        memory.captures.add(NewMemory(f"The token is {secret} for now", {}, "A token", key="captured"))
        assert memory.list(Query(limit=100)).hits  # makes the index that includes it
        done = memory.purges.purge(secret=secret)

    assert places_of(store, secret, f"{SECRET}%22%5C%C3%A9") == []
    assert not list((store / ".git/gitmem").glob("waiting-index/catalog.sqlite*"))
    assert "raw [purged], https://x/?t=[purged]" in git(store, "show", "memory:learned/quoted.md")
    assert done.commits >= 1
    with opened(store) as memory:
        assert memory.purges.purge(secret=SECRET).left == ()
    assert places_of(store, SECRET) == []


def test_nothing_else_of_the_user_changes(store: Path) -> None:
    (store / "code.py").write_text("x = 1\n")
    git(store, "add", "code.py")
    stray = git(store, "hash-object", "-w", "--stdin", input="a dangling blob")
    before = git(store, "status", "--porcelain"), git(store, "rev-parse", "HEAD"), git(store, "reflog", "HEAD")

    with opened(store) as memory:
        memory.purges.purge("octopus")

    after = git(store, "status", "--porcelain"), git(store, "rev-parse", "HEAD"), git(store, "reflog", "HEAD")
    assert after == before
    assert git(store, "cat-file", "-p", stray) == "a dangling blob"


def test_text_in_the_history_of_the_code_is_named_and_kept(store: Path) -> None:
    (store / "code.py").write_text(f"TOKEN = '{SECRET}'\n")
    git(store, "add", "-A")
    git(store, "commit", "-qm", "code")

    with opened(store) as memory:
        done = memory.purges.purge(secret=SECRET)

    assert done.left == ("code.py",)


# After the first and the third step, the purge is where it is before the step that follows.
@pytest.mark.parametrize(
    ("where", "late"),
    [*((name, False) for name in STEPS), ("move_refs", True), ("drop_objects", True)],
)
def test_interrupted_purge_is_finished_later(
    store: Path, monkeypatch: pytest.MonkeyPatch, where: str, late: bool
) -> None:
    real: Callable[..., object] = getattr(module, where)

    def stop(*args: object, **how: object) -> object:
        if late:
            real(*args, **how)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, opened(store) as memory:
        patch.setattr(module, where, stop)
        with pytest.raises(KeyboardInterrupt):
            memory.purges.purge("octopus")
    with opened(store) as memory:
        with pytest.raises(ConflictError, match="interrupted"):
            memory.purges.purge("plain")
        assert [one.code for one in memory.doctor().problems if one.code == "purge-unfinished"] == ["purge-unfinished"]
        memory.purges.resume()

    assert places_of(store, *WORDS) == []
    assert keys(store) == ["plain", "token"]
    with opened(store) as memory, pytest.raises(NotFoundError):
        memory.purges.resume()


@pytest.mark.whole_system
def test_killed_purges_can_be_finished(store: Path) -> None:
    code = (
        f"from gitmem.cli import main; import sys; sys.exit(main(['-C', {str(store)!r}, 'purge', 'octopus', '--yes']))"
    )
    for delay in (0.4, 0.7):
        copy = Path(shutil.copytree(store, store.parent / f"copy{delay}", symlinks=True))
        git(copy, "worktree", "prune")
        process = subprocess.Popen([sys.executable, "-c", code.replace(str(store), str(copy))])
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with opened(copy) as memory:
            if module.read_journal(memory.repository.git) is not None:
                memory.purges.resume()
            elif places_of(copy, *WORDS):
                memory.purges.purge("octopus")
        assert places_of(copy, *WORDS) == []
        git(copy, "fsck", "--full", "--strict")


@pytest.mark.whole_system
def test_writers_beside_a_purge_lose_nothing(store: Path) -> None:
    code = (
        "import sys; from gitmem.memory import Memory\n"
        f"with Memory({str(store)!r}) as memory:\n"
        "    for n in range(12):\n"
        "        print(memory.remember(f'Parallel note {n} of the writer', key=f'par{n}').key, flush=True)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline().strip()]

    with opened(store) as memory:
        memory.purges.purge("octopus")
    acknowledged += writer.communicate()[0].split()

    assert len(acknowledged) == 12
    assert set(acknowledged) <= set(keys(store))
    assert places_of(store, *WORDS) == []


@pytest.mark.whole_system
def test_clone_with_the_old_history_does_not_bring_it_back(store: Path) -> None:
    hub, other = share(store)
    with opened(store) as memory:
        memory.purges.purge("octopus")
        with pytest.raises(ConflictError, match="purged here"):
            memory.sync()
        assert memory.purges.publish().branches == ("memory",)
    with opened(other) as memory:
        for accepts in (False, True):
            with pytest.raises(ConflictError, match="purged from origin/memory") as caught:
                memory.sync(accept_rewritten=accepts)
            assert "gitmem purge --accept" in str(caught.value.hint)
        memory.purges.accept()
        memory.sync()
    with opened(store) as memory:
        memory.sync()

    assert keys(store) == keys(other) == ["ibex", "plain", "token"]
    assert git(store, "rev-parse", "memory") == git(other, "rev-parse", "memory") == git(hub, "rev-parse", "memory")
    assert places_of(store, *WORDS) == places_of(other, *WORDS) == []
    git(hub, "gc", "-q", "--prune=now")
    assert git(hub, "log", "-p", "--all", "-S", WORDS[1]) == ""


@pytest.mark.whole_system
def test_what_others_pushed_before_the_purge_is_published_is_kept(store: Path) -> None:
    hub, other = share(store)
    with opened(store) as memory:
        memory.purges.purge(secret=SECRET)
    with opened(other) as memory:
        memory.remember(f"Bob repeats {SECRET} here", key="bob", force=True)
        memory.sync()
    with opened(store) as memory:
        memory.purges.publish()
        memory.sync()

    assert {"ibex", "bob", "octopus"} <= set(keys(store))
    assert places_of(store, SECRET) == []
    assert git(hub, "log", "-p", "--all", "-S", SECRET) == ""


@pytest.mark.whole_system
def test_purged_key_can_be_used_again(store: Path) -> None:
    _, other = share(store)
    with opened(store) as memory:
        memory.purges.purge("octopus")
        memory.purges.publish()
        memory.remember("Octopuses have three hearts", key="octopus")
        memory.sync()
    with opened(other) as memory:
        memory.purges.accept()
        memory.sync()

    assert keys(other) == ["ibex", "octopus", "plain", "token"]


def test_purge_refuses_what_it_cannot_do(store: Path) -> None:
    with opened(store) as memory:
        with pytest.raises(NotFoundError, match="ever called squid"):
            memory.purges.purge("squid")
        with pytest.raises(NotFoundError):
            memory.purges.purge(secret="never written anywhere")
        with pytest.raises(RefusedError, match="fewer than 6 bytes"):
            memory.purges.purge(secret="short")
        with pytest.raises(RefusedError, match="name of a memory"):
            memory.purges.purge(secret="octopus")
        with pytest.raises(UsageError):
            memory.purges.purge()
        (store / ".memory" / "learned" / "plain.md").write_text("unsaved")
        with pytest.raises(ConflictError, match="unsaved"):
            memory.purges.purge("octopus")
    assert places_of(store, *WORDS)


def test_preview_changes_nothing(store: Path) -> None:
    before = git(store, "for-each-ref")

    with opened(store) as memory:
        found = memory.purges.preview("octopus")

    assert (found.commits, found.rewritten >= found.commits, git(store, "for-each-ref")) == (
        found.commits,
        True,
        before,
    )
    assert found.commits >= 3


def test_protected_packs_are_reported(store: Path) -> None:
    git(store, "gc", "-q")
    for pack in (store / ".git" / "objects" / "pack").glob("*.pack"):
        pack.with_suffix(".keep").touch()

    with opened(store) as memory:
        with pytest.raises(ConflictError, match="may not rewrite"):
            memory.purges.purge("octopus")
        for keep in (store / ".git" / "objects" / "pack").glob("*.keep"):
            os.unlink(keep)
        memory.purges.resume()

    assert places_of(store, *WORDS) == []
    assert publishing.ATTEMPTS > 1
