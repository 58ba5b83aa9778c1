"""Manage a hub: the memories of many repositories in one PostgreSQL database. Without a verb, list its repositories.

Git stays the truth: a hub only copies memory branches, and can be dropped and rebuilt. It needs the packages of the
extra hub; without them, the commands print how to install them.
"""

from __future__ import annotations

from gitmem.cli.hub.list import add_arguments, run

EXAMPLES = ("gitmem hub",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
