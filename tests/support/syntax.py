"""The syntax trees of the package's modules, each parsed once in a process."""

from __future__ import annotations

import ast
import gc
from functools import cache


@cache
def parse(source: str) -> ast.Module:
    """Parse a module; not to be changed, since every reader gets the same tree.

    The package has a million nodes. Parsing them takes 3.9 s of CPU while the garbage collector walks them again and
    again, and 1.0 s without it (measured): it does not run meanwhile, and never sees them.
    """
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        gc.freeze()
        gc.enable()
