"""A day of use in a repository with hooks, unfinished work and linked work trees: nothing of that is touched.

The same git commands are typed in a twin of the repository that has no gitmem: at the end both have the same commits,
index, files, stash, and their hooks ran as often.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NOW, git
from support.console import Console, at_rest, environment, fsck, run, snapshot, untouched, wait_until

# Each leaves a trace; `pre-commit` fails on purpose for one file, `post-commit` always, and git goes on.
HOOKS = {
    "pre-commit": "git diff --cached --name-only | grep -q forbidden && exit 1\nexit 0",
    "post-checkout": "exit 0",
    "post-commit": "exit 3",
    "pre-push": "exit 0",
}
SCRIPT = '#!/bin/sh\necho "{name} $# $PWD" >> "$(git rev-parse --path-format=absolute --git-common-dir)/trace"\n{end}\n'
# What gitmem's documents say that a clone has of it besides the branch: private memories, what the remote had.
OURS = ("refs/heads/memory", "refs/remotes/origin/memory", "refs/gitmem/")
SECRET = "Staging is slow since the move"


class Person:
    """Somebody who types git commands in one repository and in its linked work tree, with what came of them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.linked, self.said = folder, folder.parent / f"{folder.name}-linked", []

    def git(self, *args: str, at: Path | None = None) -> None:
        """Run git with hooks, and gitmem behind it, at a fixed time."""
        stamps = {f"GIT_{who}_DATE": f"{NOW} +0000" for who in ("AUTHOR", "COMMITTER")}
        env = environment(GITMEM_BACKGROUND=None, GITMEM_VIEW=None, LC_ALL="C", **stamps)
        done = run(["git", *args], at or self.folder, env=env)
        self.said.append((args, done.status, done.out, done.err))

    def settle_in(self) -> None:
        """Have hooks, two linked work trees, a stash, and work of every sort that is not finished."""
        for name, end in HOOKS.items():
            hook = self.folder / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(SCRIPT.format(name=name, end=end))
            hook.chmod(0o755)
        self.git("worktree", "add", "-b", "topic", str(self.linked))
        self.git("worktree", "add", "--detach", f"{self.linked}-too")
        (self.folder / "src/gateway/retry.py").write_text("RETRIES = 4\n")
        self.git("stash")
        (self.folder / "README.md").write_text("# A service\nstaged\n")
        self.git("add", "README.md")
        (self.folder / "README.md").write_text("# A service\nstaged\nand not staged\n")
        (self.folder / "pyproject.toml").write_text("# not staged\n")
        (self.folder / "untracked").write_text("mine\n")
        (self.linked / "src/auth/jwt.py").write_text("# not finished\n")
        (self.linked / "src/new.py").write_text("")

    def forenoon(self) -> None:
        """Switch, commit, be refused, merge: in the main work tree, around the unfinished work."""
        self.git("checkout", "-b", "refresh")
        (self.folder / "src/auth/refresh.py").write_text("def rotate_refresh(): ...\n")
        self.git("add", "src/auth/refresh.py")
        self.git("commit", "-m", "rotate\n\nLearned: the gateway drops idle connections", "src/auth/refresh.py")
        (self.folder / "forbidden").write_text("")
        self.git("add", "forbidden")
        self.git("commit", "-m", "no\n\nLearned: this was never committed")
        self.git("rm", "-q", "--cached", "forbidden")
        self.git("checkout", "main")
        self.git("commit", "-m", "up", "pyproject.toml")

    def afternoon(self, memory: dict[str, str]) -> None:
        """Commit memories of the code tree on a branch in a linked work tree, and rebase it; merge the other one."""
        for path, text in memory.items():
            (self.linked / path).parent.mkdir(parents=True, exist_ok=True)
            (self.linked / path).write_text(text)
        self.git("add", "-f", *memory, at=self.linked)
        self.git("commit", "-m", "cap\n\nLearned: linked work trees share one memory", at=self.linked)
        self.git("stash", at=self.linked)
        self.git("rebase", "main", at=self.linked)
        self.git("stash", "pop", at=self.linked)
        self.git("stash")
        self.git("merge", "--no-ff", "--no-edit", "refresh")
        self.git("stash", "pop", "--index")
        self.git("push", "origin", "main", "topic")

    def left(self) -> dict[str, object]:
        """Return what all of that came to: refs, stash, work trees, what is staged, files, and the hooks that ran."""
        refs = git(self.folder, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        trees = (self.folder, self.linked, Path(f"{self.linked}-too"))
        return {
            "said": [said for said in self.said if "push" not in said[0]],
            "refs": [ref for ref in refs if not ref.startswith(OURS)],
            "stash": git(self.folder, "stash", "list", "--format=%H"),
            "config": (self.folder / ".git/config").read_text(),
            "trace": (self.folder / ".git/trace").read_text().splitlines(),
            "trees": [
                (git(tree, "rev-parse", "HEAD"), git(tree, "ls-files", "--stage"), git(tree, "status", "--porcelain"))
                for tree in trees
            ],
            "files": [snapshot(tree, apart_from=(".git", ".memory")) for tree in trees],
        }


def persons(folder: Path) -> dict[str, str]:
    """Return all in a repository that is a person's with a view and hooks there, and nothing at work."""
    state = folder / ".git" / "gitmem"
    assert wait_until(lambda: at_rest(state) or not (state / "background").exists())
    admin = f"common/worktrees/{(folder / '.memory/.git').read_text().strip().rpartition('/')[2]}"
    other = ("top/.memory", admin, "common/hooks", "common/info/exclude", "common/logs/refs/remotes/origin/memory")
    ours = (*other, *(f"common/{ref}" for ref in OURS), "common/refs/gitmem", "common/refs/remotes/origin/memory")
    found = {path: kept for path, kept in untouched(folder).items() if not path.startswith(ours)}
    found["refs"] = "\n".join(ref for ref in found["refs"].splitlines() if not ref.startswith(OURS))
    for linked in sorted(folder.parent.glob(f"{folder.name}-linked*")):
        found |= {f"{linked.name}/{path}": kept for path, kept in snapshot(linked, apart_from=(".memory",)).items()}
    return found


@pytest.fixture
def ana(repo: Path) -> Iterator[Person]:
    """Return a person with a clone of a bare remote, and nothing of gitmem in it."""
    git(repo.parent, "init", "-q", "--bare", "-b", "main", "hub.git")
    git(repo, "remote", "add", "origin", str(repo.parent / "hub.git"))
    git(repo, "push", "-q", "-u", "origin", "main")
    yield Person(repo)
    assert wait_until(lambda: at_rest(repo / ".git" / "gitmem"))


def bob_of(ana: Person) -> Console:
    """Return somebody else, with a clone and a home of their own."""
    folder = ana.folder.parent / "bob"
    git(folder.parent, "clone", "-q", "hub.git", "bob")
    git(folder, "config", "user.name", "Bob")
    git(folder, "config", "user.email", "bob@example.org")
    return Console(folder, XDG_DATA_HOME=str(folder.parent / "bobs"), XDG_STATE_HOME=str(folder.parent / "bobs"))


@pytest.mark.whole_system
def test_day_of_use_leaves_everything_of_the_person_as_it_is_without_gitmem(ana: Person) -> None:
    twin = Person(Path(shutil.copytree(ana.folder, ana.folder.parent / "twin", symlinks=True)))
    state, view = ana.folder / ".git/gitmem", ana.folder / ".memory"
    ana.settle_in()
    console = Console(ana.folder, GITMEM_BACKGROUND=None, GITMEM_VIEW=None)
    linked = Console(ana.linked, GITMEM_BACKGROUND=None, GITMEM_VIEW=None)
    before = untouched(ana.folder)
    exported = ana.folder.parent / "exported.jsonl"

    # In the morning: gitmem is set up, and what everybody knows is written down.
    console.ok("init")
    console.ok("install", "git-hooks")
    mine = persons(ana.folder)
    assert {path: kept for path, kept in before.items() if mine.get(path, kept) != kept} == {}
    shared = {console.ok("remember", "The gateway needs a trace id", "--kind", "gotcha", "--key", "trace-id")}
    shared |= {console.ok("fact", "RS256", "--contains", "RS256", "--in", "src/auth/jwt.py", "--key", "rs256")}
    shared |= {console.ok("task", "add", "Rotate", "--key", "rotate", "--contains", "rotate_refresh", "--in", "src/**")}
    own = {console.ok("remember", SECRET, "--scope", "private", "--key", "staging")}
    own |= {console.ok("remember", "Review in pairs", "--scope", "universal", "--key", "pairs")}
    records = [{"key": f"old-{n}", "type": "learned", "content": f"Something old, number {n}"} for n in range(5)]
    exported.write_text("".join(json.dumps(record) + "\n" for record in records))
    shared |= {str(record["key"]) for record in records}
    assert console.json("import", str(exported))["imported"] == 5
    console.ok("task", "claim", "rotate")
    assert console("task", "close", "rotate").status == 1, "its gate does not hold yet"
    assert persons(ana.folder) == mine

    # The work itself, with the hooks: what commits say was learnt is found by the next command, in every work tree.
    ana.forenoon()
    shared |= {"the-gateway-drops-idle-connections"}
    assert "the-gateway-drops-idle-connections" in linked.ok("recall", "idle connections")
    mine = persons(ana.folder)
    document = linked.json("fact", "Retries are capped", "--contains", "RETRIES = 3", "--in", "src/**", "--in-tree")
    in_tree = {document["path"]: (ana.linked / document["path"]).read_text()}
    assert persons(ana.folder) == mine
    ana.afternoon(in_tree)
    shared |= {"linked-work-trees-share-one-memory"}
    mine = persons(ana.folder)
    assert console.json("verify")["results"] == []
    console.ok("task", "close", "rotate", "--reason", "rotating grants")
    statuses = {m["key"]: m["status"] for m in linked.json("list", "--kind", "fact")["memories"]}
    assert statuses == {"rs256": "verified", document["key"]: "verified"}
    assert document["key"] not in console.listed(), "that branch is not checked out here"

    # The files to read and edit follow; what is edited there is saved, and meets what somebody else wrote.
    assert wait_until(lambda: at_rest(state))
    assert (view / "learned/linked-work-trees-share-one-memory.md").is_file()
    assert console.json("sync")["pushed"]
    bob = bob_of(ana)
    bob.ok("sync")
    assert set(bob.listed("--all")) == shared
    shared |= {bob.ok("remember", "The hub is read-only at night", "--key", "hub")}
    bob.ok("edit", "trace-id", "--title", "The gateway wants a trace id of 16 bytes")
    bob.ok("sync")
    file = view / "gotchas/trace-id.md"
    file.write_text(file.read_text().replace("needs a trace id", "needs a trace id in every request"))
    assert console.ok("save") == "trace-id"
    (conflict,) = console.json("sync")["conflicts"]
    assert (conflict["key"], conflict["fields"]) == ("trace-id", ["title"])
    assert console("doctor").status == 1
    console.ok("edit", "trace-id", "--title", "The gateway needs a trace id of 16 bytes in every request")
    assert console.json("sync")["pushed"]
    assert bob.json("sync")["conflicts"] == []
    assert persons(ana.folder) == mine

    # In the evening nothing is lost, nothing has leaked, all is well, and gitmem goes as it came.
    assert wait_until(lambda: at_rest(state))
    assert "error" not in (state / "background/log").read_text()
    assert set(bob.listed("--all")) == shared
    assert set(console.listed("--all")) == shared | own
    assert bob.json("show", "trace-id")["title"] == "The gateway needs a trace id of 16 bytes in every request"
    assert bob.json("task", "show", "rotate")["state"] == "closed"
    everything = git(ana.folder.parent / "hub.git", "cat-file", "--batch-all-objects", "--batch")
    assert "16 bytes" in everything
    assert SECRET not in everything
    lines = console.ok("export", "--all").splitlines()
    assert {json.loads(line)["key"] for line in lines} == shared
    for folder in (console, linked, bob):
        assert folder("doctor").status == 0, folder("doctor")
    console.ok("view", "--remove")
    console.ok("uninstall", "git-hooks")
    assert not view.exists()
    after = untouched(ana.folder)
    for name in ("common/info/exclude", *(path for path in before if path.startswith("common/hooks/"))):
        assert after[name] == before[name], name
    assert {path for path in after if path.startswith(("common/hooks/", "common/worktrees/", "top/.memory"))} <= {
        path for path in before if path.startswith(("common/hooks/", "common/worktrees/"))
    } | {path for path in mine if path.startswith("common/worktrees/")}
    for folder in (ana.folder, bob.folder, ana.folder.parent / "hub.git"):
        fsck(folder)

    # The twin has the same day without gitmem; only its paths have another name, and nothing was told of learnings.
    twin.settle_in()
    twin.forenoon()
    twin.afternoon(in_tree)
    with_gitmem = json.dumps(ana.left()).replace(f"{ana.folder}", f"{twin.folder}")
    kept = "gitmem: 1 learning captured: gitmem recall --recent 1\\n"
    assert with_gitmem.count(kept) == 2
    assert json.loads(with_gitmem.replace(kept, "")) == json.loads(json.dumps(twin.left()))
