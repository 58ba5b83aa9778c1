"""Everything needed to prove the facts of an opened store: approvals, branches, and verify sessions."""

from __future__ import annotations

import os
import time
from functools import cached_property

from gitmem.errors import ConflictError, NotFoundError, ProcessError, TrustError
from gitmem.repository.open_store import REFRESH_ATTEMPTS, REFRESH_PAUSE_S, OpenStore
from gitmem.store.layout import POLICY_PATH
from gitmem.store.scope import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitmem.index.catalog.catalog import Catalog
    from gitmem.model import Document, Verdict
    from gitmem.verify.approved import ApprovedList
    from gitmem.verify.due import Due
    from gitmem.verify.session import Options, Session
    from gitmem.verify.trust import Approval, Trust


class ProvingStore(OpenStore):
    """An opened store whose facts can be proved.

    Attributes:
        ignored_settings: Settings of the repository itself that do not count until they are accepted, by name.
        ignoring: The line about them; empty where there are none, or the person denied them.
    """

    ignored_settings: Mapping[str, str]
    ignoring: str
    # The folder that somebody is in, and the top of its work tree; empty where there is none.
    here: tuple[str, str] = ("", "")

    def typed(self, path: str) -> str:
        """Return a path of the code as somebody in that folder types it (``cli.arguments``)."""
        start, top = map(os.path.realpath, self.here) if all(self.here) else ("", "")
        return os.path.relpath(os.path.join(top, path), start) if start.startswith(top) and top else path

    @cached_property
    def _lists(self) -> dict[str, ApprovedList]:
        """The approved lists that were read, by the name that was typed."""
        return {}

    def trust(self, approved: str = "") -> Trust:
        """Return the approvals of this clone, with those of an approved list where one is named."""
        from gitmem.verify.trust import of_clone

        trust = of_clone(self.git)
        return trust.with_list(self._listed(approved).lines) if approved else trust

    def _listed(self, approved: str) -> ApprovedList:
        """Return an approved list, asked for once; note what in it does not count."""
        from gitmem.git.remotes import RemoteOptions
        from gitmem.verify.approved import find_lies, read

        if approved not in self._lists:
            listed = read(self.git, approved, memory=self.config.branch, talk=RemoteOptions())
            self._lists[approved] = listed
            self.notices += find_lies(listed, self.commands()) if self.has_store() else []
        return self._lists[approved]

    def default_branch(self) -> str:
        """Return the code's default branch as a full ref, or an empty string."""
        from gitmem.git.branches import default_branch

        configured = self.config.default_branch
        if not configured and self.has_store():
            configured = self.policy().verify.default_branch
        return default_branch(self.git, configured=configured, remote=self.config.remote)

    def code_trailers(self) -> tuple[tuple[str, str], ...]:
        """Return the trailers that say for which code something is written: the project's store is about this code."""
        if self.store.scope != PROJECT:
            return ()
        from gitmem.git.branches import likely_default
        from gitmem.store.trailers import code_trailers

        # Without the policy: it is read from the index, which this very write may be planned for.
        default = likely_default(self.git, configured=self.config.default_branch, remote=self.config.remote)
        return code_trailers(self.git, default)

    def reviewed_branch(self) -> str:
        """Return the branch whose code was reviewed, as a full ref, or an empty string.

        The store's policy has no say in it, and it is never the memory branch: what is pushed there would review
        itself.
        """
        from gitmem.git.branches import default_branch

        found = default_branch(self.git, configured=self.config.default_branch, remote=self.config.remote)
        own, theirs = f"refs/heads/{self.config.branch}", f"refs/remotes/{self.config.remote}/{self.config.branch}"
        return "" if found in (self.ref, own, theirs) else found

    def session(self, options: Options | None = None) -> Session:
        """Return a verify session for HEAD; without options also where there is no store yet, for its first fact."""
        from gitmem.verify.session import Session

        return Session(
            self.git,
            self.ref,
            self.catalog() if options is not None or self.has_store() else self.catalog_at(None),
            self.local,
            policy=self.policy(),
            config=self.config,
            trust=self.trust(options.approved if options else ""),
            # The memory branch's verdicts are none of a proposal's: they stay in this clone (docs/propose.md).
            default="" if self.store.proposal or self.store.companion else self.default_branch(),
            follow=self._follow,
            start=self._start(),
            now=self.now,
            options=options,
        )

    def note_unreadable(self) -> None:
        """Note that files of the store cannot be read: one may be a fact, and nobody looks at that."""
        from gitmem.index.catalog.keys import describe_unreadable

        message = describe_unreadable(self.catalog()) if self.has_store() else ""
        if message and message not in self.notices:
            self.notices.append(message)

    def note_policy(self, catalog: Catalog) -> None:
        """Note that the store's policy cannot be read: what ranks and what is shown is not what somebody wrote."""
        # Not why: that quotes the policy, which others write, and agents are shown notices.
        is_wrong = catalog.row("SELECT 1 FROM problem WHERE path = ?", (POLICY_PATH,)) is not None
        message = f"{POLICY_PATH} is invalid; using the built-in policy instead: gitmem doctor" if is_wrong else ""
        if message and message not in self.notices:
            self.notices.append(message)

    def _follow(self, tip: str) -> None:
        """Bring the catalog that a verify run reads to a tip, in place: the run holds on to it.

        Raises:
            ConflictError: It must be rebuilt, since the policy changed; or another process writes it all the time.
        """
        import _sqlite3 as sqlite3

        from gitmem.index.refresh import follow, refuse_unreadable
        from gitmem.store.sqlite_errors import is_busy

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
            "the policy or the index changed while facts were being judged; the verdicts are kept in this clone",
            hint="commit them without running anything again: gitmem verify",
        )

    def waiting(self) -> list[Due]:
        """Return the facts whose commands wait for approval, by key."""
        if self.catalog().row("SELECT 1 FROM fact WHERE form <> 'builtin' LIMIT 1") is None:
            return []
        return self.session().waiting()

    def waiting_keys(self) -> list[str]:
        """Return the keys of those facts for a report; none, and a notice, where that cannot be determined now."""
        if self.git.read_head()[1] is None:
            return []  # nothing is due where there is not code
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
        from gitmem.store.acceptance import accept

        self.trust().approve(self._approval("allow", due))
        accept(self.git.repository.state)

    def deny(self, due: Due) -> None:
        """Deny one command in this clone."""
        self.trust().revoke(self._approval("deny", due))

    def accept_settings(self) -> None:
        """Accept the settings that are ignored, in this clone. Only ever called for a person at a terminal."""
        from gitmem.repository import trusted_settings

        self.trust().approve(self._settings_approval("allow", self.ignored_settings, trusted_settings.shown))

    def deny_settings(self) -> bool:
        """Ignore the guarded settings that this repository has; tell whether it has any."""
        from gitmem.repository import trusted_settings

        settings = trusted_settings.of_repository(self.git)
        if settings:
            self.trust().revoke(self._settings_approval("deny", settings, sorted))
        return bool(settings)

    def _settings_approval(
        self, verdict: str, settings: Mapping[str, str], shown: Callable[[Mapping[str, str]], list[str]]
    ) -> Approval:
        from gitmem.repository import trusted_settings
        from gitmem.verify.trust import Approval

        spec = trusted_settings.spec_of(settings)
        return Approval(verdict, spec, "settings", "; ".join(shown(settings)), self.now, self.author().who)

    def _approval(self, verdict: str, due: Due) -> Approval:
        from gitmem.document.spec import shown_spec
        from gitmem.verify.trust import Approval

        return Approval(verdict, due.row.spec, due.row.key, shown_spec(due.spec), self.now, self.author().who)

    def keep_verdicts(self, verdicts: Sequence[Verdict], session: Session | None = None) -> None:
        """Write down verdicts that were made outside a verify run: by the session that made them, or by a new one."""
        (session or self.session()).keep_verdicts(verdicts)

    def home_of(self, document: Document, *, outcome: str = "", is_uncommitted: bool = False) -> ProvingStore:
        """Return where a memory is written that says this now: here, or to the companion of HEAD's branch.

        Args:
            document: The memory.
            outcome: What its check showed here, where that is known.
            is_uncommitted: Whether it showed that only with changes that are not committed yet.
        """
        return self

    def counts_here(self) -> bool:
        """Return whether verdicts made now are committed: HEAD is the default branch, and no proposal is current."""
        from gitmem.git.branches import is_on_default

        default = self.default_branch()
        is_apart = self.store.proposal or self.store.companion
        return not is_apart and is_on_default(self.git, default, remote=self.config.remote)
