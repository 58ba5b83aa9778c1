"""Adapters for coding agents: translate hook payloads into one common event, and answers into the agent's format."""

from __future__ import annotations

# The supported clients, each with a module of that name in ``clients``, and the aliases that people use.
CLIENTS = (
    *("claude-code", "codex", "copilot", "cursor", "gemini", "opencode", "pi", "qwen", "droid", "auggie", "kilo"),
    "cline",
)
ALIASES = {"claude": "claude-code", "gemini-cli": "gemini", "copilot-cli": "copilot", "qwen-code": "qwen"}
