"""The memory at one code commit, for ``--at REV``. Read-only."""

from __future__ import annotations

from gitmem import __version__
from gitmem.commands import show, status
from gitmem.commands.report.page.gather import PageSource, gather
from gitmem.commands.report.page.model import Page
from gitmem.commands.time_travel import truth
from gitmem.commands.time_travel.anchor import find_anchor
from gitmem.commands.time_travel.catalogs import CatalogContent, catalog_at
from gitmem.errors import GitmemError, NotFoundError, ProcessError, UsageError
from gitmem.frozen import replace
from gitmem.git.ancestry import is_shallow, kin_of
from gitmem.index.catalog import fact_state, state
from gitmem.index.catalog.keys import full_key
from gitmem.index.refresh import empty_catalog
from gitmem.model import FAILED, TASK, UNPROVEN
from gitmem.policy import Policy
from gitmem.recall import inventory, ranker
from gitmem.recall.query import narrow
from gitmem.recall.scoring import RecallRun
from gitmem.recall.searched_store import SearchedStore
from gitmem.results import MemoryDetails, Statistics, StoreStatus
from gitmem.store.code_folder import read_tree
from gitmem.store.local import LocalState
from gitmem.store.scopes import PROJECT
from gitmem.text import parse_json
from gitmem.verify.due import KnownFacts, is_accepted, refresh_states
from gitmem.verify.past_verdicts import all_verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gitmem.recall.query import Query, RecallResult
    from gitmem.repository import OpenRepository

# Age does not apply to the past: no time to live has passed, no memory has expired, and recency does not count.
NO_CLOCK = 0
_FACT = (
    "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s FROM fact f JOIN memory m ON m.id = f.id"
    " WHERE m.key = ? AND m.shadowed = 0"
)


class Past:
    """The project's memory at one commit of the code.

    Attributes:
        anchor: The state that belongs to it.
        commit: The store's commit that is shown; empty if nothing was known yet.
        is_empty: Whether nothing was known yet.
    """

    def __init__(
        self, repository: OpenRepository, rev: str, *, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Find the state; anything undeterminable is reported in the memory's notices.

        Raises:
            NotFoundError: REV is not a commit here.
            GitmemError: Too much is missing in a shallow clone.
        """
        self._memory, self._git = repository, repository.git
        tip = repository.find_tip() or ""
        if not tip and not repository.tree():
            repository.tip()  # reports that there is no memory at all
        self.anchor = _anchor_of(repository, tip, rev)
        self.commit = self.anchor.states[0] if self.anchor.states else ""
        tree = read_tree(self._git, self.anchor.code) if self.anchor.code else ""
        self.is_empty = not self.commit and not tree
        if self.is_empty and self.anchor.is_shallow:
            message = f"cannot go back to {rev}: this clone is shallow"
            raise GitmemError(message, hint="fetch the full history of code and memory: git fetch --unshallow")
        now = repository.catalog(tip) if not self.is_empty else empty_catalog()
        self._catalog = catalog_at(self._git, now, CatalogContent(self.anchor.states, tree), progress=progress)
        self._local = self._past_local_state()
        self._policy = Policy.from_dict(parse_json(self._catalog.meta("policy") or "{}"))
        self._ground = self._ground_with_statuses()
        self._read = fact_state.ReadStore(self._catalog, self._git, self._local, self._ground, NO_CLOCK)
        self._source = SearchedStore(PROJECT, self._catalog, self._local, self._ground)
        self._add_notices()

    def __enter__(self) -> Past:
        """Return itself; leaving closes the catalog."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the catalog and the local state."""
        self.close()

    def close(self) -> None:
        """Close the catalog and the local state."""
        self._catalog.close()
        self._local.close()

    def _past_local_state(self) -> LocalState:
        """Return the verdicts that this clone had made at REV or before."""
        folder, code = self._memory.store.folder, self.anchor.code
        judged = {v.commit for them in self._memory.local.verdicts().values() for v in them} if code else set()
        return LocalState(folder, looking_back=kin_of(self._git, code, judged).before if judged else frozenset())

    def _ground_with_statuses(self) -> int | None:
        """Return the ground of the code's commit, with the statuses of that time computed."""
        code = self.anchor.code
        if not code or not state.has_statuses(self._catalog):
            return None
        try:
            known = KnownFacts(self._catalog, self._local, self._policy, self._memory.now)
            return refresh_states(known, self._git, code)
        except (NotFoundError, ProcessError) as err:
            message = f"statuses are unknown: the code at {code[:12]} cannot be read ({err.message})"
            self._memory.notices.append(message)
            return None

    def _add_notices(self) -> None:
        anchor, notices = self.anchor, self._memory.notices
        if self.is_empty:
            since = f"; the first commit of the memory that names its code commit came later, in {anchor.first[:12]}"
            notices.append(f"nothing was known yet at {anchor.rev}" + (since if anchor.first else ""))
        elif anchor.is_store and not anchor.code:
            notices.append(
                f"{anchor.rev} is a commit of the memory that names no code in this clone: statuses are unknown"
            )
        if anchor.aside:
            number = "one more commit" if anchor.aside == 1 else f"{anchor.aside} more commits"
            notices.append(f"{number} of the memory may be from that time, but they name only code on other branches")
        if anchor.is_shallow:
            notices.append("this clone is shallow: older history is missing; git fetch --unshallow")
        if any(self._memory.other_scopes().values()):
            notices.append("only the project's memories have a history: private and universal ones belong to no commit")

    def table(self) -> dict[str, str]:
        """Return the shown state as JSON."""
        return {"rev": self.anchor.rev, "code": self.anchor.code, "commit": self.commit}

    def list(self, query: Query) -> RecallResult:
        """Return the memories of that time that pass the filters, newest first."""
        _refuse_scopes(query.scopes)
        query = narrow(self._policy, query) if query.collections else query
        with self._catalog.reading():
            return inventory.list_memories([self._source], query, now=NO_CLOCK)

    def recall(self, query: Query) -> RecallResult:
        """Rank the memories of that time for a query."""
        _refuse_scopes(query.scopes)
        if query.syntax:
            raise UsageError("--syntax uses the current index", hint="leave out --syntax, or --at")
        if query.work:
            raise UsageError("--work uses the files that are changed now", hint="gitmem recall … --near PATH --at REV")
        query = replace(narrow(self._policy, query), here=self._memory.here)
        if self.is_empty:
            return inventory.newest(self._catalog, None, query, now=NO_CLOCK)
        with self._catalog.reading():
            result = ranker.recall([self._source], query, RecallRun(self._policy, self._memory.config, NO_CLOCK))
        self._memory.notices += [result.notice] if result.notice else []
        if self._memory.config.embeds and not query.lexical:
            self._memory.notices.append("with --at, recall searches by words only")
        return result

    def statistics(self) -> Statistics:
        """Return counts of that time's memories."""
        return Statistics.of(inventory.statistics(self._catalog, now=NO_CLOCK) | {"scopes": {}})

    def status(self) -> StoreStatus:
        """Return that time's counts by kind and status, with failed and suspect facts."""
        memory = self._memory
        with self._catalog.reading():
            counts = status.status(self._read, ref=memory.ref, tip=self.commit)
        counts |= {"index": {"commit": self.commit, "is_current": True}, "verified_age_s": None}
        counts |= {"at": self.table(), "is_empty": self.is_empty, "scope": PROJECT, "scopes": {}}
        counts |= {"spool": {"waiting": 0, "refused": 0}, "view": None}
        return StoreStatus.of(counts)

    def report(self) -> Page:
        """Return the content of ``gitmem report`` at that time; without ages and jobs."""
        memory, code = self._memory, self.anchor.code
        page = Page(
            name=self._git.repository.name,
            scope=PROJECT,
            made=memory.now,
            version=__version__,
            rev=self.anchor.rev,
            code=code,
            tip=self.commit,
        )
        source = PageSource(
            self._catalog, self._git, self._ground, self._local, self._policy, memory.config, now=NO_CLOCK
        )
        counts = self.status().document
        with self._catalog.reading():
            return gather(source, page, counts, (code, self.anchor.rev))

    def show(self, typed: str) -> MemoryDetails:
        """Return one memory at that time, with its status then, its present state, and its truth over the history.

        Raises:
            NotFoundError: It was not known then.
            AmbiguousKeyError: Several keys begin with the typed text.
        """
        key = self._key(typed)
        with self._catalog.reading():
            details = show.show(self._read, key)
            row = self._catalog.row(_FACT, (key,))
        details |= {"scope": PROJECT, "at": self.table(), "now": None, "truth": []}
        if row is None or not self.anchor.code:
            return MemoryDetails.of(details)
        fact = fact_state.FactRow(*row)
        known = truth.truth_at(self._git, self.anchor.code, fact, self._verdicts(fact))
        # A task whose gate does not pass yet is not a failure.
        status = UNPROVEN if details["kind"] == TASK and known.status == FAILED else known.status
        details["now"] = {"status": status, "because": known.line, "proof": known.proof}
        details["truth"] = [truth.as_table(segment) for segment in known.segments]
        return MemoryDetails.of(details)

    def _verdicts(self, fact: fact_state.FactRow) -> Sequence[Any]:
        """Return every relevant verdict of a fact, of any time: the branch's whole history and this clone's."""
        memory = self._memory
        branch = all_verdicts(self._git, memory.find_tip() or "", fact.key)
        mine = memory.local.verdicts([fact.key]).get(fact.key, [])
        verdicts = fact_state.merge_verdicts(branch, mine, spec=fact.spec, claim=fact.claim)
        return [v for v in verdicts if is_accepted(v, self._policy, now=memory.now)]

    def _key(self, typed: str) -> str:
        try:
            return full_key(self._catalog, typed)
        except NotFoundError as err:
            try:
                key = full_key(self._memory.catalog(), typed)
            except NotFoundError:
                raise err from None
            message = f"{key} was not known yet at {self.anchor.rev}"
            raise NotFoundError(message, hint=f"see when it was written: gitmem log {key}") from None


def _anchor_of(repository: OpenRepository, tip: str, rev: str) -> Any:
    try:
        return find_anchor(repository.git, tip, rev)
    except NotFoundError as err:
        hint = "give any git revision: a tag, a branch, HEAD~20, a commit"
        if is_shallow(repository.git):
            hint = "this clone is shallow and lacks older commits: git fetch --unshallow"
        raise NotFoundError(err.message, hint=hint) from err


def _refuse_scopes(scopes: Sequence[str]) -> None:
    if set(scopes) - {PROJECT}:
        raise UsageError("only the project's memories belong to code commits", hint="leave out --scope, or --at")
