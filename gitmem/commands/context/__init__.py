"""The digest for a session: what is known of where somebody works, within a token budget."""
