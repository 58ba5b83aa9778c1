"""The approved list: a reviewed file on the code's default branch that approves commands for unattended runs.

``gitmem trust --print`` writes its lines: ``HASH KEY COMMAND``. A line counts only for the fact of that key whose whole
specification has that hash and is shown as that command, so that a hash alone approves nothing.

The list is read in its present state on the remote, by asking for the default branch and fetching it by name. Nothing
in the clone affects this: neither ``origin/HEAD`` nor a remote-tracking branch nor a setting. Someone who can write to
this clone's git configuration can still name another remote; only the user should be able to (SECURITY.md).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from gitmem import config
from gitmem.errors import NotFoundError, RemoteError, TrustError
from gitmem.frozen import frozen, replace
from gitmem.git import remotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git import Git
    from gitmem.git.remotes import RemoteOptions
    from gitmem.verify.due import Due

# Nobody reviews a longer list.
LIMIT = 1024 * 1024
# How often the branch may move between asking for its commit and fetching it.
ATTEMPTS = 3


@frozen
class ApprovedList:
    """An approved list.

    Attributes:
        lines: Its lines without comments and trailing white space.
        name: Its file and where it was read, for messages.
        commit: The commit of the code that it was read from.
        path: Its path there.
    """

    lines: frozenset[str]
    name: str
    commit: str = ""
    path: str = ""


def read(git: Git, typed: str, *, memory_branch: str, talk: RemoteOptions) -> ApprovedList:
    """Read an approved list from the present commit of the code's default branch.

    Args:
        git: The repository.
        typed: The file, as it was typed.
        memory_branch: The memory branch, where a list would approve itself.
        talk: Options for the remote.

    Raises:
        NotFoundError: The file does not exist, or there is no default branch.
        RemoteError: The remote cannot be reached.
        TrustError: The default branch is the memory branch, or the remote is not the repository of the forge's job.
    """
    path = _in_tree(git, typed)
    commit, branch, where = _default_tip(git, memory_branch, talk)
    if branch == memory_branch:
        raise TrustError(f"{where} is the memory branch, where a list would approve itself")
    content = git.read_blob(f"{commit}:{path}", limit=LIMIT)
    if content is None:
        raise NotFoundError(
            f"{path} is not on {where}",
            hint=f"gitmem trust --print > {path}, have it reviewed and merged into the default branch",
        )
    lines = (line.rstrip() for line in content.decode("utf-8", "replace").split("\n"))
    approved = frozenset(line for line in lines if line and not line.startswith("#"))
    return ApprovedList(approved, f"{path} on {where}", commit, path)


def only_signed(git: Git, listed: ApprovedList) -> tuple[ApprovedList, str]:
    """Return a list without the lines that no allowed signer signed, and a notice of them; empty if there are none."""
    from gitmem.store.origins import LINE  # only where the policy asks for signatures
    from gitmem.verify.signed import who_made

    makers = who_made(git, listed.commit, [(listed.path, (LINE, line)) for line in listed.lines], listed.commit)
    signed = frozenset(line for (_, (_, line)), maker in makers.items() if maker.signer)
    left = listed.lines - signed
    why = next((maker.why for maker in makers.values() if maker.why), "")
    notice = f"{listed.name}: {len(left)} of {len(listed.lines)} lines approve nothing, because no allowed signer"
    return replace(listed, lines=signed), f"{notice} signed them{f': {why}' if why else ''}" if left else ""


def list_mismatches(listed: ApprovedList, dues: Sequence[Due]) -> list[str]:
    """Return a message for each fact whose hash is only listed with another key or command."""
    hashes = {line.partition(" ")[0] for line in listed.lines}
    right = {due.row.spec for due in dues if due.approved_line in listed.lines}
    return [
        f"{listed.name}: the line with the hash {due.row.spec[:12]} does not match the command of "
        f"{due.row.key}, and approves nothing; for the right line: gitmem trust --print {due.row.key}"
        for due in dues
        if due.row.spec in hashes - right
    ]


def _default_tip(git: Git, memory_branch: str, talk: RemoteOptions) -> tuple[str, str, str]:
    """Return the present commit of the code's default branch, the branch's name, and its place for messages."""
    repository, default = _job()
    remote = _remote_of(git)
    if repository and remote and not _names(git, remote, repository):
        raise TrustError(
            f"{remote} is not {repository}, whose approved list is used in this job",
            hint=f"check out {repository} in this job: commands are approved on its default branch",
        )
    if not remote:
        branch = _local_default(git, memory_branch)
        commit = git.read_ref(f"refs/heads/{branch}") if branch else None
        if commit is None:
            message = (
                "this repository has no remote and no branch main or master, so there is no default branch to trust"
            )
            raise NotFoundError(message, hint="approve here, at a terminal: gitmem trust --review")
        return commit, branch, branch
    try:
        return _remote_tip(git, remote, default, talk)
    except RemoteError as err:
        message = f"cannot read the approved list from the remote: {err.message}"
        raise RemoteError(
            message, hint="try again when it is reachable, or approve here: gitmem trust --review"
        ) from err


def _remote_tip(git: Git, remote: str, branch: str, talk: RemoteOptions) -> tuple[str, str, str]:
    for _ in range(ATTEMPTS):
        name, commit = remotes.find_tip(git, remote, branch, talk)
        where = f"{name} of {remote}"
        if not name or not commit:
            message = f"{remote} has no default branch, so no approved list can be trusted"
            raise NotFoundError(message, hint="choose one in the repository's settings there")
        if not git.has(commit, "commit"):
            remotes.fetch_objects(git, remote, name, talk)
        if git.has(commit, "commit"):
            return commit, name, where
    raise RemoteError(f"{where} changed {ATTEMPTS} times while it was being read")


def _remote_of(git: Git) -> str:
    """Return the remote whose default branch counts: ``origin``, or the only one; empty if there is no remote."""
    names = remotes.list_remotes(git)
    if not names or "origin" in names:
        return "origin" if names else ""
    if len(names) > 1:
        message = (
            f"cannot tell which remote has the approved list: there are {', '.join(names)}, but none is named origin"
        )
        raise NotFoundError(message, hint=f"git remote rename {names[0]} origin")
    return names[0]


def _job() -> tuple[str, str]:
    """Return the repository of a forge's job and its default branch; empty outside of a job.

    Source: "Variables" of GitHub Actions and of GitLab CI/CD.
    """
    if config.variable("GITLAB_CI") == "true":
        target = config.variable("CI_MERGE_REQUEST_PROJECT_PATH") or config.variable("CI_PROJECT_PATH")
        return target, config.variable("CI_DEFAULT_BRANCH")
    if config.variable("GITHUB_ACTIONS") != "true":
        return "", ""
    try:
        event = json.loads(Path(config.variable("GITHUB_EVENT_PATH")).read_text(encoding="utf-8"))
        default = event["repository"]["default_branch"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        default = ""  # an event without a repository: ask the remote for its default branch
    return config.variable("GITHUB_REPOSITORY"), default if isinstance(default, str) else ""


def _names(git: Git, remote: str, repository: str) -> bool:
    """Return whether a remote's address ends with the name of a repository."""
    address = git.remote_url(remote).rstrip("/").removesuffix(".git").lower()
    return address.endswith((f"/{repository.lower()}", f":{repository.lower()}"))


def _local_default(git: Git, memory_branch: str) -> str:
    """Return the default branch of a repository without a remote, by its name; settings are ignored."""
    names = [name for name in ("main", "master") if name != memory_branch and git.read_ref(f"refs/heads/{name}")]
    return names[0] if names else ""


def _in_tree(git: Git, path: str) -> str:
    """Return a path in git's form: relative to the top of the work tree, with ``/``."""
    top = git.repository.work_tree
    absolute = os.path.abspath(path)  # noqa: PTH100 - Path.resolve would follow links out of the repository
    if top is not None and absolute.startswith(f"{top}{os.sep}"):
        return os.path.relpath(absolute, top).replace(os.sep, "/")
    if os.path.isabs(path) or ".." in path.split("/"):  # noqa: PTH117 - a string goes in and out
        raise NotFoundError(f"{path} is outside the repository; an approved list must be on its default branch")
    return path
