"""Pull knowledge from other systems, each source onto its own ref, ``refs/gitmem/sources/<name>``."""

from __future__ import annotations

MODULES = {"pull": "gitmem.plugins.pull.cli.pull", "sources": "gitmem.plugins.pull.cli.sources"}
COMMANDS = {
    "pull": ("share", "fetch issues, pull requests, Jira, code and documents"),
    "sources": ("share", "manage sources for gitmem pull: add, list, remove, status"),
    "sources add": ("share", "add a repository on GitHub, a Jira site, code or documents"),
    "sources list": ("share", "list them, with the time of the last pull"),
    "sources status": ("share", "check that none is overdue"),
    "sources remove": ("share", "remove a source and its documents"),
}
