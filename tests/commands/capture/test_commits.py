"""Learnings in commit messages."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, git
from support.branch import fields_of, memory_files
from support.each import each

from gitmem.commands.capture.commits import AT_MOST, parse_learnt

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@each(
    ("message", "learnt"),
    [
        ("fix\n\nLearned: the gateway drops\n  idle connections\n\nmore\n", ["the gateway drops idle connections"]),
        ("LEARNED: one\nLearning: two\nlearnt:three\nSigned-off-by: A\n", ["one", "two", "three"]),
        ("Learned: one\r\nLearned: one\r\n", ["one"]),
        ("I learned: nothing\n  Learned: indented\nunlearned: x\nLearned:\n", []),
        ("Learned:\n  on the next line\n", ["on the next line"]),
    ],
)
def test_lines_that_say_what_was_learnt_are_found(message: str, learnt: list[str]) -> None:
    assert parse_learnt(message) == learnt


def test_learning_of_a_commit_names_the_commit_and_the_files_it_touched(memory, repo: Path) -> None:
    files = {"src/gateway/retry.py": "RETRIES = 4\n", "src/gateway/odd[1].py": "", "docs/naïve.md": "x\n"}
    commit = commit_files(repo, files, "raise\n\nLearned: retries hide the timeout of the gateway")

    learnt = memory.captures.add_commits([commit])
    memory.captures.drain()

    fields = fields_of(repo, "learned/retries-hide-the-timeout-of-the-gateway.md")
    assert (learnt.kept, learnt.refused) == (1, ())
    assert fields["refs"] == [f"commit:{commit}"]
    assert fields["paths"] == ["docs/naïve.md", "src/gateway/retry.py"]


def test_many_files_are_reported_by_their_folders(memory, repo: Path) -> None:
    files = {f"src/{part}/deep/er/f{n}.py": "" for part in ("a", "b") for n in range(9)}
    commit = commit_files(repo, files, "move\n\nLearned: everything moved below src")

    memory.captures.add_commits([commit])
    memory.captures.drain()

    assert fields_of(repo, "learned/everything-moved-below-src.md")["paths"] == [
        "src/a/deep/**",
        "src/b/deep/**",
    ]


def test_rewritten_commit_says_nothing_new(memory, repo: Path) -> None:
    message = "x\n\nLearned: retries hide the timeout"
    memory.captures.add_commits([commit_files(repo, {"a": "1"}, message)])
    memory.captures.drain()
    git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", message + " \nmore")

    memory.captures.add_commits([git(repo, "rev-parse", "HEAD")])
    memory.captures.drain()

    assert "learned/retries-hide-the-timeout.md" in memory_files(repo)
    assert not any(path.startswith("archive/") for path in memory_files(repo))


def test_secrets_empty_words_and_too_many_are_left_out_and_reported(memory, repo: Path) -> None:
    many = "".join(f"Learned: thing number {n}\n" for n in range(AT_MOST))
    first = commit_files(repo, {"a": "1"}, f"x\n\nLearned: ok\nLearned: it is {SECRET}\n")
    second = commit_files(repo, {"a": "2"}, f"x\n\n{many}Learned: one too many\n")

    learnt = memory.captures.add_commits([first, second, "not-a-commit", "--output=x"])

    assert learnt.kept == AT_MOST
    assert [why.split(": ", 1)[0] for why in learnt.refused] == [first[:12], first[:12], second[:12]]
    assert SECRET not in "".join(learnt.refused)
