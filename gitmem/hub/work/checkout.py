"""The clone in which a worker judges a repository: a bare mirror that talks to the remote, and a work tree of it.

What runs in the work tree has the mirror as its remote and a home of its own, so neither gitmem nor a check there needs
the worker's credentials or sees its settings, as in a forge's job that judges and cannot push. All can be deleted.
"""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import contextmanager
from os import close
from pathlib import Path

from gitmem.config import variables
from gitmem.errors import BusyError, GitmemError, NoRepositoryError
from gitmem.git import Git, remotes
from gitmem.git.repository import discover_at
from gitmem.hub.mirror import REMOTE, TALK, Source, opened
from gitmem.store.foreign import need_store
from gitmem.store.local import LocalState
from gitmem.system.file_lock import lock_now, open_lock
from gitmem.system.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gitmem.document.elsewhere import Foundation
    from gitmem.system.process import ProcessResult

# As much of the code's history as a forge's job checks out, and as is searched for the commit that broke a fact.
DEPTH, DEEP = 2, 1000
# A worker that was killed leaves a check that may still run, and ends within its own time limit.
LOCK_WAIT_S = 20.0
# The lists that approve commands, as the workflows of the forges name them.
LISTS = (".github", ".gitlab", ".forgejo", ".gitea")
APPROVED = "gitmem-approved"
# Other variables of the worker do not reach what it runs: they may hold secrets.
_PASSED_VARIABLES = ("PATH", "TMPDIR", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")


class Checkout:
    """The clone of one repository, in a folder that one job uses at a time.

    Attributes:
        branch: The default branch of the code, once it was fetched.
        code: Its commit.
    """

    def __init__(self, folder: Path, url: str, memory_branch: str, *, remaining_s: Callable[[], float]) -> None:
        """Use a folder, which need not exist.

        Args:
            folder: The folder.
            url: The repository's address.
            memory_branch: Its memory branch.
            remaining_s: Returns how many seconds the job may still run.
        """
        self._folder = folder
        self._source = Source(url, memory_branch, folder / "mirror.git")
        self._work = folder / "work"
        self._memory = f"refs/heads/{memory_branch}"
        self._remaining_s = remaining_s
        self._lock = -1
        self.branch = self.code = ""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder; programs that outlive a killed worker also hold it.

        Raises:
            BusyError: One of those still runs.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = open_lock(self._folder / "lock")
        try:
            deadline = time.monotonic() + min(LOCK_WAIT_S, self._remaining_s())
            while not lock_now(self._lock):
                if time.monotonic() > deadline:
                    raise BusyError("a check of an earlier job still runs on this machine")
                time.sleep(0.1)
            yield
        finally:
            close(self._lock)

    def fetch(self) -> None:
        """Fetch the memory branch and the newest code, and check the code out.

        A memory branch that was rewritten is fetched into an empty folder: nothing of what was purged stays here.

        Raises:
            GitmemError: The remote cannot be reached, has no code, or has no memory.
        """
        git = opened(self._source)
        memory, self.branch, self.code = remotes.find_tips(git, REMOTE, self._source.branch, TALK)
        if not memory:
            raise NoRepositoryError(f"it has no branch {self._source.branch}", hint="gitmem hub remove NAME")
        if not self.code or self.branch == self._source.branch:
            raise NoRepositoryError("it has no code: its default branch is missing or is its memory branch")
        before = git.read_ref(self._memory)
        remotes.fetch(git, REMOTE, self._source.branch, TALK)
        memory = git.read_ref(self._tracking) or memory
        if before is not None and not git.is_ancestor(before, memory):
            self._forget()
            self.fetch()
            return
        need_store(git, memory, self._source.branch)
        git.run("update-ref", self._memory, memory)
        self._fetch_code(DEPTH)

    def fetch_history(self) -> None:
        """Fetch as much of the code's history as is searched for the commit that broke a fact."""
        self._fetch_code(DEEP)

    def _fetch_code(self, depth: int) -> None:
        git, ref = opened(self._source), f"refs/heads/{self.branch}"
        remotes.fetch_newest(git, REMOTE, self.branch, TALK, depth=depth)
        self.code = git.read_ref(ref) or self.code
        git.run("symbolic-ref", "HEAD", ref)
        if not (self._work / ".git").exists():
            shutil.rmtree(self._work, ignore_errors=True)
            self._git("init", "--quiet", "--initial-branch", self.branch, "--", str(self._work), here=False)
            self._git("config", f"remote.{REMOTE}.url", str(self._source.folder.absolute()))
            # Its own settings, not the worker's.
            for name, value in (("user.name", "gitmem hub"), ("user.email", "gitmem-hub@localhost")):
                self._git("config", name, value)
        theirs = f"refs/remotes/{REMOTE}/{self.branch}"
        code = f"+refs/heads/{self.branch}:{theirs}"
        quiet = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--refmap=")
        self._git(*quiet, f"--depth={depth}", REMOTE, code)
        self._git("symbolic-ref", f"refs/remotes/{REMOTE}/HEAD", theirs)
        self._git("checkout", "--quiet", "--force", "-B", self.branch, theirs, "--")
        self._git("clean", "--quiet", "-ffdx")

    def find_approved(self) -> str:
        """Return the path of the list that approves commands in this repository's own jobs, or an empty string.

        If there are lists for several forges, it is the one of the forge that the address names, or none.
        """
        git = opened(self._source)
        paths = [
            name
            for name in LISTS
            if git.run("cat-file", "-e", f"{self.code}:{name}/{APPROVED}", check=False).status == 0
        ]
        if len(paths) > 1:
            paths = [name for name in paths if name[1:] in self._source.url]
        return f"{paths[0]}/{APPROVED}" if len(paths) == 1 else ""

    def tell(self, known: Mapping[str, Foundation]) -> None:
        """Let the work tree know of memories of other repositories, and of no others; call it after its first sync."""
        local = LocalState(Git(discover_at(str(self._work))).repository.state)
        local.keep_elsewhere({**dict.fromkeys(local.elsewhere()), **known})
        local.close()

    def gitmem(self, *words: str) -> ProcessResult:
        """Run a command of gitmem in the work tree, without the worker's environment.

        Raises:
            ProcessError: It ran past the job's time limit, or could not start.
        """
        return self._run(sys.executable, "-P", "-m", "gitmem", "-C", str(self._work), *words, check=False)

    def find_new(self) -> str:
        """Return the commit of the work tree's memory branch if the remote lacks it; else an empty string."""
        git = opened(self._source)
        new = "refs/gitmem-hub/new"
        self._git("push", "--quiet", "--no-verify", REMOTE, f"+{self._memory}:{new}")
        commit = git.read_ref(new) or ""
        return "" if not commit or git.is_ancestor(commit, self.memory) else commit

    @property
    def memory(self) -> str:
        """The commit of the remote's memory branch as this job knows it."""
        return opened(self._source).read_ref(self._memory) or ""

    def push(self, commit: str) -> bool:
        """Push a commit to the remote's memory branch; if that has moved, fetch it and return False.

        Raises:
            GitmemError: The remote refuses, or cannot be reached; or its branch was rewritten meanwhile.
        """
        git = opened(self._source)
        if remotes.push(git, REMOTE, remotes.RefUpdate(f"refs/heads/{self._source.branch}", commit, self.memory), TALK):
            git.run("update-ref", self._memory, commit)
            return True
        moved = remotes.fetch(git, REMOTE, self._source.branch, TALK)
        if moved is None or not git.is_ancestor(self.memory, moved):
            self._forget()
            raise GitmemError("its memory branch was rewritten while it was verified")
        git.run("update-ref", self._memory, moved)
        return False

    @property
    def _tracking(self) -> str:
        return f"refs/remotes/{REMOTE}/{self._source.branch}"

    def _forget(self) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.rmtree(self._source.folder, ignore_errors=True)

    def _git(self, *words: str, here: bool = True) -> None:
        self._run("git", *(("-C", str(self._work)) if here else ()), *words, check=True)

    def _run(self, *argv: str, check: bool) -> ProcessResult:
        home = self._folder / "home"
        home.mkdir(exist_ok=True)
        env = variables(_PASSED_VARIABLES) | {
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            # Who started the worker does not matter, and nothing may outlive the job.
            "GITMEM_PARENTS": "off",
            "GITMEM_BACKGROUND": "off",
        }
        return run(list(argv), env=env, timeout_s=max(0.1, self._remaining_s()), check=check, keep=(self._lock,))
