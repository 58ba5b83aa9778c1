"""Other repositories whose memories are read here, too. Alone, the list of them (gitmem stores list).

recall looks into them as well and says of each hit which store it is from; show takes NAME:KEY. They are only read:
nothing is written into their branches, no check of theirs runs, and stores that they list are not followed.
"""

from __future__ import annotations

from gitmem.cli.stores.list import add_arguments, run

EXAMPLES = ("gitmem stores", "gitmem stores --json")

__all__ = ["EXAMPLES", "add_arguments", "run"]
