"""Leave verdicts and the status page to the memory branch, so that its job never conflicts with a proposal.

A proposal has verdicts only for facts whose checks are new or changed in it, for reviewers.
"""

from __future__ import annotations

from gitmem.document.parse import parse
from gitmem.document.spec import own_spec
from gitmem.errors import FormatError
from gitmem.git.branches import is_on_default
from gitmem.git.objects import open_objects
from gitmem.store import layout
from gitmem.store.commit import CommitPlan
from gitmem.store.verdicts import format_verdict
from gitmem.store.verdicts.buckets import sections_of
from gitmem.verify.due import list_publishable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.objects import Changes, Objects
    from gitmem.model import Spec
    from gitmem.repository import OpenRepository


def is_machine(path: str) -> bool:
    """Return whether gitmem itself writes a path of a store: verdicts, and the page made from them."""
    place = layout.place_of(path)
    return path in (layout.STATUS_PATH, layout.BADGE_PATH) or (
        isinstance(place, layout.StorePath) and place.what in (layout.VERDICT, layout.BUCKET)
    )


def own_facts(objects: Objects, changes: Changes) -> set[str]:
    """Return the keys of the facts whose checks are new or changed compared with the memory branch.

    A verdict's file is named for the key and the check: for a fact with the same check, the memory's job and the
    proposal would write the same file.
    """
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for path, (was, now) in changes.items():
        if key := layout.memory_key(path):
            before |= {key: was.oid} if was else {}
            after |= {key: now.oid} if now else {}
    contents = objects.read([*before.values(), *after.values()], limit=layout.MEMORY_LIMIT)

    def spec(oid: str) -> Spec | None:
        try:
            return own_spec(parse(contents[oid], path=""))
        except (KeyError, FormatError):
            return None  # too large, or not a memory

    return {key for key, oid in after.items() if (own := spec(oid)) and (key not in before or spec(before[key]) != own)}


def tidy(repository: OpenRepository, theirs: str) -> None:
    """Reset the machine-written files on the current proposal to those of the remote's memory, in at most one commit.

    Verdicts of facts whose checks are new or changed are included: existing ones, and those made by this clone.

    Args:
        repository: The store, on the proposal.
        theirs: The commit of the remote's memory, which the proposal contains.
    """
    objects = open_objects(repository.git)

    def plan(tip: str | None) -> CommitPlan | None:
        assert tip is not None, "the proposal has a branch"
        changes = objects.diff(theirs, tip)
        keys = own_facts(objects, changes)
        wrong = {
            path: was for path, (was, now) in changes.items() if is_machine(path) and not _goes_along(path, keys, was)
        }
        writes = _unpack(objects, changes, keys) | _own_verdicts(repository, objects, theirs, tip, keys)
        if not wrong and not writes:
            return None
        return CommitPlan(
            "propose: verdicts stay with the memory" if wrong else "propose: what its checks showed",
            writes=tuple(sorted(writes.items())),
            entries=tuple((path, was.mode, was.oid) for path, was in sorted(wrong.items()) if was is not None),
            deletes=tuple(sorted(path for path, was in wrong.items() if was is None)),
            machine=True,
        )

    repository.commit(plan, "propose")


def _goes_along(path: str, keys: set[str], was: object) -> bool:
    place = layout.place_of(path)
    return was is None and isinstance(place, layout.StorePath) and place.what == layout.VERDICT and place.key in keys


def _unpack(objects: Objects, changes: Changes, keys: set[str]) -> dict[str, bytes]:
    """Return the verdicts of a proposal's own facts from buckets that are reset, by the paths of their own files."""
    ends = {path: pair for path, pair in changes.items() if _is_bucket(layout.place_of(path))}
    texts = objects.read([entry.oid for pair in ends.values() for entry in pair if entry], limit=layout.BUCKET_LIMIT)
    verdicts: dict[str, bytes] = {}
    for path, pair in ends.items():
        was, now = (dict(sections_of(texts.get(entry.oid, b"") if entry else b"", path)) for entry in pair)
        verdicts |= {
            layout.verdict_path(*name): text for name, text in now.items() if name[0] in keys and name not in was
        }
    return verdicts


def _is_bucket(place: layout.StorePath | str) -> bool:
    return isinstance(place, layout.StorePath) and place.what == layout.BUCKET


def _own_verdicts(
    repository: OpenRepository, objects: Objects, theirs: str, tip: str, keys: set[str]
) -> dict[str, bytes]:
    """Return, by path, the verdicts that this clone made on a proposal's own facts, where they would count."""
    default = repository.default_branch()
    if not keys or not is_on_default(repository.git, default, remote=repository.config.remote):
        return {}
    catalog = repository.catalog_at(tip)
    ground = repository.ground(catalog)
    if ground is None:
        return {}
    verdicts = {}
    for verdict in list_publishable(catalog, repository.local, ground):
        path = layout.verdict_path(verdict.key, verdict.spec)
        if verdict.key in keys and objects.find(theirs, path) is None:
            verdicts[path] = format_verdict(verdict).encode()
    return verdicts
