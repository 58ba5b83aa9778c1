"""The digest for a session: memories about the current work, within a token budget."""
