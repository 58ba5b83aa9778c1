"""The plugin for OpenCode and the extension for pi, run by Node with the events of their client and the real hook.

What OpenCode and pi would do is done by the scripts below: they call what the files register, with the payloads that
the types and documentation say. The program `gitmem` on the PATH is the real command line; only what a session would be
told is set, so that it can be seen arriving.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.commands.install.client_files import plugin

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")
PROGRAM = f"""\
#!{sys.executable}
import json, sys
from gitmem.agents import on_event
from gitmem.agents.hook import ACTIONS
from gitmem.__main__ import script

def note(name):
    def happened(memory, event):
        with open({{log!r}}, "a", encoding="utf-8") as file:
            told = {{{{"event": event.name, "session": event.session, "tool": event.tool, "failed": event.failed}}}}
            told |= {{{{"command": event.command, "prompt": event.prompt, "output": event.output}}}}
            told |= {{{{"response": event.response, "edits": [edit.path for edit in event.edits]}}}}
            file.write(json.dumps({{{{k: v for k, v in told.items() if v not in ("", [], None)}}}}) + chr(10))
        return f"told at {{{{event.name}}}}"
    return happened

for name in set(ACTIONS.values()):
    setattr(on_event, name, note(name))
script()
"""
OPENCODE = """
import { Gitmem } from "./gitmem.mjs"
const hooks = await Gitmem({ directory: process.cwd() })
const system = { system: ["You are"] }
await hooks["experimental.chat.system.transform"]({ model: {} }, system)
const title = { system: ["You are a title generator. You output ONLY a thread title."] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1", model: {} }, title)
for (let again = 0; again < 2; again += 1)
  await hooks["experimental.chat.system.transform"]({ sessionID: "s1", model: {} }, system)
const message = { message: { id: "msg_1" }, parts: [{ id: "prt_1", type: "text", text: "why is TZ set" }] }
await hooks["chat.message"]({ sessionID: "s1", messageID: "msg_1" }, message)
const ran = { title: "t", output: "no such file", metadata: { exit: 2 } }
const looked = { title: "t", output: "x = 1", metadata: {} }
await hooks["tool.execute.after"]({ tool: "read", sessionID: "s1", callID: "c0", args: {} }, looked)
for (const text of ["Done.", "LEARNED: TZ is UTC"])
  await hooks["experimental.text.complete"]({ sessionID: "s1", messageID: "m", partID: "p" }, { text })
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1", callID: "c1", args: { command: "make" } }, ran)
const compacting = { context: [] }
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, compacting)
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await hooks.dispose()
console.log(JSON.stringify({ system, title, message, compacting, looked, ran }))
"""
PI = """
import load from "./gitmem.mjs"
const on = {}
load({ on: (name, handler) => (on[name] = handler) })
const ctx = {
  cwd: process.cwd(),
  sessionManager: { getSessionId: () => "s2", getSessionFile: () => "/tmp/s2.jsonl" },
}
const answers = []
const tell = async (type, event) => answers.push((await on[type]({ type, ...event }, ctx)) ?? null)
await tell("session_start", { reason: "startup" })
await tell("before_agent_start", { messageType: "custom", prompt: "x" })
await tell("before_agent_start", { messageType: "user", prompt: "why is TZ set", systemPrompt: "You are" })
await tell("before_agent_start", { messageType: "user", prompt: "and now" })
await tell("tool_result", { toolName: "read", toolCallId: "c0", input: {}, content: [] })
const written = { path: "a.py", content: "x = 1" }
await tell("tool_result", { toolName: "write", toolCallId: "c1", input: written, content: [], isError: false })
const output = [{ type: "text", text: "no such file" }]
const failed = { toolName: "bash", toolCallId: "c2", input: { command: "make" }, content: output, isError: true }
await tell("tool_result", failed)
await tell("tool_result", { toolName: "ls", toolCallId: "c3", input: {}, content: [], isError: false })
const said = { role: "assistant", content: [{ type: "text", text: "LEARNED: TZ is UTC" }] }
await tell("agent_end", { messages: [{ role: "user", content: "x" }, said] })
await tell("session_before_compact", { signal: new AbortController().signal })
await tell("session_shutdown", {})
console.log(JSON.stringify(answers))
"""


@pytest.fixture
def play(memory, repo: Path, tmp_path: Path):
    """Return a function that plays a script against a plugin, and returns what it got and what the hooks were told."""

    def run(name: str, script: str, *, program: str | None = None):
        folder, log = tmp_path / "play", tmp_path / "log"
        folder.mkdir()
        # Node 20 runs no TypeScript: the plugin is written so that it is JavaScript, too.
        (folder / "gitmem.mjs").write_text(plugin(name, user=False), encoding="utf-8")
        (folder / "play.mjs").write_text(script, encoding="utf-8")
        (folder / "gitmem").write_text(PROGRAM.format(log=str(log)) if program is None else program, encoding="utf-8")
        (folder / "gitmem").chmod(0o755)
        assert NODE is not None
        env = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            [NODE, str(folder / "play.mjs")],
            cwd=repo,
            env=env,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        return json.loads(done.stdout), lines

    return run


@pytest.mark.whole_system
def test_opencode_is_told_at_the_right_places_and_tells_what_happens(play) -> None:
    got, stdin = play("opencode", OPENCODE)

    assert got["system"]["system"] == ["You are", "told at start", "told at start"]
    assert len(got["title"]["system"]) == 1
    assert [part["text"] for part in got["message"]["parts"]] == ["why is TZ set", "told at prompt"]
    assert got["message"]["parts"][1] | {"id": ""} == {
        "id": "", "sessionID": "s1", "messageID": "msg_1", "type": "text", "text": "told at prompt", "synthetic": True
    }  # fmt: skip
    assert got["message"]["parts"][1]["id"].startswith("prt_")
    assert got["compacting"]["context"] == ["told at compact"]
    assert got["looked"]["output"] == "x = 1\n\ntold at tool"
    assert got["ran"]["output"] == "no such file\n\ntold at tool"
    assert sorted(one["event"] for one in stdin) == [
        "compact",
        "end",
        "prompt",
        "response",
        "start",
        "stop",
        *["tool"] * 2,
    ]
    assert {one["session"] for one in stdin} == {"s1"}
    assert next(one for one in stdin if one["event"] == "response")["response"] == "LEARNED: TZ is UTC"
    assert next(one for one in stdin if one["event"] == "tool" and one["tool"] == "shell") == {
        "event": "tool", "session": "s1", "tool": "shell", "failed": True, "command": "make", "output": "no such file"
    }  # fmt: skip


def test_pi_is_told_with_the_first_prompt_and_tells_what_happens(play) -> None:
    got, stdin = play("pi", PI)

    def message(content: str) -> dict:
        return {"message": {"customType": "gitmem", "content": content, "display": False}}

    assert got == [
        None, None, message("told at start\n\ntold at prompt"), message("told at prompt"),
        *[{"content": [{"type": "text", "text": "told at tool"}]}] * 2,
        {"content": [{"type": "text", "text": text} for text in ("no such file", "told at tool")]},
        None, None, None, None,
    ]  # fmt: skip
    assert sorted(one["event"] for one in stdin) == ["compact", "end", *["prompt"] * 2, "start", "stop", *["tool"] * 3]
    assert {one["session"] for one in stdin} == {"s2"}
    assert [one.get("edits") for one in stdin if one["event"] == "tool"] == [None, ["a.py"], None]
    assert next(one for one in stdin if one["event"] == "stop")["response"] == "LEARNED: TZ is UTC"


@pytest.mark.parametrize("program", ["#!/no/such/interpreter\n", "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho nonsense\n"])
@pytest.mark.parametrize(("name", "script"), [("opencode", OPENCODE), ("pi", PI)])
def test_hook_that_fails_leaves_the_session_alone(play, name: str, script: str, program: str) -> None:
    got, _ = play(name, script, program=program)

    assert "told" not in json.dumps(got)
