"""Check and review changes to the memory branch and to the code tree, and examine the store."""

from __future__ import annotations

from gitmem.errors import NotFoundError
from gitmem.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.commands.check.run import CheckResult
    from gitmem.commands.doctor.examine import Examination
    from gitmem.commands.review.model import Review
    from gitmem.commands.review.run import ReviewGround
    from gitmem.memory import Memory
    from gitmem.repository import OpenRepository
    from gitmem.repository.branch_memory import BranchMemory
    from gitmem.verify.options import Options


def review(repository: OpenRepository, typed: str, *, code: str, approved: str) -> Review:
    """Describe the effects of a change to the memory branch; takes the arguments of ``Memory.review``."""
    from gitmem.commands.review import run

    return run.review(_ground(repository, approved), typed, code=code)


def examine(memory: Memory, *, fix: bool, delete: Sequence[str]) -> Examination:
    """Examine the store, its hooks, workflows and view; takes the arguments of ``Memory.doctor``."""
    from gitmem.commands.doctor import examine as doctor
    from gitmem.commands.install import ci, git_hooks
    from gitmem.commands.install import examine as standing
    from gitmem.commands.view.view import examine as examine_view

    repository = memory.repository
    examination = doctor.examine(
        repository, fix=fix, delete=delete, replaced_hooks=git_hooks.list_missing(repository.git)
    )
    examination = doctor.add_problems(examination, [*standing.examine(repository.git), *ci.examine(repository)], ())
    if acceptance := standing.describe_acceptance(repository.git):
        examination = replace(examination, machine=(*examination.machine, ("clone", acceptance)))
    return doctor.add_problems(
        examination, *examine_view(repository, memory.view.merge_found, fix=fix and doctor.is_own(examination))
    )


def check_change(
    memory: Memory,
    *,
    base: str,
    head: str,
    staged: bool,
    options: Options | None,
    progress: Callable[[str, int, int], None],
) -> CheckResult:
    """Check a change together with the memory in it; takes the arguments of ``Memory.check``."""
    from gitmem.commands.check.run import check, check_staged
    from gitmem.repository.branch_memory import find_branch_memory
    from gitmem.repository.verification import note_unreadable, stores_to_prove
    from gitmem.verify.options import Options

    repository, options = memory.repository, options or Options()
    note_unreadable(repository)
    branch = find_branch_memory(repository, head)
    options = replace(options, keys=_full_keys(repository, branch, options.keys))
    stores = stores_to_prove(repository, options)
    if staged:
        return _with_ids(repository, check_staged(stores, branch=branch, progress=progress))
    default = repository.default_branch()
    checked = check(stores, base=base, head=head, default=default, branch=branch, progress=progress)
    return _with_ids(repository, with_review(repository, with_branch_review(repository, checked, options), options))


def _with_ids(repository: OpenRepository, checked: CheckResult) -> CheckResult:
    from gitmem.verify.overview.finding import name_findings

    catalog = repository.find_catalog()
    return checked if catalog is None else replace(checked, findings=name_findings(checked.findings, catalog))


def _full_keys(repository: OpenRepository, branch: BranchMemory | None, keys: Iterable[str]) -> tuple[str, ...]:
    """Return full keys, including those of memories that only the branch's companion has."""
    from gitmem.repository.holder import holder_of

    full_keys = []
    for typed in keys:
        try:
            full_keys.append(holder_of(repository, typed)[1])
        except NotFoundError:
            own = [key for key in branch.changed if key.startswith(typed)] if branch is not None else []
            if len(own) != 1 and typed not in own:
                raise
            full_keys.append(typed if typed in own else own[0])
    return tuple(full_keys)


def with_branch_review(repository: OpenRepository, checked: CheckResult, options: Options) -> CheckResult:
    """Add to a checked change the review of its branch's companion memory."""
    branch = checked.branch
    if branch is None or options.keys:
        return checked
    from gitmem.commands.review.forms import as_table

    code = checked.span.head or repository.git.read_head()[1] or ""
    review_result = review(repository, f"{branch.memory}..{branch.top}", code=code, approved=options.approved)
    is_refused = review_result.is_failed(review_result.fail_on)
    return replace(checked, branch=replace(branch, review=as_table(review_result), is_refused=is_refused))


def with_review(repository: OpenRepository, checked: CheckResult, options: Options) -> CheckResult:
    """Add to a checked change the review of the memories in its code tree, if it is committed and has some."""
    span = checked.span
    if not checked.has_memories or not span.head or options.keys:
        return checked
    from gitmem.commands.review.run import review_tracked

    tip, policy = repository.find_tip() or "", repository.policy()
    reviewed = review_tracked(_ground(repository, options.approved), span.base, span.head, tip, policy=policy)
    return replace(checked, review=replace(checked.review, memory=reviewed))


def _ground(repository: OpenRepository, approved: str) -> ReviewGround:
    from gitmem.commands.review.run import ground_of
    from gitmem.commands.time_travel.catalogs import catalog_for

    return ground_of(repository, approved, lambda commit, code: catalog_for(repository, commit, code))
