"""Count which ``LEARNED:`` lines are kept, however a session of a real client ends: ``make clients-kept``.

The same scratch folder, clients and model as ``clients.run``. Prints a table: kept lines of those that were said.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from clients.client import CLIENTS
from clients.model_server import AGENTS, ModelServer, Step, is_compaction, tools_of
from clients.moments import EAGER, MANY_TOKENS
from clients.place import Place, installed, settled
from clients.run import placed

if TYPE_CHECKING:
    from collections.abc import Callable

LONG_S, PATIENCE_S = 240, 180
# OpenCode starts a command before it stores the words before it: 5 ms, 120 ms where the machine has too much to do.
STORED_S = 1
# Lines that no two of are similar: each is one memory.
LINES = (
    "The queue worker must be restarted after each migration",
    "Ports of the staging cluster are listed in ports.yaml",
    "Fixture loading needs the timezone set to UTC",
    "Half a cent is rounded to even by the shipping calculator",
)


def learned(number: int) -> str:
    """Return a line that an agent says."""
    return f"LEARNED: {LINES[number]}."


def headless(place: Place) -> list[int]:
    """Say one before each of two calls and one at the end, and comment one, without any pause."""
    steps = [Step(say=learned(0), run="echo a"), Step(say=learned(1), run=f'bd comment shop-1 "{learned(2)}"')]
    place.ask("Look around.", [*steps, Step(say=f"Done.\n\n{learned(3)}")])
    return [0, 1, 2, 3]


def killed(place: Place) -> list[int]:
    """Say one and comment one, then be killed in the middle of a command; a new session comes later."""
    begun = place.project / ".git/begun"
    steps = [Step(say=learned(0), run=f'bd comment shop-1 "{learned(1)}"')]
    steps.append(Step(say=learned(2), run=f"touch .git/begun; sleep {LONG_S}"))
    with ModelServer(steps, place.project) as server:
        argv = [str(place.prefix / "node_modules/.bin" / place.client.program), *place.client.prompt, "Look around."]
        process = subprocess.Popen(
            [*argv, *place.client.behind], cwd=place.project, env=place.environment(server.url),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        until = time.monotonic() + PATIENCE_S
        while not begun.exists() and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(STORED_S)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if not begun.exists():
        raise SystemExit(f"{place.client.client} did not run the command within {PATIENCE_S} s")
    place.ask("Hello.", [Step(say="Hello.")])
    return [0, 1, 2]


def resumed(place: Place) -> list[int]:
    """Say one, and another in each of two continuations that follow at once."""
    place.ask("Look around.", [Step(say=learned(0))])
    place.ask("And now?", [Step(say=learned(1))], again=True)
    place.ask("And now?", [Step(say=learned(2))], again=True)
    return [0, 1, 2]


def dispatched(place: Place) -> list[int] | None:
    """Let a sub-agent say one; None where the client offers the model no sub-agent that can be called."""
    turn = place.ask(
        "Look around.", [Step(agent="Look at shop.py."), Step(say=f"Found.\n\n{learned(0)}"), Step(say="Ok.")]
    )
    has_any = any(name in AGENTS for one in turn.model.requests for name in tools_of(one["body"]))
    return [0] if has_any else None


def compacted(place: Place) -> list[int] | None:
    """Say two, let the client compact the session, say another and go on; None where it does not compact it."""
    if place.client.client in EAGER:
        name, settings = EAGER[place.client.client]
        path = place.project / name
        path.write_text(json.dumps((json.loads(path.read_text()) if path.exists() else {}) | settings))
    steps = [Step(say=learned(0), run="echo a"), Step(say=learned(1), run="echo b", tokens=MANY_TOKENS)]
    steps += [Step(run="echo c"), Step(say=f"Done.\n\n{learned(2)}", tokens=MANY_TOKENS)]
    turns = [place.ask("Look around.", steps), place.ask("And now?", [Step(say=learned(3))], again=True)]
    is_so = any(is_compaction(one["body"]) for turn in turns for one in turn.model.requests)
    return [0, 1, 2, 3] if is_so else None


STORIES: dict[str, Callable[[Place], list[int] | None]] = {
    "headless, without a pause": headless,
    "killed (`kill -9`)": killed,
    "resumed twice at once": resumed,
    "sub-agent": dispatched,
    "compacted": compacted,
}


def main() -> None:
    """Run the stories with each client and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", help=f"of {', '.join(CLIENTS)}; all by default")
    parser.add_argument("--story", choices=STORIES, help="only this one")
    parser.add_argument("--folder", type=Path, default=Path("build/clients"), help="the scratch folder")
    args = parser.parse_args()
    folder = args.folder.resolve()
    chosen = [CLIENTS[name] for name in args.clients or CLIENTS]
    versions = installed(folder / "npm", chosen)
    table: dict[str, list[str]] = {story: [] for story in STORIES}
    for client in chosen:
        for name, story in STORIES.items():
            if args.story not in (None, name):
                continue
            place = placed(folder / f"{client.client}-kept", client, folder / "npm", None)
            said = story(place)
            memories = json.dumps(settled(place))
            lost = [number for number in said or () if LINES[number] not in memories]
            cell = "none offered" if said is None else f"{len(said) - len(lost)} of {len(said)}"
            table[name].append(f"{cell} (lost: {lost})" if lost else cell)
            (folder / f"{client.client}-kept.log").write_text("\n".join(place.log))
            print(f"{client.client}, {name}: {table[name][-1]}", flush=True)
    print(f"| | {' | '.join(f'{one.client} {versions[one.client]}' for one in chosen)} |\n|---|{'---|' * len(chosen)}")
    for name, cells in table.items():
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
