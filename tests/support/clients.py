"""What six clients write and send: the lines of a session in each one's own form, and its payloads for one event."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from support.payloads import payload

_numbers = count(1)


class Client:
    """A client that works in one repository, and keeps a session where it always does.

    Attributes:
        client: Its name.
        session: The session that runs.
    """

    def __init__(self, client: str, repo: Path, session: str) -> None:
        self.client, self._repo, self.session = client, repo, session
        self.transcript = self._place()

    def _place(self) -> Path:
        folder = {
            "claude-code": ".claude/projects/shop",
            "codex": ".codex/sessions/2026/11/21",
            "copilot": f".copilot/session-state/{self.session}",
            "gemini": ".gemini/tmp/shop/chats",
            "pi": ".pi/agent/sessions/--shop--",
        }.get(self.client)
        if folder is None:
            return Path(os.environ["XDG_DATA_HOME"], "opencode", "opencode.db")
        name = {"codex": f"rollout-{self.session}.jsonl", "copilot": "events.jsonl"}.get(self.client)
        return Path.home() / folder / (name or f"{self.session}.jsonl")

    def write(self, role: str, text: str) -> None:
        """Add what a person (``user``) or the agent (``assistant``) says, or a command that passed (``ran``)."""
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        if self.client == "opencode":
            self._insert(role, text)
            return
        lines = _LINES[self.client](role, text, f"n{next(_numbers)}", self.session)
        with self.transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)

    def _insert(self, role: str, text: str) -> None:
        number = next(_numbers)
        part: dict[str, Any] = {"type": "text", "text": text}
        if role == "ran":
            state = {"status": "completed", "input": {"command": text}, "output": "ok", "metadata": {"exit": 0}}
            part = {"type": "tool", "tool": "bash", "callID": f"c{number}", "state": state}
        with closing(sqlite3.connect(self.transcript)) as opened, opened:
            opened.execute("CREATE TABLE IF NOT EXISTS message (id, session_id, time_created, time_updated, data)")
            opened.execute(
                "CREATE TABLE IF NOT EXISTS part (id, message_id, session_id, time_created, time_updated, data)"
            )
            said = json.dumps({"role": "user" if role == "user" else "assistant"})
            opened.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (f"m{number}", self.session, number, number, said)
            )
            row = (f"p{number}", f"m{number}", self.session, number, number, json.dumps(part))
            opened.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)

    def told(self, event: str, **fields: Any) -> tuple[list[str], bytes] | None:
        """Return the hook's words and what stands on its standard input; None for an event that it has not."""
        found = _EVENTS[self.client].get(event)
        if found is None:
            return None
        name, *words = found.split(" ")
        table = payload(f"{self.client}/{name}") if "{" not in found else json.loads(found)
        words = [] if "{" in found else words
        content = json.dumps(table | self._about(table) | fields).encode()
        return ["hook", self.client, *words], content

    def _about(self, table: dict[str, Any]) -> dict[str, Any]:
        """Return what of a payload names the folder, the session and the transcript."""
        here = str(self._repo)
        if self.client == "opencode":
            hook = table.get("hook") or "session.idle"
            inside = {"event": {"type": "session.idle", "properties": {"sessionID": self.session}}}
            given = {"input": {**table.get("input", {}), "sessionID": self.session}, "hook": hook}
            return {"directory": here, **(inside if hook == "session.idle" else given)}
        if self.client == "pi":
            return {"cwd": here, "sessionId": self.session, "sessionFile": str(self.transcript)}
        if self.client == "copilot":
            path = {"transcriptPath": str(self.transcript)} if "transcriptPath" in table else {}
            return {"cwd": here, "sessionId": self.session, **path}
        return {"cwd": here, "session_id": self.session, "transcript_path": str(self.transcript)}


_EVENTS: dict[str, dict[str, str]] = {
    "claude-code": {
        "start": "SessionStart.startup",
        "resume": "SessionStart.resume",
        "stop": "Stop",
        "agent": "SubagentStop",
        "compact": "PreCompact",
        "end": "SessionEnd",
    },
    "codex": {
        "start": "SessionStart",
        "resume": "SessionStart.resume",
        "stop": "Stop",
        "agent": "SubagentStop",
        "compact": "PreCompact",
        "end": "SessionEnd",
    },
    "copilot": {
        "start": "sessionStart sessionStart",
        "resume": "sessionStart sessionStart",
        "stop": "agentStop agentStop",
        "agent": "agentStop subagentStop",
        "compact": "preCompact preCompact",
        "end": "sessionEnd sessionEnd",
    },
    "gemini": {
        "start": "SessionStart",
        "resume": "SessionStart",
        "stop": "AfterAgent",
        "compact": "PreCompress",
        "end": "SessionEnd",
    },
    "opencode": {
        "start": '{"hook": "experimental.chat.system.transform"}',
        "resume": '{"hook": "experimental.chat.system.transform"}',
        "stop": '{"hook": "session.idle"}',
        "compact": '{"hook": "experimental.session.compacting"}',
        "end": '{"hook": "dispose"}',
    },
    "pi": {
        "start": "session_start",
        "resume": "session_start",
        "stop": '{"type": "agent_end"}',
        "compact": '{"type": "session_before_compact"}',
        "end": '{"type": "session_shutdown"}',
    },
}
CLIENTS = tuple(_EVENTS)


def _claude(role: str, text: str, name: str, session: str) -> list[dict[str, Any]]:
    head = {"parentUuid": None, "isSidechain": False, "sessionId": session, "uuid": name}
    if role != "ran":
        content = text if role == "user" else [{"type": "text", "text": text}]
        return [{**head, "type": role, "message": {"role": role, "content": content}}]
    call = [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": text}}]
    done = [{"type": "tool_result", "tool_use_id": name, "content": "ok", "is_error": False}]
    return [
        {**head, "type": "assistant", "message": {"content": call}},
        {**head, "type": "user", "message": {"content": done}, "toolUseResult": {}},
    ]


def _codex(role: str, text: str, name: str, session: str) -> list[dict[str, Any]]:
    if role != "ran":
        content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
        return [{"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}]
    call = {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": text}), "call_id": name}
    done = {"type": "function_call_output", "call_id": name, "output": "Process exited with code 0\nok"}
    return [{"type": "response_item", "payload": one} for one in (call, done)]


def _copilot(role: str, text: str, name: str, session: str) -> list[dict[str, Any]]:
    if role != "ran":
        return [{"type": f"{role}.message", "id": name, "data": {"content": text}, "parentId": None}]
    call = {"toolCallId": name, "toolName": "bash", "arguments": {"command": text}}
    done = {"toolCallId": name, "success": True, "result": {"content": "ok\n<exited with exit code 0>"}}
    return [{"type": "tool.execution_start", "data": call}, {"type": "tool.execution_complete", "data": done}]


def _gemini(role: str, text: str, name: str, session: str) -> list[dict[str, Any]]:
    if role == "user":
        return [{"id": name, "type": "user", "content": [{"text": text}]}]
    if role == "assistant":
        return [{"id": name, "type": "gemini", "content": text}]
    result = [{"functionResponse": {"response": {"output": "Command: x\nExit Code: 0"}}}]
    call = {"name": "run_shell_command", "args": {"command": text}, "result": result, "status": "success"}
    return [{"id": name, "type": "gemini", "content": "", "toolCalls": [call]}]


def _pi(role: str, text: str, name: str, session: str) -> list[dict[str, Any]]:
    head = {"type": "message", "id": name, "parentId": None, "timestamp": "2026-11-21T23:16:22.050Z"}
    if role != "ran":
        return [{**head, "message": {"role": role, "content": [{"type": "text", "text": text}]}}]
    call = [{"type": "toolCall", "id": name, "name": "bash", "arguments": {"command": text}}]
    done = {"role": "toolResult", "toolCallId": name, "content": [{"type": "text", "text": "ok"}], "isError": False}
    return [{**head, "message": {"role": "assistant", "content": call}}, {**head, "message": done}]


_LINES = {"claude-code": _claude, "codex": _codex, "copilot": _copilot, "gemini": _gemini, "pi": _pi}
