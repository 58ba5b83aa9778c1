"""The index follows the store: updated step by step it is what it would be if it were made from nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, put_files, tip
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gitmem.document.parse import parse
from gitmem.document.spec import claim_hash, spec_hash, spec_of
from gitmem.errors import ConflictError, GitmemError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.index.catalog import FILE_NAME, LOCK_NAME, Catalog
from gitmem.index.refresh import CatalogSource, empty_catalog, rebuild, refresh
from gitmem.memory import Memory
from gitmem.model import FAILS, Verdict
from gitmem.recall.query import Query
from gitmem.repository.open_store import OpenStore
from gitmem.store import layout
from gitmem.store.verdicts import format_verdict
from gitmem.system import file_lock
from gitmem.text.tokens import format_stamp

REF = "refs/heads/memory"
FACT = memory_text("a fact", kind="fact", verify="{exists: README.md}")

TEXTS = {
    "plain": memory_text("plain", body="some words\n", tags="[x, y]", created="2026-01-01T00:00:00Z"),
    "other": memory_text("other", kind="gotcha", tags="[y]", domains="[d]", paths="[src/**]", refs="['src/a.py:3']"),
    "supersedes-a": memory_text("newer", supersedes="[a]"),
    "supersedes-c": memory_text("newer", supersedes="[c, none]"),
    "superseded-by-b": memory_text("older", superseded_by="b"),
    "requires": memory_text("rests on", requires="[a, label]", produces="[label]"),
    "fact": FACT,
    "command": memory_text("a fact", kind="fact", verify="grep -q RS256 src/auth/jwt.py", paths="[src/auth/**]"),
    "task": memory_text(
        "a task", kind="task", state="closed", attempts="[{num: 1, outcome: failed, notes: lost words}]", body="below\n"
    ),
    "broken": "---\n[\n---\n",
    "empty": "",
    "bad-ttl": memory_text("bad", ttl="soon"),
    "policy": "[kinds.learned]\nttl = '1d'\nexpires = true\n",
}


def verdict_of(key: str) -> tuple[str, str]:
    """Return path and text of a verdict that fits the fact of a key."""
    document = parse(FACT, path=f"facts/{key}.md")
    spec = spec_of(document, setup="", default_timeout_s=60, folders=())
    assert spec is not None
    made = Verdict(key, spec_hash(spec), claim_hash(document), FAILS, "0" * 40, "present", NOW, because="no")
    return layout.verdict_path(key, made.spec), format_verdict(made)


PATHS = {
    name: path
    for key in "abc"
    for name, path in {
        f"{key}": f"facts/{key}.md",
        f"{key}-elsewhere": f"aside/{key}.md",
        f"{key}-split": layout.memory_path("facts", key, split=True),
        f"{key}-archived": f"archive/facts/{key}.md",
        f"{key}-verdict": verdict_of(key)[0],
    }.items()
} | {"bad-name": "facts/A.md", "policy": "gitmem.toml", "page": "STATUS.md"}

STEP = st.dictionaries(
    st.sampled_from(sorted(PATHS)), st.sampled_from([*sorted(TEXTS), "verdict", "gone"]), min_size=1, max_size=4
)


@cache
def empty_store(repo: Path) -> str:
    """Return the commit of a store without memories."""
    return put_files(repo, {})


def push(repo: Path, step: dict[str, str], parent: str = f"{REF}^0") -> None:
    """Change files of the branch as if someone had pushed them, on top of its tip or of another commit."""
    stream = f"commit {REF}\ncommitter M <m@x> {NOW} +0000\ndata 1\nm\nfrom {parent}\n"
    for name, what in step.items():
        if what == "gone":
            stream += f"D {PATHS[name]}\n"
            continue
        text = verdict_of(name[0])[1] if what == "verdict" else TEXTS[what]
        stream += f"M 100644 inline {PATHS[name]}\ndata {len(text.encode())}\n{text}\n"
    git(repo, "fast-import", "--quiet", "--force", "--date-format=raw", input=stream)


def content(memory: Memory) -> dict[str, list[tuple[object, ...]]]:
    """Return all that the index knows, with paths for its numbers."""
    ground = memory.repository.ground() or 0
    catalog = memory.repository.catalog()
    db = catalog.connection
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrence USING fts5vocab(main, fts, instance)")
    columns = ", ".join(f"m.{row[1]}" for row in db.execute("PRAGMA table_info(memory)").fetchall() if row[1] != "id")
    questions = {
        "meta": "SELECT * FROM meta",
        "memory": f"SELECT {columns} FROM memory m",
        "text": "SELECT m.path, t.tags, t.paths, t.fields, t.body FROM text t LEFT JOIN memory m USING (id)",
        "tag": "SELECT m.path, t.tag FROM tag t LEFT JOIN memory m USING (id)",
        "link": "SELECT m.path, l.relation, l.target FROM link l LEFT JOIN memory m ON m.id = l.source",
        "fact": "SELECT m.path, f.spec, f.claim, f.ttl_s, f.form, f.words, f.inputs FROM fact f LEFT JOIN memory m"
        " USING (id)",
        "task": "SELECT m.path, k.state, k.attempts, k.failures, k.notes FROM task k LEFT JOIN memory m USING (id)",
        "verdict": "SELECT * FROM verdict",
        "problem": "SELECT * FROM problem",
        "state": "SELECT m.path, s.digest, s.outcome, s.at, s.fresh, s.own, s.weak, s.published FROM state s"
        f" LEFT JOIN memory m ON m.id = s.fact WHERE s.ground = {ground}",
        "occurrence": "SELECT m.path, o.term, o.col, o.offset FROM occurrence o LEFT JOIN memory m ON m.id = o.doc",
        "term": "SELECT * FROM term",
        "total": "SELECT * FROM total",
    }
    return {name: sorted(db.execute(sql).fetchall(), key=repr) for name, sql in questions.items()}


def forget_everything(repo: Path) -> None:
    git(repo, "update-ref", "-d", REF)
    shutil.rmtree(repo / ".git" / "gitmem", ignore_errors=True)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEP, min_size=2, max_size=5))
@example([{"a": "plain", "b": "supersedes-a"}, {"b-elsewhere": "plain"}])
@example([{"a": "plain", "b": "plain", "b-split": "supersedes-a"}, {"b": "gone"}])
@example([{"a": "plain", "c-elsewhere": "plain", "c": "supersedes-a"}, {"c-elsewhere": "gone"}])
@example([{"a": "fact", "a-verdict": "verdict"}, {"a": "plain"}, {"a": "fact"}])
@example([{"a": "task", "b": "task"}, {"a": "plain"}, {"b": "gone"}])
@example([{"a": "fact", "a-elsewhere": "fact", "a-verdict": "verdict"}, {"a-elsewhere": "gone"}])
@example([{"a": "fact", "a-archived": "fact"}, {"a": "gone"}, {"a": "fact"}])
@example([{"a": "other"}, {"a": "plain"}])
@example([{"a": "other", "a-archived": "command"}, {"a": "bad-ttl"}])
@example([{"a": "plain"}, {"policy": "policy"}, {"policy": "broken"}, {"policy": "gone"}])
def test_an_index_updated_step_by_step_equals_one_made_from_nothing(repo: Path, steps: list[dict[str, str]]) -> None:
    parent = empty_store(repo)
    shutil.rmtree(repo / ".git" / "gitmem", ignore_errors=True)
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        for step in steps:
            push(repo, step, parent)
            parent = f"{REF}^0"
            content(memory)  # brings rows and statuses up to date

        updated = content(memory)
        memory.index.refresh(rebuild=True)

        assert updated == content(memory)


OPERATIONS = st.sampled_from(["remember", "again", "edit", "forget", "supersede", "kind", "push"])


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(OPERATIONS, st.sampled_from("abc"), st.sampled_from("abc")), min_size=3, max_size=8))
def test_an_index_that_followed_our_own_writes_equals_one_made_from_nothing(
    repo: Path, operations: list[tuple[str, str, str]]
) -> None:
    forget_everything(repo)
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        for number, (operation, key, other) in enumerate(operations):
            try:
                _operate(repo, memory, operation, key, other, number)
            except GitmemError:
                continue  # no such memory, or nothing that may be done with it
        if memory.repository.find_tip() is None:
            return

        updated = content(memory)
        memory.index.refresh(rebuild=True)

        assert updated == content(memory)


def _operate(repo: Path, memory: Memory, operation: str, key: str, other: str, number: int) -> None:
    if operation == "remember":
        memory.remember(f"text {number} of {key}", key=key, tags=["t"], paths=["src/**"])
    elif operation == "again":
        memory.remember("the same words once more, and again", key=key)
    elif operation == "edit":
        memory.edit(key, lambda text: text.replace("text", "edited text") + f"\nmore {number}\n")
    elif operation == "kind":
        memory.edit(key, lambda text: text.replace("kind: learned", "kind: gotcha"))
    elif operation == "forget":
        memory.forget(key, why="over")
    elif operation == "supersede":
        memory.supersede(key, other)
    else:
        if memory.repository.find_tip() is None:
            git(repo, "update-ref", REF, empty_store(repo))
        push(repo, {other: "requires", f"{key}-elsewhere": "supersedes-c"})


# Following


def door(repo: Path) -> Git:
    return Git(discover(repo))


def shown(catalog: Catalog) -> list[str]:
    return sorted(row[0] for row in catalog.rows("SELECT key FROM memory WHERE shadowed = 0 AND archived = 0"))


def test_an_index_that_is_behind_is_brought_forward_by_what_changed(repo: Path) -> None:
    put_files(repo, {f"facts/k{n}.md": memory_text(f"k{n}") for n in range(5)})
    refresh(CatalogSource(door(repo), tip(repo))).catalog.close()
    at = put_files(repo, {"facts/new.md": memory_text("new")})
    # What is not among the changes is not read: a rebuild would miss this one.
    oid = git(repo, "rev-parse", f"{REF}:facts/k1.md")
    (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()

    done = refresh(CatalogSource(door(repo), at))

    assert shown(done.catalog) == ["k0", "k1", "k2", "k3", "k4", "new"]
    assert (done.catalog.meta("commit"), done.behind) == (at, "")
    done.catalog.close()


def test_an_older_state_can_be_asked_for_again(repo: Path) -> None:
    old = put_files(repo, {"facts/a.md": memory_text("a")})
    new = put_files(repo, {"facts/b.md": memory_text("b")})
    refresh(CatalogSource(door(repo), new)).catalog.close()

    done = refresh(CatalogSource(door(repo), old))

    assert shown(done.catalog) == ["a"]
    done.catalog.close()


def test_a_rewritten_branch_whose_old_commits_are_gone_is_read_again(repo: Path) -> None:
    put_files(repo, {"facts/a.md": memory_text("a")})
    refresh(CatalogSource(door(repo), tip(repo))).catalog.close()
    git(repo, "update-ref", "-d", REF)
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")
    at = put_files(repo, {"facts/b.md": memory_text("b")})

    done = refresh(CatalogSource(door(repo), at))

    assert shown(done.catalog) == ["b"]
    done.catalog.close()


def test_a_changed_policy_is_applied_to_every_memory(repo: Path) -> None:
    put_files(repo, {"learned/a.md": memory_text("a", created="2026-01-01T00:00:00Z")})
    refresh(CatalogSource(door(repo), tip(repo))).catalog.close()
    at = put_files(repo, {"gitmem.toml": TEXTS["policy"]})

    done = refresh(CatalogSource(door(repo), at))

    assert done.catalog.row("SELECT expires - created FROM memory") == (86_400,)
    done.catalog.close()


@pytest.mark.parametrize("policy", [b"[", b"\xff", b"[recal]\n", b"x" * 70_000], ids=["toml", "utf8", "key", "large"])
def test_a_policy_that_cannot_be_read_is_one_problem(repo: Path, policy: bytes) -> None:
    at = put_files(repo, {"gitmem.toml": policy, "facts/a.md": memory_text("a")})

    done = refresh(CatalogSource(door(repo), at))

    assert shown(done.catalog) == ["a"]
    assert [row[0] for row in done.catalog.rows("SELECT path FROM problem")] == ["gitmem.toml"]
    done.catalog.close()


def test_while_another_process_writes_the_index_the_last_state_is_shown_and_said_so(repo: Path) -> None:
    old = put_files(repo, {"facts/a.md": memory_text("a")})
    refresh(CatalogSource(door(repo), old)).catalog.close()
    new = put_files(repo, {"facts/b.md": memory_text("b")})
    other = sqlite3.connect(repo / ".git/gitmem" / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    done = refresh(CatalogSource(door(repo), new))

    other.close()
    assert shown(done.catalog) == ["a"]
    assert old[:12] in done.behind
    assert new[:12] in done.behind
    done.catalog.close()


def test_change_larger_than_half_of_the_index_is_built_beside_it(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.index.refresh.WORTH_TELLING", 3)
    old = put_files(repo, {"facts/a.md": memory_text("a")})
    reader = refresh(CatalogSource(door(repo), old)).catalog
    new = put_files(repo, {f"facts/k{n}.md": memory_text(f"k{n}") for n in range(4)})
    lock = file_lock.try_lock(repo / ".git/gitmem" / LOCK_NAME)
    assert lock is not None

    meanwhile = refresh(CatalogSource(door(repo), new), have=reader)
    os.close(lock)
    done = refresh(CatalogSource(door(repo), new))

    assert (shown(meanwhile.catalog), bool(meanwhile.behind)) == (["a"], True)
    assert (shown(done.catalog), done.behind) == (["a", "k0", "k1", "k2", "k3"], "")
    reader.close()
    done.catalog.close()


def test_a_write_is_never_planned_on_an_index_that_is_behind(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenStore, "REFRESH_ATTEMPTS", 1)
    put_files(repo, {"learned/a.md": memory_text("a", body="first\n")})
    with Memory(repo) as memory:
        memory.repository.catalog()
        put_files(repo, {"learned/a.md": memory_text("a", body="second, by somebody else\n")})
        other = sqlite3.connect(repo / ".git/gitmem" / FILE_NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(ConflictError, match="is writing the index"):
            memory.edit("a", lambda text: text + "more\n")

        other.close()
        memory.edit("a", lambda text: text + "more\n")
    assert "second, by somebody else" in git(repo, "show", f"{REF}:learned/a.md")


# Faults


@pytest.fixture
def indexed(repo: Path) -> Path:
    """Return a repository with twenty memories and their index."""
    put_files(repo, {f"learned/k{n}.md": memory_text(f"gateway {n}", body="words " * 200) for n in range(20)})
    refresh(CatalogSource(door(repo), tip(repo))).catalog.close()
    return repo


def damage(file: Path, how: str) -> None:
    raw = bytearray(file.read_bytes())
    if how == "empty":
        raw = bytearray()
    elif how == "cut":
        del raw[len(raw) // 2 :]
    elif how == "junk":
        raw[:] = b"\xa5" * len(raw)
    elif how == "header":
        raw[:16] = b"not a database!!"
    else:
        raw[8192:] = b"\xa5" * (len(raw) - 8192)
    file.write_bytes(raw)


@pytest.mark.parametrize("how", ["empty", "cut", "junk", "header", "middle"])
def test_a_damaged_index_heals_by_itself(indexed: Path, how: str) -> None:
    damage(indexed / ".git/gitmem" / FILE_NAME, how)
    argv = [sys.executable, "-m", "gitmem", "-C", str(indexed), "recall", "gateway"]

    # One command may say that it threw a damaged index away; then it is whole again.
    first = subprocess.run(argv, capture_output=True, text=True, check=False)
    second = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert first.returncode in (0, 3), first.stderr
    assert second.returncode == 0, second.stderr
    assert second.stdout.count("gateway") == 10


@pytest.mark.parametrize("how", ["empty", "cut", "junk", "header", "middle"])
def test_a_write_beside_a_damaged_index_is_kept(indexed: Path, how: str) -> None:
    damage(indexed / ".git/gitmem" / FILE_NAME, how)
    argv = [sys.executable, "-m", "gitmem", "-C", str(indexed), "remember", "kept", "--key", "kept"]

    done = [subprocess.run(argv, capture_output=True, text=True, check=False) for _ in range(2)]

    assert done[0].returncode in (0, 3), done[0].stderr
    assert done[1].returncode == 0, done[1].stderr
    assert git(indexed, "show", f"{REF}:learned/kept.md")


@pytest.mark.parametrize("column", ["format", "analysis"])
def test_an_index_of_another_format_is_rebuilt(indexed: Path, column: str) -> None:
    file = indexed / ".git/gitmem" / FILE_NAME
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("UPDATE meta SET value = 'of another version' WHERE name = ?", (column,))
    other.execute("DELETE FROM memory")
    other.close()

    done = refresh(CatalogSource(door(indexed), tip(indexed)))

    assert len(shown(done.catalog)) == 20
    assert done.catalog.meta("analysis") == format_stamp()
    done.catalog.close()


def test_the_log_of_a_former_index_is_not_taken_for_the_new_ones(indexed: Path) -> None:
    folder = indexed / ".git/gitmem"
    holder = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    holder.execute("DELETE FROM memory")  # only in the write-ahead log
    damage(folder / FILE_NAME, "header")

    done = rebuild(CatalogSource(door(indexed), tip(indexed)))

    assert len(shown(done)) == 20
    done.close()
    holder.close()
    again = refresh(CatalogSource(door(indexed), tip(indexed))).catalog
    assert len(shown(again)) == 20
    again.close()


def test_a_killed_rebuild_leaves_the_index_as_it_was(indexed: Path) -> None:
    script = (
        "import os, sys; from gitmem.index.catalog import schema\n"
        "def fill(catalog): catalog.set_meta('commit', 'half'); os.kill(os.getpid(), 9)\n"
        "schema.build(sys.argv[1], fill)"
    )
    subprocess.run([sys.executable, "-c", script, str(indexed / ".git/gitmem")], check=False)

    done = refresh(CatalogSource(door(indexed), tip(indexed)))

    assert len(shown(done.catalog)) == 20
    done.catalog.close()
    again = rebuild(CatalogSource(door(indexed), tip(indexed)))
    assert len(shown(again)) == 20
    again.close()


def test_readers_answer_while_a_large_change_is_built_and_after_its_builder_was_killed(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.index.refresh.WORTH_TELLING", 3)

    def ask() -> tuple[int, bool]:
        with Memory(indexed) as memory:
            found = memory.recall(Query("gateway", limit=99))
        return len(found.hits), bool(found.behind)

    assert ask() == (20, False)
    put_files(indexed, {f"learned/new-{n}.md": memory_text(f"gateway new {n}") for n in range(30)})
    script = (
        "import sys, time; from gitmem.index import refresh; from gitmem.index.catalog.inserts import Inserts\n"
        "from gitmem.memory import Memory\n"
        "add, refresh.WORTH_TELLING = Inserts.add_memory, 3\n"
        "Inserts.add_memory = lambda *given: time.sleep(0.5) or add(*given)\n"
        "with Memory(sys.argv[1]) as m: m.index.refresh()"
    )

    builder = subprocess.Popen([sys.executable, "-c", script, str(indexed)])
    fresh = indexed / ".git/gitmem" / f"{FILE_NAME}.new"
    while not fresh.exists() and builder.poll() is None:
        time.sleep(0.01)
    meanwhile = [ask() for _ in range(3)]
    is_building = builder.poll() is None
    builder.kill()
    builder.wait()

    assert (is_building, meanwhile) == (True, [(20, True)] * 3)
    assert ask() == (50, False)
    assert not fresh.exists()


def test_where_no_file_may_grow_the_index_is_read_and_made_in_memory(indexed: Path) -> None:
    put_files(indexed, {"learned/later.md": memory_text("gateway later", body="words " * 9000)})
    script = (
        "import resource, sys; from gitmem.memory import Memory; from gitmem.recall.query import Query\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
        "with Memory(sys.argv[1]) as m: print(len(m.recall(Query('gateway', limit=50)).hits))"
    )

    done = subprocess.run([sys.executable, "-c", script, str(indexed)], capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("21\n", 0), done.stderr


@pytest.mark.whole_system
def test_processes_that_rebuild_and_write_at_once_agree_in_the_end(indexed: Path) -> None:
    script = (
        "import sys, sqlite3; from gitmem.memory import Memory; from gitmem.recall.query import Query\n"
        "from gitmem.errors import GitmemError\n"
        "for n in range(8):\n"
        "    with Memory(sys.argv[1]) as m:\n"
        "        if sys.argv[2] == 'rebuild': m.index.refresh(rebuild=True)\n"
        "        elif sys.argv[2] == 'write': m.remember(f'gateway more {n}', key=f'more-{n}')\n"
        "        else: assert len(m.recall(Query('gateway', limit=99)).hits) >= 20\n"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", script, str(indexed), what], stderr=subprocess.PIPE, text=True)
        for what in ("rebuild", "write", "read", "rebuild", "read")
    ]

    lines = [(child.communicate()[1], child.returncode) for child in children]

    assert [status for _, status in lines] == [0] * 5, lines
    with Memory(indexed) as memory:
        updated = content(memory)
        memory.index.refresh(rebuild=True)
        assert updated == content(memory)
        assert len(memory.recall(Query("gateway", limit=99)).hits) == 28


# Bad inputs: each is one problem.
BAD_FILES: dict[str, bytes] = {
    "empty": b"",
    "list": b"---\n- a\n---\n",
    "scalar": b"---\njust text\n---\n",
    "open-ended": b"---\ntitle: a\n",
    "duplicate": b"---\ntitle: a\nverify: 'true x'\nverify: rm -rf /\n---\n",
    "bomb": b"---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n---\n",
    "anchor": b"---\na: &a [*a]\n---\n",
    "tag": b"---\na: !!python/object/apply:os.system ['touch /tmp/x']\n---\n",
    "deep": b"---\na: " + b"[" * 5000 + b"\n---\n",
    "wide": b"---\na: [" + b"x," * 30000 + b"x]\n---\n",
    "digits": b"---\npriority: " + b"9" * 5000 + b"\n---\n",
    "unhashable": b"---\n? [a]\n: b\n---\n",
    "two-documents": b"---\ntitle: a\n...\n---\ntitle: b\n---\n",
    "nul": b"---\ntitle: a\0b\n---\n",
    "not-utf8": b"---\ntitle: caf\xe9\n---\n",
    "surrogate": b'---\ntitle: "\\ud800"\n---\n',
    "escape": b'---\nverify: "true \\e[8m; rm -rf ~"\n---\n',
    "return": b'---\nverify: "rm -rf ~ \\r true"\n---\n',
    "override": "---\nverify: true \u202e x\n---\n".encode(),
    "verify-number": b"---\nverify: 7\n---\n",
    "verify-outside": b"---\nverify: {exists: ../../etc/passwd}\n---\n",
    "timeout-0": b"---\nverify: make\ntimeout: 0\n---\n",
    "timeout-endless": b"---\nverify: make\ntimeout: 1e308\n---\n",
    "ttl-negative": b"---\nttl: -1d\n---\n",
    "confidence": b"---\nconfidence: .nan\n---\n",
    "created": b"---\ncreated: 99999-01-01T00:00:00Z\n---\n",
    "kind-path": b"---\nkind: ../../x\n---\n",
    "title-map": b"---\ntitle: {a: b}\n---\n",
}


def test_every_malformed_file_is_one_problem_and_hides_no_other(repo: Path) -> None:
    good = {f"learned/good-{n}.md": memory_text(f"gateway {n}").encode() for n in range(3)}
    at = put_files(repo, good | {f"learned/{name}.md": content for name, content in BAD_FILES.items()})
    verdict = layout.verdict_path("good-1", "0" * 16)
    at = put_files(repo, {verdict: b"outcome = 7\n"})

    done = refresh(CatalogSource(door(repo), at))

    problems = [(path, severity) for path, severity in done.catalog.rows("SELECT path, severity FROM problem")]
    assert sorted(problems) == sorted([(f"learned/{name}.md", "error") for name in BAD_FILES] + [(verdict, "error")])
    assert shown(done.catalog) == ["good-0", "good-1", "good-2"]
    done.catalog.close()


def test_an_index_of_nothing_answers_everything(repo: Path) -> None:
    catalog = empty_catalog()

    assert shown(catalog) == []
    assert catalog.meta("policy") == "{}"
    catalog.close()


def test_a_hostile_verdict_does_not_keep_the_index_from_being_made(repo: Path) -> None:
    path, text = verdict_of("a")
    at = put_files(repo, {"facts/a.md": FACT, path: text + "seconds = nan\n"})

    done = refresh(CatalogSource(door(repo), at))

    assert shown(done.catalog) == ["a"]
    done.catalog.close()


def test_tree_that_could_not_be_read_once_is_read_again(repo: Path, memory: Memory) -> None:
    memory.remember("Deploys need VPN", key="vpn")
    folder = git(repo, "rev-parse", "memory^{tree}")
    at = repo / ".git/objects" / folder[:2] / folder[2:]
    kept = at.with_name("kept")
    memory.close()
    shutil.rmtree(repo / ".git/gitmem")
    at.rename(kept)

    with Memory(repo) as away:
        assert [row.key for row in away.recall(Query(text="vpn")).hits] == []
        assert "cannot be read" in away.repository.behind
    kept.rename(at)

    with Memory(repo) as back:
        assert [row.key for row in back.recall(Query(text="vpn")).hits] == ["vpn"]
        assert back.repository.behind == ""
