"""The commands that prove a change of the code: the part of ``Memory`` that asks what it does to the facts."""

from __future__ import annotations

from gitmem.writes import Writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.check.run import Checked
    from gitmem.verify.session import Options


def _untold(what: str, done: int, total: int) -> None:
    """Tell nobody of progress."""


class Proves(Writes):
    """An opened store with the commands that prove a change of the code."""

    def check(
        self, options: Options, *, base: str = "", head: str = "", told: Callable[[str, int, int], None] = _untold
    ) -> Checked:
        """Say which facts a change makes false: those that it touches, before and behind it; writes to no branch."""
        from gitmem.check.run import check

        return check(self.proving(options), base=base, head=head, default=self.default_branch(), told=told)
