"""``gitmem board``: the story of one run on the command line, with exit statuses, pipes and JSON."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def board(memory, run_cli):
    """Return a function that runs a verb on the board of one run, which is open."""
    run_cli("board", "open", "audit-7", "--goal", "Find out why requests time out")
    return lambda verb, *words: run_cli("board", verb, "audit-7", *words)


def test_run_from_its_first_entry_to_its_memories(board, run_cli, memory, tmp_path):
    report = tmp_path / "report.md"
    source = ("--source-ref", "src/gateway/retry.py:1", "--confidence", "0.9")
    first = board("post", "The pool leaks one connection per timeout", "--must-surface", *source)
    assert (first.status, first.out) == (0, "e2\n")
    assert board("post", "p95 is 840 ms", "--type", "calculation", "--supports", "e2", "--worker", "W 2").out == "e3\n"
    assert board("signal", "Does it happen with TLS?", "--severity", "critical").out == "s1\n"
    assert board("signal", "Who wrote it?", "--severity", "low").out == "s2\n"

    shut = board("gate")
    assert (shut.status, shut.out) == (1, "s1  critical, open  Does it happen with TLS?\n")
    refused = board("close")
    assert (refused.status, "open signals of severity critical or high: s1" in refused.err) == (1, True)
    report.write_text("All is well.")
    missing = board("survival", "--report", str(report), "--json")
    assert missing.status == 1
    assert sorted(one["name"] for one in json.loads(missing.out)["missing"]) == ["e2", "s1", "s2"]

    assert board("answer", "s1", "Yes, with TLS as well", "--evidence", "2 failed").out == "e4\n"
    assert board("waive", "s2", "--reason", "the author left").out == "e5\n"
    assert board("gate").status == 0
    report.write_text("The pool leaks one connection for each timeout. Nobody knows who wrote it.")
    assert board("survival", "--report", str(report)).status == 0

    done = board("close", "--json")
    memories = json.loads(done.out)["memories"]
    assert (done.status, len(memories)) == (0, 3)
    leak = memory.show(next(one["key"] for one in memories if "pool-leaks" in one["key"]))
    assert leak.frontmatter["refs"] == ["src/gateway/retry.py:1", "run audit-7"]
    assert json.loads(board("close", "--json").out)["memories"][0]["written"] is False
    assert board("post", "late").status == 1
    assert (run_cli("board").status, run_cli("board", "list", "--all").out.split("\t")[:3]) == (
        1,
        ["audit-7", "closed", "8"],
    )
    assert len(board("export").out.splitlines()) == 8


def test_open_continues_an_existing_board(board, run_cli):
    board("post", "found")

    again = run_cli("board", "open", "audit-7", "--json")

    assert (again.status, json.loads(again.out)["new"], json.loads(again.out)["entries"]) == (0, False, 2)


def test_posting_an_entry_again_names_it_and_writes_nothing(board):
    board("post", "found")

    again = board("post", "found", "--json")

    assert (json.loads(again.out)["name"], json.loads(again.out)["new"]) == ("e2", False)


def test_show_prints_a_row_for_each_entry_and_one_in_full(board):
    board("post", "Retries are\noff", "--evidence", "RETRIES=0", "--worker", "w1")
    board("post", "Retries are on", "--contradicts", "e2", "--worker", "w2")
    board("link", "e3", "--supersedes", "e2")

    rows = board("show", "--worker", "w2").out
    assert rows == "e3\tobservation\tw2\t\t\tRetries are on\tcontradicts e2\n"
    assert "e2\tobservation\tw1\t\tsuperseded\tRetries are off\t" in board("show", "--all").out
    assert "Retries are\noff\nevidence:\nRETRIES=0\n" in board("show", "e2").out
    assert json.loads(board("show", "e3", "--json").out)["links"] == {"contradicts": ["e2"]}
    assert board("show", "--type", "gap").status == 1


def test_invalid_entry_is_refused(board):
    board("signal", "Why?")
    for words, status, said in (
        (("post", "token ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"), 2, "it seems to contain a secret"),
        (("post", "hid\u202eden"), 2, "RIGHT-TO-LEFT OVERRIDE"),
        (("post", "fine", "--evidence", "\x1b[31m"), 2, "control character"),
        (("post", "fine", "--supports", "e9"), 1, "has no entry e9"),
        (("post", "fine", "--supersedes", "s1"), 2, "s1 is a signal: answer or waive it"),
        (("post", "fine", "--addresses", "e1"), 2, "e1 is not a signal"),
        (("post", "fine", "--confidence", "7"), 2, "confidence must be from 0 to 1"),
        (("post", "x" * 9000), 2, "at most 8000 characters"),
        (("waive", "s1", "--why", " "), 2, "needs a reason"),
        (("link", "e1"), 2, "say how the entries relate"),
        (("close", "--force"), 2, "--force requires --why"),
        (("survival", "--report", "nowhere.md"), 1, "there is no file nowhere.md"),
    ):
        done = board(*words)

        assert (done.status, said in done.err, done.out) == (status, True, "")


def test_terminal_gets_no_control_characters_of_entries(board, repo):
    from conftest import NOW, put_files

    from gitmem.plugins.board.entry import Entry, format_entry, id_of, path_of

    bad = Entry("observation", "red \x1b[31m\u202e alert", "w9", "Mal\x07lory", NOW, {})
    put_files(repo, {path_of("e", 2, id_of(bad)): format_entry(bad)}, ref="refs/gitmem/runs/audit-7")

    for done in (board("show"), board("show", "e2"), board("export"), board("show", "--json")):
        assert done.status == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(done.out + done.err)


def test_board_kinds_are_refused_in_the_memory(memory, run_cli):
    done = run_cli("remember", "Is it TLS?", "--kind", "signal")

    assert (done.status, done.out) == (2, "")
    assert "a signal belongs on the board of its run" in done.err
    assert 'gitmem board signal RUN "…"' in done.err
    assert run_cli("remember", "It is TLS", "--kind", "analysis").status == 2


def test_sync_brings_boards_on_request(board, memory, run_cli, repo, tmp_path):
    from conftest import git

    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "remote.git"))

    assert "board" not in run_cli("sync").out
    done = run_cli("sync", "--boards", "--json")

    assert json.loads(done.out)["boards"] == [{"run": "audit-7", "received": 0, "sent": True, "problem": ""}]
    assert run_cli("sync", "--boards", "--dry-run").status == 2
