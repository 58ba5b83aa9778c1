"""Settings that came with a repository run no program and send nothing; a person at a terminal accepts them."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import git
from mcp import Client
from support.facts import make_memory, put
from support.mcp_client import call_one, with_client
from support.payloads import payload
from support.terminal import GITMEM, Terminal, environment, gitmem
from support.transcripts import placed, session

from gitmem.memory import Memory
from gitmem.repository.approvals import accept_settings, deny_settings

NAMES = "gitmem.embed, gitmem.embedCode, gitmem.summary, gitmem.summaryCommand"
LINE = f"gitmem: ignoring {NAMES} in this repository's own configuration: "
ASKED = "them: "


class Listener:
    """A server that notes each connection, and closes it."""

    def __init__(self) -> None:
        self.count = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1#m"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.count += 1
            connection.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


@pytest.fixture
def hostile(repo: Path, listener: Listener) -> Path:
    """Return a repository, accepted by its person, whose own configuration then names a program and a server."""
    gitmem(repo, "init")
    put(repo, make_memory("sso", "Sign-in goes through the gateway"))
    (repo / "evil.sh").write_text(f"#!/bin/sh\ntouch {repo}/ran\n")
    (repo / "evil.sh").chmod(0o755)
    git(repo, "config", "gitmem.embed", listener.address)
    git(repo, "config", "gitmem.embedCode", listener.address)
    git(repo, "config", "gitmem.summary", listener.address)
    git(repo, "config", "gitmem.summaryCommand", f"{repo}/evil.sh")
    return repo


def hook(repo: Path, event: str, name: str = "s1") -> dict[str, object]:
    """Let something happen in an agent's session, and return what the agent is told."""
    transcript = str(placed(session(repo), f"{name}.jsonl"))
    event_json = payload(f"claude-code/{event}", cwd=str(repo), session_id=name, transcript_path=transcript)
    done = gitmem(repo, "hook", "claude-code", input=json.dumps(event_json))
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out or "{}")


def play(repo: Path, name: str) -> None:
    """Do all that would ask a model: recall, embedding, a session's end, a write."""
    gitmem(repo, "recall", "authentication of people")
    gitmem(repo, "remember", "The ledger rounds half to even", "--key", "ledger")
    gitmem(repo, "embed", "rebuild")
    gitmem(repo, "background", "embed")
    hook(repo, "UserPromptSubmit", name)
    hook(repo, "SessionEnd", name)
    gitmem(repo, "background", "summary")


def answered(repo: Path, answer: str | None, **variables: str) -> tuple[int, str]:
    """Ask for the settings: None types the hash's first digits."""
    with Terminal(repo, *GITMEM, "trust", "--settings", env=environment(NO_COLOR="1", **variables)) as terminal:
        terminal.wait_for(ASKED)
        terminal.type((terminal.output.rpartition("hash ")[2][:6] if answer is None else answer) + "\n")
        return terminal.finish(), terminal.output.replace("\r\n", "\n")


def test_nothing_runs_and_nothing_is_sent_before_a_person_accepts_it(hostile: Path, listener: Listener) -> None:
    play(hostile, "before")

    assert (listener.count, list(hostile.glob("ran"))) == (0, [])
    assert gitmem(hostile, "list", "--kind", "session").out != ""  # the rules wrote the summary

    assert answered(hostile, None)[0] == 0
    play(hostile, "after")

    assert listener.count > 0
    assert list(hostile.glob("ran")) != []


def test_command_names_what_is_ignored_in_one_line_and_how_to_accept_it(hostile: Path) -> None:
    for words in ("recall sign-in", "status", "embed status", "doctor"):
        lines = gitmem(hostile, *words.split()).err.splitlines()
        assert [line.startswith(LINE) and "gitmem trust --settings" in line for line in lines].count(True) == 1


def test_agents_are_told_where_it_changes_their_answer_and_nowhere_else(hostile: Path) -> None:
    asked = call_one(hostile, "memory_search", query="sign-in")
    got = call_one(hostile, "memory_get", key="sso")
    prompted = hook(hostile, "UserPromptSubmit")

    assert (asked.is_error, got.is_error) == (False, False)
    assert f"ignoring {NAMES}" in asked.text
    assert "ignoring" not in got.text + json.dumps(prompted)


def test_server_that_runs_already_follows_what_a_person_decides(hostile: Path, listener: Listener) -> None:
    async def use(client: Client) -> list[int]:
        counts = []
        for decide in (lambda m: accept_settings(m.repository), lambda m: deny_settings(m.repository), None):
            await client.call_tool("memory_search", {"query": "sign-in"})
            counts.append(listener.count)
            if decide:
                with Memory(hostile) as memory:
                    decide(memory)
        return counts

    first, accepted, denied = with_client(hostile, use)

    assert (first, accepted > 0, denied) == (0, True, accepted)


def test_values_are_shown_escaped_and_accepted_by_their_hash(hostile: Path) -> None:
    git(hostile, "config", "gitmem.summaryCommand", "good\x1b[2Kevil")

    status, shown = answered(hostile, None)

    assert status == 0
    assert "    gitmem.summaryCommand = good\\x1b[2Kevil\n" in shown
    assert "ignoring" not in gitmem(hostile, "status").err
    assert [row["key"] for row in json.loads(gitmem(hostile, "trust", "--list", "--json").out)["approvals"]] == [
        "settings"
    ]
    git(hostile, "config", "gitmem.summaryCommand", "evil")
    assert LINE in gitmem(hostile, "status").err


@pytest.mark.parametrize("answer", ["", "y", "000000"])
def test_any_other_answer_leaves_them_ignored(hostile: Path, answer: str) -> None:
    assert answered(hostile, answer)[0] == 1
    assert LINE in gitmem(hostile, "status").err


@pytest.mark.parametrize("words", [("trust", "--settings"), ("trust", "--review")])
def test_agent_cannot_approve_at_a_terminal_of_its_own(hostile: Path, words: tuple[str, ...]) -> None:
    with Terminal(hostile, *GITMEM, *words, env=environment(CLAUDECODE="1")) as terminal:
        status = terminal.finish()

    assert status == 3
    message = "only a person can approve commands, but CLAUDECODE shows that an agent is running this one"
    assert message in " ".join(terminal.output.split())


def test_without_a_terminal_they_cannot_be_accepted(hostile: Path) -> None:
    done = gitmem(hostile, "trust", "--settings", input="000000\n")

    assert done.status == 3
    assert "approving needs a terminal, and there is none here" in done.err


def test_untrust_takes_the_acceptance_back_and_silences_the_line(hostile: Path) -> None:
    answered(hostile, None)
    done = gitmem(hostile, "untrust", "--settings")

    assert done.status == 0
    assert "ignoring" not in gitmem(hostile, "status").err
    assert "not set up" in gitmem(hostile, "embed", "status").out


def test_where_nothing_waits_trust_and_untrust_say_so(repo: Path) -> None:
    assert "no settings waiting" in gitmem(repo, "trust", "--settings").err
    assert "has no settings to ignore" in gitmem(repo, "untrust", "--settings").err
    assert gitmem(repo, "trust", "--settings", "key").status == gitmem(repo, "untrust").status == 2
