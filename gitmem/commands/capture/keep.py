"""Store a text that will be a memory: checked, durable, and within milliseconds, since programs wait for it."""

from __future__ import annotations

import json

from gitmem.agents.clients import agent_client
from gitmem.document.api_options import set_values
from gitmem.errors import RefusedError, UsageError
from gitmem.store.scopes import PRIVATE
from gitmem.store.state import plain_files
from gitmem.store.state.spool import Spool
from gitmem.text import display
from gitmem.text.hazards.hidden_characters import find_hidden
from gitmem.text.hazards.personal import find_personal
from gitmem.text.secrets import find_secrets, redact
from gitmem.write.quality import says_something

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.repository import OpenRepository
    from gitmem.write.new_memory import NewMemory

# Further fields of a captured memory; not a check, which must be seen to hold.
OPTIONS = (
    *("tags", "domains", "paths", "refs", "requires", "produces", "ttl", "importance", "confidence", "task"),
    *("workspace", "branch", "created", "category", "priority", "after"),
)
# The tag of a memory with personal data.
PERSONAL = "personal-data"
# The fields about an agent besides its name.
BY = ("role", "session", "type")


def keep(
    repository: OpenRepository,
    new: NewMemory,
    *,
    once: bool = False,
    by: Mapping[str, str] | None = None,
    owner: str = "",
) -> str:
    """Store a text that will be a memory, and return the entry's name; it is on disk then.

    Args:
        repository: The store.
        new: The learning; its fields are of ``OPTIONS``.
        once: Skip a memory that exists already, or was retired.
        by: The agent that captured it, if any (``BY``); the person is always known.
        owner: The agent whose private memory it will be; empty for the project's.

    Raises:
        NoRepositoryError: This repository has no store.
        RefusedError: It has no content, or has hidden characters or a secret, which the message does not repeat.
        UsageError: There is no such field.
    """
    repository.need_branch()
    text, title, key = new.text, new.title, new.key
    options = set_values(new.fields)
    if wrong := sorted(set(options) - set(OPTIONS)):
        raise UsageError(f"{wrong[0]} cannot be captured", hint=f"fields that can: {', '.join(sorted(OPTIONS))}")
    entry = {"text": text, "title": title, "kind": new.kind, "key": key, "options": options}
    if new.former:
        entry["former"] = new.former
    if owner:
        entry |= {"scope": PRIVATE, "owner": owner}
    if find_personal(f"{title}\n{text}"):
        # The branch is pushed: it stays on this machine until a person promotes it.
        entry["scope"] = PRIVATE
        entry["options"] = {**options, "tags": [*options.get("tags", ()), PERSONAL]}
    if not says_something(f"{title} {text}"):
        raise RefusedError("it contains nothing worth keeping")
    for part in (text, title, key, json.dumps(options, ensure_ascii=False)):
        refuse(repository, "the captured text", part)
    who = dict(by) if by else {}
    agent = who.pop("agent", "") or repository.config.agent or agent_client()
    name = Spool(repository.git.repository.state).append(
        entry | {"at": repository.now, "agent": agent, "once": once} | ({"by": who} if who else {})
    )
    plain_files.add_count(repository.git.repository.state, plain_files.CAPTURES)
    return name


def safe_lines(text: str) -> str:
    """Return the whole text with its secrets replaced and its hidden characters spelled out."""
    return redact(display(text, lines=True))


def refuse(repository: OpenRepository, what: str, text: str) -> None:
    """Refuse what no commit may contain, before it is on disk; the policy is read if it could allow it.

    Raises:
        RefusedError: It has hidden characters, or a secret, which the message does not repeat.
    """
    if find_hidden(text) or find_secrets(text):
        from gitmem.write.draft import clean_text, refuse_typed

        refuse_typed(what, clean_text(text), repository.policy())
