"""Ask a hub for memories of other repositories. It may cost a third of a second, and never the answer from here."""

from __future__ import annotations

from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request

from gitmem.document.elsewhere import Foundation
from gitmem.frozen import frozen
from gitmem.model import STATUSES
from gitmem.statuses import DEPTH, describe_chain
from gitmem.store.scopes import HUB
from gitmem.system.http import FAILURES, USER_AGENT, exchange, is_encrypted, is_site, opener_for, unreachable
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# The whole exchange: who types a question waits no longer for others' memories.
LIMIT_S = 0.3
# Who names one memory of the hub's waits for that memory.
READ_LIMIT_S = 3.0
ANSWER_LIMIT = 1_000_000
# As many as a hub returns at most.
HITS_AT_MOST = 100
# As many memories as a hub looks for dependents of at once.
KEYS = 200
# Of what a hub answers, no text is longer than this.
TEXT_LENGTH = 1_000
_STRANGE = "it does not answer like a hub"
_NOT_A_HUBS = (ValueError, TypeError, KeyError, RecursionError)


@frozen
class HubHit:
    """A memory of another repository that a hub found."""

    repository_name: str
    key: str
    kind: str
    title: str
    status: str
    score: float
    snippet: str


@frozen
class HubAnswer:
    """What a hub found, best first; or why it did not answer."""

    hits: tuple[HubHit, ...] = ()
    problem: str = ""


@frozen
class HubDependent:
    """A memory of another repository that rests on one that was asked for.

    Attributes:
        repository_name: Its repository.
        key: Its key.
        kind: Its kind.
        title: Its title.
        status: Its status by its own repository.
        chain: The memories between it and that one: REPOSITORY:KEY, and the key of that one last; never empty.
    """

    repository_name: str
    key: str
    kind: str
    title: str
    status: str
    chain: tuple[str, ...]


@frozen
class HubDependents:
    """The dependents that a hub found, and how many it left out; or why it did not answer.

    Attributes:
        dependents: The dependents, nearest first.
        more: How many others there are.
        unasked: For how many memories the hub was not asked.
        name: The repository's name there; empty if it has none that the reader may see.
        problem: Why it did not answer; or empty.
    """

    dependents: tuple[HubDependent, ...] = ()
    more: int = 0
    unasked: int = 0
    name: str = ""
    problem: str = ""


@frozen
class HubText:
    """A memory of another repository as documented JSON, None if there is none that may be read; or a problem."""

    found: Mapping[str, Any] | None = None
    problem: str = ""


def ask(site: str, asked: Sequence[tuple[str, str]], *, token: str, limit_s: float = LIMIT_S) -> HubAnswer:
    """Ask a hub; whatever goes wrong is a line of the answer.

    Args:
        site: Its address.
        asked: The parameters of the search, by name.
        token: Who asks; sent only over an encrypted connection, or to this machine, and never to a redirect.
        limit_s: Seconds for the whole exchange.
    """
    query = urlencode([(name, text[:TEXT_LENGTH]) for name, text in asked])
    answer, problem = _get(site, f"/search?{query}", token, limit_s)
    if problem or answer is None:
        return HubAnswer(problem=problem or "it answers with status 404")
    try:
        return HubAnswer(tuple(_hit(one) for one in answer["hits"][:HITS_AT_MOST]))
    except _NOT_A_HUBS:
        return HubAnswer(problem=_STRANGE)


def read(site: str, name: str, key: str, *, token: str, limit_s: float = READ_LIMIT_S) -> HubText:
    """Read one memory of a repository through a hub; whatever goes wrong is a line of the answer.

    Args:
        site: The hub's address.
        name: The repository's name there.
        key: The memory's key.
        token: Who asks, as for ``ask``.
        limit_s: Seconds for the whole exchange.
    """
    answer, problem = _get(
        site, f"/memory/{quote(name[:TEXT_LENGTH])}/{quote(key[:TEXT_LENGTH], safe='')}", token, limit_s
    )
    if problem or answer is None:
        return HubText(problem=problem)
    try:
        return HubText(_memory(answer))
    except _NOT_A_HUBS:
        return HubText(problem=_STRANGE)


def find_dependents(
    site: str, address: str, keys: Sequence[str], *, token: str, limit_s: float = LIMIT_S
) -> HubDependents:
    """Ask a hub which memories of other repositories rest on some of one; whatever goes wrong is a line of the answer.

    Args:
        site: The hub's address.
        address: The address of the repository (``git.remotes.address_of``).
        keys: The keys of its memories; no more than ``KEYS`` are sent.
        token: Who asks, as for ``ask``.
        limit_s: Seconds for the whole exchange.
    """
    query = urlencode([("address", address), *(("key", key) for key in keys[:KEYS])])
    answer, problem = _get(site, f"/dependents?{query}", token, limit_s)
    if problem or answer is None:
        return HubDependents(
            problem=problem or "it does not support links between repositories: it runs an older gitmem"
        )
    try:
        listed = tuple(_dependent(one) for one in answer["dependents"][:HITS_AT_MOST])
        unasked = max(0, len(keys) - KEYS)
        return HubDependents(listed, int(answer["more"]), unasked, str(answer["repository"]))
    except _NOT_A_HUBS:
        return HubDependents(problem=_STRANGE)


def find_foundations(
    site: str, references: Sequence[str], *, token: str, limit_s: float = LIMIT_S
) -> tuple[dict[str, Foundation], str]:
    """Ask a hub what it knows of memories of other repositories; also return why it did not answer, or nothing.

    Args:
        site: The hub's address.
        references: The memories (REPOSITORY:KEY); no more than ``KEYS`` are sent.
        token: Who asks, as for ``ask``.
        limit_s: Seconds for the whole exchange.
    """
    sent = references[:KEYS]
    answer, problem = _get(
        site, f"/foundations?{urlencode([('reference', reference) for reference in sent])}", token, limit_s
    )
    if problem or answer is None:
        return {}, problem or "it does not support links between repositories: it runs an older gitmem"
    try:
        known = dict(_foundation(row) for row in answer["known"])
    except _NOT_A_HUBS:
        return {}, _STRANGE
    return {reference: it for reference, it in known.items() if reference in sent}, ""


def _foundation(table: dict[str, Any]) -> tuple[str, Foundation]:
    """Return a memory of an answer, which anything may have written, by its reference.

    Raises:
        TypeError: A value is of another type.
        ValueError: The status is unknown.
    """
    texts, why = [table[name] for name in ("reference", "status", "value")], table["why"]
    if not isinstance(why, list) or not all(isinstance(text, str) for text in (*texts, *why)):
        raise TypeError
    reference, status, value = map(_line, texts)
    if status not in ("", *STATUSES):
        raise ValueError
    return reference, Foundation(status, value, tuple(map(_line, why[:DEPTH])))


def _dependent(table: dict[str, Any]) -> HubDependent:
    """Return a dependent of an answer, which anything may have written.

    Raises:
        TypeError: A value is of another type.
        ValueError: The status is unknown, or it has no cause.
    """
    texts, chain = [table[name] for name in ("repository", "key", "kind", "title", "status")], table["chain"]
    if not isinstance(chain, list) or not all(isinstance(text, str) for text in (*texts, *chain)):
        raise TypeError
    if table["status"] not in ("", *STATUSES) or not chain:
        raise ValueError
    name, key, kind, title, status = map(_line, texts)
    return HubDependent(name, key, kind, title, status, tuple(map(_line, chain[:HITS_AT_MOST])))


def details_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hub's answer for one memory with the fields of ``gitmem show``."""
    fields = {name: value for name, value in found.items() if name not in ("why", "hidden")}
    details = {**fields, "store": found["repository"], "scope": HUB, "short_id": "", "path": "", "verdict": None}
    details |= {
        "because": found["why"],
        "suspicion": describe_chain(tuple(found["why"])) if found["why"] else "",
        "weak": False,
        "flapping": 0,
    }
    return details | {word: found["hidden"] == word for word in ("archived", "superseded", "expired")}


def _get(site: str, path: str, token: str, limit_s: float) -> tuple[dict[str, Any] | None, str]:
    """Return a hub's answer, or why there is none; neither if it answers that there is nothing at this path."""
    if not is_site(site):
        return None, "it is not the address of a server (https://HOST)"
    if not is_encrypted(site):
        return None, "its address is not encrypted (https://HOST)"
    headers = {"User-Agent": USER_AGENT} | ({"Authorization": f"Bearer {token}"} if token else {})
    late = f"no answer within {limit_s * 1000:.0f} ms"
    try:
        request = Request(f"{site.rstrip('/')}{path}", headers=headers)  # noqa: S310 - `is_site` allows http and https
        answer = exchange(opener_for(urlsplit(site).hostname or ""), request, limit=ANSWER_LIMIT, limit_s=limit_s)
    except TimeoutError:
        return None, late
    except FAILURES as err:
        return None, unreachable(err) or late
    if answer.status == 401:
        return None, "it does not accept the token (GITMEM_HUB_TOKEN)"
    try:
        table = parse_json(answer.body) if answer.status in (200, 404) else None
    except (ValueError, RecursionError):
        return None, _STRANGE
    if answer.status == 404 and isinstance(table, dict) and "error" in table:
        return None, ""
    if answer.status != 200:
        return None, f"it answers with status {answer.status}"
    return (table, "") if isinstance(table, dict) else (None, _STRANGE)


def _memory(table: dict[str, Any]) -> dict[str, Any]:
    """Return a memory of an answer, which anything may have written.

    Raises:
        TypeError: A value is of another type.
        ValueError: The status is unknown.
    """
    names = ("repository", "key", "kind", "status", "title", "hidden")
    front, body, why = table["frontmatter"], table["body"], table["why"]
    is_right = isinstance(front, dict) and isinstance(body, str) and isinstance(why, list)
    if not is_right or not all(isinstance(text, str) for text in (*(table[name] for name in names), *why)):
        raise TypeError
    if table["status"] not in ("", *STATUSES):
        raise ValueError
    lines = {name: _line(table[name]) for name in names}
    return lines | {"frontmatter": front, "body": body, "why": [_line(text) for text in why[:HITS_AT_MOST]]}


def _line(text: str) -> str:
    return " ".join(text[:TEXT_LENGTH].split())


def _hit(table: dict[str, Any]) -> HubHit:
    """Return a hit of an answer, which anything may have written.

    Raises:
        TypeError: A value is of another type.
        ValueError: The status is unknown.
    """
    texts = [table[name] for name in ("repository", "key", "kind", "title", "status", "snippet")]
    if not all(isinstance(text, str) for text in texts) or isinstance(table["score"], bool):
        raise TypeError
    name, key, kind, title, status, snippet = map(_line, texts)
    if status not in ("", *STATUSES):
        raise ValueError
    return HubHit(name, key, kind, title, status, float(table["score"]), snippet)
