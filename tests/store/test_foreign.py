"""A store is told from a branch of anything else that has its name, and that branch is never touched."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest
from conftest import NOW, Ran, git, memory_text, put_files, tip
from support.each import each
from support.proposals import AUTH, clone, forge, keys, opened, propose, refs, remember, shared_folder  # noqa: F401 - fixtures

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.policy.template import default_toml
from gitmem.store import layout
from gitmem.store.foreign import kind_of, list_strays
from gitmem.store.proofs import BY_FORMAT, FOREIGN, NEWER, ROOTED, STRAY

REF = "refs/heads/memory"
MEMORY = memory_text("A")


def code_branch(folder: Path, files: dict[str, str] | None = None, ref: str = REF) -> str:
    """Make a branch of code, of somebody else, and return its tip."""
    before = git(folder, "rev-parse", "--verify", "-q", ref, check=False)
    stream = [f"commit {ref}\ncommitter Sam Smith <sam@example.org> {NOW} +0000\ndata 20\nAdd arena allocator\n\n"]
    for path, text in (files or {"src/arena.c": "int main;\n", "Makefile": "all:\n"}).items():
        stream.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
    if before:
        git(folder, "update-ref", "-d", ref)
    git(folder, "fast-import", "--quiet", "--force", "--date-format=raw", input="".join(stream))
    return tip(folder, ref)


def judged(folder: Path, ref: str = REF) -> str:
    door = Git(discover(folder))
    (folder / ".git/gitmem/proofs").unlink(missing_ok=True)
    return kind_of(door, tip(folder, ref))


# What is a store


def test_the_root_commit_is_the_one_that_a_write_makes(memory: Memory, repo: Path) -> None:
    assert git(repo, "rev-list", "--max-parents=0", REF) == layout.ROOTS[40]


@each(
    ("files", "kind"),
    [
        ({"facts/a.md": MEMORY, "STATUS.md": "x", "README.md": "x", ".gitattributes": "x"}, ROOTED),
        ({".github/workflows/any.yml": "x", ".github/CODEOWNERS": "x", ".gitlab-ci.yml": "x"}, ROOTED),
        ({f"facts/{layout.shard('a')}/a.md": MEMORY, "archive/facts/b.md": MEMORY}, ROOTED),
        # One that is ill-formed in a known folder is a problem of its own.
        ({"facts/Bad Name.md": "x", "learned/run.sh": "x", "verdicts/x": "x", "archive/x.txt": "x"}, ROOTED),
        # A kind needs no row in the policy; with one, its folder is known.
        ({"runbook/restart.md": MEMORY, "archive/runbook/stop.md": MEMORY}, ROOTED),
        ({"gitmem.toml": '[kinds.runbook]\nfolder = "runs-of-book"\n', "runs-of-book/x.txt": "x"}, ROOTED),
        ({"runbook/restart.md": MEMORY, "runbook/restart.sh": "x"}, STRAY),
        ({"notes.txt": "x"}, STRAY),
        ({"src/main.py": "x"}, STRAY),
        ({"docs-old/a/b.md": MEMORY}, STRAY),
        ({"archive/src/main.py": "x"}, STRAY),
        ({"facts": "x"}, STRAY),
        ({"gitmem.toml/x": "x"}, STRAY),
    ],
)
def test_store_may_hold_only_what_the_layout_knows(repo: Path, files: dict[str, str], kind: str) -> None:
    git(repo, "update-ref", "-d", REF)  # of the row before
    put_files(repo, files)

    assert judged(repo) == kind


@each(
    ("files", "kind"),
    [
        ({"gitmem.toml": default_toml(), "facts/a.md": MEMORY}, BY_FORMAT),
        ({"gitmem.toml": "format = 1 # ours\n[recall]\n", "facts/a.md": MEMORY}, BY_FORMAT),
        (
            {
                "gitmem.toml": "# The policy of this memory store. Settings that are commented out show their"
                " defaults.\n"
            },
            BY_FORMAT,
        ),
        ({"gitmem.toml": "[recall]\nformat = 1\n", "facts/a.md": MEMORY}, FOREIGN),
        ({"gitmem.toml": "format = 3\n", "facts/a.md": MEMORY}, NEWER),
        ({"gitmem.toml": default_toml(), "src/main.py": "x"}, FOREIGN),
        ({"facts/a.md": MEMORY}, FOREIGN),
        ({"docs/index.md": "x", "README.md": "x"}, FOREIGN),
        ({"src/arena.c": "x"}, FOREIGN),
    ],
)
def test_without_the_root_commit_the_policy_must_name_the_format(repo: Path, files: dict[str, str], kind: str) -> None:
    code_branch(repo, files)

    assert judged(repo) == kind


def test_a_link_or_a_submodule_at_the_root_is_a_stray(memory: Memory, repo: Path) -> None:
    blob, commit = git(repo, "hash-object", "-w", "--stdin", input="/etc"), tip(repo, "main")
    lines = (
        f"120000 blob {blob}\tSTATUS.md\n160000 commit {commit}\tfacts\n040000 tree {tip(repo, 'main:src')}\tlearned"
    )
    made = git(repo, "commit-tree", git(repo, "mktree", input=lines), "-p", REF, "-m", "x")

    assert list_strays(memory.repository.git, made) == ["STATUS.md", "facts"]


def test_proof_is_cached_and_inherited_by_writes(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(repo) as memory:
        memory.init(offline=True)
        memory.remember("One", key="one")
    with Memory(repo) as memory:
        asked = []
        monkeypatch.setattr(Git, "is_ancestor", lambda *_: asked.append("ancestry"))
        monkeypatch.setattr("gitmem.store.foreign.list_strays", lambda *_: asked.append("tree"))
        memory.remember("Two is not one", key="two")
        assert memory.repository.find_tip() == tip(repo)

    assert asked == []


# A foreign branch that was there before


OPERATIONS = {
    "init": ["init"],
    "remember": ["remember", "Something", "--key", "k"],
    "fact": ["fact", "There is a readme", "--exists", "README.md"],
    "sync": ["sync"],
    "dry sync": ["sync", "--dry-run"],
    "propose": ["propose", "auth"],
    "view": ["view"],
    "save": ["save"],
    "verify": ["verify"],
    "recall": ["recall", "arena"],
    "list": ["list"],
    "context": ["context"],
    "status": ["status"],
    "forget": ["forget", "k", "--why", "x"],
    "install": ["install", "github"],
    "drain": ["background", "spool"],
}


def refused(done: Ran, words: str = 'its last commit is "Add arena allocator" by Sam Smith') -> None:
    assert done.status == 3, done
    assert words in done.err, done


# Every command where the code is at the top; a write and an exchange where it is in a folder.
@pytest.mark.parametrize(
    ("files", "names"),
    [
        (None, OPERATIONS),
        ({"src/arena.c": "x"}, ("remember", "sync")),
        ({"docs/index.md": "# Docs\n"}, ("remember", "sync")),
    ],
    ids=["top", "sub", "docs"],
)
def test_local_branch_of_code_is_never_changed(
    run_cli, repo: Path, hub: Path, files: dict[str, str] | None, names: Collection[str]
) -> None:
    code = code_branch(repo, files)
    before = refs_of(repo), refs_of(hub), git(repo, "status", "--porcelain")

    for name in names:
        done = run_cli(*OPERATIONS[name])
        if name == "install":
            git(repo, "clean", "-qfd", ".github")
        elif name not in ("drain", "context"):
            refused(done)
        assert (refs_of(repo), refs_of(hub), git(repo, "status", "--porcelain")) == before, name
    fixed = run_cli("doctor", "--fix")

    assert fixed.status == 1
    assert "foreign-branch" in fixed.out
    assert "fixed" not in fixed.out
    assert (tip(repo), refs_of(hub)) == (code, before[1])
    assert "arena" not in run_cli("context").out


def refs_of(folder: Path) -> str:
    return git(folder, "for-each-ref", "--format=%(refname) %(objectname)")
