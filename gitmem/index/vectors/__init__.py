"""Vectors of memories: how they are kept, brought up to date and compared."""
