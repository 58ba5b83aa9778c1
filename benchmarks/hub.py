"""Measure a hub on a PostgreSQL of its own: memories ingested per CPU second, and the time of a search.

    .venv/bin/python -m benchmarks.hub [--repositories N] [--memories N] [--write]

The repositories are made here, with memories of other sentences and words each. CPU seconds are those of this process
and of what it starts (git), without PostgreSQL's.
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
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

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
QUERIES = 200


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
def hub(scratch: Path) -> Iterator[tuple[str, str]]:
    """A hub on a server of its own: the URLs of its owner and of its search nodes."""
    cluster = make_cluster()
    try:
        with running(cluster):
            postgres = Postgres(str(cluster))
            name = make_template(postgres)
            yield postgres.url(name, OWNER), postgres.url(name, SERVER)
    finally:
        shutil.rmtree(cluster)


def cpu() -> float:
    """Return the CPU seconds of this process and of those that it started and that ended."""
    own, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + theirs.ru_utime + theirs.ru_stime


def measure(scratch: Path, repositories: int, memories: int) -> dict[str, float]:
    """Return the figures by name."""
    folders = [scratch / "git" / f"r{number}.git" for number in range(repositories)]
    for number, folder in enumerate(folders):
        make_repository(folder, number, memories)
    total = repositories * memories
    with hub(scratch) as (owner, serving):
        with connected(owner) as connection:
            for folder in folders:
                registry.add(connection, registry.Entry(str(folder), name=folder.stem, readers=("everyone",)))
        start, began = cpu(), time.monotonic()
        done = list(ingest.sync(owner, scratch / "mirrors"))
        used, waited = cpu() - start, time.monotonic() - began
        assert sum(one.changed for one in done) == total, done
        start, began = cpu(), time.monotonic()
        node = SearchNode(serving, scratch / "node")
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
    return {
        "memories": total,
        "ingested per CPU second": total / used,
        "ingested per second": total / waited,
        "indexed per CPU second": total / indexed,
        "search p50, ms of CPU": times[QUERIES // 2] * 1000,
        "search p95, ms of CPU": times[QUERIES * 95 // 100] * 1000,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--memories", type=int, default=500)
    parser.add_argument("--write", action="store_true", help="record the figures")
    args = parser.parse_args()
    os.environ.update(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
    with tempfile.TemporaryDirectory(prefix="hub-bench-") as scratch:
        found = measure(Path(scratch), args.repositories, args.memories)
    for name, value in found.items():
        print(f"{name}: {value:,.1f}")
    if args.write:
        values = [found[name] for name in ("ingested per CPU second", "search p50, ms of CPU", "search p95, ms of CPU")]
        ingest_rate, median, late = (round(value, 1) for value in values)
        figures = {"hub-ingest": round(ingest_rate, -1), "hub-search": median, "hub-search-p95": late}
        record("speed", {name: {"measured": value} for name, value in figures.items()})


if __name__ == "__main__":
    main()
