"""A verify run from beginning to end, in the repositories that people have, and through the command line."""

from __future__ import annotations

import json
import os

import pytest
from conftest import NOW, commit_files, git, put_files, tip
from support.facts import (
    Clock,
    approve_all,
    count_commits,
    make_fact,
    make_memory,
    outcomes,
    put,
    result_of,
    statuses,
    verdict_file,
    verdict_text,
    verify,
)

from gitmem.errors import GitmemError, NotFoundError
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command, deny_command, trust_of
from gitmem.verify.options import Options

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}


@pytest.fixture
def stocked(memory, repo):
    """A memory with a fact of each form, their commands approved."""
    put(
        repo,
        make_fact("builtin", RS256),
        make_fact("program", ["test", "-f", "README.md"]),
        make_fact("shell", "grep -q service README.md", paths=["README.md"]),
        make_memory("rests", "Rests on the built-in one", requires=["builtin"]),
    )
    approve_all(memory)
    return memory


def test_run_returns_its_results_and_the_state_of_the_store(stocked, repo):
    run = verify(stocked)

    assert (run.commit, run.due, run.is_local, run.rung) == (git(repo, "rev-parse", "HEAD"), 3, False, "none")
    assert outcomes(run) == {"builtin": "holds", "program": "holds", "shell": "holds"}
    assert run.standing.statuses["verified"] == 3
    assert run.recorded.commit == tip(repo)


def test_edited_text_is_verified_with_what_its_check_answered_on_the_same_inputs(memory, repo, tmp_path):
    log = tmp_path / "runs"
    command = f"printf x >> {log}; test -f README.md"

    def run(title: str, *keys: str, **fields) -> tuple[str, str, int]:
        put(repo, make_fact("a", command, title=title, paths=["README.md"], **fields))
        before = log.stat().st_size if log.exists() else 0
        unproven = statuses(memory)["a"]
        verdict = result_of(memory.verify(*keys, options=Options(no_sandbox=True, keys=keys)), "a").verdict
        return unproven, verdict.outcome, log.stat().st_size - before

    put(repo, make_fact("a", command, title="One", paths=["README.md"]))
    approve_all(memory)
    assert run("One")[:2] == ("unproven", "holds")

    assert run("Two") == ("unproven", "holds", 0)
    assert (statuses(memory), verify(memory).due) == ({"a": "verified"}, 0)
    assert run("Three", "a")[2] > 0
    commit_files(repo, {"README.md": "other inputs\n"})
    assert run("Four")[2] > 0


def test_run_of_builtin_checks_alone_probes_no_sandbox(memory, repo, monkeypatch):
    from gitmem.verify.sandbox import sandbox

    put(repo, make_fact("a", RS256), make_fact("b", "make"))
    monkeypatch.setattr(sandbox, "probe", lambda path: pytest.fail("probed"))

    run = verify(memory, no_sandbox=False)

    assert (outcomes(run), run.rung) == ({"a": "holds", "b": "skipped"}, "")


def test_verifying_changes_nothing_of_the_users_repository(stocked, repo):
    (repo / "README.md").write_text("# A service, changed\n", encoding="utf-8")
    (repo / "untracked.txt").write_text("mine\n", encoding="utf-8")
    (repo / "staged.txt").write_text("mine\n", encoding="utf-8")
    git(repo, "add", "staged.txt")
    hook = repo / ".git/hooks/post-commit"
    hook.write_text(f"#!/bin/sh\ntouch {repo}/hook-ran\n", encoding="utf-8")
    hook.chmod(0o755)

    def around():
        status = git(repo, "status", "--porcelain")  # writes the index where only its stamps are old
        files = {p: p.read_bytes() for p in repo.rglob("*") if p.is_file() and ".git/" not in str(p)}
        own = {name: (repo / ".git" / name).read_bytes() for name in ("config", "HEAD", "index")}
        refs = [line for line in git(repo, "for-each-ref").split("\n") if "refs/heads/memory" not in line]
        return files, own, refs, status, git(repo, "worktree", "list")

    before = around()
    verify(stocked)

    assert around() == before


def test_waiting_are_the_due_facts_that_no_one_approved_or_denied(memory, repo):
    put(repo, *(make_fact(key, f"test -f README.md # {key}") for key in "abcd"), make_fact("e", RS256))
    dues = {due.row.key: due for due in memory.repository.commands()}
    approve_command(memory.repository, dues["a"])
    deny_command(memory.repository, dues["b"])

    assert [due.row.key for due in memory.repository.list_waiting()] == ["c", "d"]
    assert memory.status().document["waiting"] == ["c", "d"]
    texts = [item["text"] for item in memory.context(paths=(), budget_tokens=0).document["sections"][0]["items"]]
    assert "2 commands wait for approval: gitmem trust --review" in texts


def test_key_that_does_not_exist_is_an_error_and_runs_nothing(stocked, run_cli):
    ran = run_cli("verify", "no-such-fact")

    assert ran.status == 1
    assert "no-such-fact" in ran.err


def test_memory_without_a_check_is_not_judged(stocked, run_cli):
    ran = run_cli("verify", "rests")

    assert ran.status == 0
    assert "none of these memories has a check to run" in ran.err


def test_short_key_names_its_fact(stocked, run_cli):
    ran = run_cli("verify", "buil", "--json")

    assert [result["key"] for result in json.loads(ran.out)["results"]] == ["builtin"]


# --- the repositories that people have -----------------------------------------------------------------------------


def test_nothing_can_be_verified_where_head_is_unborn_and_reading_works(memory, repo, run_cli):
    put(repo, make_fact("a", "make"), make_fact("b", RS256))
    git(repo, "checkout", "-q", "--orphan", "empty")

    with pytest.raises(GitmemError, match="no code to verify against"):
        verify(memory)

    assert statuses(memory) == {"a": "unproven", "b": "unproven"}
    assert [run_cli(*words).status for words in (("status",), ("context",), ("list",), ("show", "a"))] == [0] * 4


def test_verify_works_from_a_subfolder(stocked, repo):
    with Memory(repo / "src/auth", clock=lambda: float(NOW)) as opened:
        assert set(outcomes(verify(opened)).values()) == {"holds"}


def test_verify_works_in_a_submodule(repo, tmp_path):
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "config", "user.name", "Ana")
    git(outer, "config", "user.email", "ana@example.org")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "inner")
    git(outer, "commit", "-qm", "inner")
    with Memory(outer / "inner", clock=lambda: float(NOW)) as inner:
        inner.init(offline=True)
        put(outer / "inner", make_fact("a", RS256), make_fact("b", "git log -1 --format=%s | grep -q service"))
        approve_all(inner)

        run = verify(inner)

    assert outcomes(run) == {"a": "holds", "b": "holds"}
    assert git(outer, "branch", "--list", "memory") == ""


def test_verify_works_in_a_linked_work_tree_on_its_own_code(stocked, repo, tmp_path):
    verify(stocked)
    git(repo, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "linked"))
    commit_files(tmp_path / "linked", {"README.md": "# Nothing\n", "src/auth/jwt.py": "HS256\n"})

    with Memory(tmp_path / "linked", clock=lambda: float(NOW)) as linked:
        run = verify(linked)

    assert outcomes(run) == {"builtin": "fails", "program": "holds", "shell": "fails"}
    assert run.is_local
    assert statuses(stocked)["builtin"] == "verified"


def test_verify_works_in_a_path_with_spaces_quotes_and_letters_of_any_language(stocked, repo, tmp_path):
    odd = tmp_path / "a 'b\" $(touch marker) ü,x:y"
    repo.rename(odd)

    with Memory(odd, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        assert set(outcomes(verify(opened)).values()) == {"holds"}
        trust_of(opened.repository)
        assert set(outcomes(verify(opened, everything=True, no_sandbox=False)).values()) == {"holds"}
    assert not list(tmp_path.rglob("marker"))


def test_git_variables_of_a_hook_do_not_lead_elsewhere(stocked, repo, tmp_path, monkeypatch):
    canary = tmp_path / "canary"
    git(tmp_path, "init", "-q", str(canary))
    before = sorted(str(p) for p in canary.rglob("*"))
    monkeypatch.setenv("GIT_DIR", str(canary / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(canary))
    monkeypatch.setenv("GIT_INDEX_FILE", str(canary / ".git/index"))

    with Memory(repo, clock=lambda: float(NOW)) as opened:
        run = verify(opened)

    assert set(outcomes(run).values()) == {"holds"}
    assert sorted(str(p) for p in canary.rglob("*")) == before


def test_check_sees_nothing_of_our_environment(memory, repo, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "abc")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    put(repo, make_fact("a", 'test -z "$SECRET_TOKEN$GIT_DIR" && git rev-parse HEAD && test -f README.md'))
    approve_all(memory)

    assert outcomes(verify(memory)) == {"a": "holds"}
    assert outcomes(verify(memory, everything=True, no_sandbox=False)) == {"a": "holds"}


def test_verify_works_in_a_repository_of_sha256(tmp_path):
    folder = tmp_path / "sha256"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    commit_files(folder, {"README.md": "# A service\n"})
    with Memory(folder, clock=lambda: float(NOW)) as opened:
        opened.init(offline=True)
        put(folder, make_fact("a", {"exists": "README.md"}), make_fact("b", "grep -q service README.md"))
        approve_all(opened)
        verify(opened)
        commit_files(folder, {"README.md": "# Nothing\n"})

        run = verify(opened)

        assert outcomes(run) == {"b": "fails"}
        assert statuses(opened) == {"a": "verified", "b": "failed"}
        opened.index.refresh(rebuild=True)
        assert statuses(opened) == {"a": "verified", "b": "failed"}


def test_checkout_during_a_run_writes_no_verdict_of_another_branch_down(stocked, repo):
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    before = tip(repo)

    run = stocked.verify(options=Options(no_sandbox=True), report=lambda *_: git(repo, "checkout", "-q", "main"))

    assert (outcomes(run)["builtin"], run.is_local) == ("fails", True)
    assert tip(repo) == before


def test_checkout_during_a_run_on_the_default_branch_loses_no_verdict(stocked, repo):
    git(repo, "branch", "feature")

    run = stocked.verify(options=Options(no_sandbox=True), report=lambda *_: git(repo, "checkout", "-q", "feature"))

    assert not run.is_local
    assert run.recorded.commit == tip(repo)


def test_object_that_is_missing_from_the_code_is_an_error_of_its_facts_alone(memory, repo):
    put(repo, make_fact("a", {"contains": "service", "in": "README.md"}), make_fact("b", RS256))
    blob = git(repo, "rev-parse", "HEAD:README.md")
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()

    run = verify(memory)

    assert outcomes(run) == {"a": "blocked", "b": "holds"}
    assert result_of(run, "a").reason == "README.md could not be read"


def test_files_that_are_no_memories_keep_no_fact_from_being_judged(stocked, repo):
    put_files(
        repo,
        {
            "facts/broken.md": "---\nverify: [\n---\n",
            "facts/twice.md": "---\nverify: 'true'\nverify: 'false'\n---\n",
            "facts/bidi.md": '---\ntitle: x\nkind: fact\nverify: "make \\u202e"\n---\n',
            "facts/../x": "x",
            "facts/UPPER.md": "x",
            "verdicts/zz/none.toml": "x",
        },
    )

    run = verify(stocked)

    assert set(outcomes(run)) == {"builtin", "program", "shell"}


# --- the command line ----------------------------------------------------------------------------------------------


def test_exit_status_says_how_it_went(stocked, repo, run_cli):
    well = run_cli("verify", "--no-sandbox").status
    nothing_due = run_cli("verify").status
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    failed = run_cli("verify", "--no-sandbox").status
    failed_before = run_cli("verify").status
    commit_files(repo, {"src/auth/jwt.py": "RS256\n"})
    put(repo, make_fact("waits", "make"))
    not_approved = run_cli("verify", "--no-sandbox").status
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    both = run_cli("verify", "--no-sandbox").status

    assert (well, nothing_due, failed, failed_before, not_approved, both) == (0, 0, 1, 1, 3, 1)


def test_json_is_as_documented(stocked, repo, run_cli):
    put(repo, make_fact("fails", {"exists": "nothing"}), make_fact("waits", "make"))

    ran = run_cli("verify", "--no-sandbox", "--json")

    document = json.loads(ran.out)
    assert {"commit", "ran", "skipped", "results", "recorded"} <= set(document)
    assert (document["commit"], document["recorded"]) == (git(repo, "rev-parse", "HEAD"), tip(repo))
    assert (document["ran"], document["skipped"], ran.status) == (4, 1, 1)
    rows = {row["key"]: row for row in document["results"]}
    assert {"key", "outcome", "status", "because", "reason", "seconds"} <= set(rows["fails"])
    assert (rows["fails"]["outcome"], rows["fails"]["status"]) == ("fails", "failed")
    assert rows["fails"]["because"] == "nothing does not exist"
    assert (rows["waits"]["outcome"], rows["waits"]["reason"]) == ("skipped", "not approved")
    assert rows["builtin"]["status"] == "verified"


def test_report_names_what_failed_what_is_suspect_and_the_way_on(stocked, repo, run_cli):
    verify(stocked)
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})

    ran = run_cli("verify", "--no-sandbox")

    assert "builtin  failed — no file of src/auth/*.py contains 'RS256'" in ran.out
    assert "rests  suspect — rests on builtin" in ran.out
    assert "gitmem settle builtin" in ran.err
    assert ran.status == 1


def test_running_without_a_sandbox_is_reported(stocked, run_cli):
    assert "WITHOUT a sandbox" in run_cli("verify", "--no-sandbox").err


def test_dry_run_says_what_is_due_and_why(stocked, repo, run_cli):
    run_cli("verify", "--no-sandbox")
    before = count_commits(repo)
    commit_files(repo, {"README.md": "# A service, again\n"})

    ran = run_cli("verify", "--dry-run")

    assert [line.split("  ")[:2] for line in ran.out.splitlines()] == [
        ["program", "inputs (README.md)"],
        ["shell", "inputs (README.md)"],
    ]
    assert "2 due" in ran.err
    assert count_commits(repo) == before


def test_approved_list_that_is_missing_runs_nothing(stocked, repo):
    with pytest.raises(NotFoundError):
        verify(stocked, approved=".github/gitmem-approved")

    assert statuses(stocked)["builtin"] == "unproven"


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside"])
def test_approved_list_outside_is_refused(stocked, path, monkeypatch, repo):
    monkeypatch.chdir(repo)

    with pytest.raises(NotFoundError):
        stocked.repository.session(Options(approved=path))


def test_history_of_the_verdict_is_the_history_of_its_truth(repo, memory):
    clock = Clock()
    put(repo, make_fact("a", RS256))
    with Memory(repo, clock=clock) as opened:
        for text in ("RS256\n", "HS256\n", "RS256 again\n"):
            commit_files(repo, {"src/auth/jwt.py": text})
            clock.now += 60
            verify(opened)

        lines = [(row.what, row.outcome) for row in opened.log("a", limit=10) if row.what == "verdict"]

        assert lines == [("verdict", "holds"), ("verdict", "fails"), ("verdict", "holds")]
        path = verdict_file(opened, "a")
    assert git(repo, "rev-list", "--count", "memory", "--", path) == "3"


def test_a_break_names_its_commit_also_where_others_lie_between_and_where_it_was_broken_before(repo):
    clock = Clock()
    commit_files(repo, {"broken.sh": "grep -q RS256 src/auth/jwt.py\n"})
    put(repo, make_fact("a", RS256), make_fact("c", "sh broken.sh", paths=["broken.sh", "src/auth/*"]))
    named = []
    with Memory(repo, clock=clock) as opened:
        approve_all(opened)
        for text in ("RS256\n", "HS256\n", "RS256\n", "HS256\n"):
            commit = commit_files(repo, {"src/auth/jwt.py": text})
            if text == "HS256\n":
                commit_files(repo, {"README.md": f"after {commit}\n"})
            clock.now += 60
            lines = verify(opened).standing.lines
            named.append({(line.key, line.culprit == commit) for line in lines})
            commit_files(repo, {"README.md": f"{commit}\n"})

    assert named == [set(), {("a", True), ("c", True)}] * 2


def test_a_failure_that_counts_again_is_judged_where_another_one_came_between(repo):
    """Nothing is in the old place twice: the file was deleted, and later, when its text was broken, it moved."""
    clock = Clock()
    lines = "".join(f"line {number}\n" for number in range(30))
    put(repo, make_fact("a", {"contains": "RS256", "in": "a/state"}))
    document = []
    with Memory(repo, clock=clock) as opened:
        opened.init(offline=True)
        for text in (
            f"{lines}RS256\n",
            "",
            f"{lines}RS256 again\n",
            f"{lines}HS256\n",
            "moved",
            f"{lines}RS256, fixed\n",
        ):
            if text == "moved":
                (repo / "b").mkdir()
                git(repo, "mv", "a/state", "b/state")
                git(repo, "commit", "-q", "-m", "move")
            elif text:
                commit_files(repo, {f"{'b' if document[4:] else 'a'}/state": text})
            else:
                git(repo, "rm", "-q", "a/state")
                git(repo, "commit", "-q", "-m", "delete")
            clock.now += 60
            line = next(iter(verify(opened).standing.lines), None)
            document.append((statuses(opened)["a"], line.culprit if line else ""))

    deleted, broken = git(repo, "rev-parse", "HEAD~4"), git(repo, "rev-parse", "HEAD~2")
    held = ("verified", "")
    assert document == [held, ("failed", deleted), held, ("failed", broken), ("failed", broken), held]


def test_what_broke_a_fact_is_not_known_where_it_may_have_been_fixed_unseen(repo, tmp_path, monkeypatch):
    """The check needs a tool that is gone for some commits: it may have been fixed and broken again there."""
    tool = tmp_path / "tools" / "a-tool"
    tool.parent.mkdir()
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")

    def show_tool():
        tool.write_text('#!/bin/sh\nexec grep -q RS256 "$1"\n')
        tool.chmod(0o755)

    named = []
    with Memory(repo, clock=(clock := Clock())) as opened:
        opened.init(offline=True)
        put(repo, make_fact("a", "a-tool state", paths=["state"]))
        approve_all(opened)
        for text in ("RS256", "HS256", "HS256 still", "gone", "HS256 now", "HS256 by now", "back"):
            if text in ("back", "RS256"):
                show_tool()
            elif text == "gone":
                tool.unlink()
            commit_files(repo, {"state": f"{text}\n"} if "256" in text else {"README.md": text})
            clock.now += 60
            line = next(iter(verify(opened).standing.lines), None)
            named.append(line.culprit if line else "")

    broken = git(repo, "rev-parse", "HEAD~5")
    assert named == ["", broken, broken, broken, broken, broken, ""]


def test_culprit_of_a_failure_that_was_repaired_between_two_jobs_is_not_kept(memory, repo):
    """The first break and its repair are one pair, and a later commit breaks the fact again."""
    put(repo, make_fact("a", {"contains": "LIMIT = 5", "in": "limit.py"}), make_fact("b", "grep -q 5 limit.py"))
    approve_all(memory)
    named = []
    for text, is_judged in (("= 5", True), ("= 6", True), ("= 6  # still", True), ("= 5", False), ("= 7", True)):
        commit_files(repo, {"limit.py": f"LIMIT {text}\n"}, text)
        if is_judged:
            named.append({line.culprit for line in verify(memory).standing.lines})

    first, again = git(repo, "rev-parse", "HEAD~3"), git(repo, "rev-parse", "HEAD")
    assert named == [set(), {first}, {first}, {again}]


def test_culprit_that_a_squash_removed_is_searched_again(memory, repo):
    memory.fact("The limit is 5", exists="src/auth/jwt.py", key="a")
    verify(memory)
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"b.txt": "x\n"}, "wip one")
    git(repo, "rm", "-q", "src/auth/jwt.py")
    git(repo, "commit", "-q", "-m", "wip two")
    wip = git(repo, "rev-parse", "HEAD")
    verify(memory)
    before = memory.show("a").document["verdict"]["culprit"]
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--squash", "feature")
    git(repo, "commit", "-q", "-m", "Feature")
    git(repo, "branch", "-q", "-D", "feature")

    verify(memory)

    squashed = git(repo, "rev-parse", "HEAD")
    text = verdict_text(repo, memory, "a")
    assert (before, wip in text) == (wip, False)
    assert f'culprit = "{squashed}"' in text
    assert f'commit = "{squashed}"' in text
