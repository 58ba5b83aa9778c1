"""Stores: a ref of a repository and the folder with its local state, by scope (``scopes``)."""
