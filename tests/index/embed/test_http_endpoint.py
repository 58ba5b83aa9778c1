"""An endpoint of OpenAI's protocol: a real server on this machine, well-behaved or not in one way each."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from support.each import each
from support.models import MEANINGS

from gitmem.errors import ConfigError, EmbeddingError
from gitmem.index.embed.http_endpoint import HttpEndpoint
from gitmem.index.embed.provider import BATCH

KEY = "sk-hunter2-hunter2"


class Server(ThreadingHTTPServer):
    """A server that embeds words, and keeps what it was asked; ``answer`` may replace what it says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, object]] = []
        self.keys: list[str | None] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.answer: bytes | None = None
        self.released = threading.Event()
        self.hangs = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1#tiny"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append({"path": self.path, **asked})
        self.server.keys.append(self.headers["Authorization"])
        if self.server.hangs == "before":
            self.server.released.wait(60)
        rows = [MEANINGS.get(text.lower(), (0.1, 0.1, 0.1)) for text in asked["input"]]
        data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
        # The protocol numbers the vectors, so that they may come in any order.
        body = self.server.answer or json.dumps({"object": "list", "data": data[::-1]}).encode()
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.hangs == "drop by drop":
            for byte in body:
                self.wfile.write(bytes([byte]))
                if self.server.released.wait(0.05):
                    break
        else:
            self.wfile.write(body)

    def do_GET(self) -> None:
        self.server.asked.append({"path": self.path})
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.released.set()
    made.shutdown()
    thread.join()
    made.server_close()


def told_by(endpoint: HttpEndpoint) -> tuple[str, str]:
    """Return what the error of asking says, without the endpoint's name, and its hint."""
    with pytest.raises(EmbeddingError) as caught:
        endpoint.query("login")
    assert KEY not in repr(caught.value) + caught.value.message + caught.value.hint
    return caught.value.message.replace(endpoint.name, "X"), caught.value.hint


def test_vectors_come_back_in_the_order_of_the_texts(server: Server) -> None:
    endpoint = HttpEndpoint(server.address, key=KEY)
    texts = ["login", "database", "timeout", "", *["unknown"] * BATCH]

    rows = endpoint.passages(texts)

    assert (rows.shape, rows.dtype, endpoint.name) == ((len(texts), 3), np.float32, server.address)
    assert np.allclose(rows[:3], np.array([MEANINGS[text] for text in texts[:3]]) / [[1], [1], [np.hypot(0.1, 1)]])
    assert [len(asked["input"]) for asked in server.asked] == [BATCH, 4]  # type: ignore[arg-type]
    assert server.asked[0] | {"input": 0} == {
        "path": "/v1/embeddings",
        "model": "tiny",
        "input": 0,
        "encoding_format": "float",
    }
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert endpoint.passages([]).shape == (0, 0)


def test_without_a_key_none_is_sent(server: Server) -> None:
    assert HttpEndpoint(server.address).query("login").tolist() == [1, 0, 0]
    assert server.keys == [None]


def test_a_lone_surrogate_is_sent_as_a_question_mark(server: Server) -> None:
    HttpEndpoint(server.address).query("a\ud800b \u00e9")

    assert server.asked[0]["input"] == ["a?b \u00e9"]


@pytest.mark.parametrize(
    ("status", "expected", "hint"),
    [
        (401, "does not accept the key", "check the key in GITMEM_EMBED_KEY"),
        (
            404,
            "does not know this address or model",
            "write the setting as ADDRESS#MODEL, without /embeddings in the address",
        ),
        (429, "received too many requests", "try again later"),
        (500, "answered with status 500", "see its log for the reason"),
    ],
)
def test_a_refusal_is_reported_without_what_the_server_wrote(
    server: Server, status: int, expected: str, hint: str
) -> None:
    server.status, server.answer = status, f"\x1b[31myour key {KEY} is wrong".encode()

    assert told_by(HttpEndpoint(server.address, key=KEY)) == (f"the embedding endpoint X {expected}", hint)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(server: Server, status: int) -> None:
    other = f"http://localhost:{server.server_port}/elsewhere"
    server.status, server.headers = status, {"Location": other}

    message, _ = told_by(HttpEndpoint(server.address, key=KEY))

    assert message == "the embedding endpoint X redirects to another address"
    assert [asked["path"] for asked in server.asked] == ["/v1/embeddings"]


@pytest.mark.parametrize("hangs", ["before", "drop by drop"])
def test_an_endpoint_that_hangs_is_left_in_time(server: Server, hangs: str) -> None:
    server.hangs = hangs
    start = time.monotonic()

    message, _ = told_by(HttpEndpoint(server.address, query_s=0.3))

    assert message == "the embedding endpoint X did not answer within 0.3 seconds"
    assert time.monotonic() - start < 30


def answer(*rows: object) -> bytes:
    return json.dumps({"data": rows}).encode()


ROW = {"index": 0, "embedding": [1, 2, 3]}


@each(
    ("body", "expected"),
    [
        (b'{"data": [{"index": 0, "embed', "with something that is not JSON"),
        (b"<html>a proxy's page</html>", "with something that is not JSON"),
        (b"[" * 100_000, "with something that is not JSON"),
        (b'{"error": "no such model"}', "without a vector for each of 1 texts"),
        (answer(), "without a vector for each of 1 texts"),
        (answer(ROW, ROW), "without a vector for each of 1 texts"),
        (answer({**ROW, "index": 1}), "without a vector for each of 1 texts"),
        (answer({**ROW, "index": True}), "without a vector for each of 1 texts"),
        (answer({**ROW, "embedding": "AACAPwAAAEA="}), "without a vector for each of 1 texts"),
        (answer({**ROW, "embedding": [1, float("nan")]}), "with numbers that are not finite"),
        (answer({**ROW, "embedding": [1, 1e999]}), "with numbers that are not finite"),
        (answer({**ROW, "embedding": [1, 10**400]}), "with rows that are not numbers, or differ in size"),
        (answer({**ROW, "embedding": [1, {}]}), "with rows that are not numbers, or differ in size"),
        (answer({**ROW, "embedding": []}), "with 1 x 0 for 1 text"),
        (b" " * 3_000_000, "with more than any model's answer takes"),
    ],
)
def test_garbage_is_refused(server: Server, body: bytes, expected: str) -> None:
    server.answer = body

    message, _ = told_by(HttpEndpoint(server.address))

    assert message.partition("X answered ")[2] == expected


def test_dimensions_that_change_are_refused(server: Server) -> None:
    endpoint = HttpEndpoint(server.address)
    endpoint.query("login")
    server.answer = answer({"index": 0, "embedding": [1, 2]})

    assert told_by(endpoint)[0] == "the embedding provider X answered with 2 dimensions instead of 3 as before"


def test_an_endpoint_that_is_down_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    message, hint = told_by(HttpEndpoint(f"http://127.0.0.1:{port}/v1#tiny", key=KEY))

    assert (message, hint) == (
        "the embedding endpoint X cannot be reached: Connection refused",
        "check that it is running",
    )


def test_a_host_that_cannot_be_one_is_no_bug() -> None:
    message, _ = told_by(HttpEndpoint(f"http://{'a' * 70}.example/v1#tiny"))

    assert message.startswith("the embedding endpoint X cannot be reached: Unicode")


def test_a_proxy_of_the_environment_sees_nothing_of_this_machine(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    assert HttpEndpoint(server.address).query("login").tolist() == [1, 0, 0]


@each(
    "setting",
    [
        "http://ana:hunter2@host/v1#m",
        "https://hunter2@host/v1#m",
        "https://host/v1?key=hunter2#m",
        "https://host/v1",
        "https:///v1#m",
        "https://host:port/v1#m",
        "https://host/v1 hunter2#m",
        "https://host/v1#m\r\nX: hunter2",
    ],
)
def test_an_address_of_another_form_is_refused_and_not_shown(setting: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpEndpoint(setting)

    assert "hunter2" not in caught.value.message + caught.value.hint + repr(caught.value.__cause__)


@each(
    ("address", "key", "expected"),
    [
        ("http://gpu-box:11434/v1#m", KEY, "the key in GITMEM_EMBED_KEY would be sent to gpu-box unencrypted"),
        (
            "https://host/v1#m",
            f"{KEY}\n",
            "GITMEM_EMBED_KEY contains an invalid character: a space or a line break",
        ),
    ],
)
def test_a_key_goes_nowhere_where_it_would_be_seen(address: str, key: str, expected: str) -> None:
    with pytest.raises(EmbeddingError) as caught:
        HttpEndpoint(address, key=key)

    assert caught.value.message == expected
    assert HttpEndpoint(address).name == address
