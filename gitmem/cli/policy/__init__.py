"""Show or change the policy of the store: its settings and kinds of memory. Without a verb, show what it changes.

The policy is the file gitmem.toml at the root of the memory branch. Each change is checked first, then committed there,
with or without a view.
"""

from __future__ import annotations

from gitmem.cli.policy.show import add_arguments, run

EXAMPLES = ("gitmem policy", "gitmem policy --all")

__all__ = ["EXAMPLES", "add_arguments", "run"]
