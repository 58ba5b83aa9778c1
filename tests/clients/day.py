"""Play a working day with the real clients and count which lessons come back when they help: ``make clients-day``.

``day.json`` has 20 lessons on a real repository. In the first session, in one work tree, an agent fails, finds out and
says them; in the next, in another work tree, each would help at one moment: at a prompt, at a command that fails again,
or at the edit of a file. The lessons were written before anybody looked at what gitmem makes of them. A lesson is back
at its moment if its mark is in the request to the model that follows; the table says whether it came with that request
or earlier in the session, whose context still has it: a memory is shown once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clients.client import CLIENTS, Client
from clients.model_server import Step
from clients.moments import text_of
from clients.place import Place, empty, install, installed, program, settled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clients.place import Turn

DAY = json.loads(Path(__file__).with_suffix(".json").read_text())
CHOSEN = ("claude-code", "codex", "copilot")
# What pytest needs; not click, which the project's own environment has as well.
PACKAGES = ("_pytest", "pytest", "py.py", "pluggy", "iniconfig", "packaging", "pygments")
AT_ONCE, EARLIER, LATER, NEVER = "then", "before", "later", "never"


def steps_of(rows: list[dict[str, str]]) -> Iterator[Step]:
    """Yield the steps of one prompt; a file is read before it is edited, as some clients demand."""
    for row in rows:
        given = {name: value for name, value in row.items() if name != "lesson"} | {"moment": row.get("lesson", "")}
        if "edit" in row:
            yield Step(read=row["edit"], moment=given["moment"], say=given.pop("say", ""))
        yield Step(**given)


def placed(folder: Path, client: Client, prefix: Path, source: str, record: Path | None) -> tuple[Place, Place]:
    """Make a clone with gitmem and two work trees, and return the places of both sessions."""
    place = empty(folder, "click", client, prefix, record)
    subprocess.run(["git", "clone", "-q", source, str(place.project)], check=True)
    place.do("git", "checkout", "-q", "-B", "main", DAY["commit"])
    place.do("gitmem", "init")
    install(place)
    site = folder / "site"
    site.mkdir()
    import pytest

    for name in PACKAGES:
        found = Path(pytest.__file__).parents[1] / name
        if found.exists():
            (site / name).symlink_to(found)
    run = f'PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}{site}" exec {sys.executable} -S -m pytest "$@"'
    program(place.home / "bin/pytest", f"#!/bin/sh\n{run}\n")
    program(place.home / "bin/ruff", f'#!/bin/sh\nexec {Path(sys.executable).parent / "ruff"} "$@"\n')
    for name in ("one", "two"):
        place.do("git", "worktree", "add", "-q", "-b", name, f"../{name}")
    return replace(place, project=folder / "one"), replace(place, project=folder / "two")


def played(place: Place, turns: list[dict[str, Any]]) -> list[Turn]:
    """Let the client work on the prompts of one session."""
    return [place.ask(turn["prompt"], steps_of(turn["steps"]), again=number > 0) for number, turn in enumerate(turns)]


def judged(turns: list[Turn]) -> dict[str, str]:
    """Return for each lesson when it came back."""
    found: dict[str, str] = {}
    marks = {lesson["key"]: lesson["mark"] for lesson in DAY["lessons"]}
    before: Any = []
    for row, turn in zip(DAY["later"], turns, strict=True):
        main = [json.loads(one) for one in turn.model.main_requests()]
        moments = [(row["lesson"], (before, main[0] if main else []))]
        moments += [(step["lesson"], turn.model.around(step["lesson"])) for step in row["steps"] if "lesson" in step]
        for lesson, pair in moments:
            had, has = (marks[lesson] in text_of(one) for one in pair) if pair else (False, False)
            found[lesson] = EARLIER if had else AT_ONCE if has else NEVER
        before = main[-1] if main else before
    whole = text_of([one["body"] for turn in turns for one in turn.model.requests])
    return {key: LATER if found[key] == NEVER and mark in whole else found[key] for key, mark in marks.items()}


def main() -> None:
    """Play the day with each client and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", help=f"of {', '.join(CLIENTS)}; {', '.join(CHOSEN)} by default")
    parser.add_argument("--folder", type=Path, default=Path("build/clients"), help="the scratch folder")
    parser.add_argument("--source", default=DAY["repository"], help="a clone of the repository")
    parser.add_argument("--record", action="store_true", help="keep what hooks are told and the model is asked")
    args = parser.parse_args()
    folder = args.folder.resolve()
    chosen = [CLIENTS[name] for name in args.clients or CHOSEN]
    versions = installed(folder / "npm", chosen)
    table: dict[str, dict[str, str]] = {}
    for client in chosen:
        record = folder / "recorded" / f"{client.client}-day" if args.record else None
        if record:
            record.mkdir(parents=True, exist_ok=True)
        first, second = placed(folder / f"{client.client}-day", client, folder / "npm", args.source, record)
        try:
            played(first, DAY["learned"])
            print(f"{client.client}: {len(settled(first))} memories", file=sys.stderr)
            table[f"{client.client} {versions[client.client]}"] = judged(played(second, DAY["later"]))
        finally:
            (folder / f"{client.client}-day.log").write_text("\n".join(first.log))
    print(f"| lesson | at | {' | '.join(table)} |\n|---|---|{'---|' * len(table)}")
    for lesson in DAY["lessons"]:
        cells = " | ".join(column[lesson["key"]] for column in table.values())
        print(f"| `{lesson['key']}` | {lesson['moment']} | {cells} |")
    for moment in ("prompt", "command", "edit", ""):
        keys = [lesson["key"] for lesson in DAY["lessons"] if moment in ("", lesson["moment"])]
        counts = [Counter(column[key] for key in keys) for column in table.values()]
        cells = " | ".join(f"{one[AT_ONCE]} + {one[EARLIER]} of {len(keys)}" for one in counts)
        print(f"| {AT_ONCE} + {EARLIER} | {moment or 'all'} | {cells} |")


if __name__ == "__main__":
    main()
