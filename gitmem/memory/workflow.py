"""``memory.workflow``: use the memory before, during and after a piece of work: stories, decisions, finished runs."""

from __future__ import annotations

from gitmem.document.memory_fields import PostWorkOptions, StepOptions, frontmatter_of
from gitmem.memory.duplicate_status import DuplicateStatus
from gitmem.write.new_memory import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from gitmem.commands.workflow.decisions import Decisions
    from gitmem.commands.workflow.from_run import RunResult
    from gitmem.commands.workflow.pre_work import PreWork, Work
    from gitmem.commands.workflow.step import WorkflowStep
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory import Memory
    from gitmem.recall import Query, RecallResult
    from gitmem.write.place import Change


def _new(text: str, options: StepOptions, *, what: str, kind: str = "") -> NewMemory:
    """Return a memory from the options of a step."""
    fields = frontmatter_of(options, PostWorkOptions if kind else StepOptions, what=what)
    fields.pop("force", None)
    return NewMemory(text, fields, fields.pop("title", ""), fields.pop("kind", kind), fields.pop("key", ""))


class Workflow:
    """The steps of a workflow."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._repository = memory.repository

    def pre_work(self, work: Work) -> PreWork:
        """Return what is useful before a piece of work: failures, decisions, and how similar features were built."""
        from gitmem.commands.workflow.pre_work import pre_work

        return pre_work(self._repository, work, recall=self._memory.recall)

    def post_work(self, text: str, step: WorkflowStep, **options: Unpack[PostWorkOptions]) -> Change:
        """Record a finished piece of work, with the lines of code that prove it (*refs*)."""
        from gitmem.commands.workflow.post_work import KINDS, post_work

        new = _new(text, options, what="Workflow.post_work", kind=KINDS[0])
        with DuplicateStatus(self._repository):
            return post_work(self._repository, new, step, force=options.get("force", False))

    def decide(self, text: str, step: WorkflowStep, **options: Unpack[StepOptions]) -> Change:
        """Record a decision."""
        from gitmem.commands.workflow.decisions import decide

        with DuplicateStatus(self._repository):
            new = _new(text, options, what="Workflow.decide")
            return decide(self._repository, new, step, force=options.get("force", False))

    def decisions(self, query: str, step: WorkflowStep, *, limit: int) -> Decisions:
        """Return the decisions that match a query best; without a query, the newest."""
        from gitmem.commands.workflow.decisions import load

        return load(self._repository, query, step, limit=limit, recall=self._memory.recall)

    def remember_run(self, raw: bytes, *, name: str = "", partial: bool = False) -> RunResult:
        """Write the result of a finished run in one commit; if a part is refused, write nothing unless *partial*."""
        from gitmem.commands.workflow.from_run import from_run

        return from_run(self._repository, raw, name=name, partial=partial)

    def inject(self, text: str, *, category: str, worker: str = "", **options: Unpack[StepOptions]) -> Change:
        """Pass a learning to one worker, or to all who share the project's memory."""
        from gitmem.commands.workflow.inject import inject

        new, force = _new(text, options, what="Workflow.inject"), options.get("force", False)
        return inject(self._repository, new, category=category, worker=worker, force=force)

    def send(
        self,
        text: str,
        *,
        category: str,
        worker: str,
        talk: RemoteOptions | None = None,
        **options: Unpack[StepOptions],
    ) -> str:
        """Push a learning for a worker in another clone to the remote, and return its ref there."""
        from gitmem.commands.sync import inbox
        from gitmem.commands.sync.remote import remote_of
        from gitmem.commands.workflow.inject import send
        from gitmem.git.remotes import RemoteOptions

        repository, options_of_remote = self._repository, talk or RemoteOptions()

        def push(learning: Mapping[str, Any]) -> str:
            return inbox.send(repository, remote_of(repository, ""), worker, learning, options_of_remote)

        return send(repository, _new(text, options, what="Workflow.send"), push, category=category, worker=worker)

    def about_files(self, query: Query) -> RecallResult:
        """Return the project's memories about the files that a query is ``near``, best first."""
        from gitmem.commands.context.about_files import about_files

        return about_files(self._repository, query)
