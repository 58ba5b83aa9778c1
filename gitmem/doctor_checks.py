"""What doctor says of checks: whether what they read is seen here, and which of them read more than they declare."""

from __future__ import annotations

import sys

from gitmem.catalog import state
from gitmem.errors import GitmemError
from gitmem.model import Problem
from gitmem.verify.undeclared import NAMED, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.catalog.catalog import Catalog
    from gitmem.opened import Opened

COST = "a fact without paths depends on the whole tree"


def tracing(memory: Opened, path: str, rung: str) -> str:
    """Return in a line whether what checks read is seen on this machine, and what it costs where it is not."""
    if sys.platform != "linux":
        return f"Linux only: {COST}"
    if (memory.config.trace or memory.policy().verify.trace) == "off":
        return f"off by a setting: {COST}"
    from gitmem.verify import evidence, sandbox
    from gitmem.verify.strace import PROGRAM

    if sandbox.find_program(PROGRAM, path) is None:
        return f"strace is not installed: {COST}"
    if not evidence.find_tracer(path, rung):
        return f"strace does not work here: {COST}"
    return "what checks read is observed with strace"


def list_undeclared(memory: Opened, catalog: Catalog) -> list[Problem]:
    """Return the facts that read what their paths do not name, by the verdicts that count now, by key."""
    rows = catalog.rows(
        "SELECT m.key, m.path FROM fact f JOIN memory m ON m.id = f.id WHERE f.inputs LIKE '[\"paths\"%' AND"
        f" {state.LIVE} ORDER BY m.key"
    )
    paths = dict(rows)
    try:
        ground = memory.ground() if paths else None
    except GitmemError:
        return []  # the code cannot be read, which others tell
    verdicts = state.counting(catalog, ground, list(paths), memory.local) if paths else {}
    found = []
    for key, verdict in sorted(verdicts.items()):
        read = names(verdict.undeclared)
        if read:
            told = (
                f"its check also reads {', '.join(read[:NAMED])}, which its paths do not name: a change there is missed"
            )
            hint = f"gitmem edit {key} --path …; or have its reads observed: gitmem edit {key} --path ''"
            found.append(Problem("undeclared-read", paths[key], told, key=key, hint=hint, severity="warning"))
    return found
