"""Approve and deny the commands of facts, and the settings of a repository."""

from __future__ import annotations

from gitmem.document.spec import format_spec
from gitmem.policy.settings import APPROVALS
from gitmem.repository import settings_approval
from gitmem.repository.settings import guarded_settings
from gitmem.store.state.registration import accept
from gitmem.verify.approvals.clone import Approval, of_clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.approvals.clone import Trust
    from gitmem.verify.approvals.reviewed_list import ApprovedList
    from gitmem.verify.due import Due


def trust_of(store: OpenStore, approved: str = "") -> Trust:
    """Return the approvals of this clone, with those of an approved list if one is given."""
    trust = of_clone(store.git)
    return trust.with_list(_approved_list(store, approved).lines) if approved else trust


def _approved_list(store: OpenStore, approved: str) -> ApprovedList:
    """Return an approved list, read once; report its ineffective entries."""
    from gitmem.git.remotes import RemoteOptions
    from gitmem.verify.approvals.reviewed_list import list_mismatches, only_signed, read

    if approved not in store.approved_lists:
        listed = read(store.git, approved, memory_branch=store.config.branch, talk=RemoteOptions())
        if APPROVALS in store.policy().signatures.required:
            listed, notice = only_signed(store.git, listed)
            store.add_notice(notice)
        store.approved_lists[approved] = listed
        store.notices += list_mismatches(listed, store.commands()) if store.has_store() else []
    return store.approved_lists[approved]


def approve_command(store: OpenStore, due: Due) -> None:
    """Approve one command for this clone. Only ever called for a person at a terminal."""
    trust_of(store).approve(_approval(store, "allow", due))
    accept(store.git.repository.state)


def deny_command(store: OpenStore, due: Due) -> None:
    """Deny one command in this clone."""
    trust_of(store).revoke(_approval(store, "deny", due))


def _approval(store: OpenStore, decision: str, due: Due) -> Approval:
    return Approval(decision, due.row.spec, due.row.key, format_spec(due.spec), store.now, store.author().who)


def accept_settings(store: OpenStore) -> None:
    """Accept the settings that are ignored, in this clone. Only ever called for a person at a terminal."""
    trust_of(store).approve(
        _settings_approval(store, "allow", store.ignored_settings, settings_approval.format_settings)
    )


def deny_settings(store: OpenStore) -> bool:
    """Ignore the repository's guarded settings; return whether it has any."""
    settings = guarded_settings(store.git)
    if settings:
        trust_of(store).revoke(_settings_approval(store, "deny", settings, sorted))
    return bool(settings)


def _settings_approval(
    store: OpenStore, decision: str, settings: Mapping[str, str], shown: Callable[[Mapping[str, str]], list[str]]
) -> Approval:
    spec = settings_approval.spec_of(settings)
    return Approval(decision, spec, "settings", "; ".join(shown(settings)), store.now, store.author().who)
