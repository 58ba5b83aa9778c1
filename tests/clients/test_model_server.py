"""The model that real clients are run against: it finds the tool of a step in what each of them asks."""

from __future__ import annotations

import json
from http.client import HTTPConnection

import pytest
from clients.model_server import COMPACTIONS, DONE, SUMMARY, ModelServer, Step

COMMAND = {"properties": {"command": {}, "description": {}}}
ASKED = {
    "/v1/messages": {"tools": [{"name": "Bash", "input_schema": COMMAND}]},
    "/v1/responses": {
        "tools": [{"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {}}}}]
    },
    "/v1/chat/completions": {"tools": [{"type": "function", "function": {"name": "bash", "parameters": COMMAND}}]},
    "/v1beta/models/m:generateContent": {
        "tools": [{"functionDeclarations": [{"name": "run_shell_command", "parametersJsonSchema": COMMAND}]}]
    },
}


def answered(server: ModelServer, path: str, body: dict) -> str:
    connection = HTTPConnection(*server.server_address[:2])
    connection.request("POST", path, json.dumps(body))
    text = connection.getresponse().read().decode()
    connection.close()
    return text


@pytest.mark.parametrize("path", ASKED)
def test_each_interface_runs_the_command_and_then_says_the_words(path: str) -> None:
    with ModelServer([Step(say="Running.", run="make unit"), Step(say="It passed.")]) as server:
        ran, said = (answered(server, path, ASKED[path]) for _ in range(2))

    tool = next(iter(json.dumps(ASKED[path]).split('"name": "')[1].split('"')))
    assert tool in ran
    assert "make unit" in ran
    assert "Running." in ran
    assert "It passed." in said


def test_request_for_a_summary_uses_no_step_up() -> None:
    asked = {"messages": [{"role": "user", "content": f"{COMPACTIONS[0]} so far"}]}
    with ModelServer([Step(run="make unit", tokens=900_000)]) as server:
        summary = answered(server, "/v1/messages", ASKED["/v1/messages"] | asked)
        ran = answered(server, "/v1/messages", ASKED["/v1/messages"])

    assert json.loads(summary)["content"][0]["text"] == SUMMARY
    assert json.loads(ran)["usage"]["input_tokens"] == 900_000


def test_request_without_tools_uses_no_step_up() -> None:
    with ModelServer([Step(run="make unit")]) as server:
        title = answered(server, "/v1/messages", {"stream": True})
        ran = answered(server, "/v1/messages", ASKED["/v1/messages"] | {"stream": True})

    assert DONE in title
    assert "event: content_block_delta" in ran
    assert "make unit" in ran
    assert len(server.model.main_requests()) == 1
