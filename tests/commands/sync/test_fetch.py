"""A verify first fetches what others recorded, and works without it if that fails."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from conftest import NOW, git, tip
from support.each import each
from support.facts import make_fact, outcomes, put, statuses
from support.standing_folder import fill, fill_anew, stand
from support.terminal import gitmem

from gitmem.commands.sync import fetch as module
from gitmem.memory import Memory
from gitmem.verify.options import Options

RS256 = {"contains": "RS256", "in": "src/auth/*"}


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "fetch"), template)


@pytest.fixture
def clones(repo: Path) -> tuple[Path, Path]:
    """Return two clones of one store; in the first, a fact was judged and sent since."""
    fill(repo.parent, "clones", lambda: make_clones(repo))
    return repo, repo.parent / "other"


def make_clones(repo: Path) -> None:
    hub = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(hub))
    git(repo, "remote", "add", "origin", str(hub))
    put(repo, make_fact("a", RS256))
    with opened(repo) as memory:
        memory.sync()
    shutil.copytree(repo, repo.parent / "other", symlinks=True)
    with opened(repo) as memory:
        assert outcomes(memory.verify()) == {"a": "holds"}
        memory.sync()


def opened(folder: Path) -> Memory:
    return Memory(folder, clock=lambda: float(NOW))


def test_verdicts_recorded_by_others_are_not_judged_again(clones: tuple[Path, Path]) -> None:
    one, other = clones

    with opened(other) as memory:
        run = memory.verify()

        assert (run.due, run.unfetched, statuses(memory)) == (0, "", {"a": "verified"})
    assert tip(other) == tip(one)


def test_fresh_clone_fetches_the_remote_branch(clones: tuple[Path, Path]) -> None:
    one, other = clones
    git(other, "update-ref", "-d", "refs/heads/memory")

    with opened(other) as memory:
        assert memory.verify().due == 0

    assert git(other, "rev-parse", "refs/remotes/origin/memory") == tip(one)


@each("how", ["offline", "setting", "dry", "shard-results", "scheduled"])
def test_nothing_is_fetched_if_switched_off(repo: Path, how: str, tmp_path: Path) -> None:
    fill(repo.parent, "clones", lambda: make_clones(repo))
    other = repo.parent / "other"
    before = tip(other)
    options = {
        "offline": Options(offline=True),
        "dry": Options(dry_run=True),
        "shard-results": Options(results=str(tmp_path / "r.jsonl")),
    }
    if how == "setting":
        git(other, "config", "gitmem.verifyFetch", "false")

    with opened(other) as memory:
        run = memory.verify(options=options.get(how), is_scheduled=how == "scheduled")

    assert run.due == 1
    assert git(other, "rev-parse", "refs/remotes/origin/memory") == before


def test_missing_remote_is_reported_only_with_v(clones: tuple[Path, Path]) -> None:
    other = clones[1]
    git(other, "remote", "set-url", "origin", str(other.parent / "nowhere.git"))

    plain, verbose = gitmem(other, "verify", "--all"), gitmem(other, "verify", "--all", "-v")

    assert (plain.status, verbose.status) == (0, 0)
    assert "fetched" not in plain.out + plain.err
    assert (
        len([line for line in verbose.err.splitlines() if "the memory of others was not fetched: origin" in line]) == 1
    )


class Asking(BaseHTTPRequestHandler):
    """A server that wants a password."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def asking() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Asking)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/x.git"
    server.shutdown()
    server.server_close()


def test_fetch_never_prompts_for_a_password(
    clones: tuple[Path, Path], asking: str, monkeypatch, tmp_path: Path
) -> None:
    other, mark, program = clones[1], tmp_path / "asked", tmp_path / "askpass"
    program.write_text(f"#!/bin/sh\ntouch {mark}\necho x\n", encoding="ascii")
    program.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    git(other, "config", "core.askPass", str(program))
    git(other, "remote", "set-url", "origin", asking)

    with opened(other) as memory:
        run = memory.verify()

        assert (run.due, bool(run.unfetched)) == (1, True)
        assert not mark.exists()


def test_fetch_does_not_wait_for_a_silent_remote(clones: tuple[Path, Path], monkeypatch) -> None:
    other = clones[1]
    monkeypatch.setattr(module, "TIMEOUT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        git(other, "remote", "set-url", "origin", f"git://127.0.0.1:{silent.getsockname()[1]}/x.git")

        with opened(other) as memory:
            run = memory.verify()

    assert (run.due, run.unfetched) == (1, "origin did not answer within 0.3 seconds")
