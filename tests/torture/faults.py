"""Let each storage call of each kind of work fail in turn, and see what is left: all n, all kinds of failure."""

from __future__ import annotations

import errno
import random
import shutil
import struct
import subprocess
from pathlib import Path

from torture.place import WORKS, Place, Work, wait_for

SOURCE = Path(__file__).with_name("shim.c")
# A full disk, a quota and missing rights last; the others pass.
KINDS = {
    "ENOSPC": f"{errno.ENOSPC}+",
    "EDQUOT": f"{errno.EDQUOT}+",
    "EACCES": f"{errno.EACCES}+",
    "EIO": str(errno.EIO),
    "EIO-read": str(errno.EIO),
    "EIO-reads": f"{errno.EIO}+",
    "EINTR": str(errno.EINTR),
    "EINTR-read": str(errno.EINTR),
    "ENOSPC-kill": f"{errno.ENOSPC}+kill",
    "short": "short",
    "kill": "kill",
    "pause": "pause",
}


def has_compiler() -> bool:
    """Return whether the shim can be built here."""
    return shutil.which("gcc") is not None


def build(folder: Path) -> Path:
    """Build the shim and return it."""
    path = folder / "shim.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(path), str(SOURCE), "-ldl"], check=True)
    return path


READS = ("EIO-read", "EIO-reads", "EINTR-read")  # of the calls that read, which are counted apart

# Work that may run beside other work.
BESIDE = ("remember", "import", "verify", "sync", "drain", "rotation", "board", "pull")
WRITE = Work("beside", ("remember", "Written beside the others", "--key", "written-beside"), ("written-beside",))


class Faults:
    """Trials in one place, which is made when the first one needs it."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self.place.make()
        self.shim = build(folder)
        self._count = folder / "count"
        self._paused = folder / "paused"
        self._calls: dict[str, int] = {}

    def calls(self, work: Work, kind: str) -> int:
        """Return how many storage calls that may fail in this way a kind of work makes when nothing fails."""
        name = f"{work.name}:{kind in READS}"
        if name not in self._calls:
            self._prepare(work)
            done = self.place.run(*work.argv, stdin=work.stdin, **self._shimmed(0, kind))
            assert done.status == 0, f"{work.name}: {done}"
            assert set(work.keys) <= self.place.keys(), work.name
            self._calls[name] = self._counted()
        return self._calls[name]

    def try_call(self, work: Work, number: int, kind: str) -> list[str]:
        """Let one call fail and return what does not hold afterwards."""
        self._prepare(work)
        promised, before = self.place.keys(), self.place.theirs()
        child = self.place.start(*work.argv, **self._shimmed(number, kind))
        wrong = []
        if kind == "pause" and wait_for(self._paused, child):
            beside = self.place.run("recall", "pools")
            if beside.is_bug:
                wrong.append(f"recall beside it: {beside.status} {beside.err[-300:]}")
            other = self.place.start("remember", "Beside the paused one", "--key", "beside")
            self._paused.unlink(missing_ok=True)
            ended = self.place.wait(other)
            if ended.status == 0 and work.name != "uninstall":
                promised |= {"beside"}
            elif ended.status != 0 and work.name != "uninstall":
                wrong.append(f"remember beside it: {ended.status} {ended.err[-300:]}")
        done = self.place.wait(child, work.stdin)
        if done.is_bug:
            wrong.append(f"ended with {done.status}: {done.err[-400:]}")
        if done.status == 0 and not kind.endswith("kill"):
            promised |= set(work.keys)
        if work.name == "undo":
            promised -= {"newer"}
        if work.name == "uninstall":
            promised &= self.place.keys()  # what was written beside it began a new branch
        return wrong + self.place.faults(
            promised, before, work, is_killed=kind.endswith("kill"), is_device=kind.startswith("EIO")
        )

    def try_without_locks(self, seed: int) -> list[str]:
        """Let three commands write at once where every lock is granted to everybody, and return what does not hold."""
        dice = random.Random(seed)
        works = dice.sample([work for work in WORKS if work.name in BESIDE], 2)
        self.place.reset()
        promised, before = self.place.keys(), self.place.theirs()
        if dice.random() < 0.5:
            (self.place.work / ".git/gitmem/catalog.sqlite").unlink(missing_ok=True)  # each builds it
        shim = {"LD_PRELOAD": str(self.shim), "TORTURE_LOCKS": "granted"}
        started = [(work, self.place.start(*work.argv, **shim)) for work in works]
        started += [(WRITE, self.place.start(*WRITE.argv, **shim))]
        reader = self.place.start("recall", "pools", **shim)
        wrong = []
        for work, child in started:
            done = self.place.wait(child, work.stdin)
            if done.is_bug:
                wrong.append(f"{work.name} ended with {done.status}: {done.err[-400:]}")
            if done.status == 0:
                promised |= set(work.keys)
        read = self.place.wait(reader)
        if read.is_bug:
            wrong.append(f"recall ended with {read.status}: {read.err[-400:]}")
        return wrong + self.place.faults(promised, before, WRITE)

    def _prepare(self, work: Work) -> None:
        self.place.reset()
        for argv in work.before:
            self.place.ok(*argv)
        self._paused.unlink(missing_ok=True)

    def _shimmed(self, number: int, kind: str) -> dict[str, str]:
        self._count.write_bytes(bytes(8))
        return {
            "LD_PRELOAD": str(self.shim),
            "TORTURE_UNDER": str(self.place.work),
            "TORTURE_COUNT": str(self._count),
            "TORTURE_AT": str(number),
            "TORTURE_KIND": KINDS[kind],
            "TORTURE_READS": str(int(kind in READS)),
            "TORTURE_PAUSED": str(self._paused),
        }

    def _counted(self) -> int:
        return struct.unpack("=Q", self._count.read_bytes())[0]
