"""Capture learnings from agents' work within milliseconds, and commit them in the background."""
