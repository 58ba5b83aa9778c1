"""Share what the workers of a run find, as typed entries. Without a verb, list the boards (gitmem board list).

A board belongs to one run, is kept on refs/gitmem/runs/RUN, and takes entries of many workers at once. Signals are open
questions: the gate is closed while one of severity critical or high has no answer and no waiver.
"""

from __future__ import annotations

from gitmem.plugins.board.cli.list import add_arguments, run

EXAMPLES = ("gitmem board",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
