"""Embedding providers: what turns texts into vectors. Knows texts and numbers only, never a catalog or a store."""
