"""Text: tokens, similarity, globs, secrets, and making untrusted text safe to show."""
