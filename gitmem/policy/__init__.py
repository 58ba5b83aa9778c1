"""The policy of a store: its kinds of memory and its settings."""
