"""Tasks: memories that should become true. Their states, queries, and dependencies."""
