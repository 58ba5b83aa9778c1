"""``memory.view``: the memories as files in a folder, for reading and editing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from gitmem.commands.view.save import SaveResult
    from gitmem.repository import OpenRepository
    from gitmem.store.view.state import View


class MemoryView:
    """The view: a folder of files that shows the memory branch."""

    def __init__(self, repository: OpenRepository) -> None:
        self._repository = repository

    def make(self, path: str = "", *, unasked: bool = False) -> View:
        """Create the view in a folder, or update an existing one to the branch's tip."""
        from gitmem.commands.view.view import make

        return make(self._repository, self.merge_found, path, unasked=unasked)

    def remove(self) -> str:
        """Remove the view, unless it holds unsaved changes; return the folder."""
        from gitmem.commands.view.view import remove

        return remove(self._repository)

    def follow(self) -> None:
        """Update the view after a write, if there is one."""
        from gitmem.commands.view.view import follow

        follow(self._repository, self.merge_found)

    def merge_found(self, view: View, source: str) -> tuple[View, Mapping[str, str], Collection[str]]:
        """Merge a commit that a person made in the view into the branch."""
        from gitmem.commands.view.save import merge_found

        return merge_found(self._repository, view, source)

    def save(self, *, message: str = "", forget: bool = False, mine: Collection[str] = ()) -> SaveResult:
        """Commit the changes in the view, merging each file into the branch's tip."""
        from gitmem.commands.view.save import save

        return save(self._repository, message=message, forget=forget, mine=mine)

    def state(self) -> dict[str, Any] | None:
        """Return the view's folder, the commit that it shows and its unsaved files; None without a view."""
        from gitmem.store.view.state import has_one

        if not has_one(self._repository.git.repository.state):
            return None
        from gitmem.commands.view.view import describe

        return describe(self._repository)
