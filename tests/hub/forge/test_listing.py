"""`gitmem hub add --organisation`: three kinds of forges, their pages, and their bad days."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fuzz.targets import JSON
from hypothesis import given
from hypothesis import strategies as st
from support.facts import make_memory, put
from support.organisation_forge import TOKEN, OrganisationForge, organisation_forge
from support.postgres import HubDatabase

from gitmem.errors import ForgeError, UsageError
from gitmem.hub.database import connected
from gitmem.hub.forge.listing import list_remotes
from gitmem.hub.forge.organisation import KINDS, Organisation, organisation_of, read_remote


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITMEM_HUB_FORGE_TOKEN", TOKEN)


def organisation(forge: OrganisationForge) -> Organisation:
    return organisation_of(f"{forge.address}/acme", forge.kind)


def add(run_cli, forge: OrganisationForge, hub: HubDatabase, *options: str):  # type: ignore[no-untyped-def]
    where = (f"{forge.address}/acme", "--forge-kind", forge.kind, "--database", hub.url)
    return run_cli("hub", "add", "--organisation", *where, *options)


@pytest.mark.parametrize("kind", KINDS)
def test_repositories_with_a_memory_branch_are_added_with_their_readers(
    run_cli, hub: HubDatabase, memory, repo: Path, tmp_path: Path, kind: str
) -> None:
    put(repo, make_memory("storm", "A retry storm"))
    with organisation_forge(kind, tmp_path / "forge") as forge:
        forge.add("acme/open", "public", repo)
        forge.add("acme/secret", "private", repo)
        forge.add("acme/within", "internal", repo)
        forge.add("acme/empty", "public")
        forge.add("acme/gone", "public")
        (tmp_path / "forge/acme/gone.git/info/refs").unlink()
        done = add(run_cli, forge, hub)
        listed = json.loads(run_cli("hub", "list", "--json", "--database", hub.url).out)["repositories"]
        del forge.repositories["acme/within"]
        again = add(run_cli, forge, hub, "--reader", "alice")
        synced = run_cli("hub", "sync", "acme/open", "--database", hub.url, "--folder", str(tmp_path / "data"))
        host = forge.address.removeprefix("http://")

    assert (done.status, done.out.split()) == (1, ["acme/open", "acme/secret", "acme/within"])
    assert "acme/gone was not added: " in done.err
    assert "1 repository without a branch memory" in done.err
    assert {one["name"]: one["readers"] for one in listed} == {
        "acme/open": ["everyone"],
        "acme/secret": [f"@{host}/acme/secret"],
        "acme/within": [f"@{host}/acme/within"],
    }
    assert (again.out.split(), "not listed any more: acme/within;" in again.err) == (["acme/open", "acme/secret"], True)
    assert synced.out == "acme/open\n"
    assert {token for _, token in forge.asked} == {TOKEN}
    assert [path for path, _ in forge.asked if "page=2" in path] != []


def test_listing_again_keeps_what_a_person_set(run_cli, hub: HubDatabase, memory, repo: Path, tmp_path: Path) -> None:
    put(repo, make_memory("storm", "A retry storm"))
    with organisation_forge("github", tmp_path / "forge") as forge:
        for name in ("acme/api", "acme/web", "acme/left-out", "acme/closing"):
            forge.add(name, "public", repo)
        add(run_cli, forge, hub)
        web = (f"{forge.address}/acme/web.git", "--team", "@web", "--reader", "alice", "--name", "web")
        run_cli("hub", "add", *web, "--database", hub.url)
        run_cli("hub", "add", f"{forge.address}/acme/left-out.git", "--database", hub.url)
        closing = (f"{forge.address}/acme/closing.git", "--reader", "everyone", "--platform", "gpu")
        run_cli("hub", "add", *closing, "--database", hub.url)
        forge.repositories["acme/closing"] = "private"
        again = add(run_cli, forge, hub)
        listed = json.loads(run_cli("hub", "list", "--json", "--database", hub.url).out)["repositories"]
        host = forge.address.removeprefix("http://")

    assert (again.status, again.out) == (0, "acme/closing\n")
    assert {one["name"]: one["readers"] for one in listed} == {
        "acme/api": ["everyone"],
        "acme/closing": [f"@{host}/acme/closing"],
        "acme/left-out": [],
        "web": ["@web", "alice"],
    }
    with connected(hub.url) as connection:
        platforms = connection.execute("SELECT name FROM hub.repository WHERE platform = 'gpu'").fetchall()
    assert platforms == [("acme/closing",)]


def test_repository_of_a_private_owner_is_not_public(tmp_path: Path) -> None:
    with organisation_forge("gitea", tmp_path / "forge") as forge:
        forge.add("acme/api", "of a private owner")
        assert [one.is_public for one in list_remotes(organisation(forge), TOKEN)] == [False]


def other_host(forge: OrganisationForge) -> tuple[int, dict[str, str], object]:
    return 200, {}, [forge.shape("acme/api") | {"clone_url": "https://evil.example/acme/api.git"}]


BAD_DAYS = {
    "HTML": (lambda _: (200, {}, b"<html>maintenance</html>"), "not JSON"),
    "not a list": (lambda _: (200, {}, {"message": "hello"}), "did not answer with a list"),
    "not repositories": (lambda _: (200, {}, [{"id": 1}]), "did not answer like github"),
    "another host": (other_host, "another host: 'evil.example'"),
    "redirect": (lambda _: (301, {"Location": "https://evil.example/repos"}, b""), "to protect the token"),
    "next page elsewhere": (
        lambda _: (200, {"Link": '<https://evil.example/?page=2>; rel="next"'}, []),
        "to protect the token",
    ),
    "rate limit": (
        lambda _: (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999"}, {"message": "slow down"}),
        "rate limit is reached",
    ),
    "refused": (lambda _: (401, {}, {"message": f"Bad credentials {TOKEN}"}), "(401)"),
    "unknown": (lambda _: (404, {}, {"message": "Not Found"}), "(404)"),
}


@pytest.mark.parametrize("case", BAD_DAYS)
def test_bad_day_of_a_forge_is_one_line_without_the_token(tmp_path: Path, case: str) -> None:
    answer, says = BAD_DAYS[case]
    with organisation_forge("github", tmp_path / "forge") as forge:
        forge.add("acme/api", "public")
        forge.planned.append(answer(forge))
        with pytest.raises(ForgeError) as caught:
            list_remotes(organisation(forge), TOKEN)

    assert says in caught.value.message
    assert "\n" not in caught.value.message
    assert TOKEN not in caught.value.message
    if case in ("refused", "unknown"):
        assert "GITMEM_HUB_FORGE_TOKEN" in caught.value.hint


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(("full_name", "visibility", "private", "owner"), JSON)))
def test_any_item_of_a_listing_is_a_repository_or_an_error(item: dict[str, object]) -> None:
    of = organisation_of("https://github.com/acme")
    named = {"full_name": "acme/api", "clone_url": "https://github.com/acme/api.git"} | item
    try:
        found = read_remote(of, named)
    except ForgeError:
        assert not isinstance(named["full_name"], str)
        return
    assert found.is_public == (
        item.get("visibility", "public") == "public"
        and not item.get("private")
        and not (isinstance(item.get("owner"), dict) and item["owner"].get("visibility", "public") != "public")  # type: ignore[union-attr]
    )


def test_server_error_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.git.forges.client.PAUSES_S", (0.0, 0.0))
    with organisation_forge("github", tmp_path / "forge") as forge:
        forge.add("acme/api", "public")
        forge.planned += [(500, {}, b"oops"), (502, {}, b"oops")]
        found = [one.name for one in list_remotes(organisation(forge), TOKEN)]
        forge.planned += [(500, {}, b"oops")] * 3
        with pytest.raises(ForgeError, match=r"\(500\)"):
            list_remotes(organisation(forge), TOKEN)

    assert found == ["acme/api"]


def test_missing_token_and_wrong_addresses_are_refused(run_cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ForgeError, match="needs a token"):
        list_remotes(organisation_of("https://github.com/acme"), "")
    for address in (
        "",
        "acme",
        "http://github.com/acme",
        "https://github.com",
        "https://u:p@github.com/acme",
        "x://y/z",
    ):
        with pytest.raises(UsageError):
            organisation_of(address, "github")
    with pytest.raises(UsageError, match="kind of the forge"):
        organisation_of("https://git.example.org/acme")
    assert organisation_of("https://github.com/acme").api == "https://api.github.com"
    assert organisation_of("https://gitlab.com/a/b").api == "https://gitlab.com/api/v4"
    assert organisation_of("https://git.example.org/acme", "gitea").api == "https://git.example.org/api/v1"
    assert run_cli("hub", "add", "--database", "postgresql:///x").status == 2
    assert run_cli("hub", "add", "/a", "--organisation", "https://github.com/acme").status == 2
