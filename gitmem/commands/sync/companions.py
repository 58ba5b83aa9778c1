"""Companions in a sync: those of merged branches are merged into the memory, the others are pushed."""

from __future__ import annotations

from gitmem.commands.sync.exchange import Exchange
from gitmem.commands.sync.summary import DROPPED, MERGED, SENT, WAITS, CompanionStep
from gitmem.errors import ConflictError, RemoteError
from gitmem.git import remotes
from gitmem.store.code_merge import PUSHED, how_landed
from gitmem.store.companion import companion_branch, list_companions
from gitmem.store.merge.on_top import on_top
from gitmem.store.proposal import COMPANION_NAME, HEADS, forget_seen_proposal
from gitmem.store.scopes import memory_tip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository


class Companions:
    """The companions of a clone and one remote, during a sync that holds the lock."""

    def __init__(
        self, repository: OpenRepository, remote: str, talk: RemoteOptions, *, accept: bool = False, known_as: str = ""
    ) -> None:
        """Set the remote.

        Args:
            repository: The store.
            remote: The name of a configured remote; empty for none.
            talk: The connection to it.
            accept: Whether to merge companions whose history was rewritten at the remote.
            known_as: The remote's name in commit subjects, if *remote* is empty.
        """
        self._memory, self._git, self._remote, self._talk = repository, repository.git, remote, talk
        self._accept, self._known_as = accept, known_as or remote
        self.steps: list[CompanionStep] = []

    def find_landed(self) -> dict[str, str]:
        """Return, by branch, how each branch was merged into the default one whose companion the memory lacks."""
        default = self._git.read_ref(self._memory.default_branch() or "refs/heads/") or ""
        memory = memory_tip(self._git, self._memory.store) if default else ""
        landed_commits = {}
        for code, tips in list_companions(self._git, self._remote).items() if memory else ():
            how: dict[str, Any] = {"memory_commit": memory, "default": default, "remotes": self._remotes()}
            new = [tip for tip in tips if not self._git.is_ancestor(tip, memory)]
            if landed := next(filter(None, (how_landed(self._git, code, tip, **how) for tip in new)), ""):
                landed_commits[code] = landed
        return landed_commits

    def merge_landed(self) -> None:
        """Merge the companions of branches that are part of the default branch into this clone's memory."""
        for code, how in self.find_landed().items():
            self.merge(code, how)

    def merge(self, code: str, because: str) -> None:
        """Merge one companion, both this clone's and the remote's, into this clone's memory."""
        branch = companion_branch(code)
        theirs = self._fetch(branch)
        wait_s, now = self._memory.config.lock_timeout_s, self._memory.now
        tips = [tip for tip in (theirs, self._git.read_ref(f"{HEADS}{branch}")) if tip]
        for tip in tips:
            memory = memory_tip(self._git, self._memory.store)
            merged = self._git.read_ref(on_top(self._git, memory, tip, code=code, now=now, wait_s=wait_s))
            assert merged is not None, "it was made just now"
            self._exchange("").take(merged)
        self.steps += [CompanionStep(code, MERGED, because)] if tips else []

    def finish(self, *, push: bool) -> None:
        """Delete the companions that the memory contains, here and at the remote, and push the others."""
        own = self._git.read_ref(f"{HEADS}{self._memory.config.branch}")
        theirs = self._git.read_ref(f"refs/remotes/{self._remote}/{self._memory.config.branch}")
        for code in list_companions(self._git, self._remote):
            branch = companion_branch(code)
            far = self._git.read_ref(f"refs/remotes/{self._remote}/{branch}")
            here = self._git.read_ref(f"{HEADS}{branch}")
            if push and far and theirs and self._git.is_ancestor(far, theirs):
                self._delete(branch, far)
            if here and own and self._git.is_ancestor(here, own):
                self._git.run("update-ref", "-d", f"{HEADS}{branch}", here, check=False, durable=True)
                self._git.run("update-ref", "-d", f"{PUSHED}{code}", check=False)
                forget_seen_proposal(self._git, self._remote, branch)
            elif here:
                self._send(code, here, far, push=push)

    def drop(self, code: str, because: str) -> None:
        """Delete the companion of an abandoned branch from the remote; this clone's companion stays."""
        branch = companion_branch(code)
        far = self._fetch(branch)
        if far is not None:
            self._delete(branch, far)
        self.steps.append(CompanionStep(code, DROPPED, because))

    def _send(self, code: str, here: str, far: str | None, *, push: bool) -> None:
        """Push a companion if its branch is pushed, and record the branch's commit."""
        tip = self._git.read_ref(f"refs/remotes/{self._remote}/{code}")
        if tip is None:
            import shlex  # it imports re, and most branches are pushed

            # Others choose names of branches, and git allows ";" and "$" in them: the command is pasted into a shell.
            typed, companion = shlex.quote(code), shlex.quote(f"{COMPANION_NAME}/{code}")
            gone = self._git.read_ref(f"{HEADS}{code}") is None
            what = f"the branch {code} is gone; if it was merged: gitmem propose --merge {companion}"
            push_first = f"push the branch first: git push {self._remote} {typed}"
            self.steps.append(CompanionStep(code, WAITS, what if gone else push_first))
            return
        self._note(code, tip)
        if not push or here == far:
            return
        try:
            sent = self._exchange(companion_branch(code)).run(push=True, dry_run=False)
        except ConflictError as err:
            again = "push it again: gitmem sync --accept-rewritten"
            self.steps.append(CompanionStep(code, WAITS, f"{err.message}; {again}"))
            return
        self.steps.append(CompanionStep(code, SENT if sent.pushed else WAITS))

    def send(self, code: str, commit: str) -> None:
        """Push the companion of a branch that is being pushed at a commit."""
        self._note(code, commit)
        self._exchange(companion_branch(code)).run(push=True, dry_run=False)

    def _exchange(self, branch: str) -> Exchange:
        """Return the exchange of a companion's branch with the remote; an empty name means the memory branch."""
        accept = self._accept and bool(branch)
        return Exchange(self._memory, self._known_as, self._talk, branch=branch, accept=accept)

    def _note(self, code: str, commit: str) -> None:
        """Record the commit of a code branch at the remote."""
        if self._git.read_ref(f"{PUSHED}{code}") != commit:
            self._git.run("update-ref", "-m", "gitmem: sync", f"{PUSHED}{code}", commit, check=False)

    def _fetch(self, branch: str) -> str | None:
        """Fetch the remote's commit of a companion; if the remote cannot be reached, return the last known one."""
        try:
            return remotes.fetch(self._git, self._remote, branch, self._talk) if self._remote else None
        except RemoteError:
            return self._git.read_ref(f"refs/remotes/{self._remote}/{branch}")

    def _delete(self, branch: str, far: str) -> None:
        try:
            remotes.delete(self._git, self._remote, f"{HEADS}{branch}", expected=far, talk=self._talk)
        except (ConflictError, RemoteError) as err:
            self._memory.notices.append(f"{branch} was not deleted from {self._remote}: {err.message}")

    def _remotes(self) -> tuple[str, ...]:
        return (self._remote, *(name for name in remotes.list_remotes(self._git) if name != self._remote))
