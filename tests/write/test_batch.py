"""Several drafts as one commit: each sees the ones before it."""

from __future__ import annotations

from pathlib import Path

from conftest import NOW, git

from gitmem.app import Memory
from gitmem.policy import Policy
from gitmem.write.batch import Batch
from gitmem.write.draft import Draft, make_draft


def draft(memory: Memory, text: str, **options: object) -> Draft:
    """Return a draft of a learned memory."""
    policy = Policy.from_dict({})
    return make_draft(
        text, title="", kind="learned", key="", options=options, author=memory.author(), policy=policy, now=NOW
    )


def test_batch_plans_nothing_where_all_is_said_already(memory) -> None:
    memory.remember("Retries are capped at three")
    batch = Batch(memory.git, memory.writer(), memory.catalog(), memory.policy())

    batch.add(draft(memory, "Retries are capped at three"))

    assert batch.plan(trailers=()) is None


def test_batch_shows_its_drafts_and_its_blobs_have_the_names_that_git_gives(memory, repo: Path) -> None:
    batch = Batch(memory.git, memory.writer(), memory.catalog(), memory.policy())
    batch.add(draft(memory, "Retries are capped at three"))
    batch.add(draft(memory, "Retries are capped at five, said another way altogether"))

    shown = batch.shown()
    plan = batch.plan(trailers=(("Gitmem-Source", "here"),))

    assert plan is not None
    rows = dict(shown.rows("SELECT path, oid FROM memory"))
    assert rows == {p: git(repo, "hash-object", "--stdin", input=content) for p, content in plan.writes}
    assert len(rows) == 2
    assert plan.trailers[-1] == ("Gitmem-Source", "here")
    batch.close()
