"""``Memory``, the one object whose methods are the commands: what it finds, follows and keeps its hands off."""

from __future__ import annotations

import inspect
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files, tip
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.each import each
from support.facts import Clock, approve_all, count_commits, make_fact, make_memory, outcomes, put, statuses, verify

import gitmem
from gitmem.errors import ConfigError, ConflictError, GitmemError, NoRepositoryError, NotFoundError
from gitmem.index.refresh import CatalogSource, rebuild
from gitmem.memory import Memory
from gitmem.memory.index import MemoryIndex
from gitmem.memory.stores import Stores
from gitmem.memory.tasks import Tasks
from gitmem.memory.vectors import MemoryVectors
from gitmem.recall.query import Query
from gitmem.repository.approvals import approve_command, deny_command, trust_of
from gitmem.repository.verification import reviewed_branch
from gitmem.store.proofs import ROOTED, read_proofs
from gitmem.system.child import Child

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}
ROOT = Path(gitmem.__file__).parents[1]


def at_now(folder: Path) -> Memory:
    return Memory(folder, clock=lambda: float(NOW))


def hits(memory: Memory, query: str = "", **asked) -> list[str]:
    return [hit.key for hit in memory.recall(Query(text=query, **asked)).hits]


# --- reading runs nothing ------------------------------------------------------------------------------------------

READING = [
    ("recall", "fact"),
    ("recall", "--recent", "5", "--all"),
    ("recall", "--stats"),
    ("recall", "fact", "--status", "unproven", "--explain", "--json"),
    ("list",),
    ("list", "--json", "--all"),
    ("show", "shell"),
    ("show", "program", "--json"),
    ("context",),
    ("context", "--path", "src", "--json"),
    ("status",),
    ("status", "--json"),
    ("log", "shell"),
    ("task", "tree", "--all"),
    ("task", "show", "gate"),
    ("doctor",),
    ("index",),
    ("index", "--rebuild"),
    ("trust", "--list"),
    ("trust", "--print"),
    ("settle", "shell"),
    ("verify", "--dry-run"),
    ("verify",),
    ("verify", "--no-sandbox", "--all"),
    ("completion", "bash"),
]


@pytest.fixture
def hostile(memory, repo, tmp_path):
    """A memory branch that was pushed by somebody who wants a command to run: each would make the marker."""
    marker = tmp_path / "it-ran"
    touch = f"touch {marker}"
    put(
        repo,
        make_fact("shell", touch),
        make_fact("program", ["touch", str(marker)]),
        make_fact("failing", f"{touch}; false", requires=["shell"]),
        make_fact("refuted", "test -f README.md", refute=touch),
        make_fact("gate", touch, kind="task"),
        make_fact("network", touch, network=True, timeout="1d"),
        make_fact("builtin", {"matches": f"$({touch})|`{touch}`", "in": f"$({touch})/**"}),
        make_memory("title", f"$({touch})", f"`{touch}`\n", tags=[f"$({touch})"], paths=[f"`{touch}`", "**"]),
    )
    put_files(
        repo,
        {
            "gitmem.toml": f'[verify]\nsetup = "{touch}"\ndefault_branch = "main"\n',
            ".gitattributes": f"* filter=x diff=x\n[attr]x\n# $({touch})\n",
            ".github/gitmem-approved": "0" * 64 + "\n",
            "facts/yaml.md": f"---\ntitle: !!python/object/apply:os.system ['{touch}']\nkind: fact\nverify: x\n---\n",
            "facts/Bad Name.md": "x",
        },
    )
    git(repo, "config", "filter.x.smudge", touch)
    git(repo, "config", "diff.x.textconv", touch)
    git(repo, "config", "core.fsmonitor", touch)
    git(repo, "config", "core.pager", touch)
    hook = repo / ".git/hooks/post-checkout"
    hook.write_text(f"#!/bin/sh\n{touch}\n", encoding="utf-8")
    hook.chmod(0o755)
    return marker


def test_no_command_of_a_hostile_branch_is_run(hostile, repo, run_cli):
    for argv in READING:
        ran = run_cli(*argv)

        assert ran.status in (0, 1, 3), ran
        assert not hostile.exists()


def test_next_command_recognizes_the_commit_of_init(repo):
    with Memory(repo) as memory:
        memory.init(offline=True)

    with Memory(repo) as later:
        assert read_proofs(later.repository.proofs_folder) == {tip(repo): ROOTED}


def test_reading_starts_no_program_but_git(hostile, repo, run_cli, monkeypatch):
    started: list[str] = []

    def watch(kind):
        real = kind.__init__

        def watched(self, args, *rest, **options):
            started.append(args[0])
            real(self, args, *rest, **options)

        monkeypatch.setattr(kind, "__init__", watched)

    for kind in (subprocess.Popen, Child):
        watch(kind)

    for argv in (a for a in READING if a[0] not in ("verify", "doctor")):
        run_cli(*argv)

    assert set(started) == {"git"}
    assert not hostile.exists()


def test_reading_runs_no_approved_command(memory, repo, tmp_path, run_cli):
    marker = tmp_path / "it-ran"
    put(repo, make_fact("a", f"touch {marker}"))
    approve_all(memory)

    for argv in (("recall", "fact"), ("list",), ("show", "a"), ("context",), ("status",), ("log", "a"), ("doctor",)):
        run_cli(*argv)

    assert not marker.exists()


def test_reading_writes_nothing_to_branch_index_or_work_tree(hostile, repo, run_cli):
    (repo / "README.md").write_text("changed\n", encoding="utf-8")
    git(repo, "config", "--unset", "core.fsmonitor")
    hostile.unlink(missing_ok=True)

    def around():
        index = (repo / ".git/index").read_bytes()
        return index, git(repo, "for-each-ref"), (repo / ".git/HEAD").read_bytes(), (repo / ".git/config").read_bytes()

    before = around()
    for argv in READING:
        if argv[0] != "verify":
            run_cli(*argv)

    assert around() == before


# --- finding the store ---------------------------------------------------------------------------------------------


def test_importing_the_package_loads_nothing_and_memory_loads_on_first_use():
    code = "\n".join(
        (
            "import sys, gitmem; print('gitmem.memory' in sys.modules)",
            "gitmem.Memory; print('gitmem.memory' in sys.modules)",
        )
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, text=True)

    assert done.stdout.split() == ["False", "True"]


def test_folder_outside_of_any_repository_is_an_error(tmp_path):
    with pytest.raises(NoRepositoryError):
        Memory(tmp_path)


def test_repository_without_a_store_says_how_to_start_one(repo):
    with at_now(repo) as memory, pytest.raises(NoRepositoryError) as missing:
        memory.recall(Query(text="x"))

    assert "gitmem init" in missing.value.hint
    assert git(repo, "branch", "--list", "memory") == ""


def test_first_memory_starts_the_store(repo):
    with at_now(repo) as memory:
        memory.remember("The gateway retries three times", key="k")

        assert hits(memory, "gateway") == ["k"]
    assert git(repo, "log", "--format=%s", "memory").split("\n")[-1].startswith("gitmem: root")


def test_clone_can_read_before_init_and_writes_on_top_of_the_remote(memory, repo, tmp_path):
    memory.remember("The gateway retries three times", key="k")
    git(tmp_path, "clone", "-q", str(repo), "clone")

    with at_now(tmp_path / "clone") as clone:
        read = hits(clone, "gateway"), git(tmp_path / "clone", "branch", "--list", "memory")
        clone.remember("Something new", key="new")

        assert read == (["k"], "")
        assert sorted(hits(clone, limit=9)) == ["k", "new"]
    assert git(tmp_path / "clone", "rev-parse", "memory~") == tip(repo)


def test_every_work_tree_and_subfolder_sees_the_same_store(memory, repo, tmp_path):
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    with at_now(tmp_path / "linked") as linked:
        linked.remember("Written in the linked work tree", key="k")
    with at_now(repo / "src/auth") as below:
        assert hits(below, "linked") == ["k"]

    assert hits(memory, "linked") == ["k"]


def test_unknown_setting_names_the_nearest_one(repo):
    git(repo, "config", "gitmem.lockTimout", "5")

    with pytest.raises(ConfigError) as wrong:
        Memory(repo)

    assert "locktimeout" in wrong.value.hint.lower()


def test_configured_branch_name_is_used(repo):
    git(repo, "config", "gitmem.branch", "notes")

    with at_now(repo) as memory:
        memory.remember("On another branch", key="k")

        assert (memory.repository.ref, hits(memory, "branch")) == ("refs/heads/notes", ["k"])
    assert git(repo, "branch", "--list", "memory") == ""


# --- which branch counts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrange", "default", "reviewed"),
    [
        pytest.param([], "refs/heads/main", "refs/heads/main", id="main"),
        pytest.param([("branch", "-m", "trunk")], "", "", id="no-default"),
        pytest.param(
            [("branch", "-m", "trunk"), ("config", "init.defaultBranch", "trunk")],
            *("refs/heads/trunk", "refs/heads/trunk"),
            id="init.defaultBranch",
        ),
        pytest.param(
            [("update-ref", "refs/remotes/origin/main", "HEAD")],
            *("refs/remotes/origin/main", "refs/remotes/origin/main"),
            id="the-remotes-before-ours",
        ),
        pytest.param(
            [
                ("update-ref", "refs/remotes/origin/dev", "HEAD"),
                ("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev"),
            ],
            *("refs/remotes/origin/dev", "refs/remotes/origin/dev"),
            id="origin-HEAD-first",
        ),
        pytest.param(
            [("branch", "dev"), ("config", "gitmem.defaultBranch", "dev")],
            *("refs/heads/dev", "refs/heads/dev"),
            id="setting",
        ),
        pytest.param([("config", "gitmem.defaultBranch", "memory")], "refs/heads/memory", "", id="never-the-memory"),
    ],
)
def test_default_branch_is_found_as_documented(memory, repo, arrange, default, reviewed):
    for argv in arrange:
        git(repo, *argv)

    with at_now(repo) as opened:
        assert (opened.repository.default_branch(), reviewed_branch(opened.repository)) == (default, reviewed)


def test_policy_names_the_branch_whose_verdicts_are_committed_and_not_the_reviewed_one(memory, repo):
    git(repo, "branch", "release")
    put_files(repo, {"gitmem.toml": '[verify]\ndefault_branch = "release"\n'})

    with at_now(repo) as opened:
        assert (opened.repository.default_branch(), reviewed_branch(opened.repository)) == (
            "refs/heads/release",
            "refs/heads/main",
        )
        assert not opened.repository.session().counts()


@pytest.mark.parametrize(("where", "counts"), [("main", True), ("feature", False), ("main^{commit}", True)])
def test_verdicts_count_on_the_default_branch_and_detached_at_its_tip(memory, repo, where, counts):
    git(repo, "branch", "feature")
    git(repo, "checkout", "-q", where)

    assert memory.repository.session().counts() == counts


# --- following the branch ------------------------------------------------------------------------------------------


def test_next_read_sees_what_others_pushed(memory, repo):
    assert hits(memory, "gateway") == []

    put(repo, make_memory("k", "The gateway retries"))
    added = hits(memory, "gateway")
    put(repo, make_memory("k", "The proxy retries"))
    changed = hits(memory, "gateway"), hits(memory, "proxy")
    git(repo, "update-ref", "refs/heads/memory", "memory~2")

    assert (added, changed) == (["k"], ([], ["k"]))
    assert hits(memory, "proxy") == []


def test_policy_that_changes_is_followed(memory, repo):
    put(repo, make_memory("k", "A note", kind="note", created="2026-09-01T00:00:00Z"))
    before = hits(memory, "note")

    put_files(repo, {"gitmem.toml": '[kinds.note]\nttl = "2d"\n'})

    assert (before, hits(memory, "note")) == (["k"], [])


def test_branch_that_was_rewritten_is_read_again(memory, repo):
    memory.remember("Before the rewrite", key="before")
    git(repo, "checkout", "-q", "--orphan", "other")
    git(repo, "rm", "-rfq", ".")
    after = {"gotchas/after.md": memory_text("After the rewrite", kind="gotcha"), "gitmem.toml": "format = 1\n"}
    commit_files(repo, after)
    git(repo, "update-ref", "refs/heads/memory", "HEAD")

    assert hits(memory, "rewrite") == ["after"]


@pytest.mark.parametrize("damage", [b"", b"nonsense" * 1000, None], ids=["empty", "nonsense", "deleted"])
def test_catalog_that_is_damaged_or_gone_is_rebuilt(memory, repo, damage):
    put(repo, make_fact("a", RS256), make_memory("b", "The gateway retries"))
    verify(memory)
    messages = statuses(memory), hits(memory, "gateway")
    memory.close()
    for path in (repo / ".git/gitmem").glob("catalog.sqlite*"):
        path.unlink()
    if damage is not None:
        (repo / ".git/gitmem/catalog.sqlite").write_bytes(damage)

    with at_now(repo) as opened:
        assert (statuses(opened), hits(opened, "gateway")) == messages


def test_losing_all_local_state_loses_no_memory_and_no_status(memory, repo):
    put(repo, make_fact("a", RS256), make_memory("b", "The gateway retries"))
    verify(memory)
    messages = statuses(memory), hits(memory, "gateway")
    memory.close()
    for path in (repo / ".git/gitmem").glob("*.sqlite*"):
        path.unlink()

    with at_now(repo) as opened:
        assert (statuses(opened), hits(opened, "gateway")) == messages
        assert not opened.show("a").document["verdict"]["own"]


def test_reading_goes_on_while_another_process_writes_the_catalog(memory, repo):
    put(repo, make_fact("a", RS256))
    assert statuses(memory) == {"a": "unproven"}
    other = sqlite3.connect(repo / ".git/gitmem/catalog.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    memory.repository.catalog().connection.execute("PRAGMA busy_timeout = 50")
    commit_files(repo, {"new.txt": "x\n"})

    found = memory.status().document
    messages = statuses(memory)
    other.execute("ROLLBACK")
    other.close()

    assert (found["memories"], messages) == (1, {"a": "unproven"})


def test_write_waits_for_the_lock_and_names_who_holds_it(memory, repo, monkeypatch):
    code = (
        "import pathlib, sys, time; from gitmem.store.state.write_lock import WriteLock\n"
        "with WriteLock(pathlib.Path(sys.argv[1]), command='remember k', timeout_s=1):\n"
        "    print('held', flush=True); time.sleep(60)"
    )
    argv = [sys.executable, "-c", code, str(repo / ".git/gitmem")]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"held\n"
        monkeypatch.setenv("GITMEM_LOCK_TIMEOUT", "0.2")
        with at_now(repo) as opened, pytest.raises(ConflictError) as taken:
            opened.remember("Too late", key="k")
        child.kill()

    assert f"process {child.pid} (remember k)" in taken.value.message
    assert statuses(memory) == {}


def test_two_objects_of_one_process_see_what_each_other_wrote(memory, repo):
    with at_now(repo) as other:
        memory.remember("One", key="one")
        other.remember("Two", key="two")

        assert sorted(hits(memory, limit=9)) == sorted(hits(other, limit=9)) == ["one", "two"]


def test_closed_memory_reopens_automatically(memory, repo):
    put(repo, make_memory("k", "The gateway retries"))
    memory.close()

    assert hits(memory, "gateway") == ["k"]


OPERATIONS = st.sampled_from(
    ["remember", "fact", "push", "push-bad", "edit", "forget", "supersede", "verify", "break", "reset"]
)
KEYS = st.sampled_from(["a", "b", "c"])


def apply(memory: Memory, repo: Path, operation: str, key: str, step: int) -> None:
    try:
        if operation == "remember":
            memory.remember(f"Learnt in step {step}", key=key, kind="gotcha", requires=["a"])
        elif operation == "fact":
            memory.fact(f"Fact of step {step}", verify=RS256, key=key, unproven=True, produces=["label"])
        elif operation == "push":
            put(
                repo,
                make_fact(key, {"exists": f"step-{step}"}, requires=["b", "label"], supersedes=["c"] * (key == "a")),
            )
        elif operation == "push-bad":
            put_files(repo, {f"facts/{key}.md": "nonsense", f"gotchas/{key}.md": memory_text("Twice", kind="gotcha")})
        elif operation == "edit":
            memory.edit(key, fields={"tags": [f"t{step}"]}, body=None, approve=False)
        elif operation == "forget":
            memory.forget(key)
        elif operation == "supersede":
            memory.supersede(key, "a")
        elif operation == "verify":
            verify(memory)
        elif operation == "break":
            number = count_commits(repo, "HEAD")  # no two are the same: nothing to commit would be an error
            commit_files(repo, {"src/auth/jwt.py": f"{'RS256' if step % 2 else 'HS256'} {number}\n"})
        elif operation == "reset" and count_commits(repo) > 3:
            git(repo, "update-ref", "refs/heads/memory", "memory~1")
    except GitmemError:
        pass  # refused: no such key, it supersedes itself, …


def everything(memory: Memory) -> tuple:
    catalog = memory.repository.catalog()
    return (
        catalog.rows("SELECT path, key, oid, kind, title, archived, shadowed, superseded FROM memory ORDER BY path"),
        catalog.rows("SELECT path, key, outcome, code_commit, at FROM verdict ORDER BY path"),
        catalog.rows("SELECT path, code FROM problem ORDER BY path, code"),
        catalog.rows("SELECT term, df FROM term ORDER BY term"),
        sorted(statuses(memory).items()),
        hits(memory, "learnt step", limit=20),
    )


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(OPERATIONS, KEYS), min_size=1, max_size=10))
def test_updated_catalog_equals_a_rebuilt_one(memory, repo, steps):
    for step, (operation, key) in enumerate(steps):
        apply(memory, repo, operation, key, step)
    brought_along = everything(memory)

    memory.close()
    rebuild(CatalogSource(memory.repository.git, memory.repository.tip())).close()

    assert everything(memory) == brought_along


# --- what it is asked for ------------------------------------------------------------------------------------------


def test_key_that_does_not_exist_is_not_found_by_any_method(memory):
    for asked in (
        lambda: memory.show("nothing").document,
        lambda: memory.log("nothing", limit=1),
        lambda: memory.forget("nothing"),
        lambda: memory.edit("nothing", lambda text: text),
        lambda: memory.supersede("nothing", "nothing-either"),
        lambda: memory.repository.need(["nothing"]),
        lambda: memory.repository.text_of("nothing"),
    ):
        with pytest.raises(NotFoundError):
            asked()


def test_clock_is_an_argument(repo):
    clock = Clock()
    with Memory(repo, clock=clock) as memory:
        memory.remember("At noon", key="k")

        assert memory.repository.now == NOW
    assert git(repo, "log", "-1", "--format=%ct", "memory") == str(NOW)


def test_progress_is_reported_of_long_work_alone(repo):
    messages: list[tuple[str, int, int]] = []
    with Memory(repo, progress=lambda *step: messages.append(step)) as memory:
        memory.init(offline=True)
        put(repo, make_memory("k", "One"))
        hits(memory, "one")
        quick = list(messages)
        put_files(repo, {f"gotchas/m{n:04}.md": memory_text(f"M {n}", kind="gotcha") for n in range(2100)})
        memory.index.refresh(rebuild=True)

    assert quick == []
    assert {what for what, _, _ in messages} == {"reading memories"}
    assert all(0 <= done <= of for _, done, of in messages)


def test_index_says_how_many_memories_it_holds(memory, repo):
    put(repo, make_memory("k", "One"), make_fact("f", RS256))

    done = memory.index.refresh(rebuild=False)

    assert (done.commit, done.memories) == (tip(repo), 2)


def test_commands_are_those_of_live_facts_that_need_an_approval(memory, repo):
    put(
        repo,
        make_fact("a", "make"),
        make_fact("b", RS256),
        make_fact("c", ["make"]),
        make_fact("d", "make", kind="task"),
    )
    memory.forget("c")

    assert [due.row.key for due in memory.repository.commands()] == ["a"]
    assert [due.row.key for due in memory.repository.commands(["d"])] == ["d"]


def test_approving_and_denying_is_kept_for_the_clone(memory, repo):
    put(repo, make_fact("a", "test -f README.md"))
    due = memory.repository.commands()[0]

    approve_command(memory.repository, due)
    approved = outcomes(verify(memory))
    deny_command(memory.repository, due)

    assert approved == {"a": "holds"}
    assert [(a.verdict, a.key, a.command, a.who) for a in trust_of(memory.repository).list_all()] == [
        ("deny", "a", "test -f README.md", "Ana")
    ]
    assert outcomes(verify(memory, "a")) == {"a": "skipped"}


def test_memory_works_in_a_folder_that_was_moved(memory, repo, tmp_path):
    memory.remember("Before the move", key="k")
    memory.close()
    repo.rename(tmp_path / "moved")

    with at_now(tmp_path / "moved") as moved:
        moved.remember("After the move", key="l")

        assert sorted(hits(moved, "move")) == ["k", "l"]


def test_environment_of_a_hook_does_not_lead_to_another_repository(memory, repo, tmp_path, monkeypatch):
    git(tmp_path, "init", "-q", "canary")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "canary/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "canary"))

    with at_now(repo) as opened:
        opened.remember("Here and nowhere else", key="k")

    assert hits(memory, "nowhere") == ["k"]
    assert git(tmp_path / "canary", "for-each-ref") == ""


def test_memory_can_be_read_where_the_code_cannot(memory, repo):
    """A broken clone, or a partial one away from its remote: the statuses are not known, and that is said."""
    put(repo, make_fact("f", {"exists": "README.md"}, title="The gateway"), make_memory("m", "The gateway"))
    verify(memory)
    tree = git(repo, "rev-parse", "HEAD^{tree}")
    with at_now(repo) as opened:
        assert opened.show("f").document["status"] == "verified"  # of a ground that was worked out before
    commit_files(repo, {"new": "x"})
    (repo / ".git/objects" / tree[:2] / tree[2:]).unlink()
    for oid in git(repo, "rev-parse", "HEAD^{tree}").split():
        (repo / ".git/objects" / oid[:2] / oid[2:]).unlink()

    with at_now(repo) as opened:
        assert sorted(hits(opened, "gateway")) == ["f", "m"]
        assert "statuses are unknown" in opened.notices[0]
        assert opened.show("f").document["status"] == "unproven"
        assert opened.status().document["memories"] == 2
        assert opened.context(paths=[], budget_tokens=0).document["sections"]
        with pytest.raises(GitmemError):
            verify(opened)


@each("part", [Memory, MemoryIndex, MemoryVectors, Stores, Tasks])
def test_what_a_method_returns_has_fields(part: type) -> None:
    methods = [method for name, method in vars(part).items() if inspect.isfunction(method) and name[0] != "_"]
    returned = {method.__name__: str(method.__annotations__.get("return", "")) for method in methods}

    assert {name: kind for name, kind in returned.items() if "dict" in kind or "Any" in kind} == {}
