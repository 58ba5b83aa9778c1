"""An endpoint that speaks OpenAI's protocol: a server of one's own (Ollama, vLLM, llama.cpp, TEI), or a service.

What is sent leaves this machine. Standard library only; one try, bounded in time and size, no redirects.

Source: OpenAI, API reference.
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from urllib.parse import SplitResult, urlsplit

from gitmem import __version__
from gitmem.errors import ConfigError, GitmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirect: texts and key would go to an address that nobody set."""

    def redirect_request(self, *_: Any) -> None:
        return None


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
            key: The key, which stands in no message.

        Raises:
            ConfigError: The setting is not an address.
            GitmemError: The key cannot be used, or would go out unencrypted; of the type *error*.
        """
        address = address_of(setting, named)
        self._key_name, self._path, self._error = f"GITMEM_{named.upper()}_KEY", path, error
        if not all("!" <= char <= "~" for char in key):
            # http.client would show it in its error.
            raise error(f"{self._key_name} holds a character that no key has: a space, or a line break")
        if key and address.scheme == "http" and address.hostname not in LOOPBACK:
            told = f"the key of {self._key_name} would go to {address.hostname} unencrypted"
            raise error(told, hint="use an https address, or unset the key")
        self.name = setting
        self._told = f"the {what} endpoint {setting}"
        self._url = f"{address.scheme}://{address.netloc}{address.path.rstrip('/')}/{path}"
        self.model = address.fragment
        self._headers = {"Content-Type": "application/json", "User-Agent": f"gitmem/{__version__}"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        # A proxy of the environment is for other machines.
        proxies = [urllib.request.ProxyHandler({})] if address.hostname in LOOPBACK else []
        self._opener = urllib.request.build_opener(_NoRedirect, *proxies)

    def ask(self, question: Mapping[str, Any], *, limit: int, limit_s: float) -> Any:
        """Return the answer's JSON.

        Args:
            question: What is sent as JSON, besides the model's name.
            limit: Bytes that the answer may have.
            limit_s: Seconds until it must be there.

        Raises:
            GitmemError: There is none, or it is too large or no JSON; of the type given.
        """
        asked = {"model": self.model, **question}
        # A lone surrogate is no text that can be sent.
        answer = self._in_time(json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace"), limit, limit_s)
        if len(answer) > limit:
            raise self.wrong("with more than any model's answer takes")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError) as err:
            raise self.wrong("with something that is not JSON") from err

    def wrong(self, what: str) -> GitmemError:
        """Return the error of an answer that says something else than the protocol has."""
        return self._error(f"{self._told} answered {what}", hint="does it speak OpenAI's API?")

    def _in_time(self, body: bytes, limit: int, limit_s: float) -> bytes:
        """Return the answer's bytes, one more than *limit* at most.

        In a thread that is left behind when the time is over: a socket's time limit counts each read alone, and a name
        server's silence has none at all.
        """
        done: list[bytes | Exception] = []

        def ask() -> None:
            try:
                request = urllib.request.Request(self._url, data=body, headers=self._headers)  # noqa: S310 - http(s) only
                with self._opener.open(request, timeout=limit_s) as answer:
                    done.append(answer.read(limit + 1))
            except Exception as err:  # noqa: BLE001 - it is raised, as one of ours, where it is waited for
                done.append(err)

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        thread.join(limit_s)
        if not done or isinstance(done[0], TimeoutError):
            raise self._error(f"{self._told} did not answer within {limit_s:g} seconds", hint="is it running?")
        if isinstance(done[0], Exception):
            raise self._failed(done[0]) from done[0]
        return done[0]

    def _failed(self, err: Exception) -> GitmemError:
        """Return what a request's error means. Nothing that the other side wrote is repeated."""
        if isinstance(err, urllib.error.HTTPError):
            err.close()
            if 300 <= err.code < 400:
                return self._error(f"{self._told} redirects to another address", hint="set the address that it means")
            what, hint = self._status(err.code)
            return self._error(f"{self._told} {what}", hint=hint)
        reason = err.reason if isinstance(err, urllib.error.URLError) else err
        if isinstance(reason, TimeoutError):
            return self._error(f"{self._told} did not answer in time", hint="is it running?")
        why = (reason.strerror if isinstance(reason, OSError) else "") or type(reason).__name__
        return self._error(f"{self._told} cannot be reached: {why}", hint="is it running?")

    def _status(self, code: int) -> tuple[str, str]:
        if code in (401, 403):
            return "does not accept the key", f"{self._key_name} holds the key"
        if code == 404:
            ends = f"the setting is ADDRESS#MODEL; the address ends before /{self._path}"
            return "does not know this address or model", ends
        if code == 429:
            return "has had too many requests", "try again later"
        return f"answered with status {code}", "its own log says why"


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
            hint=f"a key belongs into the environment, as GITMEM_{named.upper()}_KEY",
        )
    return found
