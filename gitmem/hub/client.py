"""Ask a hub for memories of other repositories. It may cost a third of a second, and never the answer from here."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit
from urllib.request import Request

from gitmem.frozen import frozen
from gitmem.model import STATUSES
from gitmem.system.http import FAILURES, USER_AGENT, exchange, is_encrypted, is_site, opener_for, unreachable
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# The whole exchange: who types a question waits no longer for others' memories.
LIMIT_S = 0.3
ANSWER_LIMIT = 1_000_000
# As many as a hub returns at most.
MOST = 100
# Of what a hub answers, no text is longer than this.
TEXT_LENGTH = 1_000


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


def ask(site: str, asked: Sequence[tuple[str, str]], *, token: str, limit_s: float = LIMIT_S) -> HubAnswer:
    """Ask a hub; whatever goes wrong is a line of the answer.

    Args:
        site: Its address.
        asked: The parameters of the search, by name.
        token: Who asks; sent only over an encrypted connection, or to this machine, and never to a redirect.
        limit_s: Seconds for the whole exchange.
    """
    if not is_site(site):
        return HubAnswer(problem="it is not the address of a server (https://HOST)")
    if not is_encrypted(site):
        return HubAnswer(problem="its address is not encrypted (https://HOST)")
    address = f"{site.rstrip('/')}/search?{urlencode([(name, text[:TEXT_LENGTH]) for name, text in asked])}"
    headers = {"User-Agent": USER_AGENT} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        request = Request(address, headers=headers)  # noqa: S310 - `is_site` allows http and https
        answer = exchange(opener_for(urlsplit(site).hostname or ""), request, limit=ANSWER_LIMIT, limit_s=limit_s)
    except TimeoutError:
        return HubAnswer(problem=f"no answer within {limit_s * 1000:.0f} ms")
    except FAILURES as err:
        return HubAnswer(problem=unreachable(err) or f"no answer within {limit_s * 1000:.0f} ms")
    if answer.status == 401:
        return HubAnswer(problem="it does not accept the token (GITMEM_HUB_TOKEN)")
    if answer.status != 200:
        return HubAnswer(problem=f"it answers with status {answer.status}")
    try:
        found = parse_json(answer.body)
        return HubAnswer(tuple(_hit(one) for one in found["hits"][:MOST]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return HubAnswer(problem="its answer is not that of a hub")


def _hit(table: dict[str, Any]) -> HubHit:
    """Return a hit of an answer, which anything may have written.

    Raises:
        TypeError: A value is of another type.
        ValueError: There is no such status.
    """
    texts = [table[name] for name in ("repository", "key", "kind", "title", "status", "snippet")]
    if not all(isinstance(text, str) for text in texts) or isinstance(table["score"], bool):
        raise TypeError
    name, key, kind, title, status, snippet = (" ".join(text[:TEXT_LENGTH].split()) for text in texts)
    if status not in ("", *STATUSES):
        raise ValueError
    return HubHit(name, key, kind, title, status, float(table["score"]), snippet)
