"""Optional programs and packages that this machine does not have, and what each costs."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from gitmem.verify.sandbox import sandbox

# Programs, and what does not work without them. The sandbox and tracing have lines of their own.
PROGRAMS = (
    ("less", "long output is not shown page by page"),
    ("man", "`git mem --help` shows no manual page; `gitmem help` does"),
    ("ssh-keygen", "signatures cannot be made or checked, and nothing counts as signed"),
    ("gh", "`gitmem pull` finds GitHub's token only in the environment or a credential helper"),
)
# Extras, modules of which one is enough, and what does not work without it.
EXTRAS = (
    ("meaning", ("wordllama", "fastembed", "safetensors", "sentence_transformers"), "recall ranks by words only"),
    ("mcp", ("mcp",), "`gitmem mcp` does not start"),
    ("tui", ("textual",), "`gitmem browse` does not start"),
    ("hub", ("psycopg",), "`gitmem hub` does not start"),
    ("code", ("tree_sitter",), "files of code are cut by their indentation"),
)


def list_missing(path: str) -> list[tuple[str, str]]:
    """Return each missing program and extra with its cost, in one line; for an extra also with what installs it.

    Args:
        path: PATH, where programs are searched.
    """
    from gitmem.system.origin import extra_hint

    programs = [(name, f"not installed: {cost}") for name, cost in PROGRAMS if sandbox.find_program(name, path) is None]
    extras = [
        (f"extra {name}", f"not installed: {cost} ({extra_hint(name)})")
        for name, modules, cost in EXTRAS
        if not any(map(_is_there, modules))
    ]
    return programs + extras


def _is_there(module: str) -> bool:
    return module in sys.modules or find_spec(module) is not None
