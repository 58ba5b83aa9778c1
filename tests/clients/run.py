"""Run the real clients against a model on this machine, with gitmem and without: ``make clients``.

Everything is in a scratch folder: the clients (installed from npm), an empty home folder for each run, and a repository
with a memory. Nothing leaves this machine but npm's downloads. Prints a table, one column for each client.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clients.client import CLIENTS, NODE, Client
from clients.model_server import Model, ModelServer, Step

PATIENCE_S = 240
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


@dataclass
class Place:
    """A scratch home folder and project for one client."""

    home: Path
    project: Path
    bin: Path
    client: Client
    prefix: Path
    record: Path | None = None
    log: list[str] = field(default_factory=list)

    def environment(self, url: str = "http://127.0.0.1:9", *, with_gitmem: bool = True) -> dict[str, str]:
        """Return the environment of a client, and of the programs that it starts."""
        mine = [str(self.bin)] if with_gitmem else []
        (self.home / "bin").mkdir(exist_ok=True)
        found = [str(self.home / "bin"), *mine, str(node_of(self.prefix).parent), "/usr/local/bin", "/usr/bin", "/bin"]
        message = {"HOME": str(self.home), "PATH": ":".join(found), "LANG": "C.UTF-8", "TERM": "dumb", "NO_PROXY": "*"}
        return message | ({"CLIENTS_RECORD": str(self.record)} if self.record else {}) | self.prepared(url)

    def prepared(self, url: str) -> dict[str, str]:
        """Write what the client reads, and return its variables."""
        return self.client.prepare(self.home, self.project, url)

    def do(self, *argv: str, check: bool = True, **options: Any) -> str:
        """Run a program in the project and return what it prints."""
        done = subprocess.run(
            argv, cwd=self.project, env=self.environment(), text=True, capture_output=True, check=False, **options
        )
        if check and done.returncode:
            raise SystemExit(f"{argv}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def ask(self, prompt: str, steps: list[Step], *, again: bool = False, with_gitmem: bool = True) -> Turn:
        """Let the client work on one prompt."""
        words = self.client.again if again else self.client.prompt
        program = self.prefix / "node_modules/.bin" / self.client.program
        with ModelServer(steps) as server:
            env = self.environment(server.url, with_gitmem=with_gitmem)
            argv = [str(program), *words, prompt, *self.client.behind]
            started = time.monotonic()
            try:
                done = subprocess.run(
                    argv, cwd=self.project, env=env, text=True, capture_output=True, check=False,
                    stdin=subprocess.DEVNULL, timeout=PATIENCE_S + 2 * len(steps), start_new_session=True,
                )  # fmt: skip
                status, out = done.returncode, f"{done.stdout}\n{done.stderr}"
            except subprocess.TimeoutExpired as err:
                status, out = -1, f"timed out\n{err.stdout}\n{err.stderr}"
            self.log.append(f"## {prompt} ({time.monotonic() - started:.0f} s, status {status})\n{out}")
            if self.record:
                asked = [json.dumps(one) for one in server.model.requests]
                (self.record.parent / f"{self.client.client}.{len(self.log)}.jsonl").write_text("\n".join(asked))
            return Turn(server.model, status, out)


@dataclass
class Turn:
    """What came of one prompt: what the model was asked, and how the client ended."""

    model: Model
    status: int
    output: str

    def has(self, text: str) -> bool:
        """Return whether a text reached the model in a request of the agent's."""
        return any(text in one for one in self.model.main_requests())

    def count(self, text: str) -> int:
        """Return how often a text is in the last request of the agent's."""
        return self.model.main_requests()[-1].count(text) if self.model.main_requests() else 0


def node_of(prefix: Path) -> Path:
    """Return the Node that the clients run with."""
    return prefix / "node_modules" / name_of(NODE) / "bin" / "node"


def installed(prefix: Path, clients: list[Client]) -> dict[str, str]:
    """Install the clients where they are missing, and return their versions."""
    prefix.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "PATH": f"{node_of(prefix).parent}:{os.environ['PATH']}"}
    for package in [NODE, *(client.package for client in clients)]:
        name = name_of(package)
        if not (prefix / "node_modules" / name).exists():
            # For an older Node, npm takes an older version without a word: `@latest` says what is wanted.
            wanted = f"{package}@latest" if package == name else package
            subprocess.run(["npm", "install", "--silent", "--prefix", str(prefix), wanted], env=env, check=True)
    return {client.client: _version(prefix, client) for client in clients}


def _version(prefix: Path, client: Client) -> str:
    package = prefix / "node_modules" / name_of(client.package) / "package.json"
    return str(json.loads(package.read_text())["version"])


def name_of(package: str) -> str:
    """Return a package's name, without its version."""
    return package[:1] + package[1:].partition("@")[0]


def placed(folder: Path, client: Client, prefix: Path, record: Path | None) -> Place:
    """Make a home folder and a repository with a memory for a client."""
    shutil.rmtree(folder, ignore_errors=True)
    place = Place(folder / "home", folder / "shop", folder / "bin", client, prefix, record)
    for path in (place.home, place.project, place.bin):
        path.mkdir(parents=True)
    _program(place.bin / "gitmem", _shim(Path(sys.executable).parent / "gitmem"))
    (place.home / "bin").mkdir()
    _program(place.home / "bin/bd", BD)
    # Codex runs commands in a login shell, whose /etc/profile sets the search path anew.
    (place.home / ".profile").write_text(f'PATH="{place.home}/bin:{place.bin}:$PATH"\n')
    (place.home / ".gitconfig").write_text(
        "[user]\nname = Ana\nemail = ana@example.org\n[init]\ndefaultBranch = main\n"
    )
    (place.project / "shop.py").write_text("def price():\n    return 1\n")
    for argv in (("init", "-q"), ("add", "."), ("commit", "-qm", "Shop")):
        place.do("git", *argv)
    place.do("gitmem", "init")
    place.do("gitmem", "remember", f"{ANSWER}. Otherwise the bank's totals differ.", "--kind", "gotcha")
    for number in range(8):
        place.do("gitmem", "remember", f"Filler {number} is about the colour of button {number}. No more.")
    place.do("gitmem", "remember", f"{NEWEST}. The proxy strips it.", "--kind", "gotcha")
    place.do("gitmem", "install", client.client, check=False)
    place.do("git", "add", ".")
    place.do("git", "commit", "-qm", "Install gitmem")
    return place


def _shim(gitmem: Path) -> str:
    """Return a program that keeps what hooks are told where that is wanted, and calls gitmem."""
    return (
        "#!/bin/sh\n"
        'if [ "$1" = hook ] && [ -n "$CLIENTS_RECORD" ]; then\n'
        '  mkdir -p "$CLIENTS_RECORD"; f=$(mktemp "$CLIENTS_RECORD/$(date +%s%N).XXXX")\n'
        '  echo "$*" > "$f.args"; cat > "$f"\n'
        f'  {gitmem} "$@" < "$f" > "$f.out"; cat "$f.out"; exit 0\n'
        "fi\n"
        f'exec {gitmem} "$@"\n'
    )


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def commits(place: Place) -> int:
    """Return how many commits the memory branch has."""
    return int(place.do("git", "rev-list", "--count", "memory"))


def settled(place: Place) -> list[dict[str, Any]]:
    """Return the memories once nothing is being written any more."""
    before = -1
    for _ in range(60):
        state = place.project / ".git/gitmem"
        pending = [*state.glob("background/*.asked"), *state.glob("background/*.started"), *state.glob("spool/*.json")]
        if not pending and commits(place) == before:
            break
        before = commits(place)
        time.sleep(0.5)
    found: list[dict[str, Any]] = json.loads(place.do("gitmem", "list", "--json", "--all"))["memories"]
    return found


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
        try:
            table[name] = tried(place, args.calls)
        finally:
            (folder / f"{client.client}.log").write_text("\n".join(place.log))
        print(f"{name}: {table[name]}", file=sys.stderr)
    rows = list(dict.fromkeys(row for column in table.values() for row in column))
    print(f"| | {' | '.join(table)} |\n|---|{'---|' * len(table)}")
    for row in rows:
        print(f"| {row} | {' | '.join(column.get(row, '') for column in table.values())} |")


if __name__ == "__main__":
    main()
