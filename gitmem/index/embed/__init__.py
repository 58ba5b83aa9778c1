"""Embedding providers, which turn texts into vectors. They know only texts and numbers, no catalog and no store."""
