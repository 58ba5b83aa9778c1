"""A scratch place for one client: its home folder, its project, the programs there, and what comes of a prompt."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clients.client import NODE, Client
from clients.model_server import Model, ModelServer, Step

if TYPE_CHECKING:
    from collections.abc import Iterable

PATIENCE_S = 240


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

    def ask(self, prompt: str, steps: Iterable[Step], *, again: bool = False, with_gitmem: bool = True) -> Turn:
        """Let the client work on one prompt."""
        words = self.client.again if again else self.client.prompt
        program = self.prefix / "node_modules/.bin" / self.client.program
        with ModelServer(steps, self.project) as server:
            env = self.environment(server.url, with_gitmem=with_gitmem)
            argv = [str(program), *words, prompt, *self.client.behind]
            started = time.monotonic()
            patience_s = PATIENCE_S + 2 * len(server.model.steps)
            try:
                done = subprocess.run(
                    argv, cwd=self.project, env=env, text=True, capture_output=True, check=False,
                    stdin=subprocess.DEVNULL, timeout=patience_s, start_new_session=True,
                )  # fmt: skip
                status, out = done.returncode, f"{done.stdout}\n{done.stderr}"
            except subprocess.TimeoutExpired as err:
                status, out = -1, f"timed out\n{err.stdout}\n{err.stderr}"
            self.log.append(f"## {prompt} ({time.monotonic() - started:.0f} s, status {status})\n{out}")
            if self.record:
                asked = [json.dumps(one["body"]) for one in server.model.requests]
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


def empty(folder: Path, name: str, client: Client, prefix: Path, record: Path | None) -> Place:
    """Make a home folder and an empty folder for a project, with gitmem on the search path."""
    shutil.rmtree(folder, ignore_errors=True)
    place = Place(folder / "home", folder / name, folder / "bin", client, prefix, record)
    for path in (place.home, place.project, place.bin):
        path.mkdir(parents=True)
    program(place.bin / "gitmem", _shim(Path(sys.executable).parent / "gitmem"))
    (place.home / "bin").mkdir()
    # Codex runs commands in a login shell, whose /etc/profile sets the search path anew.
    (place.home / ".profile").write_text(f'PATH="{place.home}/bin:{place.bin}:$PATH"\n')
    (place.home / ".gitconfig").write_text(
        "[user]\nname = Ana\nemail = ana@example.org\n[init]\ndefaultBranch = main\n"
    )
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


def program(path: Path, text: str) -> None:
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)


def install(place: Place) -> None:
    """Install gitmem into the project for its client, and commit that."""
    place.do("gitmem", "install", place.client.client, check=False)
    place.do("git", "add", ".")
    place.do("git", "commit", "-qm", "Install gitmem")


def commits(place: Place) -> int:
    """Return how many commits the memory branch has."""
    return int(place.do("git", "rev-list", "--count", "memory"))


def settled(place: Place) -> list[dict[str, Any]]:
    """Return the memories once nothing is being written any more."""
    state = Path(place.do("git", "rev-parse", "--path-format=absolute", "--git-common-dir").strip()) / "gitmem"
    before = -1
    for _ in range(60):
        pending = [*state.glob("background/*.asked"), *state.glob("background/*.started"), *state.glob("spool/*.json")]
        if not pending and commits(place) == before:
            break
        before = commits(place)
        time.sleep(0.5)
    found: list[dict[str, Any]] = json.loads(place.do("gitmem", "list", "--json", "--all"))["memories"]
    return found
