"""An endpoint that speaks OpenAI's protocol: a server of one's own (Ollama, vLLM, llama.cpp, TEI), or a service.

What is embedded leaves this machine. Standard library only; one try, bounded in time and size, no redirects.

Source: OpenAI, API reference, "Create embeddings".
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from urllib.parse import SplitResult, urlsplit

import numpy as np

from gitmem import __version__
from gitmem.embed.provider import BATCH, LONGEST
from gitmem.embed.rows import no_rows, unit_rows
from gitmem.errors import ConfigError, EmbeddingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.embed.rows import Vectors

# How long a question waits, and a batch of texts: choices of ours. Recall goes on without meanings after it; a model on
# a CPU takes seconds for a batch.
QUERY_S = 5.0
BATCH_S = 60.0
# The largest answer: more dimensions than any model has that we know of (OpenAI's largest: 3,072), numbers of 25
# characters (a double takes 24: -1.2345678901234567e-308), and something around them.
DIMENSIONS = 8192
NUMBER_BYTES = 26
AROUND_BYTES = 1 << 20

LOOPBACK = ("localhost", "127.0.0.1", "::1")
STATUS_TOLD = {
    401: ("does not accept the key", "GITMEM_EMBED_KEY holds the key"),
    403: ("does not accept the key", "GITMEM_EMBED_KEY holds the key"),
    404: ("does not know this address or model", "the setting is ADDRESS#MODEL; the address ends before /embeddings"),
    429: ("has had too many requests", "try again later"),
}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow no redirect: texts and key would go to an address that nobody set."""

    def redirect_request(self, *_: Any) -> None:
        return None


class HttpEndpoint:
    """A model behind an address."""

    longest = LONGEST

    def __init__(self, setting: str, *, key: str = "", query_s: float = QUERY_S, batch_s: float = BATCH_S) -> None:
        address = _address(setting)
        if not all("!" <= char <= "~" for char in key):
            # http.client would show it in its error.
            raise EmbeddingError("GITMEM_EMBED_KEY holds a character that no key has: a space, or a line break")
        if key and address.scheme == "http" and address.hostname not in LOOPBACK:
            told = f"the key of GITMEM_EMBED_KEY would go to {address.hostname} unencrypted"
            raise EmbeddingError(told, hint="use an https address, or unset the key")
        self.name = setting
        self._url = f"{address.scheme}://{address.netloc}{address.path.rstrip('/')}/embeddings"
        self._model = address.fragment
        self._headers = {"Content-Type": "application/json", "User-Agent": f"gitmem/{__version__}"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        # A proxy of the environment is for other machines.
        proxies = [urllib.request.ProxyHandler({})] if address.hostname in LOOPBACK else []
        self._opener = urllib.request.build_opener(_NoRedirect, *proxies)
        self._query_s, self._batch_s = query_s, batch_s
        self._dimensions = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text; see ``EmbeddingProvider``."""
        if not texts:
            return no_rows()
        return np.concatenate([self._rows(texts[at : at + BATCH], self._batch_s) for at in range(0, len(texts), BATCH)])

    def query(self, text: str) -> Vectors:
        """Return the vector of a question; see ``EmbeddingProvider``."""
        return np.ravel(self._rows([text], self._query_s))

    def _rows(self, texts: Sequence[str], limit_s: float) -> Vectors:
        limit = AROUND_BYTES + len(texts) * DIMENSIONS * NUMBER_BYTES
        answer = self._in_time(self._body(texts), limit, limit_s)
        if len(answer) > limit:
            raise self._wrong("with more than any model's vectors take")
        try:
            rows = _in_order(json.loads(answer), len(texts))
        except (ValueError, RecursionError) as err:
            raise self._wrong("with something that is not JSON") from err
        if rows is None:
            raise self._wrong(f"without a vector for each of {len(texts)} texts")
        found = unit_rows(rows, count=len(texts), name=self.name, dimensions=self._dimensions)
        self._dimensions = found.shape[1]
        return found

    def _body(self, texts: Sequence[str]) -> bytes:
        # OpenAI refuses an empty text.
        asked = {"model": self._model, "input": [text or " " for text in texts], "encoding_format": "float"}
        # A lone surrogate is no text that can be sent.
        return json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace")

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
            told = f"the embedding endpoint {self.name} did not answer within {limit_s:g} seconds"
            raise EmbeddingError(told, hint="is it running?")
        if isinstance(done[0], Exception):
            raise self._failed(done[0]) from done[0]
        return done[0]

    def _failed(self, err: Exception) -> EmbeddingError:
        """Return what a request's error means. Nothing that the other side wrote is repeated."""
        if isinstance(err, urllib.error.HTTPError):
            err.close()
            if 300 <= err.code < 400:
                told = f"the embedding endpoint {self.name} redirects to another address"
                return EmbeddingError(told, hint="set the address that it means")
            what, hint = STATUS_TOLD.get(err.code, (f"answered with status {err.code}", "its own log says why"))
            return EmbeddingError(f"the embedding endpoint {self.name} {what}", hint=hint)
        reason = err.reason if isinstance(err, urllib.error.URLError) else err
        if isinstance(reason, TimeoutError):
            return EmbeddingError(f"the embedding endpoint {self.name} did not answer in time", hint="is it running?")
        why = (reason.strerror if isinstance(reason, OSError) else "") or type(reason).__name__
        return EmbeddingError(f"the embedding endpoint {self.name} cannot be reached: {why}", hint="is it running?")

    def _wrong(self, what: str) -> EmbeddingError:
        return EmbeddingError(f"the embedding endpoint {self.name} answered {what}", hint="does it speak OpenAI's API?")


def _address(setting: str) -> SplitResult:
    """Return the parts of ``http(s)://host[:port]/path#MODEL``; the error never shows it, as it may hold a password."""
    try:
        found = urlsplit(setting)
        fits = bool(found.hostname and found.fragment) and found.port != 0
    except ValueError:
        fits = False
    if not fits or found.username or found.password or found.query or not all("!" <= char <= "~" for char in setting):
        raise ConfigError(
            "the setting embed is not an address of the form http(s)://host[:port]/path#MODEL",
            file="",
            key="embed",
            hint="a key belongs into the environment, as GITMEM_EMBED_KEY",
        )
    return found


def _in_order(answer: object, count: int) -> list[object] | None:
    """Return the vectors in the order of the texts: an answer may have them in any, and numbers them."""
    found: dict[object, object] = {}
    data = answer.get("data") if isinstance(answer, dict) else None
    for one in data if isinstance(data, list) else []:
        if isinstance(one, dict) and type(one.get("index")) is int:
            found.setdefault(one["index"], one.get("embedding"))
    rows = [found.get(number) for number in range(count)]
    return rows if len(data or ()) == count and all(isinstance(row, list) for row in rows) else None
