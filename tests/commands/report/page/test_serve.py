"""The server of the report answers this machine, this host and this token only."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator

import pytest
from support.each import each

from gitmem.commands.report.page.serve import HOST, LONGEST, ReportServer
from gitmem.errors import NotFoundError, UsageError


class Fixed:
    """A page that never changes, and a search that says what it was asked."""

    def state(self) -> str:
        return "now"

    def page(self, state: str) -> str:
        return f"<p>{state}"

    def texts(self, state: str, block: int) -> list[str]:
        if state != "now":
            raise NotFoundError("the memory has changed since")
        return [f"block {block}"]

    def find(self, words: str) -> list[str]:
        if words == "broken":
            raise NotFoundError("there is no memory")
        return [words]


@pytest.fixture(scope="module")
def server() -> Iterator[ReportServer]:
    with ReportServer(Fixed()) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def ask(server: ReportServer, path: str, method: str = "GET", host: str = "") -> tuple[int, str]:
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=10)
    connection.request(method, path, headers={"Host": host or f"{HOST}:{server.server_port}"})
    answer = connection.getresponse()
    assert answer.headers["Access-Control-Allow-Origin"] is None
    return answer.status, answer.read().decode()


def test_page_state_and_search_are_answered_behind_the_token(server: ReportServer) -> None:
    base = server.url.removeprefix(f"http://{HOST}:{server.server_port}")

    assert ask(server, base) == (200, "<p>now")
    assert ask(server, f"{base}state") == (200, "now")
    assert ask(server, f"{base}find?words=a%20b&x=1") == (200, json.dumps(["a b"]))
    assert ask(server, f"{base}texts?block=7&state=now") == (200, '["block 7"]')
    assert ask(server, f"{base}texts?block=x&state=now") == (200, '["block 0"]')
    assert ask(server, f"{base}texts?block=7&state=before") == (503, "the memory has changed since\n")
    assert ask(server, f"{base}find?words=broken") == (503, "there is no memory\n")
    assert len(json.loads(ask(server, f"{base}find?words={'x' * 5_000}")[1])[0]) == LONGEST


@each("path", ["/", "/wrong/", "/state", "{base}../", "{base}page", "{base}%2e%2e/etc/passwd", "//[x/"])
def test_other_paths_are_not_found(server: ReportServer, path: str) -> None:
    base = server.url.removeprefix(f"http://{HOST}:{server.server_port}")

    assert ask(server, path.format(base=base))[0] == 404


def test_other_hosts_and_methods_are_refused(server: ReportServer) -> None:
    base = server.url.removeprefix(f"http://{HOST}:{server.server_port}")

    assert ask(server, base, host="evil.example")[0] == 403
    assert ask(server, base, host=f"evil.example:{server.server_port}")[0] == 403
    assert ask(server, base, host=f"localhost:{server.server_port}")[0] == 200
    assert ask(server, base, method="POST")[0] == 501


@each("port", [-1, 70_000])
def test_port_that_cannot_be_used_is_named(port: int) -> None:
    with pytest.raises(UsageError, match=f"cannot listen on port {port}"):
        ReportServer(Fixed(), port)


def test_port_that_is_taken_is_named(server: ReportServer) -> None:
    with pytest.raises(UsageError, match="cannot listen on port"):
        ReportServer(Fixed(), server.server_port)
