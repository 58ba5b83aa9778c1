"""A client for forges' REST API: sequential requests, bounded in size and time, with retries on request.

The token is sent only to the API's own origin: it is in no message, and does not follow a redirect or link to another
origin. Source: GitHub Docs, "Best practices for using the REST API", "Rate limits for the REST API", "Using pagination
in the REST API".
"""

from __future__ import annotations

import json
import re
import time
from urllib.parse import urljoin, urlsplit
from urllib.request import Request

from gitmem.document.times import format_time
from gitmem.errors import ForgeError
from gitmem.frozen import frozen
from gitmem.git.forges.errors import error_of, format_reply
from gitmem.git.git import plausible
from gitmem.system.http import FAILURES, USER_AGENT, exchange, opener_for, unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gitmem.git.forges.job_environment import ForgeRepository
    from gitmem.system.http import Response

VERSION = "2022-11-28"
# The largest response: 100 comments of 65,536 characters, at up to four bytes per character, are 26 MB.
ANSWER_LIMIT = 32 * 1024 * 1024
# The time limits in seconds, for one request and for a whole command.
REQUEST_S, TOTAL_S = 30.0, 300.0
# The longest total wait at the forge's request in seconds, and the wait if it does not say how long.
PATIENCE_S, UNSAID_S = 60.0, 60.0
# "Make requests serially … wait at least one second between each request" that writes.
BETWEEN_WRITES_S = 1.0
# Seconds before the second, third and fourth try of a request that may be repeated.
PAUSES_S = (1.0, 2.0, 4.0)
MOVED = (301, 302, 307, 308)
UNCHANGED = 304
HOPS = 3
PAGES = 100
_NEXT = re.compile(r'<([^<>]*)>\s*;[^,<]*?\brel="?next\b"?')


@frozen
class ForgePage:
    """One page of a forge's list, or a single object.

    Attributes:
        found: Its JSON; None if it is unchanged (``is_unchanged``).
        following: The address of the next page; empty on the last.
        etag: The ETag for the next request; empty if the forge gives none.
        is_unchanged: Whether the given ETag is still valid; such a response does not count against the rate limit.
    """

    found: Any
    following: str = ""
    etag: str = ""
    is_unchanged: bool = False


class Forge:
    """The API of one repository's forge, with a token, for one command.

    Attributes:
        place: The repository and its API.
    """

    def __init__(
        self,
        place: ForgeRepository,
        token: str,
        *,
        scheme: str = "Bearer",
        accept: str = "application/vnd.github+json",
        request_s: float = REQUEST_S,
        total_s: float | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Set the forge; nothing is sent.

        Args:
            place: The repository and its API.
            token: The token, which is in no message; empty is an error.
            scheme: How the token is sent: ``Bearer``, or ``Basic`` if it is already base64.
            accept: The media type of answers.
            request_s: Seconds for one request.
            total_s: Seconds for the whole command; ``TOTAL_S`` by default.
            sleep: Waits.
            clock: Returns epoch seconds.

        Raises:
            ForgeError: There is no token, or it contains an invalid character.
        """
        if not re.fullmatch("[!-~]+", token):
            message = "no token is set" if not token else "the token contains an invalid character"
            raise ForgeError(message, hint="in a workflow step, set env: GITHUB_TOKEN: ${{ github.token }}")
        self.place = place
        self._token, self._request_s, self._sleep, self._clock = token, request_s, sleep, clock
        self._authorization, self._accept = f"{scheme} {token}", accept
        self._total_s = TOTAL_S if total_s is None else total_s
        self._origin = _origin(place.api)
        self._opener = opener_for(self._origin[1])
        self._ends = time.monotonic() + self._total_s
        self._patience_s = PATIENCE_S
        self._wrote_at = -BETWEEN_WRITES_S

    def repo(self, path: str) -> str:
        """Return the address of a resource of the repository: ``issues/12``."""
        return f"{self.place.api}/repos/{self.place.repository}/{path}"

    def get(self, url: str, *, needs: str) -> Any:
        """Return the JSON at an address.

        Args:
            url: The address, in the API's origin.
            needs: The required permission, as a workflow names it: ``issues: read``.

        Raises:
            ForgeError: The forge cannot be reached, or refuses.
        """
        return self._json(self._ask("GET", url, None, needs=needs))

    def page(self, url: str, *, needs: str, etag: str = "") -> ForgePage:
        """Return one page, with the address of the next one.

        Args:
            url: The address, in the API's origin.
            needs: The required permission.
            etag: The ETag of an earlier response from this address; empty for none.

        Raises:
            ForgeError: As for ``get``; or the next page has another origin.
        """
        answer = self._ask("GET", url, None, needs=needs, etag=etag)
        if answer.status == UNCHANGED:
            return ForgePage(None, etag=etag, is_unchanged=True)
        following = _NEXT.search(answer.headers.get("link", ""))
        return ForgePage(
            self._json(answer),
            self._same_origin(following[1]) if following else "",
            answer.headers.get("etag", ""),
        )

    def items(self, url: str, *, needs: str) -> Iterator[Mapping[str, Any]]:
        """Yield the items of a list, page after page as linked by the forge.

        Raises:
            ForgeError: As for ``get``; or a page has another origin, or there are too many pages.
        """
        for _ in range(PAGES):
            page = self.page(url, needs=needs)
            yield from need_tables(page.found)
            if not page.following:
                return
            url = page.following
        raise ForgeError(f"the forge's list has more than {PAGES} pages")

    def write(self, method: str, url: str, body: Mapping[str, Any] | None, *, needs: str) -> Mapping[str, Any]:
        """Change something and return its new state; an empty mapping if it is gone.

        Raises:
            ForgeError: As for ``get``. A POST without a response may have been done.
        """
        answer = self._ask(method, url, body, needs=needs)
        return _mapping(self._json(answer)) if answer.body.strip() else {}

    def delete(self, url: str, *, needs: str) -> None:
        """Delete something, or do nothing if another process deleted it first.

        Raises:
            ForgeError: As for ``get``.
        """
        try:
            self.write("DELETE", url, None, needs=needs)
        except ForgeError as err:
            if err.status not in (404, 410):
                raise

    def query(self, url: str, text: str) -> Mapping[str, Any]:
        """Run a GraphQL query that changes nothing."""
        return _mapping(self._json(self._ask("POST", url, {"query": text}, needs="", is_reading=True)))

    def _ask(
        self,
        method: str,
        url: str,
        body: Mapping[str, Any] | None,
        *,
        needs: str,
        is_reading: bool = False,
        etag: str = "",
    ) -> Response:
        """Send a request until there is a final response."""
        is_reading = is_reading or method == "GET"
        tries = hops = 0
        while True:
            answer, cause, failed = None, None, ""
            try:
                answer = self._send(method, url, body, is_reading=is_reading, etag=etag)
                failed = f"it answered with status {answer.status}" if answer.status >= 500 else ""
            except FAILURES as err:
                cause, failed = err, unreachable(err) or "it did not answer in time"
            # A request that was sent twice may have been done twice.
            if failed and tries < len(PAUSES_S) and (method != "POST" or is_reading):
                self._wait(PAUSES_S[tries], failed)
                tries += 1
            elif answer is None:
                raise self._no_answer(failed, is_reading=is_reading) from cause
            elif answer.status in MOVED and hops < HOPS:
                hops += 1
                url = self._same_origin(answer.headers.get("location", ""), base=url)
            elif (wait := wait_of(answer, self._clock())) is not None:
                self._wait(wait)
            elif not 200 <= answer.status < 300 and not (etag and answer.status == UNCHANGED):
                raise error_of(answer, method, urlsplit(url).path, needs=needs, token=self._token)
            else:
                return answer

    def _send(self, method: str, url: str, body: Mapping[str, Any] | None, *, is_reading: bool, etag: str) -> Response:
        """Send one request; writes are a second apart."""
        if not is_reading:
            self._sleep(max(0.0, self._wrote_at + BETWEEN_WRITES_S - time.monotonic()))
        left = self._ends - time.monotonic()
        if left <= 0:
            raise ForgeError(f"the forge was too slow: timed out after {self._total_s:g} seconds")
        headers = {
            "Accept": self._accept,
            "X-GitHub-Api-Version": VERSION,
            "User-Agent": USER_AGENT,
            "Authorization": self._authorization,
            **({"If-None-Match": etag} if etag else {}),
        }
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        request = Request(url, data=data, headers=headers, method=method)  # noqa: S310 - http(s) only
        try:
            return exchange(self._opener, request, limit=ANSWER_LIMIT, limit_s=min(self._request_s, left))
        finally:
            self._wrote_at = self._wrote_at if is_reading else time.monotonic()

    def _wait(self, seconds: float, why: str = "") -> None:
        """Wait, within the limits.

        Raises:
            ForgeError: The wait is too long; try again later.
        """
        if seconds > min(self._patience_s, self._ends - time.monotonic()):
            again = format_time(plausible(self._clock() + seconds) + 1)
            message = f"the forge failed: {why}" if why else "the forge's rate limit is reached"
            raise ForgeError(f"{message}; try again after {again}", status=0 if why else 429, hint="run it again then")
        self._patience_s -= seconds
        self._sleep(seconds)

    def _no_answer(self, why: str, *, is_reading: bool) -> ForgeError:
        message = f"the forge at {self._origin[1]} cannot be reached: {why}"
        return ForgeError(message, hint="" if is_reading else "the outcome is unknown: run it again")

    def _same_origin(self, url: str, *, base: str = "") -> str:
        """Return an address named by the forge, relative to *base*, if the token may go there.

        Raises:
            ForgeError: It has another origin.
        """
        try:
            url = urljoin(base, url)
            parts = urlsplit(url)
            fits = _origin(url) == self._origin and not parts.username and not parts.password
        except ValueError:
            fits = False
        if not fits or not re.fullmatch("[!-~]+", url):
            shown = format_reply(url, self._token)
            raise ForgeError(
                f"refused to follow a redirect of the forge to another origin, to protect the token: {shown}"
            )
        return url

    def _json(self, answer: Response) -> Any:
        if len(answer.body) > ANSWER_LIMIT:
            raise ForgeError("the forge's answer is too large")
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as err:
            raise ForgeError("the forge's answer is not JSON") from err


def need_tables(found: Any) -> list[Mapping[str, Any]]:
    """Return a response that is a list of tables.

    Raises:
        ForgeError: It is something else.
    """
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise ForgeError("the forge did not answer with a list")
    return found


def part_of(one: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table in a response by its name; empty if it is missing, or something else."""
    part = one.get(name)
    return part if isinstance(part, dict) else {}


def wait_of(answer: Response, now: float) -> float | None:
    """Return how many seconds to wait before repeating the request; None if waiting would not help.

    A refusal (403) is temporary only if its headers or its message say so.
    """
    if answer.status not in (403, 429):
        return None
    after, reset = answer.headers.get("retry-after", ""), answer.headers.get("x-ratelimit-reset", "")
    if re.fullmatch("[0-9]{1,9}", after):
        return max(1.0, float(after))
    if answer.headers.get("x-ratelimit-remaining") == "0" and re.fullmatch("[0-9]{1,12}", reset):
        return max(1.0, float(reset) - now + 1)
    is_limited = answer.status == 429 or b"rate limit" in answer.body[:10_000].lower()
    return UNSAID_S if is_limited else None


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port


def _mapping(found: Any) -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise ForgeError("the forge's answer does not have the expected form")
    return found
