"""The exchange of one branch of memories with a remote: fetch, merge by meaning, push, without force."""

from __future__ import annotations

import os
from functools import cached_property

from gitmem.commands.sync.summary import SyncResult, count_changes
from gitmem.errors import ConflictError, NoRepositoryError
from gitmem.frozen import frozen, replace
from gitmem.git import remotes
from gitmem.git.ancestry import is_shallow
from gitmem.git.objects import open_objects
from gitmem.git.tree_limits import need_listable
from gitmem.repository.verification import counts_here
from gitmem.store import home_ref, layout
from gitmem.store.commit import CommitPlan, WriteTarget, advance
from gitmem.store.foreign import init_hint, kind_of, need_store
from gitmem.store.merge.memories import MemoryEdit
from gitmem.store.merge.trees import merge, plan_of
from gitmem.store.proofs import FOREIGN
from gitmem.store.proposal import PROPOSAL_PREFIX
from gitmem.store.purged import refuse_purged
from gitmem.store.pushed_secrets import Push, refuse_secrets
from gitmem.verify.blame.culprit import describe_culprits
from gitmem.verify.overview.stock import culprits, status_page, take_stock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitmem.git import Git
    from gitmem.git.objects import Objects
    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository
    from gitmem.store.merge.trees import MergeResult

# How often to retry a push that lost a race, on the new tip.
ATTEMPTS = 8
# How long to wait for another sync of this clone: as long as a remote may take.
WAIT_S = remotes.TIMEOUT_S


class Exchange:
    """The exchange of one branch of memories with a remote's of the same name, during a sync that holds the lock."""

    def __init__(
        self, repository: OpenRepository, remote: str, talk: RemoteOptions, *, branch: str = "", accept: bool = False
    ) -> None:
        """Set the branch.

        Args:
            repository: The store.
            remote: The name of a configured remote.
            talk: The connection to it.
            branch: The branch; empty for the memory branch.
            accept: Whether to merge a remote branch whose history was rewritten.
        """
        self._memory, self._remote, self._talk = repository, remote, talk
        self._git: Git = repository.git
        self._branch = branch or repository.config.branch
        self._ref = f"refs/heads/{self._branch}"
        self._command = "propose" if branch else "sync"
        self._accept = accept
        self._seen = f"refs/gitmem/seen/{remote}/{self._branch}"
        self._began = self._git.read_ref(self._ref)
        self._done = SyncResult(remote)

    def run(self, *, push: bool, dry_run: bool) -> SyncResult:
        """Fetch, merge and push; repeat on the new tip if others were faster."""
        for _ in range(ATTEMPTS):
            ours = self._git.read_ref(self._ref)
            if ours is not None:
                need_store(self._git, ours, self._branch)
            theirs = self._fetch(ours)
            if theirs is not None:
                need_store(self._git, theirs, self._branch, remote=self._remote, hint=self._foreign_hint(ours))
            self._refuse_purged(ours, theirs)
            self._refuse_rewritten(theirs, dry_run=dry_run)
            if theirs is None and self._branch == self._memory.config.branch:
                home_ref.refuse_second(self._git, self._remote, self._branch, self._talk)
            if ours is None and theirs is None:
                raise NoRepositoryError(
                    f"there is no memory yet, in this clone or at {self._remote}", hint="create one: gitmem init"
                )
            if theirs is not None and theirs != ours:
                need_listable(self._git, theirs)
            self._done = replace(self._done, fetched=theirs or "")
            if dry_run:
                return self._preview(ours, theirs)
            if theirs is not None and not self._merge_remote(ours, theirs):
                continue  # another process wrote meanwhile
            tip = self._git.read_ref(self._ref)
            assert tip is not None, "there is a branch now"
            if tip == theirs or not push:
                return self._result(tip, pushed=tip == theirs, seen=theirs)
            self._refuse_secrets(tip, theirs)
            if self._push_to(self._branch, tip, theirs):
                return self._result(tip, pushed=True, seen=tip)
        raise self._outrun_error()

    def send_to(self, branch: str) -> SyncResult:
        """Push to another branch of the remote; its present content is merged in and stays.

        Raises:
            ConflictError: Other pushes always came first.
            ForeignBranchError: That branch is not a store.
        """
        for _ in range(ATTEMPTS):
            ours = self._git.read_ref(self._ref)
            waiting = remotes.fetch(self._git, self._remote, branch, self._talk)
            if waiting is not None:
                hint = "name another branch: gitmem sync --instead BRANCH"
                need_store(self._git, waiting, branch, remote=self._remote, hint=hint)
            if waiting is not None and not self._merge_remote(ours, waiting):
                continue
            tip = self._git.read_ref(self._ref)
            assert tip is not None, "there is a branch now"
            if tip != waiting:
                self._refuse_secrets(tip, waiting)
            if tip == waiting or self._push_to(branch, tip, waiting):
                return replace(self._result(tip, pushed=False, seen=self._done.fetched or None), instead=branch)
        raise self._outrun_error()

    def _push_to(self, branch: str, tip: str, theirs: str | None) -> bool:
        update = remotes.RefUpdate(f"refs/heads/{branch}", tip, theirs)
        return remotes.push(self._git, self._remote, update, self._talk)

    def _refuse_secrets(self, tip: str, theirs: str | None) -> None:
        push = Push(self._ref, tip, self._remote, theirs or "")
        refuse_secrets(self._git, push, self._memory.config.secrets_allow)

    def _foreign_hint(self, ours: str | None) -> str:
        """Return the hint for a remote whose branch is foreign."""
        if self._branch.startswith(PROPOSAL_PREFIX):
            other = f"{self._branch}-2"
            switch = f"gitmem propose --switch {other.removeprefix(PROPOSAL_PREFIX)} && gitmem propose"
            return f"use another name for yours: git branch -m {self._branch} {other} && {switch}"
        if ours is None:
            return init_hint(self._branch)
        other = f"{self._branch}-store"
        moved = f"git branch -m {self._branch} {other} && gitmem init --branch {other} && gitmem sync"
        return f"leave it alone, and move your memory to another branch: {moved}"

    def _outrun_error(self) -> ConflictError:
        return ConflictError(
            f"{self._remote}: others pushed {ATTEMPTS} times during the merge; your changes are kept in this clone",
            hint=f"try again: gitmem {self._command}",
        )

    def take(self, theirs: str) -> SyncResult:
        """Merge a local commit into the branch, and return the result.

        Raises:
            ConflictError: Other writers always came first.
        """
        for _ in range(ATTEMPTS):
            if self._merge_remote(self._git.read_ref(self._ref), theirs):
                return self._done
        raise ConflictError(f"{self._ref}: other writers updated it first {ATTEMPTS} times", hint="try again")

    def _fetch(self, ours: str | None) -> str | None:
        theirs = remotes.fetch(self._git, self._remote, self._branch, self._talk)
        if theirs is None or not is_shallow(self._git):
            return theirs
        # A history truncated here looks like one that was rewritten there, or like foreign work.
        is_apart = ours is not None and not self._git.merge_bases(ours, theirs)
        if is_apart or kind_of(self._git, theirs) == FOREIGN:
            return remotes.fetch(self._git, self._remote, self._branch, self._talk, deepen=True)
        return theirs

    def _refuse_purged(self, ours: str | None, theirs: str | None) -> None:
        """Refuse to bring back what was purged on one side and is still on the other."""
        if ours is None or theirs in (None, ours) or self._git.is_ancestor(theirs, ours):
            return
        refuse_purged(self._git, ours, theirs, f"{self._remote}/{self._branch}")

    def _refuse_rewritten(self, theirs: str | None, *, dry_run: bool) -> None:
        """Refuse a remote branch that no longer contains what it had at the last sync.

        It may have been rolled back to remove a secret: merging would bring that back, following would drop local
        memories. A person must decide.
        """
        seen = self._git.read_ref(self._seen)
        if seen is None or seen == theirs or (theirs is not None and self._git.is_ancestor(seen, theirs)):
            return
        if self._accept:
            if not dry_run:
                self._keep_rewritten(seen)
            return
        where = f"{self._remote}/{self._branch}"
        if theirs is None:
            raise ConflictError(
                f"the branch {self._branch} was deleted from {self._remote} since the last sync; nothing was "
                "changed here",
                hint=f"push it again: gitmem {self._command} --accept-rewritten",
            )
        raise ConflictError(
            f"the history of {where} was rewritten: it no longer contains {seen[:12]}; nothing was changed",
            hint=f"see the lost commits: git log {theirs[:12]}..{seen[:12]}\nmerge both histories, so that nothing "
            f"is lost: gitmem {self._command} --accept-rewritten",
        )

    def _keep_rewritten(self, seen: str) -> None:
        """Keep what the remote had before its history was rewritten under a ref, so that git never removes it."""
        ref = f"refs/gitmem/rescue/{self._remote}/{self._branch}-{seen[:12]}"
        if self._git.read_ref(ref) is None:
            self._git.run("update-ref", "-m", f"gitmem: {self._command}", ref, seen, durable=True)
            self._memory.notices.append(f"what {self._remote} had before is kept: git log {ref}")

    def _merge_remote(self, ours: str | None, theirs: str) -> bool:
        """Merge the remote's commit into the local branch; return false if another process wrote meanwhile."""
        wait = self._memory.config.lock_timeout_s
        if ours == theirs or (ours is not None and self._git.is_ancestor(theirs, ours)):
            return True
        if ours is None or self._git.is_ancestor(ours, theirs):
            how = "forward" if ours else "joined"
            if not advance(WriteTarget(self._git, self._ref, self._command, wait), theirs, old=ours):
                return False
            self._done = replace(self._done, merged=how)
            return True
        self._merge(ours, theirs)
        return True

    def _merge(self, ours: str, theirs: str) -> None:
        merge_state = {"tip": ours, "merged": self._merge_trees(ours, theirs)}

        def plan(tip: str | None) -> CommitPlan | None:
            assert tip is not None, "the branch was there"
            if self._git.is_ancestor(theirs, tip):
                return None
            if tip != merge_state["tip"]:  # another process wrote meanwhile
                merge_state.update(tip=tip, merged=self._merge_trees(tip, theirs))
            return plan_of(merge_state["merged"], theirs, f"sync: merge the memory of {self._remote}")  # type: ignore[arg-type]

        written = self._memory.commit(plan, self._command, ref=self._ref)
        if written is not None:
            merged: Any = merge_state["merged"]
            if merged.is_page_old and self._ref == self._memory.ref and counts_here(self._memory):
                self._write_page()
            before = {conflict.path: conflict for conflict in self._done.conflicts}
            after = before | {conflict.path: conflict for conflict in merged.conflicts}
            self._done = replace(
                self._done, merged="merged", conflicts=tuple(conflict for _, conflict in sorted(after.items()))
            )

    def _write_page(self) -> None:
        """Rebuild the status page from both sides' verdicts."""

        def plan(tip: str | None) -> CommitPlan | None:
            catalog = self._memory.catalog(tip)
            standing = take_stock(
                catalog, self._memory.checked_ground(catalog), self._memory.local, now=self._memory.now
            )
            page = status_page(standing, describe_culprits(self._git, culprits(standing))).encode("utf-8")
            if self._git.run("cat-file", "blob", f"{tip}:{layout.STATUS_PATH}", check=False).stdout == page:
                return None
            return CommitPlan("status: both sides were verified", writes=((layout.STATUS_PATH, page),), machine=True)

        self._memory.commit(plan, "sync", ref=self._ref)

    def _merge_trees(self, ours: str, theirs: str) -> MergeResult:
        authors = _Authors(self._objects, ours, theirs)
        return merge(self._objects, ours, theirs, who=authors.who, edits=authors.edits)

    @cached_property
    def _objects(self) -> Objects:
        return open_objects(self._git)

    def _preview(self, ours: str | None, theirs: str | None) -> SyncResult:
        """Return what a sync would do."""
        result = replace(self._done, commit=ours or "", pushed=ours == theirs)
        if theirs is None or ours == theirs or (ours is not None and self._git.is_ancestor(theirs, ours)):
            return result
        if ours is None or self._git.is_ancestor(ours, theirs):
            return count_changes(replace(result, merged="forward" if ours else "joined"), self._objects, ours, theirs)
        merged = self._merge_trees(ours, theirs)
        result = count_changes(replace(result, merged="merged"), self._objects, ours, theirs, only=merged.state.overlay)
        return replace(result, conflicts=merged.conflicts)

    def _result(self, tip: str, *, pushed: bool, seen: str | None) -> SyncResult:
        """Record the remote's commit, and return the result."""
        if seen is not None and self._git.read_ref(self._seen) != seen:
            self._git.run("update-ref", "-m", "gitmem: sync", self._seen, seen, check=False, durable=True)
        result = replace(self._done, commit=tip, pushed=pushed)
        if pushed and tip != result.fetched:
            sent = count_changes(SyncResult(result.remote), self._objects, result.fetched or None, tip)
            number = len(sent.added) + len(sent.changed) + len(sent.retired)
            result = replace(result, sent=number, sent_verdicts=sent.verdicts)
        return count_changes(result, self._objects, self._began, tip) if result.merged != "nothing" else result


class _Authors:
    """The changes that each side made, merges left out; git runs once per side, only if there is a conflict."""

    def __init__(self, objects: Objects, ours: str, theirs: str) -> None:
        self._objects = objects
        self._since = {ours: theirs, theirs: ours}
        self._known: dict[str, list[_Commit]] = {}

    def who(self, commit: str, path: str) -> str:
        """Return the author of a path's last change on one side; the author of a merge does not count."""
        return next((made.who for made in self._commits(commit) if path in made.paths), "")

    def edits(self, commit: str, key: str) -> list[MemoryEdit]:
        """Return the changes of a memory on one side, from whichever path to whichever path."""
        edits = []
        for entry in self._commits(commit):
            places = [names for path, names in entry.paths.items() if layout.memory_key(path) == key]
            before, after = (
                (next((oid for oid in side if oid.strip("0")), "") for side in zip(*places, strict=True))
                if places
                else ("", "")
            )
            if after:
                edits.append((entry, before, after))
        contents = self._objects.read({oid for _, *oids in edits for oid in oids if oid}, limit=layout.MEMORY_LIMIT)
        return [
            MemoryEdit(commit.at, commit.who, contents.get(before), contents[after])
            for commit, before, after in edits
            if after in contents
        ]

    def _commits(self, commit: str) -> list[_Commit]:
        if commit not in self._known:
            self._known[commit] = list(self._read(commit, self._since[commit]))
        return self._known[commit]

    def _read(self, commit: str, other: str) -> Iterator[_Commit]:
        # One record per commit, begun by 0x01: its author and time, then mode, object names and path of each file.
        log = ("log", "-z", "--format=%x01%at%x02%an%x00", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff")
        result = self._objects.git.run(*log, "--no-merges", commit, f"^{other}", check=False)
        for record in result.stdout.split(b"\x01")[1:]:
            head, *rest = (part.strip(b"\n") for part in record.split(b"\0"))
            at, _, who = head.partition(b"\x02")
            rest = [part for part in rest if part]
            paths = {os.fsdecode(path): _names(raw) for raw, path in zip(rest[::2], rest[1::2], strict=False)}
            yield _Commit(int(at), who.decode("utf-8", "replace"), paths)


@frozen
class _Commit:
    """A commit: its author, their time, and the object names of each changed file before and after."""

    at: int
    who: str
    paths: dict[str, tuple[str, str]]


def _names(raw: bytes) -> tuple[str, str]:
    """Return the object names in ``:100644 100644 old new M`` (git-diff(1), RAW OUTPUT FORMAT)."""
    _, _, before, after, _ = raw.decode("ascii").split(" ")
    return before, after
