"""Decide where a change of the project's memory is written on a code branch: the memory branch, or its companion.

A memory that is true on this branch but not on the default one would contradict everyone else's code, so it goes to the
companion (``gitmem.store``), which is merged with the branch.
"""

from __future__ import annotations

from gitmem.document.spec import check_of
from gitmem.errors import ConflictError, GitmemError
from gitmem.model import FAILS, HOLDS, UNPROVEN
from gitmem.repository.holder import holder_of
from gitmem.store.commit import WriteTarget, advance
from gitmem.store.companion import companion_branch, companion_code, companion_store, find_companion, head_branch
from gitmem.store.merge.on_top import list_changed_keys, on_top
from gitmem.store.proposal import COMPANION_PREFIX as COMPANIONS
from gitmem.store.proposal import HEADS, PROPOSAL_PREFIX
from gitmem.store.scopes import PROJECT, memory_tip, project_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.model import Document
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore


def code_branch(repository: OpenRepository) -> str:
    """Return the code branch that can have a companion here: HEAD's, if it is not the default one."""
    code, default = head_branch(repository.git), default_name(repository)
    if not code or not default or repository.store.proposal:
        return ""
    return "" if code in (default, repository.config.branch) or code.startswith(PROPOSAL_PREFIX) else code


def default_name(repository: OpenRepository) -> str:
    """Return the name of the default branch; empty if unknown."""
    return repository.default_branch().removeprefix(HEADS).removeprefix(f"refs/remotes/{repository.config.remote}/")


def holder_to_change(repository: OpenRepository, typed: str, scope: str = "") -> tuple[OpenStore, str]:
    """Return where to change a memory, and its full key: in the companion of HEAD's branch if that changes it.

    Raises:
        NotFoundError: There is none.
        AmbiguousKeyError: Several begin with what was typed.
    """
    if scope in ("", PROJECT):
        keys = keys_changed(repository)
        companion = to_write(repository) if any(key.startswith(typed) for key in keys) else None
        key = companion.full_key(typed) if companion is not None else ""
        if companion is not None and key in keys:
            return companion, key
    return holder_of(repository, typed, scope)


def home_of(repository: OpenRepository, document: Document, *, outcome: str, is_uncommitted: bool) -> OpenStore:
    """Return where to write a memory: to the companion of HEAD's branch if its check has another answer there."""
    if not code_branch(repository):
        return repository
    return (
        to_write(repository) if is_apart(repository, document, outcome=outcome, is_uncommitted=is_uncommitted) else None
    ) or repository


def to_write(repository: OpenRepository) -> OpenStore | None:
    """Return the companion of HEAD's branch for writing, with the current memory; None if there is none.

    Raises:
        ConflictError: An existing branch blocks its name.
    """
    code = code_branch(repository)
    if not code:
        return None
    git, config = repository.git, repository.config
    store = companion_store(git, project_store(git, config), code)
    companion = find_companion(git, config, code)
    if companion is None:
        _refuse_blocked(repository, code)
    else:
        top = git.read_ref(_top(repository, code, companion.commit)) or companion.commit
        own = git.read_ref(store.ref)
        if own != top:
            advance(WriteTarget(git, store.ref, "companion", config.lock_timeout_s), top, old=own)
    return repository.companion(store)


def _top(repository: OpenRepository, code: str, commit: str) -> str:
    git, config = repository.git, repository.config
    memory = memory_tip(git, project_store(git, config))
    return on_top(git, memory, commit, code=code, now=repository.now, wait_s=config.lock_timeout_s)


def _refuse_blocked(repository: OpenRepository, code: str) -> None:
    """Refuse a companion whose name another branch blocks: ``a`` and ``a/b`` cannot both be branches."""
    for other in (companion_code(ref.removeprefix(HEADS)) for ref in repository.git.list_refs(f"{HEADS}{COMPANIONS}")):
        if code.startswith(f"{other}/") or other.startswith(f"{code}/"):
            raise ConflictError(
                f"{companion_branch(code)} cannot exist next to {companion_branch(other)}",
                hint=f"merge or drop the other one: gitmem propose --drop branch/{other}",
            )


def keys_changed(repository: OpenRepository) -> tuple[str, ...]:
    """Return the keys of the memories that the companion of HEAD's branch changes, sorted."""
    code = code_branch(repository)
    companion = find_companion(repository.git, repository.config, code) if code else None
    if companion is None:
        return ()
    try:
        top = repository.git.read_ref(_top(repository, code, companion.commit))
    except GitmemError as err:
        repository.notices.append(f"the companion of {code} is not read: {err.message}")
        return ()
    memory = memory_tip(repository.git, project_store(repository.git, repository.config))
    return list_changed_keys(repository.git, memory, top) if top else ()


def is_apart(
    repository: OpenRepository, document: Document, *, outcome: str = "", is_uncommitted: bool = False
) -> bool:
    """Return whether a memory's check has a different answer here than on the default branch.

    If it may not run, true if the files that it reads differ.

    Args:
        repository: The repository.
        document: The memory as it will be.
        outcome: The outcome of its check here, if known.
        is_uncommitted: Whether that outcome needs uncommitted changes.
    """
    there = repository.git.read_ref(repository.default_branch())
    if check_of(document) is None or there is None or repository.git.read_head()[1] is None:
        return False
    session = repository.session()
    due = session.due_of(document)
    judged = session.judge_at(due, there)
    if judged is None:  # its inputs are the same there
        return is_uncommitted
    here = outcome or session.judge_one(due).outcome
    return here != judged.outcome or here not in (HOLDS, FAILS, UNPROVEN)


def is_on(repository: OpenRepository, keys: Iterable[str]) -> bool:
    """Return whether the companion of HEAD's branch changes one of these memories."""
    return not set(keys).isdisjoint(keys_changed(repository))
