"""The moments of the project's own set: every memory arrives at its moment, marked if it is in doubt, and no other."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmarks.moments.__main__ import OWN, load


def test_every_key_of_an_event_is_a_memory_of_its_store() -> None:
    keys = {store["scenario"]: {one["key"] for one in store["memories"]} for store in load(OWN / "stores.jsonl")}

    for event in load(OWN / "events.jsonl"):
        named = {*event.get("must", ()), *event.get("must_not", ()), *event.get("marks", ())}
        assert named <= keys[event["scenario"]], event["id"]
        assert event["why"].endswith("."), event["id"]


@pytest.mark.whole_system
def test_memories_arrive_at_their_moments() -> None:
    # A process of its own: after each hook the program waits for all its children, and a test process has others.
    argv = [sys.executable, "-m", "benchmarks.moments", "--only", "praxis", "--json", str(OWN)]
    done = subprocess.run(argv, cwd=OWN.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    wrong = [(one["id"], one["misses"]) for one in json.loads(done.stdout)["events"] if one["misses"]]
    assert wrong == [], json.dumps(wrong, indent=1)
