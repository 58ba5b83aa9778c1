"""Manage other repositories whose memories are read here as well. Without a verb, list them (gitmem stores list).

recall searches them too and shows which store each result comes from; show accepts NAME:KEY. They are read-only: their
branches are never written, their checks never run, and the stores that they list are not followed.
"""

from __future__ import annotations

from gitmem.cli.stores.list import add_arguments, run

EXAMPLES = ("gitmem stores", "gitmem stores --json")

__all__ = ["EXAMPLES", "add_arguments", "run"]
