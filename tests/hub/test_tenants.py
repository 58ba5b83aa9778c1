"""Two tenants, every endpoint, every parameter: each gets the answers of a hub on which the other does not exist.

The same requests go to a server with both tenants and to servers with one of them. Whatever differs would tell the
other one's hits, counts, titles or names. An endpoint or a parameter that is added needs a row here.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx2
import pytest
from support.facts import make_fact, make_memory, put
from support.hubs import add_to, followed, served, synced, token_file
from support.postgres import HubDatabase, Postgres, new_hub

from gitmem.hub.database import connected
from gitmem.hub.identity import TokenFile
from gitmem.hub.reading import Reading
from gitmem.hub.server import Hub, Limits, Place, make_app
from gitmem.hub.web.request import FILTERS

SECRET = "correct horse battery staple"


@dataclass(frozen=True)
class Tenant:
    """What only one tenant has: none of these words is in anything that the other may read."""

    name: str
    repository: str
    word: str
    owner: str
    kind: str
    key: str


RED = Tenant("ruth", "red-vault", "xylophone", "rowena", "recipe", "red-secret")
BLUE = Tenant("bela", "blue-cellar", "zeppelin", "bertram", "pattern", "blue-secret")
TENANTS = (RED, BLUE)


def fill(folder: Path, one: Tenant) -> None:
    other = other_of(one)
    put(
        folder,
        # It rests on what everybody may read, and guesses what the other one has.
        make_memory(
            f"{one.key}-rests", f"Storm on {one.word}", requires=["common:weather", "common:port"], by=one.owner
        ),
        make_memory("guess", f"A guess {one.word}", requires=[f"{other.repository}:{other.key}-fact"], by=one.owner),
        make_memory(one.key, f"The {one.word} storms", f"Its {one.word} is closed.", kind=one.kind, by=one.owner),
        make_memory("shared-key", f"A storm of the {one.word}", tags=[one.word], by=one.owner),
        make_fact(f"{one.key}-fact", title=f"Storm {one.word}", by={"who": one.owner}),
    )


@contextlib.contextmanager
def hub_of(tenants: tuple[Tenant, ...], hub: HubDatabase, template: Path, folder: Path) -> Iterator[str]:
    """A server with these tenants' repositories and one that everybody may read."""
    put(Path(shutil.copytree(template, folder / "common")), make_memory("weather", "A storm", by="everybody"))
    add_to(hub, folder / "common")
    for one in tenants:
        fill(Path(shutil.copytree(template, folder / one.repository)), one)
        add_to(hub, folder / one.repository, readers=(), team=f"@{one.name}s")
    synced(hub, folder)
    with connected(hub.url) as connection:
        connection.execute("UPDATE hub.repository SET url = 'https://git.example.org/' || name")
        # What each rests on, and what each guesses of the other, fails.
        connection.execute("UPDATE hub.memory SET status = 'failed' WHERE key = 'weather' OR key LIKE '%-fact'")
    people = TokenFile(token_file(folder, **{one.name: (f"{one.name}s",) for one in TENANTS}))
    place = Place("https://hub.example.org", "https://id.example.org", SECRET)
    with followed(hub, folder) as node:
        node.looked_at = float("inf")  # each is ready, however long the walk takes on this machine
        # What is known of one tenant's rights is used again, as on a node that follows.
        options = {"limits": Limits(10_000, 10_000), "place": place, "access": node.known_access}
        with served(hub, node, people, **options) as found:
            yield found


@dataclass
class Hubs:
    """The servers with both tenants and with one of them, and the database of the first."""

    both: str
    alone: dict[Tenant, str]
    database: HubDatabase


@pytest.fixture(scope="module")
def hubs(
    postgres: Postgres, hub_template: str, template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Hubs]:
    with contextlib.ExitStack() as stack:
        addresses = []
        for tenants in (TENANTS, (RED,), (BLUE,)):
            hub = stack.enter_context(new_hub(postgres, hub_template))
            folder = tmp_path_factory.mktemp("hub")
            addresses.append((stack.enter_context(hub_of(tenants, hub, template, folder)), hub))
        (both, database), (red, _), (blue, _) = addresses
        yield Hubs(both, {RED: red, BLUE: blue}, database)


def other_of(one: Tenant) -> Tenant:
    return BLUE if one is RED else RED


@dataclass(frozen=True)
class Asked:
    """A request: its method, its path, its JSON or form, and whether it brings the cookie, the header, or both."""

    path: str
    method: str = "GET"
    body: Any = None
    form: tuple[tuple[str, str], ...] = ()


def queries(words: tuple[Tenant, ...]) -> Iterator[list[tuple[str, str]]]:
    """Yield the parameters of a search: each text, each other one with each of its values, then filters by two."""
    texts = ["storm", "nosuchword", *(one.word for one in words)]
    values: dict[str, list[str]] = {
        "repository": [*(one.repository for one in words), "common", "nothing"],
        "kind": [*(one.kind for one in words), "gotcha", "fact"],
        "status": ["suspect", "failed", "verified", "unproven", "stale", "nothing"],
        "owner": [*(one.owner for one in words), "everybody", "nobody"],
        "language": ["english", "german"],
        "limit": ["1", "100", "0"],
        "facets": ["true", "false"],
    }
    assert {*FILTERS, "limit", "facets"} == {*values}
    for text in texts:
        yield [("q", text), ("facets", "true")]
    for name, listed in values.items():
        yield from ([("q", "storm"), (name, value)] for value in listed)
    for (name, first), (also, second) in itertools.combinations(values.items(), 2):
        if {name, also} <= {*FILTERS}:
            yield [("q", "storm"), (name, first[0]), (also, second[0]), (also, second[1]), ("facets", "true")]


def tool(name: str, **arguments: Any) -> Asked:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return Asked("/mcp", "POST", body=call)


def calls(words: tuple[Tenant, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the calls of tools, each with the name of the tool."""
    for text in ("storm", "nosuchword", *(one.word for one in words)):
        yield "memory_search", {"query": text}
        yield "memory_search", {"query": text, "limit": 1}
        for one in words:
            yield "memory_search", {"query": text, "repositories": [one.repository]}
            yield "memory_search", {"query": text, "kinds": [one.kind]}
            yield "memory_search", {"query": text, "owners": [one.owner], "statuses": ["unproven"]}
        yield "memory_search", {"query": text, "languages": ["german"]}
    for repository, key in places(words):
        yield "memory_get", {"key": f"{repository}:{key}"}


def places(words: tuple[Tenant, ...]) -> Iterator[tuple[str, str]]:
    repositories = (*(one.repository for one in words), "common", "nothing")
    keys = (*(one.key for one in words), *(f"{one.key}-fact" for one in words), "shared-key", "weather", "nothing")
    keys += (*(f"{one.key}-rests" for one in words), "guess")
    return itertools.product(repositories, keys)


def dependents(words: tuple[Tenant, ...]) -> Iterator[list[tuple[str, str]]]:
    """Yield the parameters of questions for dependents: each repository with each key, by address and by name."""
    for one in words:
        for address in (f"git.example.org/{one.repository}", one.repository, "git.example.org/common"):
            yield [("address", address), *(("key", key) for _, key in places(words))]
    yield [("address", "nowhere"), ("key", "nothing")]
    yield [("key", "nothing")]


def requests(words: tuple[Tenant, ...]) -> dict[str, list[Asked]]:
    """Return the requests by the path of their endpoint."""
    parameters = list(queries(words))
    pushes = [{"repository": {"clone_url": f"/srv/{one.repository}.git"}} for one in words]
    return {
        "/search": [Asked(f"/search?{urlencode(one)}") for one in parameters],
        "/memory/{name:path}": [Asked(f"/memory/{name}/{key}") for name, key in places(words)],
        "/dependents": [Asked(f"/dependents?{urlencode(one)}") for one in dependents(words)],
        "/foundations": [Asked(f"/foundations?reference={quote(f'{name}:{key}')}") for name, key in places(words)],
        "/healthz": [Asked("/healthz")],
        "/readyz": [Asked("/readyz")],
        "/metrics": [Asked("/metrics")],
        # Entries are shared by all who know their names, digests of what was judged; here are none.
        "/ac/{name}": [Asked(f"/ac/{sha256(one.key.encode()).hexdigest()}") for one in words],
        "/mcp": [tool(name, **arguments) for name, arguments in calls(words)],
        "/.well-known/oauth-protected-resource": [Asked("/.well-known/oauth-protected-resource")],
        "/.well-known/oauth-protected-resource/mcp": [Asked("/.well-known/oauth-protected-resource/mcp")],
        "/": [Asked("/"), *(Asked(f"/?{urlencode(one)}") for one in parameters)],
        "/read/{name:path}": [Asked(f"/read/{name}/{key}") for name, key in places(words)],
        "/login": [Asked("/login", "POST", form=(("token", one.repository),)) for one in words],
        "/logout": [Asked("/logout", "POST")],
        "/webhook": [Asked("/webhook", "POST", body=push) for push in pushes],
    }


def answer(http: httpx2.Client, address: str, asked: Asked, one: Tenant) -> tuple[int, str]:
    """Return the status and the text of an answer, without what is random."""
    token = f"{one.name}-token"
    headers = {
        "Authorization": f"Bearer {token}",
        "Cookie": f"gitmem_hub={urlsafe_b64encode(token.encode()).decode()}",
        "Origin": "https://hub.example.org",
        "Accept": "application/json, text/event-stream",
        "X-Gitlab-Token": SECRET,
    }
    more: dict[str, Any] = {"data": dict(asked.form)} if asked.form else {"json": asked.body} if asked.body else {}
    found = http.request(asked.method, f"{address}{asked.path}", headers=headers, follow_redirects=False, **more)
    answer = found.text + json.dumps(sorted((n, v) for n, v in found.headers.items() if n not in ("date",)))
    answer = re.sub(r"\bexpires=[^;]*", "expires=NOW", answer)  # deleting a cookie sends the time
    # The fence's markers are random; their number and place are not.
    return found.status_code, re.sub(r"\b[0-9a-f]{32}\b", "NONCE", answer)


@pytest.mark.parametrize("one", TENANTS, ids=lambda one: one.name)
@pytest.mark.parametrize("endpoint", requests(TENANTS))
def test_each_tenant_gets_the_answers_of_a_hub_without_the_other(hubs: Hubs, endpoint: str, one: Tenant) -> None:
    other, told = other_of(one), []
    with httpx2.Client(timeout=60) as http:
        for asked in requests(TENANTS)[endpoint]:
            both = answer(http, hubs.both, asked, one)
            alone = answer(http, hubs.alone[one], asked, one)
            if both != alone:
                told.append((asked, both, alone))
            elif not asked.body and not asked.form:
                # Nor is there a word of the other's, but for those that were asked for.
                # But for those in a reference that the tenant wrote.
                told_here = both[1].replace(f"{other.repository}:{other.key}-fact", "")
                words = [getattr(other, name) for name in ("repository", "word", "owner", "key")]
                told += [(asked, word) for word in words if word in told_here and word not in asked.path]

    assert told[:3] == []


def test_walk_has_every_endpoint_and_every_argument(hubs: Hubs) -> None:
    app = make_app(Hub(None, Reading(hubs.database.serving), (), Limits()))  # type: ignore[arg-type]
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with httpx2.Client(timeout=60) as http:
        told = answer(http, hubs.both, Asked("/mcp", "POST", body=listing), RED)[1]
    tools = json.JSONDecoder().raw_decode(told)[0]["result"]["tools"]
    walked: dict[str, set[str]] = {}
    for name, arguments in calls(TENANTS):
        walked.setdefault(name, set()).update(arguments)

    assert sorted(route.path for route in app.routes) == sorted(requests(TENANTS))
    assert {one["name"]: {*one["inputSchema"]["properties"]} for one in tools} == walked


def test_each_tenants_rights_are_remembered(hubs: Hubs, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []
    read = Reading._read_visible
    monkeypatch.setattr(
        Reading, "_read_visible", lambda self, who, *rest: looks.append(who.name) or read(self, who, *rest)
    )
    monkeypatch.setattr("gitmem.hub.reading.VISIBLE_S", 60.0)  # however long it takes on this machine
    with httpx2.Client(timeout=60) as http:
        for one in (*TENANTS, *TENANTS):
            before = len(looks)
            found = [answer(http, hubs.both, Asked("/search?q=storm"), one) for _ in range(2)]
            assert found[0] == found[1]
            assert other_of(one).repository not in found[1][1]
            assert looks[before + 1 :] == []  # the second asks nothing

    assert len(looks) <= len(TENANTS)


def test_tenants_find_their_own(hubs: Hubs) -> None:
    """The walk proves nothing if nobody finds anything."""
    with httpx2.Client(timeout=60) as http:
        for one in TENANTS:
            found = answer(http, hubs.both, Asked("/search?q=storm&facets=true"), one)[1]
            page = answer(http, hubs.both, Asked(f"/read/{one.repository}/{one.key}"), one)
            rests = answer(http, hubs.both, Asked(f"/memory/{one.repository}/{one.key}-rests"), one)[1]
            path = "/dependents?address=git.example.org/common&key=weather"
            found_again = json.JSONDecoder().raw_decode(answer(http, hubs.both, Asked(path), one)[1])[0]
            path = f"/foundations?reference={one.repository}:{one.key}"
            founded = json.JSONDecoder().raw_decode(answer(http, hubs.both, Asked(path), one)[1])[0]
            said = answer(http, hubs.both, tool("memory_get", key=f"{one.repository}:{one.key}"), one)[1]

            assert json.JSONDecoder().raw_decode(found)[0]["facets"]["repository"] == {one.repository: 4, "common": 1}
            assert (page[0], one.word in page[1], one.word in said) == (200, True, True)
            assert json.JSONDecoder().raw_decode(rests)[0]["why"] == ["common:weather"]
            assert [row["repository"] for row in found_again["dependents"]] == [one.repository]
            assert [row["reference"] for row in founded["known"]] == [f"{one.repository}:{one.key}"]


def test_reads_of_one_tenant_are_no_entries_about_the_other(hubs: Hubs) -> None:
    with connected(hubs.database.admin) as connection:
        rows = connection.execute(
            "SELECT DISTINCT a.identity, r.name FROM hub.audit a JOIN hub.repository r ON r.id = a.repository"
            " WHERE a.action IN ('search', 'read') ORDER BY 1, 2"
        ).fetchall()

    assert {name for _, name in rows} <= {"common"}
