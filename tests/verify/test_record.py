"""What a verify run writes down: one commit with its trailers, the page, and a catalog that says the same."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files, tip
from support.each import each
from support.facts import (
    DAY,
    Clock,
    approve_all,
    commit_raw,
    count_commits,
    make_fact,
    make_memory,
    outcomes,
    put,
    spec_of,
    status_file,
    statuses,
    trailers,
    verdict_file,
    verdict_keys,
    verdict_text,
    verify,
)

from gitmem.errors import ConflictError
from gitmem.frozen import replace
from gitmem.index.catalog import Catalog
from gitmem.memory import Memory
from gitmem.model import FAILS, HOLDS, Verdict
from gitmem.repository.approvals import approve_command
from gitmem.system import process
from gitmem.verify.options import Options
from gitmem.verify.record import TRAILERS, worth_writing

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}
BREAKING = {"src/auth/jwt.py": 'ALGORITHM = "HS256"\n'}
MENDING = {"src/auth/jwt.py": 'ALGORITHM = "RS256"\n'}
EXPECTED = Path(__file__).parent / "expected"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def timed(memory, repo, clock):
    """The memory of a fresh repository whose clock a test sets."""
    with Memory(repo, clock=clock) as opened:
        yield opened


def changed_files(folder: Path, commit: str) -> list[str]:
    return git(folder, "diff-tree", "-r", "--name-only", "--no-commit-id", commit).split("\n")


def dump(catalog) -> dict[str, list[tuple]]:
    """Return what a catalog says of the store; row numbers and what is local to a clone are left out."""
    named = "SELECT m.path, {} FROM {} x JOIN memory m ON m.id = x.{} ORDER BY 1, 2, 3"
    return {
        "meta": catalog.rows("SELECT name, value FROM meta ORDER BY 1"),
        "memory": catalog.rows(
            "SELECT path, key, oid, kind, title, created, updated, expires, archived, shadowed, superseded FROM memory"
            " ORDER BY 1"
        ),
        "fact": catalog.rows(named.format("x.spec, x.claim, x.ttl_s, x.words, x.inputs", "fact", "id")),
        "link": catalog.rows(named.format("x.relation, x.target", "link", "source")),
        "verdict": catalog.rows("SELECT * FROM verdict ORDER BY path, key, spec"),
        "problem": catalog.rows("SELECT * FROM problem ORDER BY path, code"),
    }


def assert_as_from_nothing(memory, repo):
    """The catalog that was brought along says what one made from nothing says, statuses too."""
    messages, shown = dump(memory.repository.catalog()), statuses(memory)

    memory.index.refresh(rebuild=True)

    assert (dump(memory.repository.catalog()), statuses(memory)) == (messages, shown)
    assert dict(messages["meta"])["commit"] == tip(repo)


# --- one commit ----------------------------------------------------------------------------------------------------


def test_whole_run_is_one_commit_by_gitmem(memory, repo):
    put(repo, *(make_fact(f"f{n}", RS256) for n in range(5)), make_fact("g", {"exists": "nothing"}))
    before = count_commits(repo)

    run = verify(memory)

    assert count_commits(repo) == before + 1
    assert run.recorded.commit == tip(repo)
    assert git(repo, "log", "-1", "--format=%an %ae %cn", "memory") == "gitmem gitmem@localhost gitmem"
    assert sorted(changed_files(repo, "memory")) == sorted(
        ["STATUS.md", verdict_file(memory, "g"), *(verdict_file(memory, f"f{n}") for n in range(5))]
    )


def test_commit_names_what_failed_and_what_became_suspect_because_of_it(memory, repo):
    put(
        repo,
        make_fact("a", RS256, produces=["signing"]),
        make_fact("b", {"exists": "src"}, requires=["a"]),
        make_memory("c", "Rests on the label", requires=["signing"]),
        make_memory("d", "Rests on it by another", requires=["b"]),
    )
    verify(memory)
    commit = commit_files(repo, BREAKING)

    run = verify(memory)

    assert git(repo, "log", "-1", "--format=%s", "memory") == "verify: a failed, 3 suspect"
    assert trailers(repo, run.recorded.commit) == [
        f"Code-Commit: {commit}",
        "Gitmem-Verdicts: 1",
        "Gitmem-Failed: a",
        "Gitmem-Suspect: b (because a)",
        "Gitmem-Suspect: c (because a)",
        "Gitmem-Suspect: d (because b -> a)",
        f"Gitmem-Culprit: a {commit}",
    ]


def test_commit_names_what_holds_again_and_what_is_suspect_no_more(memory, repo):
    put(repo, make_fact("a", RS256), make_memory("b", "Rests on it", requires=["a"]))
    commit_files(repo, BREAKING)
    verify(memory)
    assert statuses(memory) == {"a": "failed", "b": "suspect"}
    commit = commit_files(repo, MENDING)

    run = verify(memory)

    assert git(repo, "log", "-1", "--format=%s", "memory") == "verify: 1 holds again"
    assert trailers(repo, run.recorded.commit) == [
        f"Code-Commit: {commit}",
        "Gitmem-Verdicts: 1",
        "Gitmem-Holds-Again: a",
        "Gitmem-Cleared: b",
    ]
    assert statuses(memory) == {"a": "verified", "b": ""}


def test_verdicts_that_were_made_on_a_branch_clear_their_suspects_by_name(memory, repo):
    put(repo, make_fact("a", RS256), make_memory("b", "Rests on it", requires=["a"]))
    commit_files(repo, BREAKING)
    verify(memory)
    git(repo, "checkout", "-q", "-b", "mend")
    commit_files(repo, MENDING)
    verify(memory)
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "mend")

    run = verify(memory)

    assert (run.recorded.holds_again, run.recorded.cleared) == (("a",), ("b",))


def test_suspect_that_failed_itself_is_not_named_as_cleared(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"contains": "RS", "in": "src/auth/*.py"}, requires=["a"]))
    commit_files(repo, {"src/auth/jwt.py": "none\n"})
    verify(memory)
    commit_files(repo, MENDING)

    run = verify(memory)

    assert (run.recorded.holds_again, run.recorded.cleared) == (("a", "b"), ())


def test_changed_fact_that_fails_as_the_former_one_did_is_reported_as_failed(memory, repo):
    put(repo, make_fact("a", {"exists": "nothing"}))
    verify(memory)
    put(repo, make_fact("a", {"exists": "nothing-either"}))

    assert verify(memory).recorded.failed == ("a",)


def test_trailers_name_fifty_and_count_the_rest(memory, repo):
    put(repo, *(make_fact(f"f{n:02}", {"exists": "nothing"}) for n in range(TRAILERS + 3)))

    run = verify(memory)

    messages = trailers(repo, run.recorded.commit)
    assert messages[2:5] == ["Gitmem-Failed: f00", "Gitmem-Failed: f01", "Gitmem-Failed: f02"]
    assert messages[-1] == "Gitmem-Failed-More: 3"
    assert len(messages) == 2 + TRAILERS + 1
    assert git(repo, "log", "-1", "--format=%s", "memory") == f"verify: {TRAILERS + 3} failed"


def test_no_commit_is_made_when_nothing_changed(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"exists": "nothing"}))
    verify(memory)
    before = tip(repo)

    run = verify(memory, everything=True)

    assert (len(run.results), run.recorded.commit, tip(repo)) == (2, "", before)


def test_changed_verdict_alone_is_written_again(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"exists": "src"}))
    verify(memory)
    commit_files(repo, BREAKING)

    verify(memory, everything=True)

    assert changed_files(repo, "memory") == ["STATUS.md", verdict_file(memory, "a")]


def test_verdict_is_written_again_when_a_tenth_of_its_ttl_has_passed(timed, repo, clock):
    put(repo, make_fact("a", RS256, ttl="10d"), make_fact("b", RS256, ttl="20d"), make_fact("c", RS256, ttl="never"))
    verify(timed)
    before = tip(repo)

    clock.now += DAY
    verify(timed, everything=True)
    early = tip(repo)
    clock.now += 1
    verify(timed, everything=True)

    assert early == before
    assert changed_files(repo, "memory") == [verdict_file(timed, "a")]


def verdict(**fields) -> Verdict:
    return Verdict(
        **{"key": "a", "spec": "s", "claim": "c", "outcome": HOLDS, "commit": "1" * 40, "inputs": "i", "at": NOW}
        | fields
    )


@each(
    ("fields", "worth"),
    [
        ({}, False),
        ({"commit": "2" * 40}, False),
        ({"because": "worded otherwise"}, False),
        ({"at": NOW + 100}, False),
        ({"at": NOW + 101}, True),
        ({"outcome": FAILS}, True),
        ({"spec": "t"}, True),
        ({"claim": "d"}, True),
        ({"inputs": "j"}, False),
        ({"inputs": "j", "at": NOW + 101}, True),
        ({"weak": True}, True),
        ({"confirmed": False}, True),
        ({"sandbox": "bubblewrap"}, True),
        ({"sandbox": "none"}, False),
        ({"at": NOW - 10}, False),
        ({"at": NOW - 1000}, True),
    ],
)
def test_verdict_is_worth_writing_when_it_says_something_else(fields, worth):
    old = verdict(sandbox="landlock")

    assert worth_writing(old, replace(old, **fields), ttl_s=1000) == worth


def test_first_verdict_is_worth_writing_and_an_old_one_without_ttl_is_not():
    assert worth_writing(None, verdict(), ttl_s=None)
    assert not worth_writing(verdict(), verdict(at=NOW + 10**9), ttl_s=None)
    assert not worth_writing(verdict(), verdict(inputs="j", at=NOW + 3 * DAY), ttl_s=None)
    assert worth_writing(verdict(), verdict(inputs="j", at=NOW + 3 * DAY + 1), ttl_s=None)


def test_other_inputs_alone_are_no_commit_and_go_along_with_the_next_one(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"lacks": "nothing", "in": "src/auth/*"}))
    verify(memory)
    before, text = tip(repo), verdict_text(repo, memory, "b")
    commit_files(repo, {"src/auth/jwt.py": "# RS256, still\n"})

    run = verify(memory)
    again = verify(memory)

    assert (outcomes(run), again.due, tip(repo)) == ({"a": "holds", "b": "holds"}, 0, before)
    assert statuses(memory) == {"a": "verified", "b": "verified"}
    commit_files(repo, {"src/auth/jwt.py": "# none\n"})
    verify(memory)
    assert trailers(repo, "memory").count("Gitmem-Verdicts: 2") == 1
    assert verdict_text(repo, memory, "b") not in ("", text)


def test_verdict_of_a_former_specification_is_deleted(memory, repo):
    put(repo, make_fact("a", RS256))
    verify(memory)
    former = spec_of(memory, "a")
    put(repo, make_fact("a", {"exists": "src"}))

    verify(memory)

    assert verdict_text(repo, memory, "a")
    assert former[:16] not in git(repo, "show", f"memory:{verdict_file(memory, 'a')}")
    assert_as_from_nothing(memory, repo)


def test_reason_that_is_very_long_is_cut(memory, repo):
    put(repo, make_fact("a", {"contains": "x" * 7_000, "in": "src/**"}))

    verify(memory)

    assert len(memory.show("a").document["verdict"]["because"]) == 200
    assert statuses(memory) == {"a": "failed"}
    assert_as_from_nothing(memory, repo)


def test_reason_with_a_name_that_is_no_utf8_can_be_written(memory, repo):
    commit_raw(repo, {b'odd/\xff "x" \\ \n': b"plans"})
    put(repo, make_fact("a", {"lacks": "plans", "in": "odd/**"}))

    verify(memory)

    assert statuses(memory) == {"a": "failed"}
    assert_as_from_nothing(memory, repo)


# --- the page ------------------------------------------------------------------------------------------------------


def test_page_is_the_one_that_is_expected(memory, repo):
    by = {"who": "Ana <ana@example.org>", "agent": "dev"}
    put(
        repo,
        make_fact("auth-uses-rs256", RS256, title="Auth tokens are signed with RS256", by=by),
        make_fact("gateway-retries", ["grep", "-q", "RETRIES = 3", "src/gateway/retry.py"], title="It retries 3 times"),
        make_fact("readme-is-there", {"exists": "README.md"}, title="There is a README", requires=["auth-uses-rs256"]),
        make_fact("waits", "make test", title="Nobody approved this one"),
        make_memory("rests-on-it", "Rotate keys *weekly* | see <b>[here](http://x)</b>", requires=["readme-is-there"]),
        make_memory("stands-alone", "Nothing to do with it", kind="convention"),
    )
    approve_command(memory.repository, memory.repository.commands(["gateway-retries"])[0])
    verify(memory)
    commit_files(repo, BREAKING)

    verify(memory)

    assert status_file(repo) + "\n" == (EXPECTED / "status.md").read_text(encoding="utf-8")


def test_page_of_a_store_without_facts_is_the_one_that_init_wrote(memory, repo):
    put(repo, make_memory("a", "No fact"))
    before = tip(repo)

    verify(memory)

    assert tip(repo) == before
    assert "`gitmem verify` updates this page" in status_file(repo)


def test_page_says_nothing_that_changes_by_itself(timed, repo, clock):
    put(repo, make_fact("a", RS256, ttl="2d"), make_fact("b", {"exists": "nothing"}, ttl="2d"))
    verify(timed)
    before = status_file(repo)

    clock.now += DAY
    commit_files(repo, {"unrelated.txt": "x\n"})
    verify(timed, everything=True)

    assert status_file(repo) == before
    assert changed_files(repo, "memory") == sorted([verdict_file(timed, "a"), verdict_file(timed, "b")])


# --- where it is written -------------------------------------------------------------------------------------------


def test_verdicts_stay_local_on_another_branch_and_are_shown_just_the_same(memory, repo):
    put(repo, make_fact("a", RS256), make_memory("b", "Rests on it", requires=["a"]))
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, BREAKING)
    before = tip(repo)

    run = verify(memory)

    assert (run.is_local, run.recorded, tip(repo)) == (True, None, before)
    assert statuses(memory) == {"a": "failed", "b": "suspect"}
    shown = memory.show("a").document["verdict"]
    assert (shown["outcome"], shown["own"]) == ("fails", True)
    because = "no file of src/auth/*.py contains 'RS256'"
    assert shown["because"] == because
    assert memory.status().document["failed"][0]["because"] == because
    assert because in memory.context(paths=(), budget_tokens=0).document["sections"][0]["items"][0]["text"]


def test_verdicts_are_committed_on_another_branch_when_asked_for(memory, repo):
    put(repo, make_fact("a", RS256))
    git(repo, "checkout", "-q", "-b", "feature")
    commit = commit_files(repo, BREAKING)

    run = verify(memory, record=True)

    assert (run.is_local, run.recorded.commit) == (False, tip(repo))
    assert trailers(repo, "memory")[0] == f"Code-Commit: {commit}"


def test_verdicts_are_committed_on_a_detached_head_at_the_default_branch(memory, repo):
    put(repo, make_fact("a", RS256))
    git(repo, "checkout", "-q", "--detach")

    assert not verify(memory).is_local


def test_verdicts_stay_local_where_no_default_branch_is_known(memory, repo):
    put(repo, make_fact("a", RS256))
    git(repo, "branch", "-q", "-m", "trunk")

    with Memory(repo, clock=lambda: float(NOW)) as opened:
        assert verify(opened).is_local


def test_verdicts_of_a_fresh_clone_go_on_top_of_the_remote_branch(memory, repo, tmp_path):
    put(repo, make_fact("a", RS256))
    git(tmp_path, "clone", "-q", str(repo), "clone")
    clone = tmp_path / "clone"

    with Memory(clone, clock=lambda: float(NOW)) as opened:
        run = verify(opened)
        assert statuses(opened) == {"a": "verified"}

    assert git(clone, "rev-parse", "memory^") == git(clone, "rev-parse", "origin/memory")
    assert run.recorded.commit == tip(clone)


def test_read_only_run_of_a_bare_clone_writes_to_its_branch(memory, repo, tmp_path):
    put(repo, make_fact("a", RS256), make_fact("b", "test -f README.md"))
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")

    with Memory(tmp_path / "bare.git", clock=lambda: float(NOW)) as bare:
        approve_all(bare)
        run = verify(bare)

    assert {r.outcome for r in run.results} == {"holds"}
    assert run.recorded.commit == tip(tmp_path / "bare.git")


# --- others write too ----------------------------------------------------------------------------------------------


def test_memory_that_was_pushed_while_facts_were_judged_is_kept(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"exists": "src"}))
    pushed = []

    def messages(result, done, total):
        if not pushed:
            pushed.append(put(repo, make_memory("pushed", "Somebody pushed this meanwhile")))

    run = memory.verify(options=Options(no_sandbox=True), report=messages)

    assert git(repo, "rev-parse", "memory^") == pushed[0]
    assert run.recorded.commit == tip(repo)
    assert statuses(memory) == {"a": "verified", "b": "verified", "pushed": ""}
    assert_as_from_nothing(memory, repo)


def test_memory_that_another_process_wrote_while_facts_were_judged_is_kept(memory, repo):
    put(repo, make_fact("a", RS256))

    def messages(result, done, total):
        with Memory(repo, clock=lambda: float(NOW)) as other:
            other.remember("Something else was learnt", key="learnt")

    memory.verify(options=Options(no_sandbox=True), report=messages)

    assert statuses(memory) == {"a": "verified", "learnt": ""}
    assert_as_from_nothing(memory, repo)


def test_fact_that_was_retired_while_it_was_judged_gets_no_verdict(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"exists": "src"}))

    def messages(result, done, total):
        with Memory(repo, clock=lambda: float(NOW)) as other:
            other.forget("a")

    memory.verify(options=Options(no_sandbox=True), report=messages)

    assert verdict_keys(repo) == ["b"]
    assert_as_from_nothing(memory, repo)


def test_policy_that_changed_while_facts_were_judged_loses_no_verdict(memory, repo, tmp_path):
    log = tmp_path / "runs"
    put(repo, make_fact("a", f"printf x >> {log}; test -f README.md"))
    approve_all(memory)

    def messages(result, done, total):
        put_files(repo, {"gitmem.toml": "[recall]\nhalf_life_days = 7\n"})

    with suppress(ConflictError):  # it may say so; nothing that was learnt is lost by it
        memory.verify(options=Options(no_sandbox=True), report=messages)
    ran = len(log.read_text())
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        verify(opened)

        assert statuses(opened) == {"a": "verified"}
        assert verdict_text(repo, opened, "a").startswith('outcome = "holds"')
    assert len(log.read_text()) == ran


def test_two_processes_that_verify_at_once_both_end_well(memory, repo):
    put(repo, *(make_fact(f"f{n}", RS256) for n in range(20)))
    main = "import sys; from gitmem.cli import main; sys.exit(main(['verify', '--all']))"
    env = {**os.environ, "PYTHONPATH": str(Path(process.__file__).parents[2])}

    before = count_commits(repo)
    both = [subprocess.Popen([sys.executable, "-c", main], cwd=repo, env=env, stdout=-1, stderr=-2) for _ in range(2)]
    said = [(child.communicate()[0], child.returncode) for child in both]

    assert [status for _, status in said] == [0, 0], said
    assert count_commits(repo) == before + 1
    assert git(repo, "fsck", "--no-dangling") == ""
    with Memory(repo) as opened:
        assert set(statuses(opened).values()) == {"verified"}
        assert_as_from_nothing(opened, repo)


# --- the commit fails ----------------------------------------------------------------------------------------------


@pytest.fixture
def locked(repo):
    """The branch's ref, locked by a git that never ends."""
    lock = repo / ".git/refs/heads/memory.lock"

    def hold():
        lock.write_text("")

    hold.release = lock.unlink
    yield hold
    lock.unlink(missing_ok=True)


def test_catalog_says_what_the_branch_says_when_the_commit_fails(memory, repo, locked):
    put(repo, make_fact("a", RS256), make_memory("b", "Rests on it", requires=["a"]))
    verify(memory)
    commit_files(repo, BREAKING)
    statuses(memory)
    before, messages = tip(repo), dump(memory.repository.catalog())
    locked()

    with pytest.raises(ConflictError):
        verify(memory)

    assert tip(repo) == before
    assert dump(memory.repository.catalog()) == messages
    assert statuses(memory) == {"a": "failed", "b": "suspect"}, "what was found here is shown all the same"
    assert_as_from_nothing(memory, repo)


def test_verdict_that_could_not_be_committed_is_by_the_next_run_without_another(memory, repo, locked, tmp_path):
    log = tmp_path / "runs"
    put(repo, make_fact("a", f"printf x >> {log}; test -f README.md"))
    approve_all(memory)
    locked()
    with pytest.raises(ConflictError):
        verify(memory)
    ran = len(log.read_text())
    locked.release()

    run = verify(memory)

    assert (len(log.read_text()), run.due) == (ran, 0)
    assert run.recorded.commit == tip(repo)
    assert verdict_text(repo, memory, "a").startswith('outcome = "holds"')
    assert_as_from_nothing(memory, repo)


def test_failed_commit_leaves_the_catalog_free_for_others(memory, repo, locked):
    put(repo, make_fact("a", RS256))
    locked()
    with pytest.raises(ConflictError):
        verify(memory)
    locked.release()

    with Memory(repo, clock=lambda: float(NOW)) as other:
        other.remember("Written right after", key="after")

    assert not memory.repository.catalog().connection.in_transaction
    assert statuses(memory)["after"] == ""


def test_damaged_object_database_fails_the_commit_cleanly(memory, repo):
    put(repo, make_fact("a", RS256))
    statuses(memory)
    before = dump(memory.repository.catalog())
    tree = git(repo, "rev-parse", "memory^{tree}")
    (repo / ".git/objects" / tree[:2] / tree[2:]).rename(repo / "kept")

    with pytest.raises(Exception, match="nothing was changed"):
        verify(memory)
    (repo / "kept").rename(repo / ".git/objects" / tree[:2] / tree[2:])

    assert dump(memory.repository.catalog()) == before
    assert verify(memory).recorded.commit == tip(repo)


@pytest.mark.parametrize("is_behind", [True, False])
def test_culprit_that_was_found_is_kept_while_the_failure_stands(memory, repo, is_behind):
    put(repo, make_fact("a", RS256))
    breaking = commit_files(repo, BREAKING)
    culprit = breaking if is_behind else "7" * 40  # of a branch that was squashed
    verify(memory)
    path = verdict_file(memory, "a")
    put_files(repo, {path: git(repo, "show", f"memory:{path}") + f'\nculprit = "{culprit}"\n'})
    commit_files(repo, {"src/auth/jwt.py": "# still not\n"})

    verify(memory)
    standing = git(repo, "show", f"memory:{path}")
    commit_files(repo, MENDING)
    verify(memory)

    assert (f'culprit = "{culprit}"' in standing) is is_behind
    assert "culprit" not in git(repo, "show", f"memory:{path}")


def test_verdict_on_the_branch_is_acknowledged_although_the_catalog_cannot_be_written(memory, repo, monkeypatch):
    put_files(repo, make_fact("a", RS256))
    set_meta, failed = Catalog.set_meta, []

    def fail(catalog: Catalog, name: str, value: object) -> None:
        written = git(repo, "log", "-1", "--format=%s", "memory")
        if name == "commit" and not failed and written.startswith("verify"):
            failed.append(written)
            raise sqlite3.OperationalError("database or disk is full")
        set_meta(catalog, name, value)

    monkeypatch.setattr(Catalog, "set_meta", fail)
    run = verify(memory)
    monkeypatch.undo()

    assert failed
    assert run.recorded
    assert statuses(memory) == {"a": "verified"}
