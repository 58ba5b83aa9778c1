"""Start the memory of a repository, or join its remote's."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.store.init import InitRequest, chosen_branch, set_branch, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository
    from gitmem.store.init import InitResult


def init(repository: OpenRepository, *, branch: str, offline: bool, profile: str = "") -> InitResult:
    """Start the store or join the remote's, on a named branch or the one that the remote names.

    Raises:
        UsageError: There is no such profile.
    """
    policy = ""
    if profile:
        from gitmem.policy.profiles import profile_policy

        policy = profile_policy(profile)
    config = repository.config
    named = chosen_branch(repository.git, config, branch)
    repository.usable(repository.git.repository.state)  # in an unknown clone, the next command would discard the proofs
    former = config.branch if named != config.branch else ""
    wanted = InitRequest(named or config.branch, config.remote, offline, not named, former, policy)
    result = start(
        repository.git,
        wanted,
        now=repository.now,
        lock_timeout_s=config.lock_timeout_s,
        notices=repository.notices,
    )
    if branch or result.branch != config.branch:
        set_branch(repository.git, result.branch, repository.notices)
        repository.config = replace(config, branch=result.branch)
        repository.turn()
    repository.accept()
    return result
