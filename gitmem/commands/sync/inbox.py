"""Learnings for a worker in another clone: one ref at the remote for each, until that worker has received it.

``refs/gitmem/inbox/<agent>/<blob>`` names a blob of JSON. Deleting the ref claims it: git lets only one clone do so.
"""

from __future__ import annotations

import json
from typing import Any

from gitmem.commands.remember import remember
from gitmem.errors import ConflictError, DuplicateError, GitmemError, RefusedError, RemoteError
from gitmem.git import remotes
from gitmem.git.repository import is_oid
from gitmem.repository.private import open_private
from gitmem.text import display, parse_json
from gitmem.text.slugs import slug
from gitmem.write.draft import refuse_secrets
from gitmem.write.new_memory import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository

REFS = "refs/gitmem/inbox/"
# Larger than any memory; a longer one is dropped.
LIMIT_BYTES = 100_000
TEXTS, LISTS = ("text", "kind", "title", "key", "importance"), ("tags", "paths", "refs")


def send(repository: OpenRepository, remote: str, worker: str, learning: Mapping[str, Any], talk: RemoteOptions) -> str:
    """Push a learning for a worker to a remote, and return its ref there.

    Args:
        repository: The store.
        remote: The name of a configured remote.
        worker: The agent.
        learning: ``text``, ``kind``, ``by``, and further fields, as for ``remember``.
        talk: The connection to the remote.

    Raises:
        RefusedError: It contains a secret, or is too long.
        RemoteError: The remote cannot be reached, or refuses it: nothing was sent.
    """
    git = repository.git
    text = json.dumps({**learning, "sent": repository.now}, ensure_ascii=False, sort_keys=True)
    refuse_secrets(f"the learning for {slug(worker)}", text, repository.policy())
    if len(text.encode()) > LIMIT_BYTES:
        message = f"the learning is longer than {LIMIT_BYTES:,} bytes"
        raise RefusedError(message, hint="send its main point")
    blob = git.run("hash-object", "-w", "--stdin", input=text.encode()).stdout.decode("ascii").strip()
    ref = f"{REFS}{slug(worker)}/{blob}"
    try:
        remotes.push_ref(git, remote, remotes.RefUpdate(ref, blob), talk)
    except RemoteError as err:
        hint = "send it again when the remote can be reached"
        raise RemoteError(f"nothing was sent to {slug(worker)}: {err.message}", hint=hint) from err
    return ref


def receive(repository: OpenRepository, remote: str, talk: RemoteOptions) -> None:
    """Move learnings for this clone's agent from the remote into its private memory; report failures as notices."""
    agent = slug(repository.config.agent)
    if not agent:
        return
    try:
        far = remotes.list_refs(repository.git, remote, f"{REFS}{agent}/*", talk)
        for ref in far:
            if _claim(repository, remote, ref, talk):
                _deliver(repository, ref)
    except (ConflictError, RemoteError) as err:
        repository.notices.append(f"not every learning for {agent} was received from {remote}: {err.message}")
        return
    for ref in repository.git.list_refs(f"{REFS}{agent}/"):  # claimed by a sync that was killed before it wrote them
        if ref not in far:
            _deliver(repository, ref)


def _claim(repository: OpenRepository, remote: str, ref: str, talk: RemoteOptions) -> bool:
    """Store a learning's blob in this clone, then delete its ref at the remote; return whether that worked."""
    git, blob = repository.git, ref.rpartition("/")[2]
    is_ours = ref == f"{REFS}{slug(repository.config.agent)}/{blob}"  # its patterns also match deeper refs
    if not is_ours or not is_oid(blob):
        return False
    if not git.has(blob, "blob"):
        remotes.fetch_commit(git, remote, blob, talk)
    git.run("update-ref", "-m", "gitmem: inbox", ref, blob, durable=True)
    if remotes.delete(git, remote, ref, expected=blob, talk=talk):
        return True
    git.run("update-ref", "-d", ref, check=False)
    return False


def _deliver(repository: OpenRepository, ref: str) -> None:
    """Write a claimed learning; an invalid one is dropped, with a notice."""
    agent, blob = ref.removeprefix(REFS).split("/")
    try:
        new = _parse(repository.git.read_blob(blob, limit=LIMIT_BYTES) or b"")
        remember(open_private(repository, agent=agent), new, is_strict=False)
        repository.notices.append(f"received a learning for {agent} into its private memory")
    except DuplicateError:
        pass  # it is already known
    except (RefusedError, ValueError, RecursionError) as err:
        reason = err.message if isinstance(err, GitmemError) else str(err)
        repository.notices.append(f"a learning for {agent} was dropped: {display(reason)}")
    repository.git.run("update-ref", "-d", ref, check=False, durable=True)


def _parse(raw: bytes) -> NewMemory:
    """Return a learning with its known fields.

    Raises:
        ValueError: It is not a learning.
    """
    found = parse_json(raw)
    if not isinstance(found, dict) or not found.get("text"):
        raise ValueError("it is not a learning")
    options: dict[str, Any] = {name: found[name] for name in (*TEXTS, *LISTS, "by") if found.get(name)}
    by = options.get("by", {})
    if not all(isinstance(options.get(name, ""), str) for name in TEXTS) or not isinstance(by, dict):
        raise ValueError("a field in it is not text")
    listed = [value for name in LISTS for value in options.get(name, []) if isinstance(options[name], list)]
    if not all(isinstance(options.get(name, []), list) for name in LISTS) or not all(
        isinstance(value, str) for value in (*listed, *by, *by.values())
    ):
        raise ValueError("a list in it contains something other than text")
    text, title, key = (options.pop(name, "") for name in ("text", "title", "key"))
    return NewMemory(text, options, title, options.pop("kind", "learned"), key)
