"""Everything needed to prove the facts of an opened store: approvals, branches, and verify sessions."""

from __future__ import annotations

import os
import time
from functools import cached_property

from gitmem.errors import ConflictError, NotFoundError, ProcessError, TrustError
from gitmem.repository.open_store import REFRESH_ATTEMPTS, REFRESH_PAUSE_S, OpenStore
from gitmem.store import PROJECT
from gitmem.store.layout import POLICY_PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.model import Document, Verdict
    from gitmem.verify.approved import ApprovedList
    from gitmem.verify.due import Due
    from gitmem.verify.session import Options, Session
    from gitmem.verify.trust import Approval, Trust


class ProvingStore(OpenStore):
    """An opened store whose facts can be proved.

    Attributes:
        ignored_settings: The repository's own settings that have no effect until they are accepted, by name.
        ignoring: The notice about them; empty if there are none, or the person denied them.
    """

    ignored_settings: Mapping[str, str]
    ignoring: str
    # The current directory, and the top of its work tree; empty if there is none.
    here: tuple[str, str] = ("", "")

    def typed(self, path: str) -> str:
        """Return a path of the code in the form to type in that directory (``cli.arguments``)."""
        start, top = map(os.path.realpath, self.here) if all(self.here) else ("", "")
        return os.path.relpath(os.path.join(top, path), start) if start.startswith(top) and top else path

    @cached_property
    def _lists(self) -> dict[str, ApprovedList]:
        """The approved lists read so far, by typed name."""
        return {}

    def trust(self, approved: str = "") -> Trust:
        """Return the approvals of this clone, with those of an approved list if one is given."""
        from gitmem.verify.trust import of_clone

        trust = of_clone(self.git)
        return trust.with_list(self._approved_list(approved).lines) if approved else trust

    def _approved_list(self, approved: str) -> ApprovedList:
        """Return an approved list, read once; report its ineffective entries."""
        from gitmem.git.remotes import RemoteOptions
        from gitmem.verify.approved import list_mismatches, read

        if approved not in self._lists:
            listed = read(self.git, approved, memory=self.config.branch, talk=RemoteOptions())
            self._lists[approved] = listed
            self.notices += list_mismatches(listed, self.commands()) if self.has_store() else []
        return self._lists[approved]

    def default_branch(self) -> str:
        """Return the code's default branch as a full ref, or an empty string."""
        from gitmem.git.branches import default_branch

        configured = self.config.default_branch
        if not configured and self.has_store():
            configured = self.policy().verify.default_branch
        return default_branch(self.git, configured=configured, remote=self.config.remote)

    def code_trailers(self) -> tuple[tuple[str, str], ...]:
        """Return the trailers that name the commit of the code: the project's store is about this code."""
        if self.store.scope != PROJECT:
            return ()
        from gitmem.git.branches import likely_default
        from gitmem.store.trailers import code_trailers

        # Without the policy: it is read from the index, for which this write may be planned.
        default = likely_default(self.git, configured=self.config.default_branch, remote=self.config.remote)
        return code_trailers(self.git, default)

    def reviewed_branch(self) -> str:
        """Return the branch with reviewed code, as a full ref, or an empty string.

        It is independent of the store's policy, and never the memory branch: otherwise pushed memories would count as
        reviewed.
        """
        from gitmem.git.branches import default_branch

        found = default_branch(self.git, configured=self.config.default_branch, remote=self.config.remote)
        own, theirs = f"refs/heads/{self.config.branch}", f"refs/remotes/{self.config.remote}/{self.config.branch}"
        return "" if found in (self.ref, own, theirs) else found

    def session(self, options: Options | None = None) -> Session:
        """Return a verify session for HEAD; without options also for the first fact, before there is a store."""
        from gitmem.verify.session import Session

        return Session(
            self.git,
            self.ref,
            self.catalog() if options is not None or self.has_store() else self.catalog_at(None),
            self.local,
            policy=self.policy(),
            config=self.config,
            trust=self.trust(options.approved if options else ""),
            # A proposal's verdicts do not go to the memory branch: they stay in this clone (docs/propose.md).
            default="" if self.store.proposal or self.store.companion else self.default_branch(),
            follow=self._follow,
            start=self._start(),
            now=self.now,
            options=options,
        )

    def note_unreadable(self) -> None:
        """Report unreadable files of the store: one may be a fact that is not checked."""
        from gitmem.index.catalog.keys import describe_unreadable

        message = describe_unreadable(self.catalog()) if self.has_store() else ""
        if message and message not in self.notices:
            self.notices.append(message)

    def note_policy(self, catalog: Catalog) -> None:
        """Report an unreadable policy of the store: ranking and display use the built-in one."""
        # Without the reason: that quotes the policy, which others write, and agents see notices.
        is_wrong = catalog.row("SELECT 1 FROM problem WHERE path = ?", (POLICY_PATH,)) is not None
        message = f"{POLICY_PATH} is invalid; using the built-in policy instead: gitmem doctor" if is_wrong else ""
        if message and message not in self.notices:
            self.notices.append(message)

    def _follow(self, tip: str) -> None:
        """Update the catalog of a verify run to a tip, in place, since the run holds it.

        Raises:
            ConflictError: It must be rebuilt, since the policy changed; or another process keeps writing it.
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
        """Return the keys of those facts for a report; none, with a notice, if they cannot be determined now."""
        if self.git.read_head()[1] is None:
            return []  # nothing is due without code
        try:
            return [due.row.key for due in self.waiting()]
        except TrustError as err:
            self.notices.append(err.message)
        except (NotFoundError, ProcessError):
            pass  # the code is unreadable: ``ground`` reports it
        return []

    def commands(self, keys: Sequence[str] = ()) -> list[Due]:
        """Return the live facts whose check is a command, by key: all, or those with these keys."""
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
        """Ignore the repository's guarded settings; return whether it has any."""
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
        """Store verdicts that were made outside a verify run: by their session, or by a new one."""
        (session or self.session()).keep_verdicts(verdicts)

    def home_of(self, document: Document, *, outcome: str = "", is_uncommitted: bool = False) -> ProvingStore:
        """Return where to write a memory: here, or to the companion of HEAD's branch.

        Args:
            document: The memory.
            outcome: The outcome of its check here, if known.
            is_uncommitted: Whether that outcome needs uncommitted changes.
        """
        return self

    def counts_here(self) -> bool:
        """Return whether verdicts made now are committed: HEAD is the default branch, and no proposal is current."""
        from gitmem.git.branches import is_on_default

        default = self.default_branch()
        is_apart = self.store.proposal or self.store.companion
        return not is_apart and is_on_default(self.git, default, remote=self.config.remote)
