"""Text: tokens, similarity, globs, secrets, and what may be shown of what others wrote."""
