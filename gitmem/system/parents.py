"""The names of the processes that started this one, as Linux shows them (proc(5)); elsewhere there are none.

Reading one costs 5 us, 11 with its command line (measured): a look at all of them does not show in the start of a
command.
"""

from __future__ import annotations

import os

# More processes than start one another in practice; a limit, because ids may be used again meanwhile.
PARENTS_AT_MOST = 40
# The most bytes that are read of a command line: only its first words matter.
LONGEST = 4096
# Programs that run a script, which is what the process is known by; node's main thread has a name of its own.
INTERPRETERS = ("node", "bun", "deno", "python", "MainThread", "npm", "npx")
SCRIPT_SUFFIXES = (".js", ".mjs", ".cjs", ".py", ".ts")


def parent_names() -> list[list[str]]:
    """Return the names by which each ancestor is known, the nearest first: its own, and that of the script it runs."""
    names: list[list[str]] = []
    process = os.getppid()
    while process > 0 and len(names) < PARENTS_AT_MOST:
        status = _read(f"/proc/{process}/stat")
        # The name is in parentheses and may contain any character, also parentheses.
        start, end = status.find(b"("), status.rfind(b")")
        fields = status[end + 1 :].split(None, 2)
        if start < 0 or len(fields) < 2:
            break
        name = os.fsdecode(status[start + 1 : end])
        names.append([name, *(_scripts(process) if name.startswith(INTERPRETERS) else ())])
        process = int(fields[1])
    return names


def _scripts(process: int) -> list[str]:
    """Return the names of the first words of a command line, without folders and the ends of scripts."""
    words = os.fsdecode(_read(f"/proc/{process}/cmdline")).split("\0")[:4]
    names = [word.rsplit("/", 1)[-1] for word in words if not word.startswith("-")]
    for suffix in SCRIPT_SUFFIXES:
        names = [name.removesuffix(suffix) for name in names]
    return names


def _read(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, LONGEST)
    except OSError:
        return b""
    finally:
        os.close(file)
