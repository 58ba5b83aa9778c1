"""Windows, as far as it can be told from here: a Python without POSIX's modules and calls. Nobody ran it there.

Locks are counted and not taken. What must work is reading, writing, and verifying with built-in checks; commands are
not run, and nothing breaks for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.facts import make_fact, put

import gitmem

FORGED = """
import argparse, concurrent.futures, ctypes, datetime, getpass, hashlib, json, locale, os, pathlib, platform, random
import select, shutil, sqlite3, subprocess, sys, tempfile, threading, tomllib, types
sys.path.append(sys.argv[1])
locked = []
msvcrt = types.ModuleType("msvcrt")
msvcrt.LK_NBLCK = 2

def locking(fd, mode, size):
    for other in set(locked) - {fd}:
        try:
            if os.path.sameopenfile(fd, other):
                raise PermissionError(13, "locked")
        except OSError as err:
            if err.errno == 13:
                raise
    locked.append(fd)

msvcrt.locking = locking
sys.modules["msvcrt"] = msvcrt
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "O_NONBLOCK", "O_PATH", "geteuid", "getuid", "getegid", "getgid",
             "killpg", "setsid", "pidfd_open", "posix_spawn", "fork", "pread", "pwrite", "fchmod", "sched_getaffinity",
             "memfd_create", "waitid", "statvfs", "getpgid", "uname", "set_blocking"):
    if hasattr(os, name):
        delattr(os, name)
del select.poll
# Chosen by the platform when they were imported.
subprocess._USE_POSIX_SPAWN = False
shutil._winapi = types.SimpleNamespace(NeedCurrentDirectoryForExePath=lambda name: True)
sys.platform = "win32"
from gitmem import cli
statuses = [cli.main(argv) for argv in json.loads(sys.argv[2])]
print(json.dumps([statuses, bool(locked)]))
"""


def test_built_in_checks_memories_and_reading_work_without_what_posix_has(memory, repo):
    put(repo, make_fact("there", {"exists": "README.md"}), make_fact("command", "test -f README.md"))
    commands = [
        ["remember", "a note about retries", "--key", "note"],
        ["verify"],
        ["verify", "--no-sandbox"],
        ["list"],
        ["recall", "retries"],
        ["show", "there"],
        ["doctor"],
    ]
    argv = [sys.executable, "-c", FORGED, str(Path(gitmem.__file__).parents[1]), json.dumps(commands)]

    done = subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=False)

    assert "bug" not in done.stderr
    *_, last = done.stdout.strip().split("\n")
    # Not everything due could be checked: the command is not approved.
    assert json.loads(last) == [[0, 3, 3, 0, 0, 0, 0], True]
    assert "there  holds" in done.stdout
    assert "only built-in checks run" in done.stdout
