"""Kill the parts of a hub in the middle of their work, and count what is lost or done twice.

    .venv/bin/python -m benchmarks.hub_kills [--kills 50] [--seed 1] [--write]

Each round pushes a memory to a repository, and a commit that changes whether its fact holds. While `hub sync
--every 1`, two workers and two servers do what follows, one of these or the database is killed with SIGKILL and
started again. A memory that a server does not find afterwards, and a commit whose verdict does not come, is lost; a
memory that is found twice, and a second verdict about one commit, is double. While a server is dead or stopped by
SIGSTOP, as behind a network that answers nothing, a client's recall must print its local memory.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.hubs import ask, token_file
from support.postgres import OWNER, SERVER, Postgres, make_cluster, make_template, running

from benchmarks.record import record
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.hub import registry
from gitmem.hub.database import connected

GITMEM = [sys.executable, "-P", "-m", "gitmem"]
VICTIMS = ("worker", "server", "database", "sync")
REPOSITORIES, WORKERS, SERVERS = 3, 2, 2
# Seconds after which others take the job of a dead worker; until a round has failed; and at most until the kill.
DEAD_AFTER_S, PATIENCE_S, MIDDLE_S = 6, 240.0, 2.0
# What a client may take: the hub has 300 ms, and the rest is a busy machine's.
CLIENT_S = 30.0
TOKEN = "ana-token"


@frozen
class Found:
    """What a series of kills did.

    Attributes:
        kills: How many parts were killed.
        lost: Memories that a server did not find, and commits without a verdict.
        double: Memories that were found twice, and further verdicts about one commit.
        recalls: How often a client asked while its server was dead or stopped.
        silent: How many of these did not print the local memory.
    """

    kills: int
    lost: int
    double: int
    recalls: int
    silent: int


def run(*argv: str, cwd: Path | None = None, input: bytes | None = None, check: bool = True) -> str:
    """Return what a program prints."""
    return subprocess.run(argv, cwd=cwd, input=input, check=check, capture_output=True).stdout.decode()


def commit(folder: Path, branch: str, path: str, text: str) -> None:
    """Commit a file to a branch of a bare repository."""
    data = text.encode()
    stream = f"commit refs/heads/{branch}\ncommitter Ben <ben@example.org> now\ndata 1\nx\nfrom refs/heads/{branch}^0\n"
    stream += f"M 644 inline {path}\ndata {len(data)}\n"
    argv = ("git", "-C", str(folder), "fast-import", "--quiet", "--date-format=now")
    run(*argv, input=stream.encode() + data + b"\n")


class Trial:
    """A hub whose parts are processes that can be killed and started again."""

    def __init__(self, scratch: Path, random_: random.Random) -> None:
        self.scratch, self.random = scratch, random_
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.addresses: dict[str, str] = {}
        self.cluster = make_cluster()
        self.database = ExitStack()
        self.log = open(scratch / "log", "ab")  # noqa: SIM115 - closed with the trial
        self.remotes = self._make_remotes()
        self._start_database()
        postgres = Postgres(str(self.cluster))
        name = make_template(postgres)
        self.owner, self.serving = postgres.url(name, OWNER), postgres.url(name, SERVER)
        with connected(self.owner) as connection:
            for remote in self.remotes:
                registry.add(connection, registry.Entry(str(remote), name=remote.stem, readers=("everyone",)))
        self.tokens = token_file(scratch, ana=())
        for name in ("sync", *(f"worker {n}" for n in range(WORKERS)), *(f"server {n}" for n in range(SERVERS))):
            self.start(name)

    def _make_remotes(self) -> list[Path]:
        """Make bare repositories, each with a fact that holds or not, and the client's repository."""
        self.local = self.scratch / "local"
        run("git", "init", "-q", "-b", "main", str(self.local))
        for name, value in (("user.name", "Ana"), ("user.email", "ana@example.org")):
            run("git", "-C", str(self.local), "config", name, value)
        (self.local / "config.py").write_text("PORT = 8080\n")
        run("git", "add", ".", cwd=self.local)
        run("git", "commit", "-qm", "the service", cwd=self.local)
        run(*GITMEM, "init", cwd=self.local)
        fact = ("--contains", "PORT = 8080", "--in", "config.py", "--key", "port")
        run(*GITMEM, "fact", "The service listens on 8080", *fact, cwd=self.local)
        remotes = [self.scratch / "git" / f"r{number}.git" for number in range(REPOSITORIES)]
        for remote in remotes:
            run("git", "clone", "-q", "--bare", str(self.local), str(remote))
        return remotes

    def _start_database(self) -> None:
        # What a server has acknowledged must survive its end: with synchronous_commit=off it does not.
        self.database.enter_context(running(self.cluster, "synchronous_commit=on"))

    def start(self, name: str) -> None:
        """Start a part."""
        kind, folder = name.partition(" ")[0], self.scratch / name.replace(" ", "-")
        words = {
            "sync": ("sync", "--every", "1", "--database", self.owner),
            "worker": ("work", "--dead-after", str(DEAD_AFTER_S), "--database", self.owner),
            "server": ("serve", "--port", "0", "--tokens", str(self.tokens), "--database", self.serving),
        }[kind]
        output = subprocess.PIPE if kind == "server" else self.log
        argv = ["setpriv", "--pdeathsig=KILL", "--", *GITMEM, "hub", *words, "--folder", str(folder)]
        process = subprocess.Popen(argv, stdout=output, stderr=self.log, text=True, start_new_session=True)
        self.processes[name] = process
        if kind == "server":
            assert process.stdout is not None
            self.addresses[name] = process.stdout.readline().strip()

    def kill(self, name: str) -> None:
        """Kill a part, and start it again; while a server is dead, a client asks it."""
        if name == "database":
            pids = _family(int((self.cluster / "data" / "postmaster.pid").read_text().split()[0]))
            os.kill(pids[0], signal.SIGKILL)
            self.database.close()
            until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
            self._start_database()
            return
        process = self.processes[name]
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self.start(name)

    def choose(self, kind: str) -> str:
        """Return the part to kill: of two workers the one that works, of two servers any."""
        if kind == "worker":
            names = [name for name in self.processes if name.startswith(kind)]
            busy = [name for name in names if len(_family(self.processes[name].pid)) > 1]
            return self.random.choice(busy or names)
        return f"server {self.random.randrange(SERVERS)}" if kind == "server" else kind

    def recalls_locally(self, address: str) -> bool:
        """Return whether a client prints its local memory when it asks a server."""
        env = {**os.environ, "GITMEM_HUB_TOKEN": TOKEN}
        argv = [*GITMEM, "recall", "--hub", address, "which", "port", "8080"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                argv, cwd=self.local, env=env, capture_output=True, text=True, check=False, timeout=CLIENT_S
            )
            return done.returncode == 0 and "The service listens on 8080" in done.stdout
        return False

    def paused(self) -> bool:
        """Stop a server as a network does that answers nothing; return whether a client answers."""
        name = self.choose("server")
        process = self.processes[name]
        os.kill(process.pid, signal.SIGSTOP)
        try:
            return self.recalls_locally(self.addresses[name])
        finally:
            os.kill(process.pid, signal.SIGCONT)

    def hits(self, word: str) -> list[int]:
        """Return how many memories each server finds for a word; -1 if it does not answer."""
        found = []
        for address in self.addresses.values():
            with contextlib.suppress(OSError):
                answer = ask(address, f"/search?q={word}", TOKEN)
                found.append(len(answer.json["hits"]) if answer.status == 200 else -1)
                continue
            found.append(-1)
        return found

    def is_judged(self, remote: Path) -> bool:
        """Return whether the verdict of a repository is about its newest code."""
        tip = run("git", "-C", str(remote), "rev-parse", "main").strip()
        return any(commit == tip for commit, _ in _verdicts(remote, "memory"))

    def doubles(self) -> int:
        """Return how many verdicts are further ones about the same code."""
        double = 0
        for remote in self.remotes:
            steps = run("git", "-C", str(remote), "log", "--format=%H", "memory", "--", "verdicts").split()
            found = {verdict for step in steps for verdict in _verdicts(remote, step)}
            double += len(found) - len({commit for commit, _ in found})
        return double

    def is_quiet(self) -> bool:
        """Return whether no job waits or runs."""
        try:
            with connected(self.owner) as connection:
                row = connection.execute("SELECT count(*) FROM public.procrastinate_jobs").fetchone()
        except GitmemError:  # the database starts
            return False
        return row == (0,)

    def close(self) -> None:
        """End all parts."""
        for process in self.processes.values():
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        self.database.close()
        self.log.close()
        shutil.rmtree(self.cluster, ignore_errors=True)


def _verdicts(remote: Path, commit: str) -> set[tuple[str, str]]:
    """Return the commit of the code and the time of each verdict in a commit of the memory branch."""
    paths = run("git", "-C", str(remote), "ls-tree", "-r", "--name-only", commit, "verdicts").split()
    texts = [run("git", "-C", str(remote), "show", f"{commit}:{path}") for path in paths]
    return {
        (str(verdict["commit"]), str(verdict["at"]))
        for text in texts
        for verdicts in tomllib.loads(text).values()
        for verdict in verdicts.values()
    }


def word_of(number: int) -> str:
    """Return a word of its own, without digits, at which an analysis splits."""
    return "gust" + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:04}")


def until(claim: Callable[[], object]) -> bool:
    """Return whether something came true in time."""
    deadline = time.monotonic() + PATIENCE_S
    while not claim():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def _family(pid: int) -> list[int]:
    """Return a process and its children."""
    found = [pid]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if stat.read_text().rpartition(")")[2].split()[1] == str(pid):
                found.append(int(stat.parent.name))
    return found


def measure(scratch: Path, kills: int, seed: int = 1, tell: Callable[[str], None] = lambda _: None) -> Found:
    """Kill parts of a hub, one in each round, and return what that did."""
    random_ = random.Random(seed)
    trial = Trial(scratch, random_)
    lost = recalls = silent = 0
    try:
        for number in range(kills):
            remote, kind = trial.remotes[number % REPOSITORIES], VICTIMS[number % len(VICTIMS)]
            port = 9090 if (number // REPOSITORIES) % 2 == 0 else 8080
            word = word_of(number)
            commit(remote, "memory", f"notes/{word}.md", f"---\ntitle: A {word} comes\nkind: note\n---\nIt goes.\n")
            commit(remote, "main", "config.py", f"PORT = {port}\n# {number}\n")
            time.sleep(random_.random() * MIDDLE_S)
            if kind == "worker":
                until(lambda: not trial.is_quiet())
                time.sleep(random_.random() * MIDDLE_S)
            victim = trial.choose(kind)
            dead = trial.addresses.get(victim, "")
            trial.kill(victim)
            answers = [trial.recalls_locally(dead)] if dead else []
            answers += [trial.paused()] if kind == "sync" else []
            recalls, silent = recalls + len(answers), silent + answers.count(False)
            is_found = until(lambda word=word: trial.hits(word) == [1] * SERVERS)
            is_judged = until(lambda remote=remote: trial.is_judged(remote) and trial.is_quiet())
            lost += (not is_found) + (not is_judged)
            tell(f"{number + 1} kills, the last of {victim}: {lost} lost; {silent} of {recalls} recalls silent")
        double = trial.doubles()
        for number in range(kills):
            counts = trial.hits(word_of(number))
            lost, double = lost + sum(one < 1 for one in counts), double + sum(one > 1 for one in counts)
    finally:
        trial.close()
    return Found(kills, lost, double, recalls, silent)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="record the figures")
    args = parser.parse_args()
    os.environ.update(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
    with tempfile.TemporaryDirectory(prefix="hub-kills-") as scratch:
        found = measure(Path(scratch), args.kills, args.seed, lambda line: print(line, flush=True))
    print(f"{found.kills} kills: {found.lost} lost, {found.double} double; {found.silent} of {found.recalls} silent")
    if args.write:
        values = {"hub-kills": found.lost + found.double, "hub-kills-clients": found.silent}
        parts = {"hub-kills": found.kills, "hub-kills-clients": found.recalls}
        record("hub", {name: {"measured": value, "of": parts[name]} for name, value in values.items()})


if __name__ == "__main__":
    main()
