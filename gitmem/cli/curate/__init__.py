"""Clean up the store as a whole. Without a verb, list near duplicates (gitmem curate dedupe)."""

from __future__ import annotations

from gitmem.cli.curate.dedupe import add_arguments, run

EXAMPLES = ("gitmem curate",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
