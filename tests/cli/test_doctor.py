"""``gitmem doctor``: what it finds, and what is documented of its JSON."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import put_files

from gitmem.store.state.spool import Spool


def test_well_formed_store_exits_with_0(run_cli) -> None:
    run_cli("init")

    done = run_cli("doctor")

    assert (done.status, done.out.split("\n")[-2]) == (0, "the store is well formed")


def test_each_problem_is_reported_with_its_code_and_hint(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(
        repo,
        {
            "learned/a.md": "---\ntitle: a\nkind: learned\nrequires: [nosuch]\n---\n",
            "learned/b.md": "---\ntitle: b\ntitle: c\n---\n",
            "Learned/c.md": "---\ntitle: c\n---\n",
        },
    )

    done, found = run_cli("doctor"), json.loads(run_cli("doctor", "--json").out)

    problems = found["problems"]
    assert done.status == 1
    assert [{"key", "path", "code", "message", "hint"} - set(problem) for problem in problems] == [set()] * 4
    assert [(problem["path"], problem["severity"]) for problem in problems] == [
        ("Learned/c.md", "error"),
        ("learned/b.md", "error"),
        ("refs/heads/memory", "error"),
        ("learned/a.md", "warning"),
    ]
    assert all(f"{problem['code']}  {problem['path']}: {problem['message']}\n" in done.out for problem in problems)
    assert done.out.endswith("3 problems, 1 warning\n")


def test_hint_for_an_unreadable_memory_is_a_command_that_replaces_it(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(repo, {"learned/b.md": "---\ntitle: b\ntitle: c\n---\n"})
    (hint,) = (problem["hint"] for problem in json.loads(run_cli("doctor", "--json").out)["problems"])
    command = hint.removesuffix(" replaces it").removeprefix("gitmem ")

    assert run_cli(*command.split(" ")).status == 0

    assert (run_cli("doctor").status, "TEXT" in run_cli("show", "b").out) == (0, True)


def test_foreign_file_is_deleted_by_name_only(run_cli, repo: Path) -> None:
    run_cli("init")
    put_files(repo, {"learned/UPPER.md": "---\ntitle: c\n---\n"})

    fixed, wrong = run_cli("doctor", "--fix"), run_cli("doctor", "--delete", "STATUS.md")
    done = run_cli("doctor", "--delete", "learned/UPPER.md")

    assert (fixed.status, "fixed" in fixed.out, wrong.status) == (1, False, 1)
    assert "STATUS.md: the branch has no entry of this name outside its store" in wrong.err
    assert "fixed deleted 'learned/UPPER.md' from the branch" in done.out
    assert (done.status, run_cli("doctor").status) == (0, 0)


def test_status_without_a_memory_says_how_to_start_one(run_cli) -> None:
    done = run_cli("doctor")

    assert done.status == 1
    assert "there is no memory in this repository yet\n    gitmem init\n" in done.out


def test_refused_texts_are_listed_accepted_and_dropped(run_cli, repo: Path) -> None:
    run_cli("init")
    spool = Spool(repo / ".git" / "gitmem")
    for text in ("The pool holds five connections", "A text that is of no use"):
        spool.note_refused("learnings of codex: only 5 per text are captured", {"text": text, "kind": "learned"})
    first, second = (one["name"] for one in json.loads(run_cli("doctor", "--captured", "--json").out)["captured"])

    listed = run_cli("doctor", "--captured")
    done = run_cli("doctor", "--captured", "--accept", first, "--drop", second)

    assert f"{first}  learned  learnings of codex: only 5 per text are captured\n    The pool holds" in listed.out
    assert done.out == "accepted 1, dropped 1\n"
    assert "The pool holds five connections" in run_cli("list").out
    assert run_cli("doctor", "--captured").out == "no captured text is waiting for a decision\n"
