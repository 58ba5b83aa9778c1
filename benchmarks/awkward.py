"""Compare due checks with changed answers: awkward commands, traced, against random changes of the files they read.

    python benchmarks/awkward.py [--commands 300] [--changes 40] [--seed 0]

Each command is a few steps that make, move, link and remove things, and then look. It runs traced on a small tree.
Then something changes in that tree; where the digest of what it read stays equal, the check would not be due, and the
command runs plainly on the changed tree: its answer must be the same. Exit status: 0, or 1 if an answer changed
without its check being due.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gitmem.model import Ran
from gitmem.verify.sandbox import sandbox
from gitmem.verify.trace.observe import Observation, Scene, observe
from gitmem.verify.trace.reads import LINK, Places
from gitmem.verify.trace.trace import OpaqueError, parse_trace

FILES = {
    "a": "one\n",
    "b.txt": "two\n",
    "d/a": "one\n",
    "d/e/c.py": "X = 1\n",
    "d/e/n.txt": "three\n",
    "f/only": "four\n",
    "run.sh": "#!/bin/sh\ncat a\n",
    "to-d": "->d",
    "d/up": "->../a",
}
# What commands name, and what changes: what is there, and what is not.
PLACES = (
    *(
        "a",
        "b.txt",
        "d",
        "d/a",
        "d/e",
        "d/e/c.py",
        "d/e/n.txt",
        "d/new",
        "f",
        "f/only",
        "f/new",
        "new",
        "new/x",
        "new/x/y",
    ),
    *("run.sh", "to-d", "to-d/a", "to-d/new", "to-d/e", "d/up", "made", "made/a", "made/e", "made/new"),
)
TEXTS = ("one\n", "two\n", "", "#!/bin/sh\necho one\n", "->d", "->a", "->../a", "->f")
PYTHON = f"{Path(sys.executable).resolve()} -I -S -B -c"
# renameat2(2) of x86_64 and aarch64, and its flag for an exchange (linux/fs.h).
EXCHANGE = (
    PYTHON + ' \'import ctypes, platform; n = 316 if platform.machine() == "x86_64" else 276;'
    ' raise SystemExit(-ctypes.CDLL(None).syscall(n, -100, b"{0}", -100, b"{1}", 2))\''
)
# Steps that change something; each says how it ended.
STEPS = (
    *("mkdir {0}", "mkdir -p {0}", "rmdir {0}", "rmdir -p {0}", "rm {0}", "rm -r {0}", "rm -d {0}", "unlink {0}"),
    *(
        "mv {0} {1}",
        "mv -T {0} {1}",
        "mv -n {0} {1}",
        "ln {0} {1}",
        "ln -L {0} {1}",
        "ln -s {0} {1}",
        "ln -sfn {0} {1}",
    ),
    *(
        "cp {0} {1}",
        "cp -r {0} {1}",
        "cp -P {0} {1}",
        "touch {0}",
        "echo x > {0}",
        "echo x >> {0}",
        "cd {0}",
        "mkfifo {0}",
    ),
    *("chmod -x {0}", "truncate -s 0 {0}", "set -C; echo x > {0}; set +C", EXCHANGE),
    PYTHON + ' \'import os; os.rename("{0}", "{1}")\'',
    PYTHON + ' \'import os; os.rename("{0}/", "{1}")\'',
    PYTHON + ' \'import os; os.link("{0}", "{1}", follow_symlinks=False)\'',
    PYTHON + " 'import os; os.removedirs(\"{0}\")'",
    PYTHON + ' \'import os; d = os.open("d", 0); os.rmdir("e", dir_fd=d)\'',
)
# Steps that look.
LOOKS = (
    *("test -e {0}", "test -f {0}", "test -d {0}", "test -s {0}", "test -L {0}", "test -x {0}", "test {0} -ef {1}"),
    *("cat {0}", "ls -a {0}", "ls -F {0}", "find {0} | sort", "find {0} -empty | sort", "find -L {0} -type f | sort"),
    *("readlink {0}", "realpath {0}", "(cd {0} && pwd -P && ls ..)", "./{0}", ". ./{0}", "PATH=$PATH:{0} only"),
    *(
        "set -- {0}/*; echo $# $1",
        "du -a --apparent-size {0} >/dev/null",
        "grep -c one {0}",
        "wc -c < {0}",
        "head -c 3 {0}",
    ),
    PYTHON + ' \'import os; print(sorted(os.listdir("{0}")), os.path.exists("{1}"))\'',
    PYTHON + ' \'import os; print(os.access("{0}", os.W_OK), os.path.isdir("{1}"))\'',
)


class Code:
    """Files of a tree, by path: text, or where a link leads behind ``->``."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        self.blobs = {_name(text): text for text in files.values()}
        entries = sorted(((self._mode(p), _name(t), p) for p, t in files.items()), key=lambda e: e[2])
        self.places = Places(entries, [entry[2] for entry in entries])

    def _mode(self, path: str) -> str:
        text = self.files[path]
        return LINK if text.startswith("->") else "100755" if text.startswith("#!") else "100644"

    def write(self, ground: Path, *, has_git: bool = False) -> None:
        """Write the files to an empty folder, as a repository if *has_git*."""
        for path, text in self.files.items():
            place = ground / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("->"):
                place.symlink_to(text[2:])
            else:
                place.write_text(text, encoding="ascii")
                place.chmod(0o755 if text.startswith("#!") else 0o644)
        for argv in (["git", "init", "-q"], ["git", "add", "-A"]) if has_git else ():
            subprocess.run(argv, cwd=ground, check=True)

    def content(self, oid: str) -> bytes:
        """Return the bytes of a file or link."""
        return self.blobs[oid].removeprefix("->").encode()


@dataclass(frozen=True)
class Miss:
    """An answer that changed although the check would not have been due."""

    command: str
    changed: tuple[str, ...]
    reads: str
    before: object
    after: object


@dataclass
class Count:
    """How a comparison went.

    Attributes:
        commands: Commands that ran traced.
        opaque: Those of them whose whole tree is an input: nothing can be missed.
        due: Changes after which the check would be due.
        compared: Changes after which it would not, and a plain run was compared.
        misses: Those of them whose answer changed.
    """

    commands: int = 0
    opaque: int = 0
    due: int = 0
    compared: int = 0
    misses: list[Miss] = field(default_factory=list)


def _name(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def run(command: str, ground: Path, strace: str) -> Ran:
    """Run a command on a folder that has the files."""
    return sandbox.run_check(
        ["sh", "-c", command],
        ground=ground,
        rung="none",
        network=False,
        timeout_s=20,
        path=os.environ["PATH"],
        strace=strace,
    )


def answer(code: Code, command: str, *, strace: str = "") -> tuple[object, Observation | None]:
    """Return how a command ends on a ground of its own and what it says; and, traced, what it read."""
    with tempfile.TemporaryDirectory() as name:
        ground = Path(name).resolve() / "ground"
        ground.mkdir()
        code.write(ground, has_git="git " in command)
        ran = run(command, ground, strace)
        said = (ran.status, ran.output.replace(name, ""), ran.problem)
        if not strace:
            return said, None
        try:
            scene = Scene(str(ground), code.places, code.content)
            return said, observe([parse_trace(ran.trace or b"", str(ground))], scene)
        except OpaqueError:
            return said, None


def make_command(chance: random.Random) -> str:
    """Return a command: up to three steps that change something, then one or two that look."""
    chosen = [chance.choice(STEPS) for _ in range(chance.randint(0, 3))]
    chosen += [chance.choice(LOOKS) for _ in range(chance.randint(1, 2))]
    return "; ".join(f"{one.format(chance.choice(PLACES), chance.choice(PLACES))}; echo $?" for one in chosen)


def change(files: Mapping[str, str], chance: random.Random) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return files of which one or two are other, new, gone, or stand where a folder was; and which."""
    changed = dict(files)
    places = chance.sample(PLACES, chance.randint(1, 2))
    for named in places:
        place = f"d/{named.removeprefix('to-d/')}" if named.startswith("to-d/") else named
        text = chance.choice((None, *TEXTS))
        for path in [p for p in changed if p == place or p.startswith(f"{place}/") or place.startswith(f"{p}/")]:
            del changed[path]
        if text is not None:
            changed[place] = text
    return changed, tuple(places)


def compare(commands: Sequence[str], changes: int, strace: str, chance: random.Random) -> Iterator[Count]:
    """Yield what has been counted, after each command."""
    count, before = Count(), Code(FILES)
    for command in commands:
        said, seen = answer(before, command, strace=strace)
        count.commands += 1
        if seen is None or not seen.text:
            count.opaque += 1
            yield count
            continue
        known = before.places.digest(seen.text, ())
        for _ in range(changes):
            files, places = change(FILES, chance)
            after = Code(files)
            if after.places.digest(seen.text, ()) != known:
                count.due += 1
                continue
            count.compared += 1
            now, _ = answer(after, command)
            if now != said:
                count.misses.append(Miss(command, places, seen.text, said, now))
        yield count


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description="Compare what is due with what changes, for awkward commands.")
    parser.add_argument("--commands", type=int, default=300)
    parser.add_argument("--changes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    strace = shutil.which("strace")
    if strace is None:
        print("strace is not installed: nothing is observed")
        return 0
    chance = random.Random(options.seed)
    commands = [make_command(chance) for _ in range(options.commands)]
    count, shown = Count(), 0
    for count in compare(commands, options.changes, strace, chance):
        for miss in count.misses[shown:]:
            print(f"missed: {miss.command}\n  {miss.changed} changed; it read {miss.reads}")
            print(f"  {miss.before}\n  {miss.after}", flush=True)
        shown = len(count.misses)
    print(
        f"{count.commands} commands ({count.opaque} read the whole tree): {count.due} changes due, {count.compared}"
        f" not due and compared, {shown} missed"
    )
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main())
