"""Manage other repositories whose memories are read here as well. Without a verb, list them (gitmem stores list).

recall searches them too and shows which store each result comes from; show accepts NAME:KEY. Their branches are never
written, and their checks never run.
"""

from __future__ import annotations

from gitmem.cli.stores.list import add_arguments, run

EXAMPLES = ("gitmem stores",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
