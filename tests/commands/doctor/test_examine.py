"""Doctor reports every problem of a store, and repairs what can be repaired without loss."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, put_files, tip
from support.facts import Clock, make_fact, make_memory, put, verdict_file, verify

from gitmem.errors import ConflictError
from gitmem.memory import Memory
from gitmem.model import Problem
from gitmem.recall.query import Query
from gitmem.store.state.write_lock import STALE_AFTER_S, WriteLock
from gitmem.text import display

REF = "refs/heads/memory"


def lines_of(memory: Memory, *, fix: bool = False) -> list[tuple[str, str]]:
    """Return code and path of each problem that doctor finds, in its order."""
    return [(problem.code, problem.path) for problem in memory.doctor(fix=fix).problems]


def messages(memory: Memory, code: str) -> list[str]:
    """Return what is said of each problem with a code."""
    return [problem.message for problem in memory.doctor(fix=False).problems if problem.code == code]


def served(memory: Memory) -> list[str]:
    """Return the keys of all live memories, sorted."""
    return sorted(hit.key for hit in memory.list(Query(limit=100_000)).hits)


def ref_file(repo: Path) -> Path:
    return repo / ".git" / REF


def write_tree(repo: Path, *entries: tuple[str, bytes, str]) -> str:
    """Write a tree of mode, name and object as it stands: git checks nothing of it."""
    raw = b"".join(f"{mode} ".encode() + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    return git(repo, "hash-object", "--literally", "-w", "-t", "tree", "--stdin", input=raw)


def push(repo: Path, tree: str) -> str:
    """Put a tree on the memory branch, as a push without checks would, and return the commit."""
    made = git(repo, "commit-tree", "-p", REF, "-m", "pushed", tree)
    git(repo, "update-ref", REF, made)
    return made


def push_files(repo: Path, names: dict[bytes, str]) -> None:
    """Push files whose names no store may have."""
    parts = [f"commit {REF}\ncommitter M <m@e> {NOW} +0000\ndata 1\nx\nfrom {REF}^0\n".encode()]
    for name, text in names.items():
        quoted = b"".join(b"\\%03o" % byte for byte in name)
        parts.append(b'M 100644 inline "%s"\ndata %d\n%s\n' % (quoted, len(text), text.encode()))
    git(repo, "fast-import", "--quiet", input=b"".join(parts))


def unreadable(repo: Path) -> str:
    """Push a tree that git cannot parse: an entry has no name."""
    blob = git(repo, "hash-object", "-w", "--stdin", input="x")
    return push(repo, write_tree(repo, ("100644", b"", blob)))


# Nothing is wrong


def test_well_formed_store_has_no_problems(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("a", {"exists": "README.md"}, produces=["label"]),
        make_memory("b", "B", requires=["a", "label"], supersedes=["c"]),
        make_memory("c", "C", superseded_by="b"),
        make_memory("d", "D", requires=["a"]),
    )
    verify(memory)
    memory.forget("d")
    memory.remember("again", key="d")
    put_files(repo, {".github/CODEOWNERS": "* @ana\n", "STATUS.md": "anything"})

    found = memory.doctor(fix=True)

    assert (found.problems, found.fixed) == ((), ())


def test_examining_changes_nothing(memory: Memory, repo: Path) -> None:
    put_files(repo, {"Bad/x.md": "x", "facts/a.md": "broken"})
    push_files(repo, {b"facts/a b.md": "x"})
    before = git(repo, "for-each-ref"), git(repo, "status", "--porcelain"), (repo / ".git/config").read_bytes()

    memory.doctor(fix=False)

    after = git(repo, "for-each-ref"), git(repo, "status", "--porcelain"), (repo / ".git/config").read_bytes()
    assert after == before


def test_properties_of_the_machine_are_reported(memory: Memory, repo: Path) -> None:
    machine = dict(memory.doctor(fix=False).machine)

    assert machine["git"] == ".".join(git(repo, "version").split()[2].split(".")[:3])
    assert machine["state"] == str(repo / ".git" / "gitmem")
    assert machine["sandbox"].startswith(("commands run in ", "only built-in checks run"))
    assert machine["bubblewrap"].startswith(("works", "does not work: ", "not installed: "))


@pytest.mark.parametrize(
    ("settings", "is_due"),
    [
        ({}, False),
        ({"gc.auto": "2"}, True),
        ({"gc.auto": "1k"}, False),
        ({"gc.auto": "0", "gc.autoPackLimit": "1"}, False),  # the person switched it off
        ({"gc.autoPackLimit": "1"}, True),
        ({"gc.autoPackLimit": "0"}, False),
    ],
    ids=str,
)
def test_garbage_collection_is_due_by_git_s_own_limits(
    memory: Memory, repo: Path, settings: dict[str, str], is_due: bool
) -> None:
    for n in range(2):
        put(repo, make_memory(f"m{n}", f"Memory {n}"))
        git(repo, "repack", "-q")
    put(repo, make_memory("loose", "Not packed"))
    for name, value in settings.items():
        git(repo, "config", name, value)

    assert lines_of(memory) == [("gc-due", "")] * is_due

    git(repo, "gc", "-q")
    assert lines_of(memory) == []


def test_vulnerable_git_is_reported(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = git(tmp_path, "--exec-path")
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    answer = 'case " $* " in *" version "*) echo "git version 2.39.3 (Apple Git-146)";;'
    script.write_text(f'#!/bin/sh\n{answer} *) exec {real}/git "$@";; esac\n')
    script.chmod(0o755)
    assert lines_of(memory) == []

    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")

    assert lines_of(memory) == [("old-git", "")]


# Files and entries


def test_each_bad_file_is_one_problem_and_the_others_work(memory: Memory, repo: Path) -> None:
    bad = {
        "facts/empty.md": "",
        "facts/no-frontmatter.md": "just text",
        "facts/list.md": "---\n- a\n---\n",
        "facts/twice.md": "---\ntitle: a\ntitle: b\n---\n",
        "facts/tag.md": "---\ntitle: !!python/object/apply:os.system [x]\n---\n",
        "facts/bomb.md": "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\ntitle: t\n---\n",
        "facts/utf8.md": b"---\ntitle: \xff\n---\n",
        "facts/nul.md": b"---\ntitle: a\0b\n---\n",
        "facts/large.md": memory_text("t", body="x" * 70_000),
        "facts/ttl.md": memory_text("t", ttl="soon"),
        "facts/created.md": memory_text("t", created="yesterday"),
        "facts/confidence.md": memory_text("t", confidence="very"),
        "facts/hidden-command.md": memory_text("t", verify='"true \\e[2K"'),
        "facts/verify.md": memory_text("t", verify="{deletes: everything}"),
        "facts/up.md": memory_text("t", verify="{exists: ../x}"),
        "facts/timeout.md": memory_text("t", timeout="1e308"),
        "gitmem.toml": "[recal]\n",
        "verdicts/ca/a.0123456789abcdef.toml": "outcome = 7",
        "odd.md": "x",
        "Facts/a.md": "x",
        "facts/A.md": "x",
        "facts/con.md": "x",
        "verdicts/x": "x",
        "archive/a.md": "x",
    }
    put(repo, make_memory("good", "Good"))
    put_files(repo, bad)

    found = memory.doctor(fix=False).problems

    assert sorted(p.path for p in found if p.severity == "error") == sorted([*bad, REF])
    assert [p for p in found if not p.message or not p.code] == []
    assert [p.code for p in found if p.path == "facts/large.md"] == ["too-large"]
    assert served(memory) == ["good"]


def test_oversized_policy_does_not_hide_other_problems(memory: Memory, repo: Path) -> None:
    put_files(repo, {"gitmem.toml": b"# x\n" * 2_500_000, "facts/broken.md": "nonsense"})

    found = memory.doctor(fix=False)

    assert [p.path for p in found.problems if p.severity == "error"] == ["facts/broken.md", "gitmem.toml"]


def test_problems_are_sorted_errors_first(memory: Memory, repo: Path) -> None:
    put_files(repo, {"zoo/b.md": "broken", "ark/c.md": "broken", "ant/a.md": memory_text("t", requires="[no]")})

    assert [path for _, path in lines_of(memory)] == ["ark/c.md", "zoo/b.md", "ant/a.md"]


def test_links_and_submodules_of_the_tree_are_problems_and_are_never_followed(memory: Memory, repo: Path) -> None:
    blob = git(repo, "hash-object", "-w", "--stdin", input="/etc/passwd")
    inner = write_tree(
        repo, ("120000", b"link.md", blob), ("160000", b"module.md", "1" * 40), ("100644", b"gone.md", "2" * 40)
    )
    push(repo, write_tree(repo, ("40000", b"facts", inner)))

    assert lines_of(memory) == [
        ("missing-object", "facts/gone.md"),
        ("symlink", "facts/link.md"),
        ("submodule", "facts/module.md"),
    ]


def test_duplicate_key_is_reported_with_the_file_that_counts(memory: Memory, repo: Path) -> None:
    put_files(repo, {"notes/a.md": memory_text("N", kind="note"), "docs/a.md": memory_text("D", kind="doc")})

    (problem,) = memory.doctor(fix=False).problems

    assert problem == Problem(
        "key-twice", "notes/a.md", "docs/a.md has the same key and takes precedence", key="a", hint="gitmem edit a",
        severity="warning",
    )  # fmt: skip
    assert memory.show("a").document["title"] == "D"


def test_verdict_without_a_memory_is_reported(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a", {"exists": "README.md"}), make_fact("b", {"exists": "README.md"}))
    verify(memory)
    path = verdict_file(memory, "a")
    memory.forget("b")
    assert lines_of(memory) == []

    stream = f"commit {REF}\ncommitter M <m@e> {NOW} +0000\ndata 1\nx\nfrom {REF}^0\nD facts/a.md\n\n"
    git(repo, "fast-import", "--quiet", input=stream)

    assert lines_of(memory) == [("orphan-verdict", path)]


@pytest.mark.parametrize("extra", [{}, {"verify": '"touch x"'}], ids=["memory", "fact"])
def test_memory_of_a_newer_schema_is_shown_and_reported(memory: Memory, repo: Path, extra: dict) -> None:
    put_files(repo, {"facts/new.md": memory_text("From the future", schema=2, kind="fact", **extra)})
    put_files(repo, {"facts/old.md": memory_text("Says schema", schema=1, body='"schema": 9')})

    (problem,) = memory.doctor(fix=True).problems

    assert (problem.code, problem.path, problem.key, problem.severity) == (
        "newer-schema", "facts/new.md", "new", "warning",
    )  # fmt: skip
    assert "update gitmem" in problem.hint
    assert memory.show("new").document["title"] == "From the future"


def test_memory_of_a_newer_schema_that_does_not_fit_is_an_error(memory: Memory, repo: Path) -> None:
    put_files(repo, {"facts/new.md": memory_text("t", schema=2, kind="fact", verify="{proof: 7}", ttl="[]")})

    (problem,) = memory.doctor(fix=True).problems

    assert (problem.code, problem.path, problem.severity) == ("newer-schema", "facts/new.md", "error")
    assert "facts/new.md" in git(repo, "ls-tree", "-r", "--name-only", REF)


# Links


def test_link_to_nothing_names_the_link_and_the_memory(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("a", "A", requires=["gone", "label", "b"]),
        make_memory("b", "B", produces=["label"], supersedes=["never"]),
        make_memory("c", "C", superseded_by="nobody"),
    )

    found = memory.doctor(fix=True).problems

    assert [(p.code, p.key, p.severity, p.message) for p in found] == [
        ("link-to-nothing", "a", "warning", "requires gone: no memory has this key or produces this label"),
        ("link-to-nothing", "b", "warning", "supersedes never: no memory has this key or produces this label"),
        ("link-to-nothing", "c", "warning", "superseded_by nobody: no memory has this key"),
    ]


def test_memories_of_other_repositories_are_named_once_where_no_hub_is_set(
    memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = ["api:port", "pay/api:port", "pay/api:rate"]
    put(
        repo,
        make_memory("a", "A", requires=[*others, "own:label", "https://host/x", "api:a b", "../api:x"]),
        make_memory("b", "B", requires=["api:port"], produces=["own:label"]),
    )

    found = [(p.code, p.key, p.message) for p in memory.doctor(fix=False).problems]
    monkeypatch.setenv("GITMEM_HUB", "https://hub.example.org")
    with Memory(repo) as opened:
        known = [p.code for p in opened.doctor(fix=False).problems]

    wrong = [("link-to-nothing", "a", f"requires {one}") for one in ("../api:x", "api:a b", "https://host/x")]
    assert [(*one[:2], one[2].partition(": no memory")[0]) for one in found if one[1]] == wrong
    elsewhere = [message for code, _, message in found if code == "link-elsewhere"]
    assert [message.partition(": requires ")[2] for message in elsewhere] == [", ".join(others)]
    assert known == ["link-to-nothing"] * 3


def test_link_to_a_retired_memory_is_no_problem(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A", requires=["b"]), make_memory("b", "B"), make_memory("c", "C", requires=["no"]))

    memory.forget("b", "c")

    assert lines_of(memory) == []


CIRCLES = {
    "itself": ({"a": ["a"]}, ["a → a"]),
    "two": ({"b": ["a"], "a": ["b"]}, ["a → b → a"]),
    "three from any end": ({"c": ["a"], "a": ["b"], "b": ["c"]}, ["a → b → c → a"]),
    "one with a tail": ({"t": ["a"], "a": ["b"], "b": ["a"], "c": ["b"]}, ["a → b → a"]),
    "two apart": ({"a": ["b"], "b": ["a"], "x": ["y"], "y": ["x"]}, ["a → b → a", "x → y → x"]),
    "two that share one": ({"a": ["b", "c"], "b": ["a"], "c": ["a"]}, ["a → b → a", "a → c → a"]),
    "none": ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, []),
}


@pytest.mark.parametrize(("links", "circles"), CIRCLES.values(), ids=CIRCLES.keys())
def test_cycle_of_requires_is_reported_once(memory: Memory, repo: Path, links: dict, circles: list[str]) -> None:
    put(repo, *(make_memory(key, key, requires=targets) for key, targets in links.items()))

    assert messages(memory, "link-circle") == [f"requires forms a cycle: {circle}" for circle in circles]


def test_cycle_through_a_label_is_reported(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("a", "A", requires=["tokens"]),
        make_memory("b", "B", requires=["a"], produces=["tokens"]),
        make_memory("c", "C", produces=["tokens"]),
    )

    assert messages(memory, "link-circle") == ["requires forms a cycle: a → b → a"]


@pytest.mark.parametrize("link", ["supersedes", "superseded_by"])
def test_memories_that_supersede_each_other_are_reported(memory: Memory, repo: Path, link: str) -> None:
    ends = {"a": "b", "b": "a"}
    made = [make_memory(key, key, **{link: [to] if link == "supersedes" else to}) for key, to in ends.items()]
    put(repo, *made)

    assert served(memory) == []
    assert messages(memory, "link-circle") == ["supersedes forms a cycle: a → b → a"]


def test_long_chain_of_requires_is_checked_quickly(memory: Memory, repo: Path) -> None:
    number = 1500  # deeper than the stack of Python
    put(repo, *(make_memory(f"m{n:04}", "M", requires=[f"m{(n + 1) % number:04}"]) for n in range(number)))
    memory.repository.catalog()
    began = time.process_time()

    (message,) = messages(memory, "link-circle")

    assert message.startswith("requires forms a cycle: m0000 → m0001 → ")
    assert time.process_time() - began < 5


# Hostile entries


ODD_NAMES = [
    b"facts/with space.md", b"facts/\x1b[31m.md", b'facts/"quoted".md', b"facts/back\\slash.md", b"facts/\xff\xfe.md",
    "facts/größe.md".encode(), b"facts/line\nbreak.md", b"facts/-rf.md", b"facts/UPPER.md", b"a b/c d/e", b"facts/.md",
    b"facts/" + b"x" * 300 + b".md", b".gitmodules", b"facts/tab\there.md", b"NOTES.md", b"verdicts/zz/x",
]  # fmt: skip


def test_entries_that_belong_to_no_store_are_deleted_by_name_in_one_commit(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("good", "Good"), make_fact("fine", {"exists": "README.md"}))
    put_files(repo, {"facts/broken.md": "---\ntitle: [\n---\n"})
    push_files(repo, dict.fromkeys(ODD_NAMES, "hostile"))
    before = tip(repo)

    strange = [p.path for p in memory.doctor(fix=True).problems if p.code == "bad-name"]
    assert tip(repo) == before, "--fix deletes nothing that gitmem did not write"
    found = memory.doctor(fix=False, delete=[*strange[::2], *map(display, strange[1::2])])

    assert [(p.code, p.path) for p in found.problems if p.severity == "error"] == [("bad-yaml", "facts/broken.md")]
    assert len(found.fixed) == len(ODD_NAMES)
    assert git(repo, "rev-parse", f"{REF}~1") == before
    assert git(repo, "ls-tree", "-r", "--name-only", REF).split("\n") == [
        ".gitattributes", "STATUS.md", "facts/broken.md", "facts/fine.md", "gitmem.toml", "gotchas/good.md",
    ]  # fmt: skip
    assert git(repo, "show", f"{before}:facts/UPPER.md") == "hostile"
    assert git(repo, "log", "-1", "--format=%an %s", REF) == (
        f"gitmem doctor: delete {len(ODD_NAMES)} entries that belong to no store"
    )
    assert git(repo, "status", "--porcelain") == ""
    assert memory.doctor(fix=True).fixed == ()


@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT", b"git~1", b" "])
def test_folders_that_would_break_a_checkout_are_deleted_by_name(memory: Memory, repo: Path, name: bytes) -> None:
    blob = git(repo, "hash-object", "-w", "--stdin", input="hostile")
    good = git(repo, "hash-object", "-w", "--stdin", input=memory_text("Good", kind="gotcha"))
    inner, folder = write_tree(repo, ("100644", b"a.md", blob)), write_tree(repo, ("100644", b"good.md", good))
    push(repo, write_tree(repo, ("40000", b"gotchas", folder), ("40000", name, inner)))

    found = memory.doctor(fix=True, delete=[name.decode()])

    assert (found.problems, len(found.fixed)) == ((), 1)
    assert served(memory) == ["good"]
    assert git(repo, "ls-tree", "-r", "--name-only", REF) == "gotchas/good.md"


def test_links_and_submodules_are_deleted_and_the_files_beside_them_stay(memory: Memory, repo: Path) -> None:
    blob = git(repo, "hash-object", "-w", "--stdin", input="/etc/passwd")
    good = git(repo, "hash-object", "-w", "--stdin", input=memory_text("Good", kind="gotcha"))
    inner = write_tree(
        repo, ("100644", b"good.md", good), ("120000", b"link.md", blob), ("160000", b"module.md", "1" * 40)
    )
    push(repo, write_tree(repo, ("40000", b"gotchas", inner)))

    found = memory.doctor(fix=True, delete=["gotchas/"])

    assert (found.problems, len(found.fixed)) == ((), 2)
    assert git(repo, "ls-tree", "-r", "--name-only", REF) == "gotchas/good.md"


def test_fix_leaves_a_branch_of_the_remote_alone(memory: Memory, repo: Path, tmp_path: Path) -> None:
    put_files(repo, {"Bad/x.md": "x"})
    git(tmp_path, "clone", "-q", str(repo), "clone")
    clone = tmp_path / "clone"

    with Memory(clone, clock=Clock()) as opened:
        found = opened.doctor(fix=True)

    strays = [("bad-name", "Bad/x.md"), ("stray-entries", REF)]
    assert ([(p.code, p.path) for p in found.problems], found.fixed) == (strays, ())
    assert git(clone, "for-each-ref", "refs/heads/memory") == ""


def test_fix_does_not_wait_forever(memory: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_files(repo, {"Bad/x.md": "x"})
    monkeypatch.setenv("GITMEM_LOCK_TIMEOUT", "0.05")

    with (
        WriteLock(repo / ".git/gitmem", command="another", timeout_s=1),
        Memory(repo, clock=Clock()) as opened,
        pytest.raises(ConflictError, match="another"),
    ):
        opened.doctor(fix=True, delete=["Bad"])


# Trees that cannot be read


def test_fix_commits_the_last_readable_tree_on_top(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A"), make_fact("b", {"exists": "README.md"}))
    good, bad = tip(repo), unreadable(repo)
    assert served(memory) == ["a", "b"]
    assert lines_of(memory) == [("tree-unreadable", "")]

    found = memory.doctor(fix=True)

    assert (found.problems, len(found.fixed)) == ((), 1)
    assert git(repo, "rev-parse", f"{REF}~1", f"{REF}~2") == f"{bad}\n{good}"
    assert git(repo, "rev-parse", f"{REF}^{{tree}}") == git(repo, "rev-parse", f"{good}^{{tree}}")
    assert served(memory) == ["a", "b"]


def test_nothing_is_written_on_an_unreadable_tree(memory: Memory, repo: Path) -> None:
    """An acknowledged write must be visible to the next reader, who sees the last readable tree."""
    put(repo, make_fact("a", {"exists": "README.md"}))
    bad = unreadable(repo)

    with pytest.raises(ConflictError) as caught:
        memory.remember("a memory that nobody could read", key="n")
    with pytest.raises(ConflictError):
        verify(memory)

    assert "doctor --fix" in caught.value.hint
    assert tip(repo) == bad
    memory.doctor(fix=True)
    memory.remember("a memory that everybody can read", key="n")
    verify(memory)
    with Memory(repo, clock=Clock()) as opened:
        opened.index.refresh(rebuild=True)
        assert served(opened) == ["a", "n"]
        assert opened.show("a").document["status"] == "verified"


def test_unreadable_tree_of_a_foreign_branch_is_left_alone(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A"))
    blob = git(repo, "hash-object", "-w", "--stdin", input="x")
    made = git(repo, "commit-tree", "-m", "pushed by force", write_tree(repo, ("100644", b"", blob)))
    git(repo, "update-ref", REF, made)

    assert lines_of(memory, fix=True) == [("foreign-branch", REF)]
    assert tip(repo) == made


# A broken ref


BROKEN = {
    "empty": b"",
    "zeros": b"\0" * 41,
    "half": b"0123456789abcdef\n",
    "words": b"not an object name\n",
    "no such commit": b"0123456789abcdef0123456789abcdef01234567\n",
    "null": b"0" * 40 + b"\n",
    "loop": b"ref: refs/heads/memory\n",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_broken_ref_is_restored_from_the_reflog_and_the_file_is_kept(
    memory: Memory, repo: Path, content: bytes
) -> None:
    put(repo, make_memory("a", "A"))
    memory.remember("the last one", key="b")
    good = tip(repo)
    ref_file(repo).write_bytes(content)

    assert lines_of(memory) == [("broken-ref", REF)]
    found = memory.doctor(fix=True)

    assert found.problems == ()
    assert tip(repo) == good
    kept = repo / ".git/gitmem/memory.broken"
    assert kept.read_bytes() == content
    assert str(kept) in found.fixed[0]
    assert served(memory) == ["a", "b"]
    assert memory.remember("and on", key="c").is_written


def test_ref_that_names_no_commit_is_broken(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A"))
    good = tip(repo)
    ref_file(repo).write_text(git(repo, "hash-object", "-w", "--stdin", input="a blob") + "\n")

    assert lines_of(memory) == [("broken-ref", REF)]
    assert lines_of(memory, fix=True) == []
    assert tip(repo) == good


def test_ref_is_restored_to_the_newest_existing_commit_of_the_reflog(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A"))
    good = tip(repo)
    lost = put(repo, make_memory("b", "B"))
    path = repo / ".git/objects" / lost[:2] / lost[2:]
    for pack in (repo / ".git/objects/pack").glob("pack-*"):
        pytest.skip(f"the commit went into {pack}")
    path.unlink()

    found = memory.doctor(fix=True)

    assert found.problems == ()
    assert tip(repo) == good
    assert served(memory) == ["a"]


def test_ref_without_a_reflog_is_restored_from_the_remote(memory: Memory, repo: Path, tmp_path: Path) -> None:
    put(repo, make_memory("a", "A"))
    git(tmp_path, "clone", "-q", str(repo), "clone")
    clone = tmp_path / "clone"
    with Memory(clone, clock=Clock()) as opened:
        opened.init()
        (clone / ".git/logs" / REF).unlink(missing_ok=True)
        ref_file(clone).write_bytes(b"")

        assert lines_of(opened, fix=True) == []
        assert served(opened) == ["a"]


def test_ref_with_an_unknown_tip_stays_unchanged(memory: Memory, repo: Path) -> None:
    (repo / ".git/logs" / REF).unlink()
    ref_file(repo).write_bytes(b"")

    found = memory.doctor(fix=True)

    assert [(p.code, p.path) for p in found.problems] == [("broken-ref", REF)]
    assert (ref_file(repo).read_bytes(), found.fixed) == (b"", ())


def test_invalid_lines_of_the_reflog_are_skipped(memory: Memory, repo: Path) -> None:
    good = tip(repo)
    log = repo / ".git/logs" / REF
    log.write_bytes(log.read_bytes() + b"x --all y\n\xff\n" + b"0" * 40 + b" " + b"0" * 40 + b" A <a> 1 +0000\tx\n")
    ref_file(repo).write_bytes(b"")

    assert lines_of(memory, fix=True) == []
    assert tip(repo) == good


def test_broken_remote_branch_is_a_problem(repo: Path) -> None:
    path = repo / ".git/refs/remotes/origin/memory"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")

    with Memory(repo, clock=Clock()) as opened:
        found = opened.doctor(fix=True)

    (problem,) = found.problems
    assert (problem.code, problem.severity, problem.hint) == ("broken-ref", "error", "git fetch origin")


def test_repository_without_a_store_gets_the_hint_to_init(repo: Path) -> None:
    with Memory(repo, clock=Clock()) as opened:
        (problem,) = opened.doctor(fix=True).problems

    assert (problem.code, problem.severity, problem.hint) == ("no-store", "warning", "gitmem init")
    assert git(repo, "for-each-ref", REF) == ""


# Lock files


def lock_file(repo: Path, *, age_s: float) -> Path:
    path = repo / ".git" / f"{REF}.lock"
    path.write_bytes(b"")
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


def test_stale_lock_is_removed_only_by_fix(memory: Memory, repo: Path) -> None:
    path = lock_file(repo, age_s=STALE_AFTER_S + 5)

    (problem,) = memory.doctor(fix=False).problems
    assert (problem.code, problem.path, problem.severity) == ("stale-lock", str(path), "error")
    assert path.exists()

    found = memory.doctor(fix=True)

    assert found.problems == ()
    assert not path.exists()
    assert str(path) in found.fixed[0]
    assert memory.remember("it works again", key="a").is_written


def test_recent_lock_stays(memory: Memory, repo: Path) -> None:
    path = lock_file(repo, age_s=STALE_AFTER_S - 10)

    (problem,) = memory.doctor(fix=True).problems

    assert (problem.code, problem.severity) == ("ref-locked", "warning")
    assert path.exists()


def test_old_lock_held_by_a_process_stays(memory: Memory, repo: Path) -> None:
    path = lock_file(repo, age_s=STALE_AFTER_S * 100)

    with path.open("rb"):
        (problem,) = memory.doctor(fix=True).problems

    assert (problem.code, path.exists()) == ("ref-locked", True)
    assert lines_of(memory, fix=True) == []


def test_locks_of_other_refs_are_ignored(memory: Memory, repo: Path) -> None:
    path = repo / ".git/refs/heads/main.lock"
    path.write_bytes(b"")
    os.utime(path, (0, 0))

    assert lines_of(memory, fix=True) == []
    assert path.exists()


# Together


def test_several_problems_are_repaired_at_once(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "A", requires=["nothing"]))
    push_files(repo, {b"facts/a b.md": "x", b"UP/x.md": "x"})
    lock_file(repo, age_s=1000)
    ref_file(repo).write_bytes(b"")
    (repo / ".git/gitmem/catalog.sqlite").write_bytes(b"rubbish" * 1000)

    with Memory(repo, clock=Clock()) as opened:
        before = lines_of(opened)
        mended = opened.doctor(fix=True)
        found = opened.doctor(fix=True, delete=["facts/a b.md", "UP"])

    assert before == [("stale-lock", str(repo / ".git" / f"{REF}.lock")), ("broken-ref", REF)]
    assert [p.code for p in found.problems] == ["link-to-nothing"]
    assert len(mended.fixed) + len(found.fixed) == 4
    assert git(repo, "fsck", "--full", "--strict") == ""


def test_read_only_store_is_still_examined(memory: Memory, repo: Path) -> None:
    put_files(repo, {"facts/a.md": "broken"})
    memory.close()
    state = repo / ".git/gitmem"
    shutil.rmtree(state)
    state.write_text("a file where the folder must be")  # no mode keeps a root out

    with Memory(repo, clock=Clock()) as opened:
        assert [path for _, path in lines_of(opened)] == ["facts/a.md"]
    assert state.read_text() == "a file where the folder must be"


def test_odd_names_are_shown_without_control_characters(run_cli, memory: Memory, repo: Path) -> None:
    push_files(repo, {b"facts/\x1b[31m.md": "x", "facts/\u202e.md".encode(): "x"})

    for argv in (("doctor",), ("doctor", "--json"), ("doctor", "--fix")):
        done = run_cli(*argv)
        assert not any(char in done.out + done.err for char in "\x1b\u202e")
        assert "facts/" in done.out


@pytest.mark.parametrize("clock", [-86_400.0, 31_535_999.0, 4_294_967_296.0, 1e15])
def test_a_wrong_clock_breaks_nothing_and_is_reported(repo: Path, clock: float) -> None:
    with Memory(repo, clock=lambda: clock) as memory:
        memory.init(offline=True)
        memory.remember("Written at a strange time", key="strange")
        memory.capture("Captured at a strange time too", key="strange-too")
        memory.fact("Retries", verify={"contains": "RETRIES", "in": "src/**"}, key="retries")
        verify(memory)
        memory.edit("strange", lambda text: text.replace("Written", "Changed"))
        memory.forget("strange-too", why="no reason")
        memory.context(paths=(), budget_tokens=1000)
        memory.status()
        memory.jobs.metrics()
        assert "strange" in [hit.key for hit in memory.recall(Query("strange time")).hits]
        problems = memory.doctor(fix=False).problems

    assert [p.code for p in problems] == ["clock-wrong"]
    git(repo, "fsck", "--strict", "--no-dangling")
