"""Generate a repository with code and a store of memories: the same bytes for the same seed, in seconds.

An independent writer of the layout: it uses no code of gitmem, so that a store it made is also a
test of the reader. Everything goes into the repository by one ``git fast-import`` for the code and one for the store.

    python benchmarks/generate.py /tmp/big --memories 100000 --files 2000
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import IO

from benchmarks import codebase
from benchmarks import vocabulary as words
from benchmarks.codebase import Claim, CodeFile
from benchmarks.texts import Writer

# The shares of the kinds in a team's store: mostly what was learnt, and what to beware of.
MIX = {
    "learned": 0.31,
    "gotcha": 0.18,
    "fact": 0.17,
    "pattern": 0.13,
    "decision": 0.12,
    "recipe": 0.05,
    "convention": 0.04,
}
FACTS_ONLY = {"fact": 1.0}
TASKS_ONLY = {"task": 1.0}
FOLDERS = {
    "learned": "learned",
    "gotcha": "gotchas",
    "fact": "facts",
    "pattern": "patterns",
    "decision": "decisions",
    "recipe": "recipes",
    "convention": "conventions",
    "task": "tasks",
}
# The shares of tasks that require an earlier one, are part of one, failed once, and are closed.
WAITS_SHARE, PART_SHARE, FAILED_SHARE, CLOSED_SHARE = 0.6, 0.4, 0.3, 0.3
# The shares of memories that supersede an earlier one of their kind, and that require an earlier fact.
SUPERSEDES_SHARE = 0.03
REQUIRES_SHARE = 0.08

# The store's layout and its deterministic root (the constants are those of gitmem.store.layout).
SPLIT_ABOVE = 500
ROOT = b"gitmem <gitmem@localhost> 1767225600 +0000"
ROOT_MESSAGE = b"gitmem: root of the memory branch\n"

WRITER = b"Ana <ana@example.invalid>"
# The newest memory and the code commit are of this time (2026-11-01T00:00:00Z) unless another one is asked for.
END = 1793491200
YEAR_S = 365 * 86400

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 _./()-]*[A-Za-z0-9_./()-]")


@dataclass
class Memory:
    """One memory before it is written.

    Attributes:
        key: Unique in the store.
        kind: One of ``MIX``.
        title: One line.
        area: The area of the code it is about.
        paths: The code it is about; may be empty.
        check: The built-in check of a fact; empty for the others.
        links: ``requires``, ``supersedes`` and ``superseded_by``, by name.
        body: The Markdown below the frontmatter.
        created: Epoch seconds.
    """

    key: str
    kind: str
    title: str
    area: str
    paths: tuple[str, ...]
    check: dict[str, str]
    body: str
    created: int
    links: dict[str, str] = field(default_factory=dict)


def make_code(path: Path, files: int, seed: int = 1, *, end: int = END) -> None:
    """Make a repository at *path* whose branch ``main`` has *files* code files, checked out, in one commit."""
    _init(path)
    with _fast_import(path) as stream:
        stream.write(_commit(b"refs/heads/main", WRITER + b" %d +0000" % end, b"Import the service\n"))
        for file in codebase.code_files(files, seed):
            stream.write(_file(file.path, file.text))
    _git(path, "reset", "-q", "--hard", "main")


def make_store(
    path: Path,
    count: int,
    seed: int = 1,
    *,
    files: int = 2000,
    mix: dict[str, float] = MIX,
    end: int = END,
) -> None:
    """Write *count* memories to ``refs/heads/memory`` of the repository at *path*, which is made if it is missing.

    Args:
        path: The repository's folder.
        count: How many memories, >= 1.
        seed: What decides every byte, together with the other arguments.
        files: The memories are about the code that ``make_code(path, files, seed)`` makes.
        mix: The kinds and their shares, which add up to 1.
        end: When the newest memory was created, epoch seconds; the oldest is a year older.
    """
    _init(path)
    memories = list(iter_memories(count, seed, code=codebase.code_files(files, seed), mix=mix, end=end))
    folders = Counter(FOLDERS[memory.kind] for memory in memories)
    with _fast_import(path) as stream:
        stream.write(_commit(b"refs/heads/memory", ROOT, ROOT_MESSAGE))
        stream.write(_commit(b"refs/heads/memory", WRITER + b" %d +0000" % end, b"import: generated memories\n"))
        for memory in memories:
            folder = FOLDERS[memory.kind]
            stream.write(_file(place(folder, memory.key, split=folders[folder] > SPLIT_ABOVE), text_of(memory)))


def place(folder: str, key: str, *, split: bool) -> str:
    """Return where a memory lies in the store."""
    return f"{folder}/{sha256(key.encode()).hexdigest()[:2]}/{key}.md" if split else f"{folder}/{key}.md"


def iter_memories(count: int, seed: int, *, code: list[CodeFile], mix: dict[str, float], end: int) -> Iterator[Memory]:
    """Yield the memories, the oldest first; a memory may be changed until the last one was taken (its links)."""
    rng = Random(f"{seed}/memories")
    writer = Writer(rng, [file.path for file in code])
    kinds = list(rng.choices(list(mix), weights=list(mix.values()), k=count))
    taken: set[str] = set()
    earlier: dict[str, list[Memory]] = {kind: [] for kind in mix}
    for number, kind in enumerate(kinds):
        created = end - YEAR_S + (number + 1) * YEAR_S // count
        memory = _memory(rng, writer, code, kind=kind, created=created, taken=taken)
        _link(rng, memory, earlier)
        earlier[kind].append(memory)
        yield memory


def _memory(rng: Random, writer: Writer, code: list[CodeFile], *, kind: str, created: int, taken: set[str]) -> Memory:
    writer.begin()
    said = "recipe" if kind == "task" else kind  # both say what to do
    if kind == "fact":
        claimed = codebase.claim(rng, code)
        writer.area = claimed.area
    else:
        area = writer.area
        near = f"src/{area}/**" if rng.random() < 0.4 else codebase.path_in(area, rng, len(code))
        claimed = Claim(writer.title(said), area, {}, (near,) if rng.random() < 0.6 else ())
    return Memory(
        key=_key(kind, claimed.title, taken),
        kind=kind,
        title=claimed.title,
        area=writer.area,
        paths=claimed.paths,
        check=claimed.check,
        body=writer.body(said),
        created=created,
    )


def _key(kind: str, title: str, taken: set[str]) -> str:
    """Return the kind and a slug of the first 60 characters; where that is taken, with a number behind it."""
    slug = re.sub(r"[^a-z0-9]+", "-", title[:60].lower()).strip("-")
    key = base = f"{kind}-{slug}"
    number = 2
    while key in taken:
        key = f"{base}-{number}"
        number += 1
    taken.add(key)
    return key


def _link(rng: Random, memory: Memory, earlier: dict[str, list[Memory]]) -> None:
    """Give some memories a link to an earlier one; a superseded memory names its successor, as gitmem keeps it."""
    facts, same = earlier.get("fact", []), earlier[memory.kind]
    if memory.kind == "task":
        for name, share in (("requires", WAITS_SHARE), ("parent", PART_SHARE)):
            if same and rng.random() < share:
                memory.links[name] = same[int(rng.random() * len(same))].key
        return
    if facts and rng.random() < REQUIRES_SHARE:
        memory.links["requires"] = facts[int(rng.random() * len(facts))].key
    if same and memory.kind != "fact" and rng.random() < SUPERSEDES_SHARE:
        old = same[int(rng.random() * len(same))]
        if "superseded_by" not in old.links:
            memory.links["supersedes"] = old.key
            old.links["superseded_by"] = memory.key


def text_of(memory: Memory) -> str:
    """Return the file of a memory."""
    number = int(sha256(memory.key.encode()).hexdigest()[:8], 16)
    tags = [
        memory.area,
        words.NOUNS[number % len(words.NOUNS)],
        words.TECHNOLOGIES[number % len(words.TECHNOLOGIES)].lower(),
    ]
    lines = ["---", f"title: {_scalar(memory.title)}", f"kind: {memory.kind}"]
    lines.append(f"tags: [{', '.join(tags[: 1 + number % 3])}]")
    if memory.paths:
        lines.append(f"paths: [{', '.join(memory.paths)}]")
    if memory.kind == "pattern":
        lines.append(f"refs: ['{codebase.code_path(number % 2000)[0]}:{1 + number % 40}']")
    if memory.check:
        lines.append(f"verify: {{{', '.join(f'{k}: {json.dumps(v)}' for k, v in memory.check.items())}}}")
    lines += [f"{name}: {_listed(name, key)}" for name, key in memory.links.items()]
    if memory.kind == "task":
        lines += _task_lines(number)
    lines.append(f"importance: {('low', 'medium', 'high')[number % 3]}")
    lines.append("project: shop")
    lines.append(f"created: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(memory.created))}")
    lines.append(
        f"by: {{who: {words.PEOPLE[number % len(words.PEOPLE)]}, agent: {words.AGENTS[number % len(words.AGENTS)]}}}"
    )
    if number % 4 == 0:
        lines.append(f"task: T-{number % 3000}")
    return "\n".join([*lines, "---", memory.body])


def _task_lines(number: int) -> list[str]:
    """Return priority and state of a task, its failed attempt and how it was closed, by its number."""
    lines, share = [f"priority: {number % 5}"], number % 1000 / 1000
    if (number // 1000) % 1000 / 1000 < FAILED_SHARE:
        lines.append("attempts:\n  - {num: 1, outcome: failed, who: ana, notes: the gateway strips it}")
    if share < CLOSED_SHARE:
        return [*lines, "state: closed", "closed: {when: 2026-10-01T00:00:00Z, who: ana, reason: done}"]
    return [*lines, "state: open"]


def _listed(name: str, key: str) -> str:
    return key if name in ("superseded_by", "parent") else f"[{key}]"


def _scalar(text: str) -> str:
    """Return a YAML scalar: plain where that is safe (YAML 1.2.2, 7.3.3), else double-quoted as in JSON."""
    return text if PLAIN.fullmatch(text) else json.dumps(text)


@contextmanager
def _fast_import(path: Path) -> Iterator[IO[bytes]]:
    """Give the input of a ``git fast-import``; wait for it at the end of the block.

    Raises:
        RuntimeError: It said no; git's own message is on stderr.
    """
    argv = ["git", "fast-import", "--quiet"]
    process = subprocess.Popen(argv, cwd=path, env=environment(), stdin=subprocess.PIPE)
    assert process.stdin
    with process.stdin:
        yield process.stdin
    if process.wait():
        raise RuntimeError(f"git fast-import ended with {process.returncode}")


def _commit(ref: bytes, who: bytes, message: bytes) -> bytes:
    return b"commit %s\ncommitter %s\ndata %d\n%s\n" % (ref, who, len(message), message)


def _file(path: str, text: str) -> bytes:
    data = text.encode()
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)


def _init(path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
    if not (path / ".git").exists():
        _git(path, "init", "-q", "-b", "main")
        _git(path, "config", "user.name", "Ana")
        _git(path, "config", "user.email", "ana@example.invalid")


def _git(path: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=path, env=environment(), check=True)


def environment() -> dict[str, str]:
    """Return the environment for git: no ``GIT_*`` of a caller, and no settings of this person or machine."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**env, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def main(argv: Iterable[str] | None = None) -> int:
    """Generate what the command line asks for, and say how long it took."""
    parser = argparse.ArgumentParser(description="Generate a repository with code and memories, always the same.")
    parser.add_argument("directory", type=Path, help="the repository; made if it is missing")
    parser.add_argument("--memories", type=int, default=10_000, help="how many memories (10000)")
    parser.add_argument("--files", type=int, default=2_000, help="how many code files (2000)")
    parser.add_argument("--facts", action="store_true", help="facts with built-in checks only")
    parser.add_argument("--tasks", action="store_true", help="tasks only")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives another store (1)")
    parser.add_argument("--end", type=int, default=END, help="when the newest memory was made, epoch seconds")
    options = parser.parse_args(argv if argv is None else list(argv))
    started = time.perf_counter()
    make_code(options.directory, options.files, options.seed, end=options.end)
    mix = FACTS_ONLY if options.facts else TASKS_ONLY if options.tasks else MIX
    make_store(options.directory, options.memories, options.seed, files=options.files, mix=mix, end=options.end)
    seconds = time.perf_counter() - started
    print(f"{options.directory}: {options.memories} memories, {options.files} code files, {seconds:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
