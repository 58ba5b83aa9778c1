"""References to lines of the code: anchored when written, found again when moved, stale when changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git
from support.facts import tree_of

from gitmem.document.anchors import parse_anchor
from gitmem.errors import RefusedError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.model import STALE
from gitmem.verify.references import anchors_for, reference_states

CODE = "import jwt\n\n\ndef sign_with_a_private_key(claims):\n    return jwt.encode(claims, KEY)\n"
REF = "src/sign.py:4-5"


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

    key = memory.remember("A new module", refs=["new.py:1", "https://example.org:80", "run:12", "README.md:9999"]).key

    assert "anchors" not in memory.show(key).frontmatter


def test_lost_history_does_not_hide_that_lines_are_where_they_were(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"src/sign.py": CODE})
    here = Git(discover(repo))
    (text,) = anchors_for(here, [REF], is_strict=True)
    anchor = parse_anchor(text.replace(git(repo, "rev-parse", "HEAD:src/sign.py"), "1" * 40))
    assert anchor is not None

    (state,) = reference_states(here, tree_of(repo), [anchor], has_diff=True)

    assert state.state == "same"
