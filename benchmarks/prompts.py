"""Measure which memories a session gets unasked: with its prompts, and at its start.

    python -m benchmarks.prompts             # a table
    python -m benchmarks.prompts --json
    python -m benchmarks.prompts --errors    # and the prompts whose answer is missing

30 memories, 12 prompts that one of them answers and 18 that none does (``data/prompts``), asked through the hook's own
function, each in a session of its own; then again with the summaries of 20 sessions in the store, twelve of which were
about the very same things. At the start: a store of 501 learnings that have nothing to do with the current work. The
clock is fixed, and nothing is random.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.judged import DATA, read
from gitmem.agents import on_event
from gitmem.agents.event import PROMPT, START, STARTUP, Event
from gitmem.agents.session.rule_summary import Summary, format_summary, title_of
from gitmem.memory import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.text.budget import count_tokens

FOLDER = DATA / "prompts"
NOW_S = 1_795_305_600.0  # 2026-11-22T00:00:00Z
WRITTEN = "2026-11-{day:02}T{hour:02}:00:00Z"
LEARNINGS = 501
PARTS = ("boiler", "valve", "pump", "gauge", "rotor", "flange", "burner", "sensor")
SAID = "The {part} of unit {n} must be greased every {days} days. It seized twice in the cold of {month}."
MONTHS = ("January", "February", "March")


def made(folder: Path, records: Iterable[Mapping[str, Any]]) -> Memory:
    """Return the memory of a new repository with these memories in it."""
    folder.mkdir()
    git = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    subprocess.run([*git, "init", "-q", "-b", "main", str(folder)], check=True)
    subprocess.run([*git, "-C", str(folder), "commit", "-q", "--allow-empty", "-m", "code"], check=True)
    memory = Memory(folder, clock=lambda: NOW_S)
    add(memory, folder, records)
    return memory


def add(memory: Memory, folder: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write more memories."""
    lines = folder / ".git" / "records.jsonl"
    wanted = list(records)
    lines.write_text("".join(json.dumps(one) + "\n" for one in wanted), encoding="utf-8")
    done = memory.bulk.import_files(Sources((str(lines),)))
    assert len(done.settled.new) == len(wanted), done.settled.skipped


def records() -> list[dict[str, Any]]:
    """Return the 30 memories: as people write them, one sentence and then why."""
    found = []
    for nth, one in enumerate(read(FOLDER / "memories.jsonl")):
        title = one["text"].split(". ", 1)[0].rstrip(".")
        found.append({**one, "title": title, "body": one["text"], "created": WRITTEN.format(day=1 + nth % 20, hour=9)})
        del found[-1]["text"]
    return found


def summaries() -> list[dict[str, Any]]:
    """Return the summaries of 20 sessions, as the end of a session makes them."""
    found = []
    for nth, one in enumerate(read(FOLDER / "sessions.jsonl")):
        summary = Summary(goal=one["goal"], files=(one["changed"],), asked=("Now run the tests",))
        about = "A session of claude-code on branch main."
        record = {"key": f"session-{nth:02}", "kind": "session", "title": title_of(summary)}
        record |= {"body": format_summary(summary, about), "tags": ["session"], "ttl": "90d"}
        found.append({**record, "created": WRITTEN.format(day=21, hour=nth)})
    return found


def learnings() -> list[dict[str, Any]]:
    """Return learnings about things that nobody works on."""
    found = []
    for n in range(LEARNINGS):
        said = SAID.format(part=PARTS[n % len(PARTS)], n=n, days=3 + n % 40, month=MONTHS[n % len(MONTHS)])
        title = said.split(". ", 1)[0]
        created = WRITTEN.format(day=1 + n % 20, hour=n % 24)
        record = {"key": f"learned-{n}-{title[:24].lower().replace(' ', '-')}", "kind": "learned"}
        found.append({**record, "title": title, "body": said, "created": created})
    return found


def told(memory: Memory, prompt: str, session: str) -> list[str]:
    """Return the memories that are told with a prompt, by key."""
    on_event.answer_prompt(memory, Event("claude-code", PROMPT, session=session, prompt=prompt))
    return [key for entry in memory.sessions.shown(session) for key in entry.get("shown", ())]


def asked(memory: Memory, name: str) -> tuple[list[str], list[str]]:
    """Return the prompts whose answer is not told, and those that get something although nothing answers them."""
    missed, alarms = [], []
    for nth, one in enumerate(read(FOLDER / "prompts.jsonl")):
        if one["answer"] not in told(memory, one["text"], f"{name}-{nth}"):
            missed.append(one["text"])
    for nth, one in enumerate(read(FOLDER / "irrelevant.jsonl")):
        if told(memory, one["text"], f"{name}-irrelevant-{nth}"):
            alarms.append(one["text"])
    return missed, alarms


def started(memory: Memory) -> tuple[int, int]:
    """Return how many lines about memories a session is told at its start, and the tokens of all of it."""
    text = on_event.session_started(memory, Event("claude-code", START, session="start", source=STARTUP))
    inside = text.split(" begins]\n", 1)[-1].rsplit("\n[memory ", 1)[0]
    return len([line for line in inside.split("\n") if line.strip()]), count_tokens(text)


def measured(folder: Path) -> tuple[dict[str, int], list[str]]:
    """Return the figures by name, and the prompts that went wrong."""
    prompts = len(read(FOLDER / "prompts.jsonl"))
    with made(folder / "shop", records()) as memory:
        missed, alarms = asked(memory, "plain")
        add(memory, folder / "shop", summaries())
        missed_among, alarms_among = asked(memory, "among")
    with made(folder / "plant", learnings()) as memory:
        lines, tokens = started(memory)
    figures = {
        "prompts": prompts,
        "answered": prompts - len(missed),
        "answered, 20 summaries added": prompts - len(missed_among),
        "irrelevant prompts that get something": len(alarms),
        "the same, 20 summaries added": len(alarms_among),
        f"lines at the start, {LEARNINGS} unrelated learnings": lines,
        "tokens of the same": tokens,
    }
    return figures, [*missed, *missed_among, *alarms, *alarms_among]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--errors", action="store_true", help="print the prompts that went wrong as well")
    parser.add_argument("--write", action="store_true", help="record the figures in measured/moments.jsonl")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="gitmem-prompts-") as name:
        os.environ.update(HOME=name, XDG_STATE_HOME=f"{name}/state", GITMEM_BACKGROUND="off", GITMEM_VIEW="false")
        figures, wrong = measured(Path(name))
    if options.write:
        irrelevant = len(read(FOLDER / "irrelevant.jsonl"))
        values = {
            "prompts": {"measured": figures["answered, 20 summaries added"], "of": figures["prompts"]},
            "prompts-noise": {"measured": figures["the same, 20 summaries added"], "of": irrelevant},
            "start-tokens": {"measured": figures["tokens of the same"]},
        }
        record.record("moments", values)
        record.main([])
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        print("\n".join(f"{value:>6}  {name}" for name, value in figures.items()))
    if options.errors:
        print("", *wrong, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
