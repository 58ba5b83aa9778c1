"""Manage tasks: memories that should become true. Without a verb, list tasks you can start now (gitmem task ready).

A task is a memory of kind task: show, list, recall, edit and forget work on it as well. Its check is the gate for
closing it. Claiming a task shows earlier attempts; failed attempts are warnings in gitmem context.
"""

from __future__ import annotations

from gitmem.cli.task.ready import add_arguments, run

EXAMPLES = ("gitmem task",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
