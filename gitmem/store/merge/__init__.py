"""Merge two states of a store: the trees, and the memories that both sides changed."""
