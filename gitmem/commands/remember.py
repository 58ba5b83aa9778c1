"""Remember: one memory, or many that share a commit, from what a person, an agent or a program says."""

from __future__ import annotations

from gitmem.write.draft import checked_text, make_draft
from gitmem.write.duplicates import ALLOW, REFUSE
from gitmem.write.queue import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.repository.proving_store import ProvingStore
    from gitmem.write.draft import Draft
    from gitmem.write.writer import Change


def remember(memory: ProvingStore, text: str, *, force: bool = False, **options: Any) -> Change:
    """Write a memory.

    Args:
        memory: The store.
        text: What is remembered.
        force: Write it also where another memory says it already.
        options: ``title``, ``kind``, ``key``, and further fields by name.

    Raises:
        RefusedError: It cannot be written.
        DuplicateError: Another memory says it already.
    """
    again = ALLOW if force else REFUSE
    change = memory.writer().remember(_draft(memory, text, **options), memory.policy(), verb="remember", again=again)
    _note_rotated(memory, change.rotated)
    return change


def queue(memory: ProvingStore) -> Queue:
    """Return a queue whose memories share commits."""

    def draft(text: str, **options: Any) -> Draft:
        made = _draft(memory, text, **options)
        checked_text(made.key, made.fields, made.body, policy=memory.policy(), path=f"{made.key}.md")
        return made

    def write(drafts: list[Draft]) -> list[Change]:
        changes = memory.writer().remember_all(drafts, memory.policy())
        _note_rotated(memory, sum(change.rotated for change in changes))
        return changes

    return Queue(draft, write)


def _draft(
    memory: ProvingStore, text: str, *, title: str = "", kind: str = "learned", key: str = "", **options: Any
) -> Draft:
    who, policy = memory.author(), memory.policy()
    return make_draft(text, title=title, kind=kind, key=key, options=options, author=who, policy=policy, now=memory.now)


def _note_rotated(memory: ProvingStore, rotated: int) -> None:
    if rotated:
        memory.notices.append(
            f"{rotated} old memories moved to the archive: there are more than "
            f"{memory.policy().rotation.limit} of their kind; gitmem recall --all finds them, gitmem restore "
            "KEY restores one"
        )
