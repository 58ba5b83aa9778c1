"""The steps of a workflow as methods: the part of ``Memory`` that stories, decisions and finished runs go through."""

from __future__ import annotations

from gitmem.memory.write import Telling, Writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.commands.workflow.decisions import Decisions
    from gitmem.commands.workflow.from_run import Distilled
    from gitmem.commands.workflow.pre_work import Told, Work
    from gitmem.commands.workflow.step import Step
    from gitmem.recall.query import Asked, Found
    from gitmem.write.writer import Change


class Flows(Writes):
    """An opened store with the steps of a workflow."""

    if TYPE_CHECKING:
        # What ``Memory`` has and the steps are handed.
        def recall(self, asked: Asked) -> Found: ...  # noqa: D102

    def pre_work(self, work: Work) -> Told:
        """Return what matters before a work begins: what failed, what was decided, how the like was built."""
        from gitmem.commands.workflow.pre_work import pre_work

        return pre_work(self, work, recall=self.recall)

    def post_work(self, text: str, step: Step, *, refs: Sequence[str], **options: Any) -> Change:
        """Write down what was built, with the lines of code where it can be seen."""
        from gitmem.commands.workflow.post_work import post_work

        with Telling(self):
            return post_work(self, text, step, refs=refs, **options)

    def decide(self, text: str, step: Step, **options: Any) -> Change:
        """Write a decision."""
        from gitmem.commands.workflow.decisions import decide

        with Telling(self):
            return decide(self, text, step, **options)

    def decisions(self, query: str, step: Step, *, limit: int) -> Decisions:
        """Return decisions: those that fit a question best, or the newest."""
        from gitmem.commands.workflow.decisions import load

        return load(self, query, step, limit=limit, recall=self.recall)

    def remember_run(self, raw: bytes, *, name: str = "", partial: bool = False) -> Distilled:
        """Write what a finished run hands over, in one commit; nothing where one is refused, unless *partial*."""
        from gitmem.commands.capture.quality import says_something
        from gitmem.commands.workflow.from_run import from_run

        return from_run(self, raw, name=name, partial=partial, is_worth=says_something)
