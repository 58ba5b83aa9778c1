"""A forge's own tokens: the forge says who asks and what they may read, and what it takes back ends within a minute."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.facts import make_memory, put
from support.hubs import ask, followed, served, synced
from support.organisation_forge import OrganisationForge, organisation_forge
from support.postgres import HubDatabase

from gitmem.errors import GitmemError
from gitmem.hub.forge.organisation import KINDS, organisation_of
from gitmem.hub.forge.tokens import AWAY_S, KNOWN_S, REFUSED_S, STRANGERS, ForgeTokens
from gitmem.hub.identity import UnknownIdentityError

ANA, BEN, EVE = "ana-of-acme-token", "ben-of-acme-token", "eve-of-nowhere-token"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def source(forge: OrganisationForge, clock: Clock) -> ForgeTokens:
    return ForgeTokens(organisation_of(f"{forge.address}/acme", forge.kind), clock=clock)


def people(forge: OrganisationForge) -> None:
    for name in ("acme/api", "acme/secret", "acme/web", "elsewhere/x"):
        forge.repositories[name] = "private"
    forge.people |= {
        ANA: ("ana", ["acme/api", "acme/secret", "acme/web", "elsewhere/x"]),
        BEN: ("ben", ["acme/api"]),
        EVE: ("eve", ["elsewhere/x"]),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_forge_says_who_asks_and_what_they_may_read(tmp_path: Path, kind: str) -> None:
    with organisation_forge(kind, tmp_path) as forge:
        people(forge)
        known = source(forge, Clock())
        ana, ben = known(ANA), known(BEN)
        host = forge.address.removeprefix("http://")

        assert ana.principals == (
            f"ana@{host}",
            *(f"@{host}/acme/{name}" for name in ("api", "secret", "web")),
            "everyone",
        )
        assert ben.principals == (f"ben@{host}", f"@{host}/acme/api", "everyone")
        with pytest.raises(UnknownIdentityError, match="may not read any repository of acme"):
            known(EVE)
        assert known("a-token-that-nobody-has") is None


def test_answers_are_kept_for_less_than_a_minute(tmp_path: Path) -> None:
    clock = Clock()
    with organisation_forge("github", tmp_path) as forge:
        people(forge)
        known = source(forge, clock)
        first, asked = known(ANA), len(forge.asked)
        forge.people[ANA] = ("ana", ["acme/api"])
        clock.now = KNOWN_S - 1
        same, again = known(ANA), len(forge.asked)
        clock.now = KNOWN_S
        fewer = known(ANA)
        del forge.people[ANA]
        clock.now = 2 * KNOWN_S
        gone = known(ANA)
        asked_in_vain = len(forge.asked)
        still_gone = known(ANA), len(forge.asked)
        forge.people[ANA] = ("ana", ["acme/api"])
        clock.now += REFUSED_S
        back = known(ANA)

    assert KNOWN_S < 60
    assert (same, again) == (first, asked)
    assert len(fewer.principals) == 3
    assert (gone, still_gone) == (None, (None, asked_in_vain))
    assert back == fewer


BAD_DAYS = ((500, {}, b"x"), (200, {}, b"<html>"), (302, {"Location": "https://evil.example/user"}, b""))


def test_forge_that_fails_is_left_alone_for_some_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.git.forges.client.PAUSES_S", ())
    for answer in BAD_DAYS:
        clock = Clock()
        with organisation_forge("github", tmp_path) as forge:
            people(forge)
            known = source(forge, clock)
            forge.planned.append(answer)
            for _ in range(2):
                with pytest.raises(GitmemError, match="does not answer") as caught:
                    known(ANA)
                assert not isinstance(caught.value, UnknownIdentityError)
            asked = len(forge.asked)
            clock.now = AWAY_S

            assert asked == 1
            assert known(ANA).name.startswith("ana@")


def test_guesses_do_not_use_up_what_the_forge_allows(tmp_path: Path) -> None:
    clock = Clock()
    with organisation_forge("github", tmp_path) as forge:
        people(forge)
        known = source(forge, clock)
        ana = known(ANA)
        for number in range(int(STRANGERS) - 1):
            assert known(f"a-guess-of-somebody-{number}") is None
        asked = len(forge.asked)
        for number in range(3):
            with pytest.raises(GitmemError, match="too many unknown tokens"):
                known(f"another-guess-of-somebody-{number}")
        refused = len(forge.asked)
        clock.now = KNOWN_S
        again = known(ANA), known(BEN).name

    assert refused == asked
    assert (again[0], again[1].startswith("ben@")) == (ana, True)


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 600, "with a blank in it, and more", "eyJhbGciOiJub25lIn0.e30.x", "\xe9" * 20]
)
def test_what_is_no_token_of_a_forge_is_not_sent_there(tmp_path: Path, token: str) -> None:
    with organisation_forge("github", tmp_path) as forge:
        assert source(forge, Clock())(token) is None
        assert forge.asked == []


def test_people_find_what_the_forge_lets_them_read(
    run_cli, hub: HubDatabase, memory, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repo, make_memory("storm", "A retry storm"))
    monkeypatch.chdir(tmp_path)
    clock = Clock()
    with organisation_forge("gitlab", tmp_path / "forge") as forge:
        for name in ("acme/api", "acme/secret"):
            forge.add(name, "private", repo)
        forge.people |= {ANA: ("ana", ["acme/api", "acme/secret"]), BEN: ("ben", ["acme/api"])}
        monkeypatch.setenv("GITMEM_HUB_FORGE_TOKEN", ANA)
        where = ("--organisation", f"{forge.address}/acme", "--forge-kind", "gitlab", "--database", hub.url)
        assert run_cli("hub", "add", *where).status == 0
        synced(hub, tmp_path)
        with followed(hub, tmp_path) as node, served(hub, node, source(forge, clock)) as address:

            def found(token: str) -> list[str]:
                return sorted(hit["repository"] for hit in ask(address, "/search?q=storm", token).json["hits"])

            before = found(ANA), found(BEN), ask(address, "/search?q=storm", EVE).status
            forge.people[ANA] = ("ana", ["acme/api"])
            clock.now = KNOWN_S
            after = found(ANA)
            monkeypatch.setattr("gitmem.git.forges.client.PAUSES_S", ())
            forge.planned.append((500, {}, b"x"))
            clock.now = 2 * KNOWN_S
            away = ask(address, "/search?q=storm", ANA)

    assert before == (["acme/api", "acme/secret"], ["acme/api"], 401)
    assert after == ["acme/api"]
    assert (away.status, away.json["error"]) == (503, "the forge does not answer, so the token cannot be checked")
