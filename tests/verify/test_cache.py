"""Verdicts that clones share through a server: believed only from allowed signers, for this check on these inputs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, commit_files, git
from support.facts import approve_all, make_fact, outcomes, put, statuses, verify
from support.signers import Signer, allow, needs_ssh_keygen, push
from support.verdict_server import VerdictServer, verdict_server

from gitmem.commands.policy import change_policy
from gitmem.memory import Memory
from gitmem.policy.edit import with_setting

pytestmark = needs_ssh_keygen
TEN, FEW = 10, 3


@contextmanager
def clone(repo: Path, name: str, who: Signer) -> Iterator[Memory]:
    """A copy of a repository in which someone works, with the commands approved."""
    folder = Path(shutil.copytree(repo, repo.parent / name))
    who.configure(folder)
    with Memory(folder, clock=lambda: float(NOW + 100)) as memory:
        approve_all(memory)
        yield memory


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[VerdictServer]:
    """A server that this person's settings name."""
    with verdict_server() as found:
        monkeypatch.setenv("GITMEM_VERDICT_CACHE", found.site)
        yield found


@pytest.fixture
def ana(tmp_path: Path) -> Signer:
    return Signer(tmp_path, "ana@example.com")


@pytest.fixture
def ci(tmp_path: Path) -> Signer:
    return Signer(tmp_path, "ci@example.com")


@pytest.fixture
def service(repo: Path, memory: Memory, ana: Signer, ci: Signer) -> Path:
    """A repository with a few facts about one file each, and two allowed signers."""
    return fill(repo, memory, ana, ci, FEW)


@pytest.fixture
def service_of_ten(repo: Path, memory: Memory, ana: Signer, ci: Signer) -> Path:
    return fill(repo, memory, ana, ci, TEN)


def fill(repo: Path, memory: Memory, ana: Signer, ci: Signer, count: int) -> Path:
    allow(repo, ana.line('namespaces="git,gitmem-verdict"'), ci.line())
    commit_files(repo, {f"file-{number}": "x = 1\n" for number in range(count)}, "files")
    facts = (make_fact(f"f{number}", f"grep -q x file-{number}", paths=[f"file-{number}"]) for number in range(count))
    put(repo, *facts)
    memory.close()
    return repo


def test_ci_takes_nine_of_ten_verdicts_from_a_developers_run(
    service_of_ten: Path, server: VerdictServer, ana: Signer, ci: Signer
) -> None:
    service = service_of_ten
    with clone(service, "developer", ana) as memory:
        first = verify(memory)
    commit_files(service, {"file-0": "x = 2\n"}, "another commit")
    with clone(service, "job", ci) as memory:
        second = verify(memory)
        shown, again = statuses(memory), verify(memory)
        change_policy(memory.repository, lambda text: with_setting(text, "verify.claimed", "false"), "prove all here")
    with Memory(service.parent / "job", clock=lambda: float(NOW + 100)) as memory:
        due = verify(memory, dry_run=True).due

    assert first.notices == ()
    assert set(outcomes(first).values()) == {"holds"}
    assert second.notices == (f"{TEN - 1} of {TEN} verdicts came from the cache",)
    ran = [one.due.row.key for one in second.results if not one.verdict.cached]
    assert ran == ["f0"]
    assert set(shown.values()) == {"verified"}
    assert again.due == 0
    assert due == TEN - 1  # they stay claims


@pytest.mark.whole_system
def test_check_of_ci_takes_all_but_the_changed_verdict_from_a_developers_check(
    service: Path, server: VerdictServer, ana: Signer, ci: Signer
) -> None:
    def check(name: str, who: Signer) -> tuple[dict[str, Any], int, str]:
        """Check the change in a clone and a process of its own; also return how much was sent, and the notes.

        What is run there is sent, for the base of the change and for its head, each under two names.
        """
        with clone(service, name, who):
            sent = server.requests.count("PUT")
        argv = [sys.executable, "-m", "gitmem", "check", "--base", "main", "--json"]
        done = subprocess.run(argv, cwd=service.parent / name, capture_output=True, text=True, check=False)
        return json.loads(done.stdout), server.requests.count("PUT") - sent, done.stderr

    git(service, "checkout", "-qb", "change")
    commit_files(service, {f"file-{number}": "x = 3\n" for number in range(FEW)}, "a change")
    first, ran, _ = check("developer", ana)
    commit_files(service, {"file-0": "x = 4\n"}, "one more file")
    second, ran_again, notes = check("job", ci)

    assert [one[name] for one in (first, second) for name in ("newly_false", "unchecked")] == [[]] * 4
    assert (ran, ran_again) == (FEW * 2 * 2, 2)
    assert f"{FEW - 1} of {FEW} verdicts came from the cache" in notes


def replaced(server: VerdictServer, change) -> None:  # type: ignore[no-untyped-def]
    for name, body in list(server.entries.items()):
        server.entries[name] = change(body)


def poison(name: str, server: VerdictServer) -> None:
    """Change what the server has, as whoever runs it could."""
    if name == "garbage":
        replaced(server, lambda _: b"\xff\x00")
    elif name == "unsigned":
        replaced(server, lambda body: body.partition(b"-----BEGIN")[0])
    elif name == "altered":
        replaced(server, lambda body: body.replace(b"sandbox", b"because"))
    elif name == "moved":
        other = next(iter(server.entries.values()))
        replaced(server, lambda _: other)


POISON = {
    "garbage": "it is not a verdict",
    "unsigned": "it is not a signed verdict",
    "altered": "no allowed signer ana@example.com signed it",
    "moved": "it is the verdict of another check or of other inputs",
    "stranger": "no allowed signer eve@example.com signed it",
    "for git only": "no allowed signer ana@example.com signed it",
}


@pytest.mark.whole_system
def test_poisoned_entry_is_refused_and_named_and_the_check_runs(
    service: Path, server: VerdictServer, ana: Signer, ci: Signer, tmp_path: Path
) -> None:
    sent: dict[str, dict[str, bytes]] = {}
    for who in (ana, Signer(tmp_path, "eve@example.com")):
        server.entries.clear()
        with clone(service, f"developer-{who.email}", who) as memory:
            verify(memory, "f1", "f2")
        sent[who.email] = dict(server.entries)
    for name, why in POISON.items():
        server.entries.clear()
        server.entries.update(sent["eve@example.com" if name == "stranger" else ana.email])
        poison(name, server)
        if name == "for git only":  # the last row: the list stays so
            allow(service, ana.line('namespaces="git"'))
        with clone(service, f"job-{name}", ci) as memory:
            run = verify(memory)

        refused = {line.partition(" of ")[2] for line in run.notices if line.startswith("refused the cached verdict ")}
        cached = {result.due.row.key for result in run.results if result.verdict.cached}
        # The entry that was put under the names of all others is right under its own.
        bad = {"f1", "f2"} - cached
        assert len(cached) == (name == "moved"), name
        assert refused == {f"{key}: {why}" for key in bad}, name
        assert set(outcomes(run).values()) == {"holds"}, name


@pytest.mark.parametrize(
    "setting", ["verify.claimed=false", "verify.min_sandbox=bubblewrap", "verify.independent=true"]
)
def test_cache_is_not_believed_where_the_policy_asks_for_more(
    service: Path, server: VerdictServer, ana: Signer, ci: Signer, setting: str
) -> None:
    name, _, value = setting.partition("=")
    with Memory(service, clock=lambda: float(NOW)) as memory:
        change_policy(memory.repository, lambda text: with_setting(text, name, value), "ask for more")
    push(service, make_fact("f1", "grep -q x file-1", paths=["file-1"], title="By ana"), ana)
    with clone(service, "developer", ana) as memory:
        verify(memory, "f1")
    assert server.entries
    with clone(service, "job", ci) as memory:
        found = verify(memory)

    assert [one for one in found.results if one.verdict is not None and one.verdict.cached] == []


def test_server_that_is_away_costs_one_line(service: Path, ana: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    with verdict_server() as gone:
        monkeypatch.setenv("GITMEM_VERDICT_CACHE", gone.site)
    with clone(service, "developer", ana) as memory:
        found = verify(memory)

    assert [one.startswith("the verdict cache cannot be reached: ") for one in found.notices] == [True]
    assert set(outcomes(found).values()) == {"holds"}


def test_named_facts_are_judged_here(service: Path, server: VerdictServer, ana: Signer, ci: Signer) -> None:
    with clone(service, "developer", ana) as memory:
        verify(memory, "f1")
    with clone(service, "job", ci) as memory:
        found = verify(memory, "f1")

    assert found.results[0].verdict.cached == ""
    assert "GET" not in server.requests


def test_commands_that_nobody_approved_here_are_not_taken_from_others(
    service: Path, server: VerdictServer, ana: Signer, ci: Signer
) -> None:
    with clone(service, "developer", ana) as memory:
        verify(memory)
    folder = Path(shutil.copytree(service, service.parent / "job"))
    with Memory(folder, clock=lambda: float(NOW + 100)) as memory:
        found = verify(memory)

    assert set(outcomes(found).values()) == {"skipped"}
