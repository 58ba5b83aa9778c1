"""The moments of the project's own set: every memory arrives at its moment, marked if it is in doubt, and no other."""

from __future__ import annotations

import json

from benchmarks.moments.__main__ import GITMEM, OWN, load, run


def test_every_key_of_an_event_is_a_memory_of_its_store() -> None:
    keys = {store["scenario"]: {one["key"] for one in store["memories"]} for store in load(OWN / "stores.jsonl")}

    for event in load(OWN / "events.jsonl"):
        named = {*event.get("must", ()), *event.get("must_not", ()), *event.get("marks", ())}
        assert named <= keys[event["scenario"]], event["id"]
        assert event["why"].endswith("."), event["id"]


def test_memories_arrive_at_their_moments() -> None:
    events = run(OWN, GITMEM, "praxis")["events"]

    wrong = [(one["id"], one["misses"]) for one in events if one["misses"]]
    assert wrong == [], json.dumps(wrong, indent=1)
