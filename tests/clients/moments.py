"""Let a real client live through each moment, and read in what the model is asked whether its memory has arrived.

Each moment has one memory, which nothing else brings. It has arrived if the request that follows has its text in an
entry that says who wrote it and what is wrong with it, and the request before did not have it.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clients.model_server import AGENTS, Step, is_compaction, tools_of
from clients.place import settled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clients.place import Place

# So many that each client compacts its session; Gemini CLI gives up above 1,048,576, its model's window, and Qwen Code
# above 249,000.
MANY_TOKENS = 900_000
FEWER_TOKENS = {"qwen": 240_000}
# More memories than a start shows as the newest ones.
NEWEST = 10
# The settings of a project with which two clients compact so short a session.
EAGER = {
    "gemini": (".gemini/settings.json", {"model": {"compressionThreshold": 0.001}}),
    "pi": (".pi/settings.json", {"compaction": {"enabled": True, "keepRecentTokens": 1}}),
}
# Why a client has nothing to deliver at a moment.
NO_SUBAGENT = "the model is offered no sub-agent"
NO_EVENT = "the client has no event for it"
NO_COMPACTED = "the client does not tell when it compacts a session by itself"
NO_COMPACTION = "the session was not compacted"
NO_TASK_CONTEXT = "the client drops the context of a sub-agent's start"
NO_END = "without a terminal, the client does not tell when it ends"
DROPPED = "the client drops the context of a start"
REASONS = {
    **{("cline", moment): DROPPED for moment in ("start", "compaction", "resume")},
    **{("cline", moment): NO_EVENT for moment in ("prompt", "sub-agent", "end")},
    ("gemini", "sub-agent"): NO_EVENT,
    ("gemini", "compaction"): NO_COMPACTED,
    ("qwen", "sub-agent"): NO_TASK_CONTEXT,
    ("qwen", "end"): NO_END,
}


@dataclass(frozen=True)
class Memory:
    """A memory as the model must see it.

    Attributes:
        text: What it says.
        status: What is wrong with it, in small letters; empty if nothing is.
        author: Who wrote it.
        options: How it is written, for `gitmem remember` or, with a check, `gitmem fact`.
    """

    text: str
    status: str = ""
    author: str = "by a person"
    options: tuple[str, ...] = ()


PROMPT = "How does the shipping calculator round a price of half a cent?"
FREE = Memory("Orders above 50 euros ship free", "failed", options=("--exists", "fees/free.txt"))
# What fails during the session, before the file is read that rests on it.
LIST = Memory("There is a list of the stock", options=("--exists", "stock.txt", "--key", "stock-list"))
MEMORIES = {
    "start": FREE,
    "prompt": Memory("The shipping calculator rounds half a cent to even"),
    "read": Memory("The table of the courier ends with zeros", "stale", options=("--ref", "courier.py:2")),
    "edit": Memory("Labels are printed twice on purpose", author="by agent rover", options=("--path", "labels.py")),
    "shell read": Memory(
        "Stock is counted before the night run", "suspect", options=("--path", "stock.py", "--requires", "stock-list")
    ),
    "shell edit": Memory("The worker must end within a minute", options=("--path", "worker.py")),
    "write": Memory("Reports are read by a program of the bank", options=("--path", "reports/**")),
    "failed command": Memory("No module named 'ledgerlib' means that the submodule is missing: git submodule update"),
    "sub-agent": Memory("Refunds are booked on the day of the order, because the bank demands it"),
    "compaction": FREE,
    "resume": Memory("The warehouse is closed on Mondays"),
}
FILES = ("fees/free.txt", "stock.txt", "courier.py", "labels.py", "stock.py", "worker.py")


def text_of(value: Any) -> str:
    """Return the texts in a request, without Markdown's signs and on one line."""
    return " ".join("".join(char for char in " ".join(_texts(value)) if char not in "`*").split())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def shows(request: Any, memory: Memory) -> bool:
    """Return whether a request to the model has a memory in an entry with its author and status."""
    text, label = text_of(request), ", ".join(filter(None, (memory.status, memory.author)))
    _, *entries = text.split("- [")
    said = (entry.partition("[memory ")[0] for entry in entries)
    return any(
        f"{label})" in entry.partition(memory.text)[0]
        and f"{memory.status.upper()}:" in f":{entry}"
        and memory.text in entry
        for entry in said
    )


def prepare(place: Place) -> None:
    """Write the memories, of which one fails; two others come later, during the session and after it."""
    (place.project / "fees").mkdir()
    for name in FILES:
        (place.project / name).write_text("one = 1\ntwo = 2\nthree = 3\n")
    _commit(place, "Files")
    for fact in (FREE, LIST):
        place.do("gitmem", "fact", fact.text, *fact.options)
    for moment, memory in MEMORIES.items():
        if memory is not FREE and moment not in ("edit", "resume"):
            write(place, memory)
    time.sleep(1.1)  # a start shows the newest memories, which are told apart by seconds
    for number in range(NEWEST):
        place.do("gitmem", "remember", f"Button number {number} is of another colour. No more.")
    (place.project / "fees/free.txt").unlink()
    _commit(place, "No free shipping")
    place.do("gitmem", "verify", check=False)


def _change(place: Place) -> None:
    """Do what another person does during the session: it makes one memory stale and one suspect."""
    (place.project / "courier.py").write_text("one = 1\ntwo = 22\nthree = 3\n")
    (place.project / "stock.txt").unlink()
    _commit(place, "Other zeros, no list")
    place.do("gitmem", "verify", check=False)


def _commit(place: Place, subject: str) -> None:
    place.do("git", "add", "-A")
    place.do("git", "commit", "-qm", subject)


def write(place: Place, memory: Memory) -> None:
    """Write a memory as its author."""
    agent = memory.author.removeprefix("by agent ") if memory.author != "by a person" else ""
    words = ("env", f"GITMEM_AGENT={agent}") if agent else ()
    place.do(*words, "gitmem", "remember", f"{memory.text}. It is so.", "--kind", "gotcha", *memory.options)


def tried(place: Place) -> dict[str, str]:
    """Live through the moments with a client, and return the cell of each."""
    prepare(place)
    steps = [
        Step(read="courier.py", moment="read", before=lambda: _change(place)),
        Step(read="labels.py"),
        Step(
            edit="labels.py",
            old="one = 1\n",
            new="one = 11\n",
            moment="edit",
            before=lambda: write(place, MEMORIES["edit"]),
        ),
        Step(run="cat stock.py", moment="shell read"),
        # Qwen Code takes `sed -i` for its own editor, which wants the file to be read before.
        Step(run="echo 'four = 4' >> worker.py", moment="shell edit"),
        Step(write="reports/march.py", content="march = 3\n", moment="write"),
        Step(run="python3 -c 'import ledgerlib'", moment="failed command"),
        Step(say="Done."),
    ]
    first = place.ask(PROMPT, steps)
    settled(place)
    cells = {moment: _cell(place, moment, None, first.model.first_request()) for moment in ("start", "prompt")}
    for step in steps:
        if step.moment:
            cells[step.moment] = _cell(place, step.moment, *(first.model.around(step.moment) or (None, None)))
    cells["sub-agent"] = _subagent(place)
    cells["compaction"] = _compaction(place)
    write(place, MEMORIES["resume"])
    resumed = place.ask("And what is left to do?", [Step(say="Nothing.")], again=True)
    cells["resume"] = _cell(place, "resume", None, resumed.model.first_request())
    settled(place)
    ended = place.ask("What was done yesterday?", [Step(say="Much.")])
    summary = Memory("labels.py", author=f"by agent {place.client.client}")
    cells["end"] = "yes" if shows(ended.model.first_request(), summary) else _missed(place, "end")
    return {f"at {moment}": cell for moment, cell in cells.items()}


def _cell(place: Place, moment: str, before: Any, after: Any) -> str:
    memory = MEMORIES[moment]
    if not shows(after, memory):
        return _missed(place, moment)
    if shows(before, memory):
        return "before"
    return f"yes ({', '.join(filter(None, (memory.status.upper(), memory.author)))})"


def _missed(place: Place, moment: str) -> str:
    reason = REASONS.get((place.client.client, moment), "")
    return f"– ({reason})" if reason else "no"


def _subagent(place: Place) -> str:
    steps = [
        Step(agent="Find out how refunds are booked on which day.", moment="call"),
        Step(say="Found.", moment="inside"),
    ]
    turn = place.ask("Look around.", [*steps, Step(say="Ok.")], again=True)
    if not any(name in AGENTS for one in turn.model.requests for name in tools_of(one["body"])):
        return f"– ({NO_SUBAGENT})"
    # Some clients go on without waiting for it, so that either may get the next answer.
    inside = (one["body"] for one in turn.model.requests if shows(one["body"], MEMORIES["sub-agent"]))
    return _cell(place, "sub-agent", None, next(inside, None))


def _compaction(place: Place) -> str:
    if place.client.client in EAGER:
        name, settings = EAGER[place.client.client]
        path = place.project / name
        path.write_text(json.dumps((json.loads(path.read_text()) if path.exists() else {}) | settings))
    many = FEWER_TOKENS.get(place.client.client, MANY_TOKENS)
    steps = [Step(run="echo a"), Step(run="echo b", tokens=many), Step(run="echo c"), Step(say="Done.", tokens=many)]
    turns = [place.ask("Look around.", steps)]
    turns.append(place.ask("And now?", [Step(say="Nothing.")], again=True))
    asked = [one["body"] for turn in turns for one in turn.model.requests]
    at = next((at for at, body in enumerate(asked) if is_compaction(body)), None)
    if at is None:
        return f"– ({NO_COMPACTION})"
    # Side requests, for notes of the client's own, are made without it.
    later = (body for body in asked[at + 1 :] if not is_compaction(body) and shows(body, MEMORIES["compaction"]))
    return _cell(place, "compaction", None, next(later, None))
