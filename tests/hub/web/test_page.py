"""The pages: who sees what, what a hostile memory can do (nothing), and how they look in a real browser."""

from __future__ import annotations

import re
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from support.facts import make_fact, make_memory, put
from support.hubs import PEOPLE, add_to, followed, served, storms, synced, token_file
from support.postgres import HubDatabase, Postgres, new_hub

from benchmarks.browser import CHROMIUM, DRIVER, Browser
from gitmem.hub.identity import TokenFile
from gitmem.hub.server import Limits, Place

ALICE, BOB = "alice-token", "bob-token"
# It would tell the console, ask the network and set a variable if it ran.
EVIL = "<img src=http://evil.example/x onerror='window.ran=1'><script>window.ran=2</script>"
ATTRIBUTE = "\"' onmouseover=window.ran=3 x='"


@pytest.fixture(scope="module")
def shared(
    postgres: Postgres, hub_template: str, template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("shared")
    with (
        new_hub(postgres, hub_template) as hub,
        storms(hub, template, folder, token_file(folder, **PEOPLE)) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def hostile(
    postgres: Postgres, hub_template: str, template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A server whose memories attack whoever reads them."""
    folder = tmp_path_factory.mktemp("hostile")
    link = "[click](javascript:window.ran=4) <javascript:window.ran=5> https://evil.example/?x=1\n\n```\n</code>"
    put(
        Path(shutil.copytree(template, folder / "evil")),
        make_memory("storm", f"A storm {EVIL}", f"{EVIL}\n\n{link}{EVIL}\n```\n", by=EVIL, tags=[EVIL, ATTRIBUTE]),
        make_memory("attribute", f"A storm {ATTRIBUTE}", ATTRIBUTE, by=ATTRIBUTE, kind="decision"),
        make_fact("proved", title=f"Storm {EVIL}", body="\x1b[2J\u202e" + EVIL),
    )
    with new_hub(postgres, hub_template) as hub:
        add_to(hub, folder / "evil")
        synced(hub, folder)
        people = TokenFile(token_file(folder, **PEOPLE))
        with followed(hub, folder) as node, served(hub, node, people) as address:
            yield address


def cookie(token: str) -> dict[str, str]:
    return {"Cookie": f"gitmem_hub={urlsafe_b64encode(token.encode()).decode()}"}


def page(address: str, path: str, token: str = BOB) -> httpx2.Response:
    return httpx2.get(f"{address}{path}", headers=cookie(token))


def log_in(address: str, token: str, **headers: str) -> httpx2.Response:
    given = {"Origin": address, **headers}
    return httpx2.post(f"{address}/login", data={"token": token}, headers=given, follow_redirects=False)


def test_token_is_kept_in_a_cookie_that_opens_the_pages_alone(shared: str) -> None:
    asked = httpx2.get(f"{shared}/")
    done = log_in(shared, f" {BOB}\n")
    kept = done.headers["set-cookie"]
    out = httpx2.post(f"{shared}/logout", headers={"Origin": shared, **cookie(BOB)}, follow_redirects=False)

    assert (asked.status_code, asked.text.count('action="/login"')) == (200, 1)
    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert all(sign in kept for sign in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert httpx2.get(f"{shared}/", headers={"Cookie": kept.partition(";")[0]}).text.count("bob") == 1
    assert httpx2.get(f"{shared}/search?q=storm", headers=cookie(BOB)).status_code == 401
    assert httpx2.post(f"{shared}/mcp", content=b"{}", headers=cookie(BOB)).status_code == 401
    assert "Max-Age=0" in out.headers["set-cookie"]


def test_cookie_is_for_encrypted_connections_where_the_hub_has_one(
    hub: HubDatabase, template: Path, tmp_path: Path
) -> None:
    place = Place("https://hub.example.org")
    with storms(hub, template, tmp_path, token_file(tmp_path, **PEOPLE), place) as address:
        done = log_in(address, BOB, Origin="https://hub.example.org")
        refused = log_in(address, BOB)

    assert "Secure" in done.headers["set-cookie"]
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        ("wrong", {}, 401),
        ("", {}, 401),
        ("x" * 9_000, {}, 401),
        ("x" * 20_000, {}, 413),
        (BOB, {"Origin": "https://evil.example"}, 403),
        (BOB, {"Origin": "null"}, 403),
        (BOB, {"Origin": ""}, 403),
    ],
)
def test_login_that_is_refused_sets_no_cookie(shared: str, token: str, headers: dict[str, str], status: int) -> None:
    done = log_in(shared, token, **headers)

    assert (done.status_code, "set-cookie" in done.headers) == (status, False)
    assert 'role="alert"' in done.text


@pytest.mark.parametrize("value", ["", "%%%", "bm90aGluZw==", "\xff", "4pi6", "x" * 3_000])
def test_cookie_that_is_no_token_asks_for_one(shared: str, value: str) -> None:
    done = httpx2.get(f"{shared}/?q=storm", headers={"Cookie": f"gitmem_hub={value}".encode("latin-1")})

    assert done.status_code in (200, 401)
    assert 'action="/login"' in done.text


def test_each_identity_sees_hits_counts_and_memories_that_it_may_read(shared: str) -> None:
    own, other = page(shared, "/?q=storm", ALICE).text, page(shared, "/?q=storm", BOB).text

    assert re.findall(r'class="t" href="([^"]*)"', own) == ["/read/open/weather", "/read/secret/vault"] or re.findall(
        r'class="t" href="([^"]*)"', own
    ) == ["/read/secret/vault", "/read/open/weather"]
    assert re.findall(r'class="t" href="([^"]*)"', other) == ["/read/open/weather"]
    assert "repository=secret" in own
    assert "secret" not in other
    assert "xylophone" in page(shared, "/read/secret/vault", ALICE).text
    assert page(shared, "/read/secret/vault").status_code == page(shared, "/read/no/vault").status_code == 404
    assert page(shared, "/read/secret/vault").text == page(shared, "/read/no/vault").text
    assert page(shared, "/?q=storm&kind=decision", ALICE).text.count("Nothing found.") == 1
    assert page(shared, "/?q=storm&nothing=1").status_code == 400


def test_pages_and_tools_are_counted_and_take_from_the_limit(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    people = TokenFile(token_file(tmp_path, **PEOPLE))
    with followed(hub, tmp_path) as node, served(hub, node, people, limits=Limits(burst=3, per_second=0)) as address:
        found = [page(address, "/?q=storm", "olga-token").status_code for _ in range(2)]
        metrics = httpx2.get(f"{address}/metrics", headers={"Authorization": "Bearer olga-token"}).text
        refused = page(address, "/", "olga-token").status_code
        tool = httpx2.post(f"{address}/mcp", content=b"{}", headers={"Authorization": "Bearer olga-token"}).status_code

    assert (found, refused, tool) == ([200, 200], 429, 429)
    assert 'gitmem_hub_requests_total{endpoint="page",status="200"} 2\n' in metrics


@pytest.mark.parametrize("path", ["/", "/?q=storm", "/read/evil/storm", "/nothing-here", "/?q=a&limit=0"])
def test_page_loads_nothing_and_is_shown_in_no_frame(hostile: str, path: str) -> None:
    answer = page(hostile, path)
    if answer.status_code == 404:
        return
    rules = answer.headers["content-security-policy"]

    assert rules.startswith("default-src 'none'; style-src 'sha256-")
    assert "frame-ancestors 'none'" in rules
    assert "form-action 'self'" in rules
    assert "script-src" not in rules
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script" not in answer.text


ATTACKS = (
    f"/?q={quote('storm ' + EVIL)}",
    f"/?q=storm&owner={quote(EVIL)}",
    f"/?q=storm&repository={quote(ATTRIBUTE)}",
    f"/?q=storm&kind={quote(chr(0) + ATTRIBUTE)}",
    "/?q=storm",
    "/read/evil/storm",
    "/read/evil/attribute",
    "/read/evil/proved",
    f"/read/{quote(EVIL)}/x",
)


@pytest.mark.parametrize("path", ATTACKS)
def test_hostile_text_is_text(hostile: str, path: str) -> None:
    text = page(hostile, path).text
    tags = re.sub(r"<style>.*?</style>", "", text, flags=re.S)

    assert "<img" not in tags
    assert "<script" not in tags
    assert not re.search(r"<[^>]*\sonmouseover=", tags)
    assert not re.search(r'href="(?!/|#_|data:,|https?://evil\.example/)', tags)
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not (CHROMIUM and DRIVER):
        pytest.skip("no chromium or no chromedriver here (Debian: chromium, chromium-driver)")
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


def enter(chromium: Browser, address: str) -> None:
    chromium.cdp("Network.clearBrowserCookies")
    chromium.open(f"{address}/")
    chromium.js("document.querySelector('#_token').focus()")
    chromium.press(BOB, "Enter")


def test_browser_logs_in_finds_narrows_down_and_reads(chromium: Browser, hostile: str) -> None:
    chromium.screen(1200, 800)
    chromium.requests()
    enter(chromium, hostile)
    settle(chromium, "document.querySelector('#_words')")
    chromium.press("storm", "Enter")
    settle(chromium, "document.querySelectorAll('.found li').length == 3")
    cookies = chromium.js("return document.cookie")
    chromium.js("document.querySelector('#_facets a[href*=\"kind=decision\"]').click()")
    settle(chromium, "document.querySelectorAll('.found li').length == 1 && document.querySelector('.chosen a')")
    chromium.js("document.querySelector('.found .t').click()")
    settle(chromium, "document.querySelector('article.one h1')")
    title = chromium.js("return document.querySelector('article.one h1').textContent")

    assert cookies == ""
    assert ATTRIBUTE.strip("\"' ") in title.replace("’", "'")
    for path in ATTACKS:
        chromium.open(f"{hostile}{path}")
        assert chromium.js("return window.ran === undefined"), path
    assert [url for url in chromium.requests() if not url.startswith(hostile)] == []
    assert [line for line in chromium.complaints() if "favicon" not in line and "404" not in line] == []


def test_pages_fit_every_screen_in_both_schemes(chromium: Browser, hostile: str) -> None:
    enter(chromium, hostile)
    settle(chromium, "document.querySelector('#_words')")
    for width, dark in ((400, True), (1200, False)):
        chromium.screen(width, 800, dark=dark)
        for path in ("/", "/?q=storm", "/read/evil/storm", "/read/evil/nothing"):
            chromium.open(f"{hostile}{path}")
            wide = chromium.js("return document.documentElement.scrollWidth")
            ground = chromium.js("return getComputedStyle(document.body).backgroundColor")
            assert wide <= width, (path, width)
            assert (ground == "rgb(21, 22, 26)") == dark


def settle(chromium: Browser, condition: str) -> None:
    from support.processes import wait_until

    assert wait_until(lambda: chromium.js(f"return Boolean({condition})")), condition
