"""The client of a forge's API, against a real server: pages, patience, redirects, refusals; where the token goes."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import pytest
from support.each import each
from support.forge_server import REPO, TOKEN, Hub, comment, cut_short, drop, hang, serving

from gitmem.errors import ForgeError
from gitmem.git.forges.client import PAGES, VERSION, Forge, wait_of
from gitmem.git.forges.job_environment import ForgeRepository
from gitmem.system.http import Response

NEEDS = "pull-requests: write"
COMMENTS = "GET /issues/12/comments"


def bodies(hub: Hub, **options: Any) -> list[str]:
    forge = hub.forge(**options)
    return [one["body"] for one in forge.items(forge.repo("issues/12/comments?per_page=100"), needs=NEEDS)]


def refusal(hub: Hub, method: str = "", **options: Any) -> ForgeError:
    """Return the error of reading the comments, or of writing one; the token stands nowhere in it."""
    forge = hub.forge(**options)
    with pytest.raises(ForgeError) as caught:
        if method:
            forge.write(method, forge.repo("issues/12/comments"), {"body": "b"}, needs=NEEDS)
        else:
            list(forge.items(forge.repo("issues/12/comments"), needs=NEEDS))
    assert TOKEN not in caught.value.message + caught.value.hint + repr(caught.value) + repr(caught.value.__cause__)
    return caught.value


def test_pages_are_followed_by_the_links_of_the_forge(hub: Hub) -> None:
    hub.comments, hub.page = [comment(n, str(n)) for n in range(7)], 3

    assert bodies(hub) == list("0123456")
    paths = [path for _, path, _ in hub.asked]
    assert paths == [f"{REPO}/issues/12/comments?per_page=100{more}" for more in ("", "&page=2", "&page=3")]


def test_every_request_has_version_and_user_agent(hub: Hub) -> None:
    bodies(hub)

    sent = hub.headers[0]
    assert (sent["accept"], sent["x-github-api-version"]) == ("application/vnd.github+json", VERSION)
    assert sent["authorization"] == f"Bearer {TOKEN}"
    assert sent["user-agent"].startswith("gitmem/")


@pytest.mark.parametrize(
    ("status", "headers", "body", "slept"),
    [
        (403, {"retry-after": "7"}, {"message": "You have exceeded a secondary rate limit."}, [7]),
        (429, {"retry-after": "0"}, {}, [1]),
        (
            403,
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"},
            {"message": "API rate limit exceeded"},
            [31],
        ),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "900"}, {"message": "API rate limit exceeded"}, [1]),
        (429, {}, {"message": "Too many"}, [60]),
        (403, {"retry-after": "soon"}, {"message": "You have exceeded a secondary rate limit."}, [60]),
        (502, {}, b"<html>", [1]),
    ],
)
def test_client_waits_as_long_as_the_forge_says(
    hub: Hub, status: int, headers: dict[str, str], body: Any, slept: list[float]
) -> None:
    hub.comments = [comment(1, "b")]
    hub.plan(COMMENTS, (status, headers, body))
    waited: list[float] = []

    assert bodies(hub, slept=waited, clock=lambda: 1000.0) == ["b"]
    assert waited == slept


def test_rate_limited_write_is_repeated_once(hub: Hub) -> None:
    hub.plan("POST /issues/12/comments", (403, {"retry-after": "2"}, {"message": "secondary rate limit"}))
    forge = hub.forge()

    forge.write("POST", forge.repo("issues/12/comments"), {"body": "b"}, needs=NEEDS)

    assert [one["body"] for one in hub.comments] == ["b"]


def test_long_wait_is_an_error_that_says_when_to_try_again(hub: Hub) -> None:
    hub.plan(COMMENTS, *[(403, {"retry-after": "25"}, {"message": "secondary rate limit"})] * 3)
    waited: list[float] = []

    error = refusal(hub, slept=waited, clock=lambda: 1_790_000_000.0)

    assert waited == [25, 25]
    assert error.message == "the forge's rate limit is reached; try again after 2026-09-21T14:13:46Z"
    assert error.status == 429


def test_rate_limit_of_an_hour_is_not_waited_for(hub: Hub) -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795306674"}
    hub.plan(COMMENTS, (403, headers, {"message": "API rate limit exceeded for user ID 1."}))
    waited: list[float] = []

    error = refusal(hub, slept=waited, clock=lambda: 1_795_303_074.0)

    assert waited == []
    assert "try again after 2026-11-22T0" in error.message


@pytest.mark.parametrize(
    ("status", "body", "message", "hint"),
    [
        (
            403,
            {"message": "Resource not accessible by integration"},
            f"the forge refused GET {REPO}/issues/12/comments (403): Resource not accessible by integration",
            "the job needs permissions: pull-requests: write; runs for pull requests from forks have a read-only token",
        ),
        (
            403,
            {"message": "GitHub Actions is not permitted to create or approve pull requests."},
            "not permitted to create",
            "Settings, Actions, General: allow GitHub Actions to create and approve pull requests",
        ),
        (404, {"message": "Not Found"}, "(404): Not Found", "permissions: pull-requests: write"),
        (
            401,
            {"message": "Bad credentials"},
            "(401): Bad credentials",
            "check that GITHUB_TOKEN contains a complete token that is still valid",
        ),
        (
            422,
            {
                "message": "Validation Failed",
                "errors": [
                    {
                        "resource": "IssueComment",
                        "code": "unprocessable",
                        "field": "data",
                        "message": "Body is too long",
                    },
                    "plain words",
                    {"resource": "Issue", "field": "title", "code": "missing_field"},
                    7,
                ],
            },
            "(422): Validation Failed: IssueComment data unprocessable Body is too long; plain words;"
            " Issue title missing_field",
            "",
        ),
        (410, {"message": "Issues are disabled for this repo"}, "(410): Issues are disabled for this repo", ""),
        (422, b"<html>", "(422)", ""),
        (
            403,
            {"message": f"\x1b[31mno\u202e\n::error::{TOKEN}"},
            r"(403): \x1b[31mno\u{202e} ::error::***",
            "permissions",
        ),
        (403, [], "(403)", "permissions"),
        (304, None, "(304)", "check whether the repository was renamed"),
    ],
    ids=["403", "403-pulls", "404", "401", "422", "410", "422-html", "hostile", "list", "304"],
)
def test_refusal_is_reported_with_its_fix(hub: Hub, status: int, body: Any, message: str, hint: str) -> None:
    hub.plan(COMMENTS, (status, {}, body))

    error = refusal(hub)

    assert error.status == status
    assert message in error.message
    assert hint in error.hint
    assert len(hub.asked) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_followed_on_the_same_origin_with_the_same_method(hub: Hub, status: int) -> None:
    hub.plan("POST /old", (status, {"Location": f"{REPO}/issues/12/comments"}, {}))
    forge = hub.forge()

    forge.write("POST", forge.repo("old"), {"body": "b"}, needs=NEEDS)

    assert [one["body"] for one in hub.comments] == ["b"]


@pytest.mark.parametrize("way", ["redirect", "link"])
@pytest.mark.parametrize(
    "elsewhere", ["{other}/x", "http://user@127.0.0.1:{port}/x", "https://127.0.0.1:{port}/x", "http://[::1"]
)
def test_token_is_not_sent_to_another_origin(hub: Hub, way: str, elsewhere: str) -> None:
    with serving() as other:
        address = elsewhere.format(other=other.address, port=hub.server_port)
        answer = (
            (302, {"Location": address}, {}) if way == "redirect" else (200, {"Link": f'<{address}>; rel="next"'}, [])
        )
        hub.plan(COMMENTS, answer)

        error = refusal(hub)

        assert error.message.startswith(
            "refused to follow a redirect of the forge to another origin, to protect the token: "
        )
        assert (len(hub.asked), other.asked) == (1, [])


def test_endless_redirects_and_pages_are_given_up(hub: Hub) -> None:
    here = f"{hub.address}{REPO}/issues/12/comments"
    hub.plan(COMMENTS, *[(302, {"Location": here}, {})] * 9)
    assert refusal(hub).status == 302
    assert len(hub.asked) == 4

    hub.planned.clear()
    hub.plan(COMMENTS, *[(200, {"Link": f'<{here}>; rel="next"'}, [])] * (PAGES + 1))
    assert refusal(hub).message == f"the forge's list has more than {PAGES} pages"


@pytest.mark.parametrize(
    "fault", [drop, cut_short, (500, {}, b"oops"), (503, {}, {})], ids=["drop", "cut short", "500", "503"]
)
def test_repeatable_request_is_sent_again(hub: Hub, fault: Any) -> None:
    hub.comments = [comment(1, "b")]
    hub.plan(COMMENTS, fault, fault, fault)
    waited: list[float] = []

    assert bodies(hub, slept=waited) == ["b"]
    assert waited == [1, 2, 4]


def test_forge_that_keeps_failing_is_given_up(hub: Hub) -> None:
    hub.plan(COMMENTS, *[(502, {}, {"message": "Server Error"})] * 9)

    error = refusal(hub)

    assert (len(hub.asked), error.status) == (4, 502)
    assert error.message.endswith("(502): Server Error")


def test_time_limit_covers_all_requests_of_a_command(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.git.forges.client.TOTAL_S", 0.0)

    assert refusal(hub).message == "the forge was too slow: timed out after 0 seconds"


@pytest.mark.parametrize("fault", [drop, (500, {}, b"oops")], ids=["drop", "500"])
def test_a_first_comment_is_not_sent_twice(hub: Hub, fault: Any) -> None:
    hub.plan("POST /issues/12/comments", fault)

    error = refusal(hub, "POST")

    assert len(hub.asked) == 1
    assert "the outcome is unknown: run it again" in error.hint or error.status == 500


def test_unreachable_forge_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    forge = Forge(ForgeRepository("acme/shop", f"http://127.0.0.1:{port}"), TOKEN, sleep=lambda _: None)

    with pytest.raises(ForgeError, match=r"^the forge at 127\.0\.0\.1 cannot be reached: Connection refused$"):
        forge.get(forge.repo("pulls"), needs=NEEDS)


def test_invalid_host_is_an_error() -> None:
    forge = Forge(ForgeRepository("acme/shop", f"https://{'a' * 70}.example"), TOKEN, sleep=lambda _: None)

    with pytest.raises(ForgeError, match="cannot be reached: Unicode"):
        forge.get(forge.repo("pulls"), needs=NEEDS)


def test_hanging_forge_times_out(hub: Hub) -> None:
    hub.plan("POST /issues/12/comments", hang)
    start = time.monotonic()

    error = refusal(hub, "POST", request_s=0.2)

    assert error.message == "the forge at 127.0.0.1 cannot be reached: it did not answer in time"
    assert time.monotonic() - start < 30


@each(
    ("body", "message"),
    [
        (b"<html>a proxy's page</html>", "the forge's answer is not JSON"),
        (b'[{"id": 1, "bo', "the forge's answer is not JSON"),
        (b"[" * 100_000, "the forge's answer is not JSON"),
        (b'{"message": "hello"}', "the forge did not answer with a list"),
        (b"[1, 2]", "the forge did not answer with a list"),
        (b"null", "the forge did not answer with a list"),
    ],
)
def test_malformed_answer_is_refused(hub: Hub, body: bytes, message: str) -> None:
    hub.plan(COMMENTS, (200, {}, body))

    assert refusal(hub).message == message


def test_oversized_answer_is_refused(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.git.forges.client.ANSWER_LIMIT", 1000)
    hub.plan(COMMENTS, (200, {}, json.dumps(["x" * 2000]).encode()))

    assert refusal(hub).message == "the forge's answer is too large"


def test_writes_are_a_second_apart(hub: Hub) -> None:
    waited: list[float] = []
    forge = hub.forge(slept=waited)

    for text in ("a", "b"):
        forge.write("POST", forge.repo("issues/12/comments"), {"body": text}, needs=NEEDS)

    assert waited[0] == 0
    assert 0.5 < waited[1] <= 1


@each("token", ["", "a b", "x\r\nHost: y", "\u00e9"])
def test_invalid_token_is_refused(token: str) -> None:
    with pytest.raises(ForgeError) as caught:
        Forge(ForgeRepository("acme/shop"), token)

    assert "GITHUB_TOKEN" in caught.value.hint
    assert not token or token not in caught.value.message


@each(
    ("status", "headers", "body", "wait"),
    [
        (200, {"retry-after": "7"}, b"", None),
        (403, {"x-ratelimit-remaining": "12", "x-ratelimit-reset": "2000"}, b"{}", None),
        (403, {}, b'{"message": "Resource not accessible by integration"}', None),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 40}, b"rate limit", 60),
    ],
)
def test_only_temporary_refusals_are_waited_for(
    status: int, headers: dict[str, str], body: bytes, wait: float | None
) -> None:
    assert wait_of(Response(status, headers, body), 1000.0) == wait
