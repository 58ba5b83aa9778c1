"""Suspicion across repositories: it crosses with its cause, clears, and tells nothing to who cannot read the cause."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.facts import make_fact, make_memory, put
from support.hubs import add_to, ask, followed, served, synced, token_file
from support.postgres import HubDatabase

from gitmem.hub import links
from gitmem.hub.client import find_dependents
from gitmem.hub.database import connected
from gitmem.hub.identity import TokenFile
from gitmem.memory import Memory

PEOPLE = {"alice": ("payments",), "bob": ()}


class Service:
    """A repository with a fact that can be broken and mended, and a hub that knows it."""

    def __init__(self, hub: HubDatabase, template: Path, tmp_path: Path) -> None:
        self.hub, self.template, self.tmp_path = hub, template, tmp_path
        self.folder = self.add("api", readers=("@payments",))
        with Memory(self.folder, clock=lambda: float(NOW)) as memory:
            memory.init(offline=True)
            commit_files(self.folder, {"port.txt": "8080"})
            memory.fact("The port is in a file", exists="port.txt", key="port")

    def add(self, name: str, *files: dict[str, str], readers: tuple[str, ...] = ("everyone",)) -> Path:
        folder = Path(shutil.copytree(self.template, self.tmp_path / name))
        if files:
            put(folder, *files)
        add_to(self.hub, folder, readers=readers)
        return folder

    def turn(self, is_good: bool) -> None:
        """Break the fact or mend it, and have its repository's verdict synced."""
        if is_good:
            commit_files(self.folder, {"port.txt": "8080"}, "mend")
        else:
            git(self.folder, "rm", "-q", "port.txt")
            git(self.folder, "commit", "-qm", "break")
        with Memory(self.folder, clock=lambda: float(NOW)) as memory:
            memory.verify()
        synced(self.hub, self.tmp_path)

    def readers(self, name: str, *principals: str) -> None:
        add_to(self.hub, self.tmp_path / name, readers=principals)


@pytest.fixture
def service(
    hub: HubDatabase, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Service, str]]:
    """The repository, and the address of a server that believes no list of repositories for any time."""
    monkeypatch.setattr("gitmem.hub.reading.VISIBLE_S", 0)
    made = Service(hub, template, tmp_path)
    with followed(hub, tmp_path) as node, served(hub, node, TokenFile(token_file(tmp_path, **PEOPLE))) as address:
        made.catch_up = node.catch_up_now  # type: ignore[attr-defined]
        yield made, address


def read(address: str, who: str, reference: str) -> tuple[str, list[str]]:
    """Return the status and the causes of a memory, as a reader gets them."""
    name, _, key = reference.partition(":")
    found = ask(address, f"/memory/{name}/{key}", f"{who}-token").json
    return found["status"], found["why"]


def searched(address: str, who: str, **filters: str) -> dict[str, str]:
    more = "".join(f"&{name}={value}" for name, value in filters.items())
    found = ask(address, f"/search?q=client&limit=100{more}", f"{who}-token").json["hits"]
    return {f"{one['repository']}:{one['key']}": one["status"] for one in found}


def test_suspicion_crosses_with_its_cause_and_clears(service: tuple[Service, str]) -> None:
    made, address = service
    made.add(
        "web",
        make_memory("client", "The client knows the port", requires=["api:port"]),
        make_memory("docs", "The client is documented", requires=["client"]),
        make_fact("proved", title="The client is proved", requires=["api:port"]),
        make_memory("other", "Another client", requires=["api:nothing", "nowhere:port", "port"]),
    )
    made.add("app", make_memory("uses", "The client of the web", requires=["web:client"]))
    synced(made.hub, made.tmp_path)
    made.catch_up()
    good = searched(address, "alice")
    made.turn(False)
    made.catch_up()
    bad, hidden = searched(address, "alice"), searched(address, "bob")
    causes = {one: read(address, "alice", one) for one in bad}
    facets = ask(address, "/search?q=client&facets=true", "alice-token").json["facets"]["status"]
    filtered = [searched(address, "alice", status=one) for one in ("suspect", "unproven")]
    told = [read(address, "bob", one) for one in bad]
    made.readers("api", "@payments", "bob")
    shared = searched(address, "bob")
    made.readers("api", "@payments")
    revoked = searched(address, "bob")
    made.turn(True)
    made.catch_up()
    again = searched(address, "alice")

    assert good == {"web:client": "", "web:docs": "", "web:proved": "unproven", "web:other": "", "app:uses": ""}
    suspects = {"web:client", "web:docs", "web:proved", "app:uses"}
    assert bad == good | dict.fromkeys(suspects, "suspect")
    assert causes == {
        "web:client": ("suspect", ["api:port"]),
        "web:docs": ("suspect", ["client", "api:port"]),
        "web:proved": ("suspect", ["api:port"]),
        "web:other": ("", []),
        "app:uses": ("suspect", ["web:client", "api:port"]),
    }
    assert facets == {"suspect": 4}
    assert [set(found) for found in filtered] == [suspects, set()]
    assert hidden == revoked == again == good
    assert {(status, tuple(why)) for status, why in told} == {("", ()), ("unproven", ())}
    assert shared == bad


def test_suspicion_travels_three_links_and_cycles_end(service: tuple[Service, str]) -> None:
    made, address = service
    made.add("one", make_memory("a", "A client", requires=["api:port", "three:c"]))
    made.add("two", make_memory("b", "A client", requires=["one:a"]), make_memory("x", "A client", requires=["two:x"]))
    made.add("three", make_memory("c", "A client", requires=["two:b"]))
    made.add("four", make_memory("d", "A client", requires=["three:c"]))
    made.turn(False)
    made.catch_up()

    assert read(address, "alice", "three:c") == ("suspect", ["two:b", "one:a", "api:port"])
    assert searched(address, "alice", status="suspect").keys() == {"one:a", "two:b", "three:c"}
    # Who cannot read a repository in the middle sees nothing of what comes over it.
    made.readers("two", "bob")
    assert searched(address, "alice", status="suspect").keys() == {"one:a"}


def test_suspicion_within_the_other_repository_crosses(service: tuple[Service, str]) -> None:
    made, address = service
    put(made.folder, make_memory("design", "The design", requires=["port"]))
    made.add("web", make_memory("client", "The client", requires=["api:design"]))
    done = make_memory("client", "A client", kind="task", state="closed", requires=["api:port"])
    made.add("closed", done, make_memory("open", "A client", kind="task", requires=["api:port"]))
    made.turn(False)
    made.catch_up()

    assert read(address, "alice", "api:design") == ("suspect", ["port"])
    assert read(address, "alice", "web:client") == ("suspect", ["api:design", "api:port"])
    assert read(address, "alice", "closed:client") == ("", [])
    assert read(address, "alice", "closed:open") == ("suspect", ["api:port"])


def test_removed_repository_leaves_no_suspicion_and_audit_names_the_cause(service: tuple[Service, str]) -> None:
    from gitmem.hub.registry import remove

    made, address = service
    add_to(made.hub, made.folder, readers=("alice",), team="@payments")
    made.add("web", make_memory("client", "The client", requires=["api:port"]))
    made.turn(False)
    add_to(made.hub, made.folder, readers=("bob",), team="@payments")
    made.catch_up()
    seen = searched(address, "bob")
    with connected(made.hub.url) as connection:
        noted = connection.execute("SELECT detail FROM hub.audit WHERE action = 'search' ORDER BY 1").fetchall()
        remove(connection, "api")
        remove(connection, "web")
        left = connection.execute("SELECT count(*) FROM hub.link").fetchone()

    assert seen == {"web:client": "suspect"}
    assert noted == [("client",), ("port",)]
    assert left == (0,)


# Keys are slugs, so a key with a blank is none.
HOSTILE = [
    "api:port\x1b[31m",
    "api:'; DROP TABLE hub.link; --",
    ":port",
    "api:",
    "../api:port",
    "api:port:x",
    "API:" + "x" * 300,
]


def test_hostile_references_are_no_links_and_many_are_cut(
    service: tuple[Service, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "TARGETS_AT_MOST", 5)
    made, address = service
    many = [
        make_memory(f"m{n}", f"A client {n}", requires=["api:port", *(f"z{n}:{k}" for k in range(9))]) for n in range(8)
    ]
    made.add("web", make_memory("bad", "A bad client", requires=HOSTILE), *many)
    made.add(
        "label", make_memory("own", "A client", produces=["api:port"]), make_memory("c", "C", requires=["api:port"])
    )
    made.turn(False)
    made.catch_up()
    with connected(made.hub.url) as connection:
        found = connection.execute("SELECT elsewhere, target FROM hub.link WHERE source = 'bad'").fetchall()
        targets = connection.execute("SELECT count(DISTINCT (elsewhere, target)) FROM hub.link").fetchone()

    assert found == []
    assert targets == (5,)
    assert searched(address, "alice", status="suspect").keys() == {f"web:m{n}" for n in range(8)}


def test_check_says_what_a_change_makes_suspect_in_other_repositories(
    service: tuple[Service, str], run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, address = service
    put(made.folder, make_memory("design", "The design", requires=["port"]))
    made.add("web", make_memory("client", "A \x1b[31mclient", requires=["api:port"]))
    made.add("app", make_memory("uses", "It uses the client", requires=["web:client"]))
    made.add("far", make_memory("away", "It is far away", requires=["app:uses", "api:design"]))
    made.add("secret", make_memory("s", "It is secret", requires=["api:port"]), readers=("bob",))
    synced(made.hub, made.tmp_path)
    with connected(made.hub.url) as connection:
        connection.execute("UPDATE hub.repository SET url = 'ssh://git@host.example.org/pay/' || name || '.git'")
    git(made.folder, "remote", "add", "origin", "https://token@host.example.org/pay/api")
    git(made.folder, "checkout", "-qb", "change")
    git(made.folder, "rm", "-q", "port.txt")
    git(made.folder, "commit", "-qm", "break")
    run = partial(run_cli, cwd=made.folder)
    monkeypatch.setattr(find_dependents, "__kwdefaults__", {"limit_s": 30})
    monkeypatch.setenv("GITMEM_HUB_TOKEN", "alice-token")
    alone = run("check", "--base", "main")
    monkeypatch.setenv("GITMEM_HUB", address)
    found = run("check", "--base", "main")
    table = json.loads(run("check", "--base", "main", "--json").out)
    nothing = run("check", "--base", "HEAD")
    git(made.folder, "remote", "set-url", "origin", "https://host.example.org/other")
    unknown = run("check", "--base", "main")
    monkeypatch.setenv("GITMEM_HUB_TOKEN", "bob-token")
    git(made.folder, "remote", "set-url", "origin", "git@host.example.org:pay/api.git")
    hidden = run("check", "--base", "main")
    monkeypatch.setenv("GITMEM_HUB", "http://127.0.0.1:1")
    away = run("check", "--base", "main")

    rows = ["web:client rests on port", "app:uses rests on web:client → port", "far:away rests on design"]
    listed = [line.strip().partition(": ")[0] for line in found.out.splitlines() if ": " in line]
    assert sorted(line for line in listed if ":" in line) == sorted(rows)
    assert "\x1b" not in found.out
    assert "Makes suspect in other repositories:" in found.out
    assert "secret" not in found.out
    others = table["elsewhere"]
    assert (others["repository"], others["more"], others["problem"]) == ("api", 0, "")
    assert {f"{one['repository']}:{one['key']}" for one in others["dependents"]} == {
        "web:client",
        "app:uses",
        "far:away",
    }
    assert [one.status for one in (alone, found, unknown, hidden, away)] == [1] * 5
    assert "other repositories" not in alone.out + alone.err + nothing.out + nothing.err
    assert ["the hub does not know this repository" in one.err for one in (unknown, hidden)] == [True, True]
    assert away.err.count("the hub does not say what rests on this in other repositories: ") == 1
    assert away.out == hidden.out == alone.out


BAD_QUESTIONS = (
    *("", "?address=a", "?key=k", "?address=a&key=k&x=1", "?address=a&address=b&key=k", "?address=&key=k"),
    *("?address=a&key=%00", "?address=a&key=%1b", f"?address=a&key={'k' * 201}", "?address=a" + "&key=k" * 201),
)


@pytest.mark.parametrize("query", BAD_QUESTIONS)
def test_wrong_question_for_dependents_is_refused(service: tuple[Service, str], query: str) -> None:
    assert ask(service[1], f"/dependents{query}", "alice-token").status == 400


def test_question_for_dependents_needs_a_token(service: tuple[Service, str]) -> None:
    assert ask(service[1], "/dependents?address=a&key=k").status == 401


def test_foundations_are_known_to_readers_of_their_repository_alone(service: tuple[Service, str]) -> None:
    made, address = service
    put(made.folder, make_memory("design", "The design", requires=["port"]))
    commit_files(made.folder, {"server.toml": "port = 8080\n"})
    put(made.folder, make_fact("number", {"value": "server.toml#port", "is": "8080"}))
    made.add("web", make_memory("client", "The client", requires=["api:design"]))
    path = "/foundations?" + "&".join(
        f"reference={one}" for one in ("api:port", "api:design", "api:number", "web:client", "api:none", "no:none")
    )

    def known(who: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
        found = ask(address, path, f"{who}-token").json["known"]
        return {one["reference"]: (one["status"], one["value"], tuple(one["why"])) for one in found}

    made.turn(True)
    good = known("alice")
    made.turn(False)
    bad, hidden = known("alice"), known("bob")
    with connected(made.hub.url) as connection:
        noted = connection.execute("SELECT DISTINCT detail FROM hub.audit WHERE action = 'require'").fetchall()

    # The verdicts are as old as the clock of the tests.
    assert good["api:number"] == ("stale", "8080", ())
    assert bad == {
        "api:port": ("failed", "", ()),
        "api:design": ("suspect", "", ("port",)),
        "api:number": ("stale", "8080", ()),
        "web:client": ("suspect", "", ("api:design", "api:port")),
    }
    assert hidden == {"web:client": ("", "", ())}
    assert ("client",) in noted


@pytest.mark.parametrize("query", ["", "?reference=port", "?reference=api:port&x=1", "?reference=%00:a", "?reference="])
def test_wrong_question_for_foundations_is_refused(service: tuple[Service, str], query: str) -> None:
    assert ask(service[1], f"/foundations{query}", "alice-token").status == 400


def test_clone_keeps_what_the_hub_says_and_a_reader_without_rights_learns_nothing(
    service: tuple[Service, str], run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, address = service
    commit_files(made.folder, {"server.toml": "port = 8080\n"})
    put(made.folder, make_fact("number", {"value": "server.toml#port", "is": "8080"}))
    same = make_fact("same", {"agree": ["app.toml#port", "api:number"]})
    web = made.add("web", same, make_memory("client", "The client", requires=["api:port"]))
    commit_files(web, {"app.toml": "port = 9090\n"})
    other = Path(shutil.copytree(web, made.tmp_path / "other"))
    made.turn(False)
    monkeypatch.setenv("GITMEM_HUB", address)
    monkeypatch.setattr("gitmem.cli.elsewhere.PATIENT_S", 30.0)

    def seen(folder: Path) -> dict[str, str]:
        found = json.loads(run_cli("list", "--json", cwd=folder).out)["memories"]
        return {one["key"]: one["status"] for one in found}

    monkeypatch.setenv("GITMEM_HUB_TOKEN", "alice-token")
    verified = run_cli("verify", cwd=web)
    monkeypatch.setenv("GITMEM_HUB_TOKEN", "bob-token")
    hidden = run_cli("verify", cwd=other)
    monkeypatch.setenv("GITMEM_HUB", "off")

    assert seen(web) == {"same": "failed", "client": "suspect"}
    assert "app.toml:1 states 9090, and api:number of another repository 8080" in verified.out
    assert seen(other) == {"same": "blocked", "client": ""}
    assert "8080" not in hidden.out + hidden.err
