"""Write the files by which clients' own installers know this repository; a test fails when one differs.

Run it after a change of the version, of a skill, command or hook: ``.venv/bin/python plugins/make.py``. It writes

- ``.claude-plugin/marketplace.json`` and ``plugins/claude-code``: ``claude plugin marketplace add REPOSITORY``;
- ``gemini-extension.json``, ``hooks/hooks.json``, ``commands`` and ``skills``, which Gemini CLI wants at the top:
  ``gemini extensions install REPOSITORY``;
- ``server.json``, the entry of the server for the Model Context Protocol in its registry. Its namespace is the owner of
  the repository that pyproject.toml names (``[project.urls] Repository``).
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gitmem import __version__
from gitmem.commands.install.client_files import ABOUT, claude_marketplace, client_plugin

PROJECT = Path(__file__).resolve().parents[1]
PLUGIN = "plugins/claude-code"
FORGES = {"github.com": "github", "gitlab.com": "gitlab"}


def server(url: str) -> dict[str, Any]:
    """Return the entry of the server, for the repository at *url*; empty if pyproject.toml names none.

    It names no package, because none is published: a package index has other projects under gitmem's names.
    """
    place = urlsplit(url)
    host, owner = place.hostname or "", place.path.strip("/").partition("/")[0]
    # The registry takes a name only from the owner of its namespace, which is a domain read backwards.
    pages = f"{owner}.{FORGES[host]}.io" if host in FORGES else host
    found: dict[str, Any] = {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": f"{'.'.join(reversed(pages.split('.'))) or 'gitmem'}/gitmem",
        "title": "gitmem",
        "description": ABOUT,
        "version": __version__,
    }
    return found | ({"repository": {"url": url, "source": FORGES[host]}} if host in FORGES else {})


def repository_url() -> str:
    """Return the address of the repository that pyproject.toml names; empty if it names none."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project.get("urls", {}).get("Repository", ""))


def files() -> dict[str, str]:
    """Return the content of each file, by its path."""
    plugin = [piece for piece in client_plugin("claude-code", mcp=False) if "marketplace" not in piece.path]
    pieces = {f"{PLUGIN}/{piece.path}": piece for piece in plugin}
    pieces |= {piece.path: piece for piece in (claude_marketplace(f"./{PLUGIN}"), *client_plugin("gemini", mcp=False))}
    written = {path: piece.apply_to(None) for path, piece in pieces.items()}
    entry = f"{json.dumps(server(repository_url()), indent=2)}\n"
    return {path: text for path, text in written.items() if text} | {"server.json": entry}


if __name__ == "__main__":
    for name, text in files().items():
        path = PROJECT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
