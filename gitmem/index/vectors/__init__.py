"""Vectors of memories: how they are stored, updated and compared."""
