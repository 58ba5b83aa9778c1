"""Simulate a year of a team, and compare sizes and times of its repository at months 1, 3, 6 and 12.

    python -m benchmarks.growth                              4,800 commits of code, 960 memories, 300 facts: minutes
    python -m benchmarks.growth --scale 0.1 --rounds 3       a tenth of it
    python -m benchmarks.growth --write                      also record the figures

Ten people commit code that facts read, verify, remember, and synchronize; their five clients capture what sessions
learn. What is not measured is written in bulk: the code and the memory branch by one ``git fast-import`` each, with the
verdicts that ``gitmem verify`` would have recorded at the commits that it would have recorded them for, and merges as
sync makes them. All months are then measured by the real commands in one loop.
Exit status: 0 all goals are reached, 1 one is missed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.measure import Command, Figures, measure, table
from benchmarks.record import record
from benchmarks.stores import Stores, gitmem, say
from benchmarks.texts import Writer
from gitmem.store import layout
from gitmem.store.commit import pack
from gitmem.store.verdicts.buckets import join_bucket, split_bucket

MONTHS = (1, 3, 6, 12)
MONTH_S = 30 * 86_400
PEOPLE = 10
FILES = 200
LINES = 60
# What a month brings.
COMMITS, MEMORIES = 400, 80
FACTS = 300
# Memories that a client captures in one session, which are one commit; every second memory is captured.
CAPTURED = 4
CLIENTS = ("claude-code", "codex", "cursor", "gemini-cli", "opencode")
# Every so many commits of code break a fact, which the next commit mends; every so many of memory are a merge by sync.
BREAKS, MERGES = 5, 4
# A verdict for other inputs is recorded when it is a tenth of its time to live old (gitmem.verify.record).
RECORDED_AFTER_S = 3 * 86_400
GOALS = {"recall": 1.1, "log --limit 5": 1.3, "why": 1.3, "verify": 1.2}
MOST_MB = 30
QUESTION = ("recall", "socket", "pool", "timeout", "retry", "cache")


@dataclass
class Year:
    """The state of the team's repository while its history is written.

    Attributes:
        folder: The repository.
        rng: What decides everything.
        code: The texts of the code's files.
        commits: The names of the commits of code, oldest first.
        sections: The verdicts by bucket.
        judged: When the verdict of each fact was recorded.
        pending: Facts whose inputs have changed since.
    """

    folder: Path
    rng: Random
    code: dict[str, str] = field(default_factory=dict)
    commits: list[str] = field(default_factory=list)
    sections: dict[str, dict[tuple[str, str], bytes]] = field(default_factory=dict)
    judged: dict[int, int] = field(default_factory=dict)
    pending: set[int] = field(default_factory=set)


def make(stores: Stores, folder: Path, *, months: int, scale: float) -> None:
    """Make the repository of a team after so many months."""
    year = Year(folder, Random("growth"))
    start = stores.end - months * MONTH_S
    _begin(stores, year, start, facts=max(10, int(FACTS * scale)))
    commits, memories = int(COMMITS * scale) * months, int(MEMORIES * scale) * months
    changes = list(_code(year, commits, start, months * MONTH_S))
    _fast_import(stores, folder, [text for text, _, _ in changes])
    year.commits = stores.run(["git", "rev-list", "--reverse", "main"], folder).decode().split()[-commits:]
    tip = stores.run(["git", "rev-parse", "memory"], folder).decode().strip()
    _fast_import(stores, folder, list(_memory(year, tip, changes, memories)))
    stores.run(["git", "reset", "-q", "--hard", "main"], folder)
    stores.run([gitmem(), "index"], folder)
    # What the bulk could not know exactly is recorded once, and packed as after every hundred of these commits.
    (folder / ".git" / "gitmem" / pack.FILE_NAME).write_text(str(pack.COMMITS), encoding="ascii")
    stores.run([gitmem(), "verify", "--record"], folder, ok=(0, 1))
    stores.run(["git", "gc", "-q"], folder)


def _begin(stores: Stores, year: Year, start: int, *, facts: int) -> None:
    """Set up the store with its facts by the real commands, judged once."""
    year.folder.mkdir()
    stores.run(["git", "init", "-q", "-b", "main"], year.folder)
    for name in ("user.name", "user.email"):
        stores.run(["git", "config", name, "ana@localhost"], year.folder)
    writer = Writer(year.rng, ["src/f1.py"])
    for number in range(FILES):
        values = "".join(f"value_{n} = {n}\n" for n in range(number, facts, FILES))
        lines = "".join(f"# {number}.{n}: {writer.title('learned')}\n" for n in range(LINES))
        year.code[f"src/f{number}.py"] = f"{values}# change 0\n{lines}"
    stream = [_commit("main", start, "project")] + [_file(path, text) for path, text in year.code.items()]
    _fast_import(stores, year.folder, stream)
    stores.run(["git", "reset", "-q", "--hard", "main"], year.folder)
    stores.run([gitmem(), "init", "--no-view"], year.folder)
    program = (
        "import sys; from gitmem import Memory\nwith Memory('.') as memory:\n for n in range(int(sys.argv[1])):"
        f" memory.fact(f'value {{n}} is there', key=f'value-{{n}}', contains=f'value_{{n}} = {{n}}\\n',"
        f" within=f'src/f{{n % {FILES}}}.py')"
    )
    stores.run([sys.executable, "-c", program, str(facts)], year.folder)
    stores.run([gitmem(), "index"], year.folder)
    for path in stores.run(["git", "ls-tree", "-r", "--name-only", "memory", "verdicts"], year.folder).split():
        content = stores.run(["git", "show", f"memory:{path.decode()}"], year.folder)
        year.sections[path.decode()] = split_bucket(content, path.decode())[0]
    year.judged = dict.fromkeys(range(facts), start)


def _code(year: Year, commits: int, start: int, length: int) -> Iterator[tuple[bytes, int, list[int]]]:
    """Yield each commit of code as a stream, its time, and the facts that read what it changed, a broken one last."""
    broken = -1
    facts = len(year.judged)
    for number in range(commits):
        when = start + (number + 1) * length // (commits + 1)
        changed = {year.rng.randrange(FILES), year.rng.randrange(FILES)}
        if broken >= 0:
            mended, broken = broken, -1
            _swap(year, mended, f"value_{mended} = -1\n", f"value_{mended} = {mended}\n")
            changed.add(mended % FILES)
        elif number % BREAKS == 0:
            broken = year.rng.randrange(1, facts)
            _swap(year, broken, f"value_{broken} = {broken}\n", f"value_{broken} = -1\n")
            changed.add(broken % FILES)
        stream = [_commit("main", when, f"change {number}", first=not number, who=number % PEOPLE)]
        for file in sorted(changed):
            path = f"src/f{file}.py"
            lines = year.code[path].split("\n")
            lines[-year.rng.randrange(2, LINES)] = f"# {file}: changed by {number} {year.rng.random()}"
            year.code[path] = "\n".join(lines)
            stream.append(_file(path, year.code[path]))
        readers = [n for file in sorted(changed) for n in range(file, facts, FILES) if n != broken]
        yield b"".join(stream), when, [*readers, *([broken] if broken >= 0 else [])]


def _swap(year: Year, fact: int, old: str, new: str) -> None:
    path = f"src/f{fact % FILES}.py"
    year.code[path] = year.code[path].replace(old, new)


def _memory(year: Year, tip: str, changes: Sequence[tuple[bytes, int, list[int]]], memories: int) -> Iterator[bytes]:
    """Yield the commits of the memory branch as a stream: verdicts, memories, captures and merges."""
    writer = Writer(year.rng, list(year.code))
    mark, done, broken = 0, 0, False
    captured: list[int] = []
    for number, (_, when, facts) in enumerate(changes):
        commit = year.commits[number]
        breaks = number % BREAKS == 0
        year.pending.update(facts)
        if breaks or broken or any(when - year.judged[n] > RECORDED_AFTER_S for n in year.pending):
            failed = facts[-1:] if breaks else []
            body = f"Code-Commit: {commit}\nGitmem-Verdicts: {len(year.pending)}\n"
            yield _on_tip(tip, mark, when, f"verify: {len(year.pending)} verdicts\n\n{body}")
            mark += 1
            for path, text in sorted(_judge(year, commit, when, failed).items()):
                yield _file(path, text)
            yield _file("STATUS.md", _page(failed, len(year.judged)))
        broken = breaks
        while done * len(changes) < memories * (number + 1):
            done += 1
            if done % 2:
                captured.append(done)
                if len(captured) < CAPTURED:
                    continue
            batch = [done] if done % 2 == 0 else captured
            client = CLIENTS[done % len(CLIENTS)]
            keys = "".join(f"Gitmem-Key: learned-{n}\n" for n in batch)
            source = f"Gitmem-Source: capture:{client}\n" if batch is captured else ""
            subject = f"learned: add {f'learned-{batch[0]}' if len(batch) == 1 else f'{len(batch)} memories'}"
            is_merged = done % MERGES == 0 and mark > 3
            # As after a sync of two clones: written on an older tip, then merged.
            yield _on_tip(tip, mark, when, f"{subject}\n\n{keys}{source}Code-Commit: {commit}\n", back=2 * is_merged)
            mark += 1
            files = [_file(f"learned/{layout.shard(f'learned-{n}')}/learned-{n}.md", _text(writer, n)) for n in batch]
            yield from files
            if is_merged:
                yield _on_tip(tip, mark, when, "sync: merge origin/memory\n", back=1, other=mark)
                mark += 1
                yield from files
            if batch is captured:
                captured = []


def _judge(year: Year, commit: str, when: int, failed: list[int]) -> dict[str, str]:
    """Return the buckets with the verdicts of all pending facts recorded at a commit."""
    paths = set()
    for fact in year.pending:
        path = layout.bucket_path(f"value-{fact}")
        sections = year.sections[path]
        name = next(one for one in sections if one[0] == f"value-{fact}")
        sections[name] = _verdict(sections[name].decode(), year.rng, commit, when, fact in failed)
        year.judged[fact] = when
        paths.add(path)
    year.pending.clear()
    return {path: join_bucket(year.sections[path]).decode() for path in paths}


def _verdict(text: str, rng: Random, commit: str, when: int, fails: bool) -> bytes:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    new = {"outcome": "fails" if fails else "holds", "commit": commit, "at": at}
    new["inputs"] = f"files:{rng.getrandbits(160):040x}"
    if not fails:
        new |= {"held-commit": commit, "held-at": at}
    lines = (line.partition(" = ") for line in text.splitlines())
    return "".join(
        f'{name} = "{new[name]}"\n' if name in new else f"{name} = {old}\n" for name, _, old in lines
    ).encode()


def _page(failed: list[int], facts: int) -> str:
    rows = "".join(f"- value-{fact} failed\n" for fact in failed)
    return f"# Memory\n\n{facts} facts\n\n{rows}"


def _text(writer: Writer, number: int) -> str:
    writer.begin()
    kind = ("learned", "gotcha", "pattern", "recipe")[number % 4]
    title = f'title: "{writer.title(kind)} {number}"'.replace("`", "'")
    return f"---\n{title}\nkind: learned\ntags: [{writer.area}]\nimportance: medium\n---\n{writer.body(kind)}"


def _on_tip(tip: str, mark: int, when: int, message: str, *, back: int = 0, other: int = 0) -> bytes:
    """Begin a commit of the memory branch *back* commits before its tip, merged with the commit marked *other*."""
    number = mark - back
    parent = f":{number}" if number > 0 else tip
    head = f"commit refs/heads/memory\nmark :{mark + 1}\ncommitter p{mark % PEOPLE} <p@localhost> {when} +0000\n"
    data = message.encode()
    merge = f"merge :{other}\n" if other else ""
    return head.encode() + b"data %d\n%s\nfrom %s\n%s" % (len(data), data, parent.encode(), merge.encode())


def _commit(branch: str, when: int, subject: str, *, first: bool = False, who: int = 0) -> bytes:
    start = f"from refs/heads/{branch}^0\n" if first else ""
    head = f"commit refs/heads/{branch}\ncommitter p{who} <p{who}@localhost> {when} +0000\n"
    return f"{head}data {len(subject)}\n{subject}\n{start}".encode()


def _file(path: str, text: str) -> bytes:
    data = text.encode()
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)


def _fast_import(stores: Stores, folder: Path, stream: Sequence[bytes]) -> None:
    with tempfile.TemporaryFile() as file:
        file.writelines(stream)
        file.seek(0)
        argv = ["git", "fast-import", "--quiet", "--date-format=raw"]
        subprocess.run(argv, cwd=folder, env=stores.env, stdin=file, check=True)


def commands_of(stores: Stores, folder: Path, months: int, entries: int) -> list[Command]:
    """Return what is measured in the repository of so many months; one ``log`` prints so many *entries*."""
    clone = stores.folder / f"clone-{months}"

    def change(number: int) -> None:
        path = folder / "src" / "f1.py"
        path.write_text(f"{path.read_text('utf-8')}# {number}\n", encoding="utf-8")
        stores.run(["git", "commit", "-qam", f"round {number}"], folder)

    def remove(_: int) -> None:
        stores.run(["rm", "-rf", str(clone)], stores.folder)

    program = gitmem()
    return [
        Command(f"recall {months}", lambda _: [program, *QUESTION], folder, ok=(0, 1)),
        # A fact has more to tell after a year: the same answers are compared as well, of five entries and of as many as
        # the first month has.
        Command(f"log --limit 5 {months}", lambda _: [program, "log", "value-7", "--limit", "5"], folder),
        Command(f"log newest {months}", lambda _: [program, "log", "value-7", "--limit", str(entries)], folder),
        Command(f"log {months}", lambda _: [program, "log", "value-7"], folder, says_something=True),
        Command(f"why {months}", lambda _: [program, "why", "value-7"], folder, ok=(0, 1)),
        Command(f"verify {months}", lambda _: [program, "verify", "--record"], folder, before=change, ok=(0, 1)),
        Command(
            f"clone {months}", lambda _: ["git", "clone", "-q", "--no-local", str(folder), str(clone)], stores.folder,
            before=remove, after=remove,
        ),
    ]  # fmt: skip


def size_mb(stores: Stores, folder: Path) -> float:
    """Return the size of ``.git`` in MB, without the objects of the code: its memory, its index and git's own files."""
    code = stores.run(["git", "rev-list", "--objects", "--disk-usage", "main"], folder)
    return (int(stores.run(["du", "-sb", str(folder / ".git")], folder).split()[0]) - int(code)) / 1e6


def main(argv: Sequence[str]) -> int:
    """Make the repositories, measure, print the ratios and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="the part of a month's work (1)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--write", action="store_true", help="record the figures")
    parser.add_argument("--folder", type=Path, help="where the repositories are made and kept")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="gitmem-growth-") as scratch:
        stores = Stores(args.folder or Path(scratch))
        folders = {months: stores.folder / f"month-{months}" for months in MONTHS}
        for months, folder in folders.items():
            if not folder.exists():
                say(f"making month {months}")
                make(stores, folder, months=months, scale=args.scale)
        sizes = {months: size_mb(stores, folder) for months, folder in folders.items()}
        entries = stores.run([gitmem(), "log", "value-7"], folders[1]).count(b"\n")
        say(f"a fact has {entries} entries in its log after a month")
        commands = [one for months, folder in folders.items() for one in commands_of(stores, folder, months, entries)]
        figures = measure(commands, rounds=args.rounds, env={**stores.env, "GITMEM_BACKGROUND": "off"})
    rows, ratios = _rows(figures, sizes)
    print(table(("", *(f"month {months}" for months in MONTHS), "12 against 1", "goal"), rows))
    if args.write:
        values = {f"growth-{name.split()[0]}": {"measured": round(ratios[name], 2)} for name in GOALS}
        record("programs", values | {"growth-size": {"measured": round(sizes[12], 1)}})
    return int(sizes[12] > MOST_MB or any(ratios[name] > goal for name, goal in GOALS.items()))


def _rows(figures: dict[str, Figures], sizes: dict[int, float]) -> tuple[list[tuple[str, ...]], dict[str, float]]:
    """Return the rows of the table, and the ratio of month 12 to month 1 by command, by CPU time."""
    rows = [
        (
            ".git, code excepted",
            *(f"{sizes[months]:.1f} MB" for months in MONTHS),
            f"{sizes[12] / sizes[1]:.2f}",
            f"{MOST_MB} MB",
        )
    ]
    ratios = {}
    for name in ("recall", "log --limit 5", "log newest", "log", "why", "verify", "clone"):
        times = [figures[f"{name} {months}"].median_cpu_s() for months in MONTHS]
        ratios[name] = times[-1] / times[0]
        goal = f"{GOALS[name]}" if name in GOALS else ""
        rows.append((name, *(f"{time * 1e3:.0f} ms" for time in times), f"{ratios[name]:.2f}", goal))
    return rows, ratios


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
