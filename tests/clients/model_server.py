"""A model on this machine that coding agents talk to: it answers from a script, and keeps each request.

It speaks the Messages API of Anthropic, Responses and Chat Completions of OpenAI, and Gemini's, as one answer or as
server-sent events. It knows no client: the tool for a step is found by the schemas that the request itself brings.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHELLS = ("Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "run_commands")
PATCH = "apply_patch"
WRITERS = ("Write", "write", "write_file", "create", PATCH)
EDITORS = ("Edit", "edit", "replace", PATCH)
READERS = ("Read", "read", "read_file", "view", "read_files")
# What the fields of those tools mean, as far as a step has a value for them.
COMMAND_FIELDS = ("command", "cmd")
PATH_FIELDS = ("file_path", "filePath", "path", "absolute_path")
CONTENT_FIELDS = ("content", "file_text")
OLD_FIELDS = ("old_string", "oldString", "old_str", "oldText")
NEW_FIELDS = ("new_string", "newString", "new_str", "newText")
AGENTS = ("Agent", "agent", "Task", "task", "spawn_agent", "invoke_agent")
PROMPT_FIELDS = ("prompt", "message")
FILLED = {
    **{"description": "step", "thought": "step", "name": "helper", "mode": "sync", "task_name": "helper"},
    **{"subagent_type": "general-purpose", "agent_type": "general-purpose", "agent_name": "generalist"},
    "instruction": "step",
}
# Clients refuse to show a large file at once.
LINES_AT_ONCE = 200
DONE = "Done."
# How the clients ask for a summary, in the system prompt or in the last message (November 2026).
COMPACTIONS = (
    "create a detailed summary of the conversation",  # Claude Code, Copilot CLI
    "CONTEXT CHECKPOINT COMPACTION",  # Codex
    "distilling chat history",  # Gemini CLI
    "You are a context summarization",  # OpenCode, pi
    "summarizes a conversation when its context window",  # Qwen Code
)
SUMMARY = "<summary>\nThe agent looked around.\n</summary>\n<state_snapshot>The agent looked around.</state_snapshot>"


@dataclass(frozen=True)
class Step:
    """One answer of the model.

    Attributes:
        say: What it says.
        agent: The prompt of the sub-agent that it starts.
        run: The command that it runs.
        read: The file that it reads.
        write: The file that it writes, with ``content``.
        edit: The file in which it replaces ``old`` by ``new``.
        before: What happens on this machine just before the answer.
        moment: What a reader of the requests finds this step by.
        tokens: How many tokens the request had, as the answer says: a client compacts its session by that number.
    """

    say: str = ""
    agent: str = ""
    run: str = ""
    read: str = ""
    write: str = ""
    content: str = ""
    edit: str = ""
    old: str = ""
    new: str = ""
    before: Callable[[], object] | None = None
    moment: str = ""
    tokens: int = 100


@dataclass
class Model:
    """The script and what was asked.

    Attributes:
        steps: What is answered, in order; after the last one, ``DONE``.
        folder: The project, in which files of steps are.
        requests: Path and body of each request, and the moment of the step that answered it.
        name: What the names of its answers begin with.
    """

    steps: list[Step] = field(default_factory=list)
    folder: Path = Path()
    requests: list[dict[str, Any]] = field(default_factory=list)
    name: str = field(default_factory=lambda: uuid4().hex[:8])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_step(self, path: str, body: dict[str, Any]) -> Step:
        """Keep a request; return the next step, which a request without tools (a title, say) does not use up."""
        with self.lock:
            self.requests.append({"path": path, "body": body, "moment": ""})
            if is_compaction(body):
                return Step(say=SUMMARY)
            step = self.steps.pop(0) if self.steps and tools_of(body) else Step(say=DONE)
            self.requests[-1]["moment"] = step.moment
        if step.before is not None:
            step.before()
        return step

    def main_requests(self) -> list[str]:
        """Return the requests of the agent itself, as JSON text."""
        return [json.dumps(one["body"], ensure_ascii=False) for one in self.requests if tools_of(one["body"])]

    def first_request(self) -> dict[str, Any] | None:
        """Return the first request of the agent itself; None if there was none."""
        return next((one["body"] for one in self.requests if tools_of(one["body"])), None)

    def around(self, moment: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return the request that the first step of a moment answered, and the one behind its last step.

        None if the moment did not come, or nothing was asked after it.
        """
        main = [one for one in self.requests if tools_of(one["body"]) and not is_compaction(one["body"])]
        places = [at for at, one in enumerate(main) if one["moment"] == moment]
        return (
            (main[places[0]]["body"], main[places[-1] + 1]["body"]) if places and places[-1] + 1 < len(main) else None
        )


def is_compaction(body: dict[str, Any]) -> bool:
    """Return whether a request asks for the summary that a client goes on from after it compacted a session."""
    messages = next((body[one] for one in ("messages", "input", "contents") if body.get(one)), [])
    texts = json.dumps([body.get(one) for one in ("system", "instructions", "systemInstruction")] + messages[:1])
    return any(one in texts + json.dumps(messages[-1:]) for one in COMPACTIONS)


def tools_of(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the properties of each tool's arguments by the tool's name; none for a tool of free text."""
    found: dict[str, dict[str, Any]] = {}
    for tool in body.get("tools") or ():
        for one in tool.get("functionDeclarations") or (tool.get("function") or tool.get("custom") or tool,):
            schema = one.get("input_schema") or one.get("parameters") or one.get("parametersJsonSchema") or {}
            if one.get("name"):
                found[one["name"]] = schema.get("properties") or {}
    return found


def call_of(
    step: Step, tools: dict[str, dict[str, Any]], folder: Path = Path()
) -> tuple[str, dict[str, Any] | str] | None:
    """Return the tool that does a step and its arguments, or its text; None for words."""
    names = {step.run: SHELLS, step.read: READERS, step.write: WRITERS, step.edit: EDITORS, step.agent: AGENTS}
    wanted = next((some for value, some in names.items() if value), ())
    name = next((one for one in wanted if one in tools), "")
    if not name and (step.write or step.read) and (shell := next((one for one in SHELLS if one in tools), "")):
        name, step = shell, Step(run=_in_shell(step))
    if not name:
        return None
    if name == PATCH:
        field = next((one for one in ("patchText", "input") if one in tools[name]), "")
        return name, {field: _patch(step)} if field else _patch(step)
    path = str(folder / (step.read or step.write or step.edit)) if step.read or step.write or step.edit else ""
    values = [(COMMAND_FIELDS, step.run), (PATH_FIELDS, path), (CONTENT_FIELDS, step.content)]
    values += [(PROMPT_FIELDS, step.agent), (OLD_FIELDS, step.old), (NEW_FIELDS, step.new)]
    # OpenCode's name for it.
    values.append((("subagent_type",), "general" if name == "task" else ""))
    given: dict[str, Any] = {one: value for fields, value in values for one in fields if one in tools[name] and value}
    if step.read:
        shown = {"limit": LINES_AT_ONCE, "view_range": [1, LINES_AT_ONCE]}
        given |= {one: value for one, value in shown.items() if one in tools[name]}
    lists = {
        "edits": [{"oldText": step.old, "newText": step.new}] if step.edit else [],
        "commands": [step.run] if step.run else [],
        "files": [{"path": path}] if step.read else [],
    }
    given |= {one: value for one, value in lists.items() if value and one in tools[name]}
    return name, {one: value for one, value in FILLED.items() if one in tools[name]} | given


def _in_shell(step: Step) -> str:
    """Return the command that reads or writes a file, for a client without a tool for it."""
    if step.read:
        return f"sed -n 1,{LINES_AT_ONCE}p {quote(step.read)}"
    return f"cat > {quote(step.write)} <<'EOT'\n{step.content}\nEOT"


def _patch(step: Step) -> str:
    if step.write:
        what, lines = f"Add File: {step.write}", [f"+{line}" for line in step.content.splitlines()]
    else:
        removed, added = (
            [f"{sign}{line}" for line in text.splitlines()]
            for sign, text in zip("-+", (step.old, step.new), strict=True)
        )
        what, lines = f"Update File: {step.edit}", ["@@", *removed, *added]
    return "\n".join((f"*** Begin Patch\n*** {what}", *lines, "*** End Patch"))


class ModelServer(ThreadingHTTPServer):
    """The model behind a port of this machine, as a context manager."""

    daemon_threads = True

    def __init__(self, steps: Iterable[Step], folder: Path = Path()) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = Model(list(steps), folder)

    @property
    def url(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Stay quiet."""

    def do_GET(self) -> None:
        models = [{"id": "gpt-5.5", "object": "model", "context_length": 200_000}]
        self._send({"object": "list", "data": models, "models": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path = self.path.partition("?")[0]
        if path.endswith(("count_tokens", ":countTokens")):
            self._send({"input_tokens": 10, "totalTokens": 10})
            return
        if not path.endswith(("/messages", "/responses", "/completions", "enerateContent")):
            self._send({})
            return
        step = self.server.model.next_step(path, body)
        call = call_of(step, tools_of(body), self.server.model.folder)
        # Unlike any of another run: a client drops a call whose name its session has had already.
        number = f"{self.server.model.name}{len(self.server.model.requests):04}"
        if path.endswith("/messages"):
            events, whole = _anthropic(step, call, number)
        elif path.endswith("/responses"):
            events, whole = _responses(step, call, number)
        elif path.endswith("/completions"):
            events, whole = _completions(step, call, number)
        else:
            events, whole = _gemini(step, call, number)
        is_stream = body.get("stream") is True or path.endswith(":streamGenerateContent")
        self._stream(events) if is_stream else self._send(whole)

    def _send(self, value: dict[str, Any]) -> None:
        self._write("application/json", json.dumps(value).encode())

    def _stream(self, events: list[dict[str, Any] | str]) -> None:
        self._write("text/event-stream", "".join(_lines(events)).encode())

    def _write(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _lines(events: list[dict[str, Any] | str]) -> Iterator[str]:
    for event in events:
        name = event.get("type") if isinstance(event, dict) else ""
        head = f"event: {name}\n" if isinstance(name, str) and name else ""
        yield f"{head}data: {event if isinstance(event, str) else json.dumps(event)}\n\n"


def _anthropic(step: Step, call: Any, number: str) -> tuple[list[Any], dict[str, Any]]:
    usage = {"input_tokens": step.tokens, "output_tokens": 10}
    reason = "tool_use" if call else "end_turn"
    blocks: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = []
    if step.say or not call:
        block = {"type": "text", "text": step.say}
        blocks.append((block, {"type": "text", "text": ""}, {"type": "text_delta", "text": step.say}))
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call[0], "input": call[1]}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        blocks.append((block, {**block, "input": {}}, delta))
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
    whole = {
        **message,
        "content": [block for block, _, _ in blocks],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }
    events = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        *(
            event
            for index, (_, empty, delta) in enumerate(blocks)
            for event in (
                {"type": "content_block_start", "index": index, "content_block": empty},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            )
        ),
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return events, whole


def _responses(step: Step, call: Any, number: str) -> tuple[list[Any], dict[str, Any]]:
    if call and isinstance(call[1], str):
        item = {"type": "custom_tool_call", "call_id": f"call_{number}", "name": call[0], "input": call[1]}
    elif call:
        given = json.dumps(call[1])
        item = {"type": "function_call", "call_id": f"call_{number}", "name": call[0], "arguments": given}
    content = [{"type": "output_text", "text": step.say, "annotations": []}]
    words: dict[str, Any] = {"type": "message", "role": "assistant", "content": content}
    items = ([words] if step.say or not call else []) + ([item] if call else [])
    items = [one | {"id": f"item_{number}_{at}", "status": "completed"} for at, one in enumerate(items)]
    usage = {
        **{"input_tokens": step.tokens, "output_tokens": 10, "total_tokens": step.tokens + 10},
        **{"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}},
    }
    made = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": "gpt-5.5"}
    whole = {**made, "status": "completed", "output": items, "usage": usage}
    events = [
        {"type": "response.created", "response": {**made, "status": "in_progress", "output": []}},
        *(
            {"type": f"response.output_item.{what}", "output_index": at, "item": one}
            for at, one in enumerate(items)
            for what in ("added", "done")
        ),
        {"type": "response.completed", "response": whole},
    ]
    return [event | {"sequence_number": place} for place, event in enumerate(events)], whole


def _completions(step: Step, call: Any, number: str) -> tuple[list[Any], dict[str, Any]]:
    usage = {"prompt_tokens": step.tokens, "completion_tokens": 10, "total_tokens": step.tokens + 10}
    message: dict[str, Any] = {"role": "assistant", "content": step.say or None}
    if call:
        is_text = isinstance(call[1], str)
        given = {"name": call[0]} | ({"input": call[1]} if is_text else {"arguments": json.dumps(call[1])})
        what = "custom" if is_text else "function"
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": what, what: given}]
    reason = "tool_calls" if call else "stop"
    made = {"id": f"chatcmpl-{number}", "created": 1, "model": "gpt-5.5"}
    chunk = {**made, "object": "chat.completion.chunk"}
    events: list[Any] = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        "[DONE]",
    ]
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return events, {**made, "object": "chat.completion", "choices": [choice], "usage": usage}


def _gemini(step: Step, call: Any, number: str) -> tuple[list[Any], dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": step.say}] if step.say or not call else []
    if call:
        parts.append({"functionCall": {"name": call[0], "args": call[1], "id": f"call_{number}"}})
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": step.tokens, "candidatesTokenCount": 10, "totalTokenCount": step.tokens + 10}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-pro"}
    return [whole], whole
