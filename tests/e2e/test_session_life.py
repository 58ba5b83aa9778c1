"""The whole life of a session, played through the payloads: the second one starts with what the first one learnt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.console import Console, environment
from support.fork_server import run_forked
from support.payloads import payload

from gitmem.store.state import hook_log

COMMENT = 'bd comments add shop-12 "LEARNED: the billing job needs TZ=UTC, else it runs an hour late"'
WORDS = "LEARNED: the ledger rounds half to even, so totals differ by a cent"
TEST = "make test-billing"
# Of each client: its events by what they are, and what of a payload names the folder.
CLIENTS: dict[str, dict[str, Any]] = {
    "claude-code": {
        "start": ("SessionStart.startup", {}),
        "prompt": ("UserPromptSubmit", {}),
        "shell": ("PostToolUse.Bash", {}),
        "failed": ("PostToolUseFailure.Bash", {}),
        "edit": ("PostToolUse.Edit", {}),
        "stop": ("Stop", {"last_assistant_message": WORDS}),
        "compact": ("PreCompact", {}),
        "again": ("SessionStart.compact", {}),
        "end": ("SessionEnd", {}),
    },
    "codex": {
        "start": ("SessionStart", {}),
        "prompt": ("UserPromptSubmit", {}),
        "shell": ("PostToolUse.Bash", {}),
        "edit": ("PostToolUse.apply_patch", {}),
        "stop": ("Stop", {"last_assistant_message": WORDS}),
        "compact": ("PreCompact", {}),
        "again": ("SessionStart.compact", {}),
        "end": ("SessionEnd", {}),
    },
    "gemini": {
        "start": ("SessionStart", {}),
        "prompt": ("BeforeAgent", {}),
        "shell": ("AfterTool.run_shell_command", {}),
        "edit": ("AfterTool.write_file", {}),
        "stop": ("AfterAgent", {"prompt_response": WORDS}),
        "compact": ("PreCompress", {}),
        "end": ("SessionEnd", {}),
    },
}


class Playing:
    """A client that works in one repository.

    Attributes:
        session: The name of the session that runs.
    """

    def __init__(self, client: str, folder: Path, transcript: Path) -> None:
        self._client, self._folder, self._transcript = client, folder, transcript
        self._calls = 0
        self.session = "first"

    def __call__(self, event: str, **fields: Any) -> str:
        """Let something happen, and return what the agent is told."""
        if event not in CLIENTS[self._client]:
            return ""
        self._calls += 1
        file, own = CLIENTS[self._client][event]
        event_json = payload(f"{self._client}/{file}", cwd=str(self._folder), session_id=self.session)
        event_json |= {"transcript_path": str(self._transcript), "n": self._calls, **own}
        if "tool_use_id" in event_json:
            event_json["tool_use_id"] = f"call-{self._calls}"
        event_json["tool_input"] = event_json.get("tool_input", {}) | fields.pop("tool_input", {})
        content = json.dumps(event_json | fields).encode()
        done = run_forked(["hook", self._client], str(self._folder), environment(), timeout=180, stdin=content)
        assert (done[0], done[2]) == (0, b"")
        answer = json.loads(done[1] or b"{}")
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


PROMPT = {
    "type": "user",
    "uuid": "1",
    "sessionId": "first",
    "message": {"role": "user", "content": "Why do the totals differ by a cent?"},
}


def transcript_of(home: Path, lines: list[dict[str, Any]]) -> Path:
    """Write a session's file where Claude Code keeps them, and return it."""
    path = home / ".claude" / "projects" / "shop" / "first.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def service(repo: Path) -> Path:
    """Return a repository with a memory that has one entry."""
    console = Console(repo)
    console.ok("init")
    console.ok("remember", "The gateway drops idle connections after a minute")
    return repo


@pytest.mark.parametrize("client", CLIENTS)
def test_second_session_starts_with_what_the_first_one_learnt(service: Path, tmp_path: Path, client: str) -> None:
    transcript = transcript_of(tmp_path, [PROMPT])
    happens, console = Playing(client, service, transcript), Console(service)

    # Gemini CLI brings the context of a start with the first prompt.
    first = happens("start") + happens("prompt", prompt="why does the gateway drop idle connections?")
    happens("shell", tool_input={"command": COMMENT})
    happens("failed", tool_input={"command": TEST}, error="Exit code 2\nTypeError: no zone")
    happens("edit")
    happens("shell", tool_input={"command": TEST})
    happens("stop")
    at_stop = console("recall", "the ledger rounds half to even").out
    happens("compact")
    again = happens("again")
    happens("end")
    console.ok("background", "spool")
    happens.session = "second"
    second = happens("start") + happens("prompt", prompt="hello")

    assert "The gateway drops idle connections" in first
    assert "TZ=UTC" not in first
    assert "the billing job needs TZ=UTC" in second
    assert f"by agent {client}" in second
    assert "rounds half to even" in at_stop
    assert again == "" or "make test-billing" in again
    assert hook_log.list_failures(service / ".git" / "gitmem") == []


def test_what_an_agent_says_it_learnt_is_kept_when_its_session_ends(service: Path, tmp_path: Path) -> None:
    said = {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": f"Done.\n\n{WORDS}"}]}
    transcript = transcript_of(
        tmp_path, [PROMPT, {"type": "assistant", "uuid": "2", "sessionId": "first", "message": said}]
    )
    happens, console = Playing("claude-code", service, transcript), Console(service)

    happens("start")
    happens("stop")
    happens("end")
    console.ok("background", "summary")
    console.ok("background", "spool")
    happens.session = "second"
    second = happens("start")

    assert "the ledger rounds half to even" in second
    assert hook_log.list_failures(service / ".git" / "gitmem") == []


def test_switches_turn_off_what_is_reported_and_what_is_done(service: Path, tmp_path: Path) -> None:
    event_json = json.dumps(payload("claude-code/SessionStart.startup", cwd=str(service))).encode()

    def start(**env: str) -> bytes:
        return run_forked(["hook", "claude-code"], str(service), environment(**env), timeout=180, stdin=event_json)[1]

    assert start(GITMEM_CONTEXT="0") == b""
    assert start(GITMEM_HOOKS="off") == b""
    (service / ".git" / "gitmem" / "hooks" / "arrived").unlink(missing_ok=True)
    assert b"idle connections" in start()
