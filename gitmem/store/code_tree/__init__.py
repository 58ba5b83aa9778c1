"""Memories that lie in the code's own tree, in ``.memory``."""
