"""Most tool uses capture nothing and load nothing; captures survive a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import put_files
from support.agent_work import captured_memories, edited, ran
from support.each import each

from gitmem.agents import on_event
from gitmem.agents.capture.tools import may_comment, may_note
from gitmem.config import second_place
from gitmem.memory import Memory

PLAYED = """
import os, signal, sys
from gitmem.agents import on_event
from gitmem.memory import Memory
from gitmem.config import second_place
from gitmem.agents.event import SHELL, TOOL, Edit, Event
event = Event("claude-code", TOOL, tool=SHELL, session="s1", folder=os.getcwd(), failed=False, command=sys.argv[1])
with Memory(os.getcwd()) as memory:
    on_event.tool_used(memory, event)
    if sys.argv[2:] == ["killed"]:
        os.kill(os.getpid(), signal.SIGKILL)
print(*sorted(name for name in sys.modules if name.startswith("gitmem.agents.capture")))
"""


def play(repo: Path, command: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Let a command have been run, in a process of its own."""
    argv = [sys.executable, "-c", PLAYED, command, *more]
    return subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=False)


@each(
    ("line", "may"),
    [
        ('bd comment s-1 "x"', True),
        ("bash -lc 'bd comment s-1 x'", True),
        ("x=$(/usr/bin/gh pr comment 5 -b y)", True),
        ("npx @beads/bd note s-1 y", True),
        ("git commit -m 'a comment'", False),
        ("bd list", False),
        ("highest comment", False),
    ],
)
def test_comment_is_looked_for_by_its_words(line: str, may: bool) -> None:
    assert may_comment(line) is may


def test_note_is_looked_for_by_its_folders() -> None:
    assert may_note("/srv/shop/notes/a.md", ("notes",))
    assert may_note("C:\\shop\\.claude\\memory\\a.md", (".claude/memory/",))
    assert not may_note("/srv/shop/footnotes/a.md", ("notes",))


def test_command_that_teaches_nothing_loads_nothing(memory: Memory, repo: Path) -> None:
    assert play(repo, "ls -la").stdout.split() == [
        "gitmem.agents.capture",
        "gitmem.agents.capture.state",
        "gitmem.agents.capture.tools",
    ]


@pytest.mark.whole_system
def test_what_was_captured_outlives_a_kill(memory: Memory, repo: Path) -> None:
    ends = [play(repo, f'bd comment s-{n} "LEARNED: lesson {n} of the day"', "killed").returncode for n in range(4)]

    assert ends == [-signal.SIGKILL] * 4
    assert len(captured_memories(memory)) == 4


def test_work_of_an_exempt_type_is_left_alone_but_not_what_it_says(memory: Memory, repo: Path) -> None:
    put_files(repo, {"gitmem.toml": '[capture]\nexempt = ["scribe"]\n'})
    (repo / "notes").mkdir()
    (repo / "notes/a.md").write_text("# A note\n\nThe gateway drops idle connections.\n")
    who = {"agent": "a1", "agent_type": "scribe"}

    on_event.tool_used(memory, edited(repo, "notes/a.md", **who))
    on_event.tool_used(memory, ran(repo, 'bd comment s-1 "LEARNED: retries must be idempotent"', **who))

    assert list(captured_memories(memory)) == ["retries-must-be-idempotent"]


def test_what_no_disk_takes_is_an_error(memory: Memory, repo: Path) -> None:
    state = Path(memory.repository.git.repository.state)
    for folder in (state, Path(second_place(state))):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "spool").write_text("in the way")

    with pytest.raises(OSError, match="spool"):
        on_event.tool_used(memory, ran(repo, 'bd comment s-1 "LEARNED: retries must be idempotent"'))
    os.unlink(Path(memory.repository.git.repository.state) / "spool")
