"""A history to replay: its facts, its commits, and a clone that checks out each commit and runs the real engine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitmem.cli.verify import list_cases
from gitmem.index.catalog import state
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command
from gitmem.verify.options import Options
from gitmem.verify.overview.cause import Case

# Names that no project has by chance: its own memory and its own branches stay out of the walk.
MEMORY, CODE = "gitmem-replay-memory", "gitmem-replay-code"


# What the engine says of a check that fails where it held (gitmem.verify.run.confirm).
CHANGED = "environment changed"

KEY = re.compile("[a-z0-9][a-z0-9-]*")


class ReplayError(Exception):
    """There is nothing to replay; ``status`` is what to exit with."""

    def __init__(self, message: str, status: int = 3) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Step:
    """What one clone says at one commit.

    Attributes:
        commit: The code commit.
        outcomes: What each fact that ran showed, by key: ``holds``, ``fails``, ``error`` or ``skipped``.
        told: What a reader is told of every fact.
        flapping: Facts that are marked as flapping, or that failed on code where they held.
        alerts: Facts of which a person is told anew that they fail, or cannot be checked.
        marks: Facts of which a person is told anew that they flap.
        seconds: How long the run took.
        moved: Facts that are judged where their files are now.
        cases: What the run lists for a person, as `gitmem verify` does.
    """

    commit: str
    outcomes: Mapping[str, str]
    told: Mapping[str, state.MemoryStatus]
    flapping: frozenset[str]
    alerts: frozenset[str]
    marks: frozenset[str]
    seconds: float
    moved: frozenset[str]
    cases: tuple[Case, ...]


class Clone:
    """A clone of the repository with the facts on its memory branch, whose HEAD is moved along."""

    def __init__(
        self, repo: Path, folder: Path, facts: Sequence[Mapping[str, Any]], *, everything: bool, options: Options
    ) -> None:
        self._folder = folder
        self._git("clone", "--quiet", "--shared", "--no-checkout", str(repo), str(folder), cwd=repo)
        settings = {"branch": MEMORY, "defaultBranch": CODE}
        for name, value in settings.items():
            self._git("config", f"gitmem.{name}", value)
        self._git("config", "user.name", "Replay")
        self._git("config", "user.email", "replay@localhost")
        self._git("symbolic-ref", "HEAD", f"refs/heads/{CODE}")
        self._facts = list(facts)
        # The project may have facts of its own, in its code tree.
        self._keys = {fact["key"] for fact in facts}
        self._everything = everything
        self._options = options
        self._clock = time.time()
        self._ready = False

    def at(self, commit: str) -> Step:
        """Move to a commit, verify, and return what is told there."""
        self._git("update-ref", f"refs/heads/{CODE}", commit)
        # Every verdict has its own time, as in life; so little that no time to live passes.
        self._clock += 1
        if not self._ready:
            self._start()
        return self._verify(commit, everything=self._everything)

    def again(self, commit: str, keys: Iterable[str]) -> Step:
        """Verify facts once more at the commit where the clone is."""
        self._clock += 1
        return self._verify(commit, keys=tuple(keys))

    def culprits(self) -> list[dict[str, Any]]:
        """Ask why each fact that fails where the clone is does so.

        Returns:
            ``key``, ``culprit`` (a commit, or None where no one commit can be named) and ``at``, by key.
        """
        found = []
        with self.open() as memory:
            at = memory.repository.git.read_head()[1]
            for key, told in sorted(self._told(memory).items()):
                if told.own == "failed":
                    why = memory.why(key, options=self._options).as_table()
                    found.append({"key": key, "culprit": (why["culprit"] or {}).get("commit"), "at": at})
        return found

    def open(self) -> Memory:
        """Return the clone's memory, at its own time."""
        return Memory(self._folder, clock=lambda: self._clock)

    def _start(self) -> None:
        with self.open() as memory:
            memory.init(offline=True)
        self._git("fast-import", "--quiet", "--date-format=now", input=_stream(self._facts))
        with self.open() as memory:
            known = {
                row[0]
                for row in memory.repository.catalog().rows("SELECT m.key FROM fact f JOIN memory m ON m.id = f.id")
            }
            missing = sorted({fact["key"] for fact in self._facts} - known)
            if missing:
                raise ReplayError(f"not taken as facts: {', '.join(missing)}", 2)
            for due in memory.repository.commands():
                approve_command(memory.repository, due)
        self._ready = True

    def _verify(self, commit: str, *, keys: tuple[str, ...] = (), everything: bool = False) -> Step:
        told = self._options
        options = Options(keys=keys, everything=everything, no_sandbox=told.no_sandbox, jobs=told.jobs)
        with self.open() as memory:
            began = time.perf_counter()
            run = memory.verify(options=options, report=lambda *_: None)
            seconds = time.perf_counter() - began
            assert run.commit == commit
            mine = self._keys
            results = [result for result in run.results if result.due.row.key in mine]
            outcomes = {result.due.row.key: result.outcome for result in results}
            skipped = next((r for r in results if r.outcome == "skipped"), None)
            if skipped is not None:
                raise ReplayError(f"{skipped.due.row.key} cannot be run here: {skipped.reason}")
            describe_culprits = self._told(memory)
            flapping = {key for key, told in describe_culprits.items() if told.flapping}
            flapping |= {r.due.row.key for r in results if CHANGED in r.reason}
            alerts = {r.due.row.key for r in results if r.is_news}
            # Also what fails again as it did before, on inputs that were judged then: nothing had to run to know it.
            alerts |= mine.intersection(run.recorded.failed if run.recorded else ())
            marks = {r.due.row.key for r in results if r.is_marked}
            told_new = frozenset(flapping), frozenset(alerts), frozenset(marks)
            moved, cases = frozenset(run.standing.moved), tuple(list_cases(run))
            return Step(commit, outcomes, describe_culprits, *told_new, seconds, moved, cases)

    def _told(self, memory: Memory) -> dict[str, state.MemoryStatus]:
        ground, catalog = memory.repository.ground(), memory.repository.catalog()
        keys = dict(catalog.rows(f"SELECT f.id, m.key FROM fact f JOIN memory m ON m.id = f.id WHERE {state.LIVE}"))
        chains = state.suspects(catalog, ground)
        found = state.statuses_of(catalog, ground, keys, now=memory.repository.now, chains=chains)
        return {keys[number]: told for number, told in found.items() if keys[number] in self._keys}

    def _git(self, *args: str, cwd: Path | None = None, input: bytes | None = None) -> str:
        return run_git(cwd or self._folder, *args, input=input)


def _stream(facts: Iterable[Mapping[str, Any]]) -> bytes:
    """Return what ``git fast-import`` reads to put facts on the memory branch: one file each, one commit."""
    ref = f"refs/heads/{MEMORY}".encode()
    parts = [b"commit %s\ncommitter Replay <replay@localhost> now\ndata 5\nfacts\nfrom %s^0\n" % (ref, ref)]
    for fact in facts:
        # JSON is YAML: what the file says is what the memory says.
        fields = {"kind": "fact", "created": "2020-01-01T00:00:00Z", **fact}
        lines = [f"{name}: {json.dumps(value)}" for name, value in fields.items() if name != "key" and value != []]
        text = "\n".join(["---", *lines, "---", ""]).encode()
        parts.append(b"M 100644 inline facts/%s.md\ndata %d\n%s\n" % (fact["key"].encode(), len(text), text))
    return b"".join(parts)


def run_git(cwd: Path, *args: str, input: bytes | None = None) -> str:
    """Run git and return what it printed.

    Raises:
        ReplayError: It said no.
    """
    done = subprocess.run(["git", *args], cwd=cwd, input=input, capture_output=True, check=False)
    if done.returncode != 0:
        raise ReplayError(f"git {args[0]} in {cwd}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return os.fsdecode(done.stdout).removesuffix("\n")


def read_facts(*paths: Path) -> list[dict[str, Any]]:
    """Read facts files, one behind the other.

    Raises:
        ReplayError: One cannot be read, or a line is no fact; keys must differ.
    """
    facts = [fact for path in paths for fact in _read_file(path)]
    twice = [key for key, count in Counter(fact["key"] for fact in facts).items() if count > 1]
    if twice:
        raise ReplayError(f"{', '.join(map(str, paths))}: {twice[0]} is there twice", 2)
    return facts


def _read_file(path: Path) -> list[dict[str, Any]]:
    try:
        facts = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as err:
        raise ReplayError(f"{path}: {err}", 2) from err
    for fact in facts:
        if not isinstance(fact, dict) or not all(fact.get(name) for name in ("key", "title", "verify")):
            raise ReplayError(f"{path}: every line needs key, title and verify: {json.dumps(fact)[:100]}", 2)
        if not KEY.fullmatch(str(fact["key"])):
            raise ReplayError(f"{path}: a key has small letters, digits and hyphens: {json.dumps(fact)[:100]}", 2)
    if not facts:
        raise ReplayError(f"{path}: there is no fact in it", 2)
    return facts


def list_commits(
    repo: Path, *, first: str = "", last: str = "HEAD", every: int = 1, newest: int = 0, whole: bool = False
) -> list[str]:
    """Return the commits to walk, the oldest first.

    Args:
        repo: The repository.
        first: Where to begin; empty for the first commit.
        last: Where to end.
        every: Every how many commits; the last one is always walked.
        newest: Only so many, from the end; 0 for all.
        whole: Also the commits that merges brought in, as somebody sees them who checks out one branch after another.

    Raises:
        ReplayError: There is no such history here, or it is cut off.
    """
    if run_git(repo, "rev-parse", "--is-shallow-repository") == "true":
        raise ReplayError(f"{repo} is a shallow clone: its history is cut off; git fetch --unshallow")
    order = ["--topo-order"] if whole else ["--first-parent"]
    listed = run_git(repo, "rev-list", "--reverse", *order, "--end-of-options", last, "--").split()
    if first:
        begin = run_git(repo, "rev-parse", "--verify", "--end-of-options", f"{first}^{{commit}}")
        if begin not in listed:
            raise ReplayError(f"{first} is not on the way to {last}", 2)
        listed = listed[listed.index(begin) :]
    listed = listed[-newest:]
    chosen = listed[::every]
    return chosen if chosen[-1] == listed[-1] else [*chosen, listed[-1]]
