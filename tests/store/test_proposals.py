"""What a clone knows of its current proposal: one line of local state, believed only where it fits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.store.proposal import (
    CurrentProposal,
    clear_current_proposal,
    is_proposal_name,
    proposal_notice,
    read_current_proposal,
    write_current_proposal,
)

TIP = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    "current", [CurrentProposal("gitmem/auth"), CurrentProposal("gitmem/auth", TIP)], ids=["still", "moving"]
)
def test_written_text_is_parsed_to_the_same_value(tmp_path: Path, current: CurrentProposal) -> None:
    state = str(tmp_path / "gitmem")

    write_current_proposal(state, "memory", current)

    assert read_current_proposal(state, "memory") == current
    assert read_current_proposal(state, "another") is None
    clear_current_proposal(state)
    clear_current_proposal(state)
    assert read_current_proposal(state, "memory") is None
    assert list(tmp_path.rglob("*")) == [tmp_path / "gitmem"]


SWITCHES = """
import sys
from gitmem.store.proposal import CurrentProposal
from gitmem.store.proposal import write_current_proposal

for _ in range(300):
    write_current_proposal(sys.argv[1], "memory", CurrentProposal(sys.argv[2]))
"""


def test_each_of_two_processes_that_switch_at_once_writes_its_own_line_in_full(tmp_path: Path) -> None:
    branches = {"gitmem/auth", "gitmem/billing-and-everything-else"}
    write_current_proposal(str(tmp_path), "memory", CurrentProposal("gitmem/auth"))
    seen = set()

    switches = [subprocess.Popen([sys.executable, "-c", SWITCHES, str(tmp_path), branch]) for branch in branches]
    while any(process.poll() is None for process in switches):
        current = read_current_proposal(str(tmp_path), "memory")
        seen.add(current.branch if current else None)

    assert [process.returncode for process in switches] == [0, 0]
    assert seen <= branches
    assert [path.name for path in tmp_path.iterdir()] == ["proposal"]


@pytest.mark.parametrize(
    "text", ["", "memory", "memory gitmem/", "memory gitmem/../../x", "memory main", "memory gitmem/a b c", "\0" * 40]
)
def test_damaged_or_foreign_record_names_no_proposal(tmp_path: Path, text: str) -> None:
    (tmp_path / "proposal").write_text(text)

    assert read_current_proposal(str(tmp_path), "memory") is None


def test_names_are_slugs_that_end_a_branch() -> None:
    wrong = ["", "Auth", "a/b", "..", "a..b", "x.lock", "-x", "x-", ".x", "x" * 61, "ä", "a b", "a\n", "a~1", "@"]

    assert [name for name in wrong if is_proposal_name(name)] == []
    assert all(map(is_proposal_name, ["a", "auth-notes", "t-12", "v1.2", "x_y", "x" * 60]))


def test_write_to_the_memory_branch_gives_no_notice() -> None:
    assert proposal_notice("") == ""
    assert "the proposal auth (" in proposal_notice("auth")
