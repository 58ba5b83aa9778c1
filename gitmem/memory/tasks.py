"""``memory.tasks``: tasks, which are memories of work to do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from gitmem.document.memory_fields import TaskFields
    from gitmem.memory import Memory
    from gitmem.plugins.workflow.pre_work import PreWork
    from gitmem.results import MemoryDetails
    from gitmem.tasks.query import TaskRow
    from gitmem.tasks.task import Task
    from gitmem.tasks.tree import TaskNode
    from gitmem.write.place import Change


class Tasks:
    """The tasks of a project."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._repository = memory.repository

    def add(
        self, title: str, *, approve: bool = False, body: str = "", key: str = "", **fields: Unpack[TaskFields]
    ) -> Change:
        """Add a task. Its check is the gate for closing it and need not hold yet."""
        from gitmem.commands.fact import approve_gate, name_files
        from gitmem.commands.task import add
        from gitmem.document.memory_fields import TaskFields, frontmatter_of
        from gitmem.write.new_memory import NewMemory

        repository, values = self._repository, frontmatter_of(fields, TaskFields, what="Tasks.add")
        if "verify" in values:
            values["verify"] = name_files(repository, values["verify"])
        new = NewMemory(body, values, title, key=key)
        return add(repository, new, check=lambda document: approve_gate(repository, document, approve=approve))

    def claim(self, key: str, *, note: str = "") -> tuple[Change, Task]:
        """Start an attempt at a task; also return the task as it was before the claim, with its attempts."""
        from gitmem.commands.task import claim

        return claim(self._repository, self._repository.full_key(key), note=note)

    def what_helps(self, key: str) -> PreWork | None:
        """Return what is useful before an attempt at a task; None if the plug-in that finds it is not installed."""
        try:
            workflow = self._memory.workflow
        except ModuleNotFoundError:
            return None
        return workflow.before_task(key)

    def close(self, key: str, *, reason: str = "", force: bool = False) -> Change:
        """Close a task that passes its gate."""
        from gitmem.commands.fact import pass_gate
        from gitmem.commands.task import close

        repository = self._repository
        key = repository.full_key(key)
        return close(repository, key, reason=reason, force=force, gate=lambda document: pass_gate(repository, document))

    def fail(self, key: str, *, note: str) -> Change:
        """End the attempt at a task as failed, and reopen the task."""
        from gitmem.commands.task import fail

        return fail(self._repository, self._repository.full_key(key), note=note)

    def release(self, key: str, *, note: str = "", force: bool = False) -> Change:
        """Give up the claim on a task."""
        from gitmem.commands.task import release

        return release(self._repository, self._repository.full_key(key), note=note, force=force)

    def list(
        self, *, states: Sequence[str] = (), parent: str = "", mine: bool = False, everything: bool = False
    ) -> Sequence[TaskRow]:
        """Return tasks by priority, then age, with what they wait for; without *states*, all that are not closed."""
        from gitmem.tasks.query import list_tasks, worker_of

        repository = self._repository
        key, catalog = repository.full_key(parent) if parent else "", repository.catalog()
        ground = repository.ground(catalog)
        with catalog.reading():
            worker = worker_of(repository.git, repository.config.agent) if mine else None
            return list_tasks(catalog, ground, states=states, parent=key, worker=worker, everything=everything)

    def list_ready(self) -> Sequence[TaskRow]:
        """Return the tasks that can be started, sorted by urgency, then age."""
        from gitmem.tasks.query import ready

        catalog = self._repository.catalog()
        ground = self._repository.ground(catalog)
        with catalog.reading():
            return ready(catalog, ground)

    def tree(self, key: str = "", *, everything: bool = False) -> Sequence[TaskNode]:
        """Return the tree of all tasks, or of one task with its subtasks."""
        from gitmem.tasks.tree import read_tree

        root, catalog = self._repository.full_key(key) if key else "", self._repository.catalog()
        ground = self._repository.ground(catalog)
        with catalog.reading():
            return read_tree(catalog, ground, root=root, everything=everything or bool(root))

    def show(self, key: str) -> tuple[MemoryDetails, Task, Sequence[str]]:
        """Return a memory as ``Memory.show`` does, its task, and the keys of the tasks that it waits for."""
        from gitmem.tasks.query import waits_of
        from gitmem.tasks.task import parse_task

        memory_details = self._memory.show(key)
        task = parse_task(memory_details.key, memory_details.kind, memory_details.frontmatter)
        catalog = self._repository.catalog()
        return memory_details, task, waits_of(catalog, self._repository.ground(catalog), task.key)
