"""Run the real clients against a model on this machine, with gitmem and without: ``make clients``.

Everything is in a scratch folder: the clients (installed from npm), an empty home folder for each run, and a repository
with a memory. Nothing leaves this machine but npm's downloads. Prints a table, one column for each client.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from clients import moments
from clients.client import CLIENTS, Client
from clients.model_server import Step
from clients.place import Place, commits, empty, install, installed, program, settled

# A memory that only its prompt brings, and one that is new enough for every start of a session.
ASKED = "How does the shipping calculator round a price of half a cent?"
ANSWER = "The shipping calculator rounds half a cent to even"
NEWEST = "The staging gateway drops requests without a trace id"
COMMENTED = "The fixture loader needs the timezone set to UTC"
SAID = "The queue worker must be restarted after each migration"
# What the context of a start begins with, and the heading above what others wrote since.
GREETING = "Save what you learn: gitmem remember"
NEWS = "WRITTEN SINCE"
WRITTEN = "Resumed sessions are not told this sentence again"
LESSON = "The {} ledger entry is rounded before the tax is added"
BD = '#!/bin/sh\necho "comment added"\n'
FIRST = [
    Step(run="echo hello"),
    Step(run=f'bd comment shop-12 "LEARNED: {COMMENTED}."'),
    Step(run="grep -q nothing shop.py"),
    Step(write="notes.txt", content="one\ntwo\n"),
    Step(run=f'gitmem remember "{WRITTEN}. It is its own."'),
    Step(say=f"All done.\n\nLEARNED: {SAID}, because it caches the schema."),
]


def placed(folder: Path, client: Client, prefix: Path, record: Path | None) -> Place:
    """Make a home folder and a repository with a memory for a client."""
    place = empty(folder, "shop", client, prefix, record)
    program(place.home / "bin/bd", BD)
    (place.project / "shop.py").write_text("def price():\n    return 1\n")
    for argv in (("init", "-q"), ("add", "."), ("commit", "-qm", "Shop")):
        place.do("git", *argv)
    place.do("gitmem", "init")
    place.do("gitmem", "remember", f"{ANSWER}. Otherwise the bank's totals differ.", "--kind", "gotcha")
    for number in range(8):
        place.do("gitmem", "remember", f"Filler {number} is about the colour of button {number}. No more.")
    time.sleep(1.1)  # a start shows the newest memories, which are told apart by seconds
    place.do("gitmem", "remember", f"{NEWEST}. The proxy strips it.", "--kind", "gotcha")
    install(place)
    return place


def tried(place: Place, calls: int) -> dict[str, str]:
    """Run one client through the whole story, and return the cells of its column."""
    before = commits(place)
    first = place.ask(ASKED, FIRST)
    memories = [json.dumps(one) for one in settled(place)]
    told_once = first.count(GREETING)
    again = place.ask("And what is left to do?", [Step(say="Nothing.")], again=True)
    settled(place)
    cells = {
        "status": str(first.status),
        "digest reaches the model": _word(first.has(NEWEST)),
        "prompt memory reaches it": _word(first.has(ANSWER)),
        "`LEARNED:` comment captured": _word(any(COMMENTED in one for one in memories)),
        "`LEARNED:` words captured": _word(any(SAID in one for one in memories)),
        "digests in a session / when continued": f"{told_once} / {again.count(GREETING)}",
        "its own memories shown as news when continued": _word(again.has(NEWS)),
        "commits of the session": str(commits(place) - before),
    }
    if calls:
        before = commits(place)
        place.ask("Count.", [*map(long_step, range(calls)), Step(say=f"LEARNED: {LESSON.format('last')}")])
        settled(place)
        cells[f"commits of {calls} tool calls"] = str(commits(place) - before)
    bare = place.ask("Hello.", [Step(run="echo hi"), Step(say="Hello.")], with_gitmem=False)
    cells["without gitmem: status, complaints"] = f"{bare.status}, {_word('gitmem: ' in bare.output)}"
    place.do("gitmem", "uninstall", place.client.client, check=False)
    place.do("git", "rm", "-rq", "--cached", ".")
    place.do("git", "add", ".")
    left = place.do("git", "diff", "--cached", "--name-only", "HEAD~1", "--", ".", ":!notes.txt").split()
    cells["left after uninstall"] = ", ".join(left) or "nothing"
    return cells


def long_step(number: int) -> Step:
    """Return one call of a long session, in which each 25th call is a comment with a lesson."""
    lesson = LESSON.format(f"{number}th")
    return Step(run=f"echo {number}" if number % 25 else f'bd comment shop-{number} "LEARNED: {lesson}"')


def _word(is_so: bool) -> str:
    return "yes" if is_so else "no"


def main() -> None:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", help=f"of {', '.join(CLIENTS)}; all by default")
    parser.add_argument("--folder", type=Path, default=Path("build/clients"), help="the scratch folder")
    parser.add_argument("--calls", type=int, default=200, help="tool calls of the long session; 0 for none")
    parser.add_argument("--record", action="store_true", help="keep what hooks are told and the model is asked")
    parser.add_argument("--moments", action="store_true", help="only what reaches the model at each moment")
    args = parser.parse_args()
    chosen = [CLIENTS[name] for name in args.clients or CLIENTS]
    folder = args.folder.resolve()
    versions = installed(folder / "npm", chosen)
    table: dict[str, dict[str, str]] = {}
    for client in chosen:
        record = folder / "recorded" / client.client if args.record else None
        if record:
            record.mkdir(parents=True, exist_ok=True)
        place = placed(folder / client.client, client, folder / "npm", record)
        name = f"{client.client} {versions[client.client]}"
        other = placed(folder / f"{client.client}-moments", client, folder / "npm", record)
        try:
            table[name] = ({} if args.moments else tried(place, args.calls)) | moments.tried(other)
        finally:
            (folder / f"{client.client}.log").write_text("\n".join(place.log + other.log))
        print(f"{name}: {table[name]}", file=sys.stderr)
    rows = list(dict.fromkeys(row for column in table.values() for row in column))
    print(f"| | {' | '.join(table)} |\n|---|{'---|' * len(table)}")
    for row in rows:
        print(f"| {row} | {' | '.join(column.get(row, '') for column in table.values())} |")


if __name__ == "__main__":
    main()
