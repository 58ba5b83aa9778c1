"""Tasks: memories that should become true. Alone, the ones that can be begun now (gitmem task ready).

A task is a memory of kind task: show, list, recall, edit and forget work on it as well. Its check is the gate for
closing it. Whoever claims it sees what was tried before; attempts that failed are warnings in gitmem context.
"""

from __future__ import annotations

from gitmem.cli.task.ready import add_arguments, run

EXAMPLES = ("gitmem task", "gitmem task --json")

__all__ = ["EXAMPLES", "add_arguments", "run"]
