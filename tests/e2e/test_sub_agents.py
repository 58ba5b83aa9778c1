"""Ten sub-agents of one session at once, each hook in a real process: nothing of theirs is lost or mixed up."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.console import GITMEM, Console, run

KNOWN = (
    "The gateway drops idle sockets", "The ledger rounds half even", "The scheduler starts jobs twice in October",
    "The cache evicts by age alone", "The mailer answers bounces with 451", "The router wants trailing slashes",
    "The parser counts tabs as columns", "The signer rotates public keys at noon", "The archive needs an empty folder",
    "The indexer stems English words only",
)  # fmt: skip
LEARNED = (
    "Sockets close after a minute", "Cents are rounded half even", "Cron runs in UTC here", "Evict by age",
    "Bounces come back as 451", "Trailing slashes matter", "Tabs count as four columns", "Public keys rotate at noon",
    "Zip needs an empty folder", "Stemming is English only",
)  # fmt: skip


@pytest.mark.whole_system
def test_ten_sub_agents_at_once_get_their_own_task_s_memory_and_lose_no_word(repo: Path) -> None:
    console = Console(repo)
    console.ok("init", "--profile", "beadboard")
    console.ok("install", "claude-code")
    rows = [{"key": f"known-{number}", "kind": "gotcha", "title": text} for number, text in enumerate(KNOWN)]
    console.ok("import", "-", input="".join(json.dumps(row) + "\n" for row in rows))

    def hook(payload: dict[str, object]) -> str:
        given = {"session_id": "lead", "cwd": str(repo), "transcript_path": "/nowhere.jsonl", **payload}
        done = run([str(GITMEM), "hook", "claude-code"], repo, input=json.dumps(given))
        assert done.status == 0, done
        return done.out

    for number, text in enumerate(KNOWN):
        task = {"prompt": f"Find out why {text.lower()}", "subagent_type": "general-purpose"}
        hook({"hook_event_name": "PreToolUse", "tool_name": "Task", "tool_use_id": f"t{number}", "tool_input": task})
    agents = [{"agent_id": f"a{number}", "agent_type": "general-purpose"} for number in range(len(KNOWN))]
    comments = [
        {"tool_name": "Bash", "tool_use_id": f"c{number}", "tool_input": {"command": f'bd comment b "LEARNED: {text}"'}}
        for number, text in enumerate(LEARNED)
    ]
    with ThreadPoolExecutor(len(KNOWN)) as pool:
        starts = list(pool.map(hook, [{"hook_event_name": "SubagentStart", **agent} for agent in agents]))
        used = zip(agents, comments, strict=True)
        list(pool.map(hook, [{"hook_event_name": "PostToolUse", **agent, **comment} for agent, comment in used]))

    shown = [[text for text in KNOWN if text in start] for start in starts]
    assert sorted(shown) == sorted([text] for text in KNOWN), "each task's memory, to one sub-agent"
    listed = console.ok("list")
    assert [text for text in LEARNED if text not in listed] == []
