"""``memory.captures``: captured texts that wait for their commit."""

from __future__ import annotations

import os

from gitmem.index.catalog import FILE_NAME, OVERLAY_FOLDER, Catalog, discard_file
from gitmem.store.state.plain_files import has_left_followed, waiting_captures
from gitmem.text import format_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.capture.commits import LearningResult
    from gitmem.commands.doctor.refusals import RefusedText
    from gitmem.repository import OpenRepository
    from gitmem.write.new_memory import NewMemory


# The value of a catalog's ``meta`` that says which texts it includes, and a larger index is not stored twice.
OVERLAID, STORED_AT_MOST = "overlaid", 64 << 20


class Captures:
    """Texts that a hook or an agent captured: on disk within milliseconds, committed by a background process."""

    def __init__(self, repository: OpenRepository) -> None:
        self._repository = repository
        # A catalog that includes the waiting texts, and the states of the base catalog and the spool that it was made
        # from.
        self._shown: Catalog | None = None
        self._shown_state: tuple[str, ...] = ()

    def add(self, new: NewMemory, *, once: bool = False) -> str:
        """Write a text to the spool, from which a memory will be made; return the entry's name."""
        from gitmem.commands.capture.keep import keep

        name = keep(self._repository, new, once=once)
        self.start("spool")
        return name

    def add_commits(self, commits: Sequence[str]) -> LearningResult:
        """Capture the learnings that the messages of commits state."""
        from gitmem.commands.capture.commits import learn_from

        learnt = learn_from(self._repository, commits)
        if learnt.kept:
            from gitmem.commands.capture.dropped import follow

            follow(self._repository, learnt.commits)
            self.start("spool")
        return learnt

    def problems_of(self, message: str) -> list[str]:
        """Return why the learnings stated in a commit message cannot be captured, a line each; captures nothing."""
        from gitmem.commands.capture.commits import list_refusals

        return list_refusals(self._repository, message)

    def drain(self) -> int:
        """Commit all waiting texts, and return how many entries there were."""
        has_waiting = bool(waiting_captures(self._repository.git.repository.state))
        if not has_waiting and not self._may_be_dropped():
            return 0
        from gitmem.commands.capture.drain import drain
        from gitmem.commands.capture.dropped import retire_dropped

        written = drain(self._repository, self._repository.branch_writer()) if has_waiting else 0
        folder = self._repository.folder(self._repository.tree())
        discard_file(os.path.join(folder, OVERLAY_FOLDER, FILE_NAME))
        retire_dropped(self._repository, self._repository.branch_writer())
        return written

    def _may_be_dropped(self) -> bool:
        """Return whether HEAD has moved since a commit was captured, which may have dropped it."""
        git = self._repository.git
        return has_left_followed(git.repository.state, git.read_head()[1] or "")

    def list_refused(self) -> list[RefusedText]:
        """Return the captured texts that were refused, oldest first."""
        from gitmem.commands.doctor.refusals import list_refused

        return list_refused(self._repository)

    def accept(self, name: str) -> int:
        """Make a memory of a refused text, or of every one with ``all``; return how many.

        Raises:
            NotFoundError: There is no such text.
            RefusedError: Its text was not stored, or is refused again.
        """
        from gitmem.commands.doctor.refusals import accept

        return accept(self._repository, name, self.drain)

    def drop(self, name: str) -> int:
        """Delete a refused text, or every one with ``all``; return how many.

        Raises:
            NotFoundError: There is no such text.
        """
        from gitmem.commands.doctor.refusals import drop

        return drop(self._repository, name)

    def overlaid(self, base: Catalog) -> Catalog:
        """Return a catalog that includes the waiting texts; *base* itself if none wait."""
        waiting = waiting_captures(self._repository.git.repository.state)
        if not waiting:
            if self._may_be_dropped():
                self.start("spool")
            return base
        state = (base.meta("commit"), base.meta("tree"), *waiting)
        if self._shown is None or self._shown_state != state:
            fresh = self._overlay(base, waiting)
            if self._shown is None:
                self._shown = fresh
            else:
                self._shown.become(fresh)  # commands that hold the previous catalog see the new one
            self._shown_state = state
        return self._shown

    def _overlay(self, base: Catalog, waiting: Sequence[str]) -> Catalog:
        """Return a catalog with the waiting texts: from disk, where the last reader of the same state left it."""
        # Everything that the base was made from, and each text: its name is never used again.
        stamp = format_json([*sorted(base.rows("SELECT name, value FROM meta")), *waiting], is_ascii=True)
        folder = os.path.join(os.path.dirname(base.path or ""), OVERLAY_FOLDER)
        if base.path is not None and (known := Catalog.open_with(folder, {OVERLAID: stamp})) is not None:
            return known
        from gitmem.commands.capture.drain import overlay_spool
        from gitmem.index.catalog.schema import store_copy

        self._repository.compute_states(base)
        fresh, is_complete = overlay_spool(self._repository, self._repository.branch_writer(), base, waiting)
        if base.path is None or not is_complete or os.path.getsize(base.path) > STORED_AT_MOST:
            return fresh
        fresh.set_meta(OVERLAID, stamp)
        return store_copy(folder, fresh)

    def start(self, job: str) -> None:
        """Start a background process for a job (a row of the table in ``cli.background``)."""
        from gitmem.store.state import background

        repository = self._repository.git.repository
        background.start(repository.state, repository.top or repository.git, job)

    def close(self) -> None:
        """Close the catalog that includes the waiting texts."""
        if self._shown is not None:
            self._shown.close()
            self._shown = None
