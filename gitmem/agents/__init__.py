"""Adapters for coding agents: translate hook payloads into one common event, and answers into the agent's format."""
