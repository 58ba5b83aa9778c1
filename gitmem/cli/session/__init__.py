"""Sessions of agents: what is worked on here, and what agents were told. Alone, gitmem session status.

A topic has a specification, a worklog of commands and edits, and evidence, for this work tree and branch. On a branch
of your own it is called current until it is named; on main, master, dev, develop and trunk each session has its own.
"""

from __future__ import annotations

from gitmem.cli.session.status import add_arguments, run

EXAMPLES = ("gitmem session", "gitmem session --json")

__all__ = ["EXAMPLES", "add_arguments", "run"]
