"""A captured text of a session is marked, and another session's is not."""

from __future__ import annotations

import os

from gitmem.agents.capture import marks
from gitmem.memory import Memory


def test_text_is_known_in_its_session_however_it_is_wrapped(memory: Memory) -> None:
    marks.mark(memory.repository, "s1", "retries must\n  be idempotent")

    assert marks.is_marked(memory.repository, "s1", "retries must be idempotent")
    assert not marks.is_marked(memory.repository, "s1", "retries must be quick")
    assert not marks.is_marked(memory.repository, "s2", "retries must be idempotent")


def test_session_without_a_name_has_no_texts(memory: Memory) -> None:
    marks.mark(memory.repository, "", "text")

    assert not marks.is_marked(memory.repository, "", "text")
    assert not os.path.exists(os.path.join(memory.repository.git.repository.state, "capture"))
