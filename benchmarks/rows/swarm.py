"""D: Agent Swarm's memory for a lead and its workers, by the examples of its document."""

from __future__ import annotations

import json
from importlib.util import find_spec

from benchmarks.rows import row
from benchmarks.rows.place import Place, is_in

BEARER = "The API requires Bearer prefix on all auth headers.\nWithout it, you get a misleading 403 instead of 401."
NOTES = "workspace/personal/memory"
KNOWN = (
    "The gateway drops idle sockets", "The ledger rounds half even", "The scheduler starts jobs twice in October",
    "The cache evicts by age alone", "The mailer answers bounces with 451", "The router wants trailing slashes",
    "The parser counts tabs as columns", "The signer rotates public keys at noon", "The archive needs an empty folder",
    "The indexer stems English words only",
)  # fmt: skip
WORKERS = len(KNOWN)
LEARNED = (
    "Sockets close after a minute", "Cents are rounded half even", "Cron runs in UTC here", "Evict by age, never by size",
    "Bounces come back as 451", "Trailing slashes matter", "Tabs count as four columns", "Public keys rotate at noon",
    "Zip needs an empty folder", "Stemming is English only",
)  # fmt: skip


def begin(place: Place) -> None:
    """Set up a store as users of Agent Swarm do."""
    place.type(f"gitmem init --profile swarm && gitmem install claude-code && git config gitmem.captureNotes {NOTES}")


def as_agent(place: Place, name: str) -> None:
    """Go on as this agent; as a person without a name."""
    place.env["GITMEM_AGENT"] = name


def fan_out(place: Place) -> None:
    """Let ten sub-agents start, claim, write a note, learn and hand back, each step in ten processes at once.

    Each has a task about a subject of its own, of which the store has a memory; the note is private to its author, who
    promotes it.
    """
    numbers = range(WORKERS)
    for number, text in enumerate(KNOWN):
        place.type(f'gitmem remember "{text}" --kind gotcha --key known-{number}')
        place.type(f'gitmem task add "Find out why {text.lower()}" --key why-{number}')

    def hooks(*payloads: dict[str, object]) -> list[tuple[int, str]]:
        common = {"session_id": "lead", "transcript_path": str(place.transcript), "cwd": str(place.repo)}
        calls = [(place.repo, ["gitmem", "hook", "claude-code"], {}, json.dumps(common | one)) for one in payloads]
        return place.at_once(*calls)

    def commands(*argvs: list[str]) -> list[tuple[int, str]]:
        return place.at_once(*((place.repo, argv, {"GITMEM_AGENT": f"worker-{n}"}, "") for n, argv in enumerate(argvs)))

    for number, text in enumerate(KNOWN):
        task = {"prompt": f"Find out why {text.lower()}", "subagent_type": "general-purpose"}
        place.hook("PreToolUse", session_id="lead", tool_name="Task", tool_use_id=f"toolu_{number}", tool_input=task)
    starts = hooks(
        *({"hook_event_name": "SubagentStart", "agent_id": f"a{n}", "agent_type": "general-purpose"} for n in numbers)
    )
    shown = [[n for n in numbers if is_in(text, f"[known-{n}]")] for _, text in starts]
    place.need(sorted(shown) == [[n] for n in numbers], f"what the ten sub-agents get is not each one's own: {shown}")

    claims = commands(*(["gitmem", "task", "claim", f"why-{n}"] for n in numbers))
    place.need([status for status, _ in claims] == [0] * WORKERS, f"claims ended with {[s for s, _ in claims]}")
    shown = [[n for n in numbers if is_in(text, f"[known-{n}]")] for _, text in claims]
    place.need(shown == [[n] for n in numbers], f"what the ten claims bring is not each one's own: {shown}")
    place.type('gitmem task add "Release" --key release')
    holders = commands(*(["gitmem", "task", "claim", "release"] for _ in numbers))
    place.need(
        [status for status, _ in holders].count(0) == 1, f"claims of one task ended with {[s for s, _ in holders]}"
    )

    secrets = [f"Worker {n} tried {n + 3} ways in vain: {KNOWN[n]}" for n in numbers]
    written = commands(
        *(["gitmem", "remember", secrets[n], "--scope", "private", "--key", f"tried-{n}"] for n in numbers)
    )
    place.need([status for status, _ in written] == [0] * WORKERS, f"private notes ended with {written}")
    read = commands(*(["gitmem", "recall", "worker tried ways in vain", "--limit", "99"] for _ in numbers))
    for number, (_, text) in enumerate(read):
        seen = [n for n in numbers if f"tried-{n}\t" in text]
        place.need(seen == [number], f"worker-{number} reads the private notes of {seen}")

    shared = commands(*(["gitmem", "promote", f"tried-{n}"] for n in numbers))
    place.need([status for status, _ in shared] == [0] * WORKERS, f"promote ended with {shared}")
    learned = hooks(
        *(
            {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": f"call-{n}", "agent_id": f"a{n}",
             "agent_type": "general-purpose", "tool_response": {"stdout": "", "stderr": "", "interrupted": False},
             "tool_input": {"command": f'bd comment BD-{n} "LEARNED: {LEARNED[n]}"'}}
            for n in numbers
        )
    )  # fmt: skip
    place.need([status for status, _ in learned] == [0] * WORKERS, f"captures ended with {learned}")
    done = commands(*(["gitmem", "task", "close", f"why-{n}", "--reason", f"Kept by {n}"] for n in numbers))
    place.need([status for status, _ in done] == [0] * WORKERS, f"closing ended with {done}")
    text = place.type("gitmem list --limit 999")
    lost = [f"tried-{n}" for n in numbers if f"tried-{n}\t" not in text]
    lost += [one for one in LEARNED if one not in text]
    place.need(not lost, f"lost: {lost}")
    place.need(
        place.type("gitmem task list --all --state closed | grep -c why-").strip() == str(WORKERS),
        "a task is not closed",
    )
    place.type("git fsck --strict --no-dangling && gitmem doctor", "well formed")


@row("D1", "Embedding provider and store are swappable; vector search with a fallback")
def d1(place: Place) -> None:
    """A model is set up; the same question is answered with vectors in numpy, and in sqlite-vec where it can be loaded."""
    begin(place)
    place.type('gitmem remember "The login page redirects" --key page')
    if place.has_model():
        for store in ("numpy", "sqlite-vec"):
            if store == "sqlite-vec" and not loads_extensions():
                place.untried.append("sqlite-vec: this Python loads no extensions, or the package is missing")
                continue
            place.type(f"git config --global gitmem.vectors {store} && gitmem embed rebuild --all")
            place.type("gitmem embed status", store)
            place.type("gitmem recall authentication", "page")
    place.type("gitmem recall login page --lexical", "page")


def loads_extensions() -> bool:
    """Return whether this Python's SQLite loads extensions, and sqlite-vec is installed."""
    import sqlite3

    return find_spec("sqlite_vec") is not None and hasattr(sqlite3.Connection, "enable_load_extension")


@row("D2", "Memories from summaries, finished tasks, note files, injected learnings")
def d2(place: Place) -> None:
    """A note file, a failed and a finished task, an injected learning and a session's summary: all are found."""
    from benchmarks.rows.ai_memory import work

    begin(place)
    place.edit_event(f"{NOTES}/auth-header-fix.md", BEARER)
    place.type("gitmem recall misleading 403", "Bearer prefix")
    place.type('gitmem task add "Rotate keys" --key rotate && gitmem task claim rotate')
    place.type('gitmem task close rotate --failed --note "the vault was sealed"')
    place.type('gitmem task close rotate --reason "rotated by hand" && gitmem recall vault sealed', "rotate")
    place.type('gitmem inject "Gateway tests need the Clock fixture" --all --category mistake-pattern')
    place.type("gitmem recall clock fixture", "mistake_pattern")
    work(place)
    place.type("gitmem session summarize && gitmem list --kind session", "session")


@row("D3", "Private and shared scope; a private memory can be promoted")
def d3(place: Place) -> None:
    """A worker's memory and its note file are its own until it promotes them; then another worker reads them."""
    begin(place)
    as_agent(place, "worker-1")
    place.edit_event(f"{NOTES}/auth-header-fix.md", BEARER)
    place.type('gitmem remember "The gateway drops idle sockets" --scope private --key idle')
    place.type('gitmem remember "Tabs count as four columns"')  # it also writes what hooks have captured
    key = place.type(r"gitmem list --kind note | grep -o '^[a-z-]*-[0-9a-f]\{8\}'").strip()
    as_agent(place, "worker-2")
    place.type("gitmem recall gateway idle sockets Bearer prefix; true", hides=["idle sockets\t", "Bearer prefix on"])
    as_agent(place, "worker-1")
    place.type(f"gitmem promote idle && gitmem promote {key}")
    as_agent(place, "worker-2")
    place.type("gitmem recall gateway idle sockets", "drops idle sockets")
    place.type("gitmem recall Bearer prefix", "Bearer prefix on")


@row("D4", "inject-learning: lead to one worker or all, by category")
def d4(place: Place) -> None:
    """Each of the four categories goes to all, one to a worker; the worker gets it at its next start, the others do not."""
    begin(place)
    texts = {"mistake-pattern": "Mock no clocks", "best-practice": "Migrate before tests", "codebase-knowledge":
             "The ledger owns money", "preference": "Short subjects please"}  # fmt: skip
    for category, text in texts.items():
        place.type(f'gitmem inject "{text}" --all --category {category}')
        place.type(f"gitmem recall {text}", category.replace("-", "_"))
    place.type(
        'gitmem inject "You mocked the clock again: use the Clock fixture" --to worker-2 --category mistake-pattern'
    )
    place.type("git config gitmem.leads lead-1")
    for name, sees in (("worker-2", True), ("worker-3", False)):
        as_agent(place, name)
        text = place.type("gitmem recall clock fixture again; true")
        place.need(("mocked the clock" in text) == sees, f"{name} reads: {text}")
        place.type('gitmem inject "I am the lead" --all --category preference', "not allowed to inject", status=2)
        start = place.hook("SessionStart", session_id=name, source="startup")
        place.need(("mocked the clock" in start) == sees, f"the start of {name} has: {start}")


@row("D5", "TTL by kind; expired ones leave search and can still be fetched by key")
def d5(place: Place) -> None:
    """An outcome, a summary, a note and a learning that are 5, 8 and 40 days old: the document's lifetimes decide."""
    import time

    begin(place)
    now = int(time.time())
    kinds = ("outcome", "session", "note", "preference")
    rows = [
        {"key": f"{kind}-{days}", "kind": kind, "title": f"Gateway {kind} of {days} days", "ts": now - days * 86400}
        for kind in kinds
        for days in (1, 5, 8, 40)
    ]
    place.write("old.jsonl", "".join(json.dumps(one) + "\n" for one in rows))
    place.type("gitmem import old.jsonl")
    text = place.type("gitmem recall gateway --limit 99")
    lives = {"outcome": 7, "session": 3, "note": 30, "preference": 999}
    for kind in kinds:
        for days in (1, 5, 8, 40):
            place.need((f"{kind}-{days}\t" in text) == (days < lives[kind]), f"{kind} of {days} days: recall is wrong")
    place.type("gitmem show note-40", "Gateway note of 40 days")
    place.mcp("memory_get", "Gateway note of 40 days", key="note-40")


@row("D6", "Rerank by recency and access, tunable by environment")
def d6(place: Place) -> None:
    """Equal texts of today and of 14 days ago: half the score; a read one rises; `MEMORY_*` variables change both."""
    import time

    begin(place)
    now = int(time.time())
    rows = [
        {
            "key": f"age-{n}",
            "kind": "learned",
            "title": f"Gateway sockets idle for hour {n} close",
            "ts": now - n * 86400,
        }
        for n in (0, 14)
    ]
    place.write("ages.jsonl", "".join(json.dumps(one) + "\n" for one in rows))
    place.type("gitmem import ages.jsonl")

    def factors(prefix: str = "") -> dict[str, dict[str, float]]:
        found = json.loads(place.type(f"{prefix} gitmem recall gateway sockets idle --explain --json"))
        return {hit["key"]: dict(hit["factors"]) | {"score": hit["score"]} for hit in found["hits"]}

    first = factors()
    place.need(abs(first["age-14"]["recency"] - 0.5) < 0.02, f"after 14 days: {first['age-14']}")
    place.need("status" not in first["age-0"], f"more than similarity, recency and access counts: {first['age-0']}")
    slow = factors("MEMORY_RECENCY_HALF_LIFE_DAYS=28")
    place.need(abs(slow["age-14"]["recency"] - 0.707) < 0.02, f"with a half-life of 28 days: {slow['age-14']}")
    for _ in range(4):
        place.mcp("memory_get", key="age-14")
    read = factors()
    place.need(read["age-14"]["access"] > 1.3, f"after four reads: {read['age-14']}")
    less = factors("MEMORY_ACCESS_BOOST_MAX=1.1")
    place.need(1 < less["age-14"]["access"] <= 1.1, f"with a boost of 1.1: {less['age-14']}")


@row("D7", "MCP tools: memory-search, memory-get, memory-delete")
def d7(place: Place) -> None:
    """A worker searches, reads and deletes its own memory over MCP; code keeps its lines; only a lead deletes shared ones."""
    begin(place)
    body = "Sign like this:\n\n```python\ndef sign(claims):\n    return encode(claims)\n```\n"
    place.type(
        "gitmem inject - --all --category codebase-knowledge --title 'How tokens are signed' --key signed", stdin=body
    )
    place.type("git config gitmem.leads lead-1")
    as_agent(place, "worker-1")
    place.type('gitmem remember "My gateway notes" --scope private --key mine')
    place.mcp("memory_search", "signed", query="how are tokens signed")
    place.mcp("memory_get", "\n    return encode(claims)", key="signed")
    place.mcp("memory_delete", key="mine")
    place.type("gitmem list", hides=["mine\t"])
    place.mcp("memory_delete", "lead", key="signed")
    place.type("gitmem list", "signed\t")
    as_agent(place, "lead-1")
    place.mcp("memory_delete", key="signed")
    place.type("gitmem list; true", hides=["signed\t"])


@row("D8", "Relevant memories are injected before a task starts")
def d8(place: Place) -> None:
    """`pre-work`, `task claim` and a sub-agent's start bring what the task is about; ten sub-agents at once lose nothing."""
    begin(place)
    place.type('gitmem remember "The turbine hums when its valve sticks" --kind gotcha --key valve')
    place.type('gitmem remember "The door of the cellar is red" --key door')
    place.type("gitmem pre-work the sticking valve of the turbine", "[valve]", hides=["[door]"])
    place.type('gitmem task add "Mend the sticking valve of the turbine" --key mend')
    place.type("gitmem task claim mend", "[valve]", hides=["[door]"])
    place.type("gitmem task close mend --reason 'A new valve'")
    fan_out(place)
