"""A check that holds where a program of it reached no service is blocked if it depends on the answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.each import each

from gitmem.model import SHELL, Check, Ran, Spec
from gitmem.system.environment import search_path
from gitmem.verify.run.outcome import argv_of
from gitmem.verify.run.services import find_unserved
from gitmem.verify.run.stand_ins import MARK, StandIn, find_dependency
from gitmem.verify.sandbox import sandbox

# Clients where no service runs, as they end and what they print.
CLIENTS = {
    "docker": "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.' >&2; exit 1",
    "psql": "echo 'psql: error: connection to server on socket \"/x\" failed: No such file' >&2; exit 2",
    "pg_isready": "echo '/var/run/postgresql:5432 - no response'; exit 2",
    "redis-cli": "echo 'Could not connect to Redis at 127.0.0.1:6379: Connection refused' >&2; exit 1",
    "curl": "exit 7",
    "http": "[ -e $0.up ] && echo up || { : >$0.up; echo 'Connection refused' >&2; exit 1; }",  # it starts slowly
    "wget": "exit 8",  # a service answered with an error
    "ssh": "echo 'No user exists for uid 65534' >&2; exit 255",
    "kubectl": "[ $1 = get ] && echo 'The connection to the server localhost:8080 was refused' >&2; exit 1",
    "podman": "[ $1 = --version ] || { echo 'Cannot connect to Podman.' >&2; exit 125; }",
    "dig": "echo ';; no servers could be reached'; exit 9",
    "host": "echo ';; no servers could be reached'; exit 1",
    "gh": "echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4",
    "aws": "echo 'Unable to locate credentials.' >&2; exit 253",
    "gcloud": "echo 'Please run: gcloud auth login' >&2; exit 1",
}


@pytest.fixture(scope="module")
def machine(tmp_path_factory) -> tuple[Path, str]:
    """Return a folder of code, and a PATH with clients that reach no service."""
    ground, programs = tmp_path_factory.mktemp("ground"), tmp_path_factory.mktemp("bin")
    (ground / "a.yml").write_text("services: redis\n", encoding="ascii")
    for name, text in CLIENTS.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
        (programs / name).chmod(0o755)
    return ground.resolve(), f"{programs.resolve()}:{search_path()}"


@each(
    ("command", "client"),
    [
        ("! docker ps 2>/dev/null | grep -q redis", "docker"),
        ('test -z "$(docker ps -q 2>/dev/null)"', "docker"),
        ('out=$(docker inspect a 2>&1); [ "$out" != "bad" ]', "docker"),
        ('test "$(psql -tAc "select 1" 2>/dev/null || echo 0)" -ge 0', "psql"),
        ("pg_isready -q || exit 0; psql -c 'select 1' | grep -q 1", "pg_isready"),
        ("redis-cli ping | grep -q LOADING && exit 1; grep -q redis a.yml", "redis-cli"),
        ("! curl -sf localhost:9966 | grep -q error", "curl"),
        ("! curl -sf 127.0.0.1:9966 | grep -q error", "curl"),
        ("! psql -h 127.0.0.1 -c 'select 1' | grep -q error", "psql"),
        ("! redis-cli -h 127.0.0.1 ping | grep -q PONG", "redis-cli"),
        ("curl -sf localhost:9966 >/dev/null || [ $? -eq 7 ]", "curl"),
        ("ssh -o BatchMode=yes git@e.example true 2>&1 | grep -qv 'Permission granted'", "ssh"),
        ("if timeout 5 curl -sf localhost; then exit 1; fi", "curl"),
        ("podman --version && ! podman ps | grep -q redis", "podman"),
        ("! dig e.example | grep -q ANSWER", "dig"),
        ("! host e.example | grep -q address", "host"),
        ("! kubectl get pods | grep -q redis", "kubectl"),
        ("! gh pr list | grep -q draft", "gh"),
        ("! aws s3 ls | grep -q logs", "aws"),
        ("! gcloud projects list | grep -q logs", "gcloud"),
        # The answer does not depend on the service, or a service answered.
        ("curl -sf localhost || grep -q redis a.yml", ""),
        ("docker ps; grep -q redis a.yml", ""),
        ("if docker info; then docker run a || exit 1; else grep -q redis a.yml; fi", ""),
        ("until http localhost; do :; done; http localhost | grep -q up", ""),
        ("! wget -q localhost/absent", ""),
        ("! kubectl frobnicate", ""),
        ("grep -q redis a.yml", ""),
    ],
)
def test_check_that_holds_where_no_service_answers_needs_it(machine, command, client):
    ground, path = machine

    def run(spec: Spec) -> Ran:
        for up in Path(path.partition(":")[0]).glob("*.up"):
            up.unlink()
        argv = list(argv_of(spec))
        return sandbox.run_check(argv, ground=ground, rung="none", network=False, timeout_s=20, path=path)

    spec = Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=20)

    assert run(spec).status == 0
    assert find_unserved(spec, {command: ""}, path, run) == client


def test_all_clients_of_a_check_share_one_limit_of_seconds():
    spec, seconds = Spec(Check(SHELL, ("a; b",)), interpreter="sh", timeout_s=600), []

    def run(_: Spec) -> Ran:
        seconds.append(4.0)
        return Ran(len(seconds) % 2, False, MARK, False, 4.0)  # another answer each time: never twice

    first = Ran(0, False, MARK, False, 1.0)
    assert find_dependency(spec, ["a", "b"], [StandIn()] * 4, first, run) == ""
    assert len(seconds) == 4
