"""Several drafts as one commit: each is planned on the state that the ones before it would leave."""

from __future__ import annotations

from hashlib import sha1, sha256

from gitmem.search.refresh import follow_written
from gitmem.store.commit import Plan, Written
from gitmem.write import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.catalog.catalog import Catalog
    from gitmem.git.binary import Git
    from gitmem.policy import Policy
    from gitmem.write.draft import Draft
    from gitmem.write.writer import Writer


class Batch:
    """Drafts that become one commit.

    Attributes:
        catalog: What the store looks like with them; a copy in memory once there is more than one.
        keys: The memories that change, in the order they were added.
    """

    def __init__(self, git: Git, writer: Writer, catalog: Catalog, policy: Policy) -> None:
        self._git = git
        self._writer = writer
        self._policy = policy
        self._is_copy = False
        self._plans: list[Plan] = []
        self._unapplied: Plan | None = None
        self.catalog = catalog
        self.keys: list[str] = []

    def add(self, draft: Draft, *, once: bool = False) -> bool:
        """Plan one draft more; False where it must wait for the next batch, because its folder is split.

        Args:
            draft: The memory.
            once: Leave a memory alone that is there already, or was retired.

        Raises:
            RefusedError: It cannot be written.
        """
        if self._plans and self._plans[-1].moves:
            return False
        self._apply()
        settled = place.settle_key(self.catalog, draft)
        if once and place.find_known(self.catalog, settled.key) is not None:
            return True
        plan = self._writer.plan_remember(self.catalog, settled, self._policy, done={})
        if plan is None:
            return True
        if plan.moves and self._plans:
            return False
        self._plans.append(plan)
        self._unapplied = plan
        self.keys.append(settled.key)
        return True

    def shown(self) -> Catalog:
        """Return the catalog with all drafts in it, always a copy; the caller closes it."""
        self._apply()
        self._copy()
        return self.catalog

    def close(self) -> None:
        """Close the copy, where one was needed."""
        if self._is_copy:
            self.catalog.close()

    def plan(self, *, trailers: tuple[tuple[str, str], ...]) -> Plan | None:
        """Return all as one plan; None where nothing changes."""
        if not self._plans:
            return None
        writes: dict[str, bytes] = {}
        gone: list[str] = []
        for plan in self._plans:
            for path in plan.deletes:
                writes.pop(path, None)
            gone = [path for path in (*gone, *plan.deletes) if path not in dict(plan.writes)]
            writes |= dict(plan.writes)
        keys = tuple(("Gitmem-Key", key) for key in dict.fromkeys(self.keys))
        subject = self._plans[0].subject if len(keys) == 1 else f"memory: add {len(keys)} that were captured"
        return Plan(
            subject,
            writes=tuple(sorted(writes.items())),
            moves=self._plans[0].moves,
            deletes=tuple(dict.fromkeys(gone)),
            trailers=(*keys, *trailers),
        )

    def _apply(self) -> None:
        """Bring the copy along with the last plan."""
        plan, self._unapplied = self._unapplied, None
        if plan is None:
            return
        self._copy()
        commit = self.catalog.meta("commit")
        files = dict(plan.writes)
        oids = {path: _blob_name(content, len(commit)) for path, content in files.items()}
        self._writer.planned |= {oids[path]: content for path, content in files.items()}
        follow_written(self._git, self.catalog, Written(commit, commit, oids), files, plan.deletes)

    def _copy(self) -> None:
        if not self._is_copy:
            self.catalog, self._is_copy = self.catalog.copied(), True


def _blob_name(content: bytes, length: int) -> str:
    """Return the name git gives a blob (gitformat-pack(5)); *length* is that of the repository's object names."""
    data = b"blob %d\0" % len(content) + content
    return sha256(data).hexdigest() if length == 64 else sha1(data, usedforsecurity=False).hexdigest()
