"""A round of checks: who looks on is told of each, and what is doubtful is asked again behind everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.facts import approve_all, make_fact, put

from gitmem.verify.options import Options, Watch

if TYPE_CHECKING:
    from pathlib import Path

    from gitmem.memory import Memory


def test_a_new_failure_is_asked_again_when_all_others_have_ended(memory: Memory, repo: Path) -> None:
    put(repo, make_fact("a-wrong", "exit 1"), make_fact("b-right", "test -f README.md"))
    approve_all(memory)
    said: list[str] = []
    watch = Watch(lambda n: said.append(f"{n} due"), lambda k: said.append(f"began {k}"),
                  lambda k: said.append(f"doubted {k}"), lambda: None)  # fmt: skip

    memory.verify(
        options=Options(jobs=1), report=lambda r, *_: said.append(f"{r.due.row.key} {r.outcome}"), watch=watch
    )

    assert said == [
        "2 due", "began a-wrong", "doubted a-wrong", "began b-right", "b-right holds", "began a-wrong",
        "a-wrong unproven",
    ] or said == [
        "2 due", "began a-wrong", "began b-right", "doubted a-wrong", "b-right holds", "began a-wrong",
        "a-wrong unproven",
    ]  # fmt: skip
