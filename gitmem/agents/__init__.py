"""Adapters for coding agents: translate each payload into one event, and the answer into the form each expects."""

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
