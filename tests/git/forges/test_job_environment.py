"""The forge is found from the job's environment; tokens are never sent to odd places."""

from __future__ import annotations

import pytest

from gitmem.errors import ConfigError
from gitmem.git.forges.job_environment import place_here

NAMES = ("REPOSITORY", "API_URL", "SERVER_URL", "RUN_ID")


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(f"GITHUB_{name}", raising=False)
    monkeypatch.setenv("GITHUB_REPOSITORY", "acme/shop.js")


def test_github_is_the_default_forge() -> None:
    place = place_here()

    assert (place.repository, place.owner, place.api, place.run) == (
        "acme/shop.js",
        "acme",
        "https://api.github.com",
        "",
    )


def test_github_enterprise_and_the_run_are_recognized_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "https://git.example:8443/api/v3/")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example")
    monkeypatch.setenv("GITHUB_RUN_ID", "77")

    assert place_here().api == "https://git.example:8443/api/v3"
    assert place_here().run == "https://git.example/acme/shop.js/actions/runs/77"
    assert place_here("12").run.endswith("/runs/12")


def test_forgejo_names_runs_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("FORGEJO_ACTIONS", "true"), ("GITHUB_RUN_ID", "7701"), ("GITHUB_RUN_NUMBER", "12")):
        monkeypatch.setenv(name, value)

    assert (place_here().run.rpartition("/")[2], place_here().form, place_here().robot) == (
        "12", "forgejo", "forgejo-actions",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["", "shop", "acme/", "acme/..", "acme/shop/x", "acme/shop?x", "../x", "acme/sh op"])
def test_a_repository_of_another_form_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", name)

    with pytest.raises(ConfigError) as caught:
        place_here()

    assert caught.value.hint == "set it to the repository: export GITHUB_REPOSITORY=owner/name"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://git.example/api/v3", "is not encrypted and would expose the token"),
        ("https://ana:hunter2@git.example", "is not an address"),
        ("https://git.example/?hunter2", "is not an address"),
        ("https://git.example:hunter2", "is not an address"),
        ("ftp://hunter2", "is not an address"),
        ("hunter2", "is not an address"),
        ("https://git.example\r\nX: hunter2", "is not an address"),
        ("https://git.example/)[hunter2", "is not an address"),
    ],
)
@pytest.mark.parametrize("name", ["GITHUB_API_URL", "GITHUB_SERVER_URL"])
def test_invalid_address_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, address: str, message: str
) -> None:
    monkeypatch.setenv(name, address)

    with pytest.raises(ConfigError) as caught:
        place_here()

    assert caught.value.message == f"{name} {message}"
    assert "hunter2" not in caught.value.hint


def test_unencrypted_address_of_this_machine_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:8080")

    assert place_here().api == "http://127.0.0.1:8080"


@pytest.mark.parametrize("run", ["x", "12; x", "-1", "\u0663"])
def test_run_must_be_a_number(run: str) -> None:
    with pytest.raises(ConfigError, match=r"^--run must be a number$"):
        place_here(run)
