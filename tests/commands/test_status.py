"""The status of a store, what a session must know about it, and the files being worked on."""

from __future__ import annotations

import json

import pytest
from conftest import CODE, NOW, commit_files, git, put_files, tip
from support.facts import DAY, Clock, approve_all, make_fact, make_memory, put, verify

from gitmem.commands.context.working_on import WORKING_LIMIT, notices, working_set
from gitmem.memory import Memory
from gitmem.system import process

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}
NONE = {"exists": "nothing"}


# --- the counts ----------------------------------------------------------------------------------------------------


def test_status_of_an_empty_store_is_all_zero(memory, repo):
    found = memory.status().document

    assert (found["memories"], found["kinds"], found["failed"], found["suspect"], found["waiting"]) == (
        0,
        {},
        [],
        [],
        [],
    )
    assert set(found["statuses"].values()) == {0}
    assert (found["branch"], found["commit"], found["verified_at"], found["verified_age_s"]) == (
        "memory",
        tip(repo),
        "",
        None,
    )
    assert found["index"] == {"commit": tip(repo), "is_current": True}


def test_status_counts_by_kind_and_status_and_says_how_old_the_verdicts_are(memory, repo):
    put(
        repo,
        make_fact("a", NONE, title="It failed", by={"who": "Ana"}),
        make_fact("b", RS256, requires=["a"]),
        make_fact("c", RS256),
        make_fact("d", "make"),
        make_memory("e", "E"),
        make_memory("f", "F", kind="convention"),
    )
    put_files(repo, {"facts/broken.md": "nonsense"})
    memory.forget("f")
    with Memory(repo, clock=Clock()) as opened:
        verify(opened)
    with Memory(repo, clock=Clock(NOW + 5)) as opened:
        found = opened.status().document

    assert (found["memories"], found["kinds"]) == (5, {"fact": 4, "gotcha": 1})
    assert found["statuses"] == {"failed": 1, "suspect": 1, "blocked": 0, "unproven": 1, "stale": 0, "verified": 1}
    assert found["failed"] == [
        {
            "key": "a",
            "short_id": found["failed"][0]["short_id"],
            "title": "It failed",
            "because": "nothing does not exist",
            "by": "Ana",
            "culprit": "",
            "culprit_after": "",
            "path": "facts/a.md",
            "chain": [],
            "broken": "",
            "refs": [],
        }
    ]
    assert all(4 <= len(line["short_id"]) <= 6 for line in (*found["failed"], *found["suspect"]))
    assert [(line["key"], line["because"]) for line in found["suspect"]] == [("b", "rests on a")]
    assert (found["waiting"], found["problems"], found["archived"]) == (["d"], 1, 1)
    assert (found["verified_at"], found["verified_age_s"]) == ("2026-09-21T14:13:20Z", 5)


def test_verdict_that_only_this_clone_has_counts_as_a_verification(memory, repo):
    put(repo, make_fact("a", RS256))
    git(repo, "checkout", "-q", "-b", "feature")

    verify(memory)

    assert memory.status().document["verified_at"] == "2026-09-21T14:13:20Z"
    assert notices(memory.repository.catalog()) == []


def test_status_of_a_clone_before_init_is_that_of_the_remote_branch(memory, repo, tmp_path):
    put(repo, make_fact("a", RS256))
    git(tmp_path, "clone", "-q", str(repo), "clone")

    with Memory(tmp_path / "clone") as clone:
        found = clone.status().document

    assert (found["branch"], found["commit"], found["memories"]) == ("memory of the remote", tip(repo), 1)


def test_status_exits_1_when_a_fact_failed_and_0_when_all_is_well(memory, repo, run_cli):
    put(repo, make_fact("a", RS256))
    run_cli("verify")
    well = run_cli("status", "--json")
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    run_cli("verify")

    bad = run_cli("status", "--json")

    assert (well.status, bad.status) == (0, 1)
    assert json.loads(bad.out)["statuses"]["failed"] == 1


def test_status_runs_no_command(memory, repo, tmp_path):
    marker = tmp_path / "it-ran"
    put(repo, make_fact("a", f"touch {marker}"))
    approve_all(memory)

    memory.status()

    assert not marker.exists()


# --- notices -------------------------------------------------------------------------------------------------------


def test_session_context_begins_with_unreadable_files(memory, repo):
    put(repo, make_fact("a", RS256), {"facts/x.md": "nonsense"}, {"facts/y.md": "nonsense"})

    assert notices(memory.repository.catalog()) == [
        "2 files of the store cannot be read: gitmem doctor",
        "no fact has been verified yet: gitmem verify",
    ]


def test_session_context_has_no_warning_if_all_is_well(memory, repo):
    put(repo, make_fact("a", RS256), make_memory("b", "B"))
    verify(memory)

    assert notices(memory.repository.catalog()) == []


# --- what is being worked on ---------------------------------------------------------------------------------------


def test_nothing_is_worked_on_in_a_clean_work_tree(memory):
    assert working_set(memory.repository.git, "refs/heads/main") == []


def test_changed_and_staged_files_with_any_name_are_found(memory, repo):
    commit_files(repo, {'a b/ü "q".py': "x\n", "gone.py": "x\n"})
    (repo / 'a b/ü "q".py').write_text("changed\n", encoding="utf-8")
    (repo / "gone.py").unlink()
    (repo / "staged\n.py").write_text("x\n", encoding="utf-8")
    git(repo, "add", "--", "staged\n.py")

    assert working_set(memory.repository.git, "refs/heads/main") == ['a b/ü "q".py', "gone.py", "staged\n.py"]


def test_renamed_file_is_worked_on_under_both_names(memory, repo):
    git(repo, "mv", "README.md", "LIESMICH.md")

    assert sorted(working_set(memory.repository.git, "refs/heads/main")) == ["LIESMICH.md", "README.md"]


def test_files_of_the_branch_are_worked_on_after_those_of_the_work_tree(memory, repo):
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"src/new.py": "x\n"})
    (repo / "README.md").write_text("changed\n", encoding="utf-8")

    assert working_set(memory.repository.git, "refs/heads/main") == ["README.md", "src/new.py"]
    assert working_set(memory.repository.git, "") == ["README.md"]


def test_clean_default_branch_takes_one_process_and_another_branch_takes_two(memory, repo, monkeypatch):
    asked = []
    run = process.run
    monkeypatch.setattr(process, "run", lambda argv, **more: (asked.append(argv), run(argv, **more))[1])
    working_set(memory.repository.git, "refs/heads/main")
    here, asked[:] = [argv[-5] for argv in asked], []
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {"src/new.py": "x\n"})

    assert working_set(memory.repository.git, "refs/heads/main") == ["src/new.py"]
    assert (here, len(asked)) == (["status"], 2)


@pytest.mark.parametrize("where", ["repository", "person", "included"])
def test_git_filter_is_never_run(memory, repo, tmp_path, monkeypatch, where):
    commit_files(repo, {".gitattributes": "*.md filter=odd\n"})
    marker, home = tmp_path / "it-ran", tmp_path / "own-home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    files = {"repository": repo / ".git/config", "person": home / ".gitconfig", "included": tmp_path / "more"}
    if where == "included":
        git(repo, "config", "include.path", str(files[where]))
    git(repo, "config", "--file", str(files[where]), "filter.odd.clean", f"touch {marker}; cat")
    (repo / "README.md").write_text("changed\n", encoding="utf-8")

    assert working_set(memory.repository.git, "refs/heads/main") == ["README.md"]
    assert not marker.exists()
    assert memory.repository.git.may_be_set("filter")


def test_number_of_changed_files_is_limited(memory, repo):
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {f"many/{n}.py": "x\n" for n in range(WORKING_LIMIT + 50)})

    assert len(working_set(memory.repository.git, "refs/heads/main")) == WORKING_LIMIT


def test_broken_index_or_unborn_head_does_not_fail(memory, repo):
    (repo / ".git/index").write_bytes(b"nonsense")
    broken = working_set(memory.repository.git, "refs/heads/main")
    (repo / ".git/index").unlink()
    git(repo, "reset", "-q")
    git(repo, "checkout", "-q", "--orphan", "empty")
    unborn = working_set(memory.repository.git, "refs/heads/main")

    assert (broken, sorted(unborn)) == ([], sorted(CODE))


def test_bare_repository_has_nothing_that_is_worked_on(memory, repo, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")

    with Memory(tmp_path / "bare.git") as bare:
        assert working_set(bare.repository.git, "refs/heads/main") == []


@pytest.mark.parametrize(
    "setting",
    [
        ("core.fsmonitor", "{marker}"),
        ("diff.external", "{marker}"),
        ("core.pager", "{marker}"),
        ("status.color", "always"),
    ],
)
def test_reading_the_work_tree_runs_no_command_from_git_settings(memory, repo, tmp_path, setting):
    marker = tmp_path / "it-ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\n", encoding="utf-8")
    program.chmod(0o755)
    git(repo, "config", setting[0], setting[1].format(marker=program))
    (repo / "README.md").write_text("changed\n", encoding="utf-8")

    assert working_set(memory.repository.git, "refs/heads/main") == ["README.md"]
    assert not marker.exists()


def test_age_of_the_last_verification_is_never_negative(memory, repo):
    put(repo, make_fact("a", RS256))
    with Memory(repo, clock=Clock(NOW + DAY)) as ahead:
        verify(ahead)

    assert memory.status().document["verified_age_s"] == 0
