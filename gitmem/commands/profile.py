"""Change the policy of an existing store to that of a profile."""

from __future__ import annotations

from gitmem.policy.profiles import with_profile
from gitmem.store import POLICY_PATH, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository
    from gitmem.store.commit import CommitPlan


def plan_profile(repository: OpenRepository, name: str) -> tuple[str, str]:
    """Return the text of the store's policy now, and with the settings of a profile.

    Raises:
        UsageError: There is no such profile.
    """
    before = _policy_at(repository, repository.tip())
    return before, with_profile(before, name)


def take_profile(repository: OpenRepository, name: str) -> str:
    """Write a profile's settings to the store's policy and return the commit; empty if it has them already."""
    writer = repository.writer()

    def plan(tip: str | None) -> CommitPlan | None:
        before = _policy_at(repository, tip)
        after = with_profile(before, name)
        return None if after == before else writer.plan(f"memory: profile {name}", [], {POLICY_PATH: after}, [])

    written = writer.write(plan, "profile")
    return written.commit if written else ""


def _policy_at(repository: OpenRepository, tip: str | None) -> str:
    content = repository.git.read_blob(f"{tip}:{POLICY_PATH}", limit=layout.POLICY_LIMIT) if tip else None
    return (content or b"").decode("utf-8", "replace")
