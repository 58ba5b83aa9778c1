"""What a command loads of gitmem: each module's byte code, and how much of it are functions that were never called.

    python -m benchmarks.loaded DIR recall retry timeout gateway
    python -m benchmarks.loaded DIR hook claude-code < payload.json

What is never called belongs in a module that this command does not load: reading 100 KB costs half a millisecond, and
each module a twentieth besides (measured, Python 3.11).
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Iterator
from types import CodeType, FrameType

from benchmarks.measure import table

# A function, and no body of a module or a class (inspect, CO_NEWLOCALS).
NEW_LOCALS = 2


def functions_of(code: CodeType) -> Iterator[CodeType]:
    """Yield the functions of a module and of its classes, not those inside of functions."""
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            if inside.co_flags & NEW_LOCALS:
                yield inside
            else:
                yield from functions_of(inside)


def report(called: set[tuple[str, int]]) -> str:
    """Return a table of the loaded modules, those with most code that was not called first."""
    rows = []
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "gitmem" and module.__file__ and module.__spec__ and module.__spec__.loader:
            code = module.__spec__.loader.get_code(name)  # type: ignore[attr-defined] # modules come from files
            idle = [one for one in functions_of(code) if (one.co_filename, one.co_firstlineno) not in called]
            rows.append((sum(len(marshal.dumps(one)) for one in idle), len(marshal.dumps(code)), name))
    total = (sum(row[0] for row in rows), sum(row[1] for row in rows), f"{len(rows)} modules")
    cells = [(str(idle), str(size), name) for idle, size, name in [*sorted(rows, reverse=True), total]]
    return table(("not called", "bytes", "module"), cells)


def main() -> None:
    """Run a command in a folder, and print to stderr what it loaded."""
    called: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    def leave(status: int) -> None:
        sys.setprofile(None)
        sys.stdout.flush()
        print(report(called), file=sys.stderr, flush=True)
        leave_at_once(status)

    leave_at_once, os._exit = os._exit, leave  # type: ignore[assignment] # how a command ends (__main__.script)
    os.chdir(sys.argv[1])
    sys.argv = ["gitmem", *sys.argv[2:]]
    sys.setprofile(note)
    from gitmem.__main__ import script

    script()


if __name__ == "__main__":
    main()
