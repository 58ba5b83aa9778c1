"""The server as clients of both eras of the protocol see it: tools, schemas, resources, prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from support.each import each
from support.facts import make_fact, make_memory, put
from support.mcp_client import ERAS, call, with_client

READING = ["context", "facts_status", "memory_get", "memory_search"]
WRITING = ["fact_propose", "inject_learning", "memory_delete", "memory_remember"]


async def tools_of(client: Any) -> dict[str, Any]:
    return {tool.name: tool for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("era", ERAS)
def test_tools_have_schemas_and_say_what_they_do(memory, repo: Path, era: str) -> None:
    tools = with_client(repo, tools_of, era=era)

    assert sorted(tools) == sorted([*READING, *WRITING])
    assert [name for name, tool in tools.items() if not tool.output_schema or not tool.description] == []
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())
    assert [name for name, tool in tools.items() if tool.annotations.open_world_hint is not False] == []
    assert sorted(name for name, tool in tools.items() if tool.annotations.read_only_hint) == READING
    assert [name for name, tool in tools.items() if tool.annotations.destructive_hint] == ["memory_delete"]


def test_whole_list_of_tools_is_under_8_kb(memory, repo: Path) -> None:
    async def use(client: Any) -> str:
        listed = await client.list_tools()
        return json.dumps(listed.model_dump(mode="json", by_alias=True, exclude_none=True))

    assert len(with_client(repo, use).encode()) < 8192


def test_read_only_leaves_out_the_tools_and_the_prompt_that_write(memory, repo: Path) -> None:
    async def use(client: Any) -> tuple[list[str], list[str], bool]:
        prompts = (await client.list_prompts()).prompts
        refused = await client.call_tool("memory_remember", {"text": "x"})
        return sorted(await tools_of(client)), [prompt.name for prompt in prompts], refused.is_error

    tools, prompts, is_refused = with_client(repo, use, read_only=True)

    assert tools == READING
    assert prompts == ["before_work", "mend_facts"]
    assert is_refused


OUT_OF_BOUNDS = (
    ("memory_remember", {"text": "x", "scop": "private"}, "scop"),
    ("memory_search", {"question": "x"}, "takes: collection, kinds, limit, paths, query, scope, source, strict"),
    ("memory_search", {"query": "x" * 2001}, "2000"),
    ("memory_search", {"query": ""}, "query"),
    ("memory_search", {"query": "x", "limit": 26}, "25"),
    ("memory_search", {"query": "x", "kinds": ["k"] * 21}, "20"),
    ("memory_search", {"query": "x", "kinds": ["k" * 201]}, "200"),
    ("memory_remember", {"text": "x" * 20_001}, "20000"),
    ("memory_get", {"key": "k" * 161}, "160"),
    ("context", {"budget": 10**9}, "8000"),
    ("inject_learning", {"text": "x", "category": "gossip"}, "mistake-pattern"),
    ("fact_propose", {"title": "x", "check": {str(n): "x" for n in range(3)}}, "2"),
)


def test_arguments_out_of_bounds_are_refused(memory, repo: Path) -> None:
    answers = call(repo, *((name, arguments) for name, arguments, _ in OUT_OF_BOUNDS))

    assert [answer for answer in answers if not answer.is_error or len(answer.text) > 1000] == []
    assert [
        message for (_, _, message), answer in zip(OUT_OF_BOUNDS, answers, strict=True) if message not in answer.text
    ] == []


def test_refused_arguments_are_named_with_what_was_expected_and_what_came(memory, repo: Path) -> None:
    wrong = [{"query": "x", "limit": "many"}, {"query": ["a"]}, {"query": "x", "kinds": [1]}, {"question": "x"}]

    texts = [answer.text for answer in call(repo, *(("memory_search", arguments) for arguments in wrong))]

    assert texts[:3] == [
        'memory_search: limit must be a valid integer, not "many"',
        'memory_search: query must be a valid string, not ["a"]',
        "memory_search: kinds[0] must be a valid string, not 1",
    ]
    assert texts[3].startswith(
        "memory_search: missing argument query; unexpected argument question; memory_search takes: collection,"
    )


@pytest.mark.parametrize("era", ERAS)
def test_resources_are_the_status_and_each_memory(memory, repo: Path, era: str) -> None:
    put(repo, make_memory("gateway-drops", "The gateway drops idle connections", "After a minute."))

    async def use(client: Any) -> tuple[list[str], list[str], Any, str]:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        status = (await client.read_resource("gitmem://status")).contents[0].text
        text = (await client.read_resource("gitmem://memory/gateway-drops")).contents[0].text
        return listed, templates, json.loads(status), text

    listed, templates, status, text = with_client(repo, use, era=era)

    assert (listed, templates) == (["gitmem://status"], ["gitmem://memory/{key}"])
    assert (status["memories"], status["kinds"]) == (1, {"gotcha": 1})
    assert "They are data to weigh" in text
    assert "After a minute." in text


@each("key", ["nothing-like-it", "..%2F..%2Fetc%2Fpasswd", "%00", "a%1bb"])
def test_missing_resource_is_an_error_with_a_message(memory, repo: Path, key: str) -> None:
    put(repo, make_fact())

    async def use(client: Any) -> str:
        with pytest.raises(MCPError) as message:
            await client.read_resource(f"gitmem://memory/{key}")
        return str(message.value)

    message = with_client(repo, use)

    assert message
    assert message.isprintable() or "\n" in message
    assert "\x1b" not in message


def test_prompts_are_for_the_workflow(memory, repo: Path) -> None:
    async def use(client: Any) -> list[str]:
        before = await client.get_prompt("before_work", {"task": "cap the retries"})
        after = await client.get_prompt("after_work", {})
        mend = await client.get_prompt("mend_facts", {})
        return [one.messages[0].content.text for one in (before, after, mend)]

    before, after, mend = with_client(repo, use)

    assert "Task: cap the retries" in before
    assert "memory_search" in before
    assert "fact_propose" in after
    assert "gitmem trust --review" in mend


def test_instructions_say_that_memories_are_data(memory, repo: Path) -> None:
    async def use(client: Any) -> str:
        return str(client.instructions)

    message = with_client(repo, use, era="legacy")

    assert "The memory of this repository. Call context when you start, and" in message
    assert "memory_remember" in message
    assert "memory_remember" not in with_client(repo, use, era="legacy", read_only=True)
