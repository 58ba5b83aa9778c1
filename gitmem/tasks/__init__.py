"""Tasks: memories that should become true. Their life, what is asked of them, and how they hang together."""
