"""``memory.workflow``: use the memory before and after a piece of work, and for its decisions."""

from __future__ import annotations

from gitmem.document.memory_fields import PostWorkOptions, StepOptions
from gitmem.memory.duplicate_status import DuplicateStatus
from gitmem.write.new_memory import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from gitmem.memory import Memory
    from gitmem.plugins.workflow.decisions import Decisions
    from gitmem.plugins.workflow.pre_work import PreWork, Work
    from gitmem.plugins.workflow.step import WorkflowStep
    from gitmem.write.place import Change


class Workflow:
    """The steps of a workflow."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._repository = memory.repository

    def before_task(self, key: str) -> PreWork:
        """Return what is useful before an attempt at a task."""
        from gitmem.plugins.workflow.pre_work import Work
        from gitmem.plugins.workflow.step import WorkflowStep

        return self.pre_work(Work(key, WorkflowStep()))

    def pre_work(self, work: Work) -> PreWork:
        """Return what is useful before a piece of work: failures, decisions, and how similar features were built."""
        from gitmem.plugins.workflow.pre_work import pre_work

        return pre_work(self._repository, work, recall=self._memory.recall)

    def post_work(self, text: str, step: WorkflowStep, **options: Unpack[PostWorkOptions]) -> Change:
        """Record a finished piece of work, with the lines of code that prove it (*refs*)."""
        from gitmem.plugins.workflow.post_work import KINDS, post_work

        new = NewMemory.from_options(text, {"kind": KINDS[0], **options}, PostWorkOptions, what="Workflow.post_work")
        with DuplicateStatus(self._repository):
            return post_work(self._repository, new, step, force=options.get("force", False))

    def decide(self, text: str, step: WorkflowStep, **options: Unpack[StepOptions]) -> Change:
        """Record a decision."""
        from gitmem.plugins.workflow.decisions import decide

        new = NewMemory.from_options(text, options, StepOptions, what="Workflow.decide")
        with DuplicateStatus(self._repository):
            return decide(self._repository, new, step, force=options.get("force", False))

    def decisions(self, query: str, step: WorkflowStep, *, limit: int) -> Decisions:
        """Return the decisions that match a query best; without a query, the newest."""
        from gitmem.plugins.workflow.decisions import load

        return load(self._repository, query, step, limit=limit, recall=self._memory.recall)
