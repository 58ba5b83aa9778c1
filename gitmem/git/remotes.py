"""Remotes: fetch and push with progress, with the user's own ssh, credentials and ``insteadOf``.

GitPython parses the progress; its index and commit functions are never used. Without a terminal no program may prompt,
and git and its ssh are killed together at a time limit.
"""

from __future__ import annotations

import os

from gitmem import config
from gitmem.errors import ConflictError, NotFoundError, ProtectedError, RemoteError
from gitmem.frozen import frozen
from gitmem.git import Git
from gitmem.git.ancestry import is_shallow
from gitmem.git.branches import refuse_unreadable
from gitmem.git.repository import Unsure, refuse_special
from gitmem.system import process
from gitmem.system.environment import prompt_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# When an unattended sync gives up on a remote that does not answer: longer than any fetch of a memory takes (1,000
# memories take a second over a slow line), but short enough for a hook or a job.
TIMEOUT_S = 300.0
# How many lines of git's output are kept: a hostile remote can send without end (its text is shown, never executed).
LINES_KEPT = 40
# User settings that would add other actions to the transport of one branch.
ALONE = ("-c", "maintenance.auto=false", "-c", "push.gpgSign=false", "-c", "fetch.fsckObjects=true")
# Nothing but the named objects and refs is fetched.
FETCH = ("fetch", "--no-tags", "--no-prune", "--no-write-fetch-head", "--recurse-submodules=no", "--refmap=")
# git's messages when the remote's branch is not where it was last seen (git 2.39, builtin/push.c and receive-pack.c).
MOVED = (
    "stale info", "fetch first", "non-fast-forward", "failed to update ref", "cannot lock ref", "incorrect old value",
    "failed to lock", "reference already exists", "remote ref updated since checkout",
)  # fmt: skip
# The forges' messages for a protected branch: GitHub (GH006; GH013 for rulesets), GitLab, Gitea, Forgejo, Bitbucket.
PROTECTED = (
    "protected branch", "GH006", "GH013", "is protected", "can only be modified through pull requests",
    "Permission denied to update branch",
)  # fmt: skip

# Lines of git's progress, and of a remote's.
_PROGRESS = r"(remote: )?[\w\s]+:\s+\d+"


@frozen
class RemoteOptions:
    """How to communicate with remotes.

    Attributes:
        interactive: Whether a user is at a terminal: git and ssh may prompt, and there is no time limit.
        timeout_s: Seconds after which an unattended transport is killed.
        progress: Called with the step, its progress and its total; or None.
        is_silent: Whether programs must not ask for a password either, not even in a window.
    """

    interactive: bool = False
    timeout_s: float = TIMEOUT_S
    progress: Callable[[str, int, int], None] | None = None
    is_silent: bool = False


@frozen
class RefUpdate:
    """What a ref of a remote should become.

    Attributes:
        ref: The full ref.
        commit: Its new commit; empty to delete it.
        expected: The commit at which it was last seen; None if it does not exist.
    """

    ref: str
    commit: str
    expected: str | None = None


def has_remote(git: Git, remote: str) -> bool:
    """Return whether a remote of this name is configured."""
    if remote.startswith("-") or not git.may_be_set("remote"):
        return False
    # Read again if it was missing, because it may have been added since.
    is_known = git.remote_url(remote) or git.run("config", "--get", f"remote.{remote}.url", check=False).stdout.strip()
    return bool(is_known)


def list_remotes(git: Git) -> list[str]:
    """Return the names of the configured remotes, sorted."""
    return sorted(os.fsdecode(git.run("remote").stdout).split())


def fetch(git: Git, remote: str, branch: str, talk: RemoteOptions, *, deepen: bool = False) -> str | None:
    """Fetch a remote's branch to ``refs/remotes/<remote>/<branch>`` and return its commit; None if it has none.

    Args:
        git: The repository.
        remote: The remote.
        branch: The branch.
        talk: How to communicate with it.
        deepen: Whether to fetch the history that a shallow clone lacks (git-fetch(1): like ``--unshallow``, but for
        this branch alone).

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached, or git refuses what it sent.
        NoRepositoryError: A pipe is in the place of a file that git reads or writes for this.
    """
    tracking = f"refs/remotes/{remote}/{branch}"
    refuse_unreadable(git)
    refuse_special([os.path.join(git.repository.common, "logs", tracking)])
    options = ("--no-filter", *(("--depth=2147483647",) if deepen else ()))
    is_there = _fetch(git, remote, f"+refs/heads/{branch}:{tracking}", talk, *options, may_be_missing=True)
    return git.read_ref(tracking) if is_there else None


def _fetch(git: Git, remote: str, spec: str, talk: RemoteOptions, *options: str, may_be_missing: bool = False) -> bool:
    """Fetch one refspec from a remote; return whether the remote has what it names."""
    _refuse_unsafe(git, remote)
    argv = [*FETCH, *_progress(talk), *options, "--end-of-options", remote, spec]
    status, _, said = _talk(git, remote, argv, talk)
    if status != 0 and not (may_be_missing and _is_missing(said)):
        raise _failed(git, remote, "fetched from", said)
    return status == 0


def _is_missing(messages: Sequence[str]) -> bool:
    return any("couldn't find remote ref" in line for line in messages)


def fetch_refs(git: Git, remote: str, pattern: str, to: str, talk: RemoteOptions) -> None:
    """Fetch the refs of a remote that match a pattern ending in ``*`` to local refs of another pattern.

    Local refs that the remote no longer has are kept.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached, or git refuses what it sent.
    """
    _fetch(git, remote, f"+{pattern}:{to}", talk, "--no-filter")


def fetch_from(git: Git, url: str, branch: str, ref: str, talk: RemoteOptions) -> str | None:
    """Fetch a branch of a repository that is not a remote to a ref; return its commit, or None if it has none.

    Raises:
        RemoteError: It cannot be reached, git refuses what it sent, or the URL runs a program.
    """
    _refuse_url(url, "that repository")
    argv = [*FETCH, *_progress(talk), "--no-filter", "--end-of-options", url, f"+refs/heads/{branch}:{ref}"]
    status, _, said = _talk(git, url, argv, talk)
    if status == 0:
        return git.read_ref(ref)
    if _is_missing(said):
        return None
    raise RemoteError(f"{branch} could not be fetched from a fork: {said[-1] if said else 'git gave no reason'}")


def push(git: Git, remote: str, update: RefUpdate, talk: RemoteOptions) -> bool:
    """Advance a remote's branch to a commit that contains the expected one; return False if the branch has moved.

    No commit is ever removed.

    Raises:
        NotFoundError: There is no such remote.
        ProtectedError: Its branch is protected.
        RemoteError: It cannot be reached, or refuses the push.
    """
    done = push_ref(git, remote, update, talk)
    if done:
        _track(git, remote, update, "push")
    return done


def _track(git: Git, remote: str, update: RefUpdate, why: str) -> None:
    """Set the remote-tracking ref of a branch to what was pushed."""
    tracking = f"refs/remotes/{remote}/{update.ref.removeprefix('refs/heads/')}"
    git.run("update-ref", "-m", f"gitmem: {why}", tracking, update.commit, check=False)


def push_ref(git: Git, remote: str, update: RefUpdate, talk: RemoteOptions) -> bool:
    """Push like ``push``, but to any full ref, and without updating a remote-tracking ref."""
    is_forward = update.expected is None or git.is_ancestor(update.expected, update.commit)
    assert is_forward, "a push never deletes anything"
    return _push(git, remote, update, talk)


def replace_branch(git: Git, remote: str, update: RefUpdate, talk: RemoteOptions) -> bool:
    """Replace the history of a remote's branch, if it is still at the expected commit; else return False.

    Only a purge does this: the commits that it removed are gone there, apart from what the forge keeps.

    Raises:
        NotFoundError: There is no such remote.
        ProtectedError: Its branch is protected.
        RemoteError: It cannot be reached, or refuses the push.
    """
    done = _push(git, remote, update, talk, force="+")
    if done:
        _track(git, remote, update, "purge")
    return done


def _push(git: Git, remote: str, update: RefUpdate, talk: RemoteOptions, *, force: str = "") -> bool:
    """Update a ref of a remote if it is where it was last seen; else return False."""
    _refuse_unsafe(git, remote)
    ref = update.ref
    options = ("--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no")
    argv = ["-c", f"remote.{remote}.mirror=false", "push", *_progress(talk), *options]
    lease = f"--force-with-lease={ref}:{update.expected or ''}"
    argv += [lease, "--end-of-options", remote, f"{force}{update.commit}:{ref}"]
    status, answer, said = _talk(git, remote, argv, talk)
    if status == 0:
        return True
    refusals = [line for line in answer if line.startswith("!")]
    if any(words in line for line in (*refusals, *said) for words in MOVED):
        return False
    failed = _failed(git, remote, "pushed to", [f"{ref}: {line.split(chr(9))[-1]}" for line in refusals] + said)
    if refusals and any(words in line for line in (*refusals, *said) for words in PROTECTED):
        raise ProtectedError(failed.message, hint=failed.hint)
    raise failed


def list_refs(git: Git, remote: str, pattern: str, talk: RemoteOptions) -> list[str]:
    """Return a remote's refs that match a pattern of git-ls-remote(1), sorted by full name; ``LINES_KEPT`` at most.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached.
    """
    lines = _list(git, remote, "--refs", talk, pattern)
    return sorted(line.partition("\t")[2] for line in lines if "\t" in line)


def _list(git: Git, remote: str, option: str, talk: RemoteOptions, *patterns: str) -> list[str]:
    """Return what git-ls-remote(1) prints for patterns."""
    _refuse_unsafe(git, remote)
    status, answer, said = _talk(git, remote, ["ls-remote", option, "--end-of-options", remote, *patterns], talk)
    if status != 0:
        raise _failed(git, remote, "asked", said)
    return answer


def find_tip(git: Git, remote: str, branch: str, talk: RemoteOptions) -> tuple[str, str]:
    """Return a branch of a remote and its current commit: the named or the default one; empty if there is none.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached.
    """
    wanted = f"refs/heads/{branch}" if branch else "HEAD"
    named, commits = _tips(git, remote, talk, wanted)
    return branch or named, commits.get(wanted, "")


def find_tips(git: Git, remote: str, branch: str, talk: RemoteOptions) -> tuple[str, str, str]:
    """Return, in one exchange, the commit of a branch of a remote, and its default branch with its commit.

    Each is empty if there is none.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached.
    """
    wanted = f"refs/heads/{branch}"
    default, commits = _tips(git, remote, talk, "HEAD", wanted)
    return commits.get(wanted, ""), default, commits.get("HEAD", "")


def _tips(git: Git, remote: str, talk: RemoteOptions, *wanted: str) -> tuple[str, dict[str, str]]:
    """Return the branch that a remote's HEAD names, if HEAD is wanted, and the commits of refs."""
    lines = [line.split("\t") for line in _list(git, remote, "--symref", talk, *wanted)]
    named = [value.removeprefix("ref: refs/heads/") for value, *_ in lines if value.startswith("ref: refs/heads/")]
    # A pattern also matches the ends of other names (git-ls-remote(1)).
    exact = {name[0]: value for value, *name in lines if name and name[0] in wanted and not value.startswith("ref: ")}
    return named[0] if named else "", exact


def fetch_objects(git: Git, remote: str, branch: str, talk: RemoteOptions) -> None:
    """Fetch the objects of a remote's branch without changing a local ref.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached, or git refuses what it sent.
    """
    _fetch(git, remote, f"refs/heads/{branch}", talk)


def fetch_newest(git: Git, remote: str, branch: str, talk: RemoteOptions, *, depth: int) -> None:
    """Fetch the newest commits of a remote's branch to the bare repository's own, which becomes that shallow.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached, or git refuses what it sent.
    """
    _fetch(git, remote, f"+refs/heads/{branch}:refs/heads/{branch}", talk, "--no-filter", f"--depth={depth}")


def fetch_commit(git: Git, remote: str, commit: str, talk: RemoteOptions) -> None:
    """Fetch one commit of a remote by its id without changing a local ref; in a shallow clone without ancestors.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached, does not have the commit, or does not allow fetching it by its id.
    """
    _fetch(git, remote, commit, talk, *(("--depth=1",) if is_shallow(git) else ()))


def delete(git: Git, remote: str, ref: str, *, expected: str, talk: RemoteOptions) -> bool:
    """Delete a remote's ref by its full name if it is at the expected commit; return False if it does not exist.

    Raises:
        NotFoundError: There is no such remote.
        ConflictError: It has moved in the meantime and is kept.
        RemoteError: It cannot be reached, or refuses.
    """
    branch = ref.removeprefix("refs/heads/")
    is_deleted = _push(git, remote, RefUpdate(ref, "", expected), talk)
    if not is_deleted and list_refs(git, remote, ref, talk):
        message = f"{branch} of {remote} was not changed, because someone pushed to it in the meantime"
        raise ConflictError(message, hint=f"see what changed: git fetch {remote} {branch}")
    git.run("update-ref", "-d", f"refs/remotes/{remote}/{branch}", check=False)
    return is_deleted


def repository_name(git: Git, remote: str) -> str:
    """Return the repository's name: the same in every clone of a remote, else the name of its folder."""
    url = git.remote_url(remote).rstrip("/").removesuffix(".git").rstrip("/")
    return url.replace(":", "/").rpartition("/")[2] or git.repository.name


def format_url(git: Git, remote: str) -> str:
    """Return the URL of a remote without credentials."""
    url = git.remote_url(remote)
    scheme, there, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if there else url


def address_of(url: str) -> str:
    """Return host and path of a repository: the same for its URLs over https and ssh, with and without ``.git``."""
    _, there, rest = url.partition("://")
    host, _, path = (rest if there else url).partition("/")
    if not there and ":" in host:  # git@host:path
        host, _, path = url.partition(":")
    elif not there:
        host, path = "", url
    host = host.rpartition("@")[2].partition(":")[0].lower()
    return f"{host}/{path.strip('/').removesuffix('.git').strip('/')}"


def _progress(talk: RemoteOptions) -> list[str]:
    return ["--progress"] if talk.progress is not None else ["--no-progress"]


def _refuse_unsafe(git: Git, remote: str) -> None:
    if not has_remote(git, remote):
        known = ", ".join(list_remotes(git)) or "none"
        raise NotFoundError(
            f"there is no remote {remote} here (there are: {known})", hint=f"add it: git remote add {remote} URL"
        )
    for url in _urls(git, remote):
        _refuse_url(url, remote)


def _urls(git: Git, remote: str) -> list[str]:
    """Return the URLs of a remote for fetching and pushing, as git uses them."""
    try:
        found = [] if git.may_be_set("insteadof") else git.plain_settings("remote", remote)
    except Unsure:
        found = []
    if any(name == "url" for name, _, _ in found):
        return [value for name, value, _ in found if name in ("url", "pushurl")]
    urls = git.run("remote", "get-url", "--all", "--", remote, check=False).stdout
    urls += git.run("remote", "get-url", "--push", "--all", "--", remote, check=False).stdout
    return os.fsdecode(urls).split("\n")


def _refuse_url(url: str, remote: str) -> None:
    if _is_program(url):
        raise RemoteError(f"the URL of {remote} runs a program: {url}", hint="use ssh, https or a path")
    if url.startswith("-"):
        raise RemoteError(f"the URL of {remote} is an option: {url}", hint=f"git remote set-url {remote} URL")


def _is_program(url: str) -> bool:
    """Return whether a URL names a remote helper, or one that runs any program: gitremote-helpers(7)."""
    helper, is_named, _ = url.partition("::")
    is_helper = all(char.isascii() and (char.isalnum() or char in "+.-") for char in helper)
    return (bool(is_named) and is_helper) or url.startswith(("ext://", "fd://"))


def _talk(git: Git, remote: str, args: Sequence[str], talk: RemoteOptions) -> tuple[int, list[str], list[str]]:
    """Run git with a remote; return its exit status, and the ends of its output and of its messages."""
    import re  # `subprocess` has loaded it

    own = config.git_environment(transport=True)
    answer: list[str] = []
    said: list[str] = []
    progress = _listener(talk)

    def hear(line: str) -> None:
        if not re.match(_PROGRESS, line):
            _keep(said, line)
        if progress is not None:
            progress(line)

    # A relative path of a remote starts at the top of the work tree (git-remote(1) leaves that to where git runs).
    cwd = git.repository.top or git.repository.common
    env = own | prompt_variables(interactive=talk.interactive, is_silent=talk.is_silent)
    status = process.run_by_lines(
        process.Program(git.argv(*ALONE, *args, durable=True), cwd, env),
        timeout_s=None if talk.interactive else talk.timeout_s,
        output=lambda line: _keep(answer, line),
        error=hear,
    )
    if status is None:
        raise RemoteError(f"{remote} did not answer within {talk.timeout_s:g} seconds", hint=_OFFLINE)
    return status, answer, said


def _keep(lines: list[str], line: str) -> None:
    lines.append(line.rstrip("\n")[:1000])
    del lines[:-LINES_KEPT]


def _listener(talk: RemoteOptions) -> Callable[[str], None] | None:
    progress = talk.progress
    if progress is None:
        return None
    from git import RemoteProgress  # 100 ms (measured), and only at a terminal

    class Progress(RemoteProgress):
        """Passes the progress of a transport to the caller."""

        def update(self, op_code: int, cur_count: Any, max_count: Any = None, message: str = "") -> None:
            names = {self.RECEIVING: "receiving", self.WRITING: "sending", self.RESOLVING: "unpacking"}
            name = names.get(op_code & self.OP_MASK)
            if progress is not None and name and max_count:
                progress(name, int(cur_count or 0), int(max_count))

        def hear(self, line: str) -> None:
            self._parse_progress_line(line.rstrip())
            self.other_lines.clear()

    return Progress().hear


_HOSTILE = "nothing was fetched: someone pushed an object that git refuses; have that commit removed at the remote"
_OFFLINE = "nothing is lost: your memories are in this clone; try again later: gitmem sync"


def _failed(git: Git, remote: str, what: str, messages: Sequence[str]) -> RemoteError:
    lines = [
        line for line in messages if line.startswith(("fatal:", "error:", "remote:", "ssh:", "refs/", "Permission"))
    ]
    words = [line.removeprefix("fatal: ").removeprefix("error: ").strip() for line in lines or messages]
    first = "; ".join(dict.fromkeys(word for word in words if word))[:600] or "git gave no reason"
    is_hostile = any("fsck error" in line for line in messages)
    return RemoteError(
        f"{remote} ({format_url(git, remote)}) could not be {what}: {first}", hint=_HOSTILE if is_hostile else _OFFLINE
    )
