"""HTTP, one exchange at a time, and on it an endpoint that speaks OpenAI's protocol.

Such an endpoint is a server of one's own (Ollama, vLLM, llama.cpp, TEI), or a service. What is sent leaves this
machine. Standard library only; one try, bounded in time and size, no redirects.

Source: OpenAI, API reference.
"""

from __future__ import annotations

import http.client
import json
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
# What an exchange may end in: no connection, no answer in time, no HTTP, a host's name that cannot be one.
FAILURES = (OSError, http.client.HTTPException, UnicodeError)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirect: texts and key would go to an address that nobody set."""

    def redirect_request(self, *_: Any) -> None:
        return None


@frozen
class Response:
    """What a server answered.

    Attributes:
        status: The status, also one of 300 and above.
        headers: By their names in lower case; of one that comes twice, the last.
        body: At most one byte more than was allowed.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


def opener_for(host: str) -> OpenerDirector:
    """Return what opens addresses of a host: it follows no redirect, and takes no proxy to this machine."""
    # A proxy of the environment is for other machines.
    proxies = [urllib.request.ProxyHandler({})] if host in LOOPBACK else []
    return urllib.request.build_opener(_NoRedirect, *proxies)


def exchange(opener: OpenerDirector, request: Request, *, limit: int, limit_s: float) -> Response:
    """Send one request and return the answer, whatever its status.

    In a thread that is left behind when the time is over: a socket's time limit counts each read alone, and a name
    server's silence has none at all.

    Args:
        opener: From ``opener_for``.
        request: With its headers; http or https.
        limit: Bytes that the body may have; of a longer one, *limit* + 1 are read.
        limit_s: Seconds until all of it must be there.

    Raises:
        TimeoutError: It was not.
        OSError: No connection, or a broken one (URLError).
        HTTPException: An answer that is not HTTP, or ends too early.
        UnicodeError: The host's name is none.
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
        opened = err  # an answer like any other: its body says why
    with opened:
        headers = {name.lower(): value for name, value in opened.headers.items()}
        body = opened.read(limit + 1)
    promised = headers.get("content-length", "")
    if promised.isdecimal() and len(body) < min(int(promised), limit + 1):
        raise http.client.IncompleteRead(body)  # http.client says so only where all is read at once
    return Response(opened.status, headers, body)


def unreachable(err: Exception) -> str:
    """Return why an exchange failed, in words of ours or of the system; empty for one that took too long."""
    reason = err.reason if isinstance(err, urllib.error.URLError) else err
    if isinstance(reason, TimeoutError):
        return ""
    return (reason.strerror if isinstance(reason, OSError) else "") or type(reason).__name__


class Endpoint:
    """One address with a model behind it, and how it is asked.

    Attributes:
        name: The setting.
        model: The model's name.
    """

    def __init__(
        self, setting: str, path: str, *, named: str, what: str, error: type[GitmemError], key: str = ""
    ) -> None:
        """Bind an address; nothing is sent.

        Args:
            setting: ``http(s)://host[:port]/path#MODEL``.
            path: What follows it in the protocol (``embeddings``).
            named: The setting's name, as ``embed``: errors name it, and the variable ``GITMEM_…_KEY``.
            what: What it is for, in errors.
            error: What is raised where it does not answer as it should.
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
        """Return the answer's JSON.

        Args:
            question: What is sent as JSON, besides the model's name.
            limit: Bytes that the answer may have.
            limit_s: Seconds until it must be there.

        Raises:
            GitmemError: There is none, or it is too large or no JSON; of the type given.
        """
        fields = {"model": self.model, **question}
        # A lone surrogate is not text that can be sent.
        answer = self._in_time(json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace"), limit, limit_s)
        if len(answer) > limit:
            raise self.wrong("with more than any model's answer takes")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError) as err:
            raise self.wrong("with something that is not JSON") from err

    def wrong(self, what: str) -> GitmemError:
        """Return the error of an answer that says something else than the protocol has."""
        return self._error(f"{self._name} answered {what}", hint="check that it supports OpenAI's API")

    def _in_time(self, body: bytes, limit: int, limit_s: float) -> bytes:
        """Return the answer's bytes, one more than *limit* at most. Nothing else that the other side wrote is told."""
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
    """Return the parts of ``http(s)://host[:port]/path#MODEL``; the error never shows it, as it may hold a password.

    Raises:
        ConfigError: It is no such address.
    """
    try:
        found = urlsplit(setting)
        fits = found.scheme in ("http", "https") and bool(found.hostname and found.fragment) and found.port != 0
    except ValueError:
        fits = False
    if not fits or found.username or found.password or found.query or not all("!" <= char <= "~" for char in setting):
        raise ConfigError(
            f"the setting {named} is not an address of the form http(s)://host[:port]/path#MODEL",
            file="",
            key=named,
            hint=f"put the key into the environment, as GITMEM_{named.upper()}_KEY",
        )
    return found
