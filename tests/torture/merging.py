"""Let three clones work apart, push against refusals and come together: one tree, nothing lost, in any order."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gitmem.errors import GitmemError
from gitmem.memory import Memory

NAMES = ("ana", "bob", "cleo")
# The hub refuses one push in four, as a busy forge does.
REFUSAL = (
    '#!/bin/sh\nread n < "$GIT_DIR/refusals" || n=0\necho $((n + 1)) > "$GIT_DIR/refusals"\ntest $((n % 4)) -ne 1\n'
)
MARKERS = re.compile(r"^(<{7}|={7}|>{7}|\|{7})( |$)", re.MULTILINE)
SPLIT = re.compile(r"/[0-9a-f]{2}/(?=[^/]+\.md$)")
TAGS = ("pool", "auth", "retry", "cache")


class Merging:
    """Three clones of one hub below a folder."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.dice = random.Random(seed)
        self.written: set[str] = set()
        self._number = 0
        self.now = 1_790_000_000
        _git(folder, "init", "-q", "--bare", "-b", "main", "hub.git")
        for name in NAMES:
            _git(folder, "init", "-q", "-b", "main", name)
            _git(folder / name, "config", "user.name", name.capitalize())
            _git(folder / name, "config", "user.email", f"{name}@example.org")
            _git(folder / name, "config", "commit.gpgSign", "false")
            _git(folder / name, "commit", "-q", "--allow-empty", "-m", "begin")
            _git(folder / name, "remote", "add", "origin", "../hub.git")
        with self._memory(folder / NAMES[0]) as memory:
            memory.init()
            for number in range(6):
                body = "".join(f"Line {n} of shared {number}.\n" for n in range(5))
                self.written.add(memory.remember(body, title=f"Shared {number}", key=f"shared-{number}").key)
        for name in NAMES:
            self.sync(folder, name)
        hook = folder / "hub.git/hooks/pre-receive"
        hook.write_text(REFUSAL)
        hook.chmod(0o755)

    @contextmanager
    def _memory(self, folder: Path) -> Iterator[Memory]:
        with Memory(folder, clock=lambda: self.now) as memory:
            yield memory

    def work(self, name: str) -> None:
        """Let one clone do one random thing."""
        self.now += self.dice.choice((0, 1, 60))
        with self._memory(self.folder / name) as memory:
            verb, args, options = self._choose(name)
            with suppress(GitmemError):  # it is archived already, or has what it is given
                getattr(memory, verb)(*args, **options)

    def _choose(self, name: str) -> tuple[str, tuple[str, ...], dict[str, object]]:
        dice = self.dice
        self._number += 1
        shared = f"shared-{dice.randrange(6)}"
        kind = dice.choices(("new", "title", "body", "tags", "importance", "forget", "restore"), (6, 3, 3, 2, 1, 1, 1))[
            0
        ]
        if kind == "new":
            key = f"{name}-{self._number}"
            self.written.add(key)
            return "remember", (f"{name} learned {self._number} about pools",), {"key": key}
        if kind == "title":
            return "edit", (shared,), {"fields": {"title": f"Titled {self._number} by {name}"}}
        if kind == "tags":
            return "edit", (shared,), {"fields": {"tags": [dice.choice(TAGS), f"t{self._number % 7}"]}}
        if kind == "importance":
            return "edit", (shared,), {"fields": {"importance": dice.choice(("low", "high", "medium"))}}
        if kind == "body":
            lines = [f"Line {n} of shared {shared[-1]}.\n" for n in range(5)]
            lines[dice.randrange(5)] = f"Changed {self._number} by {name}.\n"
            return "edit", (shared,), {"body": "".join(lines)}
        return kind, (shared,), {}

    def sync(self, folder: Path, name: str) -> bool:
        """Let one clone sync; return whether the hub has what it has."""
        try:
            with Memory(folder / name, clock=lambda: self.now) as memory:
                return memory.sync().pushed
        except GitmemError:
            return False

    def settle(self, folder: Path, order: tuple[str, ...]) -> None:
        """Sync in an order until no clone has anything new."""
        for _ in range(40):
            pushed = [self.sync(folder, name) for name in order]
            if all(pushed) and len({tip(folder / name) for name in order}) == 1:
                return
        raise AssertionError("the clones do not come to rest")

    def wrong(self, folder: Path) -> list[str]:
        """Return what does not hold of clones at rest."""
        found = []
        trees = {tree(folder / name) for name in NAMES}
        if len(trees) != 1:
            found.append(f"trees differ: {trees}")
        listed = _git(folder / NAMES[0], "ls-tree", "-r", "-z", "--name-only", "memory").split("\0")
        keys = {Path(path).stem for path in listed if path.endswith(".md")}
        if lost := self.written - keys:
            found.append(f"lost: {sorted(lost)[:5]}")
        text = _git(folder / NAMES[0], "grep", "-h", "", "memory", "--", "*.md")
        if MARKERS.search(text):
            found.append("conflict markers")
        fsck = subprocess.run(
            ["git", "fsck", "--full", "--strict"], cwd=folder / NAMES[0], capture_output=True, check=False
        )
        if fsck.returncode:
            found.append(f"fsck: {fsck.stderr.decode()[-300:]}")
        return found


def run_seed(folder: Path, seed: int, operations: int, *, orders: int = 6) -> list[str]:
    """Work, sync now and then, come to rest; then compare some orders of one more round of work apart."""
    clones = Merging(folder, seed)
    for _ in range(operations * len(NAMES)):
        name = clones.dice.choice(NAMES)
        clones.work(name)
        if clones.dice.random() < 0.04:
            clones.sync(folder, name)
    clones.settle(folder, NAMES)
    return clones.wrong(folder) + compare_orders(clones, rounds=6, orders=orders)


def compare_orders(clones: Merging, *, rounds: int, orders: int = 6) -> list[str]:
    """Let each clone work apart, and bring them together in each order, in copies: the trees must be the same.

    Fewer *orders* than six are spread over all of them: three are led by another clone each.
    """
    for _ in range(rounds):
        for name in NAMES:
            clones.work(name)
    found = {}
    for order in [*itertools.permutations(NAMES)][:: 6 // orders]:
        copy = clones.folder.with_name(f"{clones.folder.name}-{'-'.join(order)}")
        shutil.copytree(clones.folder, copy, symlinks=True)
        try:
            clones.settle(copy, order)
            wrong = clones.wrong(copy)
            if wrong:
                return wrong
            found[order] = {
                _unsplit(path): _git(copy / NAMES[0], "show", f"memory:{path}") for path in paths(copy / NAMES[0])
            }
        finally:
            shutil.rmtree(copy)
    first, *others = found.values()
    differing = sorted({p for other in others for p in {*first, *other} if first.get(p) != other.get(p)})
    differing = [path for path in differing if path != "README.md"]
    return [f"the order decides about {path}:\n{_variants(found, path)}" for path in differing[:2]]


def _unsplit(path: str) -> str:
    """Return a path as it is before its folder is split: whether a folder of about 500 files is, nobody promises."""
    return SPLIT.sub("/", path)


def _variants(found: dict[tuple[str, ...], dict[str, str]], path: str) -> str:
    texts = {texts.get(path, "(none)"): order for order, texts in found.items()}
    return "\n".join(f"--- {' '.join(order)}\n{text}" for text, order in texts.items())


def tip(folder: Path) -> str:
    """Return the commit of a clone's memory branch."""
    return _git(folder, "rev-parse", "memory").strip()


def tree(folder: Path) -> str:
    """Return the tree of a clone's memory branch."""
    return _git(folder, "rev-parse", "memory^{tree}").strip()


def paths(folder: Path) -> list[str]:
    """Return the files of a clone's memory branch."""
    return [path for path in _git(folder, "ls-tree", "-r", "-z", "--name-only", "memory").split("\0") if path]


def _git(folder: Path, *argv: str) -> str:
    done = subprocess.run(["git", *argv], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), f"git {' '.join(argv)}: {done.stderr}"
    return done.stdout
