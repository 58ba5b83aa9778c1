"""What agents say they learned is kept, once: six clients, six ways in which a session goes on or ends.

Each cell is played with the client's own payloads and session files through the real hook process; what a hook asks
for in the background is done once at the end, as the next start would have it done.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.clients import CLIENTS, Client
from support.console import Console, environment
from support.fork_server import run_forked

from gitmem.agents.transcripts import ledger
from gitmem.store.state import hook_log

# What a payload calls the agent's last words, where it has them.
LAST = {
    "claude-code": lambda text: {"last_assistant_message": text},
    "codex": lambda text: {"last_assistant_message": text},
    "gemini": lambda text: {"prompt_response": text},
    "pi": lambda text: {"messages": [{"role": "assistant", "content": [{"type": "text", "text": text}]}]},
}
# How a session goes, and what is learned in it: by the agent's words, and by a comment whose hook never ran.
WAYS = ("stop", "killed", "headless", "resumed", "sub-agent", "compaction")
NONE = {("gemini", "sub-agent"), ("opencode", "sub-agent"), ("pi", "sub-agent")}


class Player:
    """One client in one repository."""

    def __init__(self, client: str, repo: Path) -> None:
        self._client, self._repo = client, repo
        self.expected: list[str] = []

    def says(self, client: Client, text: str) -> str:
        """Let the agent say that it learned something, and return the line."""
        self.expected.append(f"{self._client} {text}")
        line = f"I looked at it.\n\nLEARNED: {self._client} {text}\n"
        client.write("assistant", line)
        return line

    def hook(self, client: Client, event: str, last: str = "") -> None:
        """Let the client call the hook."""
        fields = LAST[self._client](last) if last and self._client in LAST else {}
        found = client.told(event, **fields)
        assert found is not None
        status, _, err = run_forked(found[0], str(self._repo), environment(), timeout=180, stdin=found[1])
        assert (status, err) == (0, b"")

    def play(self, way: str) -> None:
        """Let one session go one way."""
        client = Client(self._client, self._repo, f"{way}-session")
        client.write("user", "Look at the gateway, please.")
        self.hook(client, "start")
        if way == "stop":
            self.says(client, "keeps what was said in the middle of a turn")
            self.hook(client, "stop", self.says(client, "keeps what was said last"))
        elif way == "killed":
            self.says(client, "keeps the words of a killed session")
        elif way == "headless":
            for number in range(10):
                self.expected.append(f"{self._client} headless comment number {number}")
                client.write("ran", f'bd comment shop-{number} "LEARNED: {self.expected[-1]}"')
            self.hook(client, "end")
        elif way == "resumed":
            for number in range(3):
                self.hook(client, "resume")
                self.hook(client, "stop", self.says(client, f"is resumed quickly for the time number {number}"))
            self.hook(client, "end")
        elif way == "sub-agent":
            self.hook(client, "agent", self.says(client, "keeps the words of a sub-agent"))
        elif way == "compaction":
            self.says(client, "keeps what was said before a compaction")
            self.hook(client, "compact")
            self.hook(client, "resume")


@pytest.mark.parametrize("client", CLIENTS)
def test_what_an_agent_learned_is_kept_once_however_its_session_ends(
    repo: Path, tmp_path: Path, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    console, player = Console(repo), Player(client, repo)
    console.ok("init")

    for way in WAYS:
        if (client, way) not in NONE:
            player.play(way)
    for _ in range(2):
        console.ok("background", "summary")
    console.ok("background", "spool")

    kept = [row["title"] for row in console.json("list", "--kind", "learned", "--limit", "100")["memories"]]
    assert sorted(kept) == sorted(player.expected)
    assert hook_log.list_failures(repo / ".git" / "gitmem") == []
    assert [one.fields["session"] for one in ledger.entries(str(repo / ".git" / "gitmem")) if one.is_unread] == []
