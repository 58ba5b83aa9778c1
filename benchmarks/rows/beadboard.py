"""A: beadboard's passive knowledge capture, by the examples of its document."""

from __future__ import annotations

import json

from benchmarks.rows import row
from benchmarks.rows.place import Place
from benchmarks.rows.swarm import fan_out

LEARNED = "TaskGroup requires @Sendable closures in strict concurrency mode"
KEY = "taskgroup-requires-sendable-closures-in"
COMMENT = f'bd comment BD-001 "LEARNED: {LEARNED}."'


def begin(place: Place) -> None:
    """Set up a store as beadboard's users do."""
    place.type("gitmem init --profile beadboard && gitmem install claude-code")


def knowledge(count: int, word: str = "entry") -> str:
    """Return lines of its log, oldest first."""
    rows = [
        {"key": f"learned-{word}-{n}", "type": "learned", "content": f"{word} number {n} of the {n * 7919} popups.",
         "source": "supervisor", "tags": ["learned"], "ts": 1706360000 + n, "bead": f"BD-{n}"}
        for n in range(count)
    ]  # fmt: skip
    return "".join(json.dumps(one) + "\n" for one in rows)


@row("A1", "Capture `LEARNED: …` from an agent's comment command by an async hook")
def a1(place: Place) -> None:
    """The hook gets `bd comment BD-001 "LEARNED: …"`; recall finds it, and another comment is not captured."""
    begin(place)
    place.need('"async": true' in (place.repo / ".claude/settings.json").read_text(), "the hook is not async")
    place.shell_event(COMMENT)
    place.shell_event('bd comment BD-001 "Started on the popup"')
    place.shell_event('bd comments add BD-002 "LEARNED: Popups close on activate. Use activates:false."')
    place.type("gitmem recall Sendable closures", LEARNED)
    place.type("gitmem recall popup activate", "Popups close on activate", hides=["Started on"])


@row("A2", "Generated keys: a slug of the first 40 characters")
def a2(place: Place) -> None:
    """A captured text and a typed one of 90 characters get keys of their first words, at most 40 characters."""
    begin(place)
    place.shell_event(COMMENT)
    place.type("gitmem list", f"{KEY}\t")
    key = place.type('gitmem remember "' + "word " * 17 + 'ends" --kind gotcha').strip()
    place.need(key.startswith("word-word") and 30 <= len(key) <= 40, f"the key of a long text is {key}")


@row("A3", "Tags found by scanning the text for keywords")
def a3(place: Place) -> None:
    """The document's learning gets the tags `async` and `concurrency` without an option, and is found by them."""
    begin(place)
    place.shell_event(COMMENT)
    place.type("gitmem list --tag concurrency --tag async", KEY)
    place.type(f"gitmem show {KEY}", "async", "concurrency")


@row("A4", "Source (orchestrator, supervisor, worker) detected from the working directory")
def a4(place: Place) -> None:
    """A comment comes from the main work tree, and one from a task's work tree: each memory has its source."""
    begin(place)
    place.type("git worktree add -q .worktrees/BD-7 -b bd-7")
    place.shell_event(COMMENT)
    place.shell_event('bd comment BD-7 "LEARNED: The popup needs a run loop"', at=place.repo / ".worktrees/BD-7")
    first = json.loads(place.type(f"gitmem show {KEY} --json"))["frontmatter"]["by"]
    second = json.loads(place.type("gitmem show the-popup-needs --json"))["frontmatter"]["by"]
    place.need(first.get("role") == "orchestrator", f"at the top, the source is {first}")
    place.need(second.get("role") in ("supervisor", "worker"), f"in a task's work tree, the source is {second}")


@row("A5", "Same key: the latest wins, the earlier ones stay in history")
def a5(place: Place) -> None:
    """Two entries of a log have one key: recall shows the later one, `log` and git both."""
    begin(place)
    rows = [
        {"key": "learned-popup", "type": "learned", "content": text, "ts": 1706360000 + at}
        for at, text in enumerate(("MenuBarExtra popup closes on NSWindow activate.", "Popup: use activates:false."))
    ]
    for number, one in enumerate(rows):
        place.write(f"k{number}.jsonl", json.dumps(one) + "\n")
        place.type(f"gitmem import k{number}.jsonl")
    place.type("gitmem recall popup", "use activates:false", hides=["closes on NSWindow"])
    place.type("git log -p memory -- '*learned-popup.md'", "closes on NSWindow", "use activates:false")


@row("A6", "Session start shows the 5 newest (later those since the last session), the total, and how to search")
def a6(place: Place) -> None:
    """A session starts with 12 entries: the five newest, the number, how to search; ten sub-agents at once get their own."""
    begin(place)
    place.write("k.jsonl", knowledge(12))
    place.type("gitmem import k.jsonl")
    newest = [f"entry number {n} " for n in range(7, 12)]
    place.hook("SessionStart", *newest, "12 memories", "gitmem recall", hides=["entry number 6 "], source="startup")
    fan_out(place)


@row("A7", "`recall` with `--type`, `--recent N`, `--stats`, `--all`")
def a7(place: Place) -> None:
    """The five forms of recall.sh, on learnings and a gotcha, one of them archived."""
    begin(place)
    place.write("k.jsonl", knowledge(12))
    place.type("gitmem import k.jsonl && gitmem remember 'The popups leak memory' --kind gotcha --key leak")
    place.type("gitmem forget learned-entry-3")
    place.type("gitmem recall popups", "entry number")
    place.type("gitmem recall popups --type gotcha", "leak", hides=["entry number"])
    place.type("gitmem recall --recent 2", "leak", "entry number 11 ", hides=["entry number 10 "])
    place.type("gitmem recall --stats", "11", "learned", "gotcha")
    place.type("gitmem recall number 3 of the 23757 popups", hides=["entry number 3 "])
    place.type("gitmem recall --all number 3 of the 23757 popups", "entry number 3 ")


@row("A8", "Rotation: past 1,000 active memories the oldest 500 are archived and still found")
def a8(place: Place) -> None:
    """Runs write 1,020 learnings: 500 are archived, `--all` finds them and says so; 1,100 that are imported all stay."""
    begin(place)
    for part in range(0, 1020, 170):
        run = [
            {"kind": "learned", "title": f"Entry number {n} of the {n * 7919} popups"} for n in range(part, part + 170)
        ]
        place.write("run.json", json.dumps(run))
        place.type("gitmem remember --from-run run.json > /dev/null")
    place.type('gitmem remember "The scheduler of shard 1 drops idle leases"')
    active = place.type("gitmem list --limit 5000 | wc -l").strip()
    place.need(400 < int(active) < 600, f"{active} memories are active after the 1,021st")
    place.type("gitmem recall --all popups --limit 5000", "Entry number 3 of", "archived")
    place.type("gitmem recall shard 1 drops idle leases", "shard 1")
    place.write("k.jsonl", knowledge(1100, "note"))
    place.type("gitmem import k.jsonl")
    after = place.type("gitmem list --limit 5000 | wc -l").strip()
    place.need(int(after) == int(active) + 1100, f"{after} memories are active after 1,100 were imported to {active}")


@row("A9", "A memory records the task that produced it")
def a9(place: Place) -> None:
    """A comment on a bead, and `remember --task`: both are found by the task."""
    begin(place)
    place.shell_event(COMMENT)
    place.type('gitmem remember "The popup needs a run loop" --task BD-002')
    place.type("gitmem list --task BD-001", KEY, hides=["run-loop"])
    place.type("gitmem recall popup --task BD-002", "run loop")
    place.type(f"gitmem show {KEY}", "BD-001")


@row("A10", "Capturing is voluntary: nothing blocks or nags; low-level workers exempt; prompts can be logged")
def a10(place: Place) -> None:
    """A session without a learning ends in silence; a sub-agent is reminded once of its work tree, a worker never."""
    begin(place)
    place.shell_event("make")
    quiet = place.hook("Stop") + place.hook("SessionEnd", reason="exit")
    place.need("LEARNED" not in quiet and '"block"' not in quiet, f"the end of a session asks for something: {quiet}")
    place.write("left.py", "x = 1\n")
    place.type("git worktree add -q ../supervisor -b bd-9 && cp left.py ../supervisor/")
    at = place.top / "supervisor"
    for kind, asked in (("worker-supervisor", False), ("supervisor", True), ("supervisor", False)):
        said = place.hook("SubagentStop", at=at, agent_id="a-1", agent_type=kind, stop_hook_active=not asked)
        place.need(("uncommitted" in said) == asked, f"{kind} stops, and is told: {said!r}")
    task = {"subagent_type": "supervisor", "prompt": "Mend the popup of the menu bar", "description": "popup"}
    place.hook("PreToolUse", tool_name="Task", tool_input=task, tool_use_id="t1")
    place.hook("SubagentStart", agent_id="a-2", agent_type="supervisor", prompt="Mend the popup of the menu bar")
    place.type("gitmem session log; grep -rh 'Mend the popup' .git/gitmem", "Mend the popup")
    place.type("gitmem list --all", hides=["Mend the popup"], status=1)
