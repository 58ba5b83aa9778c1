"""Capture learnings from agents' work within milliseconds; a background process commits them."""
