"""Adapters for coding agents: translate hook payloads into one common event, and answers into the agent's format."""

from __future__ import annotations

# The supported harnesses with the modules that handle them, and the aliases that people use.
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
