"""Verify jobs: their schedules, their shards, and the import of their results."""
