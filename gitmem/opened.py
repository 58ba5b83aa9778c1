"""One opened store: what the operations above share, and no command of its own.

Modules that only some commands need are imported by the method that needs them, because ``recall`` and the hooks run on
every prompt.
"""

from __future__ import annotations

import os
import time

from gitmem import config
from gitmem.catalog import state
from gitmem.catalog.catalog import Catalog, discard_damaged
from gitmem.errors import ConflictError, NoRepositoryError, NotFoundError, ProcessError, TrustError
from gitmem.git.binary import Git
from gitmem.git.repository import discover
from gitmem.store.local import LocalState
from gitmem.store.viewpoint import outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

    from gitmem.config import Config
    from gitmem.model import Verdict
    from gitmem.policy import Policy
    from gitmem.store.commit import Written
    from gitmem.verify.due import Due
    from gitmem.verify.session import Options, Session
    from gitmem.verify.trust import Approval, Trust
    from gitmem.write.draft import Author
    from gitmem.write.writer import Writer

# A write waits for another process's refresh of the index, longer than any refresh seen: 10 times a second, which
# SQLite waits by itself (`search.refresh.follow`), and this long.
REFRESH_ATTEMPTS = 10
REFRESH_PAUSE_S = 0.25


class Opened:
    """The store of one repository, opened.

    Attributes:
        git: The git binary, bound to the repository.
        config: The settings.
        notices: Lines for the person that are no errors: what was skipped, what is behind.
    """

    def __init__(
        self,
        start: Path | str = ".",
        *,
        clock: Callable[[], float] = time.time,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        """Find the repository that holds a folder.

        Args:
            start: The folder.
            clock: Returns epoch seconds.
            progress: Told what is done, how much of it and of how much, during long work.

        Raises:
            NoRepositoryError: There is none.
            ConfigError: A setting is wrong.
        """
        self.git = Git(outside(discover(os.path.abspath(start))))
        self.config: Config = config.load(self.git.config_values())
        self.notices: list[str] = []
        self._clock = clock
        self._progress = progress
        self._catalog: Catalog | None = None
        self._last_good: dict[str, str] = {}
        self._policy: Policy | None = None
        self._local: LocalState | None = None

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what was opened; throw the index away where it turned out to be damaged."""
        self.close()
        discard_damaged(self.git.repository.state, value)

    def close(self) -> None:
        """Close the catalog and the local state."""
        if self._catalog is not None:
            self._catalog.close()
            self._catalog = None
        if self._local is not None:
            self._local.close()

    @property
    def now(self) -> int:
        """Return the time, epoch seconds."""
        return int(self._clock())

    @property
    def ref(self) -> str:
        """Return the memory branch as a full ref."""
        return f"refs/heads/{self.config.branch}"

    @property
    def local(self) -> LocalState:
        """Return the local state of this clone."""
        if self._local is None:
            self._local = LocalState(self.git.repository.state)
        return self._local

    def find_tip(self) -> str | None:
        """Return the store's commit: of the local branch, else of the remote's; None where there is neither."""
        tip = self.git.read_ref(self.ref)
        return tip or self.git.read_ref(f"refs/remotes/{self.config.remote}/{self.config.branch}")

    def tip(self) -> str:
        """Return the store's commit.

        Raises:
            NoRepositoryError: This repository has no store yet.
        """
        tip = self.find_tip()
        if tip is None:
            raise NoRepositoryError(
                f"this repository has no memory yet: there is no branch {self.config.branch}",
                hint='start one: gitmem init; or simply: gitmem remember "what you learnt"',
            )
        return tip

    def catalog(self, tip: str | None = None) -> Catalog:
        """Return the catalog at the store's tip, brought up to date where it is behind."""
        wanted = tip or self.tip()
        if self._catalog is None:
            from gitmem.analysis import format_stamp

            self._catalog = Catalog.open(self.git.repository.state, analysis=format_stamp())
        if self._catalog is None or self._catalog.meta("commit") not in (wanted, self._last_good.get(wanted)):
            self._refresh(wanted)
        assert self._catalog is not None
        return self._catalog

    def _refresh(self, tip: str) -> None:
        from gitmem.search.refresh import refresh

        # In place: a command that holds the catalog while the branch moves must not be left with a closed one.
        done = refresh(self.git, tip, have=self._catalog, progress=self._told("reading memories"))
        if self._catalog is None:
            self._catalog = done.catalog
        elif done.catalog is not self._catalog:
            self._catalog.become(done.catalog)
        self._policy = None
        # Another process writes it: waited for once, not with every question.
        self._last_good = {tip: self._catalog.meta("commit")} if done.behind else {}
        if done.behind and done.behind not in self.notices:
            self.notices.append(done.behind)

    def _told(self, what: str) -> Callable[[int, int], None] | None:
        progress = self._progress
        return None if progress is None else lambda done, of: progress(what, done, of)

    def policy(self) -> Policy:
        """Return the store's policy; the built-in one where there is no store yet."""
        catalog = self.catalog() if self.find_tip() else None  # forgets a policy that is not the tip's any more
        if self._policy is None:
            from gitmem.policy import Policy

            text = catalog.meta("policy") if catalog else "{}"
            if text == "{}":
                self._policy = Policy.from_dict({})
            else:
                import json

                self._policy = Policy.from_dict(json.loads(text))
        return self._policy

    def ground(self) -> int | None:
        """Return the ground of HEAD, its states worked out; None where HEAD is unborn or there are no facts."""
        catalog = self.catalog()
        _, commit = self.git.read_head()
        if commit is None or catalog.row("SELECT 1 FROM fact LIMIT 1") is None:
            return None
        known = state.ground_of(catalog, commit, self.local.serial())
        try:
            return known if known is not None else self._refresh_states(catalog, commit)
        except (NotFoundError, ProcessError) as err:
            # A broken or partial clone, away from its remote: what is remembered can be read all the same.
            self.notices.append(f"statuses are not known: the code at {commit[:12]} cannot be read ({err.message})")
            return None

    def _refresh_states(self, catalog: Catalog, commit: str) -> int:
        from gitmem.verify.due import refresh_states

        return refresh_states(catalog, self.git, self.local, commit, self.policy(), now=self.now)

    def full_key(self, typed: str) -> str:
        """Return the key that was typed, or the only one that begins with it.

        Raises:
            NotFoundError: There is none.
            AmbiguousKeyError: Several begin with it.
        """
        from gitmem.catalog.keys import full_key

        return full_key(self.catalog(), typed)

    def need(self, keys: Iterable[str]) -> Sequence[str]:
        """Return full keys; raises where one does not exist."""
        return [self.full_key(key) for key in keys]

    def text_of(self, key: str) -> str:
        """Return the exact text of a memory's file."""
        from gitmem.write.writer import need_known

        return self.writer().text_of(self.catalog(), need_known(self.catalog(), self.full_key(key)))

    def writer(self) -> Writer:
        """Return a writer to this store."""
        from gitmem.write.writer import Writer

        return Writer(
            self.git,
            self.ref,
            catalog_at=self.catalog_at,
            written=self._written,
            author=self.author(),
            now=self.now,
            lock_timeout_s=self.config.lock_timeout_s,
            start=self._start(),
        )

    def _start(self) -> str | None:
        """Return where a write starts the branch that is not there yet: the remote's tip, or None for the root."""
        return None if self.git.read_ref(self.ref) else self.find_tip()

    def catalog_at(self, tip: str | None) -> Catalog:
        """Return the catalog as of a tip, to plan a write on; an empty one for a branch that is not there yet.

        Raises:
            ConflictError: Another process refreshes it all the time: a write may not be planned on an older state.
        """
        from gitmem.search.refresh import empty_catalog, refuse_unreadable

        if tip is None:
            return empty_catalog()
        said = len(self.notices)
        for _ in range(REFRESH_ATTEMPTS):
            self._last_good = {}
            catalog = self.catalog(tip)
            if catalog.meta("commit") == tip:
                refuse_unreadable(catalog)
                return catalog
            del self.notices[said:]
            time.sleep(REFRESH_PAUSE_S)
        raise ConflictError(
            "the index is being written by another process and could not be brought up to date",
            hint="try again; if it stays so: gitmem index --rebuild",
        )

    def _written(self, written: Written, files: dict[str, bytes], removed: tuple[str, ...]) -> None:
        """Bring the catalog along behind the acknowledgement; where that fails, the next read does it."""
        from gitmem.search.refresh import follow_written

        if self._catalog is not None and files:
            follow_written(self.git, self._catalog, written, files, removed)

    def author(self) -> Author:
        """Return who writes: the person as git names them, and the agent where one is set."""
        from gitmem.write.draft import Author

        return Author(self.git.identity()[0], self.config.agent, self.git.repository.name)

    def trust(self) -> Trust:
        """Return the approvals of this clone."""
        from gitmem.store.local import clone_id
        from gitmem.verify.trust import Trust

        try:
            clone = clone_id(self.git.repository.state)
        except OSError:
            clone = ""  # a read-only repository that nobody ever approved anything in
        return Trust(config.state_home(), clone)

    def default_branch(self) -> str:
        """Return the code's default branch as a full ref, or an empty string."""
        from gitmem.git.branches import default_branch

        configured = self.config.default_branch
        if not configured and self.find_tip():
            configured = self.policy().verify.default_branch
        return default_branch(self.git, configured=configured, remote=self.config.remote)

    def reviewed_branch(self) -> str:
        """Return the branch whose approved list counts, as a full ref, or an empty string.

        The store's policy has no say in it, and it is never the memory branch: what is pushed there would approve
        itself.
        """
        from gitmem.git.branches import default_branch

        found = default_branch(self.git, configured=self.config.default_branch, remote=self.config.remote)
        return "" if found in (self.ref, f"refs/remotes/{self.config.remote}/{self.config.branch}") else found

    def session(self, options: Options | None = None) -> Session:
        """Return a verify session for HEAD; without options also where there is no store yet, for its first fact."""
        from gitmem.verify.session import Session

        return Session(
            self.git,
            self.ref,
            self.catalog() if options is not None or self.find_tip() else self.catalog_at(None),
            self.local,
            policy=self.policy(),
            config=self.config,
            trust=self.trust(),
            default=self.default_branch(),
            reviewed=self.reviewed_branch(),
            follow=self._follow,
            start=self._start(),
            now=self.now,
            options=options,
        )

    def _follow(self, tip: str) -> None:
        """Bring the catalog that a verify run reads to a tip, in place: the run holds on to it.

        Raises:
            ConflictError: It must be made anew, since the policy changed; or another process writes it all the time.
        """
        import sqlite3

        from gitmem.catalog.catalog import is_busy
        from gitmem.search.refresh import follow, refuse_unreadable

        catalog = self._catalog
        assert catalog is not None
        refuse_unreadable(catalog)
        for _ in range(REFRESH_ATTEMPTS):
            try:
                if catalog.meta("commit") == tip or follow(self.git, catalog, tip):
                    return
                break
            except sqlite3.OperationalError as err:
                if not is_busy(err):
                    raise
                time.sleep(REFRESH_PAUSE_S)
        raise ConflictError(
            "the policy or the index was replaced while facts were judged; the verdicts are kept in this clone",
            hint="write them to the branch without running anything again: gitmem verify",
        )

    def waiting(self) -> list[Due]:
        """Return the facts whose commands wait for approval, by key."""
        if self.catalog().row("SELECT 1 FROM fact WHERE form <> 'builtin' LIMIT 1") is None:
            return []
        return self.session().waiting()

    def waiting_keys(self) -> list[str]:
        """Return the keys of those facts for a report; none, and a notice, where that cannot be told now."""
        if self.git.read_head()[1] is None:
            return []  # nothing is due where there is no code
        try:
            return [due.row.key for due in self.waiting()]
        except TrustError as err:
            self.notices.append(err.message)
        except (NotFoundError, ProcessError):
            pass  # the code cannot be read: ``ground`` says so
        return []

    def commands(self, keys: Sequence[str] = ()) -> list[Due]:
        """Return the live facts whose check is a command, by key: of these keys, or all."""
        from gitmem.verify.session import Options

        session = self.session(Options(keys=tuple(keys), everything=not keys))
        return [due for due in session.list_due() if due.spec.check.form != "builtin"]

    def approve(self, due: Due) -> None:
        """Approve one command for this clone. Only ever called for a person at a terminal."""
        self.trust().approve(self._approval("allow", due))

    def deny(self, due: Due) -> None:
        """Deny one command in this clone."""
        self.trust().revoke(self._approval("deny", due))

    def _approval(self, verdict: str, due: Due) -> Approval:
        from gitmem.verify.trust import Approval

        command = due.spec.check.shown()
        return Approval(verdict, due.row.spec, due.row.key, command, self.now, self.author().who)

    def keep_verdicts(self, verdicts: Sequence[Verdict]) -> None:
        """Write down verdicts that were made outside a verify run."""
        self.session().keep_verdicts(verdicts)

    def counts_here(self) -> bool:
        """Tell whether verdicts made now are committed: HEAD is the default branch."""
        from gitmem.git.branches import is_on_default

        return is_on_default(self.git, self.default_branch())
