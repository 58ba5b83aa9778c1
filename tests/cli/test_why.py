"""``gitmem why`` and ``gitmem verify --why``: what is printed, as text and as JSON, and the exit status."""

from __future__ import annotations

import json

import pytest
from conftest import commit_files, git
from support.facts import approve_all, make_fact, put, verify

from gitmem import cli
from gitmem.cli.output import Output
from gitmem.cli.why import STATUS
from gitmem.verify.blame import bisect


@pytest.fixture
def broken(memory, repo):
    """A fact that fails, broken by the second of three commits; returns them."""
    put(
        repo,
        make_fact("signs", "grep -q RS256 src/auth/jwt.py", paths=["src/auth/**"]),
        make_fact("holds", {"exists": "README.md"}),
    )
    approve_all(memory)
    verify(memory)
    texts = ("RS256 # one\n", "EdDSA \x1b]52;c;eA==\x07\n", "EdDSA # three\n")
    commits = [commit_files(repo, {"src/auth/jwt.py": text}, f"commit {n}") for n, text in enumerate(texts, 1)]
    verify(memory)
    return commits


def test_culprit_is_printed_with_who_when_and_how(broken, run_cli):
    ran = run_cli("why", "sig", "--no-sandbox")

    lines = ran.out.split("\n")
    assert ran.status == 0
    assert lines[0] == f"✗ signs  broken by {broken[1][:12]}  commit 2 (Ana)"
    assert lines[1:3] == ["  author: Ana <ana@example.org>", "  date:   2026-09-21T14:13:20+00:00"]
    assert lines[3].startswith(f"  before: {broken[0][:12]}, where it holds (ran ")
    assert lines[4].startswith(f"  after:  {broken[1][:12]}, where it fails (ran ")
    assert "  3 commits changed what the check reads; the check ran " in ran.out
    assert "-RS256 # one" in lines
    assert "\x1b" not in ran.out
    assert "WITHOUT a sandbox" in ran.err


def test_json_has_the_documented_fields(broken, run_cli):
    ran = run_cli("why", "signs", "--no-sandbox", "--json", "--no-diff")

    found = json.loads(ran.out)
    assert (ran.status, found["key"], found["outcome"], found["diff"]) == (0, "signs", "found", "")
    assert found["culprit"] == {
        "commit": broken[1], "author": "Ana <ana@example.org>", "date": "2026-09-21T14:13:20+00:00",
        "subject": "commit 2",
    }  # fmt: skip
    assert found["range"]["number"] == 1
    assert (found["range"]["good"]["commit"], found["range"]["bad"]["commit"]) == (broken[0], broken[1])
    assert found["runs"] <= 4


def test_fact_that_does_not_fail_exits_with_0_and_unknown_key_with_1(broken, run_cli):
    holds, missing = run_cli("why", "holds"), run_cli("why", "nothing-like-it")

    assert (holds.status, missing.status) == (0, 1)
    assert "holds: holds  there is no failure to explain at this commit" in holds.out


def test_unapproved_command_exits_with_3_and_says_how_to_approve_it(broken, run_cli, repo, memory):
    put(repo, make_fact("waits", "test -e nothing"))

    ran = run_cli("why", "waits", "--no-sandbox")

    assert (ran.status, "gitmem trust waits" in ran.err) == (3, True)


def test_undetermined_culprit_exits_with_3():
    assert {name for name in (bisect.FOUND, bisect.RANGE, bisect.NEVER, bisect.FLAPPING, bisect.UNKNOWN) if
            STATUS.get(name, 3) == 3} == {bisect.RANGE, bisect.FLAPPING, bisect.UNKNOWN}  # fmt: skip


def test_verify_why_finds_the_culprit_and_every_command_shows_it(broken, run_cli, tmp_path):
    asked = run_cli("verify", "--why", "--no-sandbox", "--report", f"markdown={tmp_path}/report.md")
    again = run_cli("verify", "--why", "--no-sandbox", "--json")
    shown = [run_cli(*words).out for words in (("show", "signs"), ("status",), ("context",), ("verify",))]

    message = f"broken by {broken[1][:12]} (Ana: commit 2)"
    assert asked.status == 1
    assert f"✗ signs  still fails — exit 1, {message}\n" in asked.out
    assert f"broken by `{broken[1][:12]}`" in (tmp_path / "report.md").read_text()
    assert json.loads(again.out)["explained"] == []
    assert all(message in out for out in shown)


def test_work_tree_has_no_commit_that_broke_it(broken, run_cli):
    assert run_cli("verify", "--dirty", "--why").status == 2


def test_diff_is_coloured_on_a_terminal_only_and_has_no_control_characters(broken, repo, monkeypatch, capsys):
    coloured = Output.set_color
    monkeypatch.chdir(repo)
    monkeypatch.setattr(Output, "set_color", lambda self, _: coloured(self, "always"))

    cli.main(["why", "signs", "--no-sandbox"])

    out = capsys.readouterr().out
    assert "\x1b[1;31m-RS256 # one\x1b[0m" in out
    assert "\x1b]52" not in out


def test_diff_shows_tabs_as_blanks(repo, memory, run_cli):
    commit_files(repo, {"Makefile": "test:\n\tpytest\n"}, "Makefile")
    put(repo, make_fact("tests", {"contains": "\tpytest", "in": "Makefile"}))
    verify(memory)
    commit_files(repo, {"Makefile": "test:\n\ttox\n"}, "tox")
    verify(memory)

    assert "+       tox" in run_cli("why", "tests").out.split("\n")


def test_range_names_every_commit_that_it_may_be(memory, repo, run_cli):
    put(repo, make_fact("a", "test ! -e cannot || exit 127; grep -q RS256 src/auth/jwt.py", paths=["src/**", "cannot"]))
    approve_all(memory)
    verify(memory)
    good = git(repo, "rev-parse", "HEAD")
    first = commit_files(repo, {"cannot": "1\n", "src/auth/jwt.py": "no\n"}, "cannot be checked")
    (repo / "cannot").unlink()
    last = commit_files(repo, {}, "can be checked")
    verify(memory)

    ran = run_cli("why", "a", "--no-sandbox")

    assert ran.status == 3
    assert f"broken by one of 2 commits, at the latest {last[:12]}  can be checked (Ana)" in ran.out
    assert f"    {first[:12]}  cannot be checked (Ana)" in ran.out
    assert f"before: {good[:12]}, where it holds" in ran.out
