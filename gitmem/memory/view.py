"""The commands about the view and about the past: the part of ``Memory`` that shows its files, and itself as it was."""

from __future__ import annotations

from gitmem.repository.repository import Opened
from gitmem.store.sqlite_errors import is_damage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from types import TracebackType
    from typing import Any

    from gitmem.commands.time_travel.snapshot import Past
    from gitmem.commands.view.save import Saved
    from gitmem.store.view.state import View


class Shown(Opened):
    """An opened store with the commands about its view, and the way back in time."""

    _pasts: tuple[Past, ...] = ()

    def at(self, rev: str) -> Past:
        """Return the project's memory as it stood for a revision of the code."""
        from gitmem.commands.time_travel.snapshot import Past

        past = Past(self, rev, progress=self._told("reading memories"))
        self._pasts = (*self._pasts, past)
        return past

    def close(self) -> None:
        """Close what was opened."""
        for past in self._pasts:
            past.close()
        super().close()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what was opened; throw catalogs of the past away where one of them may be the damaged one."""
        if self._pasts and is_damage(value):
            from gitmem.commands.time_travel.catalogs import discard

            discard(self.git)
        super().__exit__(kind, value, trace)

    def view(self, path: str = "", *, unasked: bool = False) -> View:
        """Make the view of the memory in a folder, or bring the one that is there to the branch's tip."""
        from gitmem.commands.view.view import make

        return make(self, self.merge_found, path, unasked=unasked)

    def remove_view(self) -> str:
        """Take the view away, unless something in it is not saved; returns the folder that it was."""
        from gitmem.commands.view.view import remove

        return remove(self)

    def follow_view(self) -> None:
        """Bring the view along behind a write, where there is one."""
        from gitmem.commands.view.view import follow

        follow(self, self.merge_found)

    def merge_found(self, view: View, found: str) -> tuple[View, Mapping[str, str], Collection[str]]:
        """Merge a commit that somebody made in the view onto the branch."""
        from gitmem.commands.view.save import merge_found

        return merge_found(self, view, found)

    def save(self, *, message: str = "", forget: bool = False, mine: Collection[str] = ()) -> Saved:
        """Commit what a person wrote in the view, each file merged onto the branch's tip."""
        from gitmem.commands.view.save import save

        return save(self, message=message, forget=forget, mine=mine)

    def view_standing(self) -> dict[str, Any] | None:
        """Return where the view is, what it shows and what in it is not saved; None where there is none."""
        from gitmem.store.view.state import has_one

        if not has_one(self.git.repository.state):
            return None
        from gitmem.commands.view.view import standing

        return standing(self)
