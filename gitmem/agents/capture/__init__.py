"""Capture: what is learnt along the way, kept in milliseconds, and turned into commits behind it."""
