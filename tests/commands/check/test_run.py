"""A whole change: what it makes false, and that it is not blamed for anything else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.code_changes import RS256, change, check, finding, kinds
from support.facts import approve_all, make_fact, make_memory, put, statuses, tracked, verify

from gitmem.errors import GitmemError
from gitmem.memory import Memory
from gitmem.verify.overview.finding import Spot
from gitmem.verify.sandbox import sandbox

EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}


def counting(place: Path, key: str = "counted", then: str = "grep -q RS256 src/auth/jwt.py", **fields) -> dict:
    """Return a fact whose command notes each of its runs in a file."""
    return make_fact(key, f"echo run >>{place}; {then}", paths=["src/auth/*"], **fields)


def runs(place: Path) -> int:
    """Return how often it ran since this was asked last."""
    number = place.read_text().count("run") if place.exists() else 0
    place.unlink(missing_ok=True)
    return number


def refs(folder: Path) -> str:
    """Return every branch with its commit."""
    return git(folder, "for-each-ref")


def test_facts_that_the_change_touches_are_sorted_by_what_it_does_to_them(memory, repo):
    put(
        repo,
        make_fact("breaks", RS256, by={"who": "ana"}),
        make_fact("mended", {"contains": "EdDSA", "in": "src/**"}),
        make_fact("still", {"contains": "HS512", "in": "src/auth/jwt.py"}),
        make_fact("holds", {"lacks": "HS256", "in": "src/**"}),
        make_fact("elsewhere", {"contains": "RETRIES", "in": "src/gateway/*.py"}),
    )
    head = change(repo, EDDSA)
    before = refs(repo)

    checked = check(memory)

    assert (checked.span.base, checked.span.head) == (git(repo, "rev-parse", "main"), head)
    assert kinds(checked) == {
        "breaks": "newly_false", "still": "still_false", "mended": "newly_true", "holds": "holds",
    }  # fmt: skip
    assert (checked.files, checked.facts, checked.rung) == (1, 5, "")
    found = finding(checked, "breaks")
    assert (found.because, found.by) == ("no file of src/auth/*.py contains 'RS256'", "ana")
    assert found.places == (Spot("src/auth/jwt.py", 1),)
    assert (refs(repo), git(repo, "status", "--porcelain")) == (before, "")


def test_what_happened_on_the_base_since_is_not_the_changes_doing(memory, repo):
    put(repo, make_fact("broken-on-main", RS256), make_fact("ours", {"exists": "README.md"}))
    change(repo, gone=("README.md",))
    git(repo, "checkout", "-q", "main")
    commit_files(repo, EDDSA)
    git(repo, "checkout", "-q", "change")

    assert kinds(check(memory)) == kinds(check(memory, base="main")) == {"ours": "newly_false"}


def test_merge_commit_is_checked_for_what_it_brings_to_the_base(memory, repo):
    put(repo, make_fact("theirs", RS256), make_fact("ours", {"exists": "README.md"}))
    change(repo, gone=("README.md",))
    git(repo, "checkout", "-q", "main")
    commit_files(repo, EDDSA)
    git(repo, "checkout", "-q", "--detach", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "as a forge does", "change")

    assert kinds(check(memory, base="main")) == {"ours": "newly_false"}


def test_file_that_was_deleted_or_moved_breaks_what_is_about_its_path(memory, repo):
    put(
        repo,
        make_fact("named", {"exists": "src/auth/jwt.py"}),
        make_fact("content", {"contains": "RS256", "in": "src/auth/jwt.py"}),
        make_fact("below", {"contains": "RS256", "in": "src/**"}),
        make_fact("read", {"contains": "RETRIES", "in": "src/gateway/retry.py"}),
    )
    git(repo, "checkout", "-q", "-b", "change")
    git(repo, "mv", "src/auth/jwt.py", "src/auth/token.py")
    git(repo, "rm", "-q", "src/gateway/retry.py")
    git(repo, "commit", "-q", "-m", "move and delete")

    checked = check(memory)

    false = dict.fromkeys(("named", "read"), "newly_false")
    assert kinds(checked) == false | {"content": "holds", "below": "holds"}
    assert finding(checked, "named").because == "src/auth/jwt.py moved to src/auth/token.py"
    assert finding(checked, "read").places == (Spot("src/gateway/retry.py", 0),)


def test_known_verdict_of_the_base_needs_no_run_and_new_ones_are_stored(memory, repo, tmp_path):
    put(repo, counting(tmp_path / "runs"))
    approve_all(memory)
    verify(memory)
    runs(tmp_path / "runs")
    change(repo, EDDSA)

    checked = check(memory)

    assert kinds(checked) == {"counted": "newly_false"}
    # On the head, again, and on the base before it is accused.
    assert runs(tmp_path / "runs") >= 3
    assert kinds(check(memory)) == {"counted": "newly_false"}
    assert runs(tmp_path / "runs") == 0
    assert statuses(memory)["counted"] == "failed"


def test_command_that_was_never_run_is_run_on_both_commits(memory, repo, tmp_path):
    put(repo, counting(tmp_path / "runs"))
    approve_all(memory)
    change(repo, {"src/auth/jwt.py": "# RS256, still\n"})

    assert kinds(check(memory)) == {"counted": "holds"}
    assert runs(tmp_path / "runs") >= 2


def test_fact_that_fails_on_both_for_another_reason_than_the_change_accuses_no_one(memory, repo, tmp_path):
    tool = tmp_path / "tool"
    tool.touch()
    put(repo, make_fact("needs-tool", f"test -e {tool}", paths=["src/auth/*"]))
    approve_all(memory)
    verify(memory)
    change(repo, EDDSA)
    tool.unlink()

    checked = check(memory)

    assert kinds(checked) == {"needs-tool": "unchecked"}
    assert "the environment changed" in finding(checked, "needs-tool").because


def test_failure_is_not_reported_as_new_where_the_base_could_not_be_checked(memory, repo):
    put(repo, make_fact("odd", "test -e new && exit 1; exit 127", paths=["new"]))
    approve_all(memory)
    change(repo, {"new": ""})

    checked = check(memory)

    assert kinds(checked) == {"odd": "unchecked"}
    assert finding(checked, "odd").because == "does not pass here: exit 1"


def test_check_that_does_not_answer_alike_is_not_reported_as_false(memory, repo, tmp_path):
    toggle = f"test -e {tmp_path}/odd && rm {tmp_path}/odd || {{ touch {tmp_path}/odd; exit 1; }}"
    command = f"test -d src || exit 1; grep -q RS256 src/auth/jwt.py || {{ {toggle}; }}"
    put(repo, make_fact("flaky", command, paths=["src/auth/*"]))
    approve_all(memory)
    change(repo, EDDSA)

    assert kinds(check(memory))["flaky"] != "newly_false"


def test_command_that_no_one_approved_does_not_run(memory, repo, tmp_path):
    put(repo, counting(tmp_path / "runs"))
    change(repo, EDDSA)

    checked = check(memory)

    assert [(f.key, f.kind, f.because) for f in checked.findings] == [("counted", "unchecked", "not approved")]
    assert runs(tmp_path / "runs") == 0


def test_list_of_the_change_itself_approves_nothing(memory, repo, tmp_path):
    put(repo, counting(tmp_path / "runs"))
    (due,) = memory.repository.commands()
    change(repo, {**EDDSA, "approved": f"{due.approved_line}\n"})
    with pytest.raises(GitmemError):
        check(memory, approved="approved")

    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"approved": f"{due.approved_line}\n"})
    git(repo, "checkout", "-q", "change")

    assert kinds(check(memory, approved="approved")) == {"counted": "newly_false"}


def test_code_of_a_change_does_not_run_without_a_sandbox_unless_asked_for(memory, repo, tmp_path, monkeypatch):
    put(repo, counting(tmp_path / "runs"))
    approve_all(memory)
    change(repo, EDDSA)
    monkeypatch.setattr(sandbox, "probe", lambda path: "none")

    checked = check(memory, no_sandbox=False)

    assert [f.because for f in checked.findings] == ["no sandbox works here"]
    assert runs(tmp_path / "runs") == 0


def test_suspects_are_reported_with_their_chain_and_whether_they_are_new(memory, repo):
    put(
        repo,
        make_fact("breaks", RS256, requires=["far"]),
        make_fact("failing", {"exists": "missing"}),
        make_memory("near", "Rests on it", requires=["breaks"]),
        make_memory("far", "Rests on that", requires=["near"]),
        make_memory("old", "Was suspect before", requires=["breaks", "failing"]),
        make_fact("other", {"exists": "README.md"}, requires=["failing"]),
    )
    change(repo, EDDSA)

    checked = check(memory)

    suspects = {f.key: (f.chain, f.is_new) for f in checked.of("suspect")}
    assert suspects == {
        "near": (("breaks",), True), "far": (("near", "breaks"), True), "old": (("breaks",), True),
    }  # fmt: skip
    verify(memory)
    assert {f.key: f.is_new for f in check(memory).of("suspect")} == {"near": True, "far": True, "old": False}


def test_memory_of_the_change_that_rests_on_what_fails_already_is_a_new_suspect(memory, repo):
    put(repo, make_fact("failing", {"exists": "missing"}), make_memory("old", "Rests on it", requires=["failing"]))
    verify(memory)
    change(repo, tracked(make_memory("new", "Rests on it too", requires=["failing"]), make_fact("fine", RS256)))

    checked = check(memory)

    assert kinds(checked) == {"new": "suspect", "fine": "holds"}
    assert (finding(checked, "new").chain, finding(checked, "new").is_new) == (("failing",), True)


def test_fact_that_names_no_paths_is_touched_by_every_change_and_counted(memory, repo):
    put(repo, make_fact("whole", "grep -q RS256 src/auth/jwt.py"), make_fact("named", "true; :", paths=["src/auth/*"]))
    approve_all(memory)
    change(repo, {"README.md": "# changed\n"})

    checked = check(memory)

    assert (kinds(checked), checked.whole) == ({"whole": "holds"}, ("whole",))


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_changed_files_of_a_fact_without_paths_are_those_that_its_run_was_seen_to_read(memory, repo, monkeypatch):
    monkeypatch.setenv("GITMEM_TRACE", "auto")
    put(repo, make_fact("whole", "grep -q RS256 src/auth/jwt.py"))
    approve_all(memory)
    change(repo, EDDSA | {"README.md": "# Changed, and first by name\n"})

    with Memory(repo, clock=lambda: float(NOW)) as traced:
        found = finding(check(traced), "whole")

    assert (found.kind, found.places) == ("newly_false", (Spot("src/auth/jwt.py", 1),))


def test_new_and_reworded_facts_of_the_code_tree_have_no_base(memory, repo):
    kept, old = make_fact("kept", RS256, tags=["auth"]), make_fact("old", {"exists": "README.md"})
    commit_files(repo, tracked(kept, old, make_fact("gone", RS256)))
    change(
        repo,
        tracked(
            make_fact("kept", RS256, tags=["auth", "jwt"]),
            make_fact("old", {"exists": "READ.me"}, title="Reworded"),
            make_fact("new", {"exists": "nothing"}),
            make_fact("fine", RS256),
        ),
        gone=(".memory/facts/gone.md",),
    )

    checked = check(memory)

    assert kinds(checked) == {"new": "newly_false", "old": "newly_false", "fine": "holds"}
    assert [f.is_new for f in checked.of("newly_false")] == [True, True]
    assert finding(checked, "new").fact == Spot(".memory/facts/new.md", 5)
    assert (checked.brought, checked.removed) == (("fine", "new", "old"), ("gone",))


def test_fact_of_the_branch_that_the_change_replaces_or_supersedes_does_not_vanish_unseen(memory, repo):
    moved = make_fact("moved", RS256)
    put(repo, make_fact("replaced", RS256), make_fact("superseded", RS256), moved)
    own = make_fact("replaced", {"exists": "README.md"})
    change(repo, EDDSA | tracked(own, moved, make_memory("trick", "Takes over", supersedes=["superseded"])))

    checked = check(memory)

    assert [(f.key, f.kind) for f in checked.findings] == [
        *((key, "newly_false") for key in ("moved", "replaced", "superseded")),
        *((key, "silenced") for key in ("replaced", "superseded")),
    ]
    assert checked.hidden == ("replaced", "superseded")
    assert not finding(checked, "moved").is_new


def test_what_claims_nothing_now_is_not_judged(memory, repo):
    archived = {f"archive/{path}": text for path, text in make_fact("retired", RS256).items()}
    put(
        repo,
        make_fact("gate", RS256, kind="task"),
        make_fact("older", RS256, superseded_by="newer"),
        make_fact("newer", {"exists": "README.md"}),
        archived,
    )
    change(repo, EDDSA)

    assert check(memory).findings == ()


def test_other_head_is_checked_without_a_checkout_and_leaves_no_verdict(memory, repo, tmp_path):
    put(repo, counting(tmp_path / "runs"))
    approve_all(memory)
    change(repo, EDDSA | tracked(make_fact("new", {"exists": "nothing"})))
    git(repo, "checkout", "-q", "main")

    checked = check(memory, head="change")

    assert kinds(checked) == {"counted": "newly_false", "new": "newly_false"}
    assert statuses(memory) == {"counted": "unproven"}
    runs(tmp_path / "runs")


def test_keys_narrow_it(memory, repo):
    put(repo, make_fact("one", RS256), make_fact("two", RS256), make_fact("aside", {"exists": "README.md"}))
    change(repo, EDDSA)

    assert kinds(check(memory, "two", "aside")) == {"two": "newly_false"}


def test_bare_repository_is_checked_as_well(memory, repo, tmp_path):
    put(repo, make_fact("builtin", RS256), make_fact("command", "grep -q RS256 src/auth/jwt.py", paths=["src/auth/*"]))
    change(repo, EDDSA)
    git(repo, "clone", "-q", "--bare", str(repo), str(tmp_path / "bare.git"))
    with Memory(tmp_path / "bare.git", clock=lambda: float(NOW)) as bare:
        approve_all(bare)

        checked = check(bare, base="main", head="change")

    assert kinds(checked) == {"builtin": "newly_false", "command": "newly_false"}


def test_nothing_changed_is_reported_and_nothing_judged(memory, repo):
    put(repo, make_fact("a", RS256))

    checked = check(memory)

    assert (checked.findings, checked.span.base) == ((), git(repo, "rev-parse", "HEAD"))
    assert "HEAD is the same commit as main" in checked.span.note


def test_private_facts_are_checked_as_well(repo, monkeypatch):
    monkeypatch.setenv("GITMEM_AGENT", "dev")
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        put(repo, make_fact("ours", RS256))
        memory.fact("Mine", scope="private", key="mine", verify={"exists": "README.md"})
        change(repo, EDDSA, gone=("README.md",))

        assert kinds(check(memory)) == {"ours": "newly_false", "mine": "newly_false"}


@pytest.mark.skipif(not shutil.which("bwrap"), reason="there is no bubblewrap here")
def test_code_of_a_change_cannot_leave_the_sandbox(memory, repo, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_OF_CI", "x")
    commit_files(repo, {"run.sh": "exit 0\n"})
    put(repo, make_fact("runs", "sh run.sh", paths=["run.sh"]))
    approve_all(memory)
    # In silence: a check that complains of what it was refused would be unchecked, not false.
    tries = f"(echo x >{tmp_path}/out) 2>/dev/null; (echo x >{repo}/out) 2>/dev/null"
    change(repo, {"run.sh": f"{tries}; env | grep -q SECRET_OF_CI && exit 0; exit 1\n"})

    checked = check(memory, no_sandbox=False)

    assert (kinds(checked), checked.rung) == ({"runs": "newly_false"}, "bubblewrap")
    assert not (tmp_path / "out").exists() and git(repo, "status", "--porcelain") == ""
