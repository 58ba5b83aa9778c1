"""Import memories: files of other systems, and gitmem's own exports."""

from __future__ import annotations

MODULES = {"import": "gitmem.plugins.import_.cli"}
COMMANDS = {"import": ("write", "import memories from JSONL or Markdown, in one commit")}
