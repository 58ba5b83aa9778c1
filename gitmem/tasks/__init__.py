"""Tasks: their states, queries and dependencies."""
