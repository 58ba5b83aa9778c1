"""Webhooks: only who knows the secret is listened to, and all that they can do is to have one repository synced."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import shutil
import signal
import subprocess
import time
from hashlib import sha256
from pathlib import Path

import httpx2
import pytest
from fuzz.targets import JSON
from hypothesis import given
from hypothesis import strategies as st
from support.facts import make_memory, put
from support.hubs import PEOPLE, add_to, storms, token_file
from support.postgres import HubDatabase, run_sql
from support.processes import wait_until
from support.terminal import GITMEM, environment

from gitmem.hub.database import connected
from gitmem.hub.forge.webhook import is_signed, urls_of
from gitmem.hub.ingest import wait_for_push
from gitmem.hub.server import Place

SECRET = "correct horse battery staple"


def digits(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, sha256).hexdigest()


def github(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"x-hub-signature-256": f"sha256={digits(body, secret)}"}


RIGHT = (
    github(b"{}"),
    {"x-gitea-signature": digits(b"{}")},
    {"x-forgejo-signature": digits(b"{}"), "x-gitea-signature": digits(b"{}")},
    {"x-gitlab-token": SECRET},
)
WRONG = (
    {},
    {"x-hub-signature-256": digits(b"{}")},
    {"x-hub-signature-256": "sha256="},
    {"x-gitea-signature": ""},
    {"x-gitlab-token": ""},
    {"x-gitlab-token": digits(b"{}")},
    {"x-gitlab-token": "\xe9"},
    github(b"{}", "another secret"),
    github(b"{} "),
    {**github(b"{}"), "x-gitlab-token": "wrong"},
)


@pytest.mark.parametrize("headers", RIGHT)
def test_each_forges_signature_is_accepted(headers: dict[str, str]) -> None:
    assert is_signed(headers, b"{}", SECRET)


@pytest.mark.parametrize("headers", WRONG)
def test_any_other_is_not(headers: dict[str, str]) -> None:
    assert not is_signed(headers, b"{}", SECRET)


def test_addresses_are_those_of_the_repository() -> None:
    gitea = {"repository": {"clone_url": "https://h/acme/api.git", "ssh_url": "git@h:acme/api.git", "id": 1}}
    gitlab = {"project": {"git_http_url": "https://h/acme/api.git"}, "repository": "strange"}

    assert urls_of(json.dumps(gitea).encode()) == [
        *("git@h:acme/api", "git@h:acme/api.git", "https://h/acme/api", "https://h/acme/api.git"),
    ]
    assert urls_of(json.dumps(gitlab).encode()) == ["https://h/acme/api", "https://h/acme/api.git"]
    for strange in (
        [],
        1,
        None,
        {},
        {"repository": []},
        {"repository": {"clone_url": [1], "ssh_url": "a\0", "git_url": "\ud800"}},
    ):
        assert urls_of(json.dumps(strange).encode()) == []
    for broken in (b"", b"payload=%7B%7D", b"\xff", b"[" * 100_000):
        with pytest.raises(ValueError, match=r".*"):
            urls_of(broken)


PARTS = st.dictionaries(st.sampled_from(("clone_url", "ssh_url", "git_url")), JSON)


@given(
    st.binary()
    | (JSON | st.dictionaries(st.sampled_from(("repository", "project")), PARTS)).map(json.dumps).map(str.encode)
)
def test_any_body_is_addresses_or_an_error(body: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert all(url and "\0" not in url and url.encode() for url in urls_of(body))


def send(address: str, body: bytes, headers: dict[str, str] | None = None) -> int:
    return httpx2.post(
        f"{address}/webhook", content=body, headers=github(body) if headers is None else headers
    ).status_code


def push_of(url: str) -> bytes:
    return json.dumps({"repository": {"clone_url": url}}).encode()


def pushed(hub: HubDatabase) -> list[str]:
    with connected(hub.url) as connection:
        rows = connection.execute("SELECT name FROM hub.repository WHERE pushed_at IS NOT NULL ORDER BY 1")
        return [row[0] for row in rows]


def test_request_has_one_repository_synced_and_nothing_else(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    people, place = token_file(tmp_path, **PEOPLE), Place(webhook_secret=SECRET)
    with storms(hub, template, tmp_path, people, place) as address:
        first = push_of(f"{tmp_path}/open.git")
        refused = [send(address, first, headers) for headers in ({}, {"x-gitlab-token": "wrong"}, github(b"x"))]
        limits = [send(address, b" " * 1_000_001), send(address, b"x"), send(address, b"[]")]
        nothing = pushed(hub)
        found = [send(address, first), send(address, push_of("/srv/nothing.git")), pushed(hub)]
        run_sql(hub.admin, "REVOKE EXECUTE ON FUNCTION hub.note_push FROM gitmem_follower")
        unable = send(address, first)

    assert refused == [401] * 3
    assert limits == [413, 400, 202]
    assert nothing == []
    assert found == [202, 202, ["open"]]
    assert unable == 503


def test_server_without_a_secret_has_no_webhook(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    with storms(hub, template, tmp_path, token_file(tmp_path, **PEOPLE)) as address:
        assert send(address, b"{}", {"x-gitlab-token": ""}) == 404


def test_secret_that_is_too_short_is_refused(run_cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITMEM_HUB_WEBHOOK_SECRET", "short")
    people = token_file(tmp_path, **PEOPLE)
    done = run_cli("hub", "serve", "--tokens", str(people), "--database", "postgresql:///x")

    assert (done.status, "fewer than 16 characters" in done.err) == (2, True)


def test_waiting_ends_with_a_push_and_hears_only_the_repositories_it_is_about(hub: HubDatabase, tmp_path: Path) -> None:
    add_to(hub, tmp_path / "api", tmp_path / "web")
    run_sql(hub.admin, f"SELECT hub.note_push(ARRAY['{tmp_path}/api'])")

    assert wait_for_push(hub.url, (), 60) == ["api"]
    assert wait_for_push(hub.url, ("web",), 0.1) == []


def test_repeated_sync_takes_what_is_pushed_at_once(hub: HubDatabase, template: Path, tmp_path: Path) -> None:
    api = Path(shutil.copytree(template, tmp_path / "api"))
    add_to(hub, api)
    options = ("--every", "600", "--database", hub.url, "--folder", str(tmp_path / "data"))
    sync = subprocess.Popen([*GITMEM, "hub", "sync", *options], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE)

    def memories() -> int:
        with connected(hub.url) as connection:
            return connection.execute("SELECT count(*) FROM hub.memory WHERE key = 'storm'").fetchone()[0]

    def is_idle() -> bool:
        with connected(hub.url) as connection:
            waits = (
                "SELECT FROM pg_stat_activity WHERE query LIKE '%pushed_at IS NOT NULL%' AND pid <> pg_backend_pid()"
            )
            return connection.execute(waits).rowcount > 0

    try:
        assert wait_until(is_idle)
        put(api, make_memory("storm", "A retry storm"))
        start = time.monotonic()
        run_sql(hub.admin, f"SELECT hub.note_push(ARRAY['{api}'])")
        assert wait_until(lambda: memories() == 1 and pushed(hub) == [])  # what was pushed is forgotten last
        took = time.monotonic() - start
    finally:
        os.kill(sync.pid, signal.SIGTERM)
        sync.communicate(timeout=60)

    assert took < 300, "the next regular sync is after 600 s"
