"""Harnesses of coding agents: what each tells a hook becomes one event, and what is answered is put as it wants it."""

from __future__ import annotations

# The harnesses and the modules that know them; and other names that people call them by.
HARNESSES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "copilot": "copilot",
    "cursor": "cursor",
    "gemini": "gemini",
    "opencode": "opencode",
    "pi": "pi",
}
ALIASES = {"claude": "claude-code", "gemini-cli": "gemini", "copilot-cli": "copilot"}
