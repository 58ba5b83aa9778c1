"""Measure a hub on a PostgreSQL of its own: ingest, search, bytes, many clients at once, and changes.

    .venv/bin/python -m benchmarks.hub [--repositories N] [--memories N] [--folder DIR] [--write]

The repositories are made here, with memories of other sentences and words each; ``--folder`` keeps them for the next
run. CPU seconds are those of this process and of what it starts (git), without PostgreSQL's, which have a line of their
own. Two servers answer the clients, each of whom has an identity, and sends its next question after the answer.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import isfinite
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.hubs import ask, token_file
from support.postgres import OWNER, SERVER, Postgres, make_cluster, make_template, running

from benchmarks.record import record
from gitmem.hub import ingest, registry
from gitmem.hub.database import connected
from gitmem.hub.follower import SearchNode
from gitmem.hub.search import HubQuery, search
from gitmem.policy.kinds import KINDS as KIND_TABLE

WORDS = 6_000
KINDS = ("fact", "gotcha", "pattern", "decision", "learned", "recipe", "principle", "note")
FOLDERS = {name: kind.folder for name, kind in KIND_TABLE.items()}
QUERIES, CLIENTS, EACH, CHANGES = 200, 100, 2, 5
# The figures of ``measured/hub.jsonl``, and to how many places they are rounded.
WRITTEN = {
    "hub-ingest": ("ingested per CPU second", -1),
    "hub-ingest-all": ("the same with PostgreSQL's", -1),
    "hub-index": ("indexed per CPU second", -1),
    "hub-search": ("search p50, ms of CPU", 1),
    "hub-search-p95": ("search p95, ms of CPU", 1),
    "hub-database": ("bytes of the database per memory", None),
    "hub-index-bytes": ("bytes of an index per memory", None),
    "hub-mirrors": ("bytes of the mirrors per memory", None),
    "hub-answer": ("1 at once: ms of the servers' CPU per answer", 1),
    "hub-clients": (f"{CLIENTS} at once: ms of the servers' CPU per answer", 1),
    "hub-clients-p95": (f"{CLIENTS} at once: p95, ms by the clock", None),
    "hub-unanswered": (f"{CLIENTS} at once: not answered, %", 1),
    "hub-change": ("seconds until a change is found", 1),
}


def sentence(random_: random.Random, length: int) -> str:
    """Return words as a text has them: a few often, most rarely (Zipf)."""
    picks = (int(WORDS ** random_.random()) for _ in range(length))
    return " ".join(f"w{pick:x}ord" if pick % 3 else f"set_{pick}_limit" for pick in picks)


def make_repository(folder: Path, number: int, memories: int) -> None:
    """Make a bare repository whose memory branch has this many memories."""
    random_ = random.Random(number)
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    stream = [b"commit refs/heads/memory\ncommitter Ana <ana@example.org> 1700000000 +0000\ndata 1\nx\n"]
    files = {"gitmem.toml": "format = 1\n"}
    for one in range(memories):
        kind = KINDS[one % len(KINDS)]
        check = "verify: {exists: README.md}\n" if kind == "fact" else ""
        head = f"title: {sentence(random_, 8)}\nkind: {kind}\ntags: [t{one % 40}, t{one % 7}]\n{check}"
        head += f"created: 2026-0{1 + one % 9}-1{one % 10}T09:30:00Z\nby: {{who: person-{one % 30}, agent: dev}}\n"
        files[f"{FOLDERS[kind]}/m{number}-{one}.md"] = f"---\n{head}---\n{sentence(random_, 60)}\n"
    for path, text in files.items():
        data = text.encode()
        stream.append(b"M 644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=b"".join(stream), check=True)


@contextlib.contextmanager
def hub() -> Iterator[tuple[str, str, Path]]:
    """A hub on a server of its own: the URLs of its owner and of its search nodes, and the folder of the server."""
    cluster = make_cluster()
    try:
        with running(cluster):
            postgres = Postgres(str(cluster))
            name = make_template(postgres)
            yield postgres.url(name, OWNER), postgres.url(name, SERVER), cluster
    finally:
        shutil.rmtree(cluster)


def cpu_of_database(cluster: Path) -> float:
    """Return the CPU seconds of a PostgreSQL server: of its processes, and of those that ended."""
    main = (cluster / "data" / "postmaster.pid").read_text().split()[0]
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = stat.read_text().rpartition(")")[2].split()  # proc(5): the second field is the name
            if stat.parent.name == main:
                total += sum(map(int, words[11:15]))
            elif words[1] == main:
                total += sum(map(int, words[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


def bytes_of(folder: Path) -> int:
    """Return the bytes of the files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


@contextlib.contextmanager
def server(url: str, folder: Path, tokens: Path) -> Iterator[tuple[str, int]]:
    """A server of the hub as a process of its own: its address and its number."""
    argv = [sys.executable, "-m", "gitmem", "hub", "serve", "--port", "0", "--tokens", str(tokens)]
    argv += ["--folder", str(folder), "--database", url]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.kill()


def cpu_of(number: int) -> float:
    """Return the CPU seconds of a process."""
    words = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:13])) / os.sysconf("SC_CLK_TCK")


def ask_at_once(addresses: Sequence[str], clients: int) -> tuple[list[float], Counter[str]]:
    """Let many clients begin at once: return the seconds of each answer, infinite if there was none, and what came."""
    barrier, came = threading.Barrier(clients), Counter[str]()

    def client(number: int) -> list[float]:
        random_, times = random.Random(number), []
        barrier.wait()
        for _ in range(EACH):
            words, start = urllib.parse.quote(sentence(random_, 3)), time.monotonic()
            try:
                answer = ask(addresses[number % len(addresses)], f"/search?q={words}", f"c{number}-token")
                what = str(answer.status) if answer.status == 200 else f"{answer.status} {answer.json['error']}"
            except (OSError, ValueError) as err:
                what = repr(err)
            times.append(time.monotonic() - start if what == "200" else float("inf"))
            came[what] += 1
        return times

    with ThreadPoolExecutor(clients) as pool:
        return sorted(one for times in pool.map(client, range(clients)) for one in times), came


def seconds_until_found(owner: str, mirrors: Path, remote: Path, addresses: Sequence[str]) -> float:
    """Return the most seconds, of some changes, from the push of a memory until every server finds it."""
    found = []
    for number in range(CHANGES):
        word = f"fresh{'bcdfg'[number]}word"  # an analysis splits at digits
        text = f"---\ntitle: A {word} appears\nkind: note\n---\n".encode()
        stream = b"commit refs/heads/memory\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n"
        stream += b"from refs/heads/memory^0\nM 644 inline notes/%s.md\ndata %d\n%s\n" % (
            word.encode(),
            len(text),
            text,
        )
        subprocess.run(["git", "-C", str(remote), "fast-import", "--quiet"], input=stream, check=True)
        start = time.monotonic()
        list(ingest.sync(owner, mirrors, [remote.stem]))
        for address in addresses:
            while not ask(address, f"/search?q={word}", f"c{number}-token").json["hits"]:
                time.sleep(0.05)
        found.append(time.monotonic() - start)
    return max(found)


def cpu() -> float:
    """Return the CPU seconds of this process and of those that it started and that ended."""
    own, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + theirs.ru_utime + theirs.ru_stime


def measure(scratch: Path, kept: Path, repositories: int, memories: int) -> dict[str, float]:
    """Return the figures by name."""
    folders = [kept / f"r{number}-{memories}.git" for number in range(repositories)]
    shutil.rmtree(folders[0], ignore_errors=True)  # an earlier run pushed changes to it
    for number, folder in enumerate(folders):
        if not (folder / "refs" / "heads" / "memory").exists():
            make_repository(folder, number, memories)
    total, mirrors = repositories * memories, scratch / "mirrors"
    with hub() as (owner, serving, cluster):
        with connected(owner) as connection:
            for folder in folders:
                registry.add(connection, registry.Entry(str(folder), name=folder.stem, readers=("everyone",)))
        start, began, database = cpu(), time.monotonic(), cpu_of_database(cluster)
        assert sum(one.changed for one in ingest.sync(owner, mirrors)) == total
        used, waited, database = cpu() - start, time.monotonic() - began, cpu_of_database(cluster) - database
        start, node = cpu(), SearchNode(serving, scratch / "one" / "index")
        node.catch_up_now()
        indexed = cpu() - start
        random_, times = random.Random(7), []
        for _ in range(QUERIES):
            query = HubQuery(sentence(random_, 3))
            start = time.thread_time()
            search(node.engine.view(), node.repositories, query, now=1_800_000_000)
            times.append(time.thread_time() - start)
        node.close()
        times.sort()
        found = {
            "memories": total,
            "ingested per CPU second": total / used,
            "the same with PostgreSQL's": total / (used + database),
            "ingested per second": total / waited,
            "indexed per CPU second": total / indexed,
            "search p50, ms of CPU": times[QUERIES // 2] * 1000,
            "search p95, ms of CPU": times[QUERIES * 95 // 100] * 1000,
            "bytes of the database per memory": bytes_of(cluster / "data" / "base") / total,
            "bytes of an index per memory": bytes_of(scratch / "one") / total,
            "bytes of the mirrors per memory": bytes_of(mirrors) / total,
        }
        shutil.copytree(scratch / "one", scratch / "two")
        tokens = token_file(scratch, **{f"c{number}": () for number in range(CLIENTS)})
        with server(serving, scratch / "one", tokens) as one, server(serving, scratch / "two", tokens) as two:
            addresses = [one[0], two[0]]
            for address in addresses:
                while ask(address, "/readyz").status != 200:
                    time.sleep(0.1)
            for clients in (1, CLIENTS):
                start = cpu_of(one[1]) + cpu_of(two[1])
                times, came = ask_at_once(addresses, clients)
                for what, count in came.items():
                    print(f"{clients} at once: {count} answers: {what}")
                used = (cpu_of(one[1]) + cpu_of(two[1]) - start) / len(times)
                found |= {
                    f"{clients} at once: p95, ms by the clock": times[len(times) * 95 // 100] * 1000,
                    f"{clients} at once: not answered, %": 100 * times.count(float("inf")) / len(times),
                    f"{clients} at once: ms of the servers' CPU per answer": used * 1000,
                }
            found["seconds until a change is found"] = seconds_until_found(owner, mirrors, folders[0], addresses)
        return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--memories", type=int, default=500)
    parser.add_argument("--folder", type=Path, help="keep the repositories here, for the next run")
    parser.add_argument("--write", action="store_true", help="record the figures")
    args = parser.parse_args()
    os.environ.update(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
    with tempfile.TemporaryDirectory(prefix="hub-bench-") as scratch:
        kept = args.folder or Path(scratch) / "git"
        kept.mkdir(parents=True, exist_ok=True)
        found = measure(Path(scratch), kept, args.repositories, args.memories)
    for name, value in found.items():
        print(f"{name}: {value:,.1f}")
    if args.write:
        record(
            "hub",
            {
                # Rounded to tens, a float is still a float.
                name: {"measured": round(found[what], places) if places != -1 else int(round(found[what], places))}
                for name, (what, places) in WRITTEN.items()
                if isfinite(found[what])
            },
        )


if __name__ == "__main__":
    main()
