"""Why finds the commit that broke a fact and records it with the verdict: real histories, real commands."""

from __future__ import annotations

import shutil

import pytest
from conftest import NOW, commit_files, git, put_files, tip
from support.facts import (
    Clock,
    approve_all,
    count_commits,
    make_fact,
    put,
    status_file,
    trailers,
    verdict_file,
    verdict_text,
    verify,
)

from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command
from gitmem.verify.jobs.shards import Shard
from gitmem.verify.options import Options

RUN = Options(no_sandbox=True)
SIGNS = "grep -q RS256 src/auth/jwt.py"
BROKEN = 'ALGORITHM = "EdDSA"\n'


def commit_lines(repo, *subjects: str, path: str = "src/auth/jwt.py") -> list[str]:
    """Commit a change of a file for each subject; one that begins with ``break`` breaks what the facts say."""
    made = []
    for subject in subjects:
        text = BROKEN if subject.startswith("break") else (repo / path).read_text()
        made.append(commit_files(repo, {path: f"{text}# {subject}\n"}, subject))
    return made


@pytest.fixture
def held(memory, repo):
    """A memory whose facts hold at the first commit: a command with declared inputs, and a built-in check."""
    put(
        repo,
        make_fact("signs", SIGNS, paths=["src/auth/**"]),
        make_fact("says", {"contains": "RS256", "in": "src/auth/*.py"}),
    )
    approve_all(memory)
    verify(memory)
    return memory


@pytest.mark.parametrize("key", ["signs", "says"])
def test_commit_that_broke_a_fact_is_named_with_its_details(held, repo, key):
    good = git(repo, "rev-parse", "HEAD")
    commits = commit_lines(repo, "one", "two", "break: use EdDSA", "four")
    commit_files(repo, {"README.md": "# Not an input\n"}, "beside")
    verify(held)

    found = held.why(key, options=RUN, with_diff=True).as_table()

    culprit = {
        "commit": commits[2],
        "author": "Ana <ana@example.org>",
        "date": "2026-09-21T14:13:20+00:00",
        "subject": "break: use EdDSA",
    }
    assert (found["outcome"], found["culprit"], found["candidates"]) == ("found", culprit, 4)
    assert (found["range"]["good"]["commit"], found["range"]["commits"]) == (commits[1], [culprit])
    assert good != commits[1]
    assert found["runs"] == 0 if key == "says" else found["runs"] <= 4
    assert "-ALGORITHM" in found["diff"]
    assert '+ALGORITHM = "EdDSA"' in found["diff"]
    assert "README" not in found["diff"]


def test_culprit_is_recorded_with_the_verdict_and_shown_with_every_failure(held, repo):
    commits = commit_lines(repo, "one", "break: use EdDSA")
    verify(held)

    held.why("signs", options=RUN)

    message = f"broken by {commits[1][:12]} (Ana: break: use EdDSA)"
    assert f'culprit = "{commits[1]}"' in verdict_text(repo, held, "signs")
    assert git(repo, "log", "-1", "--format=%s", "memory") == f"why: signs was broken by {commits[1][:12]}"
    assert f"Gitmem-Culprit: signs {commits[1]}" in trailers(repo, tip(repo))
    assert message in status_file(repo)
    verdict = held.show("signs").document["verdict"]
    assert (verdict["culprit"], verdict["culprit_after"], verdict["broken"]) == (commits[1], "", message)
    assert {line["key"]: line["broken"] for line in held.status().document["failed"]} == {"signs": message, "says": ""}
    texts = {
        item["key"]: item["text"] for item in held.context(paths=(), budget_tokens=0).document["sections"][0]["items"]
    }
    assert texts["signs"].endswith(f"; {message}")
    assert "broken" not in texts["says"]


def test_second_why_runs_only_what_is_needed_and_writes_nothing(held, repo):
    commit_lines(repo, "break it")
    verify(held)
    held.why("signs", options=RUN)
    before = tip(repo)

    assert held.why("signs", options=RUN).outcome == "found"
    assert tip(repo) == before


def test_culprit_stays_while_the_failure_stands_and_goes_when_it_holds_again(held, repo):
    (first,) = commit_lines(repo, "break it")
    verify(held)
    held.why("signs", options=RUN)
    commit_lines(repo, "another change")
    verify(held)
    stays = held.show("signs").document["verdict"]["culprit"]
    commit_files(repo, {"src/auth/jwt.py": "RS256\n"}, "mend it")
    verify(held)
    mended = held.show("signs").document["verdict"]["culprit"]
    (again,) = commit_lines(repo, "break it again")
    verify(held)

    assert (stays, mended, held.show("signs").document["verdict"]["culprit"]) == (first, "", again)
    assert held.why("signs", options=RUN).found.culprit == again


def test_culprit_of_another_branch_is_not_that_of_this_one(held, repo):
    git(repo, "checkout", "-q", "-b", "topic")
    commit_lines(repo, "break it on topic")
    verify(held)
    held.why("signs", options=RUN)
    git(repo, "checkout", "-q", "main")
    commit_lines(repo, "break it on main", "and change it")
    with Memory(repo, clock=Clock(NOW + 9)) as later:
        verify(later)

        assert later.show("signs").document["verdict"]["culprit"] == ""


def test_culprit_survives_a_look_at_another_branch(held, repo):
    (culprit,) = commit_lines(repo, "break it")
    verify(held)
    held.why("signs", options=RUN)
    git(repo, "checkout", "-q", "-b", "topic")
    commit_lines(repo, "fails there too")
    with Memory(repo, clock=Clock(NOW + 5)) as there:
        checked = there.check(options=Options(no_sandbox=True), base="main", head="")
        assert {f.key: f.culprit for f in checked.findings} == {"signs": culprit, "says": culprit}
        assert there.show("signs").document["verdict"]["culprit"] == culprit
    commit_files(repo, {"src/auth/jwt.py": "RS256\n"}, "mended there alone")
    with Memory(repo, clock=Clock(NOW + 9)) as there:
        verify(there)
    git(repo, "checkout", "-q", "main")
    with Memory(repo, clock=Clock(NOW + 12)) as here:
        verify(here, everything=True)

        assert here.show("signs").document["verdict"]["culprit"] == culprit


def test_on_another_branch_the_culprit_stays_in_this_clone_until_it_counts(held, repo):
    git(repo, "checkout", "-q", "-b", "topic")
    (culprit,) = commit_lines(repo, "break it")
    verify(held)
    before = tip(repo)
    held.why("signs", options=RUN)

    assert (tip(repo), held.show("signs").document["verdict"]["culprit"]) == (before, culprit)
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "topic")
    verify(held)
    assert f'culprit = "{culprit}"' in verdict_text(repo, held, "signs")


def test_culprit_of_a_failure_published_elsewhere_is_published(held, repo):
    (culprit,) = commit_lines(repo, "break it")
    verify(held)
    git(repo, "checkout", "-q", "-b", "topic")
    held.why("signs", options=RUN)
    git(repo, "checkout", "-q", "main")

    assert verify(held).due == 0
    assert f'culprit = "{culprit}"' in verdict_text(repo, held, "signs")


def test_commit_inside_a_merged_branch_is_named(held, repo):
    git(repo, "checkout", "-q", "-b", "side")
    commits = commit_lines(repo, "one", "break it", "three")
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"README.md": "# Two\n"}, "beside")
    git(repo, "merge", "-q", "--no-ff", "-m", "the merge", "side")
    verify(held)

    assert [held.why(key, options=RUN).found.culprit for key in ("signs", "says")] == [commits[1]] * 2


def test_unchecked_commits_leave_a_range_that_is_recorded(memory, repo):
    put(repo, make_fact("a", "test ! -e cannot || exit 127; " + SIGNS, paths=["src/auth/**", "cannot"]))
    approve_all(memory)
    verify(memory)
    good = git(repo, "rev-parse", "HEAD")
    first = commit_files(repo, {"cannot": "1\n"}, "cannot be checked")
    commit_lines(repo, "break it")
    (repo / "cannot").unlink()
    last = commit_files(repo, {}, "can be checked again")
    verify(memory)

    found = memory.why("a", options=RUN)

    assert (found.outcome, found.found.culprit, found.found.after) == ("range", last, good)
    assert (len(found.found.among), found.found.among[0], first in found.found.among) == (3, last, True)
    verdict = memory.show("a").document["verdict"]
    assert (verdict["culprit"], verdict["culprit_after"]) == (last, good)
    assert verdict["broken"].startswith(f"broken after {good[:12]}, by {last[:12]}")


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_observed_reads_count_only_if_all_of_them_are_unchanged(repo, monkeypatch):
    """The failing run reads only A; an earlier failure was caused by B, which that run never read."""
    monkeypatch.setenv("GITMEM_TRACE", "auto")
    commit_files(repo, {"A": "a\n", "B": "x\n"}, "A and B")
    with Memory(repo, clock=Clock(NOW)) as memory:
        memory.init(offline=True)
        put(repo, make_fact("a", "test -e A && grep -q x B"))
        approve_all(memory)
        verify(memory, no_sandbox=False)
        commit_files(repo, {"README.md": "# Other\n"}, "beside")
        culprit = commit_files(repo, {"B": "y\n"}, "break it")
        commit_files(repo, {"README.md": "# Another\n"}, "beside")
        git(repo, "rm", "-q", "A")
        git(repo, "commit", "-q", "-m", "remove A as well")
        commit_files(repo, {"README.md": "# Last\n"}, "beside")
        verify(memory, no_sandbox=False)

        found = memory.why("a").found

    # What lies beside changes nothing that the runs at both ends read; between them nobody can tell.
    assert (found.culprit, found.candidates) == (culprit, 3)


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_diff_of_a_culprit_shows_only_files_that_the_check_reads(repo, monkeypatch):
    monkeypatch.setenv("GITMEM_TRACE", "auto")
    with Memory(repo, clock=Clock(NOW)) as memory:
        memory.init(offline=True)
        put(repo, make_fact("a", "grep -q RS256 src/auth/jwt.py"))
        approve_all(memory)
        verify(memory, no_sandbox=False)
        commit_files(repo, {"src/auth/jwt.py": "ALGORITHM = 1\n", "README.md": "# Other\n", "a.txt": "1\n"}, "break it")

        checked = memory.check(options=Options(), base="HEAD~1")
        verify(memory, no_sandbox=False)
        found = memory.why("a", with_diff=True)

    assert [[spot.path for spot in finding.places] for finding in checked.findings] == [["src/auth/jwt.py"]]
    assert [line for line in found.diff.split("\n") if line.startswith("diff ")] == [
        "diff --git a/src/auth/jwt.py b/src/auth/jwt.py"
    ]


def test_fact_that_never_held_is_reported_so_and_nothing_is_written(memory, repo):
    commit_lines(repo, "one", "two")
    put(repo, make_fact("a", "grep -q nowhere src/auth/jwt.py", paths=["src/auth/**"]))
    approve_all(memory)
    verify(memory)
    before = tip(repo)

    assert memory.why("a", options=RUN).outcome == "never held"
    assert tip(repo) == before


def test_check_that_depends_on_more_than_the_code_names_no_culprit(held, repo, tmp_path):
    """The check depends on a file outside the repository, which changes while its inputs do not."""
    flag = tmp_path / "flag"
    flag.write_text("holds")
    put(repo, make_fact("a", f"grep -q holds {flag}", paths=["src/auth/**"]))
    approve_all(held)
    verify(held)
    commit_lines(repo, *"abcde")
    flag.write_text("fails")

    found = held.why("a", options=RUN)

    assert (found.outcome, found.found) == ("unchecked", None)
    assert held.show("a").document["verdict"]["culprit"] == ""


def test_verdict_claimed_by_others_is_run_before_it_counts_as_good(held, repo):
    """A pushed verdict names a commit where the fact held; it did not."""
    commits = commit_lines(repo, "break it", "later", "mend it", "break it again")
    commit_files(repo, {"src/auth/jwt.py": "RS256\n"}, "hold")
    (last,) = commit_lines(repo, "break it for good")
    verify(held)
    path = verdict_file(held, "signs")
    text = git(repo, "show", f"memory:{path}")
    held_line = next(line for line in text.split("\n") if line.startswith("held-commit"))
    put_files(repo, {path: text.replace(held_line, f'held-commit = "{commits[0]}"') + "\n"})
    (repo / ".git/gitmem/local.sqlite").unlink()
    with Memory(repo, clock=Clock(NOW + 9)) as fresh:
        found = fresh.why("signs", options=RUN)

    assert (found.outcome, found.found.culprit) == ("found", last)


def test_rewritten_and_shallow_histories_are_searched_as_far_as_they_go(held, repo, tmp_path):
    commit_lines(repo, "one", "break it", "three", "four")
    verify(held)
    git(repo, "checkout", "-q", "--orphan", "rewritten")
    git(repo, "commit", "-q", "-m", "all new")
    git(repo, "checkout", "-q", "-B", "main")
    rewritten = held.why("signs", options=RUN)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    git(tmp_path / "shallow", "fetch", "-q", "origin", "memory:memory")
    with Memory(tmp_path / "shallow", clock=Clock(NOW + 9)) as shallow:
        approve_all(shallow)

        assert (rewritten.outcome, shallow.why("signs", options=RUN).outcome) == ("never held", "never held")


def test_fact_that_holds_or_was_not_approved_or_has_no_check_is_not_searched(held, repo):
    put(repo, make_fact("waits", "test -e nothing"), make_fact("b", None, kind="gotcha"))
    before = count_commits(repo)

    found = {key: held.why(key, options=RUN) for key in ("signs", "waits", "b")}

    assert {key: why.outcome for key, why in found.items()} == {"signs": "holds", "waits": "skipped", "b": "no check"}
    assert found["waits"].reason == "not approved"
    assert count_commits(repo) == before


def test_fact_that_was_not_judged_here_is_judged_first(held, repo):
    (culprit,) = commit_lines(repo, "break it")

    found = held.why("signs", options=RUN)

    assert (found.outcome, found.found.culprit, held.show("signs").document["status"]) == ("found", culprit, "failed")


def test_everything_that_fails_is_explained_at_once_and_known_culprits_are_not_asked_again(held, repo):
    commits = commit_lines(repo, "one", "break it", "three")
    commit_files(repo, {"README.md": "# Other\n"}, "beside")
    verify(held)
    first, steps = held.jobs.explain_failures(RUN), []
    again = held.jobs.explain_failures(RUN, report=steps.append)

    assert {why.key: why.found.culprit for why in first} == {"signs": commits[1], "says": commits[1]}
    assert (again, steps) == ([], [])
    assert git(repo, "log", "-1", "--format=%s", "memory") == "why: what broke 2 facts"


def test_culprits_in_a_result_file_count_once_recorded(held, repo, tmp_path):
    commits = commit_lines(repo, "one", "break it", "three")
    put(repo, make_fact("waits", "make"))
    with Memory(shutil.copytree(repo, tmp_path / "judge"), clock=lambda: float(NOW)) as judge:
        for due in judge.repository.commands(["signs"]):
            approve_command(judge.repository, due)
        options = replace(RUN, everything=False, results=str(tmp_path / "part"), shard=Shard(1, 1))
        judge.verify(options=options, report=lambda *_: None)
        before = tip(tmp_path / "judge")

        explained = judge.jobs.explain_failures(options)

        assert tip(tmp_path / "judge") == before
    done = held.jobs.import_results([str(tmp_path / "part")])

    assert {why.key: why.found.culprit for why in explained} == {"signs": commits[1], "says": commits[1]}
    assert (done.taken, [key for key, _ in done.unlearnt]) == (("says", "signs"), ["waits"])
    assert {line["key"]: line["culprit"] for line in held.status().document["failed"]} == {
        "signs": commits[1],
        "says": commits[1],
    }


def test_search_that_fails_ends_alone_and_loses_no_verdict(held, repo, monkeypatch):
    from gitmem.errors import ProcessError
    from gitmem.verify.blame.lineage import LineageReader

    commits = commit_lines(repo, "break it", "and change it")  # so that the search has to ask
    verify(held)
    honest = LineageReader.read

    def read(self, question, good=""):
        if question.inputs[0] == "paths":
            raise ProcessError("an object is missing", argv=[])
        return honest(self, question, good)

    monkeypatch.setattr(LineageReader, "read", read)

    found = {why.key: why for why in held.jobs.explain_failures(RUN)}

    assert (found["signs"].outcome, found["signs"].reason) == ("unknown", "an object is missing")
    assert found["says"].found.culprit == commits[0]
    assert {key: held.show(key).document["status"] for key in found} == {"signs": "failed", "says": "failed"}


def test_culprit_that_cannot_be_recorded_is_still_reported(held, repo, monkeypatch):
    from gitmem.errors import ConflictError
    from gitmem.verify.session import Session

    (culprit,) = commit_lines(repo, "break it")
    verify(held)

    def refuse(*_: object) -> None:
        raise ConflictError("the branch is locked")

    monkeypatch.setattr(Session, "keep_verdicts", refuse)

    assert held.why("signs", options=RUN).found.culprit == culprit
    assert held.notices == ["what broke it is not recorded on the branch: the branch is locked"]


def test_new_failure_that_cannot_be_recorded_is_still_explained(held, repo, monkeypatch):
    from gitmem.errors import UnwritableError
    from gitmem.verify.session import Session

    (culprit,) = commit_lines(repo, "break it")

    def refuse(*_: object) -> None:
        raise UnwritableError("the disk is read-only")

    monkeypatch.setattr(Session, "keep_verdicts", refuse)

    assert held.why("signs", options=RUN).found.culprit == culprit
    assert [notice.split(" is ")[0] for notice in held.notices] == ["that it fails", "what broke it"]

    held.notices.clear()
    commit_files(repo, {"src/auth/jwt.py": 'ALGORITHM = "RS256"\n# again\n'})
    held.why("signs", options=RUN)
    assert [notice.split(" is ")[0] for notice in held.notices] == ["its verdict"]


def test_interruption_keeps_what_was_found(held, repo):
    _, culprit = commit_lines(repo, "one", "break it")
    verify(held)

    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        held.jobs.explain_failures(RUN, report=stop)  # the built-in check comes first, and no run of it is told

    assert {key: held.show(key).document["verdict"]["culprit"] for key in ("says", "signs")} == {
        "says": culprit,
        "signs": "",
    }


def test_searching_touches_nothing_of_the_users_repository(held, repo):
    commit_lines(repo, "one", "break it", "three")
    verify(held)
    (repo / "README.md").write_text("# Mine, not committed\n")
    (repo / "new.txt").write_text("mine\n")
    shutil.copy(repo / ".git/index", repo / ".git/index.before")

    def around():
        return (
            git(repo, "status", "--porcelain"),
            git(repo, "for-each-ref", "refs/heads/main"),
            git(repo, "worktree", "list"),
        )

    before = around()
    held.why("signs", options=RUN)

    assert around() == before


def test_earlier_break_that_was_fixed_is_mentioned(held, repo):
    (first,) = commit_lines(repo, "break: use EdDSA")
    verify(held)
    held.why("signs", options=RUN)
    commit_files(repo, {"src/auth/jwt.py": 'ALGORITHM = "RS256"\n'}, "mend it")
    verify(held)
    commit_lines(repo, "one")
    (second,) = commit_lines(repo, "break: again")
    verify(held)

    found = held.why("signs", options=RUN).as_table()

    assert found["culprit"]["commit"] == second
    assert found["reason"] == f"it also failed at {first[:12]} (broken by {first[:12]}), and was fixed since"


def test_commit_that_fails_for_another_reason_than_head_is_said_and_the_range_offered(held, repo):
    """Commits in between do not build, so the search finds the one that broke the build; 125 makes it skip them."""
    check = "sh build.sh && grep -qx 5 limit"
    commit_files(repo, {"build.sh": "exit 0\n", "limit": "5\n"}, "good")
    put(repo, make_fact("a", check), make_fact("b", f"sh build.sh || exit 125; {check}"))
    approve_all(held)
    verify(held)
    broken = commit_files(repo, {"build.sh": "echo 'error: no rule'; exit 2\n"}, "break the build")
    limit = commit_files(repo, {"limit": "7\n"}, "change the limit")
    commit_files(repo, {"build.sh": "exit 0\n"}, "mend the build")
    verify(held)

    plain, told = held.why("a", options=RUN), held.why("b", options=RUN)

    assert (plain.found.culprit, plain.outcome) == (broken, "found")
    assert "fails there for another reason (exit 2: error: no rule) than at HEAD (exit 1)" in plain.reason
    assert (told.outcome, limit in told.found.among, broken in told.found.among) == ("range", True, True)
