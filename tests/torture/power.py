"""Cut the power while memories are written: copy what had reached a loop device, mount the copy, and look.

The copy holds what the file system had sent to the device, and nothing of what was still in memory (loop(4)). Needs
root, and the programs that make the file systems; those that are missing are left out.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from torture.place import PLAIN, Place

# How each file system is made and mounted.
SYSTEMS = {
    "ext4": (("mkfs.ext4", "-q", "-F"), "data=ordered"),
    "ext4-writeback": (("mkfs.ext4", "-q", "-F"), "data=writeback"),
    "xfs": (("mkfs.xfs", "-q", "-f"), "defaults"),
    "btrfs": (("mkfs.btrfs", "-q", "-f"), "defaults"),
}
SIZE = 320 << 20
LONGEST_S = 3.0


def systems() -> list[str]:
    """Return the file systems that can be made and mounted here."""
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        return []
    return [name for name, (make, _) in SYSTEMS.items() if shutil.which(make[0])]


def cut(folder: Path, system: str, seed: int) -> list[str]:
    """Write memories, cut the power at a random moment, and return what does not hold after the next start."""
    dice = random.Random(seed)
    make, options = SYSTEMS[system]
    disk, copy, told = folder / "disk", folder / "copy", folder / "told"
    place = Place(folder)
    told.write_text("")
    with disk.open("wb") as file:
        file.truncate(SIZE)
    subprocess.run([*make, str(disk)], check=True, capture_output=True)
    with _mounted(disk, place.top, options):
        place.make_plain()
        before = place.theirs()
        os.sync()
        writer = place.start_writer(told)
        while not told.read_text():
            time.sleep(0.01)
        time.sleep(dice.uniform(0, LONGEST_S))
        os.killpg(writer.pid, signal.SIGSTOP)
        promised = {"first", *told.read_text().split("\n")[:-1]}
        subprocess.run(["cp", "--sparse=always", str(disk), str(copy)], check=True)
        os.killpg(writer.pid, signal.SIGKILL)
        writer.wait()
    with _mounted(copy, place.top, options):
        return place.faults(promised, before, PLAIN)


@contextmanager
def _mounted(disk: Path, where: Path, options: str) -> Iterator[None]:
    where.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", f"loop,{options}", str(disk), str(where)], check=True)
    try:
        yield
    finally:
        for _ in range(50):  # a process that ends still has a file open
            if subprocess.run(["umount", str(where)], capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        with suppress(OSError):
            where.rmdir()
