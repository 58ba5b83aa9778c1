"""Read and change the policy of a store: the file ``gitmem.toml`` at its root."""

from __future__ import annotations

from gitmem.errors import RefusedError
from gitmem.policy import load
from gitmem.policy.profiles import with_profile
from gitmem.store import layout
from gitmem.store.scopes import POLICY_PATH
from gitmem.write.place import PlannedFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.repository import OpenRepository
    from gitmem.store.commit import CommitPlan


def policy_text(repository: OpenRepository) -> str:
    """Return the text of the store's policy; empty if it has none.

    Raises:
        NoRepositoryError: The repository has no store yet.
    """
    return _policy_at(repository, repository.tip())


def change_policy(repository: OpenRepository, change: Callable[[str], str], subject: str) -> str:
    """Change the store's policy and return the commit; empty if nothing changes.

    Args:
        repository: The repository.
        change: Returns the new text for the text of now; it may be called several times.
        subject: What the commit's subject says after ``memory: ``.

    Raises:
        ConfigError: The new text is not a valid policy.
        RefusedError: It is too long to be read.
    """
    writer = repository.writer()

    def plan(tip: str | None) -> CommitPlan | None:
        before = _policy_at(repository, tip)
        after = change(before)
        if after == before:
            return None
        if (size := len(after.encode())) > layout.POLICY_LIMIT:
            raise RefusedError(f"{POLICY_PATH} would have {size:,} bytes; the limit is {layout.POLICY_LIMIT:,}")
        load(after, file=POLICY_PATH)
        return writer.plan(f"memory: {subject}", [], PlannedFiles({POLICY_PATH: after}))

    written = writer.write(plan, "policy")
    return written.commit if written else ""


def replace_policy(repository: OpenRepository, old: str, new: str) -> str:
    """Write a policy that was made from *old*, and return the commit; empty if nothing changes.

    Raises:
        ConfigError: The new text is not a valid policy.
        RefusedError: Somebody else changed it in the meantime.
    """

    def change(text: str) -> str:
        if text != old:
            raise RefusedError("someone else changed the policy in the meantime", hint="gitmem policy edit")
        return new

    return change_policy(repository, change, "policy edited")


def plan_profile(repository: OpenRepository, name: str) -> tuple[str, str]:
    """Return the text of the store's policy now, and with the settings of a profile.

    Raises:
        UsageError: The profile is unknown.
    """
    before = policy_text(repository)
    return before, with_profile(before, name)


def take_profile(repository: OpenRepository, name: str) -> str:
    """Write a profile's settings to the store's policy and return the commit; empty if it has them already."""
    return change_policy(repository, lambda text: with_profile(text, name), f"profile {name}")


def _policy_at(repository: OpenRepository, tip: str | None) -> str:
    content = repository.git.read_blob(f"{tip}:{POLICY_PATH}", limit=layout.POLICY_LIMIT) if tip else None
    return (content or b"").decode("utf-8", "replace")
