"""Tasks: memories that should become true. Their life, the questions that are asked of them, and how they hang together."""
