"""HTTP with one exchange at a time, and a client for endpoints of OpenAI's protocol.

Such an endpoint is one's own server (Ollama, vLLM, llama.cpp, TEI), or a service, so the sent text leaves this machine.
Standard library only; one attempt, bounded in time and size, no redirects.

Source: OpenAI, API reference.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import urllib.error
import urllib.request
from urllib.parse import SplitResult, urlsplit

from gitmem import __version__
from gitmem.errors import ConfigError, GitmemError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any
    from urllib.request import OpenerDirector, Request

LOOPBACK = ("localhost", "127.0.0.1", "::1")
USER_AGENT = f"gitmem/{__version__}"
# Printable ASCII: an address that needs no escaping.
_VISIBLE = re.compile("[!-~]+")
# How an exchange can fail: no connection, a timeout, an invalid response, an invalid host name.
FAILURES = (OSError, http.client.HTTPException, UnicodeError)


def is_site(text: str) -> bool:
    """Return whether a text is the address of a server, without a name, a password, a query or a fragment."""
    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    has_more = parts.username or parts.password or parts.query or parts.fragment
    return fits and not has_more and _VISIBLE.fullmatch(text) is not None


def is_encrypted(site: str) -> bool:
    """Return whether a token may be sent to a site: encrypted, or to this machine."""
    try:
        parts = urlsplit(site)
    except ValueError:
        return False
    return parts.scheme == "https" or parts.hostname in LOOPBACK


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirect: text and key would go to an address that no one configured."""

    def http_error_302(self, *_: Any) -> None:
        """Leave the answer as it is; urllib's own method fails at an address that it cannot parse."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302  # type: ignore[assignment]


@frozen
class Response:
    """A server's response.

    Attributes:
        status: The status, including 300 and above.
        headers: By lower-case name; the last one if repeated.
        body: At most one byte more than was allowed.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


def opener_for(host: str) -> OpenerDirector:
    """Return an opener for a host's addresses: it follows no redirect, and uses no proxy for this machine."""
    # A proxy in the environment is for other machines.
    proxies = [urllib.request.ProxyHandler({})] if host in LOOPBACK else []
    return urllib.request.build_opener(_NoRedirect, *proxies)


def exchange(opener: OpenerDirector, request: Request, *, limit: int, limit_s: float) -> Response:
    """Send one request and return the response, whatever its status.

    It runs in a thread that is abandoned on timeout: a socket's time limit applies to each read separately, and a name
    lookup has none at all.

    Args:
        opener: From ``opener_for``.
        request: With its headers; http or https.
        limit: The largest body in bytes; of a longer one, *limit* + 1 bytes are read.
        limit_s: The time limit for the whole exchange, in seconds.

    Raises:
        TimeoutError: The time limit was reached.
        OSError: There is no connection, or it broke (URLError).
        HTTPException: The response is not HTTP, or ends too early.
        UnicodeError: The host's name is invalid.
    """
    done: list[Response | Exception] = []

    def ask() -> None:
        try:
            done.append(_answer(opener, request, limit, limit_s))
        except Exception as err:  # noqa: BLE001 - it is raised where it is waited for
            done.append(err)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(limit_s)
    if not done:
        raise TimeoutError
    if isinstance(done[0], Exception):
        raise done[0]
    return done[0]


def _answer(opener: OpenerDirector, request: Request, limit: int, limit_s: float) -> Response:
    try:
        opened = opener.open(request, timeout=limit_s)
    except urllib.error.HTTPError as err:
        opened = err  # a normal response: its body gives the reason
    with opened:
        headers = {name.lower(): value for name, value in opened.headers.items()}
        body = opened.read(limit + 1)
    promised = headers.get("content-length", "")
    if promised.isdecimal() and len(body) < min(int(promised), limit + 1):
        raise http.client.IncompleteRead(body)  # http.client reports this only when all is read at once
    return Response(opened.status, headers, body)


def unreachable(err: Exception) -> str:
    """Return why an exchange failed, in our words or the system's; empty for a timeout."""
    reason = err.reason if isinstance(err, urllib.error.URLError) else err
    if isinstance(reason, TimeoutError):
        return ""
    return (reason.strerror if isinstance(reason, OSError) else "") or type(reason).__name__


class Endpoint:
    """An address of a model, with what is needed to call it.

    Attributes:
        name: The setting.
        model: The model's name.
    """

    def __init__(
        self, setting: str, path: str, *, named: str, what: str, error: type[GitmemError], key: str = ""
    ) -> None:
        """Set the address; nothing is sent.

        Args:
            setting: ``http(s)://host[:port]/path#MODEL``.
            path: The path after it in the protocol (``embeddings``).
            named: The setting's name, such as ``embed``: for errors, and for the variable ``GITMEM_…_KEY``.
            what: Its purpose, for errors.
            error: The error for an unexpected response.
            key: The key, which is in no message.

        Raises:
            ConfigError: The setting is not an address.
            GitmemError: The key cannot be used, or would go out unencrypted; of the type *error*.
        """
        address = address_of(setting, named)
        self._key_name, self._path, self._error = f"GITMEM_{named.upper()}_KEY", path, error
        if not all("!" <= char <= "~" for char in key):
            # http.client would show it in its error.
            raise error(f"{self._key_name} contains an invalid character: a space or a line break")
        if key and address.scheme == "http" and address.hostname not in LOOPBACK:
            message = f"the key in {self._key_name} would be sent to {address.hostname} unencrypted"
            raise error(message, hint="use an https address, or unset the key")
        self.name = setting
        self._name = f"the {what} endpoint {setting}"
        self._url = f"{address.scheme}://{address.netloc}{address.path.rstrip('/')}/{path}"
        self.model = address.fragment
        self._headers = {"Content-Type": "application/json", "User-Agent": USER_AGENT}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._opener = opener_for(address.hostname or "")

    def ask(self, question: Mapping[str, Any], *, limit: int, limit_s: float) -> Any:
        """Return the JSON of the response.

        Args:
            question: The JSON to send, besides the model's name.
            limit: The largest response in bytes.
            limit_s: The time limit in seconds.

        Raises:
            GitmemError: There is none, or it is too large or not JSON; of the given type.
        """
        fields = {"model": self.model, **question}
        # A lone surrogate cannot be sent as text.
        answer = self._in_time(json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace"), limit, limit_s)
        if len(answer) > limit:
            raise self.wrong("with more than any model's answer takes")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError) as err:
            raise self.wrong("with something that is not JSON") from err

    def wrong(self, what: str) -> GitmemError:
        """Return the error for a response that does not follow the protocol."""
        return self._error(f"{self._name} answered {what}", hint="check that it supports OpenAI's API")

    def _in_time(self, body: bytes, limit: int, limit_s: float) -> bytes:
        """Return the response's bytes, at most *limit* + 1; nothing else from the other side appears in errors."""
        request = urllib.request.Request(self._url, data=body, headers=self._headers)  # noqa: S310 - http(s) only
        try:
            answer = exchange(self._opener, request, limit=limit, limit_s=limit_s)
        except FAILURES as err:
            why = unreachable(err)
            message = f"cannot be reached: {why}" if why else f"did not answer within {limit_s:g} seconds"
            raise self._error(f"{self._name} {message}", hint="check that it is running") from err
        if 300 <= answer.status < 400:
            raise self._error(f"{self._name} redirects to another address", hint="set the setting to the final address")
        if not 200 <= answer.status < 300:
            what, hint = self._status(answer.status)
            raise self._error(f"{self._name} {what}", hint=hint)
        return answer.body

    def _status(self, code: int) -> tuple[str, str]:
        if code in (401, 403):
            return "does not accept the key", f"check the key in {self._key_name}"
        if code == 404:
            ends = f"write the setting as ADDRESS#MODEL, without /{self._path} in the address"
            return "does not know this address or model", ends
        if code == 429:
            return "received too many requests", "try again later"
        return f"answered with status {code}", "see its log for the reason"


def address_of(setting: str, named: str) -> SplitResult:
    """Parse ``http(s)://host[:port]/path#MODEL``; the error never shows it, as it may contain a password.

    Raises:
        ConfigError: It does not have this form.
    """
    try:
        parts = urlsplit(setting)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname and parts.fragment) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or parts.username or parts.password or parts.query or not all("!" <= char <= "~" for char in setting):
        raise ConfigError(
            f"the setting {named} is not an address of the form http(s)://host[:port]/path#MODEL",
            file="",
            key=named,
            hint=f"put the key into the environment, as GITMEM_{named.upper()}_KEY",
        )
    return parts
