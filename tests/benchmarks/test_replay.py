"""The replay: what it says of a history whose truth is known, and of this project's own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.each import each

from benchmarks import replay
from benchmarks.history import ReplayError, list_commits, read_facts
from benchmarks.replay import Walk

pytestmark = pytest.mark.whole_system

PROJECT = Path(__file__).parents[2]
OWN_FACTS = PROJECT / "benchmarks/own-facts.jsonl"
UNSTEADY_FACTS = PROJECT / "benchmarks/unsteady-facts.jsonl"

FACTS = [
    {"key": "retries", "title": "three retries", "verify": {"contains": "RETRIES = 3", "in": "src/*.py"}},
    {"key": "no-todo", "title": "nothing left to do", "verify": {"lacks": "TODO", "in": "src/**"}},
    {"key": "readme", "title": "a README", "verify": {"exists": "README.md"}, "requires": ["retries"]},
    {"key": "starts", "title": "can be started", "verify": ["test", "-x", "run.sh"], "paths": ["run.sh"]},
    {"key": "two-files", "title": "two files", "verify": 'test "$(git ls-files src | wc -l)" -eq 2'},
    {
        "key": "via-link",
        "title": "by a link",
        "verify": "grep -q RETRIES now/app.py",
        "paths": ["now/app.py", "run.sh"],
    },
    {"key": "unix-lines", "title": "lines", "verify": "! grep -q \"$(printf '\\r')\" run.sh", "paths": ["run.sh"]},
    {"key": "no-tool", "title": "a tool nobody has", "verify": ["gitmem-no-such-tool"], "paths": ["run.sh"]},
]
# What each fact is at each commit of ``history``: holds, fails, suspect or blocked (!).
TRUTH = {
    #               start 4 3 chmod rename [branch: TODO, rest] merge crlf lf
    "retries": "HFHHHHHHHH",
    "no-todo": "HHHHHFFFFF",
    "readme": "HSHHHHHHHH",
    "starts": "HHHFFHHFFF",
    "two-files": "HHHHHFFFFF",
    "via-link": "HHHHFHHFFF",
    "unix-lines": "HHHHHHHHFH",
    "no-tool": "!!!!!!!!!!",
}
LETTERS = {"verified": "H", "failed": "F", "suspect": "S", "blocked": "!", "unproven": "?", "stale": "s"}


@pytest.fixture(autouse=True)
def _environment():
    """Put back what a replay as a program of its own may change."""
    saved = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(saved)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with breaks, a revert, a rename, a mode, a merge, a link and attributes."""
    repo = tmp_path_factory.mktemp("history")
    git(repo, "init", "-q", "-b", "main", ".")
    git(repo, "config", "user.name", "Ana")
    git(repo, "config", "user.email", "ana@example.org")
    (repo / "src").mkdir()
    (repo / "now").symlink_to("src")
    (repo / "run.sh").write_text("#!/bin/sh\n")
    (repo / "run.sh").chmod(0o755)
    commit_files(repo, {"src/app.py": "RETRIES = 3\n", "src/b.py": "", "README.md": "# It\n"}, "start")
    commit_files(repo, {"src/app.py": "RETRIES = 4\n"}, "four retries")
    git(repo, "revert", "--no-edit", "HEAD")
    git(repo, "branch", "side")
    (repo / "run.sh").chmod(0o644)
    commit_files(repo, {}, "not executable")
    git(repo, "mv", "src/app.py", "src/main.py")
    commit_files(repo, {}, "rename")
    git(repo, "checkout", "-q", "side")
    commit_files(repo, {"src/todo.py": "# TODO\n"}, "something left to do")
    commit_files(repo, {"notes.txt": "said\n"}, "notes")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-edit", "side")
    commit_files(repo, {".gitattributes": "run.sh text eol=crlf\n"}, "attributes")
    git(repo, "rm", "-q", ".gitattributes")
    commit_files(repo, {}, "no attributes")
    return repo


@pytest.fixture(scope="module")
def walked(history: Path, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """A walk over every commit of that history, the merged ones too, with one more fact: it flaps."""
    count = tmp_path_factory.mktemp("outside") / "count"
    flaps = f"n=$(cat {count} 2>/dev/null | wc -l); echo x >> {count}; test $((n % 5)) -lt 3"
    facts = [*FACTS, {"key": "flaps", "title": "fails two times of five", "verify": flaps}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        commits = list_commits(history, whole=True)
        return replay.replay(history, facts, commits, tmp_path_factory.mktemp("walk"), no_sandbox=True, why=True)


def letters(steps, key: str) -> str:
    return "".join(LETTERS[step.told[key].status] for step in steps)


@each("key", TRUTH)
def test_both_clones_tell_the_truth_at_every_commit(walked, key):
    assert letters(walked.steps, key) == TRUTH[key]
    assert letters(walked.full.values(), key) == TRUTH[key]


def test_nothing_disagrees_and_only_what_a_commit_touches_runs(walked):
    message = replay.summary(walked)

    assert (walked.differences, message["unstable"]) == ([], ["flaps"])
    assert message["compared"] == message["runs_in_full"] == 90
    # 9 at the start; then at no commit whose inputs were seen before: 21 for the three that depend on the whole tree, 4
    # each for those that read src, 2 each for those that read run.sh, 9 for the one that never learns anything, and 2
    # of failures that count again although another one came between.
    assert message["runs"] == 53


def test_every_break_is_reported_once_at_its_commit_and_nothing_else(walked):
    """Not the tool that is missing at every commit, and of the fact that flaps only that it does."""
    assert sorted(walked.alerts) == sorted(walked.breaks())
    assert replay.summary(walked)["alerts_per_catch"] == 1.0
    assert [key for _, key in walked.marks] == ["flaps"]


def test_commits_that_broke_what_fails_at_the_end_are_named(walked):
    """Also where that commit came in by a merge."""
    number = {step.commit: n for n, step in enumerate(walked.steps)}

    found = {row["key"]: number[row["culprit"]] for row in walked.culprits}

    assert found == {"no-todo": 5, "starts": 3, "two-files": 5, "via-link": 4}


def test_report_names_the_commits_at_which_a_fact_turned(walked, history):
    said = replay.report(walked, history)

    assert "disagreements  0 of 90 answers compared" in said
    broke, held = (walked.steps[n].commit[:12] for n in (1, 2))
    assert (
        f'retries: verified; failed from {broke} (four retries); verified from {held} (Revert "four retries")' in said
    )


def test_rows_carry_every_answer_forward(walked):
    """A reader of the rows, who lets the last row of a fact stand, knows every answer; runs are the rows that ran."""
    rows = list(replay.rows(walked))
    at = {(row["commit"], row["key"]): row for row in rows}

    for key in set(TRUTH) - {"no-tool"}:
        row, seen = {}, ""
        for step in walked.steps:
            row = at.get((step.commit, key), row)
            seen += "S" if row["status"] == "suspect" else row["outcome"][0].upper()
        assert seen == TRUTH[key]
    assert sum(row["ran"] for row in rows) == replay.summary(walked)["runs"]


def walk_with(repo: Path, folder: Path, verify: object, **fields: object) -> Walk:
    facts = [{"key": "it", "title": "it", "verify": verify, **fields}]
    return replay.replay(repo, facts, list_commits(repo, newest=4), folder, no_sandbox=True)


def test_fact_that_declares_too_little_is_reported(history, tmp_path):
    (tmp_path / "walk").mkdir()
    walk = walk_with(history, tmp_path / "walk", "test ! -e src/todo.py", paths=["README.md"])

    at = [step.commit for step in walk.steps]
    found = [(at.index(d.commit), d.incremental, d.full) for d in walk.disagreements()]
    # The merge brings the file; the attributes have the fact run again; without them it is as it was before the merge.
    assert found == [(1, "verified", "failed"), (3, "verified", "failed")]


def test_fact_that_does_not_answer_twice_the_same_is_unstable_and_disagrees_with_no_one(history, tmp_path):
    count = tmp_path / "count"
    (tmp_path / "walk").mkdir()
    walk = walk_with(history, tmp_path / "walk", f"echo x >> {count}; test $(($(wc -l < {count}) % 5)) -ne 0")

    assert walk.unstable == {"it"}
    assert walk.disagreements() == []
    assert walk.alerts == []


def test_facts_about_this_project_hold_at_its_newest_commit(tmp_path):
    try:
        commits = list_commits(PROJECT, newest=1)
    except ReplayError as err:
        pytest.skip(f"no history to replay: {err}")
    facts = read_facts(OWN_FACTS)
    assert len(read_facts(OWN_FACTS, UNSTEADY_FACTS)) - len(facts) >= len(facts) // 10

    walk = replay.replay(PROJECT, facts, commits, tmp_path, full_every=0, no_sandbox=True)

    assert len(facts) >= 30
    assert set(replay.summary(walk)["forms"]) == {"built-in", "shell", "program"}
    assert {key: message.status for key, message in walk.steps[-1].told.items() if message.status != "verified"} == {}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "no fact in it"),
        ("{", "facts.jsonl"),
        ('{"key": "a", "title": "A"}', "needs key, title and verify"),
        ('{"key": "../a", "title": "A", "verify": "x"}', "small letters"),
        ('{"key": "a", "title": "A", "verify": "x"}\n' * 2, "a is there twice"),
        ('{"key": "a", "title": "A", "verify": {"exists": 7}}', "not taken as facts: a"),
    ],
    ids=["empty", "no-json", "no-check", "key", "twice", "no-fact"],
)
def test_facts_that_cannot_be_used_are_refused(history, tmp_path, lines, said, capsys):
    (tmp_path / "facts.jsonl").write_text(lines)

    assert replay.main([str(history), str(tmp_path / "facts.jsonl"), "--newest", "1"]) == 2
    assert said in capsys.readouterr().err


def test_without_a_whole_history_it_says_so(history, tmp_path, capsys):
    (tmp_path / "facts.jsonl").write_text(json.dumps(FACTS[0]))
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{history}", "shallow")
    (tmp_path / "none").mkdir()

    for folder, said in (("shallow", "is a shallow clone"), ("none", "not a git repository"), ("gone", "gone")):
        assert replay.main([str(tmp_path / folder), str(tmp_path / "facts.jsonl")]) == 3
        assert said in capsys.readouterr().err


def test_command_line_walks_and_leaves_nothing(history, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "of-a-hook"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "facts.jsonl").write_text(json.dumps(FACTS[0]))
    before = (
        git(history, "for-each-ref"),
        git(history, "status", "--porcelain"),
        git(history, "config", "-l", "--local"),
    )

    options = ["--from", "main~3", "--every", "2", "--full-every", "0", "--json", "--results", str(tmp_path / "rows")]
    status = replay.main([str(history), str(tmp_path / "facts.jsonl"), *options])

    message = json.loads(capsys.readouterr().out)
    assert (status, message["commits"], message["compared"], message["seconds_per_commit_in_full"]) == (0, 3, 0, None)
    assert json.loads((tmp_path / "rows").read_text().splitlines()[0])["ran"] is True
    assert list((tmp_path / "tmp").iterdir()) == []
    after = git(history, "for-each-ref"), git(history, "status", "--porcelain"), git(history, "config", "-l", "--local")
    assert after == before
