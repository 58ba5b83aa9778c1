"""Memories in the code's own tree, in ``.memory``."""
