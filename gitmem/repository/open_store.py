"""One opened store of any scope: its commit, its index, its policy, a writer for it, and what proves its facts."""

from __future__ import annotations

import os
import time

from gitmem.errors import (
    BusyError,
    ConflictError,
    GitmemError,
    NoRepositoryError,
    NotFoundError,
    ProcessError,
    TrustError,
)
from gitmem.git.git import plausible
from gitmem.store.companion import describe_companion_write
from gitmem.store.proofs import FOREIGN, read_proofs
from gitmem.store.proposal import describe_proposal_write
from gitmem.store.scopes import POLICY_PATH, UNIVERSAL
from gitmem.store.state.clone import is_registered
from gitmem.system import settle_modes
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from gitmem.config import Config
    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.index.catalog.inserts import KnownText
    from gitmem.model import Document, Verdict
    from gitmem.policy import Policy
    from gitmem.store.commit import CommitPlan, CommitResult, WriteTarget
    from gitmem.store.local import LocalState
    from gitmem.store.scopes import Store
    from gitmem.verify.approvals.reviewed_list import ApprovedList
    from gitmem.verify.due import Due, KnownFacts
    from gitmem.verify.options import Options
    from gitmem.verify.session import Session
    from gitmem.write.draft import Author
    from gitmem.write.writer import Writer

# How long a command whose work is the index waits for another process: longer than 100,000 memories take.
WAIT_S = 300.0


class OpenStore:
    """One store, opened.

    Attributes:
        git: The git binary, bound to the store's repository.
        config: The settings.
        store: The store.
        notices: Messages for the person that are not errors, about skipped or outdated data.
        is_in_tree: Whether writes go into the code tree.
        ignored_settings: The repository's own settings that have no effect until they are accepted, by name.
        ignoring: The notice about them; empty if there are none, or the person denied them.
        approved_lists: The approved lists read so far, by typed name.
        opened_catalog: The catalog, once it was opened.
        known_texts: What this process has parsed and written, by object name: not read again for the catalog.
        behind: Which commit the catalog shows instead of the tip, as a line; empty if it shows the tip.
        here: The current directory, and the top of its work tree; empty if there is none.
    """

    # How often a write looks whether another process's refresh has ended (SQLite itself waits within `follow` too).
    REFRESH_ATTEMPTS = 10
    REFRESH_PAUSE_S = 0.25

    is_in_tree = False
    ignored_settings: Mapping[str, str]
    ignoring: str
    here: tuple[str, str] = ("", "")

    def __init__(
        self,
        git: Git,
        config: Config,
        location: Store,
        *,
        clock: Callable[[], float],
        progress: Callable[[str, int, int], None] | None,
        notices: list[str],
        author: Callable[[], Author] | None = None,
    ) -> None:
        self.git = git
        self.config = config
        self.store = location
        self.notices = notices
        self.clock = clock
        self.progress = progress
        self.opened_catalog: Catalog | None = None
        self.known_texts: Mapping[str, KnownText] = {}
        self.approved_lists: dict[str, ApprovedList] = {}
        self.behind = ""
        self._last_good: dict[tuple[str, str], tuple[str, str]] = {}
        self._policy: Policy | None = None
        self._local: LocalState | None = None
        self._is_usable: bool | None = None
        self._proven: set[str] = set()
        self._author = author

    def add_notice(self, message: str) -> None:
        """Add a notice unless it is empty or there already."""
        if message and message not in self.notices:
            self.notices.append(message)

    def close(self) -> None:
        """Close the catalog and the local state."""
        if self.opened_catalog is not None:
            self.opened_catalog.close()
            self.opened_catalog = None
        if self._local is not None:
            self._local.close()
        settle_modes(self.git.repository.state)

    @property
    def now(self) -> int:
        """Return the time, epoch seconds; between 1971 and 2106, even if the clock is wrong."""
        return plausible(self.clock())

    @property
    def ref(self) -> str:
        """Return the store's full ref."""
        return self.store.ref

    @property
    def local(self) -> LocalState:
        """Return the local state of this clone."""
        if self._local is None:
            from gitmem.store.local import LocalState

            self._local = LocalState(self.usable(self.store.folder))
        return self._local

    def usable(self, folder: str) -> str:
        """Return a folder of local state; one that is empty and discards writes if the clone is not known.

        State that came with a ``.git`` from elsewhere has been removed when this returns.
        """
        if self._is_usable is None:
            self._is_usable = is_registered(self.git.repository.state) or self._accept_clone()
        return folder if self._is_usable else os.devnull

    def _accept_clone(self) -> bool:
        from gitmem.store.state.registration import accept_clone

        clone = accept_clone(self.git.repository.state)
        self.notices += [clone.notice] if clone.notice else []
        return clone.is_usable

    def find_tip(self) -> str | None:
        """Return the store's commit: of the local branch, else of the remote's; None if there is no store.

        A branch that merely has the store's name does not count (``store.foreign``).
        """
        tip = self._branch_tip()
        return tip if tip is not None and self._is_readable(tip) else None

    def tip(self) -> str:
        """Return the store's commit.

        Raises:
            NoRepositoryError: This repository has no store yet; or the branch is not a store's (ForeignBranchError).
        """
        tip = self.find_tip()
        if tip is None:
            self._refuse_foreign()
            raise NoRepositoryError(
                f"this repository has no memory yet: there is no branch {self.config.branch}",
                hint='create or join one: gitmem init; or simply: gitmem remember "what you learned"',
            )
        return tip

    def has_branch(self) -> bool:
        """Return whether there is a branch with the store's name, whatever its state."""
        try:
            return self._branch_tip() is not None
        except GitmemError:
            return True

    def need_branch(self) -> None:
        """Check that the store's branch exists, whatever its state: a captured text waits until it can be read again.

        Raises:
            NoRepositoryError: There is no such branch.
        """
        if not self.has_branch():
            self.tip()

    def need_store(self) -> str:
        """Return the store's commit if it has no entries that belong to no store.

        Raises:
            NoRepositoryError: This repository has no store yet; or the branch is not a store's (ForeignBranchError).
        """
        tip = self.tip()
        self._refuse_foreign()
        return tip

    def _branch_tip(self) -> str | None:
        """Return the commit of the store's branch, here or else at the remote, whatever it contains."""
        tip = self.git.read_ref(self.ref)
        return tip or (self.git.read_ref(self.store.upstream) if self.store.upstream else None)

    @property
    def proofs_folder(self) -> str:
        """Return the folder that caches which commits are a store's."""
        return self.usable(self.git.repository.state)

    def _is_readable(self, tip: str) -> bool:
        if tip in self._proven:
            return True
        kind = read_proofs(self.proofs_folder).get(tip, "")
        if not kind:
            from gitmem.store.foreign import kind_of

            kind = kind_of(self.git, tip, state=self.proofs_folder)
        if kind != FOREIGN:  # a foreign one may prove to be a store's when a clone is deepened
            self._proven.add(tip)
        return kind != FOREIGN

    def _refuse_foreign(self) -> None:
        """Refuse a branch that exists and is not a store.

        Raises:
            ForeignBranchError: It is one of something else.
        """
        from gitmem.store.foreign import init_hint, need_store, short

        tip = self._branch_tip()
        if tip is None:
            return
        ref, branch = self.ref if self.git.read_ref(self.ref) else self.store.upstream, self.config.branch
        if ref.startswith("refs/remotes/"):
            need_store(self.git, tip, branch, remote=self.config.remote, hint=init_hint(branch))
        else:
            need_store(self.git, tip, short(ref))

    def tree(self) -> str:
        """Return the tree ``.memory`` of the code whose memories are read with the store's; empty if there is none.

        Only a project's store has one (``Opened``).
        """
        return ""

    def folder(self, tree: str) -> str:
        """Return the folder of the store's catalog, which is read together with a tree of the code."""
        # Each work tree has its own HEAD: a shared catalog would be rebuilt back and forth.
        folder = os.path.join(self.git.repository.git, "gitmem", "home-index") if tree else self.store.folder
        if self.store.companion:
            return self.usable(os.path.join(self.git.repository.git, "gitmem", "companion-index"))
        # The same applies to the memory branch, which a scheduled job judges meanwhile, and a proposal.
        return self.usable(os.path.join(folder, "proposal-index") if self.store.proposal else folder)

    @property
    def vectors_folder(self) -> str:
        """Return the state folder with its vectors."""
        return self.usable(self.store.folder)

    def has_store(self) -> bool:
        """Return whether there are memories to read."""
        return bool(self.find_tip() or self.tree())

    def source(self) -> tuple[str, str]:
        """Return the sources to read: the store's commit, and the code's tree ``.memory``; either may be empty.

        Raises:
            NoRepositoryError: Neither exists.
        """
        tree = self.tree()
        return (self.find_tip() or "") if tree else self.tip(), tree

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return the catalog at the store's tip, updated if it is behind."""
        from gitmem.index.catalog import Catalog, commit_and_tree, unreadable_tip  # SQLite: most hooks never need it

        wanted = self.source() if tip is None else (tip, self.tree())
        shown: Sequence[object] = (wanted, self._last_good.get(wanted))
        if self.opened_catalog is None:
            from gitmem.text.tokens import format_stamp

            self.opened_catalog = Catalog.open(self.folder(wanted[1]), analysis=format_stamp())
            shown = () if self.opened_catalog and unreadable_tip(self.opened_catalog) else shown
        if self.opened_catalog is None or commit_and_tree(self.opened_catalog) not in shown:
            self._refresh(wanted)
        assert self.opened_catalog is not None
        return self.opened_catalog

    def current_catalog(self) -> Catalog:
        """Return the catalog at the store's tip; wait, with progress, for another process that is writing it.

        Raises:
            BusyError: The other process has not finished after ``WAIT_S`` seconds.
        """
        from gitmem.index.catalog import unreadable_tip

        earlier, until = len(self.notices), time.monotonic() + WAIT_S
        progress = self.progress_of("waiting for another process that is writing the index, seconds")
        while True:
            self._last_good = {}
            catalog = self.catalog()
            if not self.behind or unreadable_tip(catalog):
                return catalog
            left = until - time.monotonic()
            if left <= 0:
                raise BusyError(self.behind, hint="run the command again when the other process has finished")
            del self.notices[earlier:]
            if progress is not None:
                progress(round(WAIT_S - left), round(WAIT_S))
            time.sleep(self.REFRESH_PAUSE_S)

    def _refresh(self, wanted: tuple[str, str]) -> None:
        from gitmem.index.catalog import commit_and_tree
        from gitmem.index.refresh import CatalogSource, refresh

        tip, tree = wanted
        # In place: a command that holds the catalog while the branch moves must not be left with a closed one. The
        # catalog's folder changes as soon as the code gets its first memories or loses its last.
        have = (
            self.opened_catalog
            if self.opened_catalog and bool(commit_and_tree(self.opened_catalog)[1]) == bool(tree)
            else None
        )
        source = CatalogSource(self.git, tip, tree, self.folder(tree), self.known_texts)
        result = refresh(source, have, self.progress_of("reading memories"))
        if self.opened_catalog is None:
            self.opened_catalog = result.catalog
        elif result.catalog is not self.opened_catalog:
            self.opened_catalog.become(result.catalog)
        self._policy = None
        # Another process is writing it: waited for once, not for every query.
        self._last_good = {wanted: commit_and_tree(self.opened_catalog)} if result.behind else {}
        self.behind = result.behind
        self.add_notice(result.behind)

    def progress_of(self, what: str) -> Callable[[int, int], None] | None:
        """Return the progress callback for a long operation, or None without a listener."""
        progress = self.progress
        return None if progress is None else lambda done, of: progress(what, done, of)

    def policy(self) -> Policy:
        """Return the store's policy; the built-in one if there is no store yet."""
        catalog = self.catalog() if self.has_store() else None  # discards an outdated policy
        if self._policy is None:
            from gitmem.policy import Policy

            text = catalog.meta("policy") if catalog else "{}"
            changes = parse_json(text) if text != "{}" else {}
            self._policy = Policy.from_dict(changes).with_own(self.config)
        return self._policy

    def ground(self, catalog: Catalog | None = None) -> int | None:
        """Return the ground of HEAD with its states computed; None if HEAD is unborn or there are no facts.

        The universal store has none: its memories are not about any code of their own, so its checks are not run.

        Args:
            catalog: The catalog from which the states will be read; by default the store's. That may be another one on
                the next call, because captures were committed meanwhile, and then every fact would look unproven.
        """
        from gitmem.index.catalog import state

        catalog = catalog or self.catalog()
        if self.store.scope == UNIVERSAL:
            return None
        catalog.wrong_elsewhere = self.local.wrong_elsewhere()
        _, commit = self.git.read_head()
        if commit is None or not state.has_statuses(catalog):
            return None
        known = state.ground_of(catalog, commit, self.local.serial())
        catalog.keep_spot_answers(commit)
        catalog.answer_claims = lambda ground, facts: self._answer_claims(catalog, commit, ground, facts)
        try:
            if known is not None and (
                not state.asks_who(catalog, self.policy()) or self.known_facts(catalog).is_settled(self.git)
            ):
                return known
            return self._refresh_states(catalog, commit)
        except (NotFoundError, ProcessError) as err:
            # A broken or partial clone without its remote: cached statuses can still be read.
            self.notices.append(f"statuses are unknown: the code at {commit[:12]} cannot be read ({err.message})")
            return None

    def checked_ground(self, catalog: Catalog | None = None) -> int | None:
        """Return the ground of HEAD, like ``ground``, after all claimed verdicts of built-in checks were recomputed.

        For counts and searches by status; where single memories are shown, only theirs are recomputed.
        """
        from gitmem.index.catalog import state

        catalog = catalog or self.catalog()
        ground = self.ground(catalog)
        return self.ground(catalog) if state.recompute_claims(catalog, ground) else ground

    def spot_check(self, catalog: Catalog, ground: int | None, keys: Collection[str]) -> bool:
        """Answer the cheap checks of stale facts that an agent is about to be shown; return whether there were any.

        The answers are kept in memory, where statuses are derived from them.

        Args:
            catalog: The catalog.
            ground: The ground of HEAD, from ``ground``.
            keys: The memories to be shown, the most important first; what they require counts as well.
        """
        from gitmem.index.catalog.state import list_stale_checks

        stale = list_stale_checks(catalog, ground, keys, now=self.now) if ground is not None else []
        _, commit = self.git.read_head() if stale else ("", None)
        if ground is None or commit is None:
            return False
        since = time.process_time()
        from gitmem.verify.spot_check import answer_stale, without_restated  # 5 ms (measured), which count

        answers = without_restated(self.git, commit, catalog, answer_stale(self.git, commit, stale, since=since))
        catalog.spot_answers |= {(ground, stale.key, stale.spec): answer for stale, answer in answers.items()}
        return bool(answers)

    def _answer_claims(self, catalog: Catalog, commit: str, ground: int, facts: list[int]) -> dict[int, str]:
        from gitmem.verify.claims import answer_claims

        try:
            return answer_claims(self.known_facts(catalog), self.git, commit, ground=ground, facts=facts)
        except (NotFoundError, ProcessError):
            return {}  # the code cannot be read, so nothing is recomputed

    def _refresh_states(self, catalog: Catalog, commit: str) -> int:
        from gitmem.verify.due import refresh_states

        return refresh_states(self.known_facts(catalog), self.git, commit)

    def known_facts(self, catalog: Catalog) -> KnownFacts:
        """Return what is known about the facts of a catalog of this store."""
        from gitmem.repository.verification import reviewed_branch
        from gitmem.verify.due import KnownFacts

        return KnownFacts(catalog, self.local, self.policy(), self.now, lambda: reviewed_branch(self))

    def full_key(self, typed: str) -> str:
        """Return the typed key, or the only key that begins with it.

        Raises:
            NotFoundError: There is no such key.
            AmbiguousKeyError: Several keys begin with it.
        """
        from gitmem.index.catalog.keys import full_key

        return full_key(self.catalog(), typed)

    def need(self, keys: Iterable[str]) -> Sequence[str]:
        """Return full keys; raise if one does not exist."""
        return [self.full_key(key) for key in keys]

    def text_of(self, key: str) -> str:
        """Return the exact text of a memory's file."""
        from gitmem.write.place import need_known

        return self.writer().text_of(self.catalog(), need_known(self.catalog(), self.full_key(key)))

    def writer(self) -> Writer:
        """Return a writer to this store."""
        from gitmem.repository.store_writer import writer_of

        return writer_of(self)

    def commit(
        self, plan: Callable[[str | None], CommitPlan | None], command: str, *, ref: str = "", repairs: bool = False
    ) -> CommitResult | None:
        """Commit what *plan* returns for the tip of the branch, or of another ref; None if that is nothing.

        Unlike a writer's commits, it does not wait for captures, and the index follows when it is used next.
        """
        from gitmem.store.commit import WriteTarget, write_commit

        start = None if ref else self.find_tip()
        target = WriteTarget(self.git, ref or self.ref, command, self.config.lock_timeout_s, start)
        return write_commit(target, plan, now=self.now, repairs=repairs)

    def write_target(self, command: str = "") -> WriteTarget:
        """Return the branch as the target of a command's writes."""
        from gitmem.store.commit import WriteTarget

        return WriteTarget(self.git, self.ref, command, self.config.lock_timeout_s, self.start())

    def start(self) -> str | None:
        """Return the commit at which a write starts a missing branch: the remote's tip, or None for the root.

        A write refuses a tip that is not a store, since it could not be shared.
        """
        return None if self.git.read_ref(self.ref) else self._branch_tip()

    def catalog_at(self, tip: str | None) -> Catalog:
        """Return the catalog at a tip, for planning a write; an empty one for a missing branch.

        Raises:
            ConflictError: Another process keeps refreshing it, and a write must not be planned on an older state.
        """
        from gitmem.index.refresh import empty_catalog, refuse_unreadable

        if tip is None:
            return empty_catalog()
        number = len(self.notices)
        for _ in range(self.REFRESH_ATTEMPTS):
            self._last_good = {}
            catalog = self.catalog(tip)
            if catalog.meta("commit") == tip:
                refuse_unreadable(catalog)
                return catalog
            del self.notices[number:]
            time.sleep(self.REFRESH_PAUSE_S)
        raise ConflictError(
            "another process is writing the index, which could not be updated",
            hint="try again; if that does not help: gitmem index --rebuild",
        )

    def follow_write(self, written: CommitResult, files: dict[str, bytes], removed: tuple[str, ...]) -> None:
        """Update the catalog after a write was acknowledged; if that fails, the next read does it."""
        from gitmem.index.refresh import follow_written

        if self.opened_catalog is not None and files:
            follow_written(self.git, self.opened_catalog, written, files, removed)
        code = self.store.companion
        message = describe_companion_write(code) if code else describe_proposal_write(self.store.proposal)
        self.add_notice(message if code or self.store.proposal else "")

    def author(self) -> Author:
        """Return the author: the person as git names them, the agent and its session, and the current project."""
        if self._author is not None:
            return self._author()
        from gitmem.repository.store_writer import author_of

        return author_of(self)

    def typed(self, path: str) -> str:
        """Return a path of the code in the form to type in the current directory (``cli.paths``)."""
        start, top = map(os.path.realpath, self.here) if all(self.here) else ("", "")
        return os.path.relpath(os.path.join(top, path), start) if start.startswith(top) and top else path

    def default_branch(self) -> str:
        """Return the code's default branch as a full ref, or an empty string."""
        from gitmem.git.branches import default_branch

        configured = self.config.default_branch
        if not configured and self.has_store():
            configured = self.policy().verify.default_branch
        return default_branch(self.git, configured=configured, remote=self.config.remote)

    def session(self, options: Options | None = None) -> Session:
        """Return a verify session for HEAD; without options also for the first fact, before there is a store."""
        from gitmem.repository.verification import open_session

        return open_session(self, options)

    def list_waiting(self) -> list[Due]:
        """Return the facts whose commands wait for approval, by key."""
        if self.catalog().row("SELECT 1 FROM fact WHERE form <> 'builtin' LIMIT 1") is None:
            return []
        return self.session().list_waiting()

    def waiting_keys(self) -> list[str]:
        """Return the keys of those facts for a report; none, with a notice, if they cannot be determined now."""
        if self.git.read_head()[1] is None:
            return []  # nothing is due without code
        try:
            return [due.row.key for due in self.list_waiting()]
        except TrustError as err:
            self.notices.append(err.message)
        except (NotFoundError, ProcessError):
            pass  # the code is unreadable: ``ground`` reports it
        return []

    def commands(self, keys: Sequence[str] = ()) -> list[Due]:
        """Return the live facts whose check is a command, by key: all, or those with these keys."""
        from gitmem.repository.verification import list_commands

        return list_commands(self, keys)

    def keep_verdicts(self, verdicts: Sequence[Verdict], session: Session | None = None) -> None:
        """Store verdicts that were made outside a verify run: by their session, or by a new one."""
        (session or self.session()).keep_verdicts(verdicts)

    def home_of(self, document: Document, *, outcome: str = "", is_uncommitted: bool = False) -> OpenStore:
        """Return where to write a memory: here, or to the companion of HEAD's branch.

        Args:
            document: The memory.
            outcome: The outcome of its check here, if known.
            is_uncommitted: Whether that outcome needs uncommitted changes.
        """
        return self

    def note_policy(self, catalog: Catalog) -> None:
        """Report an unreadable policy of the store: ranking and display use the built-in one."""
        # Without the reason: that quotes the policy, which others write, and agents see notices.
        is_wrong = catalog.row("SELECT 1 FROM problem WHERE path = ?", (POLICY_PATH,)) is not None
        message = f"{POLICY_PATH} is invalid; using the built-in policy instead: gitmem doctor" if is_wrong else ""
        self.add_notice(message)
