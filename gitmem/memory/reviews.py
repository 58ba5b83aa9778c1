"""Reviews of what a change does to memories, on the memory branch and in the code tree."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.check.run import CheckResult
    from gitmem.commands.review.model import Review
    from gitmem.commands.review.run import ReviewGround
    from gitmem.repository.repository import OpenRepository
    from gitmem.verify.options import Options


def review(repository: OpenRepository, typed: str, *, code: str, approved: str) -> Review:
    """Return what a change of the memory branch means; the arguments are those of ``Memory.review``."""
    from gitmem.commands.review import run

    return run.review(_ground(repository, approved), typed, code=code)


def with_review(repository: OpenRepository, checked: CheckResult, options: Options) -> CheckResult:
    """Return a checked change with what a review finds in its own memories, where it is committed and has some."""
    span = checked.span
    if not checked.has_memories or not span.head or options.keys:
        return checked
    from gitmem.commands.review.run import review_tracked

    tip, policy = repository.find_tip() or "", repository.policy()
    found = review_tracked(_ground(repository, options.approved), span.base, span.head, tip, policy=policy)
    return checked.with_memory_review(found)


def _ground(repository: OpenRepository, approved: str) -> ReviewGround:
    from gitmem.commands.review.run import ground_of
    from gitmem.commands.time_travel.catalogs import catalog_for

    return ground_of(repository, approved, lambda commit, code: catalog_for(repository, commit, code))
