"""References to lines of the code: anchored when written, found again when moved, stale when changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git
from support.facts import make_memory, put, tree_of

from gitmem.document.anchors import parse_anchor
from gitmem.errors import RefusedError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.model import STALE
from gitmem.plugins.workflow.step import WorkflowStep
from gitmem.verify.references import anchors_for, reference_states

CODE = "import jwt\n\n\ndef sign_with_a_private_key(claims):\n    return jwt.encode(claims, KEY)\n"
REF = "src/sign.py:4-5"
PATTERN = "One helper signs every token, so that the algorithm and the key are chosen in one place only. " * 5


@pytest.fixture
def pattern(memory: Memory, repo: Path) -> str:
    """Return the key of a memory that refers to lines."""
    commit_files(repo, {"src/sign.py": CODE})
    return memory.remember("Sign tokens with a private key", kind="code_pattern", refs=[REF]).key


def states(repo: Path, memory: Memory, key: str) -> list[tuple[str, str]]:
    return [(one["state"], one["place"]) for one in memory.show(key).document["references"]]


def test_lines_that_moved_within_their_file_are_found(memory: Memory, repo: Path, pattern: str) -> None:
    commit_files(repo, {"src/sign.py": f"# one more line\n{CODE}"})

    assert states(repo, memory, pattern) == [("moved", "src/sign.py:5-6")]
    assert memory.show(pattern).status == ""


def test_lines_that_moved_to_another_file_are_found(memory: Memory, repo: Path, pattern: str) -> None:
    git(repo, "rm", "-q", "src/sign.py")
    commit_files(repo, {"lib/tokens.py": f"x = 1\n{CODE}"})

    assert states(repo, memory, pattern) == [("moved", "lib/tokens.py:5-6")]


def test_changed_lines_make_a_memory_stale_and_are_shown(memory: Memory, repo: Path, pattern: str) -> None:
    commit_files(repo, {"src/sign.py": CODE.replace("KEY", "SECRET")})

    shown = memory.show(pattern)

    assert shown.status == STALE
    (reference,) = shown.document["references"]
    assert reference["diff"] == "-    return jwt.encode(claims, KEY)\n+    return jwt.encode(claims, SECRET)"
    assert memory.status().document["statuses"][STALE] == 1


def test_reference_that_is_written_again_is_proved_again(memory: Memory, repo: Path, pattern: str) -> None:
    commit_files(repo, {"src/sign.py": CODE.replace("KEY", "SECRET")})

    memory.edit(pattern, fields={"refs": [REF]})

    assert memory.show(pattern).status == ""


def test_reference_to_a_missing_file_is_refused_with_the_file_that_was_meant(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"src/sign.py": CODE})

    with pytest.raises(RefusedError, match="does not exist") as refused:
        memory.remember("Sign tokens", refs=["source/sign.py:4-5"])

    assert refused.value.hint == "did you mean --ref src/sign.py:4-5?"


def test_file_that_is_not_committed_yet_is_accepted_without_an_anchor(memory: Memory, repo: Path) -> None:
    (repo / "new.py").write_text("x = 1\n", encoding="utf-8")

    key = memory.remember("A new module", refs=["new.py:1", "https://example.org:80", "run:12"]).key

    assert "anchors" not in memory.show(key).frontmatter


@pytest.mark.parametrize(
    ("ref", "message", "hint"),
    [
        ("src/sign.py:6", "which has 5 lines", "did you mean --ref src/sign.py:5?"),
        ("src/sign.py:4-99", "which has 5 lines", "did you mean --ref src/sign.py:4-5?"),
        ("new.py:2", "which has 1 line$", "did you mean --ref new.py:1?"),
        ("empty.py:1", "which is empty", "--ref empty.py names the file"),
    ],
)
def test_reference_past_the_end_of_a_file_is_refused_at_every_door(memory, repo, run_cli, ref, message, hint) -> None:
    commit_files(repo, {"src/sign.py": CODE, "empty.py": ""})
    (repo / "new.py").write_text("x = 1", encoding="utf-8")
    old = memory.remember("Another one", refs=["src/sign.py:1"]).key
    doors = {
        "remember": lambda: memory.remember("Sign tokens", refs=[ref]),
        "fact": lambda: memory.fact("Tokens are signed", contains="jwt", within="src/sign.py", refs=[ref]),
        "edit": lambda: memory.edit(old, fields={"refs": [ref]}),
        "pattern": lambda: memory.workflow.post_work(PATTERN, WorkflowStep(), refs=[ref]),
    }
    before = git(repo, "rev-parse", "memory")

    for name, write in doors.items():
        with pytest.raises(RefusedError, match=message) as refused:
            write()
        assert refused.value.hint == hint, name
    for words in (("remember", "x y z"), ("edit", old), ("fact", "x y z", "--contains", "jwt", "--in", "src/sign.py")):
        shown = run_cli(*words, "--ref", ref)
        assert (shown.status, message.rstrip("$") in shown.err) == (2, True), words
    assert git(repo, "rev-parse", "memory") == before


def test_lines_that_only_the_work_tree_has_are_accepted(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"src/sign.py": CODE})
    (repo / "src/sign.py").write_text(f"{CODE}\n\nMORE = 1\n", encoding="utf-8")

    assert memory.remember("There is more", refs=["src/sign.py:8"]).key


def test_reference_past_the_end_that_was_written_without_a_proof_makes_a_memory_stale(memory, repo, run_cli) -> None:
    commit_files(repo, {"src/sign.py": CODE})
    put(
        repo,
        make_memory("wrong", "Sign tokens", refs=["src/sign.py:9-12", "src/gone.py:3"]),
        make_memory("fine", "x", refs=[REF]),
    )

    shown = memory.show("wrong")

    assert (shown.status, memory.show("fine").status) == (STALE, "")
    assert shown.document["stale"] == "src/sign.py:9-12 is past the end: src/sign.py has 5 lines"
    assert "src/sign.py:9-12 is past the end: src/sign.py has 5 lines" in run_cli("show", "wrong").out
    assert "wrong" in run_cli("list", "--status", "stale").out
    assert "wrong" not in run_cli("recall", "--strict", "Sign tokens").out
    assert "1 memory refers to lines of code that have moved or changed" in run_cli("status").out
    warning = "STALE: Sign tokens (src/sign.py:9-12, src/gone.py:3) — the lines of code that it refers to have changed"
    assert warning in run_cli("context").out
    assert "src/sign.py:9-12 is past the end" in run_cli("curate", "refs").out
    commit_files(repo, {"src/sign.py": CODE * 3})
    assert memory.show("wrong").status == ""


def test_lost_history_does_not_hide_that_lines_are_where_they_were(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"src/sign.py": CODE})
    here = Git(discover(repo))
    (text,) = anchors_for(here, [REF], is_strict=True)
    anchor = parse_anchor(text.replace(git(repo, "rev-parse", "HEAD:src/sign.py"), "1" * 40))
    assert anchor is not None

    (state,) = reference_states(here, tree_of(repo), [anchor], has_diff=True)

    assert state.state == "same"
